//! Calls of services that are refused: what is no message, what is too large, what would match more
//! than was meant, and pages of other origins.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use crate::harness::{Own, Service, admin, basic};
use crate::messages::{
    ACLS, ADMIN, ROLES, WRAPPED, call, connect, field, framed, grpc, number, status,
};

#[tokio::test]
async fn what_is_no_message_is_refused_in_the_form_of_the_protocol() {
    let service = Own::with(|_| {});
    let path = format!("{ADMIN}/CreateRole");
    for message in [
        vec![0x0a, 5, b'x'],
        vec![0x0a],
        vec![0xff; 20],
        field(1, &[0x0a, 1, 0xff]),
    ] {
        let (status, code) = connect(&service, &path, message.clone()).await;
        assert_eq!(
            (status, code.as_slice()),
            (400, &b"invalid_argument"[..]),
            "{message:?}"
        );
        assert_eq!(grpc(&service, &path, &message).await.0, 3, "{message:?}");
    }
    let with_unknown = [field(1, &field(1, b"r")), field(9, b"new")].concat();
    assert_eq!(
        grpc(&service, &path, &with_unknown).await.0,
        0,
        "unknown fields are ignored"
    );
    let ask = async |kind: &str, credentials: &str, body: Vec<u8>| {
        status(&service.ask(call(&path, kind, credentials, body)).await)
    };
    assert_eq!(
        ask("application/grpc", &admin(), vec![1, 0, 0, 0, 0])
            .await
            .0,
        12,
        "compressed"
    );
    assert_eq!(
        ask("application/grpc", &admin(), Vec::new()).await.0,
        3,
        "no message"
    );
    assert_eq!(
        ask("application/grpc+proto", &admin(), vec![0; (1 << 20) + 1])
            .await
            .0,
        8,
        "too large"
    );
    assert_eq!(
        ask("application/grpc", &basic("admin", "x"), framed(b""))
            .await
            .0,
        16
    );
    let nobody = Request::post(&path)
        .header("content-type", "application/grpc")
        .body(Body::empty())
        .unwrap();
    assert_eq!(status(&service.ask(nobody).await).0, 16);
    let unknown = call(
        &format!("{ADMIN}/NoSuchThing"),
        "application/grpc",
        &admin(),
        framed(b""),
    );
    let (code, message, _) = status(&service.ask(unknown).await);
    assert_eq!(
        (code, message.contains("NoSuchThing")),
        (12, true),
        "{message}"
    );
    let service_of_others = call(
        "/a.v1.Service/Do",
        "application/grpc",
        &admin(),
        framed(b""),
    );
    assert_eq!(status(&service.ask(service_of_others).await).0, 12);
    for kind in [
        "application/x-protobuf",
        "application/connect+proto",
        "application/grpc+thrift",
        "text/plain",
        "",
    ] {
        let other = service
            .ask(call(&path, kind, &admin(), field(1, &field(1, b"r"))))
            .await;
        assert_eq!(
            (other.status, other.json()["code"].as_str()),
            (415, Some("invalid_argument")),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn messages_of_another_type_and_depth_are_refused() {
    let service = Own::with(|_| {});
    let acl = [
        number(1, 2),
        field(2, b"orders"),
        number(3, 3),
        field(4, b"User:a"),
        field(5, b"*"),
        number(6, 3),
    ]
    .concat();
    let deep = (0..200).fold(Vec::new(), |inner: Vec<u8>, _| {
        let length = u32::try_from(inner.len()).unwrap();
        let bytes = [
            length & 0x7f | 0x80,
            length >> 7 & 0x7f | 0x80,
            length >> 14,
        ]
        .map(|byte| u8::try_from(byte).unwrap());
        [&[0x0a][..], &bytes, &inner].concat()
    });
    let role = format!("{ADMIN}/CreateRole");
    for message in [
        acl,
        deep,
        field(1, b"\xff\xff"),
        number(1, 1),
        vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
        vec![0x0b],
    ] {
        assert_eq!(grpc(&service, &role, &message).await.0, 3, "{message:?}");
        let (code, word) = connect(&service, &role, message).await;
        assert_eq!((code, word.as_slice()), (400, &b"invalid_argument"[..]));
    }
    // The number of an enumeration that a newer client knows.
    let newer = [
        number(1, 77),
        field(2, b"t"),
        number(3, 3),
        field(4, b"User:a"),
        field(5, b"*"),
        number(6, 3),
        number(7, 3),
    ];
    assert_eq!(
        grpc(&service, &format!("{ACLS}/CreateACL"), &newer.concat())
            .await
            .0,
        3
    );
    assert_eq!(
        grpc(&service, &format!("{ACLS}/ListACLs"), b"").await,
        (0, Vec::new()),
        "nothing was created"
    );
    let roles = service.get_as("/v1/roles", &admin()).await.json();
    assert_eq!(roles["roles"], json!([]));
}

#[tokio::test]
async fn a_large_message_is_refused_in_every_protocol() {
    let service = Service::start();
    let path = format!("{ADMIN}/CreateRole");
    let large = vec![0; (1 << 20) + 1];
    let plain = service
        .ask(call(&path, "application/proto", &admin(), large.clone()))
        .await;
    assert_eq!(
        (plain.status, plain.json()["code"].as_str()),
        (413, Some("resource_exhausted"))
    );
    assert_eq!(
        status(
            &service
                .ask(call(&path, "application/grpc", &admin(), large.clone()))
                .await
        )
        .0,
        8
    );
    let web = service
        .ask(call(&path, "application/grpc-web", &admin(), large))
        .await;
    assert!(
        web.body[5..].starts_with(b"grpc-status: 8\r\n"),
        "{:?}",
        web.body
    );
}

#[tokio::test]
async fn unknown_fields_of_a_filter_never_delete_more() {
    let service = Service::start();
    let (delete, list) = (format!("{ACLS}/DeleteACLs"), format!("{ACLS}/ListACLs"));
    let before = service.get_as("/v1/acls", &admin()).await.json();
    let any = [number(1, 1), number(3, 1), number(6, 1), number(7, 1)].concat();
    let unknown = field(1, &[any, field(9, b"only this")].concat());
    assert_eq!(grpc(&service, &delete, &unknown).await.0, 3);
    assert_eq!(grpc(&service, &list, &unknown).await.0, 3);
    let (code, word) = connect(&service, &delete, unknown).await;
    assert_eq!((code, word.as_slice()), (400, &b"invalid_argument"[..]));
    let any =
        json!({ "resourceType": 1, "resourcePatternType": 1, "operation": 1, "permissionType": 1 });
    for (name, value) in [
        ("resourcName", json!("x")),
        ("principals", json!("User:a")),
        ("hosts", json!(["*"])),
        ("operation", json!("OPERATION_REED")),
    ] {
        let mut filter = any.clone();
        filter[name] = value;
        let refused = service
            .send(Method::POST, &delete, &json!({ "filter": filter }))
            .await;
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (400, Some("invalid_argument")),
            "{name}"
        );
    }
    let wrapped = json!({ "request": { "filter": { "nameprefix": "x" } } });
    assert_eq!(
        service
            .send(Method::POST, &format!("{WRAPPED}/ListRoles"), &wrapped)
            .await
            .status,
        400
    );
    assert_eq!(service.get_as("/v1/acls", &admin()).await.json(), before);
}

#[tokio::test]
async fn edited_page_tokens_are_refused_or_only_another_page() {
    let service = Service::start();
    let page = field(1, b"PaymentsWriters");
    for token in [&b"x"[..], b"User:", b"\x01", b"Robot:a"] {
        let members = [page.clone(), field(4, token)].concat();
        assert_eq!(
            grpc(&service, &format!("{ROLES}/ListRoleMembers"), &members)
                .await
                .0,
            3,
            "{token:?}"
        );
    }
    for token in [&b"a,b"[..], b"a=b", b"\x01"] {
        assert_eq!(
            grpc(&service, &format!("{ROLES}/ListRoles"), &field(3, token))
                .await
                .0,
            3,
            "{token:?}"
        );
    }
    // A name is a position: the roles behind it, of those that the filter matches, and nothing
    // else.
    let ask = async |message| {
        let answer = service
            .send(Method::POST, &format!("{ROLES}/ListRoles"), &message)
            .await
            .json();
        answer["roles"].as_array().map_or(0, Vec::len)
    };
    let filter = json!({ "namePrefix": "Payments" });
    assert_eq!(ask(json!({ "filter": filter })).await, 1);
    assert_eq!(ask(json!({ "filter": filter, "pageToken": "A" })).await, 1);
    assert_eq!(ask(json!({ "filter": filter, "pageToken": "Z" })).await, 0);
}

#[tokio::test]
async fn pages_of_another_origin_cannot_call_services() {
    let service = Service::start();
    let path = format!("{ADMIN}/CreateRole");
    let role = field(1, &field(1, b"stolen"));
    let send = async |kind: &str, name: &str, value: &str| {
        let body = if kind == "application/proto" {
            role.clone()
        } else {
            framed(&role)
        };
        let request = Request::post(&path)
            .header("content-type", kind)
            .header("authorization", admin());
        service
            .ask(request.header(name, value).body(Body::from(body)).unwrap())
            .await
    };
    for kind in [
        "application/grpc-web+proto",
        "application/grpc-web",
        "application/grpc",
        "application/proto",
    ] {
        for (name, value) in [
            ("origin", "https://other.example"),
            ("origin", "null"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let refused = send(kind, name, value).await;
            assert_eq!(
                (refused.status, refused.json()["code"].as_str()),
                (403, Some("permission_denied")),
                "{kind} {value}"
            );
        }
    }
    let preflight = Request::options(&path)
        .header("origin", "https://other.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type,x-grpc-web");
    let preflight = service.ask(preflight.body(Body::empty()).unwrap()).await;
    assert!(
        !preflight
            .headers
            .contains_key("access-control-allow-origin")
    );
    assert_eq!(
        service.get_as("/v1/roles/stolen", &admin()).await.status,
        404
    );
    let own = send("application/grpc-web", "origin", "http://127.0.0.1:8420").await;
    assert_eq!(
        (own.status, &own.body[5..5 + role.len()]),
        (200, &role[..]),
        "pages of this service can"
    );
}

#[tokio::test]
async fn what_is_not_served_says_why() {
    let service = Service::start();
    for (path, why) in [
        (
            "/redpanda.core.admin.v2.BrokerService/ListBrokers",
            "is not a broker",
        ),
        (
            "/redpanda.core.admin.v2.BrokerService/GetBroker",
            "is not a broker",
        ),
        (
            "/redpanda.core.admin.v2.ClusterService/ListKafkaConnections",
            "is not a broker",
        ),
        (
            "/redpanda.core.admin.v2.FeaturesService/GetUpgradeStatus",
            "is not a broker",
        ),
        (
            "/redpanda.core.admin.v2.ShadowLinkService/ListShadowLinks",
            "is not a broker",
        ),
        (
            "/redpanda.api.dataplane.v1.UserService/CreateUser",
            "identity provider",
        ),
    ] {
        let (http, answer) = service.send(Method::POST, path, &json!({})).await.both();
        assert_eq!((http, &answer["code"]), (404, &json!("unimplemented")));
        assert!(
            answer["message"].as_str().unwrap().contains(why),
            "{answer}"
        );
        let (code, message, _) = status(
            &service
                .ask(call(path, "application/grpc", &admin(), framed(b"")))
                .await,
        );
        assert_eq!(
            (code, message.contains(&gbac_api::encode::component(why))),
            (12, true),
            "{message}"
        );
    }
    for path in ["/v1/security/users", "/v1/users"] {
        let (status, answer) = service.send(Method::POST, path, &json!({})).await.both();
        assert_eq!(
            (
                status,
                answer["message"]
                    .as_str()
                    .unwrap()
                    .contains("identity provider")
            ),
            (404, true),
            "{answer}"
        );
    }
    let answer = service.get_as("/v1/security/users", &admin()).await.json();
    assert_eq!(answer["code"], 404);
}
