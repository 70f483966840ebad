//! What who runs the service asks it: whether it runs, whether it can store, and what it counted.

use axum::http::Method;
use serde_json::json;
use tempfile::tempdir;

use crate::harness::{Service, admin, basic};

fn value(text: &str, name: &str) -> f64 {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not in\n{text}"))
        .parse()
        .unwrap()
}

#[tokio::test]
async fn health_and_readiness_are_reported() {
    let service = Service::start();
    let health = service.get("/healthz").await;
    assert_eq!((health.status, &*health.body), (200, &b"ok\n"[..]));
    assert_eq!(health.header("content-type"), "text/plain; charset=utf-8");
    let ready = service.get("/readyz").await;
    assert_eq!((ready.status, &*ready.body), (200, &b"ready\n"[..]));
    assert_eq!(
        service
            .send(Method::POST, "/healthz", &json!({}))
            .await
            .status,
        405
    );
}

#[tokio::test]
async fn metrics_count_requests_and_state() {
    let service = Service::start();
    let before = service.get("/metrics").await;
    assert_eq!(before.status, 200);
    assert!(
        before
            .header("content-type")
            .starts_with("application/openmetrics-text; version=1.0.0")
    );
    let before = String::from_utf8(before.body.to_vec()).unwrap();
    assert!(before.ends_with("# EOF\n"), "{before}");
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "x" }))
            .await
            .status,
        201
    );
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "x" }))
            .await
            .status,
        201
    );
    assert_eq!(service.get("/v1/nothing").await.status, 404);
    let after = String::from_utf8(service.get("/metrics").await.body.to_vec()).unwrap();
    assert_eq!(
        value(&after, "gbac_roles"),
        value(&before, "gbac_roles") + 1.0
    );
    assert_eq!(value(&after, "gbac_acls"), value(&before, "gbac_acls"));
    assert_eq!(
        value(
            &after,
            "gbac_requests_total{surface=\"data_plane\",status=\"201\"}"
        ),
        2.0
    );
    assert_eq!(
        value(
            &after,
            "gbac_requests_total{surface=\"data_plane\",status=\"404\"}"
        ),
        1.0
    );
    assert_eq!(
        value(&after, "gbac_store_commits_total"),
        1.0,
        "what changes nothing is not committed"
    );
    assert_eq!(value(&after, "gbac_store_writable"), 1.0);
}

#[tokio::test]
async fn beyond_loopback_metrics_require_a_superuser() {
    let folder = tempdir().unwrap();
    let open = Service::on(folder.path(), |options| {
        options.listen = "10.0.0.7:8420".into();
    })
    .unwrap();
    assert_eq!(open.get("/metrics").await.status, 401);
    assert_eq!(
        open.get_as("/metrics", &basic("admin", "wrong"))
            .await
            .status,
        401
    );
    assert_eq!(open.get_as("/metrics", &admin()).await.status, 200);
    assert_eq!(
        (
            open.get("/healthz").await.status,
            open.get("/readyz").await.status
        ),
        (200, 200)
    );
}

#[tokio::test]
async fn only_own_host_names_are_accepted() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |options| {
        options.endpoint.public_url = Some("https://gbac.example".into());
    })
    .unwrap();
    let status = async |host: &str| {
        let request = axum::http::Request::get("/gbac/v1/service")
            .header("host", host)
            .body(axum::body::Body::empty());
        service.ask(request.unwrap()).await.status
    };
    assert_eq!(
        (status("gbac.example").await, status("localhost:1").await),
        (200, 200)
    );
    assert_eq!(
        (status("evil.example").await, status("10.0.0.7").await),
        (403, 403)
    );
}

#[tokio::test]
async fn concurrent_writers_share_commits() {
    let folder = tempdir().unwrap();
    let service = std::sync::Arc::new(Service::on(folder.path(), |_| {}).unwrap());
    let count = async || {
        let text = service.get_as("/metrics", &admin()).await;
        value(
            std::str::from_utf8(&text.body).unwrap(),
            "gbac_store_commits_total",
        )
    };
    // A password that was right before is quick to check.
    assert_eq!(service.get_as("/v1/roles", &admin()).await.status, 200);
    let before = count().await;
    let writers: Vec<_> = (0..64)
        .map(|at| {
            let service = service.clone();
            tokio::spawn(async move {
                service
                    .send(
                        Method::POST,
                        "/v1/roles",
                        &json!({ "name": format!("role-{at}") }),
                    )
                    .await
                    .status
            })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.await.unwrap(), 201);
    }
    let commits = count().await - before;
    assert!(
        (1.0..=8.0).contains(&commits),
        "{commits} commits for 64 writes"
    );
}
