//! The bodies of the Admin API v1: roles and their members, the caller's own identity, brokers and
//! enterprise features.

use gbac_engine::model::{Principal, PrincipalType};
use serde::{Deserialize, Serialize};

use crate::encode::first_value;
use crate::problem::AdminCode;
use crate::roles::{MemberAction, Membership, check_member_action, first_of_both};

/// The type of the only principals that this version of the API adds and removes.
const USER: &str = "User";

/// The request and response of POST for a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleBody {
    /// The name.
    pub role: String,
}

/// A role in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRole {
    /// The name.
    pub name: String,
}

/// The response of GET for roles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleList {
    /// The roles, by name.
    pub roles: Vec<NamedRole>,
}

/// A member of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminMember {
    /// The bare name.
    pub name: String,
    /// `User`; in responses also `Group`.
    pub principal_type: String,
}

impl From<&Principal> for AdminMember {
    fn from(principal: &Principal) -> Self {
        let principal_type = match principal.kind() {
            PrincipalType::Group => "Group",
            PrincipalType::User | PrincipalType::Role | PrincipalType::Other => USER,
        };
        Self {
            name: principal.name().to_owned(),
            principal_type: principal_type.to_owned(),
        }
    }
}

/// The response of GET for one role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleWithMembers {
    /// The name.
    pub name: String,
    /// Its members, users first.
    pub members: Vec<AdminMember>,
}

/// The response of GET for the members of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberList {
    /// The members, users first.
    pub members: Vec<AdminMember>,
}

/// The request body of POST for the members of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemberChanges {
    /// The members to add.
    pub add: Vec<AdminMember>,
    /// The members to remove.
    pub remove: Vec<AdminMember>,
}

impl MemberChanges {
    /// Parses the members.
    ///
    /// # Errors
    /// The first error, with the code that the platform has for it.
    pub fn members(&self) -> Result<Membership, (AdminCode, String)> {
        let add = read_users(&self.add, "add", MemberAction::Add)?;
        let remove = read_users(&self.remove, "remove", MemberAction::Remove)?;
        if first_of_both(&add, &remove).is_some() {
            return Err((AdminCode::MemberConflict, String::new()));
        }
        Ok(Membership { add, remove })
    }
}

fn read_users(
    list: &[AdminMember],
    field: &str,
    action: MemberAction,
) -> Result<Vec<Principal>, (AdminCode, String)> {
    let mut users = Vec::new();
    for (place, member) in list.iter().enumerate() {
        check_user(&member.principal_type)?;
        let user = Principal::user(&member.name);
        if let Err(error) = check_member_action(&user, action) {
            let detail = format!("{field}[{place}].name: {error}");
            return Err((AdminCode::MalformedRequest, detail));
        }
        users.push(user);
    }
    Ok(users)
}

/// Checks that a principal type is that of users.
///
/// # Errors
/// It is another one, which this version of the API does not have.
pub fn check_user(principal_type: &str) -> Result<(), (AdminCode, String)> {
    if principal_type == USER {
        return Ok(());
    }
    let detail = format!("Role membership reserved for user principals, got {{{principal_type}}}");
    Err((AdminCode::MalformedRequest, detail))
}

/// The query of roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdminRoleQuery {
    /// The beginning of the name.
    pub name_prefix: String,
    /// A user who is a member.
    pub member: Option<Principal>,
}

impl AdminRoleQuery {
    /// Parses the query of GET.
    ///
    /// # Errors
    /// The principal is not a user.
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, (AdminCode, String)> {
        check_user(first_value(pairs, "principal_type").unwrap_or(USER))?;
        let member = match first_value(pairs, "principal") {
            None | Some("") => None,
            Some(name) => Some(Principal::user(name)),
        };
        Ok(Self {
            name_prefix: first_value(pairs, "filter").unwrap_or_default().to_owned(),
            member,
        })
    }
}

/// The response to POST for the members of a role: the actual changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedMembers {
    /// The role's name.
    pub role: String,
    /// The added members.
    pub added: Vec<AdminMember>,
    /// The removed members.
    pub removed: Vec<AdminMember>,
    /// Whether the role was created.
    pub created: bool,
}

/// The caller of a request with a token.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WhoAmI {
    /// The user's name, without a type.
    pub id: String,
    /// When the token expires, in seconds since 1970.
    pub expire: u64,
}

/// A node of the cluster. The service is the only one, and no broker: it has no Kafka API, no disks
/// and no partitions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broker {
    /// The node's number.
    pub node_id: u64,
    /// The number of processor cores.
    pub num_cores: u64,
    /// `active`.
    pub membership_status: String,
    /// Whether it runs.
    pub is_alive: bool,
    /// The name and version of the program.
    pub version: String,
}

/// The license that is in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureLicense {
    /// Whether there is a license, which may have expired.
    pub loaded: bool,
    /// The license.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<LicenseDetails>,
}

/// A license.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseDetails {
    /// The version of its format.
    pub format_version: u64,
    /// Whom it is for.
    pub org: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
    /// The checksum of its file.
    pub sha256: String,
}

/// The enterprise features, and whether the license permits those that are in use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnterpriseFeatures {
    /// `valid`, `expired` or `not_present`.
    pub license_status: String,
    /// Whether a feature is in use without a valid license.
    pub violation: bool,
    /// The features.
    pub features: Vec<EnterpriseFeature>,
}

/// A feature that requires a license.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnterpriseFeature {
    /// The name.
    pub name: String,
    /// Whether it is in use.
    pub enabled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, principal_type: &str) -> AdminMember {
        AdminMember {
            name: name.into(),
            principal_type: principal_type.into(),
        }
    }

    #[test]
    fn only_users_are_members() {
        let changes = |add: &[AdminMember], remove: &[AdminMember]| MemberChanges {
            add: add.into(),
            remove: remove.into(),
        };
        let read = changes(&[member("a", "User")], &[member("*", "User")])
            .members()
            .unwrap();
        assert_eq!(
            read,
            Membership {
                add: vec![Principal::user("a")],
                remove: vec![Principal::user("*")]
            }
        );
        let refused = |changes: MemberChanges| {
            let (code, detail) = changes.members().unwrap_err();
            code.message(&detail)
        };
        let group = "Malformed request: Role membership reserved for user principals, got {Group}";
        assert_eq!(refused(changes(&[], &[member("a", "Group")])), group);
        assert!(refused(changes(&[member("a", "")], &[])).ends_with("got {}"));
        assert!(
            refused(changes(&[member("a\n", "User")], &[]))
                .starts_with("Malformed request: add[0].name: ")
        );
        let both = changes(&[member("a", "User")], &[member("a", "User")]);
        assert_eq!(refused(both), "Conflict between 'add' and 'remove' lists");
    }

    #[test]
    fn a_query_is_about_users() {
        let read =
            |query: &str| AdminRoleQuery::from_query(&crate::encode::parse_query(query).unwrap());
        assert_eq!(read("").unwrap(), AdminRoleQuery::default());
        let query = AdminRoleQuery {
            name_prefix: "re".into(),
            member: Some(Principal::user("Group:x")),
        };
        assert_eq!(
            read("filter=re&principal=Group%3Ax&principal_type=User&new=1").unwrap(),
            query
        );
        assert_eq!(
            read("principal=x&principal_type=Group").unwrap_err().0,
            AdminCode::MalformedRequest
        );
    }
}
