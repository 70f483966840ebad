//! Services in every encoding: Connect in JSON and binary, and gRPC (D-95). The bytes are written
//! by hand, from the numbers of the fields.

use axum::body::Body;
use axum::http::{Method, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::{Value, json};

use crate::harness::{Answer, Own, Service, admin};

pub(crate) const ADMIN: &str = "/redpanda.core.admin.v2.SecurityService";
pub(crate) const ACLS: &str = "/redpanda.api.dataplane.v1.ACLService";
pub(crate) const ROLES: &str = "/redpanda.api.dataplane.v1.SecurityService";
pub(crate) const WRAPPED: &str = "/redpanda.api.console.v1alpha1.SecurityService";

/// A field with a length: a text or a message.
pub(crate) fn field(number: u8, content: &[u8]) -> Vec<u8> {
    assert!(number < 16 && content.len() < 128);
    [
        &[number << 3 | 2, u8::try_from(content.len()).unwrap()][..],
        content,
    ]
    .concat()
}

/// A field with a small number.
pub(crate) fn number(field: u8, value: u8) -> Vec<u8> {
    vec![field << 3, value]
}

/// A message of gRPC.
pub(crate) fn framed(message: &[u8]) -> Vec<u8> {
    [
        &[0][..],
        &u32::try_from(message.len()).unwrap().to_be_bytes(),
        message,
    ]
    .concat()
}

pub(crate) fn call(path: &str, kind: &str, credentials: &str, body: Vec<u8>) -> Request<Body> {
    Request::post(path)
        .header("content-type", kind)
        .header("authorization", credentials)
        .body(Body::from(body))
        .unwrap()
}

/// A binary call over Connect: the status, and the message or the code of the error.
pub(crate) async fn connect(service: &Service, path: &str, message: Vec<u8>) -> (u16, Vec<u8>) {
    let answer = service
        .ask(call(path, "application/proto", &admin(), message))
        .await;
    if answer.status == 200 {
        assert_eq!(answer.header("content-type"), "application/proto");
        return (200, answer.body.to_vec());
    }
    assert_eq!(
        answer.header("content-type"),
        "application/json",
        "errors are JSON in every encoding"
    );
    (
        answer.status,
        answer.json()["code"].as_str().unwrap().as_bytes().to_vec(),
    )
}

/// The status and the message of a response of gRPC.
pub(crate) fn status(answer: &Answer) -> (u16, String, String) {
    assert_eq!(answer.status, 200);
    assert!(
        answer
            .header("content-type")
            .starts_with("application/grpc")
    );
    let of = |name: &str| {
        let value = answer
            .trailers
            .get(name)
            .or_else(|| answer.headers.get(name));
        value
            .map(|value| value.to_str().unwrap().to_owned())
            .unwrap_or_default()
    };
    (
        of("grpc-status").parse().unwrap(),
        of("grpc-message"),
        format!("{:?}", answer.body),
    )
}

/// A call of gRPC: the status, and the message without its prefix.
pub(crate) async fn grpc(service: &Service, path: &str, message: &[u8]) -> (u16, Vec<u8>) {
    let answer = service
        .ask(call(path, "application/grpc", &admin(), framed(message)))
        .await;
    let (status, ..) = status(&answer);
    let message = if status == 0 {
        assert_eq!(answer.trailers["grpc-status"], "0");
        assert_eq!(framed(&answer.body[5..]), answer.body);
        answer.body[5..].to_vec()
    } else {
        assert!(answer.body.is_empty());
        Vec::new()
    };
    (status, message)
}

#[tokio::test]
async fn the_security_service_reads_and_writes_messages() {
    let service = Own::with(|_| {});
    let member = field(2, &field(2, &field(1, b"eng")));
    let role = field(1, &[field(1, b"r"), member.clone()].concat());
    assert_eq!(
        connect(&service, &format!("{ADMIN}/CreateRole"), role.clone()).await,
        (200, role.clone())
    );
    assert_eq!(
        grpc(&service, &format!("{ADMIN}/CreateRole"), &role).await,
        (0, role.clone()),
        "again"
    );
    assert_eq!(
        connect(&service, &format!("{ADMIN}/GetRole"), field(1, b"r")).await,
        (200, role.clone())
    );
    assert_eq!(
        grpc(&service, &format!("{ADMIN}/GetRole"), &field(1, b"none")).await,
        (5, Vec::new())
    );
    assert_eq!(
        connect(&service, &format!("{ADMIN}/ListRoles"), Vec::new()).await,
        (200, role.clone()),
        "an empty body"
    );
    assert_eq!(
        grpc(&service, &format!("{ADMIN}/ListRoles"), b"").await,
        (0, role.clone())
    );
    let user = field(2, &field(1, &field(1, b"a")));
    let added = [field(1, b"r"), user.clone()].concat();
    let both = field(1, &[field(1, b"r"), user, member].concat());
    assert_eq!(
        grpc(&service, &format!("{ADMIN}/AddRoleMembers"), &added).await,
        (0, both)
    );
    assert_eq!(
        grpc(&service, &format!("{ADMIN}/RemoveRoleMembers"), &added).await,
        (0, role)
    );
    let delete = [field(1, b"r"), number(2, 1)].concat();
    assert_eq!(
        connect(&service, &format!("{ADMIN}/DeleteRole"), delete).await,
        (200, Vec::new())
    );
    assert_eq!(
        connect(&service, &format!("{ADMIN}/ListRoles"), Vec::new()).await,
        (200, Vec::new())
    );
    let other = "/service.core.admin.v2.SecurityService/ListRoles";
    assert_eq!(
        grpc(&service, other, b"").await,
        (0, Vec::new()),
        "the other name of the service"
    );
}

#[tokio::test]
async fn acls_are_created_listed_and_deleted_in_every_encoding() {
    let service = Own::with(|_| {});
    let pattern = [number(1, 2), field(2, b"orders"), number(3, 3)].concat();
    let rule = |first: u8| {
        [
            field(first, b"RedpandaRole:r"),
            field(first + 1, b"*"),
            number(first + 2, 3),
            number(first + 3, 3),
        ]
        .concat()
    };
    let acl = [pattern.clone(), rule(4)].concat();
    assert_eq!(
        grpc(&service, &format!("{ACLS}/CreateACL"), &acl).await,
        (0, Vec::new())
    );
    let listed = field(1, &[pattern, field(4, &rule(1))].concat());
    assert_eq!(
        grpc(&service, &format!("{ACLS}/ListACLs"), b"").await,
        (0, listed.clone())
    );
    assert_eq!(
        connect(
            &service,
            &format!("{ACLS}/ListACLs"),
            field(1, &number(1, 3))
        )
        .await,
        (200, Vec::new())
    );
    let in_json = service
        .send(
            Method::POST,
            &format!("{ACLS}/ListACLs"),
            &json!({ "filter": { "resourceType": 2 } }),
        )
        .await;
    let resource = json!({ "resourceType": "RESOURCE_TYPE_TOPIC", "resourceName": "orders",
        "resourcePatternType": "RESOURCE_PATTERN_TYPE_LITERAL", "acls": [{ "principal": "RedpandaRole:r", "host": "*",
        "operation": "OPERATION_READ", "permissionType": "PERMISSION_TYPE_ALLOW" }] });
    assert_eq!(in_json.both(), (200, json!({ "resources": [resource] })));
    let rest = service.get_as("/v1/acls", &admin()).await.json();
    assert_eq!(
        rest["resources"][0]["resource_name"], "orders",
        "the same ACL"
    );
    let (code, word) = connect(&service, &format!("{ACLS}/DeleteACLs"), Vec::new()).await;
    assert_eq!(
        (code, word.as_slice()),
        (400, &b"invalid_argument"[..]),
        "a filter is required"
    );
    let filter = field(
        1,
        &[number(1, 1), number(3, 1), number(6, 1), number(7, 1)].concat(),
    );
    assert_eq!(
        grpc(&service, &format!("{ACLS}/DeleteACLs"), &filter).await,
        (0, field(1, &acl))
    );
    assert_eq!(
        grpc(&service, &format!("{ACLS}/ListACLs"), b"").await,
        (0, Vec::new())
    );
}

#[tokio::test]
async fn roles_are_those_of_the_rest_calls_wrapped_or_not() {
    let service = Service::start();
    for (path, is_wrapped) in [(ROLES, false), (WRAPPED, true)] {
        let ask = async |method: &str, message: Value| {
            let message = if is_wrapped {
                json!({ "request": message })
            } else {
                message
            };
            let (status, answer) = service
                .send(Method::POST, &format!("{path}/{method}"), &message)
                .await
                .both();
            (
                status,
                if is_wrapped && status == 200 {
                    answer["response"].clone()
                } else {
                    answer
                },
            )
        };
        assert_eq!(
            ask("CreateRole", json!({ "role": { "name": "new" } })).await,
            (200, json!({ "role": { "name": "new" } }))
        );
        let change = json!({ "roleName": "new", "add": [{ "principal": "Group:a" }, { "principal": "User:b" }] });
        let added = json!([{ "principal": "Group:a" }, { "principal": "User:b" }]);
        assert_eq!(
            ask("UpdateRoleMembership", change).await,
            (200, json!({ "roleName": "new", "added": added }))
        );
        let found = ask("ListRoles", json!({ "filter": { "principal": "Group:a" } })).await;
        assert_eq!(found, (200, json!({ "roles": [{ "name": "new" }] })));
        let page = ask("ListRoles", json!({ "pageSize": 1 })).await.1;
        let rest = ask(
            "ListRoles",
            json!({ "page_size": 9, "page_token": page["nextPageToken"] }),
        )
        .await
        .1;
        assert_eq!(rest["roles"].as_array().unwrap().len(), 5);
        let members = ask(
            "ListRoleMembers",
            json!({ "roleName": "new", "filter": { "nameContains": "User" } }),
        )
        .await;
        assert_eq!(
            members,
            (
                200,
                json!({ "roleName": "new", "members": [{ "principal": "User:b" }] })
            )
        );
        let role = ask("GetRole", json!({ "roleName": "new" })).await.1;
        assert_eq!(
            (
                &role["role"]["name"],
                role["members"].as_array().unwrap().len()
            ),
            (&json!("new"), 2)
        );
        assert_eq!(
            ask(
                "DeleteRole",
                json!({ "roleName": "new", "deleteAcls": true })
            )
            .await
            .0,
            200
        );
        let (status, missing) = ask("GetRole", json!({ "roleName": "new" })).await;
        assert_eq!((status, &missing["code"]), (404, &json!("not_found")));
        let info = &missing["details"][0];
        assert_eq!(
            (&info["type"], &info["debug"]["reason"]),
            (
                &json!("google.rpc.ErrorInfo"),
                &json!("REASON_RESOURCE_NOT_FOUND")
            )
        );
    }
}

#[tokio::test]
async fn errors_have_the_reasons_that_clients_look_for() {
    let service = Service::start();
    service
        .send(
            Method::PUT,
            "/gbac/v1/license",
            &json!({ "license": "expired" }),
        )
        .await;
    let (status, answer) = service
        .send(
            Method::POST,
            &format!("{ROLES}/CreateRole"),
            &json!({ "role": { "name": "x" } }),
        )
        .await
        .both();
    assert_eq!(
        (status, &answer["code"]),
        (400, &json!("failed_precondition"))
    );
    assert_eq!(
        answer["details"][0]["debug"]["reason"],
        "REASON_ENTERPRISE_LICENSE_EXPIRED"
    );
    assert_eq!(
        grpc(
            &service,
            &format!("{ROLES}/CreateRole"),
            &field(1, &field(1, b"x"))
        )
        .await
        .0,
        9
    );
    let invalid = service
        .send(
            Method::POST,
            &format!("{ACLS}/CreateACL"),
            &json!({ "host": "x" }),
        )
        .await
        .json();
    let violations = &invalid["details"][1];
    assert_eq!(violations["type"], "google.rpc.BadRequest");
    assert!(
        violations["value"].as_str().unwrap().len() > 20
            && !violations["value"].as_str().unwrap().ends_with('=')
    );
}

#[tokio::test]
async fn every_content_type_has_a_response_of_its_own_form() {
    let service = Own::with(|_| {});
    let (path, role) = (format!("{ADMIN}/CreateRole"), field(1, &field(1, b"r")));
    let as_json = br#"{"role":{"name":"r"}}"#;
    let zero = b"\x80\0\0\0\x10grpc-status: 0\r\n";
    for (kind, body, expected) in [
        ("application/grpc", framed(&role), framed(&role)),
        (
            "application/grpc+json",
            framed(as_json),
            framed(br#"{"role":{"name":"r"}}"#),
        ),
        (
            "application/grpc-web",
            framed(&role),
            [&framed(&role)[..], zero].concat(),
        ),
        (
            "application/grpc-web+proto",
            framed(&role),
            [&framed(&role)[..], zero].concat(),
        ),
        (
            "Application/GRPC-Web+JSON; charset=utf-8",
            framed(as_json),
            [&framed(as_json)[..], zero].concat(),
        ),
    ] {
        let answer = service.ask(call(&path, kind, &admin(), body)).await;
        assert_eq!(
            (answer.status, &answer.body[..]),
            (200, &expected[..]),
            "{kind}"
        );
        let essence = kind.split(';').next().unwrap().to_ascii_lowercase();
        assert_eq!(answer.header("content-type"), essence);
        assert_eq!(
            answer.trailers.contains_key("grpc-status"),
            !essence.contains("web"),
            "{kind}"
        );
    }
    let missing = framed(&field(1, b"none"));
    let web = service
        .ask(call(
            &format!("{ADMIN}/GetRole"),
            "application/grpc-web",
            &admin(),
            missing,
        ))
        .await;
    let text = String::from_utf8(web.body[5..].to_vec()).unwrap();
    assert_eq!(
        (web.status, web.body[0], text.lines().next()),
        (200, 0x80, Some("grpc-status: 5")),
        "{text}"
    );
}

#[tokio::test]
async fn errors_of_grpc_have_details() {
    let service = Service::start();
    let answer = service
        .ask(call(
            &format!("{ROLES}/GetRole"),
            "application/grpc",
            &admin(),
            framed(&field(1, b"none")),
        ))
        .await;
    let details = STANDARD_NO_PAD
        .decode(answer.header("grpc-status-details-bin"))
        .unwrap();
    // The code of the status, and the name of the detail's message.
    assert_eq!(details[..2], [0x08, 5]);
    let text = String::from_utf8_lossy(&details);
    assert!(
        text.contains("type.googleapis.com/google.rpc.ErrorInfo"),
        "{text}"
    );
    assert!(text.contains("REASON_RESOURCE_NOT_FOUND"), "{text}");
    let plain = service
        .ask(call(
            &format!("{ADMIN}/GetRole"),
            "application/grpc",
            &admin(),
            framed(&field(1, b"x")),
        ))
        .await;
    assert_eq!(
        (
            plain.header("grpc-status"),
            plain.header("grpc-status-details-bin")
        ),
        ("5", ""),
        "no details there"
    );
}

#[tokio::test]
async fn a_token_resolves_in_binary() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let path = format!("{ADMIN}/ResolveOidcIdentity");
    let answer = service
        .ask(call(&path, "application/proto", &token, Vec::new()))
        .await;
    // 1,800,003,600 seconds as a varint.
    let expire = field(2, &[0x08, 0x90, 0xc0, 0xa7, 0xda, 0x06]);
    let expected = [
        field(1, b"maya.okafor"),
        expire,
        field(3, b"engineering"),
        field(3, b"analytics"),
    ]
    .concat();
    assert_eq!((answer.status, answer.body.to_vec()), (200, expected));
}
