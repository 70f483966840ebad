//! Tests of dialects: what a policy's system lacks is refused by name, in documents, changes and
//! checks (D-71, D-72).

use gbac_engine::policy::{Change, Policy};
use gbac_engine::{Dialect, resolve};
use gbac_json::{
    Problems, change_from_json, check_from_json, policy_from_json, policy_to_json, policy_to_text,
};
use serde_json::{Value, json};

fn acl(members: &Value) -> Value {
    let mut acl = json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "User:ana", "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW",
    });
    for (name, value) in members.as_object().unwrap() {
        acl[name] = value.clone();
    }
    acl
}

fn read(settings: &Value, acls: &[Value]) -> Result<Policy, Problems> {
    policy_from_json(&json!({ "version": 1, "acls": acls, "settings": settings }).to_string())
}

/// The place and the code of each problem.
fn refused<T: std::fmt::Debug>(read: Result<T, Problems>) -> Vec<(String, String)> {
    read.unwrap_err()
        .0
        .into_iter()
        .map(|problem| (problem.path, problem.code.as_str().to_owned()))
        .collect()
}

fn one(path: &str, code: &str) -> Vec<(String, String)> {
    vec![(path.to_owned(), code.to_owned())]
}

/// What only Kafka has: a member of an ACL, and the code of the platform's refusal.
fn only_in_kafka() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("resource_type", "RESOURCE_TYPE_USER", "not_in_dialect"),
        (
            "resource_type",
            "RESOURCE_TYPE_DELEGATION_TOKEN",
            "not_in_dialect",
        ),
        ("operation", "OPERATION_CREATE_TOKENS", "not_in_dialect"),
        ("operation", "OPERATION_DESCRIBE_TOKENS", "not_in_dialect"),
        ("operation", "OPERATION_TWO_PHASE_COMMIT", "not_in_dialect"),
        ("principal", "Service:billing", "principal_type_unknown"),
        ("host", "10.0.0.0/8", "host_invalid"),
        ("host", "Broker-1.example.com", "host_invalid"),
    ]
}

#[test]
fn each_dialect_refuses_what_only_the_other_has() {
    for (member, value, code) in only_in_kafka() {
        let acl = acl(&json!({ member: value }));
        for settings in [json!({}), json!({ "dialect": "platform" })] {
            assert_eq!(
                refused(read(&settings, std::slice::from_ref(&acl))),
                one(&format!("/acls/0/{member}"), code)
            );
        }
        let policy = read(&json!({ "dialect": "kafka" }), std::slice::from_ref(&acl)).unwrap();
        assert_eq!(policy_to_json(&policy)["acls"][0], acl);
        assert_eq!(policy_from_json(&policy_to_text(&policy)), Ok(policy));
    }
    for resource_type in ["RESOURCE_TYPE_SUBJECT", "RESOURCE_TYPE_REGISTRY"] {
        let acl = acl(&json!({ "resource_type": resource_type }));
        let kafka = read(&json!({ "dialect": "kafka" }), std::slice::from_ref(&acl));
        let problem = &kafka.unwrap_err().0[0];
        assert_eq!(
            (problem.path.as_str(), problem.code.as_str()),
            ("/acls/0/resource_type", "not_in_dialect")
        );
        assert!(problem.message.contains(&format!(
            "`{resource_type}` exists only in the dialect `platform`"
        )));
        assert!(read(&json!({}), &[acl]).is_ok());
    }
}

