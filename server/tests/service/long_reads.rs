//! Reads of everything: they do not delay other requests, take turns for each reader, and are
//! complete in every encoding (D-128).

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::task::Poll;

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, Response};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use crate::harness::{Service, admin, request};
use crate::messages::{ACLS, ADMIN, ROLES, WRAPPED, call, framed};

/// With their long names, the ACLs of each type are more than a megabyte.
const ACLS_OF_TYPE: usize = 4_000;
const MEMBERS: usize = 600;

/// A demo with many ACLs of topics and of subjects, and a role with many members.
async fn large() -> Service {
    let service = Service::start();
    let acls: Vec<Value> = (0..2 * ACLS_OF_TYPE)
        .map(|number| {
            let kind = if number % 2 == 0 { "TOPIC" } else { "SUBJECT" };
            json!({ "resource_type": format!("RESOURCE_TYPE_{kind}"), "resource_name": format!("name-{number:0>150}"),
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Group:eng", "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        })
        .collect();
    let members: Vec<Value> = (0..MEMBERS)
        .map(|number| json!({ "principal": format!("User:{number}") }))
        .collect();
    let roles = json!([{ "name": "crowd", "members": members }]);
    let document = json!({ "version": 1, "settings": { "superusers": ["admin"] }, "roles": roles, "acls": acls });
    let mut put = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &document.to_string(),
    );
    put.headers_mut().insert("if-match", "*".parse().unwrap());
    let answer = service.ask(put).await;
    assert_eq!(answer.status, 204, "{:?}", answer.body);
    service
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).body(Body::empty()).unwrap()
}

/// A call over Connect without credentials, which a demo permits.
fn post(path: &str, body: &str) -> Request<Body> {
    Request::post(path)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context))).await
}

/// From this address.
fn from(address: [u8; 4], mut request: Request<Body>) -> Request<Body> {
    request
        .extensions_mut()
        .insert(ConnectInfo(SocketAddr::from((address, 1))));
    request
}

/// The only thread for long work is taken, so that long reads wait, and nothing else does.
#[test]
fn long_reads_leave_the_threads_of_other_requests() {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(beside_long_reads());
}

async fn beside_long_reads() {
    let service = large().await;
    let named = "{\"role_name\":\"crowd\"}";
    for request in [
        get("/v1/acls"),
        get("/v1/acls?filter.host=*"),
        get("/security/acls"),
        get("/gbac/v1/policy"),
        get("/v1/roles?page_size=-1"),
        get("/v1/roles?filter.name_contains=x"),
        get("/v1/roles/crowd"),
        get("/v1/roles/crowd/members"),
        get("/v1/security/roles"),
        get("/v1/security/roles/crowd"),
        get("/v1/security/roles/crowd/members"),
        post(&format!("{ACLS}/ListACLs"), "{}"),
        post(&format!("{ROLES}/ListRoles"), "{\"page_size\":-1}"),
        post(&format!("{ROLES}/GetRole"), named),
        post(&format!("{ROLES}/ListRoleMembers"), named),
        post(
            &format!("{WRAPPED}/GetRole"),
            "{\"request\":{\"role_name\":\"crowd\"}}",
        ),
        post(&format!("{ADMIN}/ListRoles"), "{}"),
        post(&format!("{ADMIN}/GetRole"), "{\"name\":\"crowd\"}"),
    ] {
        let path = request.uri().clone();
        let (taken, end) = mpsc::channel::<()>();
        let other_work = spawn_blocking(move || end.recv());
        let mut read = pin!(service.ask(request));
        assert!(poll_once(&mut read).await.is_pending(), "{path}");
        let evaluation = json!({ "subject": { "type": "user", "id": "a" }, "action": { "name": "read" },
            "resource": { "type": "topic", "id": "t" } });
        let mut decision =
            pin!(service.ask(post("/access/v1/evaluation", &evaluation.to_string())));
        assert!(poll_once(&mut decision).await.is_ready(), "beside {path}");
        assert!(poll_once(&mut read).await.is_pending(), "{path}");
        drop(taken);
        let answer = read.await;
        assert!(other_work.await.unwrap().is_err());
        assert_eq!(answer.status, 200, "{path}: {:?}", answer.body);
    }
}

