//! `/gbac/v1/policy/changes`: a list of policy changes, all or none, and the effect of each.

use gbac_engine::model::{DialectError, RoleError, check_member, check_role_name};
use gbac_engine::policy::{Change, ChangeError};
use gbac_json::{ChangeJson, ChangeList, changes_from_json};
use serde::{Deserialize, Serialize};

use crate::problem::DocumentFault;
use crate::reason::ChangeReason;
use crate::roles::{MemberAction, check_member_action};
use crate::service::ClusterIdentity;
use crate::warning::ChangeWarning;

/// The request body of POST.
///
/// ```
/// use gbac_api::changes::{PolicyChanges, read};
/// use gbac_engine::policy::Change;
///
/// let changes = [Change::CreateRole("readers".into())];
/// let body = serde_json::to_string(&PolicyChanges::from_changes(&changes)).unwrap();
/// assert_eq!(body, r#"{"changes":[{"change":"create_role","role":"readers"}]}"#);
/// assert_eq!(read(&body).unwrap().changes, changes);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyChanges {
    /// The changes, in order.
    pub changes: Vec<ChangeJson>,
}

impl PolicyChanges {
    /// Creates the body of these changes.
    pub fn from_changes<'c>(changes: impl IntoIterator<Item = &'c Change>) -> Self {
        Self {
            changes: changes.into_iter().map(ChangeJson::from).collect(),
        }
    }
}

/// The effect of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeEffect {
    /// It changed the policy.
    Changed,
    /// The policy already had it (D-17).
    Unchanged,
}

/// The response body of POST.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedChanges {
    /// The entity tag of the changed policy for the next `If-Match`, as in the header `ETag`.
    pub etag: String,
    /// The effect of each change, in order.
    pub effects: Vec<ChangeEffect>,
    /// Warnings about the names that the changes add.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<ChangeWarning>,
    /// As whom the changes of ACLs were sent, if the ACLs live in a Kafka cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_as: Option<ClusterIdentity>,
}

/// The changes of a request, and why they are made.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedChanges {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The member `reason`.
    pub reason: Option<ChangeReason>,
}

/// Parses the request body of POST; names that cannot be created are refused (D-27).
///
/// # Errors
/// All problems at once.
pub fn read(text: &str) -> Result<RequestedChanges, Vec<DocumentFault>> {
    let ChangeList { changes, reason } = match changes_from_json(text) {
        Ok(list) => list,
        Err(problems) => return Err(problems.0.iter().map(DocumentFault::from).collect()),
    };
    let mut faults = Vec::new();
    for (place, change) in changes.iter().enumerate() {
        faults.extend(creation_faults(place, change));
    }
    let reason = match reason.as_deref().map(ChangeReason::parse).transpose() {
        Ok(reason) => reason,
        Err(error) => {
            faults.push(DocumentFault {
                path: "/reason".to_owned(),
                code: error.code().to_owned(),
                message: error.to_string(),
            });
            None
        }
    };
    if faults.is_empty() {
        Ok(RequestedChanges { changes, reason })
    } else {
        Err(faults)
    }
}

/// The errors of names that a change adds (D-05, D-07, D-28, D-33, D-37).
fn creation_faults(place: usize, change: &Change) -> Vec<DocumentFault> {
    match change {
        Change::AddAcl(acl) => {
            let mut faults = Vec::new();
            for error in acl.clone().normalized().check_create() {
                let member = format!("acl/{}", error.field().name());
                let message = format!("{error}; {}", error.hint());
                faults.push(creation_fault(place, &member, error.code(), message));
            }
            faults
        }
        Change::CreateRole(name) => role_faults(place, "role", check_role_name(name)),
        Change::AddMember { member, .. } => role_faults(place, "principal", check_member(member)),
        Change::RemoveMember { member, .. } => {
            match check_member_action(member, MemberAction::Remove) {
                Ok(()) => Vec::new(),
                Err(message) => {
                    let code = "principal_name_empty";
                    vec![creation_fault(place, "principal", code, message)]
                }
            }
        }
        Change::RemoveAcl(_) | Change::DeleteRole { .. } | Change::Settings(_) => Vec::new(),
    }
}

