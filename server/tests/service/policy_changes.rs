//! `/gbac/v1/policy/changes`: a list of changes over a known state, all or none of them (D-16,
//! D-17, D-27, D-30).

use std::sync::Arc;

use axum::http::Method;
use gbac_api::changes::PolicyChanges;
use gbac_engine::policy::{Change, apply_each};
use gbac_json::{changes_from_json, policy_from_value};
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio::task::JoinSet;

use crate::harness::{Answer, Own, Service, admin, request};

const PATH: &str = "/gbac/v1/policy/changes";
const POLICY: &str = "/gbac/v1/policy";

async fn post(service: &Service, tag: &str, changes: &Value) -> Answer {
    let mut request = request(
        Method::POST,
        PATH,
        &admin(),
        &json!({ "changes": changes }).to_string(),
    );
    request
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    service.ask(request).await
}

async fn policy(service: &Service) -> (String, Value) {
    let read = service.get_as(POLICY, &admin()).await;
    (read.header("etag").to_owned(), read.json())
}

async fn commits(service: &Service) -> String {
    let text = String::from_utf8(service.get_as("/metrics", &admin()).await.body.to_vec()).unwrap();
    text.lines()
        .find(|line| line.starts_with("gbac_store_commits_total"))
        .unwrap()
        .to_owned()
}

fn acl(topic: &str, principal: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": topic, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
}

fn add(topic: &str, principal: &str) -> Value {
    json!({ "change": "add_acl", "acl": acl(topic, principal) })
}

