//! The index of a policy as the other crates of the engine read and fill it; not part of the public API.

use std::net::IpAddr;

use super::patterns::{Covering, Pattern, PatternId};
use super::principals::PrincipalId;
use super::rows::{HostId, Row, rows_of};
use super::{Policy, SEARCH, Settings, Stamp, row};
use crate::model::{
    Acl, Dialect, DialectError, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};

/// An ACL whose texts are somebody else's.
#[derive(Debug, Clone, Copy)]
pub struct AclParts<'a> {
    pub resource_type: ResourceType,
    pub resource_name: &'a str,
    pub pattern_type: PatternType,
    pub principal: (PrincipalType, &'a str),
    pub host: Host,
    pub operation: Operation,
    pub permission: Permission,
}

impl AclParts<'_> {
    /// Refuses what does not exist in a dialect.
    #[inline]
    pub fn check(&self, dialect: Dialect) -> Result<(), DialectError> {
        dialect.check(self.resource_type, self.operation, self.principal, self.host)
    }
}

impl<'a> From<&'a Acl> for AclParts<'a> {
    fn from(acl: &'a Acl) -> Self {
        Self {
            resource_type: acl.resource_type,
            resource_name: &acl.resource_name,
            pattern_type: acl.pattern_type,
            principal: (acl.principal.kind(), acl.principal.name()),
            host: acl.host,
            operation: acl.operation,
            permission: acl.permission,
        }
    }
}

#[doc(hidden)]
impl Policy {
    /// The names of the roles, in order, each with its members, in order.
    pub fn roles_and_members(&self) -> impl Iterator<Item = (&str, Vec<&Principal>)> {
        let roles = self.principals.roles().iter();
        roles.map(|id| (self.principals.get(*id).map_or("", Principal::name), self.principals.members(*id)))
    }

    /// One ACL of a row.
    pub fn acl(&self, pattern: &Pattern, row: &Row, operation: Operation, permission: Permission) -> Acl {
        Acl {
            resource_type: pattern.resource_type,
            resource_name: pattern.name().into(),
            pattern_type: pattern.pattern_type,
            principal: self.principals.get(row.principal).cloned().unwrap_or_else(|| Principal::user("")),
            host: self.hosts.get(row.host),
            operation,
            permission,
        }
    }

    /// The patterns that cover a name.
    #[inline]
    pub fn covering(&self, resource_type: ResourceType, name: &str) -> Covering {
        self.patterns.covering(resource_type, name)
    }

