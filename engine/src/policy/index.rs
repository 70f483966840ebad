//! Access to a policy's index for the other crates of the engine; not part of the public API.

use std::net::IpAddr;

use super::patterns::{Covering, Pattern, PatternId};
use super::principals::PrincipalId;
use super::rows::{HostId, Row, rows_of};
use super::{Policy, SEARCH_COST, Settings, Version, row};
use crate::model::{
    Acl, Dialect, DialectError, Host, Operation, PatternType, Permission, Principal, PrincipalType,
    ResourceType,
};

/// An ACL with borrowed strings.
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
        dialect.check(
            self.resource_type,
            self.operation,
            self.principal,
            self.host,
        )
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
    /// The names of the roles with their members, both sorted.
    pub fn roles_and_members(&self) -> impl Iterator<Item = (&str, Vec<&Principal>)> {
        let roles = self.principals.roles().iter();
        roles.map(|id| {
            (
                self.principals.get(*id).map_or("", Principal::name),
                self.principals.members(*id),
            )
        })
    }

    /// The ACL for one operation and permission of a row.
    pub fn acl(
        &self,
        pattern: &Pattern,
        row: &Row,
        operation: Operation,
        permission: Permission,
    ) -> Acl {
        Acl {
            resource_type: pattern.resource_type,
            resource_name: pattern.name().into(),
            pattern_type: pattern.pattern_type,
            principal: self
                .principals
                .get(row.principal)
                .cloned()
                .unwrap_or_else(|| Principal::user("")),
            host: self.hosts.get(row.host),
            operation,
            permission,
        }
    }

    /// Decides from now on as Kafka's own authorizer where a name begins with `*`: the literal `*`
    /// does not cover it (D-111).
    pub fn skip_asterisks(&mut self, skips: bool) {
        self.patterns.skips_asterisks = skips;
    }

    /// The patterns that cover a name.
    #[inline]
    pub fn covering(&self, resource_type: ResourceType, name: &str) -> Covering {
        self.patterns.covering(resource_type, name)
    }

    /// The pattern with an id.
    #[inline]
    pub fn pattern(&self, id: PatternId) -> Option<&Pattern> {
        self.patterns.get(id)
    }

    /// Every pattern with ACLs, in no particular order.
    pub fn patterns(&self) -> impl Iterator<Item = (PatternId, &Pattern)> {
        self.patterns.iter()
    }

    /// Visits the rows of some principals, each with its pattern. The ids must be sorted and
    /// without duplicates.
    pub fn rows_of<'a>(
        &'a self,
        principals: &[PrincipalId],
        visit: &mut dyn FnMut(&'a Pattern, &'a Row),
    ) {
        let mut is_included = vec![false; principals.last().map_or(0, |last| last.0 as usize + 1)];
        for principal in principals {
            if let Some(included) = is_included.get_mut(principal.0 as usize) {
                *included = true;
            }
        }
        for (_, pattern) in self.patterns.iter() {
            let rows = pattern.rows();
            if rows.len() <= principals.len() * SEARCH_COST {
                let included = rows
                    .iter()
                    .filter(|row| is_included.get(row.principal.0 as usize) == Some(&true));
                included.for_each(|row| visit(pattern, row));
            } else {
                let included = principals
                    .iter()
                    .flat_map(|principal| rows_of(rows, *principal));
                included.for_each(|row| visit(pattern, row));
            }
        }
    }

    /// The id of a pattern; `None` if no ACL has it.
    pub fn pattern_id(
        &self,
        resource_type: ResourceType,
        pattern_type: PatternType,
        name: &str,
    ) -> Option<PatternId> {
        self.patterns.find(resource_type, pattern_type, name)
    }

    /// The id of a principal; `None` if the policy does not mention it.
    pub fn principal_id(&self, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        self.principals.find(kind, name)
    }

    /// The ids of principals of one kind, in the order of `names`.
    pub fn principal_ids(&self, kind: PrincipalType, names: &[String]) -> Vec<Option<PrincipalId>> {
        self.principals.find_each(kind, names)
    }

    /// The principal with an id.
    pub fn principal(&self, id: PrincipalId) -> Option<&Principal> {
        self.principals.get(id)
    }

    /// Every principal that the policy mentions, in no particular order.
    pub fn principals(&self) -> impl Iterator<Item = (PrincipalId, &Principal)> {
        self.principals.iter()
    }

    /// For a user or group, its roles, sorted by name; for a role, its members, in no particular
    /// order.
    pub fn links(&self, id: PrincipalId) -> &[PrincipalId] {
        self.principals.links(id)
    }

    /// Whether a principal is an existing role. ACLs can also name roles that do not exist.
    pub fn is_role(&self, id: PrincipalId) -> bool {
        self.principals.is_role(id)
    }

    /// The number of rows of a principal.
    pub fn row_count(&self, id: PrincipalId) -> u32 {
        self.principals.rows(id)
    }

    /// The id of a host; `None` if no ACL has named it.
    pub fn host_id(&self, host: Host) -> Option<HostId> {
        self.hosts.find(host)
    }

    /// The host with an id.
    pub fn host(&self, id: HostId) -> Host {
        self.hosts.get(id)
    }

    /// Whether a request from an address is for a host other than [`HostId::ANY`], given the number
    /// of the address.
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

    /// Whether every request for another host is for this one too. One that never matches covers
    /// none but itself.
    pub fn host_covers(&self, id: HostId, other: HostId) -> bool {
        id == HostId::ANY
            || id == other
            || self.host_can_match(id) && self.hosts.get(id).covers(self.hosts.get(other))
    }

    /// Whether a request can be for a host at all: ranges match from Kafka 4.4 on (D-72).
    #[inline]
    pub fn host_can_match(&self, id: HostId) -> bool {
        id.range().is_none() || self.settings.ranges_match()
    }

    /// Creates a role if it does not exist.
    pub fn create_role(&mut self, name: &str) -> PrincipalId {
        self.principals.create_role(name)
    }

    /// Adds a user or group to a role; returns whether it was not a member before.
    pub fn add_member(&mut self, role: PrincipalId, kind: PrincipalType, name: &str) -> bool {
        self.principals_version = Version::new();
        self.principals.add_member(role, kind, name)
    }

    /// Adds users and groups to a role.
    pub fn add_members(&mut self, role: PrincipalId, members: &[(PrincipalType, &str)]) {
        self.principals.read_ahead(members.iter().copied());
        for (kind, name) in members {
            self.add_member(role, *kind, name);
        }
    }

    /// Replaces the settings.
    #[inline(never)]
    pub fn set_settings(&mut self, settings: Settings) {
        self.principals_version = Version::new();
        self.settings = settings;
    }

    /// Adds an ACL; returns whether it is new.
    #[inline(never)]
    pub fn add(&mut self, acl: &AclParts<'_>) -> bool {
        let pattern =
            self.patterns
                .find_or_add(acl.resource_type, acl.pattern_type, acl.resource_name);
        let (kind, name) = acl.principal;
        let principal = self.principals.find_or_add(kind, name);
        let row = row(
            principal,
            self.hosts.find_or_add(acl.host),
            acl.operation,
            acl.permission,
        );
        let (changed, new_row) = self.patterns.add(pattern, row);
        self.acls += usize::from(changed);
        if new_row {
            self.principals.add_row(principal);
            if self.principals.rows(principal) == 1 {
                self.principals_version = Version::new();
            }
        }
        changed
    }
}
