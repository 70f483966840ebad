//! Audit events of the service: what leaves one, what it says, and that nothing happens without it (specification 6, D-23).

use std::fs;
use std::path::Path;

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Service, admin, basic, demo_options, refusal, request};

/// A demo that writes its events to a file.
fn writing_to(path: &Path) -> Service {
    Service::with(|options| demo_options(options).audit_file = Some(path.to_owned()))
}

/// The events that a service holds, oldest first.
async fn events(service: &Service) -> Vec<Value> {
    let answer = service.get("/gbac/v1/audit?limit=1000").await;
    assert_eq!(answer.status, 200);
    let Value::Array(mut events) = answer.json()["events"].clone() else { panic!("a list") };
    events.reverse();
    events
}

/// Class, status, user and, where there is one, the decision.
fn told(event: &Value) -> String {
    let user = if event["class_uid"] == 3002 { &event["user"] } else { &event["actor"]["user"] };
    let decision = event["actor"]["authorizations"][0]["decision"].as_str().unwrap_or_default();
    let name = user["name"].as_str().unwrap_or("nobody");
    format!("{} {} {name} {decision}", event["class_uid"], event["status_id"]).trim_end().to_owned()
}

async fn told_by(service: &Service) -> Vec<String> {
    events(service).await.iter().map(told).collect()
}

