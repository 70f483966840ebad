//! What the import does not understand: it is never silent, wherever it stands (D-42).

use gbac_formats::format::Format;
use gbac_formats::import::{Import, ImportedText};
use gbac_tests::world;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use super::{Tool, all};

fn read(text: &str) -> ImportedText {
    Import::default().read(text, None)
}

/// Entries that no format has.
fn entry() -> impl Strategy<Value = Value> {
    select(vec![
        json!({ "surprise": 1 }),
        json!(7),
        json!(null),
        json!([]),
        json!(true),
        json!({}),
    ])
}

/// Lines that no format has, and whether they are about access.
const LINES: [(&str, bool); 4] = [
    ("surprise", false),
    ("a surprise; with, a few | marks\tof other formats", false),
    ("Group:eng  *  TOPIC  surprise  LITERAL  READ  DENY", true),
    (
        "(principal=User:surprise, host=*, operation=READ, permissionType=DENY",
        true,
    ),
];

/// The objects and arrays of a document, as JSON Pointers, without those that say nothing about
/// access.
fn containers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    const OTHERS: [&str; 4] = ["metadata", "cluster", "authentication", "values"];
    let is_in_terraform = pointer.contains("/root_module/resources/");
    let last = pointer.rsplit('/').next().unwrap_or_default();
    if (OTHERS.contains(&last) && pointer != "/values") || is_in_terraform {
        return;
    }
    match value {
        Value::Object(members) => {
            found.push(pointer.to_owned());
            members
                .iter()
                .for_each(|(name, member)| containers(member, &format!("{pointer}/{name}"), found));
        }
        Value::Array(values) => {
            found.push(pointer.to_owned());
            let values = values.iter().enumerate();
            values.for_each(|(number, value)| {
                containers(value, &format!("{pointer}/{number}"), found);
            });
        }
        _ => {}
    }
}

/// A document with an entry more, somewhere.
fn with_entry(mut document: Value, place: Index, number: Index, entry: Value) -> Value {
    let mut found = Vec::new();
    containers(&document, "", &mut found);
    let place: &String = place.get(&found);
    match document.pointer_mut(place).expect("a container") {
        Value::Array(values) => values.insert(number.index(values.len() + 1), entry),
        Value::Object(members) => {
            members.insert("surprise".into(), entry);
        }
        _ => unreachable!("an object or an array"),
    }
    document
}

/// A text with a line more, between two entries.
fn with_line(text: &str, place: Index, line: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let is_between = |number: &usize| {
        lines[..*number]
            .concat()
            .matches('"')
            .count()
            .is_multiple_of(2)
    };
    let places: Vec<usize> = (0..=lines.len()).filter(is_between).collect();
    lines.insert(*place.get(&places), line);
    lines.join("\n")
}

/// A document of a format as JSON, if it is one.
fn as_json(tool: &Tool, text: &str) -> Option<Value> {
    if matches!(tool.format, Format::Operator | Format::Strimzi) {
        let items: Vec<Value> = serde_saphyr::from_multiple(text).expect("YAML");
        return Some(json!({ "apiVersion": "v1", "kind": "List", "items": items }));
    }
    serde_json::from_str(text).ok()
}

proptest! {
    #![proptest_config(world::config(world::cases() / 4))]

    #[test]
    fn an_unknown_entry_anywhere_is_never_silent(
        facts in world::facts(),
        format in select(all()),
        (place, number) in (any::<Index>(), any::<Index>()),
        (entry, line) in (entry(), select(&LINES[..])),
    ) {
        let policy = (format.expressible)(&world::policy(&facts));
        prop_assume!(policy.acl_count() + policy.role_count() > 0);
        let text = (format.write)(&policy);
        let Some(document) = as_json(&format, &text) else {
            let (line, is_access) = line;
            let text = with_line(&text, place, line);
            let read = read(&text);
            let is_noted = read.skipped > 0 && !is_access;
            prop_assert!(!read.unread.is_empty() || is_noted, "{}: {:?} {}", format.name, read, text);
            return Ok(());
        };
        prop_assert_eq!(&read(&document.to_string()).unread, &Vec::new(), "{}: {}", format.name, document);
        let document = with_entry(document, place, number, entry);
        prop_assert!(!read(&document.to_string()).unread.is_empty(), "{}: {}", format.name, document);
    }
}

/// The places of what could not be read, with their codes.
fn unread(text: &str) -> Vec<(String, &'static str)> {
    read(text)
        .unread
        .into_iter()
        .map(|unread| (unread.place, unread.code))
        .collect()
}