fn role_faults(place: usize, member: &str, checked: Result<(), RoleError>) -> Vec<DocumentFault> {
    match checked {
        Ok(()) => Vec::new(),
        Err(error) => {
            let message = format!("{error}; {}", error.hint());
            vec![creation_fault(place, member, error.code(), message)]
        }
    }
}

fn creation_fault(place: usize, member: &str, code: &str, message: String) -> DocumentFault {
    DocumentFault {
        path: format!("/changes/{place}/{member}"),
        code: code.to_owned(),
        message,
    }
}

/// The error of a change that cannot be applied to the current policy.
#[must_use]
pub fn refusal(place: usize, error: &ChangeError) -> DocumentFault {
    let member = match error {
        ChangeError::Dialect(DialectError::ResourceType(_)) => "acl/resource_type",
        ChangeError::Dialect(DialectError::Operation(_)) => "acl/operation",
        ChangeError::Dialect(DialectError::Host(_)) => "acl/host",
        ChangeError::Dialect(_) => "acl/principal",
        ChangeError::Role(
            RoleError::RoleAsMember(_) | RoleError::EveryoneAsMember | RoleError::Member(_),
        ) => "principal",
        ChangeError::UnknownRole(_) | ChangeError::RoleExists(_) | ChangeError::Role(_) => "role",
    };
    DocumentFault {
        path: format!("/changes/{place}/{member}"),
        code: error.code().into(),
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cannot_be_created_are_refused_with_their_path() {
        let acl = |name: &str, principal: &str| {
            serde_json::json!({ "change": "add_acl", "acl": {
                "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
                "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" } })
        };
        let body = serde_json::json!({ "changes": [
            acl("orders", "Group:eng"), acl("data-*", "Group:*"),
            { "change": "create_role", "role": "a,b" },
            { "change": "add_member", "role": "r", "principal": "User:*" },
            { "change": "remove_member", "role": "r", "principal": "Group:*" },
        ] });
        let faults = read(&body.to_string()).unwrap_err();
        let places: Vec<(&str, &str)> = faults
            .iter()
            .map(|fault| (fault.path.as_str(), fault.code.as_str()))
            .collect();
        assert_eq!(
            places,
            [
                ("/changes/1/acl/principal", "principal_wildcard"),
                ("/changes/1/acl/resource_name", "topic_name"),
                ("/changes/2/role", "role_name_character"),
                ("/changes/3/principal", "member_is_everyone"),
            ]
        );
        let faults = read(r#"{ "changes": [], "reason": "two\nlines" }"#).unwrap_err();
        assert_eq!(
            (faults[0].path.as_str(), faults[0].code.as_str()),
            ("/reason", "reason_invalid")
        );
    }

    #[test]
    fn only_changes_of_a_policy_are_read() {
        let problems = |body: &str| -> Vec<(String, String)> {
            read(body)
                .unwrap_err()
                .into_iter()
                .map(|fault| (fault.path, fault.code))
                .collect()
        };
        let pair = |path: &str, code: &str| (path.to_owned(), code.to_owned());
        assert_eq!(problems("[]"), [pair("", "wrong_type")]);
        assert_eq!(problems("{}"), [pair("", "missing_member")]);
        assert_eq!(
            problems(r#"{"changes":{}}"#),
            [pair("/changes", "wrong_type")]
        );
        let several = r#"{"changes":[{"change":"add_to_group","group":"x"},{"change":"fly"},{"change":"remove_from_group","group":"x"},7],"more":1}"#;
        assert_eq!(
            problems(several),
            [
                pair("/more", "unknown_member"),
                pair("/changes/0/change", "unknown_value"),
                pair("/changes/1/change", "unknown_value"),
                pair("/changes/2/change", "unknown_value"),
                pair("/changes/3", "wrong_type"),
            ]
        );
    }
}
