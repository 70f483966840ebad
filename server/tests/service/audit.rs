//! Audit events of the service: what leaves one, what it says, and that nothing happens without it
//! (specification 6, D-23).

use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::{HeaderName, Method, Request};
use serde_json::{Value, json};

use crate::harness::{Service, admin, basic, demo_options, refusal, request};

/// A demo that writes its events to a file.
pub(crate) fn writing_to(path: &Path) -> Service {
    Service::with(|options| demo_options(options).audit_file = Some(path.to_owned()))
}

/// The file of changes beside that of decisions.
fn changes_beside(decisions: &Path) -> PathBuf {
    decisions.with_file_name("changes.jsonl")
}

/// Everything in both files.
pub(crate) fn written(decisions: &Path) -> String {
    let read = |file: &Path| fs::read_to_string(file).unwrap();
    read(&changes_beside(decisions)) + &read(decisions)
}

/// Folders in the place of both files: nothing can be written.
fn block(decisions: &Path) {
    for file in [decisions, &changes_beside(decisions)] {
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
    }
}

fn unblock(decisions: &Path) {
    for file in [decisions, &changes_beside(decisions)] {
        fs::remove_dir(file).unwrap();
    }
}

/// The events that a service holds, oldest first.
pub(crate) async fn events(service: &Service) -> Vec<Value> {
    let answer = service.get("/gbac/v1/audit?limit=1000").await;
    assert_eq!(answer.status, 200);
    let Value::Array(mut events) = answer.json()["events"].clone() else {
        panic!("a list")
    };
    events.reverse();
    events
}

/// Class, status, user and, where there is one, the decision.
fn told(event: &Value) -> String {
    let user = match event["class_uid"].as_u64() {
        Some(3002) => &event["user"],
        Some(3005 | 3006) => &event["unmapped"]["actor"]["user"],
        _ => &event["actor"]["user"],
    };
    let decision = event["actor"]["authorizations"][0]["decision"]
        .as_str()
        .unwrap_or_default();
    let name = user["name"].as_str().unwrap_or("nobody");
    format!(
        "{} {} {name} {decision}",
        event["class_uid"], event["status_id"]
    )
    .trim_end()
    .to_owned()
}

async fn told_by(service: &Service) -> Vec<String> {
    events(service).await.iter().map(told).collect()
}

#[tokio::test]
async fn every_authentication_and_every_decision_has_an_event() {
    let service = Service::start();
    assert_eq!(service.get("/v1/roles").await.status, 200);
    assert_eq!(
        told_by(&service).await,
        [""; 0],
        "a demo's reader asks for nothing that needs leave"
    );
    let role = json!({ "name": "r" });
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.status,
        201
    );
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &role, &basic("admin", "x"))
            .await
            .status,
        401
    );
    let maya = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &role, &maya)
            .await
            .status,
        403
    );
    let nobody = Request::post("/v1/roles").body(Body::empty()).unwrap();
    assert_eq!(service.ask(nobody).await.status, 401);
    assert_eq!(
        told_by(&service).await,
        [
            "3002 1 admin",
            "3004 1 admin",
            "6003 1 admin authorized",
            "3002 2 admin",
            "3002 1 maya.okafor",
            "6003 2 maya.okafor denied",
            "6003 2 {{anonymous}} denied",
        ]
    );
}

#[tokio::test]
async fn events_contain_the_caller_and_the_request() {
    let service = Service::start();
    service
        .send(
            Method::DELETE,
            "/v1/roles/none?delete_acls=true",
            &json!({}),
        )
        .await;
    let token = service.people().await.remove(1).token;
    let path = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    service
        .send_as(Method::POST, path, &json!({}), &format!("Bearer {token}"))
        .await;
    let mut events = events(&service).await;
    for event in &mut events {
        event["metadata"]["product"]["version"] = "x".into();
        event["metadata"]["correlation_uid"] = "c".into();
    }
    insta::assert_json_snapshot!("events", events);
}

