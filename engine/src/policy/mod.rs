//! A policy: settings, roles and ACLs, indexed by resource pattern, changed in place by one `apply`.

mod builder;
mod hosts;
// Hidden: what these modules make public is for the crates of the engine only.
#[doc(hidden)]
mod index;
mod lengths;
#[doc(hidden)]
mod patterns;
#[doc(hidden)]
mod principals;
#[doc(hidden)]
mod rows;
mod service_access;
mod settings;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hosts::Hosts;
use patterns::Patterns;
use principals::Principals;

use crate::escape::escaped;
use crate::model::{
    Acl, Dialect, DialectError, Operation, Permission, Principal, PrincipalType, Role, RoleError, check_role_name,
};
use crate::order::sort;

/// Rows up to this many for each principal are walked, more are searched.
const SEARCH: usize = 16;

pub use builder::{PolicyBuilder, PolicyError};
pub use index::AclParts;
pub use patterns::{Covering, Pattern, PatternId};
pub use principals::PrincipalId;
pub use rows::{HostId, Operations, Row, Rules, rows_of};
pub use service_access::{AccessLevel, GrantError, ServiceAccess};
pub use settings::{GroupSource, Settings, SettingsError, StatedSettings, Superusers};

/// Everything that a decision needs besides the identity and the request.
#[derive(Debug, Clone)]
pub struct Policy {
    settings: Settings,
    principals: Principals,
    patterns: Patterns,
    hosts: Hosts,
    acls: usize,
    /// Which state this is.
    state: Stamp,
    /// Which state of all that says who an identity is: principals, memberships, superusers.
    who: Stamp,
}

/// The name of a state: no other state of any policy has it, except that of a copy while it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Relaxed))
    }
}

/// One change of a policy. Whether it may be made is checked by who creates it (D-27).
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds an ACL; a present one is no change (D-17).
    AddAcl(Acl),
    /// Removes an ACL; an absent one is no change.
    RemoveAcl(Acl),
    /// Creates a role without members.
    CreateRole(String),
    /// Makes a principal a member of a role; a present one is no change (D-17).
    AddMember {
        /// The role's name.
        role: String,
        /// A user or a group.
        member: Principal,
    },
    /// Takes a member out of a role; an absent one is no change.
    RemoveMember {
        /// The role's name.
        role: String,
        /// A user or a group.
        member: Principal,
    },
    /// Deletes a role and its members, and its ACLs where asked (D-18).
    DeleteRole {
        /// The role's name.
        name: String,
        /// Whether the ACLs of `Role:<name>` go too.
        delete_acls: bool,
    },
    /// Replaces the settings with the stated ones; open identities do not change (D-15).
    Settings(Box<Settings>),
}

