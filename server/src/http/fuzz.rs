//! What the fuzz targets of messages and of the headers of proxies run.

use std::net::{IpAddr, SocketAddr};

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, FORWARDED};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use futures_util::FutureExt;
use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::paths::SECURITY_SERVICE;
use gbac_api::roles::{MemberAction, MemberQuery, RoleQuery, UpdateRole};
use gbac_api::security::{DeleteRole, Named, RoleMember, RoleMembers, WithRole, principals};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::{Value, json};
use url::{Host, Url};

use super::descriptors::{
    FieldNames, MessageDescriptor, bytes_of_json, json_of_bytes, json_of_json, methods,
};
use super::messages::{Call, framed};
use super::named_fields::NamedFields;
use super::query::parameters;
use super::surface::Surface;
use super::transcode::{Codec, write_message};
use crate::client_address::TrustedProxies;
use crate::client_address::{ForwardedClient, find_client};
use crate::state::public_endpoint::{PublicEndpoint, PublicEndpointOptions};

/// The encodings of a call, and whether it is one of gRPC.
const CONTENT_TYPES: [(&str, bool); 8] = [
    ("application/json", false),
    ("application/proto", false),
    ("application/grpc", true),
    ("application/grpc+proto", true),
    ("application/grpc+json", true),
    ("application/grpc-web", true),
    ("application/grpc-web+proto", true),
    ("application/grpc-web+json", true),
];
/// In the second byte: the body of gRPC has no prefix yet.
const FRAME: u8 = 8;

/// Fuzzes the messages of all services. The first byte is the method, the second the encoding, the
/// rest the body.
///
/// # Panics
/// If a body is read into a message that is another one once it is written.
pub fn messages(bytes: &[u8]) {
    let Some(([method, encoding], body)) = bytes.split_first_chunk() else {
        return;
    };
    let methods: Vec<_> = methods().collect();
    let Some(method) = methods.get(usize::from(*method) % methods.len()) else {
        return;
    };
    let service = method.parent_service();
    let path = format!("/{}/{}", service.full_name(), method.name());
    let Some((content_type, is_grpc)) = CONTENT_TYPES.get(usize::from(*encoding % FRAME)) else {
        return;
    };
    let request = Request::post(path.as_str())
        .header(CONTENT_TYPE, *content_type)
        .body(Body::empty());
    let call = request.ok().as_ref().and_then(Call::from_request);
    assert!(call.is_some(), "{path} is a call");
    let Some(call) = call else { return };
    let body = if *is_grpc && encoding & FRAME != 0 {
        framed(0, body)
    } else {
        body.to_vec().into()
    };
    match call.decode(&body) {
        Ok(message) => {
            message_is_kept(&method.input(), &message);
            message_is_read(&message);
        }
        Err(problem) => {
            assert!(!problem.message().is_empty());
            let refused = call
                .encode(problem.response(Surface::of_service(service.full_name())))
                .now_or_never();
            let is_refused = match refused {
                Some(response) => is_refusal(response, *is_grpc),
                None => false,
            };
            assert!(is_refused, "{path} {content_type}");
        }
    }
}

/// Whether a response says that the call is refused: by its status, or in the headers or trailers
/// of gRPC.
fn is_refusal(response: Response, is_grpc: bool) -> bool {
    if !is_grpc || response.headers().contains_key("grpc-status") {
        return is_grpc || !response.status().is_success();
    }
    let Some(Ok(body)) = response.into_body().collect().now_or_never() else {
        return false;
    };
    let body = body.to_bytes();
    body.windows(12).any(|part| part == b"grpc-status:")
}

