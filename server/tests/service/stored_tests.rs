//! `/gbac/v1/tests`: the tests that are stored with a service (D-107).

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_api::stored_tests::MAX_TESTS;
use gbac_server::restore_backup;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::audit::events;
use crate::harness::{Answer, Own, Service, admin, request};

const PATH: &str = "/gbac/v1/tests";

fn test(name: &str, user: &str) -> Value {
    json!({ "name": name, "expect": { "outcome": "deny" }, "check": {
        "identity": { "user": user }, "operation": "OPERATION_READ",
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders" } })
}

fn document(tests: &[Value]) -> Value {
    json!({ "version": 1, "tests": tests })
}

async fn put(service: &Service, tag: &str, body: &str) -> Answer {
    let mut request = request(Method::PUT, PATH, &admin(), body);
    let headers = request.headers_mut();
    headers.insert("if-match", tag.parse().unwrap());
    headers.insert("gbac-reason", "OPS-7".parse().unwrap());
    service.ask(request).await
}

async fn put_tests(service: &Service, tag: &str, tests: &[Value]) -> Answer {
    put(service, tag, &document(tests).to_string()).await
}

async fn read(service: &Service) -> (String, Value) {
    let answer = service.get_as(PATH, &admin()).await;
    assert_eq!(answer.status, 200);
    (answer.header("etag").to_owned(), answer.json())
}

/// The message, the reason and the type of what each event since `seen` is about.
async fn told(service: &Service, seen: usize) -> Vec<(String, Value, Value)> {
    let mut told = Vec::new();
    for event in events(service).await.iter().skip(seen) {
        if event["class_uid"] == 3004 {
            told.push((
                event["message"].as_str().unwrap().to_owned(),
                event["unmapped"]["reason"].clone(),
                event["entity"]["type"].clone(),
            ));
        }
    }
    told
}

#[tokio::test]
async fn tests_are_stored_with_their_events_and_no_update_is_lost() {
    let service = Service::start();
    let (empty, none) = read(&service).await;
    assert_eq!(none, document(&[]));
    let (first, second) = (test("maya reads", "maya"), test("bob reads", "bob"));
    let policy = service.get("/gbac/v1/policy").await;
    let seen = events(&service).await.len();

    let answer = put_tests(
        &service,
        &empty,
        &[first.clone(), second.clone(), first.clone()],
    )
    .await;
    assert_eq!(answer.status, 204);
    let (tag, stored) = read(&service).await;
    assert_eq!(stored, document(&[first.clone(), second.clone()]));
    assert_eq!(answer.header("etag"), tag);
    let again = Request::get(PATH).header("if-none-match", &tag);
    let again = service.ask(again.body(Body::empty()).unwrap()).await;
    assert_eq!(again.status, 304);
    let event = |text: &str, kind: &str| (text.to_owned(), json!("OPS-7"), json!(kind));
    assert_eq!(
        told(&service, seen).await,
        [
            event("admin stored the test maya reads", "test"),
            event("admin stored the test bob reads", "test")
        ]
    );

    let lost = put_tests(&service, &empty, &[]).await;
    assert_eq!(
        lost.both(),
        (
            412,
            json!({ "code": "tests_changed", "message": "the tests have changed; read them again and repeat your change" })
        )
    );
    let without = service.send(Method::PUT, PATH, &document(&[])).await;
    assert_eq!(
        (without.status, without.json()["code"].as_str()),
        (428, Some("precondition_required"))
    );

    let seen = events(&service).await.len();
    let turned = put_tests(&service, &tag, &[second.clone(), first]).await;
    let deleted = put_tests(&service, turned.header("etag"), &[second]).await;
    assert_eq!((turned.status, deleted.status), (204, 204));
    assert_eq!(
        told(&service, seen).await,
        [
            event("admin put the stored tests in another order", "tests"),
            event("admin deleted the test maya reads", "test")
        ]
    );
    let after = service.get("/gbac/v1/policy").await;
    assert_eq!(after.header("etag"), policy.header("etag"));
    assert_eq!(after.both(), policy.both(), "the policy has no tests");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_its_place() {
    let service = Service::start();
    let (tag, _) = read(&service).await;
    let mut broken = test("b", "bob");
    broken["expect"]["outcome"] = "maybe".into();
    let with_policy =
        json!({ "version": 1, "policy": { "version": 1 }, "tests": [test("a", "a")] });
    let many: Vec<Value> = vec![test("a", "a"); MAX_TESTS + 1];
    for (body, path, code) in [
        ("{".to_owned(), "", "json_unfinished"),
        ("[]".to_owned(), "", "wrong_type"),
        (
            document(&[test("a", "a"), broken]).to_string(),
            "/tests/1/expect/outcome",
            "unknown_value",
        ),
        (with_policy.to_string(), "/policy", "test_policy"),
        (document(&many).to_string(), "/tests", "too_many_tests"),
    ] {
        let answer = put(&service, &tag, &body).await;
        let told = answer.json();
        assert_eq!(
            (answer.status, &told["code"]),
            (400, &json!("invalid_tests")),
            "{told}"
        );
        assert_eq!(
            told["message"],
            "the tests have 1 problem; nothing was changed"
        );
        let problem = &told["problems"][0];
        assert_eq!(
            (&problem["path"], &problem["code"]),
            (&json!(path), &json!(code))
        );
    }
    let large = document(&[test(&"x".repeat(1 << 20), "a")]).to_string();
    assert_eq!(put(&service, &tag, &large).await.status, 413);
    assert_eq!(read(&service).await.1, document(&[]));
}

#[tokio::test]
async fn only_those_who_may_change_the_policy_change_tests() {
    let service = Service::start();
    let token = service.people().await.remove(1).token;
    let body = document(&[]).to_string();
    for (credentials, status) in [("", 401), (&format!("Bearer {token}"), 403)] {
        let mut asked = request(Method::PUT, PATH, credentials, &body);
        if credentials.is_empty() {
            asked.headers_mut().remove("authorization");
        }
        asked.headers_mut().insert("if-match", "*".parse().unwrap());
        assert_eq!(service.ask(asked).await.status, status);
    }
    let own = Own::with(|_| {});
    assert_eq!(own.get(PATH).await.status, 401);
}

#[tokio::test]
async fn a_backup_contains_the_tests() {
    let parent = tempdir().unwrap();
    let service = Service::on(&parent.path().join("first"), |_| {}).unwrap();
    let tests = [test("maya reads", "maya")];
    assert_eq!(put_tests(&service, "*", &tests).await.status, 204);
    let backup = service.get_as("/gbac/v1/backup", &admin()).await;
    let folder = parent.path().join("restored");
    restore_backup(&backup.body, &folder).unwrap();
    let restored = Service::on(&folder, |_| {}).unwrap();
    assert_eq!(read(&restored).await, read(&service).await);
    assert_eq!(read(&restored).await.1, document(&tests));
}