#[tokio::test]
async fn every_authentication_and_every_decision_has_an_event() {
    let service = Service::start();
    assert_eq!(service.get("/v1/roles").await.status, 200);
    assert_eq!(told_by(&service).await, [""; 0], "a demo's reader asks for nothing that needs leave");
    let role = json!({ "name": "r" });
    assert_eq!(service.send(Method::POST, "/v1/roles", &role).await.status, 201);
    assert_eq!(service.send_as(Method::POST, "/v1/roles", &role, &basic("admin", "x")).await.status, 401);
    let maya = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(service.send_as(Method::POST, "/v1/roles", &role, &maya).await.status, 403);
    let nobody = Request::post("/v1/roles").body(Body::empty()).unwrap();
    assert_eq!(service.ask(nobody).await.status, 401);
    assert_eq!(
        told_by(&service).await,
        [
            "3002 1 admin",
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
    service.send(Method::DELETE, "/v1/roles/none?delete_acls=true", &json!({})).await;
    let token = service.people().await.remove(1).token;
    let path = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    service.send_as(Method::POST, path, &json!({}), &format!("Bearer {token}")).await;
    let mut events = events(&service).await;
    for event in &mut events {
        event["metadata"]["product"]["version"] = "x".into();
    }
    insta::assert_json_snapshot!("events", events);
}

/// What every event of a class has in OCSF 1.0.0, by name.
const REQUIRED: [(u64, &[&str]); 2] = [
    (
        3002,
        &[
            "/activity_id",
            "/category_uid",
            "/class_uid",
            "/metadata/product/name",
            "/metadata/product/vendor_name",
            "/metadata/product/version",
            "/metadata/version",
            "/severity_id",
            "/time",
            "/type_uid",
            "/user/name",
            "/user/type_id",
            "/service/name",
            "/status_id",
        ],
    ),
    (
        6003,
        &[
            "/activity_id",
            "/actor/user/name",
            "/actor/authorizations/0/decision",
            "/api/operation",
            "/api/service/name",
            "/category_uid",
            "/class_uid",
            "/cloud/provider",
            "/metadata/product/name",
            "/metadata/product/version",
            "/metadata/profiles/0",
            "/metadata/version",
            "/severity_id",
            "/src_endpoint",
            "/status_id",
            "/time",
            "/type_uid",
        ],
    ),
];

#[tokio::test]
async fn events_match_the_schema() {
    let service = Service::start();
    let token = service.people().await.remove(0).token;
    let subjects = [json!({ "type": "token", "id": token }), json!({ "type": "token", "id": "x" })];
    for subject in subjects {
        let question = json!({ "subject": subject, "action": { "name": "read" },
            "resource": { "type": "topic", "id": "clickstream" } });
        assert_eq!(service.send(Method::POST, "/access/v1/evaluation", &question).await.status, 200);
    }
    service.send_as(Method::PUT, "/v1/cluster_config", &json!({}), &basic("x", "y")).await;
    let events = events(&service).await;
    assert!(events.len() > 6, "{}", events.len());
    for event in &events {
        let class = event["class_uid"].as_u64().unwrap();
        let (_, required) = REQUIRED.iter().find(|(known, _)| *known == class).unwrap();
        for path in *required {
            assert!(event.pointer(path).is_some_and(|value| !value.is_null()), "{path} is missing in {event}");
        }
        assert_eq!(event["metadata"]["version"], "1.0.0");
        assert_eq!(event["type_uid"].as_u64(), Some(class * 100 + event["activity_id"].as_u64().unwrap()));
        assert_eq!(event["time"], json!(1_800_000_000_000_u64));
        if class == 6003 {
            assert_eq!(event["metadata"]["profiles"], json!(["cloud"]));
        }
    }
}

#[tokio::test]
async fn a_request_without_event_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    let role = json!({ "name": "r" });
    // A folder in the place of the file: what is written there is lost.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let message = "the request is rejected because its audit event cannot be written; check that the audit file is \
                   writable and the disk is not full";
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.both(),
        (503, refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", message))
    );
    assert_eq!(service.get("/v1/roles/r").await.status, 404, "nothing was changed");
    let change = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    assert_eq!(
        service.send(Method::PUT, "/v1/cluster_config", &change).await.both(),
        (503, json!({ "message": message, "code": 503 }))
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let resolve = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    assert_eq!(
        service.send_as(Method::POST, resolve, &json!({}), &token).await.both(),
        (503, json!({ "code": "unavailable", "message": message }))
    );
    let question = json!({ "subject": { "type": "user", "id": "admin" }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "x" } });
    let asked = request(Method::POST, "/access/v1/evaluation", "", &question.to_string());
    let asked = without(asked, "authorization");
    assert_eq!(service.ask(asked).await.both(), (503, json!({ "code": "audit_failed", "message": message})));
    assert_eq!(service.send_as(Method::POST, "/v1/roles", &role, &basic("admin", "x")).await.status, 503);
    assert_eq!(service.get("/v1/roles").await.status, 200, "what needs no event is answered");
    assert_eq!(told_by(&service).await, [""; 0]);
    let metrics = String::from_utf8(service.get("/metrics").await.body.to_vec()).unwrap();
    for line in ["gbac_audit_failures_total 5", "gbac_audit_events_total 0"] {
        assert!(metrics.lines().any(|known| known == line), "{metrics}");
    }

    fs::remove_dir(&path).unwrap();
    assert_eq!(service.send(Method::POST, "/v1/roles", &role).await.status, 201);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
}

fn without(mut request: Request<Body>, header: &str) -> Request<Body> {
    request.headers_mut().remove(header);
    request
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_rejects_requests() {
    let service = writing_to(Path::new("/dev/full"));
    assert_eq!(service.send(Method::POST, "/v1/roles", &json!({ "name": "r" })).await.status, 503);
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
    let (admin, wrong) = (basic("admin", PASSWORD), basic("admin", "wrong-horse-battery"));
    let typed_there = basic(&token, "x");
    let swapped = basic(PASSWORD, "admin");
    let bearer = format!("Bearer {token}");
    let question = json!({ "subject": { "type": "token", "id": token }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "clickstream" } });
    for credentials in [&admin, &wrong, &typed_there, &swapped, &bearer, &token, PASSWORD] {
        for path in ["/v1/roles", "/service.core.admin.v2.SecurityService/ResolveOidcIdentity", "/access/v1/evaluation"]
        {
            let mut asked = request(Method::POST, path, credentials, &question.to_string());
            asked.headers_mut().insert("referer", format!("http://u:{PASSWORD}@x/").parse().unwrap());
            asked.headers_mut().insert("cookie", format!("session={PASSWORD}").parse().unwrap());
            asked.headers_mut().insert("x-forwarded-access-token", bearer.parse().unwrap());
            service.ask(asked).await;
        }
        let in_query = format!("/v1/roles?access_token={token}&password={PASSWORD}");
        service.send_as(Method::DELETE, &in_query, &json!({}), credentials).await;
    }
    let written = fs::read_to_string(&path).unwrap();
    let shown = json!(events(&service).await).to_string();
    assert!(written.lines().count() > 20, "{}", written.lines().count());
    assert_eq!(written.lines().count(), events(&service).await.len());
    let [header, payload, signature] = token.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
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
        service.send(Method::POST, "/v1/roles", &json!({ "name": name })).await;
    }
    let newest = service.get("/gbac/v1/audit?limit=1").await.json();
    assert_eq!(newest["events"].as_array().unwrap().len(), 1);
    assert_eq!(newest["events"][0]["class_uid"], 6003);
    assert_eq!(service.get("/gbac/v1/audit").await.json()["events"].as_array().unwrap().len(), 4);
    for limit in ["0", "1001", "-1", "x", ""] {
        let answer = service.get(&format!("/gbac/v1/audit?limit={limit}")).await;
        let message = format!("limit: `{limit}` is not 1 to 1000");
        assert_eq!(answer.both(), (400, json!({ "code": "invalid_argument", "message": message})), "{limit}");
    }
    let wrong =
        Request::get("/gbac/v1/audit").header("authorization", basic("admin", "x")).body(Body::empty()).unwrap();
    assert_eq!(service.ask(wrong).await.status, 401);
    let right = Request::get("/gbac/v1/audit").header("authorization", admin()).body(Body::empty()).unwrap();
    assert_eq!(service.ask(right).await.status, 200);
}