/// Paths and codes of a refusal's problems.
fn problems(answer: &Answer) -> Vec<(String, String)> {
    let body = answer.json();
    let problems: Vec<(String, String)> = body["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            assert!(
                !problem["message"].as_str().unwrap().is_empty(),
                "{problem}"
            );
            (
                problem["path"].as_str().unwrap().to_owned(),
                problem["code"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let noun = if problems.len() == 1 {
        "problem"
    } else {
        "problems"
    };
    assert_eq!(
        body["message"],
        format!(
            "the changes have {} {noun}; nothing was changed",
            problems.len()
        )
    );
    problems
}

fn pair(path: &str, code: &str) -> (String, String) {
    (path.into(), code.into())
}

#[tokio::test]
async fn changes_are_made_in_order_and_report_their_effects() {
    let service = Service::start();
    let (tag, before) = policy(&service).await;
    let (count, mut settings) = (commits(&service).await, before["settings"].clone());
    settings["nested_group_behavior"] = "suffix".into();
    let changes = json!([
        { "change": "create_role", "role": "Readers" },
        { "change": "add_member", "role": "Readers", "principal": "Group:eng" },
        { "change": "add_member", "role": "Readers", "principal": "Group:eng" },
        add("fresh", "Role:Readers"),
        add("fresh", "User:nobody"),
        { "change": "remove_acl", "acl": acl("fresh", "User:nobody") },
        { "change": "remove_acl", "acl": acl("fresh", "User:nobody") },
        { "change": "settings", "settings": settings },
        { "change": "delete_role_and_acls", "role": "PaymentsWriters" },
    ]);
    let answer = post(&service, &tag, &changes).await;
    let etag = answer.header("etag").to_owned();
    let effects = [
        "changed",
        "changed",
        "unchanged",
        "changed",
        "changed",
        "changed",
        "unchanged",
        "changed",
        "changed",
    ];
    assert_eq!(
        answer.both(),
        (200, json!({ "etag": etag, "effects": effects }))
    );
    assert_ne!(etag, tag);

    let (now, after) = policy(&service).await;
    assert_eq!(now, etag, "the state that the answer names");
    let mut expected = policy_from_value(&before).unwrap();
    let read = changes_from_json(&json!({ "changes": changes }).to_string())
        .unwrap()
        .changes;
    apply_each(&mut expected, &read);
    assert!(policy_from_value(&after).unwrap() == expected);
    assert_ne!(commits(&service).await, count);

    // What a client writes is read as what it was.
    let written = serde_json::to_value(PolicyChanges::from_changes(&read)).unwrap();
    let again = post(&service, &etag, &written["changes"]).await;
    assert_eq!(again.status, 400, "the role is there now");
    let same = post(&service, &etag, &json!([add("fresh", "Role:Readers")])).await;
    assert_eq!(
        same.both(),
        (200, json!({ "etag": etag, "effects": ["unchanged"] })),
        "no change, same state"
    );
    assert_eq!(
        post(&service, &etag, &json!([])).await.json()["effects"],
        json!([])
    );
}

#[tokio::test]
async fn an_invalid_change_rejects_all_changes() {
    let service = Service::start();
    let (tag, before) = policy(&service).await;
    let count = commits(&service).await;
    let refused = post(
        &service,
        &tag,
        &json!([
            add("fresh", "User:a"),
            { "change": "create_role", "role": "PaymentsWriters" },
            { "change": "add_member", "role": "Nowhere", "principal": "Group:eng" },
            { "change": "create_role", "role": "Fresh" },
            { "change": "settings", "settings": { "superusers": ["somebody"] } },
            { "change": "delete_role", "role": "Nowhere" },
        ]),
    )
    .await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (400, &json!("invalid_changes"))
    );
    assert_eq!(
        problems(&refused),
        [
            pair("/changes/1/role", "role_exists"),
            pair("/changes/2/role", "role_unknown"),
            pair("/changes/5/role", "role_unknown"),
        ]
    );
    assert_eq!(policy(&service).await, (tag.clone(), before.clone()));

    let refused = post(
        &service,
        &tag,
        &json!([
            add("fresh", "User:a"),
            add("data-*", "Group:*"),
            { "change": "create_role", "role": "a,b" },
            { "change": "add_member", "role": "PaymentsWriters", "principal": "User:Group:eng" },
        ]),
    )
    .await;
    assert_eq!(
        problems(&refused),
        [
            pair("/changes/1/acl/principal", "principal_wildcard"),
            pair("/changes/1/acl/resource_name", "topic_name"),
            pair("/changes/2/role", "role_name_character"),
            pair("/changes/3/principal", "principal_type_twice"),
        ],
        "what may not be created (D-27)"
    );
    let refused = post(
        &service,
        &tag,
        &json!([add("fresh", "User:a"), { "change": "add_to_group", "group": "x" }]),
    )
    .await;
    assert_eq!(
        problems(&refused),
        [pair("/changes/1/change", "unknown_value")]
    );
    assert_eq!(policy(&service).await, (tag.clone(), before));
    assert_eq!(commits(&service).await, count, "and nothing was stored");
    assert_eq!(
        post(&service, &tag, &json!([add("fresh", "User:a")]))
            .await
            .status,
        200,
        "the state is as it was"
    );
}

#[tokio::test]
async fn an_outdated_state_is_rejected() {
    let service = Service::start();
    let (tag, _) = policy(&service).await;
    let without = service
        .send(Method::POST, PATH, &json!({ "changes": [] }))
        .await;
    assert_eq!(
        (without.status, &without.json()["code"]),
        (428, &json!("precondition_required"))
    );
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "in-between" }))
            .await
            .status,
        201
    );
    let stale = post(&service, &tag, &json!([add("fresh", "User:a")])).await;
    assert_eq!(
        stale.both(),
        (
            412,
            json!({ "code": "policy_changed",
                "message": "the policy has changed; read it again and repeat your change" })
        )
    );
    assert_eq!(
        service
            .get("/v1/acls?filter.resource_name=fresh")
            .await
            .json(),
        json!({ "resources": [] })
    );
    assert_eq!(
        post(&service, "*", &json!([add("fresh", "User:a")]))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn malformed_bodies_are_rejected() {
    let service = Service::start();
    for (body, code) in [
        ("", "invalid_argument"),
        ("[]", "invalid_changes"),
        ("{}", "invalid_changes"),
        ("{\"changes\":[],\"changes\":[]}", "invalid_changes"),
        ("{\"changes\":[", "invalid_changes"),
        (
            "{\"changes\":[{\"change\":\"create_role\",\"role\":7}]}",
            "invalid_changes",
        ),
        ("{\"changes\":[],\"dry_run\":true}", "invalid_changes"),
    ] {
        let mut request = request(Method::POST, PATH, &admin(), body);
        request
            .headers_mut()
            .insert("if-match", "*".parse().unwrap());
        let answer = service.ask(request).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (400, &json!(code)),
            "{body}"
        );
    }
    let mut text = request(Method::POST, PATH, &admin(), "{}");
    text.headers_mut().insert("if-match", "*".parse().unwrap());
    text.headers_mut()
        .insert("content-type", "text/plain".parse().unwrap());
    assert_eq!(service.ask(text).await.status, 415);
    let mut odd = request(
        Method::POST,
        &format!("{PATH}?dry_run=true"),
        &admin(),
        "{\"changes\":[]}",
    );
    odd.headers_mut().insert("if-match", "*".parse().unwrap());
    assert_eq!(
        service.ask(odd).await.status,
        400,
        "a parameter that it does not know"
    );
}