    /// The pattern of a number.
    #[inline]
    pub fn pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id)
    }

    /// Every pattern that an ACL has, in no order.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternId, &Pattern)> {
        self.patterns.iter()
    }

    /// The rows of some principals, each with its pattern; the principals are in order of their numbers, each once.
    pub fn rows_of<'a>(&'a self, principals: &[PrincipalId], each: &mut dyn FnMut(&'a Pattern, &'a Row)) {
        let mut is_one = vec![false; principals.last().map_or(0, |last| last.0 as usize + 1)];
        for principal in principals {
            if let Some(place) = is_one.get_mut(principal.0 as usize) {
                *place = true;
            }
        }
        for (_, pattern) in self.patterns.iter() {
            let rows = pattern.rows();
            if rows.len() <= principals.len() * SEARCH {
                let those = rows.iter().filter(|row| is_one.get(row.principal.0 as usize) == Some(&true));
                those.for_each(|row| each(pattern, row));
            } else {
                let those = principals.iter().flat_map(|principal| rows_of(rows, *principal));
                those.for_each(|row| each(pattern, row));
            }
        }
    }

    /// The number of a pattern, when an ACL has it.
    pub fn pattern_id(&self, of: ResourceType, pattern_type: PatternType, name: &str) -> Option<PatternId> {
        self.patterns.find(of, pattern_type, name)
    }

    /// The number of a principal, when the policy speaks of it.
    pub fn principal_id(&self, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        self.principals.find(kind, name)
    }

    /// The numbers of principals of one kind, in the order of their names.
    pub fn principal_ids(&self, kind: PrincipalType, names: &[String]) -> Vec<Option<PrincipalId>> {
        self.principals.find_each(kind, names)
    }

    /// The principal of a number.
    pub fn principal(&self, id: PrincipalId) -> Option<&Principal> {
        self.principals.get(id)
    }

    /// Every principal that the policy speaks of, in no order.
    pub fn principals(&self) -> impl Iterator<Item = (PrincipalId, &Principal)> {
        self.principals.iter()
    }

    /// The roles of a user or group, by name, or the members of a role, in no order.
    pub fn links(&self, id: PrincipalId) -> &[PrincipalId] {
        self.principals.links(id)
    }

    /// Whether this principal is a role that was created.
    pub fn is_role(&self, id: PrincipalId) -> bool {
        self.principals.is_role(id)
    }

    /// On how many rows a principal stands.
    pub fn row_count(&self, id: PrincipalId) -> u32 {
        self.principals.rows(id)
    }

    /// The number of a host, when an ACL named it.
    pub fn host_id(&self, host: Host) -> Option<HostId> {
        self.hosts.find(host)
    }

    /// The host of a number.
    pub fn host(&self, id: HostId) -> Host {
        self.hosts.get(id)
    }

    /// Whether a request from an address is for a host other than [`HostId::ANY`], given the number of the address.
    #[inline]
    pub fn is_host(&self, id: HostId, address: IpAddr, number: Option<HostId>) -> bool {
        number == Some(id) || id.range().is_some() && self.is_in_range(id, address)
    }

    /// Apart from the walk, whose rows rarely have a range.
    #[cold]
    #[inline(never)]
    fn is_in_range(&self, id: HostId, address: IpAddr) -> bool {
        self.settings.ranges_match() && self.hosts.get(id).includes(address)
    }

    /// Whether every request for another host is for this one too. One that never matches covers none but itself.
    pub fn host_covers(&self, id: HostId, other: HostId) -> bool {
        id == HostId::ANY || id == other || self.host_can_match(id) && self.hosts.get(id).covers(self.hosts.get(other))
    }

    /// Whether a request can be for a host at all: ranges match from Kafka 4.4 on (D-72).
    #[inline]
    pub fn host_can_match(&self, id: HostId) -> bool {
        id.range().is_none() || self.settings.ranges_match()
    }

    /// Creates a role that is not there.
    pub fn create_role(&mut self, name: &str) -> PrincipalId {
        self.principals.create_role(name)
    }

    /// Makes a user or group a member of a role; says whether it was none.
    pub fn add_member(&mut self, role: PrincipalId, kind: PrincipalType, name: &str) -> bool {
        self.who = Stamp::new();
        self.principals.add_member(role, kind, name)
    }

    /// Makes users and groups members of a role.
    pub fn add_members(&mut self, role: PrincipalId, members: &[(PrincipalType, &str)]) {
        self.principals.read_ahead(members.iter().copied());
        for (kind, name) in members {
            self.add_member(role, *kind, name);
        }
    }

    /// Replaces the settings.
    pub fn set_settings(&mut self, settings: Settings) {
        self.who = Stamp::new();
        self.settings = settings;
    }

    /// Adds an ACL; says whether it is new.
    pub fn add(&mut self, acl: &AclParts<'_>) -> bool {
        let pattern = self.patterns.number(acl.resource_type, acl.pattern_type, acl.resource_name);
        let (kind, name) = acl.principal;
        let principal = self.principals.number(kind, name);
        let row = row(principal, self.hosts.number(acl.host), acl.operation, acl.permission);
        let (changed, new_row) = self.patterns.add(pattern, row);
        self.acls += usize::from(changed);
        if new_row {
            self.principals.add_row(principal);
            if self.principals.rows(principal) == 1 {
                self.who = Stamp::new();
            }
        }
        changed
    }
}
