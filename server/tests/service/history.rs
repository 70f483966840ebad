//! `/gbac/v1/changes`, `/gbac/v1/policy?at=`, and the state that every answer has.

use axum::body::Body;
use axum::http::Method;
use gbac_server::restore_backup;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::harness::{Answer, Service, admin, request};

const CHANGES: &str = "/gbac/v1/changes";
const POLICY: &str = "/gbac/v1/policy";

/// The document with its settings.
async fn document(service: &Service, path: &str) -> Value {
    let answer = service.get_as(path, &admin()).await;
    assert_eq!(answer.status, 200, "{path}: {:?}", answer.body);
    answer.json()
}

async fn page(service: &Service, query: &str) -> Value {
    document(service, &format!("{CHANGES}{query}")).await
}

fn seq(answer: &Answer) -> u64 {
    let (_, seq) = answer.header("gbac-state").rsplit_once('.').unwrap();
    seq.parse().unwrap()
}

async fn change(service: &Service, changes: &Value, reason: &str) -> Answer {
    let policy = service.get_as(POLICY, &admin()).await;
    let body = json!({ "changes": changes }).to_string();
    let mut request = request(Method::POST, "/gbac/v1/policy/changes", &admin(), &body);
    let headers = request.headers_mut();
    headers.insert("if-match", policy.header("etag").parse().unwrap());
    if !reason.is_empty() {
        headers.insert("gbac-reason", reason.parse().unwrap());
    }
    let answer = service.ask(request).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    answer
}

#[tokio::test]
async fn every_change_says_who_made_it_and_why() {
    let service = Service::start();
    let role = json!([{ "change": "create_role", "role": "readers" },
        { "change": "add_member", "role": "readers", "principal": "Group:/eng" }]);
    let answer = change(&service, &role, "OPS-7").await;
    let made = seq(&answer);
    let newest = page(&service, "?limit=1").await;
    let entry = &newest["changes"][0];
    assert_eq!(entry["changes"], role);
    assert_eq!(entry["seq"], made);
    assert_eq!(entry["at"], "2027-01-15T08:00:00Z");
    assert_eq!(entry["reason"], "OPS-7");
    assert_eq!(entry["via"], "POST /gbac/v1/policy/changes");
    assert_eq!(entry["request_id"], answer.header("x-request-id"));
    let author = json!({ "name": "admin", "kind": "user", "sign_in": "password" });
    assert_eq!(entry["author"], author);
    assert_eq!(
        document(&service, &format!("{CHANGES}/{made}")).await,
        *entry
    );

    let delete = json!([{ "change": "delete_role", "role": "readers" }]);
    let deleted = change(&service, &delete, "").await;
    let reverse = json!([{ "change": "remove_member", "role": "readers", "principal": "Group:/eng" },
        { "change": "delete_role", "role": "readers" }]);
    let path = format!("{CHANGES}/{}", seq(&deleted));
    assert_eq!(document(&service, &path).await["changes"], reverse);

    let set = json!({ "upsert": { "superusers": ["admin", "maya"] }, "remove": [] });
    let set = service.send(Method::PUT, "/v1/cluster_config", &set).await;
    assert_eq!(set.status, 200);
    let newest = page(&service, "?limit=1").await;
    let change = &newest["changes"][0]["changes"][0];
    assert_eq!(change["change"], "set_setting");
    assert_eq!(change["name"], "superusers");
    assert_eq!(change["after"], json!(["admin", "maya"]));
}

#[tokio::test]
async fn changes_come_in_pages_and_past_policies_as_they_were() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let mut states = vec![(
        seq(&service.get_as(POLICY, &admin()).await),
        document(&service, POLICY).await,
    )];
    for at in 0..7 {
        let role = json!([{ "change": "create_role", "role": format!("role-{at}") }]);
        let answer = change(&service, &role, "").await;
        states.push((seq(&answer), document(&service, POLICY).await));
    }
    let (last, _) = states[7];
    let mut listed = Vec::new();
    let mut query = "?limit=3".to_owned();
    loop {
        let page = page(&service, &query).await;
        for entry in page["changes"].as_array().unwrap() {
            listed.push(entry["seq"].as_u64().unwrap());
        }
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        query = format!("?limit=3&before={next}");
    }
    let all: Vec<u64> = (1..=last).rev().collect();
    assert_eq!(listed, all);
    let check = async |service: &Service| {
        for (seq, state) in &states {
            assert_eq!(
                document(service, &format!("{POLICY}?at={seq}")).await,
                *state
            );
        }
    };
    check(&service).await;
    let backup = service.get_as("/gbac/v1/backup", &admin()).await;
    drop(service);
    check(&Service::on(folder.path(), |_| {}).unwrap()).await;
    let restored = tempdir().unwrap();
    restore_backup(&backup.body, restored.path()).unwrap();
    let service = Service::on(restored.path(), |_| {}).unwrap();
    check(&service).await;

    for (path, status, code) in [
        (format!("{POLICY}?at={}", last + 1), 404, "change_unknown"),
        (format!("{POLICY}?at=x"), 400, "invalid_argument"),
        (format!("{CHANGES}/{}", last + 1), 404, "change_unknown"),
        (format!("{CHANGES}/0"), 404, "change_unknown"),
        (format!("{CHANGES}/x"), 404, "change_unknown"),
        (format!("{CHANGES}?limit=0"), 400, "invalid_argument"),
        (format!("{CHANGES}?before=-1"), 400, "invalid_argument"),
    ] {
        let answer = service.get_as(&path, &admin()).await;
        assert_eq!(
            (answer.status, answer.json()["code"].as_str().unwrap()),
            (status, code),
            "{path}"
        );
    }
}