#[tokio::test]
async fn without_a_license_only_unlicensed_changes_are_made() {
    let service = Service::start();
    let setup = json!([
        { "change": "create_role", "role": "R" },
        { "change": "add_member", "role": "R", "principal": "Group:eng" },
        add("kept", "Group:eng"),
    ]);
    assert_eq!(post(&service, "*", &setup).await.status, 200);
    let license = service
        .send(
            Method::PUT,
            "/gbac/v1/license",
            &json!({ "license": "expired" }),
        )
        .await;
    assert_eq!(license.status, 200);
    let (tag, before) = policy(&service).await;
    let mut settings = before["settings"].clone();
    settings["oidc_group_claim_path"] = "$.teams".into();
    let refused = post(
        &service,
        &tag,
        &json!([
            add("fresh", "User:a"),
            add("fresh", "Group:eng"),
            { "change": "remove_member", "role": "R", "principal": "Group:eng" },
            { "change": "create_role", "role": "S" },
            { "change": "settings", "settings": settings },
        ]),
    )
    .await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (403, &json!("license_required"))
    );
    let expected: Vec<_> = [1, 2, 3, 4]
        .map(|at| pair(&format!("/changes/{at}"), "license_required"))
        .into();
    assert_eq!(problems(&refused), expected);
    let both = post(
        &service,
        &tag,
        &json!([add("x", "Group:eng"), { "change": "delete_role", "role": "None" }]),
    )
    .await;
    assert_eq!(
        (both.status, problems(&both).len()),
        (400, 2),
        "with what else is wrong"
    );
    assert_eq!(policy(&service).await, (tag.clone(), before));
    let allowed = json!([
        add("fresh", "User:a"),
        add("kept", "Group:eng"),
        { "change": "add_member", "role": "R", "principal": "Group:eng" },
        { "change": "remove_acl", "acl": acl("kept", "Group:eng") },
        { "change": "delete_role", "role": "R" },
    ]);
    let made = post(&service, &tag, &allowed).await;
    assert_eq!(
        (made.status, &made.json()["effects"]),
        (
            200,
            &json!(["changed", "unchanged", "unchanged", "changed", "changed"])
        )
    );
}

#[tokio::test]
async fn ten_thousand_changes_are_one_commit() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let count = async || {
        commits(&service)
            .await
            .rsplit(' ')
            .next()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = count().await;
    let changes: Vec<Value> = (0..10_000)
        .map(|at| add(&format!("topic-{at}"), "Group:eng"))
        .collect();
    let answer = post(&service, "*", &Value::Array(changes.clone())).await;
    assert_eq!(
        (
            answer.status,
            answer.json()["effects"].as_array().unwrap().len()
        ),
        (200, 10_000)
    );
    assert_eq!(count().await, before + 1);
    let (tag, document) = policy(&service).await;
    let broken: Vec<Value> = changes
        .iter()
        .map(|change| json!({ "change": "remove_acl", "acl": change["acl"] }))
        .chain([json!({ "change": "delete_role", "role": "None" })])
        .collect();
    let refused = post(&service, &tag, &Value::Array(broken)).await;
    assert_eq!(
        problems(&refused),
        [pair("/changes/10000/role", "role_unknown")]
    );
    assert_eq!(policy(&service).await, (tag, document.clone()));
    drop(service);
    let again = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(
        policy(&again).await.1,
        document,
        "what was acknowledged is stored, and nothing of what was refused"
    );
}