/// A message is the same after it was written in either encoding, as a whole and entry by entry.
fn message_is_kept(kind: &MessageDescriptor, message: &Value) {
    let names = FieldNames::SnakeCase;
    let message = json_of_json(kind.clone(), message.clone(), names);
    assert!(message.is_ok(), "{message:?}");
    let Ok(message) = message else { return };
    let whole = bytes_of_json(kind.clone(), message.clone());
    assert!(whole.is_some(), "{message}");
    let mut parts = Vec::new();
    let text = message.to_string();
    assert!(
        write_message(kind.clone(), text.as_bytes(), Codec::Binary, &mut parts).is_ok(),
        "{text}"
    );
    for bytes in [whole.unwrap_or_default(), parts] {
        assert_eq!(
            json_of_bytes(kind.clone(), &bytes, names).as_ref(),
            Ok(&message),
            "{bytes:?}"
        );
    }
    let mut parts = Vec::new();
    assert!(
        write_message(kind.clone(), text.as_bytes(), Codec::Json, &mut parts).is_ok(),
        "{text}"
    );
    let parts = serde_json::from_slice::<Value>(&parts).unwrap_or_default();
    assert_eq!(json_of_json(kind.clone(), parts, names), Ok(message));
}

fn members_are_read(members: &[RoleMember]) {
    for action in [MemberAction::Add, MemberAction::Remove] {
        if let Ok(read) = principals(members, action) {
            assert_eq!(read.len(), members.len(), "{members:?}");
        }
    }
}

/// Reads a message as every handler does.
fn message_is_read(message: &Value) {
    let fields = NamedFields(message.clone());
    if let Ok(message) = WithRole::deserialize(fields) {
        members_are_read(&message.role.members);
    }
    let fields = NamedFields(message.clone());
    if let Ok(message) = RoleMembers::deserialize(fields) {
        members_are_read(&message.members);
    }
    let _ = Named::deserialize(NamedFields(message.clone()));
    let _ = DeleteRole::deserialize(NamedFields(message.clone()));
    let _ = (
        AclBody::deserialize(message),
        UpdateRole::deserialize(message),
    );
    let Value::Object(fields) = message else {
        return;
    };
    let given = parameters(fields.clone());
    let _ = (
        RoleQuery::from_query(&given),
        MemberQuery::from_query(&given),
    );
    let (listed, deleted) = (
        AclFilter::from_query(&given),
        AclFilter::from_delete_query(&given),
    );
    if let (Ok(listed), Ok(deleted)) = (listed, deleted) {
        assert_eq!(listed, deleted, "{message}");
    }
}

/// Initial inputs for [`messages`]: of each method, messages in JSON and in binary, with all fields
/// and with none.
#[must_use]
pub fn messages_starts() -> Vec<Vec<u8>> {
    let member = json!([{ "user": { "name": "maya" } }, { "group": { "name": "/eng" } }]);
    let role = json!({ "name": "r", "members": member });
    let rule = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "host": "10.0.0.7",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "User:maya",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
    let fields = json!({ "name": "r", "role_name": "r", "members": member, "delete_acls": true, "create": true,
        "add": [{ "principal": "Group:/eng" }], "remove": [{ "principal": "User:maya" }], "page_size": 7,
        "page_token": "cg", "resource_type": 2, "resource_name": "orders", "resource_pattern_type": 3,
        "principal": "User:maya", "host": "*", "operation": 3, "permission_type": 3 });
    let mut starts = Vec::new();
    for (number, method) in (0..=u8::MAX).zip(methods()) {
        let (kind, known) = (method.input(), fields.clone());
        let role = if method.full_name().starts_with(SECURITY_SERVICE) {
            role.clone()
        } else {
            json!({ "name": "r" })
        };
        let Value::Object(mut known) = known else {
            continue;
        };
        known.insert("role".into(), role);
        known.insert("filter".into(), rule.clone());
        known.insert("request".into(), known.clone().into());
        for message in [json!({}), known.into()] {
            let Ok(message) = json_of_json(
                kind.clone(),
                without_unknown(&kind, message),
                FieldNames::SnakeCase,
            ) else {
                continue;
            };
            let binary = bytes_of_json(kind.clone(), message.clone()).unwrap_or_default();
            starts.push([&[number, 0], message.to_string().as_bytes()].concat());
            starts.push([&[number, 1 | FRAME][..], &binary].concat());
            starts.push([&[number, 5 | FRAME][..], &binary].concat());
        }
    }
    starts
}

