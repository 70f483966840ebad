//! Who may what (specification 5, D-26), and from where.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{PASSWORD, Service, admin, basic, refusal, request};

const PROPERTIES: &str = "/v1/cluster_config";

fn change() -> Value {
    json!({ "upsert": {}, "remove": [] })
}

#[tokio::test]
async fn reading_is_public_and_writing_requires_a_superuser() {
    let service = Service::start();
    for path in [
        "/v1/acls",
        "/v1/roles",
        PROPERTIES,
        "/gbac/v1/policy",
        "/gbac/v1/service",
        "/demo/idp/jwks",
        "/",
    ] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    let role = json!({ "name": "x" });
    let missing = Request::post("/v1/roles")
        .header("content-type", "application/json")
        .body(Body::from("{}"))
        .unwrap();
    let missing = service.ask(missing).await;
    assert_eq!(
        missing.both(),
        (
            401,
            refusal(
                "UNAUTHENTICATED",
                "REASON_PERMISSION_DENIED",
                "authentication required; send a password or a token"
            )
        )
    );
    assert_eq!(
        missing.header("www-authenticate"),
        "Bearer realm=\"gbac\"",
        "never a browser's dialog"
    );
    for wrong in [
        basic("admin", "Demo"),
        basic("nobody", PASSWORD),
        basic("", ""),
        "Basic ???".into(),
        "Basic".into(),
        "Digest x".into(),
        "Bearer x".into(),
    ] {
        let refused = service
            .send_as(Method::POST, "/v1/roles", &role, &wrong)
            .await;
        assert_eq!(
            refused.both(),
            (
                401,
                refusal(
                    "UNAUTHENTICATED",
                    "REASON_PERMISSION_DENIED",
                    "credentials rejected"
                )
            ),
            "{wrong}"
        );
    }
    let read = Request::get("/v1/roles")
        .header("authorization", basic("admin", "x"))
        .body(Body::empty())
        .unwrap();
    assert_eq!(
        service.ask(read).await.status,
        401,
        "wrong credentials are told at a read too"
    );
    let read = Request::get("/v1/roles")
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    assert_eq!(service.ask(read).await.status, 200);
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.status,
        201
    );
}

#[tokio::test]
async fn acls_require_a_superuser() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let acl = json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "x", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": "User:maya.okafor", "host": "*", "operation": "OPERATION_ALL", "permission_type": "PERMISSION_TYPE_ALLOW"
    });
    let before = service.get("/v1/acls").await.both();
    for credentials in [token, basic("admin", "wrong")] {
        assert!(
            [401, 403].contains(
                &service
                    .send_as(Method::POST, "/v1/acls", &acl, &credentials)
                    .await
                    .status
            )
        );
        let all = "/v1/acls?filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
                   &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY";
        let delete = Request::delete(all)
            .header("authorization", &credentials)
            .body(Body::empty())
            .unwrap();
        assert!([401, 403].contains(&service.ask(delete).await.status));
    }
    assert_eq!(
        service.get("/v1/acls").await.both(),
        before,
        "nothing has changed"
    );
}

#[tokio::test]
async fn a_token_has_the_access_of_its_user() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let role = json!({ "name": "x" });
    let refused = service
        .send_as(Method::POST, "/v1/roles", &role, &token)
        .await;
    assert_eq!(
        refused.both(),
        (
            403,
            refusal(
                "PERMISSION_DENIED",
                "REASON_PERMISSION_DENIED",
                "permission denied; only superusers can do this"
            )
        )
    );
    let refused = service
        .send_as(Method::PUT, PROPERTIES, &change(), &token)
        .await;
    assert_eq!(
        refused.both(),
        (
            403,
            json!({ "message": "Forbidden (superuser role required)", "code": 403 })
        )
    );

    let promote = json!({ "upsert": { "superusers": ["admin", "maya.okafor"] }, "remove": [] });
    assert_eq!(
        service.send(Method::PUT, PROPERTIES, &promote).await.status,
        200
    );
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &role, &token)
            .await
            .status,
        201
    );
    // A user of this name has no password, so Basic does not open what the token opens.
    let password = service
        .send_as(
            Method::POST,
            "/v1/roles",
            &role,
            &basic("maya.okafor", PASSWORD),
        )
        .await;
    assert_eq!(password.status, 401);
}

#[tokio::test]
async fn each_surface_has_its_own_401() {
    let service = Service::start();
    let put = |path: &str| {
        Request::put(path)
            .header("content-type", "application/json")
            .body(Body::from("{}"))
            .unwrap()
    };
    let missing = service.ask(put(PROPERTIES)).await;
    assert_eq!(
        missing.both(),
        (
            401,
            json!({ "message": "Forbidden (authentication is required)", "code": 401 })
        )
    );
    let wrong = service
        .send_as(Method::PUT, PROPERTIES, &change(), &basic("admin", "x"))
        .await;
    assert_eq!(
        wrong.both(),
        (401, json!({ "message": "Unauthorized", "code": 401 }))
    );
    let own = service.ask(put("/gbac/v1/policy")).await;
    assert_eq!(own.json()["code"], "unauthenticated");
    let nothing = service.ask(put("/v1/nothing")).await;
    assert_eq!(
        nothing.status, 401,
        "what is not there is told to those only who may know"
    );
}

