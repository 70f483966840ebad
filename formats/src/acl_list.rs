//! Lists of ACLs in JSON: the output of command lines, and responses of APIs.

use serde_json::Value;

use crate::entry::{Entry, Object, in_snake_case, names_a_page};
use crate::import::{Input, Reader, Reading};

/// The members of a row in the output of a command line: the platform's, Confluent's, or that of
/// the Schema Registry. A filter has them, too.
const ROW: &[&str] = &[
    "kind",
    "metadata",
    "cluster_id",
    "resource",
    "pattern_type",
    "principal",
    "host",
    "resource_type",
    "resource_name",
    "resource_pattern_type",
    "operation",
    "permission",
    "permission_type",
    "message",
    "error",
];
pub(crate) struct AclList;

impl Reader for AclList {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Value(Value::Array(_)) => true,
            Input::Value(Value::Object(object)) => {
                is_of_confluent(object)
                    || object.contains_key("matches")
                    || object.contains_key("resources")
            }
            _ => false,
        }
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        match input {
            Input::Value(Value::Array(values)) => {
                for (number, value) in values.iter().enumerate() {
                    read_row(&in_snake_case(value), &format!("/{number}"), reading);
                }
            }
            Input::Value(Value::Object(object)) if is_of_confluent(object) => {
                read_confluent(object, reading);
            }
            Input::Value(Value::Object(object)) => read_list(object, reading),
            _ => {}
        }
    }
}

fn is_of_confluent(object: &Object) -> bool {
    object
        .get("kind")
        .is_some_and(|kind| kind == "KafkaAclList")
}

/// `security acl list` of a command line (`matches`), or the response of the Data Plane API
/// (`resources`).
fn read_list(object: &Object, reading: &mut Reading<'_>) {
    let mut list = Entry::new(object, &["filters", "matches", "resources"], "", reading);
    // A failed filter means that a part of the list is missing.
    for (place, filter) in list.elements("filters", reading) {
        if let Some(mut filter) = Entry::from_value(filter, ROW, place, "a filter", reading) {
            filter.expect_silence("list_incomplete", reading);
        }
    }
    for (place, row) in list.elements("matches", reading) {
        read_row(row, &place, reading);
    }
    for (place, resource) in list.elements("resources", reading) {
        read_resource(&in_snake_case(resource), &place, reading);
    }
}

/// The list of Confluent's REST API.
fn read_confluent(object: &Object, reading: &mut Reading<'_>) {
    let mut list = Entry::new(object, &["kind", "metadata", "data"], "", reading);
    let metadata = list.value("metadata");
    let next = metadata.and_then(|metadata| metadata.get("next"));
    if next.is_some_and(names_a_page) {
        list.refuse_next_page("metadata/next", reading);
    }
    for (place, row) in list.elements("data", reading) {
        read_row(row, &place, reading);
    }
}

/// An ACL with all of its fields.
pub(crate) fn read_row(row: &Value, place: &str, reading: &mut Reading<'_>) {
    let Some(mut row) = Entry::from_value(row, ROW, place, "an ACL", reading) else {
        return;
    };
    if !row.is_whole() {
        return;
    }
    row.expect_silence("row_refused", reading);
    // Other tools have other names for a member, and the managed service of Confluent has no hosts.
    let resource = row.either("resource", "resource_name", reading);
    let permission = row.either("permission", "permission_type", reading);
    let pattern = row.either("pattern_type", "resource_pattern_type", reading);
    let seven = [
        "resource_type",
        resource,
        pattern,
        "principal",
        "host",
        "operation",
        permission,
    ];
    let texts = seven.map(|name| row.text(name, reading));
    if !row.is_whole() {
        return;
    }
    let has_host = row.is_stated("host");
    for (name, text) in seven.iter().zip(&texts) {
        let is_optional = match *name {
            "resource_name" => true,
            "host" => pattern == "pattern_type" && !has_host,
            _ => false,
        };
        if text.is_none() && !is_optional {
            let message = format!("`{name}` is missing or not a string");
            return reading.refuse(place, "missing_member", message);
        }
    }
    let [kind, name, pattern, principal, host, operation, permission] =
        texts.map(Option::unwrap_or_default);
    let host = if has_host { host } else { "*" };
    reading.acl(
        [kind, name, pattern, principal, host, operation, permission],
        place,
    );
}