/// Why a change cannot be applied. The policy is as before.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// There is no role of this name.
    #[error("there is no role `{}`", escaped(.0))]
    UnknownRole(String),
    /// There is a role of this name.
    #[error("role `{}` already exists", escaped(.0))]
    RoleExists(String),
    /// The role's name or member can be in no policy.
    #[error("{0}")]
    Role(#[source] RoleError),
    /// The change needs what the policy's dialect lacks, or sets a dialect that lacks what is in the policy (D-71).
    #[error("{0}")]
    Dialect(#[source] DialectError),
}

error_codes! {
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

/// Applies changes in order and returns the effect of each. A change that cannot be applied is skipped; for all or nothing, try
/// them on a copy first.
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
pub fn apply_each<'c>(policy: &mut Policy, changes: impl IntoIterator<Item = &'c Change>) -> Vec<ChangeOutcome> {
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
            state: Stamp::new(),
            who: Stamp::new(),
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

    /// The roles, by name.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = Role> {
        self.principals.roles().iter().map(|id| self.role_of(*id))
    }

    /// The names of the roles, in order.
    pub fn role_names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names(self.principals.roles())
    }

    /// The names of the roles that do not come before this one, in order.
    pub fn role_names_from(&self, name: &str) -> impl ExactSizeIterator<Item = &str> {
        self.names(self.principals.roles_from(name))
    }

    fn names<'a>(&'a self, roles: &'a [PrincipalId]) -> impl ExactSizeIterator<Item = &'a str> {
        roles.iter().map(|id| self.principals.get(*id).map_or("", Principal::name))
    }

    /// Whether there is a role of this name.
    #[must_use]
    pub fn has_role(&self, name: &str) -> bool {
        self.principals.role(name).is_some()
    }

    /// How many roles there are.
    #[must_use]
    pub fn role_count(&self) -> usize {
        self.principals.roles().len()
    }

    /// One role.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<Role> {
        self.principals.role(name).map(|id| self.role_of(id))
    }

    fn role_of(&self, id: PrincipalId) -> Role {
        let name = self.principals.get(id).map_or("", Principal::name).to_owned();
        Role { name, members: self.principals.members(id).into_iter().cloned().collect() }
    }

    /// The ACLs, in order of their fields.
    pub fn acls(&self) -> impl ExactSizeIterator<Item = Acl> {
        let mut rows = Vec::new();
        for (_, pattern) in self.patterns.iter() {
            rows.extend(pattern.rows().iter().map(|row| (pattern, row)));
        }
        sort(&mut rows, |(of_a, a), (of_b, b)| {
            let pattern = || of_a.order(of_b);
            let principal = || self.principals.get(a.principal).cmp(&self.principals.get(b.principal));
            let host = || self.hosts.get(a.host).cmp(&self.hosts.get(b.host));
            pattern().then_with(principal).then_with(host)
        });
        let mut acls = Vec::with_capacity(self.acls);
        for (pattern, row) in rows {
            row.acls(|operation, permission| acls.push((pattern, row, operation, permission)));
        }
        acls.into_iter().map(|(pattern, row, operation, permission)| self.acl(pattern, row, operation, permission))
    }

    /// The ACLs of a principal, in order of their fields.
    #[must_use]
    pub fn acls_of(&self, principal: &Principal) -> Vec<Acl> {
        let mut acls = Vec::new();
        let Some(id) = self.principals.find(principal.kind(), principal.name()) else { return acls };
        self.rows_of(&[id], &mut |pattern, row| {
            row.acls(|operation, permission| acls.push(self.acl(pattern, row, operation, permission)));
        });
        sort(&mut acls, Acl::cmp);
        acls
    }

    /// The principals of the ACLs and the members of the roles, in no order.
    pub fn known_principals(&self) -> impl Iterator<Item = &Principal> {
        self.principals.iter().map(|(_, principal)| principal)
    }

    /// How many ACLs there are.
    #[must_use]
    pub const fn acl_count(&self) -> usize {
        self.acls
    }

    /// Whether this very ACL is there.
    #[must_use]
    pub fn has_acl(&self, acl: &Acl) -> bool {
        self.row_of(acl).is_some_and(|row| row.of(acl.permission).meets(Operations::only(acl.operation)))
    }

    /// The row that an ACL would be on.
    fn row_of(&self, acl: &Acl) -> Option<&Row> {
        let pattern = self.patterns.find(acl.resource_type, acl.pattern_type, &acl.resource_name)?;
        let principal = self.principals.find(acl.principal.kind(), acl.principal.name())?;
        let host = self.hosts.find(acl.host)?;
        rows_of(self.patterns.get(pattern)?.rows(), principal).iter().find(|row| row.host == host)
    }

    /// The names of the roles that this principal is a member of, in order.
    pub fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        let member = self.principals.find(member.kind(), member.name());
        let member = member.filter(|member| !self.principals.is_role(*member));
        self.names(member.map_or(&[][..], |member| self.principals.links(member)))
    }

    /// Which state this is.
    pub(crate) const fn state(&self) -> Stamp {
        self.state
    }

    /// Which state of principals, memberships and superusers this is.
    pub(crate) const fn who(&self) -> Stamp {
        self.who
    }

    /// Applies one change in place; says whether anything is different now.
    ///
    /// # Errors
    /// A role that is missing or there already, or a role name or member that no policy can hold.
    pub fn apply(&mut self, change: Change) -> Result<bool, ChangeError> {
        let changed = self.make(change)?;
        if changed {
            self.state = Stamp::new();
        }
        Ok(changed)
    }

    fn make(&mut self, change: Change) -> Result<bool, ChangeError> {
        match change {
            Change::AddAcl(acl) => {
                let acl = acl.normalized();
                let parts = AclParts::from(&acl);
                parts.check(self.settings.dialect).map_err(ChangeError::Dialect)?;
                Ok(self.add(&parts))
            }
            Change::RemoveAcl(acl) => Ok(self.remove_acl(&acl.normalized())),
            Change::CreateRole(name) => {
                check_role_name(&name).map_err(ChangeError::Role)?;
                if self.principals.role(&name).is_some() {
                    return Err(ChangeError::RoleExists(name));
                }
                self.create_role(&name);
                Ok(true)
            }
            Change::AddMember { role, member } => {
                if member.kind() == PrincipalType::Role {
                    return Err(ChangeError::Role(RoleError::RoleAsMember(member.name().into())));
                }
                // Members are users and groups in every dialect.
                let of_member = (member.kind(), member.name());
                Dialect::Platform.check_principal(of_member).map_err(ChangeError::Dialect)?;
                let role = self.principals.role(&role).ok_or(ChangeError::UnknownRole(role))?;
                Ok(self.add_member(role, member.kind(), member.name()))
            }
            Change::RemoveMember { role, member } => {
                let role = self.principals.role(&role).ok_or(ChangeError::UnknownRole(role))?;
                self.who = Stamp::new();
                Ok(self.principals.remove_member(role, &member))
            }
            Change::DeleteRole { name, delete_acls } => {
                let role = self.principals.role(&name).ok_or(ChangeError::UnknownRole(name))?;
                self.who = Stamp::new();
                if delete_acls {
                    self.remove_acls_of(role);
                }
                self.principals.delete_role(role);
                Ok(true)
            }
            Change::Settings(settings) => {
                let settings = settings.filled_from(&self.settings);
                if settings.dialect != self.settings.dialect {
                    self.check_dialect(settings.dialect).map_err(ChangeError::Dialect)?;
                }
                let changed = settings != self.settings;
                self.set_settings(settings);
                Ok(changed)
            }
        }
    }

    /// Refuses a dialect that lacks something in this policy.
    ///
    /// # Errors
    /// The first ACL or member that cannot be in a policy of the dialect.
    pub fn check_dialect(&self, dialect: Dialect) -> Result<(), DialectError> {
        let mut principals = self.known_principals();
        principals.try_for_each(|principal| dialect.check_principal((principal.kind(), principal.name())))?;
        self.acls().try_for_each(|acl| AclParts::from(&acl).check(dialect))
    }

    /// Gives back the room that was kept for more, when everything has been added.
    pub fn shrink(&mut self) {
        self.patterns.shrink();
        self.principals.shrink();
    }

    fn remove_acl(&mut self, acl: &Acl) -> bool {
        let ids = || {
            let pattern = self.patterns.find(acl.resource_type, acl.pattern_type, &acl.resource_name)?;
            let principal = self.principals.find(acl.principal.kind(), acl.principal.name())?;
            Some((pattern, row(principal, self.hosts.find(acl.host)?, acl.operation, acl.permission)))
        };
        ids().is_some_and(|(pattern, row)| self.remove_row(pattern, row))
    }

    fn remove_row(&mut self, pattern: PatternId, row: Row) -> bool {
        let (changed, gone) = self.patterns.remove(pattern, row);
        self.acls -= if changed { row.deny().len() + row.allow().len() } else { 0 };
        if gone {
            if self.principals.rows(row.principal) == 1 {
                self.who = Stamp::new();
            }
            self.principals.remove_row(row.principal);
        }
        changed
    }

    fn remove_acls_of(&mut self, principal: PrincipalId) {
        for pattern in self.patterns.of_principal(principal) {
            let rows = self.pattern(pattern).map(|pattern| rows_of(pattern.rows(), principal).to_vec());
            for row in rows.unwrap_or_default() {
                self.remove_row(pattern, row);
            }
        }
    }
}

fn row(principal: PrincipalId, host: HostId, operation: Operation, permission: Permission) -> Row {
    let operation = Operations::only(operation);
    let (deny, allow) = match permission {
        Permission::Deny => (operation, Operations::default()),
        Permission::Allow => (Operations::default(), operation),
    };
    Row { principal, host, rules: Rules::new(deny, allow) }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(Settings::default())
    }
}

/// Equal when the same settings, roles and ACLs are in it.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings && self.roles().eq(other.roles()) && self.acls().eq(other.acls())
    }
}
