//! The hosts for which requests are accepted, and the probes that may name any.

use axum::body::Body;
use axum::http::{Method, Request};

use crate::harness::{Own, Service, admin};

async fn status(service: &Service, method: Method, host: &str, path: &str) -> u16 {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", host)
        .header("authorization", admin());
    service
        .ask(request.body(Body::empty()).unwrap())
        .await
        .status
}

#[tokio::test]
async fn every_public_host_is_accepted() {
    let service = Service::with(|options| {
        options.endpoint.public_url = Some("https://gbac.example".into());
        options.endpoint.public_hosts = vec!["gbac.internal".into(), "10.0.0.8".into()];
    });
    for host in [
        "gbac.example",
        "gbac.internal:8420",
        "GBAC.internal",
        "10.0.0.8:8420",
        "127.0.0.1:8420",
    ] {
        assert_eq!(
            status(&service, Method::GET, host, "/v1/roles").await,
            200,
            "{host}"
        );
    }
    for host in ["evil.example", "gbac.internal.evil.example", "10.0.0.9"] {
        assert_eq!(
            status(&service, Method::GET, host, "/v1/roles").await,
            403,
            "{host}"
        );
    }
}

#[tokio::test]
async fn probes_may_name_any_host() {
    let local = Service::start();
    let remote = Own::with(|options| options.listen = "10.0.0.7:8420".into());
    for service in [&local, &*remote] {
        for (path, host) in [
            ("/healthz", "10.42.0.9:8420"),
            ("/readyz", "pod.cluster.internal"),
            ("/healthz", "a b"),
        ] {
            assert_eq!(
                status(service, Method::GET, host, path).await,
                200,
                "{path} at {host}"
            );
        }
        for (method, path) in [
            (Method::POST, "/healthz"),
            (Method::GET, "/"),
            (Method::GET, "/healthz/x"),
        ] {
            assert_eq!(
                status(service, method, "evil.example", path).await,
                403,
                "{path}"
            );
        }
    }
    assert_eq!(
        status(&remote, Method::GET, "pod.cluster.internal", "/metrics").await,
        200
    );
    assert_eq!(
        status(&local, Method::GET, "evil.example", "/metrics").await,
        403,
        "a page could read it"
    );
}
