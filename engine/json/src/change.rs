//! Reads changes of a policy: JSON objects with a member `change`.

use serde_json::Value;

use super::acl;
use super::check;
use super::document;
use super::reader::{self, Fields, Place, Problems};
use super::tables::ProblemCode;
use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_engine::escape::escaped;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Change;

/// The kinds of changes of a policy: the values of `change`.
///
/// ```
/// use gbac_json::{POLICY_CHANGES, ProblemCode, change_from_json};
/// for kind in POLICY_CHANGES {
///     let problems = change_from_json(&format!(r#"{{ "change": "{kind}" }}"#)).unwrap_err();
///     assert!(problems.0.iter().all(|problem| problem.code == ProblemCode::MissingMember), "{kind}: {problems:?}");
/// }
/// ```
pub const POLICY_CHANGES: [&str; 8] = [
    "add_acl",
    "remove_acl",
    "create_role",
    "delete_role",
    "delete_role_and_acls",
    "add_member",
    "remove_member",
    "settings",
];

/// The kinds of changes that are made in the identity provider.
pub const PROVIDER_CHANGES: [&str; 2] = ["add_to_group", "remove_from_group"];

/// Reads one change of a policy: `add_acl` and `remove_acl` of an `acl`, `create_role`,
/// `delete_role` and `delete_role_and_acls` of a `role`, `add_member` and `remove_member` of a
/// `role` and a `principal`, `settings`.
///
/// ACLs are accepted as in policy documents (D-27). The names and members of roles are checked when
/// the change is applied.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_engine::policy::Policy;
/// use gbac_json::change_from_json;
/// let mut policy = Policy::default();
/// assert!(policy.apply(change_from_json(r#"{ "change": "create_role", "role": "readers" }"#)?)?);
/// assert!(policy.has_role("readers"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn change_from_json(text: &str) -> Result<Change, Problems> {
    let value = reader::parse(text)?;
    let mut problems = Problems::default();
    let change = read(&value, &Place::Root, &mut problems);
    problems.or(change)
}

/// Changes of a policy, and why they are made.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeList {
    /// The changes, in order.
    pub changes: Vec<Change>,
    /// The reason as it was written; none if there is none.
    pub reason: Option<String>,
}

/// Reads a list of policy changes: an object whose member `changes` is an array, and that can have
/// a `reason`.
///
/// # Errors
/// All problems at once. `add_to_group` and `remove_from_group` are not policy changes.
///
/// ```
/// use gbac_json::changes_from_json;
/// let list = changes_from_json(r#"{ "changes": [{ "change": "create_role", "role": "readers" }], "reason": "OPS-7" }"#)?;
/// assert_eq!((list.changes.len(), list.reason.as_deref()), (1, Some("OPS-7")));
/// let problems = changes_from_json(r#"{ "changes": [{ "change": "add_to_group", "group": "eng" }] }"#).unwrap_err();
/// assert_eq!(problems.0[0].path, "/changes/0/change");
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn changes_from_json(text: &str) -> Result<ChangeList, Problems> {
    let value = reader::parse(text)?;
    let mut problems = Problems::default();
    let changes = read_list(&value, &mut problems);
    problems.or(changes)
}

fn read_list(value: &Value, problems: &mut Problems) -> Option<ChangeList> {
    let mut fields = Fields::from_value(value, &Place::Root, problems)?;
    let list = fields.required("changes", &Place::Root, problems);
    let reason = fields.optional_string("reason", &Place::Root, problems);
    fields.finish(&Place::Root, problems);
    let at = Place::Member(&Place::Root, "changes");
    match list? {
        Value::Array(changes) => {
            let read = |(index, change)| read(change, &Place::Element(&at, index), problems);
            // Reads all changes before stopping, to report all problems.
            let changes: Vec<Option<Change>> = changes.iter().enumerate().map(read).collect();
            Some(ChangeList {
                changes: changes.into_iter().collect::<Option<_>>()?,
                reason: reason.map(str::to_owned),
            })
        }
        other => {
            problems.expected(&at, "an array of changes", other);
            None
        }
    }
}