#[tokio::test]
async fn a_chosen_password_is_not_published() {
    let service = Service::with(|options| options.admin_password = Some("s3cret".into()));
    let info = service.get("/gbac/v1/service").await.json();
    assert_eq!(info.get("sign_in"), None);
    let role = json!({ "name": "x" });
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.status,
        401,
        "`demo` is not the password"
    );
    let created = service
        .send_as(Method::POST, "/v1/roles", &role, &basic("admin", "s3cret"))
        .await;
    assert_eq!(created.status, 201);

    let empty = gbac_server::ServeOptions {
        admin_password: Some(String::new()),
        listen: "127.0.0.1:0".into(),
        ..gbac_server::ServeOptions::default()
    };
    assert_eq!(
        gbac_server::Server::bind(&empty)
            .map(drop)
            .unwrap_err()
            .code(),
        "password_empty"
    );
}

#[tokio::test]
async fn requests_for_foreign_hosts_are_rejected() {
    let service = Service::start();
    for host in [
        "evil.example",
        "evil.example:8420",
        "10.0.0.1:8420",
        "127.0.0.1.nip.io",
    ] {
        let answer = service
            .ask(
                Request::get("/v1/roles")
                    .header("host", host)
                    .body(Body::empty())
                    .unwrap(),
            )
            .await;
        let message =
            format!("requests for host `{host}` are not accepted; use the address of the service");
        assert_eq!(
            answer.both(),
            (
                403,
                refusal("PERMISSION_DENIED", "REASON_PERMISSION_DENIED", &message)
            )
        );
    }
    for host in ["localhost:8420", "[::1]:8420", "127.0.0.1"] {
        let answer = service
            .ask(
                Request::get("/v1/roles")
                    .header("host", host)
                    .body(Body::empty())
                    .unwrap(),
            )
            .await;
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test]
async fn pages_of_other_origins_cannot_write() {
    let service = Service::start();
    let write = async |name: &str, value: &str| {
        let mut request = request(Method::POST, "/v1/roles", &admin(), "{\"name\":\"x\"}");
        request
            .headers_mut()
            .insert("host", "localhost:8420".parse().unwrap());
        request.headers_mut().insert(
            axum::http::HeaderName::try_from(name).unwrap(),
            value.parse().unwrap(),
        );
        service.ask(request).await
    };
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost:3000",
        "http://127.0.0.1:8420",
        "localhost:8420",
    ] {
        let answer = write("origin", origin).await;
        assert_eq!(
            answer.both(),
            (
                403,
                refusal(
                    "PERMISSION_DENIED",
                    "REASON_PERMISSION_DENIED",
                    "pages of another origin cannot change anything"
                )
            ),
            "{origin}"
        );
    }
    assert_eq!(write("sec-fetch-site", "cross-site").await.status, 403);
    assert_eq!(write("sec-fetch-site", "same-site").await.status, 403);
    assert_eq!(write("origin", "http://localhost:8420").await.status, 201);
    assert_eq!(write("sec-fetch-site", "same-origin").await.status, 201);
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let service = Service::start();
    for path in [
        "/v1/roles",
        "/v1/nothing",
        "/gbac/v1/service",
        "/demo/idp/people",
        "/",
    ] {
        let answer = service.get(path).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("x-frame-options"), "DENY", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "same-origin",
            "{path}"
        );
        assert!(
            answer
                .header("content-security-policy")
                .starts_with("default-src 'none';"),
            "{path}"
        );
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
    assert_eq!(
        service.get("/v1/roles").await.header("cache-control"),
        "no-store"
    );
}

#[tokio::test]
async fn a_request_names_one_host_and_one_origin() {
    let service = Service::start();
    let ask = async |uri: &str, headers: &[(&str, &str)]| {
        let mut request = axum::http::Request::get(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = service
            .ask(request.body(axum::body::Body::empty()).unwrap())
            .await;
        answer.status
    };
    let (host, own) = (("host", "localhost:1"), ("origin", "http://localhost:1"));
    assert_eq!(ask("/v1/roles", &[host, own]).await, 200);
    assert_eq!(ask("http://localhost:1/v1/roles", &[host]).await, 200);
    for (uri, headers) in [
        ("/v1/roles", vec![host, ("host", "evil.example")]),
        ("/v1/roles", vec![host, host]),
        ("http://evil.example/v1/roles", vec![host]),
        ("http://localhost:2/v1/roles", vec![host]),
        (
            "/v1/roles",
            vec![host, own, ("origin", "https://evil.example")],
        ),
    ] {
        assert_eq!(ask(uri, &headers).await, 400, "{uri} {headers:?}");
    }
}
