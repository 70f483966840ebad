//! Roles: a name and members. The permissions of a role are the ACLs of `Role:<name>`
//! (specification 2.5, D-28).

use std::collections::BTreeSet;
use std::fmt;

use super::{Principal, PrincipalError, PrincipalType};
use crate::escape::{escaped, visible_character};

/// The maximum length of a role name, in characters (D-28).
pub const MAX_ROLE_NAME_CHARS: usize = 128;

/// A role. Its ACLs are ordinary ACLs of the principal `Role:<name>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The name.
    pub name: String,
    /// The members: users and groups, sorted by type and name.
    pub members: BTreeSet<Principal>,
}

/// Why a role or a member is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleError {
    /// The name is empty.
    EmptyName,
    /// The name is longer than [`MAX_ROLE_NAME_CHARS`].
    NameTooLong,
    /// The name contains `,`, `=` or a control character.
    NameCharacter(char),
    /// The member is a role.
    RoleAsMember(String),
    /// The member is `User:*`, but roles require named members.
    EveryoneAsMember,
    /// The member's name is refused.
    Member(PrincipalError),
}

codes! {
    pub RoleError {
        Self::EmptyName => "role_name_empty",
        Self::NameTooLong => "role_name_too_long",
        Self::NameCharacter(_) => "role_name_character",
        Self::RoleAsMember(_) => "member_is_role",
        Self::EveryoneAsMember => "member_is_everyone",
    } of {
        Self::Member(error) => error: PrincipalError,
    }
}

impl RoleError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::EmptyName => "name the role, for example `analytics-writer`".into(),
            Self::NameTooLong => format!("at most {MAX_ROLE_NAME_CHARS} characters"),
            Self::NameCharacter(_) => {
                "role names can't contain commas, `=` or control characters".into()
            }
            Self::RoleAsMember(_) => {
                "roles cannot contain roles; add the users and groups directly".into()
            }
            Self::EveryoneAsMember => "grant the ACL to `User:*` instead".into(),
            Self::Member(error) => error.hint(),
        }
    }
}

impl fmt::Display for RoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyName => f.write_str("the role name is empty"),
            Self::NameTooLong => write!(
                f,
                "the role name is longer than {MAX_ROLE_NAME_CHARS} characters"
            ),
            Self::NameCharacter(c) => {
                write!(f, "the role name contains `{}`", visible_character(*c))
            }
            Self::RoleAsMember(name) => {
                write!(f, "`Role:{}` cannot be a member of a role", escaped(name))
            }
            Self::EveryoneAsMember => f.write_str("`User:*` cannot be a member of a role"),
            Self::Member(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RoleError {}

/// Checks the name of a role that is created or loaded (D-28).
///
/// # Errors
/// The name is empty or too long, or contains `,`, `=` or a control character.
///
/// ```
/// use gbac_engine::model::check_role_name;
/// assert!(check_role_name("orders-writer").is_ok());
/// let error = check_role_name("orders,writer").unwrap_err();
/// assert_eq!(error.code(), "role_name_character");
/// ```
pub fn check_role_name(name: &str) -> Result<(), RoleError> {
    if name.is_empty() {
        return Err(RoleError::EmptyName);
    }
    if name.chars().count() > MAX_ROLE_NAME_CHARS {
        return Err(RoleError::NameTooLong);
    }
    match name
        .chars()
        .find(|c| matches!(c, ',' | '=') || c.is_control())
    {
        Some(c) => Err(RoleError::NameCharacter(c)),
        None => Ok(()),
    }
}

/// A warning if the platform does not accept this role name (D-28).
#[must_use]
pub fn role_name_warning(name: &str) -> Option<&'static str> {
    (!name.is_ascii()).then_some("brokers managed with rpk accept only ASCII role names")
}

/// Checks that a principal can be a member of a role.
///
/// # Errors
/// The principal is a role or `User:*`, or is refused by [`Principal::check_create`].
pub fn check_member(member: &Principal) -> Result<(), RoleError> {
    if member.kind() == PrincipalType::Role {
        return Err(RoleError::RoleAsMember(member.name().into()));
    }
    if member.is_everyone() {
        return Err(RoleError::EveryoneAsMember);
    }
    member.check_create().map_err(RoleError::Member)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_names_have_a_small_grammar() {
        let code = |name: &str| check_role_name(name).map_err(|e| e.code());
        assert_eq!(code("a b+c/ü:*"), Ok(()));
        assert_eq!(code(&"é".repeat(128)), Ok(()));
        assert_eq!(code(&"é".repeat(129)), Err("role_name_too_long"));
        assert_eq!(code(""), Err("role_name_empty"));
        assert_eq!(code("a,b"), Err("role_name_character"));
        assert_eq!(code("a=b"), Err("role_name_character"));
        assert_eq!(code("a\tb"), Err("role_name_character"));
    }

    #[test]
    fn members_are_users_and_groups() {
        let code =
            |text: &str| check_member(&Principal::parse(text).unwrap()).map_err(|e| e.code());
        assert_eq!(code("Group:/a/b"), Ok(()));
        assert_eq!(code("Role:x"), Err("member_is_role"));
        assert_eq!(code("User:*"), Err("member_is_everyone"));
        assert_eq!(code("Group:*"), Err("principal_wildcard"));
    }
}