#[tokio::test]
async fn answers_have_their_state_and_wait_for_the_required_one() {
    let service = Service::start();
    let first = service.get("/gbac/v1/policy").await;
    let state = first.header("gbac-state").to_owned();
    let (store, number) = state.rsplit_once('.').unwrap();
    let number: u64 = number.parse().unwrap();
    let at_least = async |state: &str| {
        let mut request = request(Method::GET, POLICY, &admin(), "");
        let headers = request.headers_mut();
        headers.insert("gbac-at-least", state.parse().unwrap());
        service.ask(request).await
    };
    assert_eq!(at_least(&state).await.status, 200);
    for (state, status, code) in [
        (format!("other.{number}"), 400, "state_foreign"),
        (number.to_string(), 400, "state_invalid"),
        (format!("{store}.-1"), 400, "state_invalid"),
    ] {
        let answer = at_least(&state).await;
        assert_eq!(
            (answer.status, answer.json()["code"].as_str().unwrap()),
            (status, code),
            "{state}"
        );
    }
    let next = format!("{store}.{}", number + 1);
    let (waited, changed) = tokio::join!(at_least(&next), async {
        let role = json!([{ "change": "create_role", "role": "later" }]);
        change(&service, &role, "").await
    });
    assert_eq!(
        (waited.status, waited.header("gbac-state")),
        (200, next.as_str())
    );
    assert_eq!(changed.header("gbac-state"), next);
    let roles = waited.json();
    assert!(roles.to_string().contains("later"));
}

#[tokio::test(start_paused = true)]
async fn a_state_that_does_not_come_is_refused() {
    let service = Service::start();
    let state = service.get(POLICY).await.header("gbac-state").to_owned();
    let mut request = request(Method::GET, POLICY, &admin(), "");
    let headers = request.headers_mut();
    headers.insert("gbac-at-least", format!("{state}9").parse().unwrap());
    let answer = service.ask(request).await;
    assert_eq!(
        (answer.status, answer.json()["code"].as_str().unwrap()),
        (503, "state_behind")
    );
    assert_eq!(answer.header("retry-after"), "1");
}

/// The next event of a stream, without heartbeats.
async fn next_event(body: &mut Body) -> String {
    loop {
        let frame = body.frame().await.unwrap().unwrap();
        let text = String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap();
        if text.starts_with("id: ") {
            return text;
        }
        assert!(text == ":\n\n" || text.starts_with("retry: "), "{text}");
    }
}

#[tokio::test]
async fn a_stream_has_old_and_new_changes_and_goes_on_where_it_ended() {
    let service = Service::start();
    let role = |name: &str| json!([{ "change": "create_role", "role": name }]);
    let first = seq(&change(&service, &role("a"), "").await);
    change(&service, &role("b"), "").await;
    let follow = async |name: &'static str, value: String| {
        let mut request = request(Method::GET, CHANGES, &admin(), "");
        let headers = request.headers_mut();
        headers.insert("accept", "text/event-stream".parse().unwrap());
        headers.insert("accept-encoding", "gzip".parse().unwrap());
        headers.insert(name, value.parse().unwrap());
        service.respond(request).await
    };
    let response = follow("last-event-id", first.to_string()).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    let event = next_event(&mut body).await;
    let head = format!("id: {}\nevent: change\ndata: {{", first + 1);
    assert!(event.starts_with(&head), "{event}");
    let created = role("c");
    let made = change(&service, &created, "because");
    let (waited, _) = tokio::join!(next_event(&mut body), made);
    assert!(waited.contains(r#""reason":"because""#), "{waited}");
    drop(body);
    // Without a number, only what is made from now on.
    let mut body = follow("x-other", "1".into()).await.into_body();
    let created = role("d");
    let (waited, made) = tokio::join!(next_event(&mut body), change(&service, &created, ""));
    assert!(
        waited.starts_with(&format!("id: {}\n", seq(&made))),
        "{waited}"
    );
    assert_eq!(follow("last-event-id", "x".into()).await.status(), 400);
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_so_that_its_access_is_checked_again() {
    let service = Service::start();
    let mut request = request(Method::GET, CHANGES, &admin(), "");
    let headers = request.headers_mut();
    headers.insert("accept", "text/event-stream".parse().unwrap());
    let body = service.respond(request).await.into_body();
    let text = body.collect().await.unwrap().to_bytes();
    let heartbeats = text.windows(3).filter(|line| line == b":\n\n").count();
    assert_eq!(heartbeats, 4, "{text:?}");
}
