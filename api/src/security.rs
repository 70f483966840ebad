//! The bodies of the Admin API's SecurityService, in the JSON of the Connect protocol
//! (specification 4.3, D-22).
//!
//! Like in proto3 JSON, names are written in lowerCamelCase and accepted in both spellings, absent
//! and null fields have their default, and unknown fields are ignored.

use gbac_engine::model::{Principal, PrincipalType, Role};
use serde::{Deserialize, Serialize};

use crate::problem::{FieldViolation, MAX_VIOLATIONS};
use crate::roles::{MemberAction, check_member_action};
use crate::wire::or_default;

/// A role by its name: the request body of GetRole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Named {
    /// The name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// A member of a role: a user or a group, by its bare name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoleMember {
    /// A user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Named>,
    /// A group of the identity provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Named>,
}

impl From<&Principal> for RoleMember {
    fn from(principal: &Principal) -> Self {
        let named = Some(Named {
            name: principal.name().into(),
        });
        match principal.kind() {
            PrincipalType::Group => Self {
                user: None,
                group: named,
            },
            PrincipalType::User | PrincipalType::Role | PrincipalType::Other => Self {
                user: named,
                group: None,
            },
        }
    }
}

impl RoleMember {
    fn principal(&self) -> Result<Principal, &'static str> {
        match (&self.user, &self.group) {
            (Some(user), None) => Ok(Principal::user(&user.name)),
            (None, Some(group)) => Ok(Principal::group(&group.name)),
            (Some(_), Some(_)) => Err("has both `user` and `group`; write one of them"),
            (None, None) => Err("Unknown role member type; write `user` or `group`"),
        }
    }
}

/// A role with its members, users first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SecurityRole {
    /// The name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// Users and groups.
    #[serde(deserialize_with = "or_default")]
    pub members: Vec<RoleMember>,
}

impl From<&Role> for SecurityRole {
    fn from(role: &Role) -> Self {
        Self {
            name: role.name.clone(),
            members: role.members.iter().map(RoleMember::from).collect(),
        }
    }
}

/// The request body of CreateRole, and the response of CreateRole, GetRole, AddRoleMembers and
/// RemoveRoleMembers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WithRole {
    /// The role.
    #[serde(deserialize_with = "or_default")]
    pub role: SecurityRole,
}

/// The response of ListRoles, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListedRoles {
    /// Every role.
    #[serde(deserialize_with = "or_default")]
    pub roles: Vec<SecurityRole>,
}

/// The request body of AddRoleMembers and RemoveRoleMembers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoleMembers {
    /// The role's name.
    #[serde(
        rename = "roleName",
        alias = "role_name",
        deserialize_with = "or_default"
    )]
    pub role_name: String,
    /// The members to add or remove.
    #[serde(deserialize_with = "or_default")]
    pub members: Vec<RoleMember>,
}

/// The request body of DeleteRole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeleteRole {
    /// The role's name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// Whether to delete the role's ACLs, too (D-18).
    #[serde(
        rename = "deleteAcls",
        alias = "delete_acls",
        deserialize_with = "or_default"
    )]
    pub delete_acls: bool,
}

/// The response of ListCurrentUserRoles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurrentUserRoles {
    /// The roles of the caller's user name, without those of its groups.
    #[serde(deserialize_with = "or_default")]
    pub roles: Vec<String>,
}

/// The response of ResolveOidcIdentity: bare names, without `User:` and `Group:`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OidcIdentity {
    /// The user's name.
    #[serde(default)]
    pub principal: String,
    /// The expiry of the token: RFC 3339 in UTC.
    #[serde(default)]
    pub expire: String,
    /// The groups of the token, in its order.
    #[serde(default)]
    pub groups: Vec<String>,
}

/// Parses the members of a request.
///
/// # Errors
/// The errors, by index, up to [`MAX_VIOLATIONS`].
pub fn principals(
    members: &[RoleMember],
    action: MemberAction,
) -> Result<Vec<Principal>, Vec<FieldViolation>> {
    let mut faults = Vec::new();
    let mut read = Vec::new();
    for (place, member) in members.iter().enumerate() {
        match read_member(member, action) {
            Ok(principal) => read.push(principal),
            Err(text) => faults.push(FieldViolation::new(format!("members[{place}]"), text)),
        }
        if faults.len() == MAX_VIOLATIONS {
            break;
        }
    }
    if faults.is_empty() {
        Ok(read)
    } else {
        Err(faults)
    }
}

fn read_member(member: &RoleMember, action: MemberAction) -> Result<Principal, String> {
    let principal = member.principal()?;
    check_member_action(&principal, action)?;
    Ok(principal)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_spellings_and_defaults_are_read() {
        let read = |value| serde_json::from_value::<RoleMembers>(value).unwrap();
        let members = vec![RoleMember::from(&Principal::group("eng"))];
        let same = RoleMembers {
            role_name: "r".into(),
            members,
        };
        assert_eq!(
            read(json!({ "roleName": "r", "members": [{ "group": { "name": "eng" } }], "new": 1 })),
            same
        );
        assert_eq!(
            read(
                json!({ "role_name": "r", "members": [{ "user": null, "group": { "name": "eng" } }] })
            ),
            same
        );
        assert_eq!(
            read(json!({ "roleName": null, "members": null })),
            RoleMembers::default()
        );
        assert_eq!(
            serde_json::to_value(&same).unwrap(),
            json!({ "roleName": "r", "members": [{ "group": { "name": "eng" } }] })
        );
        let delete = |value| {
            serde_json::from_value::<DeleteRole>(value)
                .unwrap()
                .delete_acls
        };
        assert!(
            delete(json!({ "deleteAcls": true }))
                && delete(json!({ "delete_acls": true }))
                && !delete(json!({}))
        );
        assert_eq!(
            serde_json::from_value::<WithRole>(json!({ "role": null })).unwrap(),
            WithRole::default()
        );
    }

    #[test]
    fn a_request_with_many_errors_is_refused_early() {
        let empty = vec![RoleMember::default(); 10 * MAX_VIOLATIONS];
        assert_eq!(
            principals(&empty, MemberAction::Add).unwrap_err().len(),
            MAX_VIOLATIONS
        );
    }

    #[test]
    fn members_are_one_of_two() {
        let member = |value| serde_json::from_value::<RoleMember>(value).unwrap();
        let members = [
            json!({ "user": { "name": "a" } }),
            json!({ "user": { "name": "a" }, "group": { "name": "b" } }),
            json!({}),
            json!({ "group": {} }),
            json!({ "group": { "name": "a\nb" } }),
            json!({ "group": { "name": "*" } }),
        ]
        .map(member);
        let places = |action| -> Vec<String> {
            let faults = principals(&members, action).unwrap_err();
            faults.into_iter().map(|fault| fault.field).collect()
        };
        assert_eq!(
            places(MemberAction::Add),
            [
                "members[1]",
                "members[2]",
                "members[3]",
                "members[4]",
                "members[5]"
            ]
        );
        assert_eq!(
            places(MemberAction::Remove),
            ["members[1]", "members[2]", "members[3]"],
            "what is loaded can leave"
        );
    }
}