/// The messages of the changes, oldest first.
async fn changes(service: &Service) -> Vec<String> {
    let events = events(service).await;
    events
        .iter()
        .filter_map(|event| event["message"].as_str().map(str::to_owned))
        .collect()
}

fn acl(principal: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "y", "principal": principal, "host": "*",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "operation": "OPERATION_READ",
        "permission_type": "PERMISSION_TYPE_ALLOW" })
}

const ONE_ACL: &str = "filter.resource_type=RESOURCE_TYPE_TOPIC&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_LITERAL\
                       &filter.operation=OPERATION_READ&filter.permission_type=PERMISSION_TYPE_ALLOW";

#[tokio::test]
async fn every_change_says_what_was_changed() {
    let service = Service::start();
    service
        .send(Method::POST, "/v1/acls", &acl("Group:x"))
        .await;
    service
        .send(Method::POST, "/v1/roles", &json!({ "name": "R" }))
        .await;
    let update = json!({ "role": { "name": "R" }, "add": [{ "principal": "User:a" }, { "principal": "Group:g" }] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/roles/R", &update)
            .await
            .status,
        200
    );
    let superusers = json!({ "upsert": { "superusers": ["root", "bob"], "oidc_group_claim_path": "$.roles" }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &superusers)
            .await
            .status,
        200
    );
    service.send(Method::POST, "/v1/acls", &acl("Role:R")).await;
    assert_eq!(
        service.delete("/v1/roles/R?delete_acls=true").await.status,
        204
    );
    assert_eq!(
        service
            .delete(&format!("/v1/acls?{ONE_ACL}&filter.principal=Group:x"))
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .send(
                Method::PUT,
                "/gbac/v1/license",
                &json!({ "license": "expired" })
            )
            .await
            .status,
        200
    );
    let level = "/v1/config/log_level/upstream?level=info";
    assert_eq!(
        service.send(Method::PUT, level, &json!({})).await.status,
        200
    );
    assert_eq!(
        changes(&service).await,
        [
            "admin added an ACL: Allow Read, topic y literal, of Group:x",
            "admin created the role R",
            "admin added User:a to the role R",
            "admin added Group:g to the role R",
            "admin made bob a superuser",
            "admin set oidc_group_claim_path from $.groups to $.roles",
            "admin added an ACL: Allow Read, topic y literal, of Role:R",
            "admin deleted the role R and its ACL",
            "admin removed an ACL: Allow Read, topic y literal, of Group:x",
            "admin set license from valid to expired",
            "admin set upstream from {\"level\":\"info\"} to {\"expires\":300,\"level\":\"info\"}",
        ]
    );
    let deleted = events(&service).await;
    let deleted = deleted
        .iter()
        .find(|event| event["entity"]["type"] == "role" && event["activity_id"] == 4)
        .unwrap();
    assert_eq!(
        deleted["entity"]["data"]["members"],
        json!(["User:a", "Group:g"])
    );
    assert_eq!(deleted["entity"]["data"]["acls"][0]["principal"], "Role:R");
}

#[tokio::test]
async fn replacing_the_policy_lists_what_it_changes() {
    let service = Service::start();
    let read = service.get("/gbac/v1/policy").await;
    let mut document = read.json();
    let count = document["acls"].as_array().unwrap().len();
    document["acls"].as_array_mut().unwrap().remove(0);
    document["acls"]
        .as_array_mut()
        .unwrap()
        .push(acl("Group:new"));
    let replace = |etag: &str, document: &Value| {
        let mut asked = request(
            Method::PUT,
            "/gbac/v1/policy",
            &admin(),
            &document.to_string(),
        );
        asked
            .headers_mut()
            .insert("if-match", etag.parse().unwrap());
        asked
    };
    let answer = service.ask(replace(read.header("etag"), &document)).await;
    assert_eq!(answer.status, 204);
    let told = changes(&service).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("admin removed an ACL: "), "{told:?}");
    assert_eq!(
        told[1],
        "admin added an ACL: Allow Read, topic y literal, of Group:new"
    );
    let state = events(&service)
        .await
        .into_iter()
        .find(|event| event["class_uid"] == 3004)
        .unwrap();
    assert_eq!(
        state["unmapped"]["state"]["policy_etag"],
        answer.header("etag").trim_matches('"'),
        "the state it led to"
    );

    // Many changes share events, and none is left out.
    let many = document["acls"].as_array_mut().unwrap();
    many.extend((0..250).map(|n| acl(&format!("Group:g{n}"))));
    assert_eq!(
        service
            .ask(replace(answer.header("etag"), &document))
            .await
            .status,
        204
    );
    let shared: Vec<Value> = events(&service)
        .await
        .into_iter()
        .filter(|event| event["entity"]["type"] == "policy")
        .collect();
    let data: Vec<&Value> = shared
        .iter()
        .map(|event| &event["entity_result"]["data"])
        .collect();
    assert_eq!(
        data.iter()
            .map(|data| data["changes"].as_array().unwrap().len())
            .collect::<Vec<_>>(),
        [100, 100, 50]
    );
    assert_eq!(
        (&data[2]["first"], &data[2]["last"], &data[2]["total"]),
        (&json!(201), &json!(250), &json!(250))
    );
    assert!(count > 0);
}

