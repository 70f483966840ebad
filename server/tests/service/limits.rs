//! Bodies that are too large, too slow or of the wrong kind, and paths and methods that are not
//! there.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{Method, Request};
use hyper::body::Frame;
use serde_json::json;

use crate::harness::{Service, admin, basic, refusal, request};

/// A body of `count` pieces of 64 KiB that counts how many were taken; without a known length.
fn pieces(count: usize, taken: &Arc<AtomicUsize>) -> Body {
    let taken = Arc::clone(taken);
    Body::new(Pieces { count, taken })
}

type Piece = Result<Frame<Bytes>, Infallible>;

struct Pieces {
    count: usize,
    taken: Arc<AtomicUsize>,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Piece>> {
        if self.taken.load(Ordering::Relaxed) == self.count {
            return Poll::Ready(None);
        }
        self.taken.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![b' '; 64 << 10])))))
    }
}

/// A body that never comes.
struct Never;

impl hyper::body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Piece>> {
        Poll::Pending
    }
}

fn post(body: Body, credentials: &str) -> Request<Body> {
    Request::post("/v1/roles")
        .header("authorization", credentials)
        .header("content-type", "application/json")
        .body(body)
        .unwrap()
}

#[tokio::test]
async fn a_body_over_the_limit_is_drained_within_limits() {
    let service = Service::start();
    let too_large = refusal(
        "RESOURCE_EXHAUSTED",
        "REASON_CONSOLE_ERROR",
        "the body is larger than 1048576 bytes",
    );
    let announced = service
        .ask(post(Body::from(vec![b' '; (1 << 20) + 1]), &admin()))
        .await;
    assert_eq!(announced.both(), (413, too_large.clone()));
    for (count, read) in [(20, 20), (1000, 17 + 65)] {
        let taken = Arc::new(AtomicUsize::new(0));
        let answer = service.ask(post(pieces(count, &taken), &admin())).await;
        assert_eq!(
            (answer.both(), taken.load(Ordering::Relaxed)),
            ((413, too_large.clone()), read)
        );
    }
    let exact = format!("{{\"name\":\"x\"{}}}", " ".repeat((1 << 20) - 12));
    assert_eq!(
        service.ask(post(Body::from(exact), &admin())).await.status,
        201
    );
}