/// The fields that a message has, at any depth.
fn without_unknown(kind: &MessageDescriptor, message: Value) -> Value {
    let Value::Object(mut fields) = message else {
        return message;
    };
    fields.retain(|name, _| kind.get_field_by_name(name).is_some());
    for (name, value) in &mut fields {
        if let Some(field) = kind.get_field_by_name(name)
            && let prost_reflect::Kind::Message(inner) = field.kind()
        {
            *value = without_unknown(&inner, value.take());
        }
    }
    fields.into()
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
/// The networks of the trusted proxies, two of them, and clients.
const PROXIES: [&str; 2] = ["10.0.0.0/8", "2001:db8::/64"];
const PEERS: [&str; 2] = ["10.0.0.1", "2001:db8::1"];
const CLIENTS: [&str; 3] = ["192.0.2.1", "2001:db9::1", "127.0.0.1"];
/// The public names of the service.
const NAMES: [&str; 2] = ["gbac.example", "10.1.2.3"];

/// Fuzzes what is read of the headers of proxies, and of `Host`. Each line is a header: `f` begins
/// `Forwarded`, `p` `X-Forwarded-Proto`, `h` `Host`, and another character `X-Forwarded-For`.
///
/// # Panics
/// If a client can name its own address, or say that it encrypted the request, or if another
/// program reads another host.
pub fn forwarding(bytes: &[u8]) {
    let proxies = TrustedProxies::parse(&PROXIES.map(str::to_owned));
    assert!(proxies.is_ok());
    let Ok(proxies) = proxies else { return };
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let (Some((kind, value)), Some(text)) =
            (line.split_first(), line.get(1..).and_then(as_text))
        else {
            continue;
        };
        if *kind == b'h' {
            host_is_ours(text);
        }
        let name = match kind {
            b'f' => FORWARDED,
            b'p' => X_FORWARDED_PROTO,
            _ => X_FORWARDED_FOR,
        };
        if let Ok(value) = HeaderValue::from_bytes(value) {
            headers.append(name, value);
        }
    }
    for client in CLIENTS {
        let peer = address(client);
        let alone = find_client(peer, &headers, &proxies);
        assert_eq!(
            alone,
            Ok(ForwardedClient {
                address: peer,
                is_encrypted: None
            }),
            "{client} is no proxy"
        );
        for peer in PEERS {
            let _ = find_client(address(peer), &headers, &proxies);
            behind_proxies(&headers, client, address(peer), &proxies);
        }
    }
}

/// Whatever a client writes, a proxy adds its address after it, and how it sent the request.
fn behind_proxies(written: &HeaderMap, client: &str, peer: SocketAddr, proxies: &TrustedProxies) {
    let node = if client.contains(':') {
        format!("\"[{client}]:4711\"")
    } else {
        client.to_owned()
    };
    for (name, other, entry) in [
        (X_FORWARDED_FOR, FORWARDED, client.to_owned()),
        (X_FORWARDED_FOR, FORWARDED, format!("{client}, 10.0.0.2")),
        (FORWARDED, X_FORWARDED_FOR, format!("for={node};proto=http")),
        (
            FORWARDED,
            X_FORWARDED_FOR,
            format!("for={node};proto=http, for=\"[2001:db8::2]\""),
        ),
    ] {
        for is_same_line in [false, true] {
            let mut headers = written.clone();
            append(&mut headers, &name, &entry, is_same_line);
            if name == X_FORWARDED_FOR {
                append(&mut headers, &X_FORWARDED_PROTO, "http", is_same_line);
            }
            let Ok(found) = find_client(peer, &headers, proxies) else {
                assert!(
                    headers.contains_key(&other),
                    "one header is never ambiguous: {headers:?}"
                );
                continue;
            };
            assert_eq!(
                Ok(found.address.ip()),
                client.parse::<IpAddr>(),
                "{headers:?}"
            );
            assert_ne!(found.is_encrypted, Some(true), "{headers:?}");
        }
    }
}