#[tokio::test]
async fn only_one_writer_over_the_same_state_succeeds() {
    let service = Arc::new(Own::with(|_| {}));
    let (tag, _) = policy(&service).await;
    let mut writers = JoinSet::new();
    for at in 0..16 {
        let (service, tag) = (Arc::clone(&service), tag.clone());
        writers.spawn(async move {
            let changes = json!([
                { "change": "create_role", "role": format!("r{at}") },
                { "change": "add_member", "role": format!("r{at}"), "principal": "User:a" },
            ]);
            post(&service, &tag, &changes).await.status
        });
    }
    let mut statuses = writers.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![412; 15]].concat());
    let (_, document) = policy(&service).await;
    assert_eq!(document["roles"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn writers_in_one_commit_have_their_own_results() {
    let folder = tempdir().unwrap();
    let service = Arc::new(Service::on(folder.path(), |_| {}).unwrap());
    let mut writers = JoinSet::new();
    for at in 0..64 {
        let service = Arc::clone(&service);
        writers.spawn(async move {
            let role = format!("r{at}");
            let mut changes = vec![
                json!({ "change": "create_role", "role": role }),
                json!({ "change": "add_member", "role": role, "principal": "User:a" }),
                add(&role, &format!("Role:{role}")),
            ];
            if at % 2 == 1 {
                changes
                    .push(json!({ "change": "add_member", "role": "None", "principal": "User:a" }));
            }
            (at, post(&service, "*", &Value::Array(changes)).await.status)
        });
    }
    for (at, status) in writers.join_all().await {
        assert_eq!(status, if at % 2 == 1 { 400 } else { 200 }, "{at}");
    }
    let (_, document) = policy(&service).await;
    let roles = document["roles"].as_array().unwrap();
    assert_eq!(
        (roles.len(), document["acls"].as_array().unwrap().len()),
        (32, 32)
    );
    assert!(
        roles
            .iter()
            .all(|role| role["members"] == json!([{ "principal": "User:a" }])),
        "none is there by half"
    );
    drop(service);
    let again = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(policy(&again).await.1, document);
}

#[tokio::test]
async fn policy_changes_are_in_the_audit_log() {
    let service = Service::start();
    assert_eq!(
        post(&service, "*", &json!([add("fresh", "User:a")]))
            .await
            .status,
        200
    );
    let events = service
        .get_as("/gbac/v1/audit?limit=10", &admin())
        .await
        .json();
    let found = events["events"].as_array().unwrap().iter().any(|event| {
        event["http_request"]["url"]["path"] == PATH
            && event["http_request"]["http_method"] == "POST"
    });
    assert!(found, "{events}");
}

#[test]
fn every_kind_of_change_round_trips() {
    let text = json!({ "changes": [
        add("t", "Role:R"),
        { "change": "remove_acl", "acl": acl("t", "Group:*") },
        { "change": "create_role", "role": "R" },
        { "change": "delete_role", "role": "R" },
        { "change": "delete_role_and_acls", "role": "R" },
        { "change": "add_member", "role": "R", "principal": "Group:urn:x" },
        { "change": "remove_member", "role": "R", "principal": "User:a" },
        { "change": "settings", "settings": { "oidc_group_claim_path": "$.a", "nested_group_behavior": "suffix",
            "oidc_principal_mapping": "$.sub", "superusers": ["admin"] } },
    ] });
    let changes: Vec<Change> = changes_from_json(&text.to_string()).unwrap().changes;
    assert_eq!(
        serde_json::to_value(PolicyChanges::from_changes(&changes)).unwrap(),
        text
    );
}