#[tokio::test]
async fn a_page_of_roles_does_not_wait() {
    let service = large().await;
    let mut page = pin!(service.ask(get("/v1/roles")));
    assert!(poll_once(&mut page).await.is_ready());
}

#[tokio::test]
async fn every_encoding_of_a_long_list_is_complete() {
    let service = large().await;
    let listed = service.get("/v1/acls").await.json();
    assert_eq!(
        listed["resources"].as_array().unwrap().len(),
        2 * ACLS_OF_TYPE
    );
    assert_eq!(
        service
            .get("/security/acls")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        ACLS_OF_TYPE
    );
    let path = format!("{ACLS}/ListACLs");
    let in_json = service.ask(post(&path, "{}")).await;
    assert_eq!(in_json.header("content-type"), "application/json");
    let camel = in_json
        .body
        .windows(13)
        .filter(|word| word == b"\"resourceName")
        .count();
    assert_eq!(
        (camel, in_json.json()["resources"].as_array().unwrap().len()),
        (2 * ACLS_OF_TYPE, 2 * ACLS_OF_TYPE)
    );

    let message = service
        .ask(call(&path, "application/proto", &admin(), Vec::new()))
        .await
        .body;
    let names = message.windows(5).filter(|word| word == b"name-").count();
    assert_eq!(names, 2 * ACLS_OF_TYPE);
    let grpc = service
        .ask(call(&path, "application/grpc", &admin(), framed(b"")))
        .await;
    assert_eq!(
        (&grpc.body[..], grpc.trailers["grpc-status"].as_bytes()),
        (&framed(&message)[..], &b"0"[..])
    );
    let web = service
        .ask(call(&path, "application/grpc-web", &admin(), framed(b"")))
        .await
        .body;
    let trailers = web
        .strip_prefix(framed(&message).as_slice())
        .expect("the same message");
    assert_eq!(trailers, b"\x80\0\0\0\x10grpc-status: 0\r\n");
    let in_json = service
        .ask(call(
            &path,
            "application/grpc+json",
            &admin(),
            framed(b"{}"),
        ))
        .await
        .body;
    assert_eq!(
        serde_json::from_slice::<Value>(&in_json[5..]).unwrap()["resources"]
            .as_array()
            .unwrap()
            .len(),
        8000
    );

    let members = |answer: &Value| answer["members"].as_array().map(Vec::len);
    let wrapped = service
        .ask(post(
            &format!("{WRAPPED}/GetRole"),
            "{\"request\":{\"roleName\":\"crowd\"}}",
        ))
        .await;
    assert_eq!(members(&wrapped.json()["response"]), Some(MEMBERS));
    let roles = service
        .ask(post(&format!("{ADMIN}/ListRoles"), "{}"))
        .await
        .json();
    assert_eq!(members(&roles["roles"][0]), Some(MEMBERS));
    assert_eq!(
        members(&service.get("/v1/security/roles/crowd").await.json()),
        Some(MEMBERS)
    );
}

#[tokio::test]
async fn long_responses_are_compressed_for_who_reads_gzip() {
    let service = large().await;
    for path in ["/v1/acls", "/gbac/v1/policy"] {
        let plain = service.get(path).await;
        let mut packed = get(path);
        packed
            .headers_mut()
            .insert("accept-encoding", "br, gzip".parse().unwrap());
        let packed = service.ask(packed).await;
        assert_eq!(
            (packed.header("content-encoding"), packed.header("vary")),
            ("gzip", "accept-encoding"),
            "{path}"
        );
        let mut content = Vec::new();
        std::io::copy(
            &mut flate2::read::GzDecoder::new(&packed.body[..]),
            &mut content,
        )
        .unwrap();
        assert_eq!(content, plain.body, "{path}");
    }
}

/// A response that is not read is not sent; the third read waits, and that of another reader does
/// not.
#[tokio::test]
async fn a_reader_has_two_long_reads_at_once_and_further_ones_wait() {
    let service = large().await;
    for paths in [
        ["/v1/acls", "/security/acls", "/gbac/v1/policy"],
        ["/gbac/v1/policy", "/v1/acls", "/v1/acls"],
    ] {
        let mut held = Vec::new();
        for path in &paths[..2] {
            held.push(service.respond(from([10, 0, 0, 1], get(path))).await);
        }
        let mut third = pin!(service.respond(from([10, 0, 0, 1], get(paths[2]))));
        assert!(poll_once(&mut third).await.is_pending());
        assert_eq!(
            service
                .respond(from([10, 0, 0, 2], get(paths[2])))
                .await
                .status(),
            200,
            "another reader"
        );
        assert_eq!(
            service
                .respond(from([10, 0, 0, 1], get("/v1/roles")))
                .await
                .status(),
            200,
            "a page"
        );
        assert!(poll_once(&mut third).await.is_pending());
        held.pop();
        assert_eq!(third.await.status(), 200);
    }
}