/// Reads hypothetical changes: an array of policy changes and of `add_to_group` and `remove_from_group`,
/// which have a `group` with the bare name of a group that the user would join or leave in the
/// identity provider.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_json::hypothetical_changes_from_json;
/// let changes = hypothetical_changes_from_json(r#"[{ "change": "add_to_group", "group": "eng" }, { "change": "create_role", "role": "readers" }]"#)?;
/// assert_eq!((changes.as_slice().len(), changes.changes().count()), (2, 1));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn hypothetical_changes_from_json(text: &str) -> Result<HypotheticalChanges, Problems> {
    hypothetical_changes_from_value(&reader::parse(text)?)
}

/// Reads hypothetical changes from a JSON value.
///
/// # Errors
/// All problems at once.
pub fn hypothetical_changes_from_value(value: &Value) -> Result<HypotheticalChanges, Problems> {
    let mut problems = Problems::default();
    let Value::Array(changes) = value else {
        problems.expected(&Place::Root, "an array of changes", value);
        return Err(problems);
    };
    let mut hypothetical = HypotheticalChanges::default();
    for (index, value) in changes.iter().enumerate() {
        hypothetical.extend(read_hypothetical(
            value,
            &Place::Element(&Place::Root, index),
            &mut problems,
        ));
    }
    problems.or(Some(hypothetical))
}

fn read_hypothetical(
    value: &Value,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<HypotheticalChange> {
    let kind = value.get("change").and_then(Value::as_str);
    let Some(kind @ ("add_to_group" | "remove_from_group")) = kind else {
        return read(value, at, problems).map(HypotheticalChange::Policy);
    };
    let mut fields = Fields::from_value(value, at, problems)?;
    fields.optional("change");
    let group = fields.string("group", at, problems).map(str::to_owned);
    fields.finish(at, problems);
    let group = group?;
    if group.is_empty() {
        problems.push(
            &Place::Member(at, "group"),
            ProblemCode::EmptyName,
            "the name of the group is empty",
        );
        return None;
    }
    check::bare(
        PrincipalType::Group,
        &group,
        &Place::Member(at, "group"),
        problems,
    );
    Some(if kind == "add_to_group" {
        HypotheticalChange::Join(group)
    } else {
        HypotheticalChange::Leave(group)
    })
}

fn read(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<Change> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let kind = fields.string("change", at, problems)?;
    let change = match kind {
        "add_acl" | "remove_acl" => fields
            .required("acl", at, problems)
            .and_then(|value| acl::read(value, None, &Place::Member(at, "acl"), problems))
            .map(if kind == "add_acl" {
                Change::AddAcl
            } else {
                Change::RemoveAcl
            }),
        "settings" => fields
            .required("settings", at, problems)
            .and_then(|value| {
                document::read_settings(value, &Place::Member(at, "settings"), problems)
            })
            .map(|settings| Change::Settings(Box::new(settings))),
        "create_role" | "delete_role" | "delete_role_and_acls" | "add_member" | "remove_member" => {
            read_role_change(kind, &mut fields, at, problems)
        }
        "add_to_group" | "remove_from_group" => {
            let message = format!(
                "`{kind}` changes the groups of a user, which are in the identity provider and not in the policy"
            );
            problems.push(
                &Place::Member(at, "change"),
                ProblemCode::UnknownValue,
                message,
            );
            return None;
        }
        other => {
            let message = format!(
                "`{}` is not a change; write one such as `add_acl` or `create_role`",
                escaped(other)
            );
            problems.push(
                &Place::Member(at, "change"),
                ProblemCode::UnknownValue,
                message,
            );
            return None;
        }
    };
    fields.finish(at, problems);
    change
}

fn read_role_change(
    kind: &str,
    fields: &mut Fields<'_>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Change> {
    let role = fields.string("role", at, problems).map(str::to_owned);
    Some(match kind {
        "create_role" => Change::CreateRole(role?),
        "delete_role" => Change::DeleteRole {
            name: role?,
            delete_acls: false,
        },
        "delete_role_and_acls" => Change::DeleteRole {
            name: role?,
            delete_acls: true,
        },
        _ => {
            let principal = fields.string("principal", at, problems)?;
            let member =
                acl::principal(principal, None, &Place::Member(at, "principal"), problems)?;
            let role = role?;
            match kind {
                "add_member" => Change::AddMember { role, member },
                _ => Change::RemoveMember { role, member },
            }
        }
    })
}
