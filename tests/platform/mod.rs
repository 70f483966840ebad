//! Tests of our programs against a conformance double of the platform (`tests/src/platform`), which
//! shares no code with the service.

mod agreement;
mod bad_answers;
mod binaries;
mod changes;
mod discovery;
mod pull;
mod relay;
mod scripts;

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::service::Service;
use gbac_tests::platform::{Platform, PlatformApi, PlatformOptions};
use serde_json::Value;

/// `Authorization` of the double's superuser.
const ADMIN: &str = "Bearer token-of-admin";

/// Sends a request; the status and the body, which is JSON or text.
fn ask(base: &str, method: &str, path: &str, authorization: &str, body: &str) -> (u16, Value) {
    let address = base.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: {authorization}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status");
    (
        status,
        serde_json::from_str(body).unwrap_or_else(|_| Value::from(body)),
    )
}

/// A service that relays to this cluster.
fn relaying(platform: &Platform) -> Service {
    let (admin, data) = (
        platform.url(PlatformApi::Admin),
        platform.url(PlatformApi::DataPlane),
    );
    Service::start_with(&["--upstream-admin", &admin, "--upstream-dataplane", &data])
}

fn self_managed() -> Platform {
    Platform::start(PlatformOptions::default())
}

/// A role with both kinds of members, ACLs of each kind of principal and of the Schema Registry,
/// and properties: through the platform's own APIs.
fn fill(platform: &Platform) {
    let data = platform.url(PlatformApi::DataPlane);
    let made = |method: &str, path: &str, body: &str, status: u16| {
        let (found, answer) = ask(&data, method, path, ADMIN, body);
        assert_eq!(found, status, "{method} {path}: {answer}");
    };
    for (role, members) in [
        (
            "Readers",
            r#"{"principal":"User:bob"},{"principal":"Group:/eng, all"}"#,
        ),
        ("Writers:x/y", ""),
        ("Empty", ""),
    ] {
        let body = format!(r#"{{"create":true,"add":[{members}]}}"#);
        made(
            "PUT",
            &format!("/v1/roles/{}", role.replace('/', "%2F")),
            &body,
            200,
        );
    }
    for (kind, name, pattern, principal, operation, permission) in [
        (
            "TOPIC",
            "orders-",
            "PREFIXED",
            "RedpandaRole:Readers",
            "READ",
            "ALLOW",
        ),
        (
            "TOPIC",
            "orders-",
            "PREFIXED",
            "RedpandaRole:Readers",
            "DESCRIBE",
            "ALLOW",
        ),
        (
            "TOPIC",
            "orders-secret",
            "LITERAL",
            "Group:/eng, all",
            "ALL",
            "DENY",
        ),
        ("GROUP", "*", "LITERAL", "User:*", "READ", "ALLOW"),
        ("CLUSTER", "", "LITERAL", "User:bob", "DESCRIBE", "ALLOW"),
        (
            "TRANSACTIONAL_ID",
            "tx-",
            "PREFIXED",
            "User:bob",
            "WRITE",
            "ALLOW",
        ),
        (
            "SUBJECT",
            "orders-value",
            "LITERAL",
            "RedpandaRole:Writers:x/y",
            "WRITE",
            "ALLOW",
        ),
        (
            "REGISTRY",
            "",
            "LITERAL",
            "User:bob",
            "DESCRIBE_CONFIGS",
            "ALLOW",
        ),
    ] {
        let body = serde_json::json!({ "resource_type": format!("RESOURCE_TYPE_{kind}"), "resource_name": name,
            "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": "*",
            "operation": format!("OPERATION_{operation}"), "permission_type": format!("PERMISSION_TYPE_{permission}") });
        made("POST", "/v1/acls", &body.to_string(), 201);
    }
    let _ = platform.take_requests();
}