#[tokio::test]
async fn the_events_of_a_request_have_its_id() {
    let service = Service::start();
    let made = service
        .send(Method::POST, "/v1/roles", &json!({ "name": "r" }))
        .await;
    let id = made.header("x-request-id").to_owned();
    assert!(!id.is_empty());
    let all = events(&service).await;
    let classes: Vec<u64> = all
        .iter()
        .map(|event| event["class_uid"].as_u64().unwrap())
        .collect();
    assert_eq!(classes, [3002, 3004, 6003]);
    assert!(
        all.iter()
            .all(|event| event["metadata"]["correlation_uid"] == id.as_str()),
        "{all:?}"
    );
    assert_eq!(all[1]["unmapped"]["sign_in"]["auth_protocol"], "Basic");

    let mut asked = request(
        Method::POST,
        "/v1/roles",
        &admin(),
        &json!({ "name": "s" }).to_string(),
    );
    asked
        .headers_mut()
        .insert("x-request-id", "mine-7".parse().unwrap());
    assert_eq!(service.ask(asked).await.header("x-request-id"), "mine-7");
    assert_eq!(
        events(&service).await.last().unwrap()["metadata"]["correlation_uid"],
        "mine-7"
    );
}

#[tokio::test]
async fn a_call_without_success_is_told_apart() {
    let service = Service::start();
    let role = json!({ "role": { "name": "r", "members": [{ "user": { "name": "a" } }] } });
    let create = "/service.core.admin.v2.SecurityService/CreateRole";
    assert_eq!(service.send(Method::POST, create, &role).await.status, 200);
    assert_eq!(service.send(Method::POST, create, &role).await.status, 200);
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "r" }))
            .await
            .status,
        409
    );
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "" }))
            .await
            .status,
        400
    );
    let dry_run = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config?dry_run=true", &dry_run)
            .await
            .status,
        200
    );
    let calls: Vec<Value> = events(&service)
        .await
        .into_iter()
        .filter(|event| event["class_uid"] == 6003)
        .collect();
    let told: Vec<Value> = calls
        .iter()
        .map(|event| {
            json!([
                event["status_id"],
                event["status_code"],
                event["api"]["response"]["code"]
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!([1, null, 200]),
            json!([99, "unchanged", 200]),
            json!([2, "already_exists", 409]),
            json!([2, "invalid_argument", 400]),
            json!([99, "unchanged", 200]),
        ]
    );
    assert_eq!(calls[2]["status_detail"], "role `r` already exists");
    assert_eq!(changes(&service).await.len(), 2, "a role and its member");
}

#[tokio::test]
async fn decisions_name_the_gateway_and_its_request() {
    let service = Service::start();
    let question = json!({ "subject": { "type": "user", "id": "alice" }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "x" } });
    let mut asked = request(
        Method::POST,
        "/access/v1/evaluation",
        &admin(),
        &question.to_string(),
    );
    asked
        .headers_mut()
        .insert("x-request-id", "gateway-1".parse().unwrap());
    assert_eq!(service.ask(asked).await.status, 200);
    let decisions = events(&service).await;
    let of_alice = |event: &&Value| {
        event["metadata"]["correlation_uid"] == "gateway-1" && event["class_uid"] == 6003
    };
    let decided = decisions.iter().find(of_alice).unwrap();
    assert_eq!(
        (
            &decided["actor"]["invoked_by"],
            &decided["actor"]["user"]["name"]
        ),
        (&json!("admin"), &json!("alice"))
    );
    let signed_in = decisions
        .iter()
        .find(|event| event["user"]["name"] == "alice")
        .unwrap();
    assert_eq!(signed_in["actor"], json!({ "invoked_by": "admin" }));
}

