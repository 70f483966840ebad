//! Policies: settings, roles and ACLs, with an index by resource pattern. [`Policy::apply`] changes
//! a policy in place.

mod builder;
mod hosts;
pub mod index;
mod lengths;
mod pages;
mod patterns;
mod principals;
mod rows;
mod service_access;
mod settings;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hosts::Hosts;
use index::AclParts;
use patterns::Patterns;
use principals::Principals;

use crate::escape::escaped;
use crate::model::{
    Acl, Dialect, DialectError, Operation, Permission, Principal, PrincipalType, Role, RoleError,
    check_role_name, normalized_name,
};
use crate::order::sort;

/// The cost of a binary search for one principal, in rows that a linear scan reads in the same
/// time.
const SEARCH_COST: usize = 16;

pub use builder::{PolicyBuilder, PolicyError};
pub(crate) use patterns::{Covering, Pattern, PatternId};
pub(crate) use principals::PrincipalId;
pub(crate) use rows::{HostId, Operations, Row, Rules, rows_of};
pub use service_access::{AccessLevel, GrantError, ServiceAccess};
pub use settings::{GroupSource, Settings, SettingsError, StatedSettings, Superusers};

/// The settings, roles and ACLs that decisions use, with an index for fast lookup.
#[derive(Debug, Clone)]
pub struct Policy {
    settings: Settings,
    principals: Principals,
    patterns: Patterns,
    hosts: Hosts,
    acls: usize,
    /// Changes with every change of the policy.
    version: Version,
    /// Changes when an identity may have other principals: with changes of principals, memberships
    /// and superusers.
    principals_version: Version,
}

/// A version of a policy, unique in the process. A clone has the version of its original until
/// either is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(u64);

impl Version {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

/// One change of a policy. The caller checks whether its names are allowed (D-27).
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds an ACL. No change if it exists (D-17).
    AddAcl(Acl),
    /// Removes an ACL. No change if it does not exist.
    RemoveAcl(Acl),
    /// Creates a role without members.
    CreateRole(String),
    /// Adds a member to a role. No change if it is a member already (D-17).
    AddMember {
        /// The role's name.
        role: String,
        /// A user or a group.
        member: Principal,
    },
    /// Removes a member from a role. No change if it is not a member.
    RemoveMember {
        /// The role's name.
        role: String,
        /// A user or a group.
        member: Principal,
    },
    /// Deletes a role with its memberships, and optionally its ACLs (D-18).
    DeleteRole {
        /// The role's name.
        name: String,
        /// Whether to delete the ACLs of `Role:<name>` too.
        delete_acls: bool,
    },
    /// Replaces the stated settings. Existing identities do not change (D-15).
    Settings(Box<Settings>),
}

/// Why a change cannot be applied. The policy is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// No role has this name.
    #[error("there is no role `{}`", escaped(.0))]
    UnknownRole(String),
    /// A role of this name exists already.
    #[error("role `{}` already exists", escaped(.0))]
    RoleExists(String),
    /// The role's name or the member is not valid.
    #[error("{0}")]
    Role(#[source] RoleError),
    /// The change needs what the policy's dialect lacks, or sets a dialect that lacks what is in
    /// the policy (D-71).
    #[error("{0}")]
    Dialect(#[source] DialectError),
}

codes! {
    pub ChangeError {
        Self::UnknownRole(_) => "role_unknown",
        Self::RoleExists(_) => "role_exists",
    } of {
        Self::Role(error) => error: RoleError,
        Self::Dialect(error) => error: DialectError,
    }
}

/// What a change in a list of changes does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeOutcome {
    /// It changed the policy.
    Changed,
    /// The policy already had it.
    Unchanged,
    /// It cannot be applied; the policy is unchanged.
    Refused(ChangeError),
}

/// Applies changes in order and returns the effect of each. A change that cannot be applied is
/// skipped; for all or nothing, try them on a copy first.
///
/// ```
/// use gbac_engine::policy::{Change, ChangeOutcome, Policy, apply_each};
///
/// let mut policy = Policy::default();
/// let changes = [Change::CreateRole("readers".into()), Change::CreateRole("readers".into())];
/// let effects = apply_each(&mut policy, &changes);
/// assert!(matches!(effects[..], [ChangeOutcome::Changed, ChangeOutcome::Refused(_)]));
/// assert!(policy.has_role("readers"));
/// ```
pub fn apply_each<'c>(
    policy: &mut Policy,
    changes: impl IntoIterator<Item = &'c Change>,
) -> Vec<ChangeOutcome> {
    let apply = |change: &Change| match policy.apply(change.clone()) {
        Ok(true) => ChangeOutcome::Changed,
        Ok(false) => ChangeOutcome::Unchanged,
        Err(error) => ChangeOutcome::Refused(error),
    };
    changes.into_iter().map(apply).collect()
}

