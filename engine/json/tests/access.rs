//! Tests of limited access to the service in policy documents (D-58).

use gbac_engine::model::Principal;
use gbac_engine::policy::{AccessLevel, Change, ServiceAccess};
use gbac_json::{
    DocumentJson, change_from_json, policy_from_json, policy_from_value, policy_to_json,
    settings_from_value,
};
use serde_json::{Value, json};

fn document(access: &Value) -> Value {
    json!({ "version": 1, "settings": { "access": access } })
}

#[test]
fn access_is_read_and_written_in_order_and_once() {
    let policy = policy_from_value(&document(&json!({
        "read_only": ["Group:ops", "User:ana", "Group:auditors", "Group:ops"], "evaluate": ["User:gateway"] })))
    .unwrap();
    let access = &policy.settings().access;
    assert_eq!(
        access.grantees(AccessLevel::Evaluate),
        [Principal::user("gateway")]
    );
    let written = policy_to_json(&policy);
    assert_eq!(
        written["settings"],
        json!({ "access": { "read_only": ["User:ana", "Group:auditors", "Group:ops"], "evaluate": ["User:gateway"] } }),
        "nothing else is stated"
    );
    assert_eq!(
        policy_from_value(&written).unwrap().settings(),
        policy.settings()
    );
    let one = policy_from_value(&document(&json!({ "evaluate": ["Group:gateways"] }))).unwrap();
    assert_eq!(
        policy_to_json(&one)["settings"]["access"],
        json!({ "read_only": [], "evaluate": ["Group:gateways"] })
    );
}

#[test]
fn every_problem_of_access_is_reported() {
    let text = document(
        &json!({ "read_only": ["Role:admins", "auditors", "Group:*", 7], "evaluate": "User:x", "write": [] }),
    );
    let problems = policy_from_json(&text.to_string()).unwrap_err();
    let mut found: Vec<(String, &str)> = problems
        .0
        .iter()
        .map(|problem| (problem.path.clone(), problem.code.as_str()))
        .collect();
    found.sort_unstable();
    let at = |path: &str| format!("/settings/access/{path}");
    assert_eq!(
        found,
        [
            (at("evaluate"), "wrong_type"),
            (at("read_only/0"), "access_role"),
            (at("read_only/1"), "principal_without_type"),
            (at("read_only/2"), "access_wildcard"),
            (at("read_only/3"), "wrong_type"),
            (at("write"), "unknown_member"),
        ]
    );
}

#[test]
fn unstated_access_is_kept_and_stated_access_replaces() {
    let mut policy = policy_from_value(&document(&json!({ "read_only": ["Group:ops"] }))).unwrap();
    let change = |settings: Value| {
        change_from_json(&json!({ "change": "settings", "settings": settings }).to_string())
            .unwrap()
    };
    assert!(
        policy
            .apply(change(json!({ "superusers": ["root"] })))
            .unwrap()
    );
    assert_eq!(
        policy.settings().access.grantees(AccessLevel::ReadOnly),
        [Principal::group("ops")]
    );
    let in_full = serde_json::to_value(DocumentJson::in_full(&policy)).unwrap();
    assert_eq!(
        in_full["settings"]["access"],
        json!({ "read_only": ["Group:ops"], "evaluate": [] })
    );
    assert!(
        !policy
            .apply(change(json!({ "access": { "read_only": ["Group:ops"] } })))
            .unwrap(),
        "no change"
    );
    assert!(policy.apply(change(json!({ "access": {} }))).unwrap());
    assert_eq!(policy.settings().access, ServiceAccess::default());
    assert!(
        settings_from_value(&json!({ "access": {} }))
            .unwrap()
            .states_any(),
        "an empty one is stated too"
    );
    assert!(matches!(
        change(json!({ "access": {} })),
        Change::Settings(_)
    ));
}
