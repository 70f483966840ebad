//! Signing in: challenges, the limit of failures, and what a service that is no demo asks for
//! (specification 5, D-26, D-38).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use serde_json::json;

use crate::harness::{Answer, NOW, Own, Service, admin, basic, refusal};

/// Asks for the roles from an address, with credentials where there are any.
async fn from(service: &Service, peer: &str, credentials: Option<&str>) -> Answer {
    let mut request = Request::get("/v1/roles");
    if let Some(credentials) = credentials {
        request = request.header("authorization", credentials);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(
        format!("{peer}:1").parse::<SocketAddr>().unwrap(),
    ));
    service.ask(request).await
}

#[tokio::test]
async fn only_a_demo_is_readable_without_credentials() {
    let service = Own::with(|_| {});
    for path in [
        "/v1/roles",
        "/v1/acls",
        "/v1/cluster_config",
        "/v1/cluster_config/status",
        "/v1/loggers",
        "/v1/config/log_level/security",
        "/v1/clusters/x",
        "/v1/nothing",
        "/gbac/v1/policy",
        "/gbac/v1/license",
        "/gbac/v1/audit",
        "/gbac/v1/nothing",
        "/access/v1/evaluation",
        "/service.core.admin.v2.SecurityService/ListRoles",
        "/service.core.admin.v2.SecurityService/NoSuchThing",
    ] {
        assert_eq!(service.get(path).await.status, 401, "{path}");
        let post = service
            .ask(Request::post(path).body(Body::empty()).unwrap())
            .await;
        assert_eq!(post.status, 401, "{path}");
    }
    for path in [
        "/healthz",
        "/readyz",
        "/",
        "/gbac/v1/service",
        "/v1/cluster_config/schema",
        "/.well-known/authzen-configuration",
    ] {
        assert_eq!(service.get(path).await.status, 200, "{path}");
    }
    assert_eq!(service.get("/demo/idp/people").await.status, 404);
    assert_eq!(
        from(&service, "127.0.0.1", Some(&admin())).await.status,
        200
    );
}

#[tokio::test]
async fn a_challenge_depends_on_the_client() {
    let service = Service::start();
    let challenges = async |credentials: Option<&str>, page: Option<(&str, &str)>| {
        let mut request = Request::post("/v1/roles");
        for (name, value) in credentials
            .map(|value| ("authorization", value))
            .into_iter()
            .chain(page)
        {
            request = request.header(name, value);
        }
        let answer = service.ask(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status, 401);
        let all = answer
            .headers
            .get_all("www-authenticate")
            .iter()
            .map(|value| value.to_str().unwrap().to_owned());
        all.collect::<Vec<_>>()
    };
    let (bearer, password) = (
        "Bearer realm=\"gbac\"",
        "Basic realm=\"gbac\", charset=\"UTF-8\"",
    );
    let wrong = basic("admin", "x");
    assert_eq!(challenges(None, None).await, [bearer, password]);
    assert_eq!(challenges(Some(&wrong), None).await, [password]);
    assert_eq!(challenges(Some("Digest x"), None).await, [bearer, password]);
    assert_eq!(
        challenges(Some("Bearer x"), None).await,
        ["Bearer realm=\"gbac\", error=\"invalid_token\""]
    );
    for page in [
        ("sec-fetch-mode", "cors"),
        ("user-agent", "Mozilla/5.0 (X11; Linux x86_64)"),
    ] {
        assert_eq!(
            challenges(None, Some(page)).await,
            [bearer],
            "never a browser's dialog"
        );
        assert_eq!(challenges(Some(&wrong), Some(page)).await, [bearer]);
    }
}

#[tokio::test]
async fn failed_sign_ins_are_limited() {
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    #[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
    let clock = || NOW + SECONDS.load(Ordering::Relaxed) as f64;
    let service = Service::with(|options| options.clock = Some(clock));
    let wrong = async |name: &str, peer: &str| from(&service, peer, Some(&basic(name, "x"))).await;
    for n in 0..10 {
        assert_eq!(wrong("admin", &format!("10.0.0.{n}")).await.status, 401);
    }
    for n in 0..3 {
        assert_eq!(
            wrong("admin", "10.0.1.1").await.status,
            401,
            "an address that has not failed, {n}"
        );
    }
    let limited = wrong("admin", "10.0.1.1").await;
    assert_eq!(
        limited.both(),
        (
            429,
            refusal(
                "RESOURCE_EXHAUSTED",
                "REASON_CONSOLE_ERROR",
                "too many failed sign-ins; try again in 6 s"
            )
        )
    );
    assert_eq!(
        (
            limited.header("retry-after"),
            limited.header("www-authenticate")
        ),
        ("6", "")
    );
    assert_eq!(
        from(&service, "10.0.1.1", Some(&admin())).await.status,
        429,
        "nothing is looked at"
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(
        from(&service, "10.0.1.1", Some(&token)).await.status,
        200,
        "a token is no guess"
    );
    SECONDS.store(6, Ordering::Relaxed);
    assert_eq!(from(&service, "10.0.1.1", Some(&admin())).await.status, 200);
    for _ in 0..9 {
        wrong("admin", "10.0.2.1").await;
    }
    assert_eq!(wrong("admin", "10.0.2.1").await.status, 429);
    assert_eq!(
        from(&service, "10.0.2.1", Some(&admin())).await.status,
        200,
        "who was right before does not wait"
    );

    for n in 0..9 {
        assert_eq!(wrong(&format!("user{n}"), "10.0.3.1").await.status, 401);
    }
    wrong("user9", "10.0.3.1").await;
    assert_eq!(
        wrong("user10", "10.0.3.1").await.status,
        429,
        "one address, many names"
    );
}

#[tokio::test]
async fn guesses_do_not_lock_out_the_admin_after_a_restart() {
    let service = Own::with(|_| {});
    for n in 0..20 {
        let guess = from(
            &service,
            &format!("10.0.0.{}", n % 2),
            Some(&basic("admin", "x")),
        )
        .await
        .status;
        assert!([401, 429].contains(&guess));
    }
    assert_eq!(
        from(&service, "10.0.0.1", Some(&basic("admin", "x")))
            .await
            .status,
        429,
        "the guessing goes on"
    );
    assert_eq!(
        from(&service, "10.0.0.9", Some(&admin())).await.status,
        200,
        "the first sign-in since the start"
    );
}

#[tokio::test]
async fn concurrent_sign_ins_with_the_correct_password_succeed() {
    let service = std::sync::Arc::new(Service::start());
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let service = std::sync::Arc::clone(&service);
        asking.spawn(async move { from(&service, "10.0.0.1", Some(&admin())).await.status });
    }
    assert_eq!(asking.join_all().await, [200; 50]);
}

#[tokio::test]
async fn each_surface_has_its_own_429() {
    let service = Service::start();
    for _ in 0..10 {
        service
            .send_as(Method::POST, "/v1/roles", &json!({}), &basic("x", "y"))
            .await;
    }
    let mut told = Vec::new();
    for path in [
        "/v1/roles",
        "/v1/cluster_config",
        "/gbac/v1/license",
        "/service.core.admin.v2.SecurityService/CreateRole",
        "/service.core.admin.v2.SecurityService/ResolveOidcIdentity",
    ] {
        let answer = service
            .send_as(Method::POST, path, &json!({}), &basic("x", "y"))
            .await;
        assert_eq!(
            (answer.status, answer.header("retry-after")),
            (429, "6"),
            "{path}"
        );
        told.push(json!({ "path": path, "answer": answer.json() }));
    }
    insta::assert_json_snapshot!("too_many_failed_sign_ins", told);
}