fn assert_unread(text: &str, expected: &[(&str, &'static str)]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|(place, code)| ((*place).to_owned(), *code))
        .collect();
    assert_eq!(unread(text), expected, "{text}");
}

#[test]
fn an_acl_of_terraform_that_is_known_in_part_makes_nothing() {
    let resource = json!({ "mode": "managed", "type": "redpanda_acl", "name": "a", "values": { "resource_name": "orders" } });
    let values = json!({ "root_module": { "resources": [resource] } });
    let seen = read(&json!({ "format_version": "1.0", "planned_values": values }).to_string());
    assert_eq!((seen.unread.len(), seen.acls, seen.roles), (6, 0, 0));
}

#[test]
fn resources_of_terraform_that_can_be_about_access_are_unreadable_and_others_noted() {
    let resource = |kind: &str| json!({ "mode": "managed", "type": kind, "name": "a", "address": format!("{kind}.a"), "values": {} });
    let state = |resources: Value| json!({ "format_version": "1.0", "values": { "root_module": { "resources": resources } } });
    let kinds = [
        "kafka_acl",
        "confluent_role_binding",
        "aws_iam_user_policy",
        "redpanda_group",
        "x_USER",
    ];
    let others = [
        "aws_instance",
        "aws_instance",
        "redpanda_topic",
        "redpanda_user",
    ];
    let resources: Vec<Value> = others
        .iter()
        .chain(&kinds)
        .map(|kind| resource(kind))
        .collect();
    let seen = read(&state(json!(resources)).to_string());
    let places: Vec<_> = seen
        .unread
        .iter()
        .map(|unread| (unread.place.as_str(), unread.code))
        .collect();
    let expected = [4, 5, 6, 7, 8].map(|number| format!("/values/root_module/resources/{number}"));
    assert_eq!(
        places,
        expected
            .iter()
            .map(|place| (place.as_str(), "kind_unknown"))
            .collect::<Vec<_>>()
    );
    assert!(
        seen.unread[0].message.contains("`kafka_acl.a`"),
        "{}",
        seen.unread[0]
    );
    let note =
        "left out, not about access: 2 `aws_instance`, 1 `redpanda_topic`, 1 `redpanda_user`";
    assert_eq!(seen.notes(), [note]);

    let mut source = resource("kafka_acls");
    source["mode"] = json!("data");
    let seen = read(&state(json!([source])).to_string());
    assert_eq!((seen.unread, seen.ignored.len()), (Vec::new(), 1));
    assert_unread(
        &state(json!({ "a": 1 })).to_string(),
        &[("/values/root_module/resources", "wrong_type")],
    );
    assert_unread(
        &json!({ "format_version": "1.0", "values": { "root_module": { "child_modules": [7, { "resources": [{}] }] } } }).to_string(),
        &[
            ("/values/root_module/child_modules/0", "wrong_type"),
            ("/values/root_module/child_modules/1/resources/0", "missing_member"),
        ],
    );
    assert_unread(
        &json!({ "format_version": "1.2", "resource_changes": [] }).to_string(),
        &[("/values", "missing_member")],
    );
    let plan = |member: &str, value: Value| {
        let mut plan = json!({ "format_version": "1.2", "planned_values": { "root_module": {} } });
        plan[member] = value;
        plan.to_string()
    };
    assert_unread(&plan("complete", json!(true)), &[]);
    assert_unread(&plan("complete", json!(false)), &[("", "list_incomplete")]);
    assert_unread(&plan("errored", json!(true)), &[("", "list_incomplete")]);
    assert_unread(
        &plan("deferred_changes", json!([{}])),
        &[("/deferred_changes", "list_incomplete")],
    );
    let file = json!({ "version": 4, "terraform_version": "1.10.2", "lineage": "l", "resources": [resource("redpanda_acl")] });
    let seen = read(&file.to_string());
    assert_eq!(
        (seen.format, seen.unread[0].code),
        (Some(Format::Terraform), "form_unknown")
    );
    assert!(
        seen.unread[0].message.contains("`terraform show -json`"),
        "{}",
        seen.unread[0]
    );
}

const USER: &str = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaUser\nmetadata: { name: till }\nspec:\n  authorization:\n    \
    type: simple\n    acls: [{ resource: { type: topic, name: sales }, operations: [Read], type: deny }]\n";

#[test]
fn resources_of_kubernetes_that_can_be_about_access_are_unreadable_and_others_noted() {
    let of = |api: &str, kind: &str| {
        format!("---\napiVersion: {api}\nkind: {kind}\nmetadata: {{ name: a }}\n")
    };
    let others = [
        ("v1", "ConfigMap"),
        ("apps/v1", "Deployment"),
        ("v1", "ConfigMap"),
        ("kafka.strimzi.io/v1", "KafkaTopic"),
    ];
    let kinds = [
        ("kafka.banzaicloud.io/v1alpha1", "KafkaUser"),
        ("platform.confluent.io/v1beta1", "ConfluentRolebinding"),
        ("example.com/v1", "TopicAcl"),
        ("cluster.redpanda.com/v1alpha2", "UserQuota"),
        ("v2", "Group"),
    ];
    let text: String = others
        .iter()
        .chain(&kinds)
        .map(|(api, kind)| of(api, kind))
        .collect();
    let seen = read(&format!("{text}---\n{USER}"));
    let places: Vec<_> = seen
        .unread
        .iter()
        .map(|unread| (unread.place.clone(), unread.code))
        .collect();
    let expected: Vec<_> = (5..10)
        .map(|number| (format!("document {number}"), "kind_unknown"))
        .collect();
    assert_eq!((places, seen.acls), (expected, 1));
    assert!(
        seen.unread[0]
            .message
            .starts_with("`KafkaUser` of `kafka.banzaicloud.io/v1alpha1` "),
        "{}",
        seen.unread[0]
    );
    let note = "left out, not about access: 2 `ConfigMap` of `v1`, 1 `Deployment` of `apps/v1`, 1 `KafkaTopic` of `kafka.strimzi.io/v1`";
    assert_eq!(seen.notes(), [note]);

    for (text, place) in [
        ("- a list\n", "document 2"),
        ("kind: [Role]\napiVersion: v1\n", "document 2"),
        ("text\n", "document 2"),
    ] {
        assert_unread(&format!("{USER}---\n{text}"), &[(place, "form_unknown")]);
    }
    let spec = "spec: { kafka: { authorization: { type: simple, superUsers: [CN=admin] } }, other: { superUsers: [] } }\n";
    let kafka = |spec: &str| format!("{USER}{}{spec}", of("kafka.strimzi.io/v1", "Kafka"));
    assert_unread(
        &kafka(spec),
        &[(
            "document 2: /spec/kafka/authorization/superUsers",
            "kind_unknown",
        )],
    );
    let custom = "spec: { kafka: { authorization: { type: custom, authorizerClass: x.Y } } }\n";
    assert_unread(
        &kafka(custom),
        &[(
            "document 2: /spec/kafka/authorization/type",
            "unknown_value",
        )],
    );
    assert_unread(
        &kafka("spec: { kafka: { authorization: { type: simple } } }\n"),
        &[],
    );
}

#[test]
fn lists_of_kubernetes_are_read_in_every_form() {
    let user = json!({ "metadata": { "name": "till" }, "spec": { "authorization": { "type": "simple",
        "acls": [{ "resource": { "type": "topic", "name": "sales" }, "operations": ["Read"], "type": "deny" }] } } });
    let mut typed = user.clone();
    (typed["apiVersion"], typed["kind"]) = (json!("kafka.strimzi.io/v1"), json!("KafkaUser"));
    for list in [
        json!({ "apiVersion": "v1", "kind": "List", "items": [typed] }),
        json!({ "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUserList", "metadata": { "continue": "" }, "items": [user] }),
        json!({ "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUserList", "items": [typed] }),
    ] {
        let seen = read(&list.to_string());
        assert_eq!(
            (seen.unread, seen.acls, seen.format),
            (Vec::new(), 1, Some(Format::Strimzi)),
            "{list}"
        );
    }
    let group = json!({ "metadata": { "name": "eng" }, "spec": user["spec"] });
    let groups = json!({ "apiVersion": "cluster.redpanda.com/v1alpha2", "kind": "GroupList", "items": [group] });
    assert_eq!(
        (read(&groups.to_string()).acls, unread(&groups.to_string())),
        (1, Vec::new())
    );
    for (list, place, code) in [
        (
            json!({ "apiVersion": "v1", "kind": "List" }),
            "/items",
            "missing_member",
        ),
        (
            json!({ "apiVersion": "v1", "kind": "List", "items": {} }),
            "/items",
            "wrong_type",
        ),
        (
            json!({ "apiVersion": "v1", "kind": "List", "items": [user] }),
            "/items/0",
            "form_unknown",
        ),
        (
            json!({ "apiVersion": "v1", "kind": "List", "metadata": { "continue": "x" }, "items": [] }),
            "/metadata",
            "list_incomplete",
        ),
        (
            json!({ "apiVersion": "example.com/v1", "kind": "RoleBindingList", "items": [user] }),
            "/items/0",
            "kind_unknown",
        ),
    ] {
        assert_unread(&list.to_string(), &[(place, code)]);
    }
}

#[test]
fn members_of_another_type_are_unreadable() {
    let role = |spec: Value| {
        json!({ "apiVersion": "cluster.redpanda.com/v1alpha2", "kind": "RedpandaRole", "metadata": { "name": "r" }, "spec": spec })
            .to_string()
    };
    let user = |spec: Value| {
        json!({ "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUser", "metadata": { "name": "u" }, "spec": spec })
            .to_string()
    };
    let rule = |member: &str, value: Value| {
        let mut rule = json!({ "type": "allow", "resource": { "type": "topic", "name": "t" }, "operations": ["Read"] });
        rule[member] = value;
        role(json!({ "authorization": { "acls": [rule] } }))
    };
    let acls = "/spec/authorization/acls";
    for (text, place, code) in [
        (
            role(json!({ "principals": "Group:eng" })),
            "/spec/principals".to_owned(),
            "wrong_type",
        ),
        (
            role(json!({ "principals": { "Group": "eng" } })),
            "/spec/principals".into(),
            "wrong_type",
        ),
        (
            role(json!({ "internal": "yes" })),
            "/spec/internal".into(),
            "wrong_type",
        ),
        (
            role(json!({ "members": ["eng"] })),
            "/spec/members".into(),
            "unknown_member",
        ),
        (role(json!([])), "/spec".into(), "wrong_type"),
        (
            role(json!({ "authorization": { "acls": { "deny": [] } } })),
            acls.into(),
            "wrong_type",
        ),
        (
            role(json!({ "authorization": { "rules": [] } })),
            "/spec/authorization/rules".into(),
            "unknown_member",
        ),
        (
            role(json!({ "authorization": [] })),
            "/spec/authorization".into(),
            "wrong_type",
        ),
        (
            rule("host", json!(10)),
            format!("{acls}/0/host"),
            "wrong_type",
        ),
        (
            rule("when", json!("night")),
            format!("{acls}/0/when"),
            "unknown_member",
        ),
        (
            rule("operations", json!("Read")),
            format!("{acls}/0/operations"),
            "wrong_type",
        ),
        (
            rule("resource", json!("topic:t")),
            format!("{acls}/0/resource"),
            "wrong_type",
        ),
        (
            rule(
                "resource",
                json!({ "type": "topic", "name": "t", "patternType": 1 }),
            ),
            format!("{acls}/0/resource/patternType"),
            "wrong_type",
        ),
        (
            user(json!({ "authentication": "tls" })),
            "/spec/authentication".into(),
            "unknown_value",
        ),
        (
            user(json!({ "topicGrants": [] })),
            "/spec/topicGrants".into(),
            "unknown_member",
        ),
    ] {
        assert_unread(&text, &[(place.as_str(), code)]);
    }
}

#[test]
fn members_of_lists_and_roles_are_read_or_reported() {
    let row = |member: &str, value: Value| {
        let mut row = json!({ "resource_type": "TOPIC", "resource_name": "t", "resource_pattern_type": "LITERAL",
            "principal": "User:u", "host": "*", "operation": "READ", "permission": "DENY" });
        row[member] = value;
        json!({ "matches": [row] }).to_string()
    };
    let role = |member: Value| json!({ "role_name": "r", "members": [member] }).to_string();
    for (text, place, code) in [
        (row("host", json!(7)), "/matches/0/host", "wrong_type"),
        (
            row("resource_name", json!(["t"])),
            "/matches/0/resource_name",
            "wrong_type",
        ),
        (
            row("error", json!({ "code": 29 })),
            "/matches/0",
            "row_refused",
        ),
        (
            row("permission_type", json!("ALLOW")),
            "/matches/0/permission_type",
            "duplicate_member",
        ),
        (
            json!({ "matches": [], "filters": [{ "message": 5 }] }).to_string(),
            "/filters/0",
            "list_incomplete",
        ),
        (
            json!({ "matches": [], "filters": ["x"] }).to_string(),
            "/filters/0",
            "wrong_type",
        ),
        (
            json!({ "resources": [{ "acls": [] }] }).to_string(),
            "/resources/0",
            "missing_member",
        ),
        (
            json!({ "kind": "KafkaAclList", "metadata": { "next": 2 }, "data": [] }).to_string(),
            "/metadata/next",
            "list_incomplete",
        ),
        (
            json!({ "roles": [], "next_page_token": 2 }).to_string(),
            "/next_page_token",
            "wrong_type",
        ),
        (
            json!({ "role": "a", "role_name": "b" }).to_string(),
            "/role_name",
            "duplicate_member",
        ),
        (
            json!({ "roles": [{ "name": "r", "members": "Group:eng" }] }).to_string(),
            "/roles/0/members",
            "wrong_type",
        ),
        (role(json!("Group:eng")), "/members/0", "wrong_type"),
        (
            role(json!({ "principal": "Group:eng", "until": "2030" })),
            "/members/0/until",
            "unknown_member",
        ),
        (
            role(json!({ "user": { "name": "u" }, "group": { "name": "eng" } })),
            "/members/0",
            "member_unreadable",
        ),
        (
            role(json!({ "group": { "name": 7 } })),
            "/members/0/group/name",
            "wrong_type",
        ),
    ] {
        let seen = unread(&text);
        assert!(
            seen.first()
                .is_some_and(|first| *first == (place.to_owned(), code)),
            "{text}: {seen:?}"
        );
    }
}

#[test]
fn rows_below_a_heading_that_is_not_read_are_unreadable() {
    let known = "PRINCIPAL  HOST  RESOURCE-TYPE  RESOURCE-NAME  RESOURCE-PATTERN-TYPE  OPERATION  PERMISSION\n\
                 User:till  *     TOPIC          sales          LITERAL                READ       ALLOW\n";
    let other = "PRINCIPAL  HOST  SUBJECT  OPERATION  PERMISSION  CONTEXT\nUser:till  *     sales    READ       DENY        dev\n";
    let tabs = known.replace("  ", "\t").replace("ALLOW", "DENY");
    let lines = |numbers: &[usize]| {
        numbers
            .iter()
            .map(|number| format!("line {number}"))
            .collect::<Vec<_>>()
    };
    for (text, acls, expected) in [
        (format!("KAFKA\n=====\n{known}\nREGISTRY\n========\n{other}"), 1, lines(&[8, 9])),
        (format!("{known}\n{other}"), 1, lines(&[4, 5])),
        (format!("{other}\n{known}"), 1, lines(&[1, 2])),
        (format!("{known}\n{tabs}"), 1, lines(&[4, 5])),
        (format!("User:till may not read: DENY\n{known}"), 1, lines(&[1])),
        (format!("A\n=\nsome text\n\n{known}"), 1, lines(&[3])),
        (format!("$ a command\n{known}"), 1, lines(&[])),
        (
            "  Principal | Permission\n-----------+------------\n  User:till | DENY\n\nNAME  TYPE\n".to_owned(),
            0,
            lines(&[1, 3]),
        ),
    ] {
        let seen = read(&text);
        let places: Vec<_> = seen.unread.iter().map(|unread| unread.place.clone()).collect();
        assert_eq!((seen.acls, places), (acls, expected), "{text}");
    }
    let described = "PERMISSIONS\n===========\nPRINCIPAL\tHOST\n\nPRINCIPALS (1)\n==============\nNAME  TYPE\neng   Group\n";
    let seen = Import::default().read(described, Some("r"));
    assert_eq!((seen.roles, seen.unread[0].place.as_str()), (1, "line 3"));
    // The second role has no name, and its members are not those of the first one.
    let two = format!("{known}\nNAME  TYPE\neng   Group\n\nNAME  TYPE\nops   Group\n")
        .replace("User:till", "Role:till");
    let mut import = Import::default();
    let seen = import.read(&two, None);
    assert_eq!(
        (seen.unread[0].code, import.policy().role_count()),
        ("role_unnamed", 0)
    );
}

#[test]
fn an_acl_before_a_list_of_kafka_is_no_log_line() {
    let list = "Current ACLs for resource `Topic:sales`:\n\tUser:till has Allow permission for operations: Read from hosts: *\n";
    for (before, unread, skipped) in [
        ("WARN allow.everyone.if.no.acl.found is not known", 0, 1),
        (
            "{\"principal\":\"User:till\",\"permission\":\"DENY\"}",
            1,
            0,
        ),
        ("User:till Deny Read sales", 1, 0),
        ("- members: [ Group:eng ]", 1, 0),
    ] {
        let seen = read(&format!("{before}\n{list}"));
        assert_eq!(
            (seen.acls, seen.unread.len(), seen.skipped),
            (1, unread, skipped),
            "{before}: {seen:?}"
        );
    }
}