/// Adds an entry to a header, after what it has, in a line of its own or in the last one.
fn append(headers: &mut HeaderMap, name: &HeaderName, entry: &str, is_same_line: bool) {
    let mut lines = Vec::new();
    for line in headers.get_all(name) {
        lines.push(line.as_bytes().to_vec());
    }
    match lines.last_mut() {
        Some(last) if is_same_line => last.extend(format!(", {entry}").bytes()),
        _ => lines.push(entry.as_bytes().to_vec()),
    }
    headers.remove(name);
    for line in lines {
        if let Ok(line) = HeaderValue::from_bytes(&line) {
            headers.append(name, line);
        }
    }
}

/// A host that is accepted is one of this service in every other program.
fn host_is_ours(host: &str) {
    let options = PublicEndpointOptions {
        public_hosts: NAMES.map(str::to_owned).to_vec(),
        ..PublicEndpointOptions::default()
    };
    let endpoint = PublicEndpoint::new(options, address("127.0.0.1"), false);
    assert!(endpoint.is_ok());
    let Ok(endpoint) = endpoint else { return };
    if !endpoint.accepts_host(host) {
        return;
    }
    let url = Url::parse(&format!("http://{host}/"));
    assert!(url.is_ok(), "{host:?}");
    let Ok(url) = url else { return };
    let is_bare = url.path() == "/" && url.username().is_empty() && url.password().is_none();
    let is_ours = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || NAMES.contains(&name),
        Some(Host::Ipv4(address)) => {
            address.is_loopback() || NAMES.contains(&address.to_string().as_str())
        }
        Some(Host::Ipv6(address)) => {
            let address = address.to_canonical();
            address.is_loopback() || NAMES.contains(&address.to_string().as_str())
        }
        None => false,
    };
    assert!(is_bare && is_ours, "{host:?} {url:?}");
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn address(text: &str) -> SocketAddr {
    SocketAddr::new(text.parse().unwrap_or(IpAddr::from([0; 4])), 9)
}

/// Initial inputs for [`forwarding`].
#[must_use]
pub fn forwarding_starts() -> Vec<Vec<u8>> {
    [
        "x192.0.2.1",
        "x6.6.6.6, 192.0.2.1, 10.0.0.2 , 10.0.0.3\nphttp, https",
        "x192.0.2.1:4711\nphttps",
        "x[2001:db9::1]:4711, 2001:db8::2",
        "x::ffff:192.0.2.1\nx10.0.0.3",
        "x6.6.6.6, unknown, 10.0.0.2\nx",
        "x\u{d8}\nf\u{d8}",
        "ffor=192.0.2.1;proto=https;by=10.0.0.1",
        "fFor=\"[2001:db9::1]:4711\"; Proto=http",
        "ffor=6.6.6.6, for=192.0.2.1, for=10.0.0.2;proto=https",
        "ffor=\"6.6.6.6, for=192.0.2.1\nphttps",
        "ffor=192.0.2.1;host=\"x,for=6.6.6.6\"",
        "ffor=192.0.2.1;for=6.6.6.6\nx192.0.2.1",
        "ffor=_hidden, for=\"\\\"\"\npwss",
        "hlocalhost:8420",
        "hLOCALHOST",
        "h127.0.0.1:",
        "h[::1]:8420",
        "h[::ffff:127.0.0.1]",
        "hgbac.example:443",
        "h10.1.2.3",
        "h127.0.0.1.nip.io\nh[::1]evil\nh127.1\nhlocalhost:8420@evil.example\nhgbac.example.",
    ]
    .map(|start| start.as_bytes().to_vec())
    .to_vec()
}
