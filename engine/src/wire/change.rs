//! Changes of a policy: one JSON object each, whose member `change` says what is done.

use serde_json::Value;

use super::acl;
use super::document;
use super::reader::{self, Fields, Place, Problems};
use crate::policy::Change;
use crate::text::escaped;

/// Reads one change of a policy: `add_acl` and `remove_acl` of an `acl`, `create_role`, `delete_role` and
/// `delete_role_and_acls` of a `role`, `add_member` and `remove_member` of a `role` and a `principal`, `settings`.
///
/// What a document may hold may be added (D-27); the names and members of roles are looked at when the change is made.
///
/// # Errors
/// Every problem at once.
///
/// ```
/// use gbac_engine::policy::Policy;
/// use gbac_engine::wire::change_from_json;
/// let mut policy = Policy::default();
/// assert!(policy.apply(change_from_json(r#"{ "change": "create_role", "role": "readers" }"#)?)?);
/// assert!(policy.has_role("readers"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn change_from_json(text: &str) -> Result<Change, Problems> {
    let value = reader::parse(text)?;
    let mut problems = Problems::default();
    let change = read(&value, &mut problems);
    problems.or(change)
}

fn read(value: &Value, problems: &mut Problems) -> Option<Change> {
    let at = &Place::Root;
    let mut fields = Fields::of(value, at, problems)?;
    let kind = fields.string("change", at, problems)?;
    let change = match kind {
        "add_acl" | "remove_acl" => fields
            .required("acl", at, problems)
            .and_then(|value| acl::read(value, &Place::Member(at, "acl"), problems))
            .map(if kind == "add_acl" { Change::AddAcl } else { Change::RemoveAcl }),
        "settings" => fields
            .required("settings", at, problems)
            .and_then(|value| document::read_settings(value, &Place::Member(at, "settings"), problems))
            .map(|settings| Change::Settings(Box::new(settings))),
        "create_role" | "delete_role" | "delete_role_and_acls" | "add_member" | "remove_member" => {
            read_of_role(kind, &mut fields, at, problems)
        }
        other => {
            let message = format!("`{}` is no change; such as `add_acl` or `create_role` is", escaped(other));
            problems.push(&Place::Member(at, "change"), "unknown_value", message);
            return None;
        }
    };
    fields.finish(at, problems);
    change
}

fn read_of_role(kind: &str, fields: &mut Fields<'_>, at: &Place<'_>, problems: &mut Problems) -> Option<Change> {
    let role = fields.string("role", at, problems).map(str::to_owned);
    Some(match kind {
        "create_role" => Change::CreateRole(role?),
        "delete_role" => Change::DeleteRole { name: role?, delete_acls: false },
        "delete_role_and_acls" => Change::DeleteRole { name: role?, delete_acls: true },
        _ => {
            let principal = fields.string("principal", at, problems)?;
            let member = acl::principal(principal, &Place::Member(at, "principal"), problems)?;
            let role = role?;
            match kind {
                "add_member" => Change::AddMember { role, member },
                _ => Change::RemoveMember { role, member },
            }
        }
    })
}