#[tokio::test]
async fn rejected_bodies_are_drained() {
    let service = Service::start();
    let taken = Arc::new(AtomicUsize::new(0));
    let drained = async |request: Request<Body>, status: u16| {
        taken.store(0, Ordering::Relaxed);
        assert_eq!(service.ask(request).await.status, status);
        taken.load(Ordering::Relaxed)
    };
    assert_eq!(
        drained(post(pieces(9, &taken), &basic("admin", "x")), 401).await,
        9
    );
    let mut kind = post(pieces(9, &taken), &admin());
    kind.headers_mut()
        .insert("content-type", "text/plain".parse().unwrap());
    kind.headers_mut()
        .insert("sec-fetch-mode", "navigate".parse().unwrap());
    assert_eq!(drained(kind, 415).await, 9);
    let mut method = post(pieces(9, &taken), &admin());
    *method.method_mut() = Method::PATCH;
    assert_eq!(drained(method, 405).await, 9);
    let mut path = post(pieces(9, &taken), &admin());
    *path.uri_mut() = "/v1/nothing".parse().unwrap();
    assert_eq!(drained(path, 404).await, 9);
    let mut foreign = post(pieces(9, &taken), &admin());
    foreign
        .headers_mut()
        .insert("origin", "https://evil.example".parse().unwrap());
    assert_eq!(drained(foreign, 403).await, 9);
    let mut waiting = post(pieces(9, &taken), &basic("admin", "x"));
    waiting
        .headers_mut()
        .insert("expect", "100-continue".parse().unwrap());
    assert_eq!(
        drained(waiting, 401).await,
        0,
        "a client that waits for leave has sent nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_times_out() {
    let service = Service::start();
    let slow = service.ask(post(Body::new(Never), "Bearer x")).await;
    assert_eq!(slow.status, 401, "the drain has its time");
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let path = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let mut request = request(Method::POST, path, &token, "");
    *request.body_mut() = Body::new(Never);
    let slow = service.ask(request).await;
    assert_eq!(
        slow.both(),
        (
            408,
            json!({ "code": "deadline_exceeded", "message": "the body was not received in time" })
        )
    );
}

#[tokio::test]
async fn bodies_are_parsed_strictly() {
    let service = Service::start();
    let ask = async |body: &str, kind: &str| {
        let mut request = post(Body::from(body.to_owned()), &admin());
        request
            .headers_mut()
            .insert("content-type", kind.parse().unwrap());
        let answer = service.ask(request).await;
        (
            answer.status,
            answer.json()["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let json = "application/json";
    let (status, message) = ask("{\"name\":\"a\",\"name\":\"b\"}", json).await;
    assert_eq!(status, 400);
    assert!(
        message.starts_with("the body is not valid: ") && message.contains("name"),
        "{message}"
    );
    for body in [
        "",
        "{",
        "null",
        "[]",
        "\"x\"",
        "{\"name\":7}",
        "{\"name\":\"x\"} {}",
        "{\"name\":null}",
    ] {
        assert_eq!(ask(body, json).await.0, 400, "{body}");
    }
    // As on the platform, REST bodies are JSON whatever their content type says, but not those that
    // a form can send.
    assert_eq!(ask("{\"name\":\"x\"}", "text/plain").await.0, 201);
    assert_eq!(
        ask("{\"name\":\"x\"}", "application/x-www-form-urlencoded")
            .await
            .0,
        201
    );
    for (name, value) in [
        ("sec-fetch-mode", "navigate"),
        ("user-agent", "Mozilla/5.0"),
        ("origin", "http://127.0.0.1:8420"),
        ("referer", "http://127.0.0.1:8420/x"),
        ("cookie", "a=b"),
    ] {
        let mut form = post(Body::from("{\"name\":\"x\"}"), &admin());
        form.headers_mut()
            .insert("content-type", "text/plain".parse().unwrap());
        form.headers_mut().insert(name, value.parse().unwrap());
        let answer = service.ask(form).await;
        let message = "the content type is `text/plain`; it must be `application/json`";
        assert_eq!(
            (answer.status, answer.json()["message"].clone()),
            (415, json!(message)),
            "{name}"
        );
    }
    assert_eq!(
        ask("{\"name\":\"x\"}", "Application/JSON; charset=utf-8")
            .await
            .0,
        201
    );
    assert_eq!(
        ask("{\"name\":\"y\"}", "application/json; charset=\"UTF-16\"").await,
        (415, "the charset is `UTF-16`; it must be `utf-8`".into())
    );
    let mut packed = post(Body::from("{}"), &admin());
    packed
        .headers_mut()
        .insert("content-encoding", "gzip".parse().unwrap());
    assert_eq!(service.ask(packed).await.status, 415);
    let bytes = service
        .ask(post(Body::from(vec![0xff, 0xfe]), &admin()))
        .await;
    assert_eq!(
        (bytes.status, bytes.json()["message"].clone()),
        (400, json!("the body is not UTF-8"))
    );
}

#[tokio::test]
async fn unknown_paths_and_methods_are_reported() {
    let service = Service::start();
    let path = service.get("/v1/nothing").await;
    assert_eq!(
        path.both(),
        (
            404,
            refusal(
                "NOT_FOUND",
                "REASON_RESOURCE_NOT_FOUND",
                "`/v1/nothing` does not exist"
            )
        )
    );
    let own = service.get("/gbac/v1/nothing").await;
    assert_eq!(
        own.both(),
        (
            404,
            json!({ "code": "not_found", "message": "`/gbac/v1/nothing` does not exist" })
        )
    );
    let admin_api = service.get("/v1/cluster_config/nothing").await;
    assert_eq!(
        admin_api.both(),
        (
            404,
            json!({ "code": 404, "message": "`/v1/cluster_config/nothing` does not exist" })
        )
    );
    let method = service.delete("/v1/roles").await;
    assert_eq!(
        method.both(),
        (
            405,
            refusal(
                "UNIMPLEMENTED",
                "REASON_FEATURE_NOT_SUPPORTED",
                "method `DELETE` is not allowed here"
            )
        )
    );
    let allowed: std::collections::BTreeSet<&str> = method.header("allow").split(',').collect();
    assert_eq!(allowed, ["GET", "HEAD", "POST"].into());
    let post = service
        .send(Method::POST, "/security/roles", &json!({}))
        .await;
    assert_eq!(post.status, 404);
}

#[tokio::test]
async fn a_long_uri_is_rejected() {
    let service = Service::start();
    let of = |bytes: usize| format!("/v1/roles?filter.principal=User:{}", "x".repeat(bytes - 32));
    assert_eq!(service.get(&of(32 << 10)).await.status, 200);
    let message = "the path and its query are longer than 32768 bytes";
    assert_eq!(
        service.get(&of((32 << 10) + 1)).await.both(),
        (
            414,
            refusal("INVALID_ARGUMENT", "REASON_INVALID_INPUT", message)
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_policy_document_has_the_time_limit_of_its_request() {
    let service = Service::start();
    let mut request = request(Method::PUT, "/gbac/v1/policy", &admin(), "");
    request
        .headers_mut()
        .insert("if-match", "*".parse().unwrap());
    *request.body_mut() = Body::new(Never);
    let begin = tokio::time::Instant::now();
    assert_eq!(service.ask(request).await.status, 408);
    assert_eq!(begin.elapsed().as_secs(), 120);
}

#[tokio::test]
async fn a_list_is_rejected_in_place_of_an_object() {
    let service = Service::start();
    let connect = "/service.core.admin.v2.SecurityService";
    let (roles, before) = (
        "/v1/roles/SchemaStewards",
        service.get("/gbac/v1/policy").await.json(),
    );
    for (method, path, body) in [
        (Method::POST, "/v1/roles", json!(["arr"])),
        (Method::POST, "/v1/roles", json!("arr")),
        (
            Method::PUT,
            "/v1/cluster_config",
            json!([{ "nested_group_behavior": "suffix" }, []]),
        ),
        (Method::PUT, "/gbac/v1/license", json!(["missing"])),
        (
            Method::POST,
            &format!("{connect}/CreateRole"),
            json!([{ "name": "arr" }]),
        ),
    ] {
        let answer = service.send(method, path, &body).await;
        assert_eq!(
            (answer.status, answer.json()["message"].clone()),
            (400, "the body must be a JSON object".into())
        );
    }
    for (method, path, body) in [
        (Method::PUT, roles, json!({ "add": [["User:x"]] })),
        (
            Method::PUT,
            roles,
            json!({ "remove": [["Group:engineering"]] }),
        ),
        (
            Method::POST,
            &format!("{connect}/CreateRole"),
            json!({ "role": ["arr", []] }),
        ),
        (
            Method::POST,
            &format!("{connect}/CreateRole"),
            json!({ "role": { "name": "arr", "members": [[{ "name": "x" }]] } }),
        ),
        (
            Method::POST,
            &format!("{connect}/CreateRole"),
            json!({ "role": { "name": "arr", "members": [{ "user": ["x"] }] } }),
        ),
    ] {
        let answer = service.send(method, path, &body).await;
        let message = answer.json()["message"].as_str().unwrap().to_owned();
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(
            message, "the body is not valid: invalid type: sequence, expected an object",
            "{body}"
        );
    }
    assert_eq!(
        service.get("/gbac/v1/policy").await.json(),
        before,
        "nothing was changed"
    );
}

#[tokio::test]
async fn changes_reject_unknown_parameters() {
    let service = Service::start();
    let connect = "/service.core.admin.v2.SecurityService";
    let properties = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    let role = json!({ "name": "new" });
    let filter = "filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
                  &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY";
    let state = async || {
        let level = service.get("/v1/config/log_level/upstream").await.json();
        (
            service.get("/gbac/v1/policy").await.json(),
            service.get("/gbac/v1/license").await.json(),
            level,
        )
    };
    let before = state().await;
    for (method, path, body, name) in [
        (
            Method::PUT,
            "/v1/cluster_config?dryrun=true",
            properties.clone(),
            "dryrun",
        ),
        (
            Method::PUT,
            "/v1/cluster_config?dry_run=false&dry_run=true",
            properties,
            "dry_run",
        ),
        (
            Method::DELETE,
            "/v1/roles/SchemaStewards?delete_acl=true",
            json!({}),
            "delete_acl",
        ),
        (
            Method::DELETE,
            "/v1/roles/SchemaStewards?delete_acls=true&delete_acls=true",
            json!({}),
            "delete_acls",
        ),
        (
            Method::DELETE,
            &format!("/v1/acls?{filter}&principal=User:x"),
            json!({}),
            "principal",
        ),
        (
            Method::PUT,
            "/v1/config/log_level/upstream?level=debug&level=info",
            json!({}),
            "level",
        ),
        (
            Method::PUT,
            "/v1/config/log_level/upstream?level=debug&expire=5",
            json!({}),
            "expire",
        ),
        (
            Method::POST,
            "/v1/roles?dry_run=true",
            role.clone(),
            "dry_run",
        ),
        (
            Method::PUT,
            "/v1/roles/new?create=true",
            json!({ "create": true }),
            "create",
        ),
        (
            Method::PUT,
            "/gbac/v1/license?dry_run",
            json!({ "license": "missing" }),
            "dry_run",
        ),
        (
            Method::PUT,
            "/gbac/v1/policy?dry=true",
            before.0.clone(),
            "dry",
        ),
        (
            Method::POST,
            &format!("{connect}/CreateRole?dry_run=1"),
            json!({ "role": role }),
            "dry_run",
        ),
        (
            Method::POST,
            &format!("{connect}/DeleteRole?deleteAcls=true"),
            json!({ "name": "SchemaStewards" }),
            "deleteAcls",
        ),
    ] {
        let mut request = request(method, path, &admin(), &body.to_string());
        request
            .headers_mut()
            .insert("if-match", "*".parse().unwrap());
        let answer = service.ask(request).await;
        assert_eq!(answer.status, 400, "{path}");
        assert!(
            answer.json().to_string().contains(name),
            "{path} {}",
            answer.json()
        );
    }
    assert_eq!(state().await, before, "nothing was changed");
    let twice = service
        .get("/v1/cluster_config?key=superusers&key=audit_enabled")
        .await;
    assert_eq!(
        twice.both(),
        (
            400,
            json!({ "message": "key: occurs more than once", "code": 400 })
        )
    );
    for read in [
        "/v1/cluster_config?x=1",
        "/v1/acls?x=1",
        "/v1/roles?x=1&x=2",
        "/v1/loggers?x",
    ] {
        assert_eq!(service.get(read).await.status, 200, "{read}");
    }
    let read = service
        .send(
            Method::POST,
            &format!("{connect}/ListRoles?x=1"),
            &json!({}),
        )
        .await;
    assert_eq!(read.status, 200, "what only reads ignores them");
    let none = service
        .send(Method::POST, "/v1/nothing?x=1", &json!({}))
        .await;
    assert_eq!(none.status, 404, "where nothing is there are no parameters");
}