/// One resource of the Data Plane API's list, with its ACLs.
fn read_resource(resource: &Value, at: &str, reading: &mut Reading<'_>) {
    const RESOURCE: [&str; 3] = ["resource_type", "resource_name", "resource_pattern_type"];
    const ACL: [&str; 4] = ["principal", "host", "operation", "permission_type"];
    let members = [&RESOURCE[..], &["acls"]].concat();
    let Some(mut resource) = Entry::from_value(resource, &members, at, "a resource", reading)
    else {
        return;
    };
    let texts = RESOURCE.map(|name| resource.text(name, reading));
    if !resource.is_whole() {
        return;
    }
    let [Some(kind), name, Some(pattern)] = texts else {
        let message = "`resource_type` or `resource_pattern_type` is missing";
        return reading.refuse(at, "missing_member", message);
    };
    let name = name.unwrap_or_default();
    for (place, acl) in resource.elements("acls", reading) {
        let Some(mut acl) = Entry::from_value(acl, &ACL, place.as_str(), "an ACL", reading) else {
            continue;
        };
        let [principal, host, operation, permission] =
            ACL.map(|name| acl.text(name, reading).unwrap_or_default());
        if acl.is_whole() {
            let words = [kind, name, pattern, principal, host, operation, permission];
            reading.acl(words, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::{Import, ImportedText};

    fn read(all: &[(Value, Option<&str>)]) -> (Import, Vec<ImportedText>) {
        let mut import = Import::default();
        let reads = all
            .iter()
            .map(|(value, role)| import.read(&value.to_string(), *role))
            .collect();
        (import, reads)
    }

    fn row(principal: &str, operation: &str) -> Value {
        json!({ "principal": principal, "host": "*", "resource_type": "TOPIC", "resource_name": "orders-",
            "resource_pattern_type": "PREFIXED", "operation": operation, "permission": "ALLOW" })
    }

    fn reported(read: &ImportedText) -> Vec<(&str, &str)> {
        read.unread
            .iter()
            .map(|unread| (unread.place.as_str(), unread.code))
            .collect()
    }

    #[test]
    fn members_in_camel_case_are_read() {
        let resource = |operation: &str| {
            json!({ "resources": [{ "resourceType": "RESOURCE_TYPE_TOPIC", "resourceName": "x",
                "resourcePatternType": "RESOURCE_PATTERN_TYPE_LITERAL",
                "acls": [{ "principal": "Group:a", "host": "*", operation: "OPERATION_READ",
                    "permissionType": "PERMISSION_TYPE_DENY" }] }] })
        };
        let (import, reads) = read(&[(resource("operation"), None)]);
        assert_eq!((import.policy().acl_count(), reads[0].unread.len()), (1, 0));
        let (_, reads) = read(&[(resource("operatioN"), None)]);
        assert_eq!(
            reported(&reads[0]),
            [("/resources/0/acls/0/operatio_n", "unknown_member")]
        );
    }

    #[test]
    fn a_command_line_and_the_apis_say_the_same() {
        let rows = json!({ "filters": [], "matches": [row("RedpandaRole:r", "DESCRIBE_CONFIGS")] });
        let grouped = json!({ "resources": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
            "acls": [{ "principal": "Role:r", "host": "*", "operation": "OPERATION_DESCRIBE_CONFIGS",
                "permission_type": "PERMISSION_TYPE_ALLOW" }] }] });
        let described = json!({ "permissions": [row("RedpandaRole:r", "DESCRIBE_CONFIGS")],
            "members": [{ "name": "a:b", "principal_type": "Group" }, { "name": "u", "principal_type": "User" }] });
        let data_plane = json!({ "role": { "name": "r" }, "members": [{ "principal": "Group:a:b" }, { "principal": "User:u" }] });
        let members = json!({ "role_name": "r", "members": [{ "principal": "Group:a:b" }, { "principal": "User:u" }],
            "next_page_token": "" });
        let admin = json!({ "roles": [{ "name": "r", "members": [{ "group": { "name": "a:b" } }, { "user": { "name": "u" } }] }] });
        let policies: Vec<_> = [
            vec![rows.clone(), data_plane],
            vec![grouped.clone(), members],
            vec![admin, rows],
            vec![described],
            vec![
                grouped,
                json!({ "roles": ["r"] }),
                json!({ "role": { "name": "r",
                "members": [{ "user": { "name": "u" } }, { "group": { "name": "a:b" } }] } }),
            ],
        ]
        .into_iter()
        .map(|texts| {
            let texts: Vec<_> = texts.into_iter().map(|text| (text, None)).collect();
            let (import, reads) = read(&texts);
            assert!(reads.iter().all(|read| read.unread.is_empty()), "{reads:?}");
            import.policy()
        })
        .collect();
        assert_eq!(
            (
                policies[0].acl_count(),
                policies[0].role("r").map(|role| role.members.len())
            ),
            (1, Some(2))
        );
        assert!(policies.iter().all(|policy| *policy == policies[0]));
    }

    #[test]
    fn invalid_rows_are_reported_and_others_imported() {
        let mut refused = row("User:b", "READ");
        refused["message"] = json!("CLUSTER_AUTHORIZATION_FAILED");
        let mut new = row("User:c", "READ");
        new["condition"] = json!("only on Mondays");
        let list = json!({ "filters": [{ "message": "timed out" }], "deletions": [],
            "matches": [row("User:a", "READ"), refused, new, row("a", "READ"), 7, row("Group:x", "ANY"), row("User:a", "READ")] });
        let (import, reads) = read(&[(list, None)]);
        assert_eq!(
            (reads[0].acls, reads[0].again, import.policy().acl_count()),
            (2, 1, 1)
        );
        assert_eq!(
            reported(&reads[0]),
            [
                ("/deletions", "unknown_member"),
                ("/filters/0", "list_incomplete"),
                ("/matches/1", "row_refused"),
                ("/matches/2/condition", "unknown_member"),
                ("/matches/3", "principal_without_type"),
                ("/matches/4", "wrong_type"),
                ("/matches/5", "unknown_value"),
            ]
        );
    }

    #[test]
    fn a_role_without_its_name_takes_it_from_its_acls_or_the_caller() {
        let members = json!({ "members": [{ "name": "eng", "principal_type": "Group" }] });
        let (_, nameless) = read(&[(members.clone(), None)]);
        assert_eq!(reported(&nameless[0]), [("", "role_unnamed")]);
        let (import, named) = read(&[(members, Some("r"))]);
        assert!(named[0].unread.is_empty() && import.policy().has_role("r"));
        let two =
            json!({ "permissions": [row("Role:a", "READ"), row("Role:b", "READ")], "members": [] });
        let (import, reads) = read(&[(two, None)]);
        assert_eq!(
            (reported(&reads[0]), import.policy().acl_count()),
            (vec![("", "role_unnamed")], 2)
        );
        let invalid = json!({ "roles": [{ "name": "a,b" }, {}, { "name": "r", "members": [{ "principal": "Role:x" }, {}] }],
            "next_page_token": "r" });
        assert_eq!(
            reported(&read(&[(invalid, None)]).1[0]),
            [
                ("/next_page_token", "list_incomplete"),
                ("/roles/0", "role_name_character"),
                ("/roles/1", "role_unnamed"),
                ("/roles/2/members/0", "member_is_role"),
                ("/roles/2/members/1", "member_unreadable"),
            ]
        );
    }

    #[test]
    fn policy_documents_come_together_and_their_settings_must_agree() {
        let document = |path: &str| {
            json!({ "version": 1, "settings": { "oidc_group_claim_path": path },
            "acls": [{ "resource_type": "RESOURCE_TYPE_CLUSTER", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
                "principal": "Group:a", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] })
        };
        let (import, reads) = read(&[
            (document("$.a"), None),
            (document("$.b"), None),
            (json!({ "version": 2 }), None),
        ]);
        assert!(import.has_settings() && import.policy().acl_count() == 1);
        assert_eq!(
            (reported(&reads[1]), reads[1].again),
            (vec![("/settings", "settings_differ")], 1)
        );
        assert_eq!(reported(&reads[2]), [("/version", "unsupported_version")]);
        let named = json!({ "version": 1, "settings": { "superusers": ["root"] } });
        let (import, reads) = read(&[
            (document("$.a"), None),
            (named, None),
            (json!({ "version": 1 }), None),
        ]);
        assert!(reads.iter().all(|read| read.unread.is_empty()), "{reads:?}");
        let states = import.policy().settings().states();
        assert!(
            states.claim_path && states.superusers && !states.nested && !states.principal_mapping
        );
        assert!(!read(&[(json!({ "version": 1 }), None)]).0.has_settings());
        assert_eq!(
            reported(&read(&[(json!({ "a": 1 }), None)]).1[0]),
            [("", "form_unknown")]
        );
    }
}