#[test]
fn settings_of_kafka_are_read_and_written() {
    let written = |settings: &Value| {
        policy_to_json(&read(settings, &[]).unwrap())
            .get("settings")
            .cloned()
    };
    for settings in [
        json!({ "dialect": "kafka" }),
        json!({ "dialect": "kafka", "kafka_version": "4.3" }),
    ] {
        assert_eq!(written(&settings), Some(settings));
    }
    assert_eq!(
        written(&json!({ "dialect": "platform" })),
        Some(json!({})),
        "it is never written"
    );
    let refusals = |settings: &Value| refused(read(settings, &[]));
    assert_eq!(
        refusals(&json!({ "dialect": "Kafka" })),
        one("/settings/dialect", "unknown_value")
    );
    assert_eq!(
        refusals(&json!({ "kafka_version": "4.4" })),
        one("/settings/kafka_version", "kafka_version_unused")
    );
    let patch = json!({ "dialect": "kafka", "kafka_version": "4.4.0" });
    assert_eq!(
        refusals(&patch),
        one("/settings/kafka_version", "kafka_version_invalid")
    );
}

#[test]
fn changes_keep_to_the_dialect() {
    let apply = |policy: &mut Policy, change: &Value| {
        let change = change_from_json(&change.to_string()).unwrap();
        policy.apply(change).map_err(|error| error.code())
    };
    let (platform, kafka) = (json!({}), json!({ "dialect": "kafka" }));
    for (member, value, code) in only_in_kafka() {
        let add = json!({ "change": "add_acl", "acl": acl(&json!({ member: value })) });
        let mut policy = read(&platform, &[]).unwrap();
        assert_eq!(apply(&mut policy, &add), Err(code), "{value}");
        assert_eq!(policy.acl_count(), 0);
        let mut policy = read(&kafka, &[]).unwrap();
        assert_eq!(apply(&mut policy, &add), Ok(true), "{value}");
        let back = json!({ "change": "settings", "settings": { "dialect": "platform" } });
        assert_eq!(apply(&mut policy, &back), Err(code), "{value}");
        assert_eq!(policy.settings().dialect, Dialect::Kafka);
    }
    let mut policy = read(
        &platform,
        &[acl(&json!({ "resource_type": "RESOURCE_TYPE_SUBJECT" }))],
    )
    .unwrap();
    assert_eq!(
        apply(
            &mut policy,
            &json!({ "change": "settings", "settings": kafka })
        ),
        Err("not_in_dialect")
    );
    for settings in [&platform, &kafka] {
        let mut policy = read(settings, &[]).unwrap();
        policy.apply(Change::CreateRole("dev".into())).unwrap();
        let member =
            json!({ "change": "add_member", "role": "dev", "principal": "Service:billing" });
        assert_eq!(
            apply(&mut policy, &member),
            Err("principal_type_unknown"),
            "members are users and groups"
        );
    }
}

#[test]
fn a_check_names_a_principal_of_any_type_in_kafka() {
    let check = |identity: Value| {
        let check = json!({ "identity": identity, "operation": "read", "resource_type": "topic", "resource_name": "orders" });
        check_from_json(&check.to_string())
    };
    let code = |settings: &Value, identity: Value| {
        let found = resolve(
            &read(settings, &[]).unwrap(),
            &check(identity).unwrap().subject,
            None,
        );
        found
            .map(|found| found.identity.principal().to_string())
            .map_err(|error| error.code())
    };
    let (platform, kafka) = (json!({}), json!({ "dialect": "kafka" }));
    assert_eq!(
        code(&kafka, json!({ "principal": "Service:billing" })),
        Ok("Service:billing".to_owned())
    );
    assert_eq!(
        code(&platform, json!({ "principal": "Service:billing" })),
        Err("principal_type_unknown")
    );
    for settings in [&platform, &kafka] {
        assert_eq!(
            code(settings, json!({ "principal": "User:ana" })),
            Ok("User:ana".to_owned())
        );
        assert_eq!(
            code(settings, json!({ "principal": "Role:dev" })),
            Err("principal_not_identity")
        );
    }
    assert_eq!(
        refused(check(json!({ "principal": "ana" }))),
        one("/identity/principal", "principal_without_type")
    );
    let both = refused(check(json!({ "user": "ana", "principal": "User:ana" })));
    assert_eq!(both, one("/identity/user", "unknown_member"));
}