#[tokio::test]
async fn events_are_written_when_audit_is_enabled() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let path = folder.path().join("audit.jsonl");
    let lines = || fs::read_to_string(&path).unwrap().lines().count();
    assert_eq!(service.send(Method::POST, "/v1/roles", &json!({ "name": "a" })).await.status, 201);
    assert_eq!(lines(), 0, "it is off until somebody sets it");
    let set = |on: bool| json!({ "upsert": { "audit_enabled": on }, "remove": [] });
    assert_eq!(service.send(Method::PUT, "/v1/cluster_config", &set(true)).await.status, 200);
    assert_eq!(service.send(Method::POST, "/v1/roles", &json!({ "name": "b" })).await.status, 201);
    assert_eq!(lines(), 2);
    assert_eq!(service.get("/gbac/v1/audit").await.status, 401);
    let events = service.get_as("/gbac/v1/audit", &admin()).await.json();
    assert_eq!(events["events"].as_array().unwrap().len(), 5, "readings too leave their events");
    let question = json!({ "subject": { "type": "user", "id": "u", "properties": { "groups": ["g"] } },
        "action": { "name": "read" }, "resource": { "type": "topic", "id": "x" } });
    let mut asked = request(Method::POST, "/access/v1/evaluation", "", &question.to_string());
    asked.headers_mut().remove("authorization");
    assert_eq!(service.ask(asked).await.status, 401, "outside of a demo a gateway is a superuser");
    assert_eq!(service.send(Method::POST, "/access/v1/evaluation", &question).await.status, 200);
    assert_eq!(service.send(Method::PUT, "/v1/cluster_config", &set(false)).await.status, 200);
    let before = lines();
    assert_eq!(service.send(Method::POST, "/v1/roles", &json!({ "name": "c" })).await.status, 201);
    assert_eq!(lines(), before);
    assert!(fs::read_to_string(&path).unwrap().contains(r#"{"type":"idp_group","name":"g"}"#));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_reads_the_audit_file() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    assert_eq!(service.send(Method::POST, "/v1/roles", &json!({ "name": "a" })).await.status, 201);
    let file = fs::metadata(&path).unwrap();
    assert!(file.len() > 0);
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn an_unwritable_audit_file_prevents_the_start() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("audit.jsonl")).unwrap();
    let error = Service::on(folder.path(), |_| {}).err().unwrap();
    assert_eq!(error.code(), "audit_file");
    assert!(error.to_string().starts_with("cannot write the audit file `"), "{error}");
}