/// Signed-in users have turns of their own, wherever they are.
#[tokio::test]
async fn turns_are_those_of_the_identity() {
    let service = large().await;
    let as_admin = |address| {
        let mut request = from(address, get("/v1/acls"));
        request
            .headers_mut()
            .insert("authorization", admin().parse().unwrap());
        request
    };
    let held = [
        service.respond(as_admin([10, 0, 0, 1])).await,
        service.respond(as_admin([10, 0, 0, 2])).await,
    ];
    let mut third = pin!(service.respond(as_admin([10, 0, 0, 3])));
    assert!(poll_once(&mut third).await.is_pending());
    assert_eq!(
        service
            .respond(from([10, 0, 0, 3], get("/v1/acls")))
            .await
            .status(),
        200,
        "nobody is somebody else"
    );
    assert!(poll_once(&mut third).await.is_pending());
    drop(held);
    assert_eq!(third.await.status(), 200);
}

/// The first piece of a response.
async fn first_piece(response: &mut Response<Body>) -> Bytes {
    response
        .body_mut()
        .frame()
        .await
        .unwrap()
        .unwrap()
        .into_data()
        .unwrap()
}

#[tokio::test]
async fn slow_readers_share_one_copy_of_the_policy() {
    let service = large().await;
    for coding in ["identity", "gzip"] {
        let read = async |address| {
            let mut request = from(address, get("/gbac/v1/policy"));
            request
                .headers_mut()
                .insert("accept-encoding", coding.parse().unwrap());
            let mut response = service.respond(request).await;
            let piece = first_piece(&mut response).await;
            (response, piece)
        };
        let (one, other) = (read([10, 0, 0, 1]).await, read([10, 0, 0, 2]).await);
        assert_eq!(one.1.as_ptr(), other.1.as_ptr(), "{coding}");
        let name = format!("new-{coding}");
        let created = service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await;
        assert_eq!(created.status, 201);
        let after = read([10, 0, 0, 3]).await;
        assert_ne!(
            one.1.as_ptr(),
            after.1.as_ptr(),
            "another state has a copy of its own"
        );
        assert!(
            service.get("/gbac/v1/policy").await.json()["roles"]
                .to_string()
                .contains(&name)
        );
    }
}

#[tokio::test]
async fn requests_with_many_errors_are_refused_early() {
    let service = Service::start();
    let path = format!("{ADMIN}/AddRoleMembers");
    let binary = b"\x12\x00".repeat(400_000);
    let answer = service
        .ask(call(&path, "application/proto", &admin(), binary))
        .await;
    assert_eq!(answer.status, 400);
    assert!(
        answer.json()["message"]
            .as_str()
            .unwrap()
            .contains("more than 100000 fields"),
        "{:?}",
        answer.body
    );
    let json = format!(
        "{{\"roleName\":\"r\",\"members\":[{}{{}}]}}",
        "{},".repeat(300_000)
    );
    let role = format!("{{\"add\":[{}{{}}]}}", "{},".repeat(300_000));
    for request in [
        request(Method::POST, &path, &admin(), &json),
        request(Method::PUT, "/v1/roles/r", &admin(), &role),
        request(
            Method::POST,
            &format!("{ROLES}/UpdateRoleMembership"),
            &admin(),
            &role,
        ),
    ] {
        let path = request.uri().clone();
        let answer = service.ask(request).await;
        assert_eq!(answer.status, 400, "{path}");
        assert!(
            answer.body.len() < 64 << 10,
            "{path}: {}",
            answer.body.len()
        );
        let last = if path.path().starts_with(ADMIN) {
            "members[99]"
        } else {
            "add[99]"
        };
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(
            text.contains(last) && !text.contains("[100]"),
            "{path}: {text}"
        );
    }
}
