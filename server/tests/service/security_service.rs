//! ResolveOidcIdentity over Connect (specification 4.3, D-15, D-19, D-22).

use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{NOW, Service, admin, basic, demo_options, request};

const PATH: &str = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";

async fn resolve(service: &Service, token: &str) -> (u16, Value) {
    service
        .send_as(Method::POST, PATH, &json!({}), &format!("Bearer {token}"))
        .await
        .both()
}

fn unauthenticated() -> (u16, Value) {
    (
        401,
        json!({ "code": "unauthenticated", "message": "Failed to authenticate OIDC token" }),
    )
}

#[tokio::test]
async fn a_token_resolves_with_the_current_settings() {
    let service = Service::start();
    let people = service.people().await;
    let [maya, jonas, priya] = people.as_slice() else {
        panic!("three people")
    };
    let answer = |principal: &str, groups: &[&str]| {
        (
            200,
            json!({ "principal": principal, "expire": "2027-01-15T09:00:00Z", "groups": groups }),
        )
    };
    assert_eq!(
        resolve(&service, &maya.token).await,
        answer("maya.okafor", &["engineering", "analytics"])
    );
    let paths = [
        "/eng/payments",
        "/contractors/payments",
        "/eng/platform/on-call",
    ];
    assert_eq!(
        resolve(&service, &jonas.token).await,
        answer("jonas.lindqvist", &paths)
    );
    assert_eq!(
        resolve(&service, &priya.token).await,
        answer("priya.raman", &[])
    );

    let set = async |upsert: Value| {
        let answer = service
            .send(
                Method::PUT,
                "/v1/cluster_config",
                &json!({ "upsert": upsert, "remove": [] }),
            )
            .await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    };
    set(json!({ "nested_group_behavior": "suffix" })).await;
    assert_eq!(
        resolve(&service, &jonas.token).await,
        answer("jonas.lindqvist", &["payments", "on-call"])
    );
    set(json!({ "oidc_group_claim_path": "$.realm_access.roles" })).await;
    assert_eq!(
        resolve(&service, &jonas.token).await,
        answer("jonas.lindqvist", &["offline_access", "payments-ops"])
    );
    set(json!({ "oidc_principal_mapping": "$.sub/([^.]*)\\..*/$1/U" })).await;
    assert_eq!(resolve(&service, &maya.token).await, answer("MAYA", &[]));
    set(json!({ "oidc_principal_mapping": "$.email" })).await;
    assert_eq!(
        resolve(&service, &jonas.token).await,
        unauthenticated(),
        "without a name nobody is authenticated (D-13)"
    );
}

#[tokio::test]
async fn both_names_of_the_service_answer() {
    let service = Service::start();
    let token = service.people().await.remove(0).token;
    let path = "/redpanda.core.admin.v2.SecurityService/ResolveOidcIdentity";
    // The scheme has no letter case, and the message's unknown fields are ignored.
    let answer = service
        .send_as(
            Method::POST,
            path,
            &json!({ "new": 1 }),
            &format!("bearer {token}"),
        )
        .await;
    assert_eq!(
        (answer.status, answer.json()["principal"].clone()),
        (200, json!("maya.okafor"))
    );
    assert_eq!(answer.header("content-type"), "application/json");
}

#[tokio::test]
async fn invalid_tokens_are_rejected() {
    static CLOCK: AtomicU64 = AtomicU64::new(0);
    #[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
    let service = Service::with(|options| {
        options.clock = Some(|| NOW + CLOCK.load(Ordering::Relaxed) as f64);
    });
    let token = service.people().await.remove(0).token;
    let (body, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = body.split_once('.').unwrap();
    let stranger = Service::with(|options| demo_options(options).key = None)
        .people()
        .await
        .remove(0)
        .token;
    for (what, token) in [
        ("nothing", String::new()),
        ("no token", "x".into()),
        ("no signature", format!("{body}.")),
        ("two parts", body.into()),
        (
            "another payload",
            format!(
                "{header}.{}.{signature}",
                &stranger.split('.').nth(1).unwrap()
            ),
        ),
        ("alg none", format!("eyJhbGciOiJub25lIn0.{payload}.")),
        ("of another start", stranger),
    ] {
        assert_eq!(resolve(&service, &token).await, unauthenticated(), "{what}");
    }
    let post = |body| {
        Request::post(PATH)
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap()
    };
    assert_eq!(service.ask(post("{}")).await.both(), unauthenticated());
    let mut two = request(Method::POST, PATH, &format!("Bearer {token}"), "{}");
    two.headers_mut()
        .append("authorization", admin().parse().unwrap());
    assert_eq!(service.ask(two).await.both(), unauthenticated());

    let password = service
        .send_as(Method::POST, PATH, &json!({}), &admin())
        .await;
    assert_eq!(
        password.both(),
        (
            400,
            json!({ "code": "failed_precondition", "message": "SASL mechanism is not OIDC" })
        )
    );
    assert_eq!(password.header("www-authenticate"), "");
    let wrong = service
        .send_as(Method::POST, PATH, &json!({}), &basic("admin", "x"))
        .await;
    assert_eq!(wrong.both(), unauthenticated());
    assert_eq!(wrong.header("www-authenticate"), "Bearer realm=\"gbac\"");

    CLOCK.store(3630, Ordering::Relaxed);
    assert_eq!(
        resolve(&service, &token).await.0,
        200,
        "clocks may differ by 30 seconds"
    );
    CLOCK.store(3631, Ordering::Relaxed);
    assert_eq!(
        resolve(&service, &token).await,
        unauthenticated(),
        "expired"
    );
}

#[tokio::test]
async fn the_protocol_has_its_own_errors() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let ask = async |request: Request<Body>| {
        let answer = service.ask(request).await;
        (
            answer.status,
            answer.json()["code"].as_str().unwrap().to_owned(),
        )
    };
    for body in ["", "{", "[]", "7", r#"{"a":1,"a":2}"#] {
        assert_eq!(
            ask(request(Method::POST, PATH, &token, body)).await,
            (400, "invalid_argument".into()),
            "{body}"
        );
    }
    for (kind, status) in [("application/proto", 400), ("application/x-protobuf", 415)] {
        let mut proto = request(Method::POST, PATH, &token, "x");
        proto
            .headers_mut()
            .insert("content-type", kind.parse().unwrap());
        assert_eq!(
            ask(proto).await,
            (status, "invalid_argument".into()),
            "{kind}"
        );
    }
    let get = service.get(PATH).await;
    assert_eq!(
        (get.both(), get.header("allow")),
        (
            (
                405,
                json!({ "code": "unimplemented", "message": "method `GET` is not allowed here" })
            ),
            "POST"
        )
    );
    let unknown = service
        .send(
            Method::POST,
            "/service.core.admin.v2.SecurityService/NoSuchThing",
            &json!({}),
        )
        .await;
    let message = "operation `NoSuchThing` is not implemented";
    assert_eq!(
        unknown.both(),
        (501, json!({ "code": "unimplemented", "message": message }))
    );
}