#[tokio::test]
async fn the_event_of_a_request_names_the_acls_that_it_changed() {
    let service = Service::start();
    let acl = |operation: &str| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "new-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
            "principal": "Group:eng", "host": "*", "operation": operation, "permission_type": "PERMISSION_TYPE_DENY" })
    };
    let last = async || -> Value {
        let of_request = |event: &&Value| {
            event["class_uid"] == 6003 && event["http_request"]["http_method"] != "GET"
        };
        events(&service)
            .await
            .iter()
            .rfind(of_request)
            .cloned()
            .unwrap()
    };
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &acl("OPERATION_READ"))
            .await
            .status,
        201
    );
    let event = last().await;
    assert_eq!(
        event["resources"],
        json!([{ "name": "create acl", "type": "acl_binding", "data": { "resource_type": "topic", "resource_name": "new-",
            "pattern_type": "prefixed", "acl_principal": "type {group} name {eng}", "acl_host": "{{any_host}}",
            "acl_operation": "read", "acl_permission": "deny" } },
            { "name": "kafka-cluster", "type": "cluster" }])
    );
    assert_eq!(event["metadata"]["product"]["uid"], "0");
    // The same again changes nothing, and is not named.
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &acl("OPERATION_READ"))
            .await
            .status,
        201
    );
    assert_eq!(last().await["resources"], Value::Null);
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &acl("OPERATION_WRITE"))
            .await
            .status,
        201
    );
    let filter = "/v1/acls?filter.resource_type=RESOURCE_TYPE_TOPIC&filter.resource_name=new-\
        &filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_PREFIXED&filter.operation=OPERATION_ANY\
        &filter.permission_type=PERMISSION_TYPE_ANY";
    assert_eq!(
        service
            .send(Method::DELETE, filter, &json!({}))
            .await
            .status,
        200
    );
    let event = last().await;
    let names: Vec<&str> = event["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["delete acl", "delete acl", "kafka-cluster"]);
}

#[tokio::test]
async fn a_new_data_folder_records_from_the_first_change_on() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let created = service.send(Method::POST, "/v1/acls", &acl("User:a")).await;
    assert_eq!(created.status, 201);
    let path = changes_beside(&folder.path().join("audit.jsonl"));
    let events = fs::read_to_string(&path).unwrap();
    assert!(events.lines().count() > 0, "{events}");
    // What an administrator turns off stays off.
    let off = json!({ "upsert": { "audit_enabled": false }, "remove": [] });
    let turned_off = service.send(Method::PUT, "/v1/cluster_config", &off).await;
    assert_eq!(turned_off.status, 200);
    drop(service);
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let properties = service.get_as("/v1/cluster_config", &admin()).await.json();
    assert_eq!(properties["audit_enabled"], false);
}

