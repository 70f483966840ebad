//! The index of a policy, for analyses of many ACLs: the resource patterns, the principals and the
//! hosts have ids, and each pattern has rows, the ACLs of one principal and host.
//!
//! An id is valid until a change of the policy removes what it stands for. An id that the policy
//! does not have stands for nothing: lookups return `None` or are empty.
//!
//! ```
//! use gbac_engine::policy::index::Operations;
//! use gbac_engine::{Acl, Operation, Policy, Principal, PrincipalType, ResourceType};
//!
//! let policy = Policy::builder()
//!     .acl(Acl::allow(Principal::user("alice"), Operation::Read, ResourceType::Topic, "orders-").prefixed())
//!     .acl(Acl::allow(Principal::user("alice"), Operation::Write, ResourceType::Topic, "orders-").prefixed())
//!     .build()?;
//! let alice = policy.principal_id(PrincipalType::User, "alice").expect("an ACL names alice");
//! let mut found = Vec::new();
//! policy.rows_of(&[alice], &mut |pattern, row| found.push((pattern.name(), row.allow())));
//! assert_eq!(found, [("orders-", Operations::from_slice(&[Operation::Read, Operation::Write]))]);
//!
//! let covering = policy.covering(ResourceType::Topic, "orders-eu");
//! let pattern = covering.ids().find_map(|id| policy.pattern(id)).expect("a prefix of the name");
//! assert_eq!(pattern.rows()[0].principal, alice);
//! # Ok::<(), gbac_engine::PolicyError>(())
//! ```

use std::net::IpAddr;

pub use super::patterns::{Covering, Pattern, PatternId};
pub use super::principals::PrincipalId;
pub use super::rows::{HostId, Operations, Row, Rules, rows_of};
use super::{ChangeError, Policy, SEARCH_COST, Version, check_member};
use crate::hash;
use crate::model::{
    Acl, Dialect, DialectError, Host, Operation, PatternType, Permission, Principal, PrincipalType,
    ResourceType,
};

/// Sets the seed of the hashes of policies that are created later. Only wasm needs it, because it
/// has no random numbers of its own: without it, whoever knows this program can choose names that
/// collide. Decisions do not depend on it.
pub fn set_hash_seed(seed: u64) {
    hash::set_seed(seed);
}

/// An ACL with borrowed names.
#[derive(Debug, Clone)]
pub struct AclParts<'a> {
    /// The type of the resources.
    pub resource_type: ResourceType,
    /// The name, prefix or `*`.
    pub resource_name: &'a str,
    /// How the name is compared.
    pub pattern_type: PatternType,
    /// The type and the name of the principal.
    pub principal: (PrincipalType, &'a str),
    /// The host of the requests.
    pub host: Host,
    /// The operation.
    pub operation: Operation,
    /// Whether it allows or denies.
    pub permission: Permission,
}

impl AclParts<'_> {
    /// Refuses what does not exist in a dialect.
    ///
    /// # Errors
    /// The dialect lacks the resource type, the operation, the type of principal or the host.
    #[inline]
    pub fn check(&self, dialect: Dialect) -> Result<(), DialectError> {
        dialect.check(
            self.resource_type,
            self.operation,
            self.principal,
            &self.host,
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
            host: acl.host.clone(),
            operation: acl.operation,
            permission: acl.permission,
        }
    }
}

/// The index.
impl Policy {
    /// Adds an ACL as [`Change::AddAcl`](super::Change::AddAcl) does, without copies of its names;
    /// returns whether it is new.
    ///
    /// # Errors
    /// The policy's dialect lacks something of the ACL.
    pub fn add_acl(&mut self, acl: &AclParts<'_>) -> Result<bool, ChangeError> {
        let is_new = self.check_and_add(acl)?;
        if is_new {
            self.version = Version::new();
        }
        Ok(is_new)
    }

    /// Creates a role with its members, users or groups, without copies of their names.
    ///
    /// # Errors
    /// The role exists already, or its name or a member is not valid. The policy is unchanged.
    ///
    /// ```
    /// use gbac_engine::{Policy, PrincipalType};
    ///
    /// let mut policy = Policy::default();
    /// policy.add_role("writers", &[(PrincipalType::Group, "eng"), (PrincipalType::User, "alice")])?;
    /// assert_eq!(policy.role("writers").map(|role| role.members.len()), Some(2));
    /// assert!(policy.add_role("admins", &[(PrincipalType::Role, "writers")]).is_err());
    /// assert!(!policy.has_role("admins"));
    /// # Ok::<(), gbac_engine::ChangeError>(())
    /// ```
    pub fn add_role(
        &mut self,
        name: &str,
        members: &[(PrincipalType, &str)],
    ) -> Result<(), ChangeError> {
        for (kind, name) in members {
            check_member(*kind, name)?;
        }
        let role = self.create_role(name)?;
        self.version = Version::new();
        self.principals.read_ahead(members.iter().copied());
        for (kind, name) in members {
            self.add_member(role, *kind, name);
        }
        Ok(())
    }

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
        if self.patterns.skips_asterisks != skips {
            self.patterns.skips_asterisks = skips;
            self.version = Version::new();
        }
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
    pub fn host_id(&self, host: &Host) -> Option<HostId> {
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
        number == Some(id) || id.other().is_some() && self.is_in_range(id, address)
    }

    /// Apart from the walk, whose rows rarely have a range or a name.
    #[cold]
    #[inline(never)]
    fn is_in_range(&self, id: HostId, address: IpAddr) -> bool {
        match self.hosts.range(id) {
            Some(range) => self.settings.ranges_match() && range.contains(address),
            None => false,
        }
    }

    /// Whether every request for another host is for this one too. One that never matches covers
    /// none but itself.
    pub fn host_covers(&self, id: HostId, other: HostId) -> bool {
        id == HostId::ANY
            || id == other
            || self.host_can_match(id) && self.hosts.get(id).covers(&self.hosts.get(other))
    }

    /// Whether a request can be for a host at all: ranges match from Kafka 4.4 on (D-72), and names
    /// never do (D-71).
    #[inline]
    pub fn host_can_match(&self, id: HostId) -> bool {
        id.other().is_none() || self.range_can_match(id)
    }

    /// Apart from the walk, as [`Policy::is_in_range`].
    #[cold]
    #[inline(never)]
    fn range_can_match(&self, id: HostId) -> bool {
        self.settings.ranges_match() && self.hosts.range(id).is_some()
    }
}
