//! A policy: settings, roles and ACLs, changed in place by one `apply`, with an index kept in step.

mod index;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::{Acl, Principal, PrincipalType, Role, RoleError, check_role_name};

pub(crate) use index::{Index, Node, Row};
pub use settings::{GroupSource, Settings, SettingsError};

/// Everything that a decision needs besides the identity and the request.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    settings: Settings,
    roles: BTreeMap<String, Role>,
    acls: BTreeSet<Acl>,
    index: Index,
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
    /// Replaces the settings; identities that are open keep what they had (D-15).
    Settings(Box<Settings>),
}

/// Why a change cannot be applied. The policy is as before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeError {
    /// There is no role of this name.
    UnknownRole(String),
    /// There is a role of this name.
    RoleExists(String),
    /// The role's name or member can be in no policy.
    Role(RoleError),
}

impl ChangeError {
    /// A stable name of the fault.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownRole(_) => "role_unknown",
            Self::RoleExists(_) => "role_exists",
            Self::Role(error) => error.code(),
        }
    }
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRole(name) => write!(f, "there is no role `{}`", name.escape_debug()),
            Self::RoleExists(name) => write!(f, "there is a role `{}` already", name.escape_debug()),
            Self::Role(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChangeError {}

impl Policy {
    /// A policy with these settings and nothing else.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The roles, by name.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = &Role> {
        self.roles.values()
    }

    /// One role.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.get(name)
    }

    /// The ACLs, in order of their fields.
    pub fn acls(&self) -> impl ExactSizeIterator<Item = &Acl> {
        self.acls.iter()
    }

    /// Whether this very ACL is there.
    #[must_use]
    pub fn has_acl(&self, acl: &Acl) -> bool {
        self.acls.contains(acl)
    }

    /// The names of the roles that this principal is a member of, in order.
    pub fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        self.index.roles_of(member)
    }

    pub(crate) const fn index(&self) -> &Index {
        &self.index
    }

    /// Applies one change; says whether anything is different now.
    ///
    /// # Errors
    /// A role that is missing or there already, or a role name or member that no policy can hold.
    pub fn apply(&mut self, change: Change) -> Result<bool, ChangeError> {
        match change {
            Change::AddAcl(acl) => Ok(self.add_acl(acl)),
            Change::RemoveAcl(acl) => Ok(self.remove_acl(&acl.normalized())),
            Change::CreateRole(name) => self.create_role(name).map(|()| true),
            Change::AddMember { role, member } => self.add_member(&role, member),
            Change::RemoveMember { role, member } => {
                let removed = self.members_of(&role)?.remove(&member);
                self.index.remove_member(&role, &member);
                Ok(removed)
            }
            Change::DeleteRole { name, delete_acls } => {
                let role = self.roles.remove(&name).ok_or_else(|| ChangeError::UnknownRole(name.clone()))?;
                for member in &role.members {
                    self.index.remove_member(&name, member);
                }
                if delete_acls {
                    let principal = Principal::role(name);
                    let gone: Vec<Acl> = self.acls.iter().filter(|acl| acl.principal == principal).cloned().collect();
                    for acl in &gone {
                        self.remove_acl(acl);
                    }
                }
                Ok(true)
            }
            Change::Settings(settings) => {
                let changed = *settings != self.settings;
                self.settings = *settings;
                Ok(changed)
            }
        }
    }

    // The three changes that loading a document makes have functions of their own, so that a module that only loads
    // and asks does not carry the others.

    /// [`Change::AddAcl`].
    pub(crate) fn add_acl(&mut self, acl: Acl) -> bool {
        let acl = acl.normalized();
        if self.acls.contains(&acl) {
            return false;
        }
        self.index.add(&acl);
        self.acls.insert(acl)
    }

    /// [`Change::CreateRole`].
    pub(crate) fn create_role(&mut self, name: String) -> Result<(), ChangeError> {
        check_role_name(&name).map_err(ChangeError::Role)?;
        if self.roles.contains_key(&name) {
            return Err(ChangeError::RoleExists(name));
        }
        self.roles.insert(name.clone(), Role { name, members: BTreeSet::new() });
        Ok(())
    }

    /// [`Change::AddMember`].
    pub(crate) fn add_member(&mut self, role: &str, member: Principal) -> Result<bool, ChangeError> {
        if member.kind() == PrincipalType::Role {
            return Err(ChangeError::Role(RoleError::RoleAsMember(member.name().into())));
        }
        let added = self.members_of(role)?.insert(member.clone());
        self.index.add_member(role, member);
        Ok(added)
    }

    fn members_of(&mut self, role: &str) -> Result<&mut BTreeSet<Principal>, ChangeError> {
        let role = self.roles.get_mut(role).ok_or_else(|| ChangeError::UnknownRole(role.into()))?;
        Ok(&mut role.members)
    }

    fn remove_acl(&mut self, acl: &Acl) -> bool {
        self.index.remove(acl);
        self.acls.remove(acl)
    }
}

/// Equal when the same settings, roles and ACLs are in it.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings && self.roles == other.roles && self.acls == other.acls
    }
}