#[tokio::test]
async fn auditing_can_be_turned_off_when_the_log_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let path = folder.path().join("audit.jsonl");
    let set = |on: bool| json!({ "upsert": { "audit_enabled": on }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(true))
            .await
            .status,
        200
    );
    assert_eq!(service.get("/readyz").await.status, 200);
    block(&path);
    let ready = service.get("/readyz").await;
    assert_eq!(ready.status, 503);
    assert!(
        String::from_utf8_lossy(&ready.body).starts_with("the audit log cannot be written: "),
        "{:?}",
        ready.body
    );
    let metrics = service.get("/metrics").await;
    assert!(String::from_utf8_lossy(&metrics.body).contains("\ngbac_audit_writable 0\n"));
    let other = json!({ "upsert": { "audit_enabled": false, "nested_group_behavior": "suffix" }, "remove": [] });
    for refused in [
        &other,
        &json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] }),
        &set(true),
    ] {
        assert_eq!(
            service
                .send(Method::PUT, "/v1/cluster_config", refused)
                .await
                .status,
            503,
            "{refused}"
        );
    }
    assert_eq!(
        service
            .send_as(
                Method::PUT,
                "/v1/cluster_config",
                &set(false),
                &basic("admin", "x")
            )
            .await
            .status,
        503
    );
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "r" }))
            .await
            .status,
        503
    );
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(false))
            .await
            .status,
        200
    );
    let config = service.get_as("/v1/cluster_config", &admin()).await.json();
    assert_eq!(
        (&config["audit_enabled"], &config["nested_group_behavior"]),
        (&json!(false), &json!("none"))
    );
    assert_eq!(service.get("/readyz").await.status, 200);

    unblock(&path);
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(true))
            .await
            .status,
        200
    );
    let text = fs::read_to_string(changes_beside(&path)).unwrap();
    let messages: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|event| event["message"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(
        messages,
        [
            "gbac writes the audit log again; requests refused in between: 5",
            "admin turned the audit log off",
            "admin turned the audit log on"
        ]
    );
}

#[tokio::test]
async fn the_reserve_of_the_disk_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::unaudited(folder.path(), |options| {
        options.audit_files.reserve_bytes = u64::MAX;
    })
    .await;
    let set = |on: bool| json!({ "upsert": { "audit_enabled": on }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(true))
            .await
            .status,
        503,
        "its event needs space"
    );
    assert_eq!(service.get("/readyz").await.status, 200, "it is off");
}

#[tokio::test]
async fn a_request_without_event_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    let role = json!({ "name": "r" });
    block(&path);
    let message = "the request is rejected because its audit event cannot be written; check that the audit file is \
                   writable and the disk is not full";
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.both(),
        (503, refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", message))
    );
    assert_eq!(
        service.get("/v1/roles/r").await.status,
        404,
        "nothing was changed"
    );
    let change = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &change)
            .await
            .both(),
        (503, json!({ "message": message, "code": 503 }))
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let resolve = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    assert_eq!(
        service
            .send_as(Method::POST, resolve, &json!({}), &token)
            .await
            .both(),
        (503, json!({ "code": "unavailable", "message": message }))
    );
    let question = json!({ "subject": { "type": "user", "id": "admin" }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "x" } });
    let asked = request(
        Method::POST,
        "/access/v1/evaluation",
        "",
        &question.to_string(),
    );
    let asked = without(asked, "authorization");
    assert_eq!(
        service.ask(asked).await.both(),
        (503, json!({ "code": "audit_failed", "message": message}))
    );
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &role, &basic("admin", "x"))
            .await
            .status,
        503
    );
    assert_eq!(
        service.get("/v1/roles").await.status,
        200,
        "what needs no event is answered"
    );
    assert_eq!(told_by(&service).await, [""; 0]);
    let metrics = String::from_utf8(service.get("/metrics").await.body.to_vec()).unwrap();
    for line in ["gbac_audit_failures_total 5", "gbac_audit_events_total 0"] {
        assert!(metrics.lines().any(|known| known == line), "{metrics}");
    }

    unblock(&path);
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.status,
        201
    );
    let written = fs::read_to_string(changes_beside(&path)).unwrap();
    let first: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    assert!(
        first["message"]
            .as_str()
            .unwrap()
            .starts_with("gbac writes the audit log again"),
        "{first}"
    );
}