impl Policy {
    /// A policy with these settings and nothing else.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            principals: Principals::default(),
            patterns: Patterns::default(),
            hosts: Hosts::default(),
            acls: 0,
            version: Version::new(),
            principals_version: Version::new(),
        }
    }

    /// Starts a policy with the default settings.
    ///
    /// ```
    /// use gbac_engine::{Acl, Operation, Policy, Principal, ResourceType};
    ///
    /// let policy = Policy::builder()
    ///     .role("writers", [Principal::group("payments")])
    ///     .acl(Acl::allow(Principal::role("writers"), Operation::Write, ResourceType::Topic, "payments-").prefixed())
    ///     .build()?;
    /// assert_eq!((policy.role_count(), policy.acl_count()), (1, 1));
    /// # Ok::<(), gbac_engine::PolicyError>(())
    /// ```
    pub fn builder() -> PolicyBuilder {
        PolicyBuilder::default()
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The roles, sorted by name.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> {
        self.principals.roles().iter().map(|id| self.role_of(*id))
    }

    /// The names of the roles, sorted.
    pub fn role_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names(self.principals.roles())
    }

    /// The names of the roles from this name on, sorted.
    pub fn role_names_from(&self, name: &str) -> impl ExactSizeIterator<Item = &str> {
        self.names(self.principals.roles_from(name))
    }

    fn names<'a>(&'a self, roles: &'a [PrincipalId]) -> impl ExactSizeIterator<Item = &'a str> {
        roles
            .iter()
            .map(|id| self.principals.get(*id).map_or("", Principal::name))
    }

    /// Whether there is a role of this name.
    #[must_use]
    pub fn has_role(&self, name: &str) -> bool {
        self.principals.role(name).is_some()
    }

    /// The number of roles.
    #[must_use]
    pub fn role_count(&self) -> usize {
        self.principals.roles().len()
    }

    /// The role of this name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<Role> {
        self.principals.role(name).map(|id| self.role_of(id))
    }

    fn role_of(&self, id: PrincipalId) -> Role {
        let name = self
            .principals
            .get(id)
            .map_or("", Principal::name)
            .to_owned();
        Role {
            name,
            members: self.principals.members(id).into_iter().cloned().collect(),
        }
    }

    /// The ACLs, sorted by their fields.
    pub fn acls(&self) -> impl ExactSizeIterator<Item = Acl> {
        let mut rows = Vec::new();
        for (_, pattern) in self.patterns.iter() {
            rows.extend(pattern.rows().iter().map(|row| (pattern, row)));
        }
        sort(&mut rows, |(pattern_a, a), (pattern_b, b)| {
            let pattern = || pattern_a.order(pattern_b);
            let principal = || {
                self.principals
                    .get(a.principal)
                    .cmp(&self.principals.get(b.principal))
            };
            let host = || self.hosts.get(a.host).cmp(&self.hosts.get(b.host));
            pattern().then_with(principal).then_with(host)
        });
        let mut acls = Vec::with_capacity(self.acls);
        for (pattern, row) in rows {
            row.acls(|operation, permission| acls.push((pattern, row, operation, permission)));
        }
        acls.into_iter()
            .map(|(pattern, row, operation, permission)| {
                self.acl(pattern, row, operation, permission)
            })
    }

    /// The ACLs of a principal, sorted by their fields.
    #[must_use]
    pub fn acls_of(&self, principal: &Principal) -> Vec<Acl> {
        let mut acls = Vec::new();
        let Some(id) = self.principals.find(principal.kind(), principal.name()) else {
            return acls;
        };
        self.rows_of(&[id], &mut |pattern, row| {
            row.acls(|operation, permission| {
                acls.push(self.acl(pattern, row, operation, permission));
            });
        });
        sort(&mut acls, Acl::cmp);
        acls
    }

    /// The principals of the ACLs, the roles and their members, in no particular order.
    pub fn known_principals(&self) -> impl Iterator<Item = &Principal> {
        self.principals.iter().map(|(_, principal)| principal)
    }

    /// The number of ACLs.
    #[must_use]
    pub const fn acl_count(&self) -> usize {
        self.acls
    }

    /// Whether the policy contains exactly this ACL.
    #[must_use]
    pub fn has_acl(&self, acl: &Acl) -> bool {
        self.row_of(acl).is_some_and(|row| {
            row.operations(acl.permission)
                .meets(Operations::only(acl.operation))
        })
    }

    /// The row with the ACL's pattern, principal and host.
    fn row_of(&self, acl: &Acl) -> Option<&Row> {
        let pattern =
            self.patterns
                .find(acl.resource_type, acl.pattern_type, &acl.resource_name)?;
        let principal = self
            .principals
            .find(acl.principal.kind(), acl.principal.name())?;
        let host = self.hosts.find(&acl.host)?;
        rows_of(self.patterns.get(pattern)?.rows(), principal)
            .iter()
            .find(|row| row.host == host)
    }

    /// The names of the roles that a principal is a member of, sorted.
    pub fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        let member = self.principals.find(member.kind(), member.name());
        let member = member.filter(|member| !self.principals.is_role(*member));
        self.names(member.map_or(&[][..], |member| self.principals.links(member)))
    }

    /// The version of the policy.
    pub(crate) const fn version(&self) -> Version {
        self.version
    }

    /// The version of the principals, memberships and superusers: while it is the same, so are the
    /// principals that the policy mentions.
    #[must_use]
    pub const fn principals_version(&self) -> Version {
        self.principals_version
    }

    /// Applies one change in place; returns whether it changed the policy.
    ///
    /// # Errors
    /// The role does not exist, or exists already, or the role name or member is not valid.
    ///
    /// ```
    /// use gbac_engine::{Acl, Change, Operation, Policy, Principal, ResourceType};
    ///
    /// let acl = Acl::allow(Principal::user("alice"), Operation::Read, ResourceType::Topic, "orders");
    /// let mut policy = Policy::default();
    /// assert!(policy.apply(Change::AddAcl(acl.clone()))?);
    /// assert!(!policy.apply(Change::AddAcl(acl))?);
    /// assert_eq!(policy.acl_count(), 1);
    /// # Ok::<(), gbac_engine::ChangeError>(())
    /// ```
    pub fn apply(&mut self, change: Change) -> Result<bool, ChangeError> {
        let changed = self.apply_unversioned(change)?;
        if changed {
            self.version = Version::new();
        }
        Ok(changed)
    }

    fn apply_unversioned(&mut self, change: Change) -> Result<bool, ChangeError> {
        match change {
            Change::AddAcl(acl) => self.check_and_add(&AclParts::from(&acl)),
            Change::RemoveAcl(acl) => Ok(self.remove_acl(&acl.normalized())),
            Change::CreateRole(name) => {
                self.create_role(&name)?;
                Ok(true)
            }
            Change::AddMember { role, member } => self.check_and_add_member(role, &member),
            Change::RemoveMember { role, member } => {
                let role = self
                    .principals
                    .role(&role)
                    .ok_or(ChangeError::UnknownRole(role))?;
                self.principals_version = Version::new();
                Ok(self.principals.remove_member(role, &member))
            }
            Change::DeleteRole { name, delete_acls } => self.delete_role(name, delete_acls),
            Change::Settings(settings) => self.change_settings(&settings),
        }
    }

    fn check_and_add(&mut self, acl: &AclParts<'_>) -> Result<bool, ChangeError> {
        acl.check(self.settings.dialect)
            .map_err(ChangeError::Dialect)?;
        Ok(self.add(acl))
    }

    /// Adds an ACL; returns whether it is new.
    #[inline(never)]
    fn add(&mut self, acl: &AclParts<'_>) -> bool {
        let name = normalized_name(acl.resource_type, acl.resource_name);
        let pattern = self
            .patterns
            .find_or_add(acl.resource_type, acl.pattern_type, name);
        let (kind, name) = acl.principal;
        let principal = self.principals.find_or_add(kind, name);
        let row = row(
            principal,
            self.hosts.find_or_add(&acl.host),
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

    fn create_role(&mut self, name: &str) -> Result<PrincipalId, ChangeError> {
        check_role_name(name).map_err(ChangeError::Role)?;
        if self.has_role(name) {
            return Err(ChangeError::RoleExists(name.into()));
        }
        Ok(self.principals.create_role(name))
    }

    #[inline(never)]
    fn check_and_add_member(
        &mut self,
        role: String,
        member: &Principal,
    ) -> Result<bool, ChangeError> {
        check_member(member.kind(), member.name())?;
        let role = self
            .principals
            .role(&role)
            .ok_or(ChangeError::UnknownRole(role))?;
        Ok(self.add_member(role, member.kind(), member.name()))
    }

    /// Adds a user or group to a role; returns whether it was not a member before.
    fn add_member(&mut self, role: PrincipalId, kind: PrincipalType, name: &str) -> bool {
        self.principals_version = Version::new();
        self.principals.add_member(role, kind, name)
    }

    #[inline(never)]
    fn delete_role(&mut self, name: String, delete_acls: bool) -> Result<bool, ChangeError> {
        let role = self
            .principals
            .role(&name)
            .ok_or(ChangeError::UnknownRole(name))?;
        self.principals_version = Version::new();
        if delete_acls {
            self.remove_acls_of(role);
        }
        self.principals.delete_role(role);
        Ok(true)
    }

    #[inline(never)]
    fn change_settings(&mut self, settings: &Settings) -> Result<bool, ChangeError> {
        let settings = settings.filled_from(&self.settings);
        if settings.dialect != self.settings.dialect {
            self.check_dialect(settings.dialect)
                .map_err(ChangeError::Dialect)?;
        }
        let changed = settings != self.settings;
        self.principals_version = Version::new();
        self.settings = settings;
        Ok(changed)
    }

    /// Refuses a dialect that lacks something in this policy.
    ///
    /// # Errors
    /// The first ACL or member that cannot be in a policy of the dialect.
    #[inline(never)]
    pub fn check_dialect(&self, dialect: Dialect) -> Result<(), DialectError> {
        let mut principals = self.known_principals();
        principals.try_for_each(|principal| {
            dialect.check_principal((principal.kind(), principal.name()))
        })?;
        self.acls()
            .try_for_each(|acl| AclParts::from(&acl).check(dialect))
    }

    /// Frees unused capacity. Call it after a policy is loaded.
    pub fn shrink(&mut self) {
        self.patterns.shrink();
        self.principals.shrink();
    }

    #[inline(never)]
    fn remove_acl(&mut self, acl: &Acl) -> bool {
        let ids = || {
            let pattern =
                self.patterns
                    .find(acl.resource_type, acl.pattern_type, &acl.resource_name)?;
            let principal = self
                .principals
                .find(acl.principal.kind(), acl.principal.name())?;
            Some((
                pattern,
                row(
                    principal,
                    self.hosts.find(&acl.host)?,
                    acl.operation,
                    acl.permission,
                ),
            ))
        };
        ids().is_some_and(|(pattern, row)| self.remove_row(pattern, row))
    }

    fn remove_row(&mut self, pattern: PatternId, row: Row) -> bool {
        let (changed, row_removed) = self.patterns.remove(pattern, row);
        self.acls -= if changed {
            row.deny().len() + row.allow().len()
        } else {
            0
        };
        if row_removed {
            if self.principals.rows(row.principal) == 1 {
                self.principals_version = Version::new();
            }
            self.principals.remove_row(row.principal);
        }
        changed
    }

    #[inline(never)]
    fn remove_acls_of(&mut self, principal: PrincipalId) {
        for pattern in self.patterns.of_principal(principal) {
            let rows = self
                .pattern(pattern)
                .map(|pattern| rows_of(pattern.rows(), principal).to_vec());
            for row in rows.unwrap_or_default() {
                self.remove_row(pattern, row);
            }
        }
    }
}

/// Checks that a principal can be a member of a role: members are users and groups in every
/// dialect.
fn check_member(kind: PrincipalType, name: &str) -> Result<(), ChangeError> {
    if kind == PrincipalType::Role {
        return Err(ChangeError::Role(RoleError::RoleAsMember(name.into())));
    }
    Dialect::Platform
        .check_principal((kind, name))
        .map_err(ChangeError::Dialect)
}

fn row(principal: PrincipalId, host: HostId, operation: Operation, permission: Permission) -> Row {
    let operation = Operations::only(operation);
    let (deny, allow) = match permission {
        Permission::Deny => (operation, Operations::default()),
        Permission::Allow => (Operations::default(), operation),
    };
    Row {
        principal,
        host,
        rules: Rules::new(deny, allow),
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

/// Policies are equal if their settings, roles and ACLs are.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
            && self.roles().eq(other.roles())
            && self.acls().eq(other.acls())
    }
}
