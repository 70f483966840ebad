//! A policy: settings, roles and ACLs, in order, changed in place by one `apply`.

mod index;
mod settings;

use std::collections::BTreeSet;
use std::fmt;

use index::{Acls, Memberships};

use crate::model::{Acl, Principal, PrincipalType, ResourceType, Role, RoleError, check_role_name};
use crate::order::sort;
use crate::text::escaped;

pub use settings::{GroupSource, Settings, SettingsError};

/// Everything that a decision needs besides the identity and the request.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    settings: Settings,
    /// By name.
    roles: Vec<Role>,
    memberships: Memberships,
    acls: Acls,
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
            Self::UnknownRole(name) => write!(f, "there is no role `{}`", escaped(name)),
            Self::RoleExists(name) => write!(f, "there is a role `{}` already", escaped(name)),
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

    /// A policy of these settings, roles, each of another name, and ACLs, as [`Acl::normalized`] gives them.
    pub(crate) fn from_parts(settings: Settings, mut roles: Vec<Role>, acls: Vec<Acl>) -> Self {
        sort(&mut roles, |a, b| a.name.cmp(&b.name));
        Self { settings, memberships: Memberships::new(&roles), roles, acls: Acls::new(acls) }
    }

    /// The roles, by name.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = &Role> {
        self.roles.iter()
    }

    /// One role.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.get(self.place_of(name).ok()?)
    }

    /// The ACLs, in order of their fields.
    pub fn acls(&self) -> impl ExactSizeIterator<Item = &Acl> {
        self.acls.as_slice().iter()
    }

    /// Whether this very ACL is there.
    #[must_use]
    pub fn has_acl(&self, acl: &Acl) -> bool {
        self.acls.contains(acl)
    }

    /// The names of the roles that this principal is a member of, in order.
    pub fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        self.memberships.roles_of(member)
    }

    /// The ACLs of the patterns that cover a name, by pattern, in the order of D-20; those of a pattern are in order of
    /// their fields.
    pub(crate) fn covering(&self, resource_type: ResourceType, name: &str) -> Vec<&[Acl]> {
        self.acls.covering(resource_type, name)
    }

    /// Where a role is among the roles, or where it would be.
    fn place_of(&self, name: &str) -> Result<usize, usize> {
        self.roles.binary_search_by(|role| role.name.as_str().cmp(name))
    }

    /// Applies one change; says whether anything is different now.
    ///
    /// # Errors
    /// A role that is missing or there already, or a role name or member that no policy can hold.
    pub fn apply(&mut self, change: Change) -> Result<bool, ChangeError> {
        match change {
            Change::AddAcl(acl) => Ok(self.acls.insert(acl.normalized())),
            Change::RemoveAcl(acl) => Ok(self.acls.remove(&acl.normalized())),
            Change::CreateRole(name) => {
                check_role_name(&name).map_err(ChangeError::Role)?;
                match self.place_of(&name) {
                    Ok(_) => Err(ChangeError::RoleExists(name)),
                    Err(place) => {
                        self.roles.insert(place, Role { name, members: BTreeSet::new() });
                        Ok(true)
                    }
                }
            }
            Change::AddMember { role, member } => {
                if member.kind() == PrincipalType::Role {
                    return Err(ChangeError::Role(RoleError::RoleAsMember(member.name().into())));
                }
                let added = self.members_of(&role)?.insert(member.clone());
                self.memberships.insert(member, role);
                Ok(added)
            }
            Change::RemoveMember { role, member } => {
                let removed = self.members_of(&role)?.remove(&member);
                self.memberships.remove(&member, &role);
                Ok(removed)
            }
            Change::DeleteRole { name, delete_acls } => {
                let Ok(place) = self.place_of(&name) else { return Err(ChangeError::UnknownRole(name)) };
                self.roles.remove(place);
                self.memberships.remove_all(&name);
                if delete_acls {
                    self.acls.remove_all(&Principal::role(name));
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

    fn members_of(&mut self, role: &str) -> Result<&mut BTreeSet<Principal>, ChangeError> {
        let place = self.place_of(role).ok();
        let role =
            place.and_then(|place| self.roles.get_mut(place)).ok_or_else(|| ChangeError::UnknownRole(role.into()))?;
        Ok(&mut role.members)
    }
}

/// Equal when the same settings, roles and ACLs are in it.
impl PartialEq for Policy {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings && self.roles == other.roles && self.acls().eq(other.acls())
    }
}