fn without(mut request: Request<Body>, header: &str) -> Request<Body> {
    request.headers_mut().remove(header);
    request
}

#[tokio::test]
async fn a_full_disk_rejects_requests() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::with(|options| {
        options.audit_files.reserve_bytes = u64::MAX;
        demo_options(options).audit_file = Some(folder.path().join("audit.jsonl"));
    });
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "r" }))
            .await
            .status,
        503
    );
    assert_eq!(service.get("/v1/roles/r").await.status, 404);
}

#[tokio::test]
async fn no_event_contains_credentials() {
    const PASSWORD: &str = "correct-horse-battery";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = Service::with(|options| {
        demo_options(options).audit_file = Some(path.clone());
        options.admin_password = Some(PASSWORD.into());
    });
    let token = service.people().await.remove(0).token;
    let (admin, wrong) = (
        basic("admin", PASSWORD),
        basic("admin", "wrong-horse-battery"),
    );
    let typed_there = basic(&token, "x");
    let swapped = basic(PASSWORD, "admin");
    let bearer = format!("Bearer {token}");
    let question = json!({ "subject": { "type": "token", "id": token }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "clickstream" } });
    for credentials in [
        &admin,
        &wrong,
        &typed_there,
        &swapped,
        &bearer,
        &token,
        PASSWORD,
    ] {
        for path in [
            "/v1/roles",
            "/service.core.admin.v2.SecurityService/ResolveOidcIdentity",
            "/access/v1/evaluation",
        ] {
            let mut asked = request(Method::POST, path, credentials, &question.to_string());
            asked.headers_mut().insert(
                "referer",
                format!("http://u:{PASSWORD}@x/").parse().unwrap(),
            );
            asked
                .headers_mut()
                .insert("cookie", format!("session={PASSWORD}").parse().unwrap());
            for name in [
                "x-forwarded-access-token",
                "x-vault-token",
                "x-access-token",
                "api-key",
                PASSWORD,
            ] {
                asked.headers_mut().insert(
                    HeaderName::from_bytes(name.as_bytes()).unwrap(),
                    PASSWORD.parse().unwrap(),
                );
            }
            asked
                .headers_mut()
                .insert("x-request-id", bearer.parse().unwrap());
            service.ask(asked).await;
        }
        let encoded = token.replace('.', "%2E");
        for path in [
            format!("/v1/roles?access_token={token}&password={PASSWORD}"),
            format!("/v1/roles?api_key={PASSWORD}&{PASSWORD}"),
            format!("/v1/roles/{encoded}?delete_acls=true"),
            format!("/v1/roles/{}", encoded.replace('%', "%25")),
            format!("/v1/acls?filter.resource_name={encoded}"),
        ] {
            service
                .send_as(Method::DELETE, &path, &json!({}), credentials)
                .await;
            service.get_as(&path, credentials).await;
        }
        for id in [&token, &encoded] {
            let question = json!({ "subject": { "type": "user", "id": "a", "properties": { "groups": [id] } },
                "action": { "name": "read" }, "resource": { "type": "topic", "id": id } });
            service
                .send_as(
                    Method::POST,
                    "/access/v1/evaluation",
                    &question,
                    credentials,
                )
                .await;
            service
                .send_as(
                    Method::POST,
                    "/v1/roles",
                    &json!({ "name": id }),
                    credentials,
                )
                .await;
        }
    }
    let written = written(&path);
    let shown = json!(events(&service).await).to_string();
    assert!(written.lines().count() > 20, "{}", written.lines().count());
    let [header, payload, signature] = token.split('.').collect::<Vec<_>>()[..] else {
        panic!("three parts")
    };
    let of = |credentials: &str| credentials.split_once(' ').unwrap().1.to_owned();
    for secret in [
        PASSWORD,
        "wrong-horse",
        header,
        payload,
        signature,
        &of(&admin),
        &of(&wrong),
        &of(&typed_there),
        &of(&swapped),
    ] {
        for text in [&written, &shown] {
            assert!(!text.contains(secret), "{secret} is in an event");
        }
    }
}

