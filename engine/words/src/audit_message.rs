//! What the message of a change in the audit log says that its user did.

use gbac_analysis::audit::Modification;
use gbac_engine::escape::visible;
use gbac_engine::model::Principal;
use serde_json::Value;

/// A change as text, without its user.
///
/// ```
/// use gbac_analysis::audit::Modification;
/// use gbac_words::audit_message::action;
/// assert_eq!(action(&Modification::SuperuserAdded("alice")), "made alice a superuser");
/// ```
pub fn action(modification: &Modification<'_>) -> String {
    match modification {
        Modification::AclAdded(acl) => format!("added an ACL: {acl}"),
        Modification::AclRemoved(acl) => format!("removed an ACL: {acl}"),
        Modification::RoleCreated(name) => format!("created the role {}", visible(name)),
        Modification::RoleDeleted { name, acls, .. } => {
            let role = visible(name);
            match acls.len() {
                0 => format!("deleted the role {role}"),
                1 => format!("deleted the role {role} and its ACL"),
                count => format!("deleted the role {role} and its {count} ACLs"),
            }
        }
        Modification::MemberAdded { role, member } => {
            format!("added {} to the role {}", principal(member), visible(role))
        }
        Modification::MemberRemoved { role, member } => {
            format!(
                "removed {} from the role {}",
                principal(member),
                visible(role)
            )
        }
        Modification::SuperuserAdded(name) => format!("made {} a superuser", visible(name)),
        Modification::SuperuserRemoved(name) => {
            format!("removed {} from the superusers", visible(name))
        }
        Modification::AccessGranted { level, grantee } => {
            format!("granted the access {level} to {}", principal(grantee))
        }
        Modification::AccessRevoked { level, grantee } => {
            format!("revoked the access {level} of {}", principal(grantee))
        }
        Modification::AccountCreated(name) => {
            format!("created the local account {}", visible(name))
        }
        Modification::AccountDeleted(name) => {
            format!("deleted the local account {}", visible(name))
        }
        Modification::PasswordReset(name) => {
            format!(
                "set another password for the local account {}",
                visible(name)
            )
        }
        Modification::Started { .. } => "started".to_owned(),
        Modification::Stopped => "stopped".to_owned(),
        Modification::ValueSet {
            kind: "setting",
            name: "audit_enabled",
            after: Value::Bool(true),
            ..
        } => "turned the audit log on".to_owned(),
        Modification::ValueSet {
            kind: "setting",
            name: "audit_enabled",
            ..
        } => "turned the audit log off".to_owned(),
        Modification::ValueSet {
            kind: "test",
            name,
            before,
            ..
        } => {
            let verb = if before.is_null() {
                "stored"
            } else {
                "deleted"
            };
            format!("{verb} the test {}", visible(name))
        }
        Modification::ValueSet { kind: "tests", .. } => {
            "put the stored tests in another order".to_owned()
        }
        Modification::ValueSet {
            name,
            before,
            after,
            ..
        } => format!(
            "set {} from {} to {}",
            visible(name),
            value(before),
            value(after)
        ),
        Modification::LogResumed { refused, .. } => {
            format!("writes the audit log again; requests refused in between: {refused}")
        }
        Modification::LogFileDeleted { name, .. } => {
            format!("deleted the oldest audit file {}", visible(name))
        }
        Modification::Several {
            changes,
            first,
            total,
        } => format!(
            "changed the policy: changes {} to {} of {total}",
            first + 1,
            first + changes.len()
        ),
    }
}

fn principal(principal: &Principal) -> String {
    visible(&principal.to_string())
}

fn value(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "nothing".to_owned(),
        Value::String(text) => visible(text),
        other => visible(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, ResourceType};
    use serde_json::json;

    use super::*;

    #[test]
    fn every_change_is_said_with_its_values() {
        let acl = Acl {
            resource_type: ResourceType::Topic,
            resource_name: "sales".into(),
            pattern_type: PatternType::Literal,
            principal: Principal::group("/sales"),
            host: Host::Any,
            operation: Operation::All,
            permission: Permission::Allow,
        };
        let group = Principal::group("e\u{202e}ng");
        let (path, other, on, off) = (json!("$.groups"), json!(""), json!(true), json!(false));
        let changes = [json!({}), json!({})];
        let two = [acl.clone(), acl.clone()];
        let said = [
            (
                Modification::AclAdded(&acl),
                "added an ACL: Allow All, topic sales literal, of Group:/sales",
            ),
            (
                Modification::AclRemoved(&acl),
                "removed an ACL: Allow All, topic sales literal, of Group:/sales",
            ),
            (Modification::RoleCreated("R"), "created the role R"),
            (deleted(&[]), "deleted the role R"),
            (
                deleted(std::slice::from_ref(&acl)),
                "deleted the role R and its ACL",
            ),
            (deleted(&two), "deleted the role R and its 2 ACLs"),
            (
                Modification::MemberAdded {
                    role: "R",
                    member: &group,
                },
                "added Group:e\\u{202e}ng to the role R",
            ),
            (
                Modification::MemberRemoved {
                    role: "R",
                    member: &group,
                },
                "removed Group:e\\u{202e}ng from the role R",
            ),
            (
                Modification::AccessGranted {
                    level: "read_only",
                    grantee: &group,
                },
                "granted the access read_only to Group:e\\u{202e}ng",
            ),
            (
                Modification::PasswordReset("admin"),
                "set another password for the local account admin",
            ),
            (
                set("oidc_group_claim_path", &path, &other),
                "set oidc_group_claim_path from $.groups to nothing",
            ),
            (
                Modification::ValueSet {
                    kind: "test",
                    name: "maya may read",
                    before: &Value::Null,
                    after: &on,
                },
                "stored the test maya may read",
            ),
            (set("audit_enabled", &off, &on), "turned the audit log on"),
            (set("audit_enabled", &on, &off), "turned the audit log off"),
            (
                Modification::Several {
                    changes: &changes,
                    first: 100,
                    total: 102,
                },
                "changed the policy: changes 101 to 102 of 102",
            ),
        ];
        for (modification, expected) in said {
            assert_eq!(action(&modification), expected);
        }
    }

    fn deleted(acls: &[Acl]) -> Modification<'_> {
        Modification::RoleDeleted {
            name: "R",
            members: &[],
            acls,
        }
    }

    fn set<'a>(name: &'a str, before: &'a Value, after: &'a Value) -> Modification<'a> {
        Modification::ValueSet {
            kind: "setting",
            name,
            before,
            after,
        }
    }
}