#[tokio::test]
async fn the_latest_events_are_returned() {
    let service = Service::start();
    for name in ["a", "b"] {
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await;
    }
    let newest = service.get("/gbac/v1/audit?limit=1").await.json();
    assert_eq!(newest["events"].as_array().unwrap().len(), 1);
    assert_eq!(newest["events"][0]["class_uid"], 6003);
    assert_eq!(
        service.get("/gbac/v1/audit").await.json()["events"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    for limit in ["0", "1001", "-1", "x", ""] {
        let answer = service.get(&format!("/gbac/v1/audit?limit={limit}")).await;
        let message = format!("limit: `{limit}` is not 1 to 1000");
        assert_eq!(
            answer.both(),
            (
                400,
                json!({ "code": "invalid_argument", "message": message})
            ),
            "{limit}"
        );
    }
    let wrong = Request::get("/gbac/v1/audit")
        .header("authorization", basic("admin", "x"))
        .body(Body::empty())
        .unwrap();
    assert_eq!(service.ask(wrong).await.status, 401);
    let right = Request::get("/gbac/v1/audit")
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    assert_eq!(service.ask(right).await.status, 200);
}

#[tokio::test]
async fn events_are_written_when_audit_is_enabled() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::unaudited(folder.path(), |_| {}).await;
    let path = folder.path().join("audit.jsonl");
    let lines = || written(&path).lines().count();
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "a" }))
            .await
            .status,
        201
    );
    assert_eq!(lines(), 0, "it is off until somebody sets it");
    let set = |on: bool| json!({ "upsert": { "audit_enabled": on }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(true))
            .await
            .status,
        200
    );
    assert_eq!(lines(), 2, "turning it on is recorded");
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "b" }))
            .await
            .status,
        201
    );
    assert_eq!(lines(), 5);
    assert_eq!(service.get("/gbac/v1/audit").await.status, 401);
    let events = service.get_as("/gbac/v1/audit", &admin()).await.json();
    assert_eq!(
        events["events"].as_array().unwrap().len(),
        8,
        "readings too leave their events"
    );
    let question = json!({ "subject": { "type": "user", "id": "u", "properties": { "groups": ["g"] } },
        "action": { "name": "read" }, "resource": { "type": "topic", "id": "x" } });
    let mut asked = request(
        Method::POST,
        "/access/v1/evaluation",
        "",
        &question.to_string(),
    );
    asked.headers_mut().remove("authorization");
    assert_eq!(
        service.ask(asked).await.status,
        401,
        "outside of a demo a gateway is a superuser"
    );
    assert_eq!(
        service
            .send(Method::POST, "/access/v1/evaluation", &question)
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set(false))
            .await
            .status,
        200
    );
    let before = lines();
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "c" }))
            .await
            .status,
        201
    );
    assert_eq!(lines(), before);
    assert!(
        fs::read_to_string(&path)
            .unwrap()
            .contains(r#"{"type":"idp_group","name":"g"}"#)
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_the_audit_file() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "a" }))
            .await
            .status,
        201
    );
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &json!({}), "Bearer x")
            .await
            .status,
        401
    );
    for file in [changes_beside(&path), path] {
        let file = fs::metadata(&file).unwrap();
        assert!(file.len() > 0);
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn an_unwritable_audit_file_prevents_the_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("audit.jsonl")).unwrap();
    let error = Service::on(folder.path(), |_| {}).err().unwrap();
    assert_eq!(error.code(), "audit_file");
    assert!(
        error
            .to_string()
            .starts_with("cannot write the audit file `"),
        "{error}"
    );
}
