//! Requests through trusted proxies: whose they are, and whether they were encrypted.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use hyper::body::Frame;
use serde_json::json;

use crate::harness::{Answer, Service, admin, basic, request};

const PROXY: &str = "10.9.0.1:4711";

fn behind_proxies() -> Service {
    Service::with(|options| options.trusted_proxies = vec!["10.9.0.0/16".into()])
}

fn with(mut request: Request<Body>, peer: &str, headers: &[(&'static str, &str)]) -> Request<Body> {
    request
        .extensions_mut()
        .insert(ConnectInfo(peer.parse::<SocketAddr>().unwrap()));
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().unwrap());
    }
    request
}

async fn get(
    service: &Service,
    path: &str,
    peer: &str,
    headers: &[(&'static str, &str)],
) -> Answer {
    service
        .ask(with(
            Request::get(path).body(Body::empty()).unwrap(),
            peer,
            headers,
        ))
        .await
}

#[tokio::test]
async fn failed_sign_ins_are_those_of_the_client_behind_the_proxy() {
    let service = behind_proxies();
    let wrong = async |n: usize, peer: &str, list: &str| {
        let credentials = basic(&format!("user{n}"), "x");
        get(
            &service,
            "/v1/roles",
            peer,
            &[("x-forwarded-for", list), ("authorization", &credentials)],
        )
        .await
        .status
    };
    for n in 0..10 {
        assert_eq!(
            wrong(n, PROXY, &format!("6.6.6.{n}, 192.0.2.1, 10.9.0.2")).await,
            401
        );
    }
    assert_eq!(wrong(10, PROXY, "6.6.6.6, 192.0.2.1").await, 429);
    assert_eq!(
        wrong(11, PROXY, "192.0.2.2").await,
        401,
        "another client of the same proxy"
    );
    assert_eq!(wrong(12, PROXY, "192.0.2.1, 192.0.2.2").await, 401);
    for n in 20..30 {
        assert_eq!(wrong(n, "192.0.2.9:1", &format!("6.6.6.{n}")).await, 401);
    }
    assert_eq!(
        wrong(30, "192.0.2.9:1", "6.6.6.99").await,
        429,
        "nobody else names a client"
    );
}

#[tokio::test]
async fn audit_events_have_the_client_behind_the_proxy() {
    let service = behind_proxies();
    let wrong = basic("admin", "x");
    for (peer, list) in [
        (PROXY, "192.0.2.1:77"),
        (PROXY, "192.0.2.1"),
        ("192.0.2.9:5", "192.0.2.1"),
    ] {
        get(
            &service,
            "/v1/roles",
            peer,
            &[("x-forwarded-for", list), ("authorization", &wrong)],
        )
        .await;
    }
    let events = service
        .get_as("/gbac/v1/audit?limit=10", &admin())
        .await
        .json();
    let failed = events["events"].as_array().unwrap().iter();
    let clients: BTreeSet<_> = failed
        .filter(|event| event["status_id"] == 2)
        .map(|event| {
            event["src_endpoint"]["ip"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    assert_eq!(
        clients,
        ["192.0.2.1".to_owned(), "192.0.2.9".to_owned()].into(),
        "and neither proxies nor claims"
    );
}

#[tokio::test]
async fn only_a_proxy_says_whether_the_client_encrypted_the_request() {
    let service = behind_proxies();
    let security = async |peer: &str, headers: &[(&'static str, &str)]| {
        get(&service, "/gbac/v1/service", peer, headers)
            .await
            .header("strict-transport-security")
            .to_owned()
    };
    let (client, year) = (("x-forwarded-for", "192.0.2.1"), "max-age=31536000");
    assert_eq!(
        security(PROXY, &[client, ("x-forwarded-proto", "https")]).await,
        year
    );
    assert_eq!(
        security(PROXY, &[("forwarded", "for=192.0.2.1;proto=https")]).await,
        year
    );
    assert_eq!(
        security(PROXY, &[client, ("x-forwarded-proto", "http")]).await,
        ""
    );
    assert_eq!(
        security("192.0.2.9:1", &[client, ("x-forwarded-proto", "https")]).await,
        ""
    );
    assert_eq!(security(PROXY, &[client]).await, "");
}

#[tokio::test]
async fn headers_that_name_two_clients_are_refused() {
    let service = behind_proxies();
    let headers = [
        ("x-forwarded-for", "192.0.2.1"),
        ("forwarded", "for=192.0.2.2"),
    ];
    let answer = get(&service, "/gbac/v1/service", PROXY, &headers).await;
    assert_eq!(
        (answer.status, answer.json()["code"].clone()),
        (400, json!("forwarded_ambiguous"))
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(
        get(&service, "/gbac/v1/service", "192.0.2.9:1", &headers)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_service_behind_a_proxy_is_not_local() {
    let path = "/metrics";
    assert_eq!(Service::start().get(path).await.status, 200);
    let service = behind_proxies();
    assert_eq!(
        service.get(path).await.status,
        401,
        "the proxy may be on this machine"
    );
    assert_eq!(service.get_as(path, &admin()).await.status, 200);
}

/// A body that never comes.
struct Never;

impl hyper::body::Body for Never {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

#[tokio::test(start_paused = true)]
async fn each_client_has_a_limited_number_of_requests_at_once() {
    let service = Service::with(|options| {
        options.trusted_proxies = vec!["10.9.0.0/16".into()];
        options.connections.requests_per_address = 2;
    });
    let slow = |list: &str| {
        let mut request = request(Method::POST, "/v1/roles", &admin(), "");
        *request.body_mut() = Body::new(Never);
        service.ask(with(request, PROXY, &[("x-forwarded-for", list)]))
    };
    let others = async {
        let refused = get(
            &service,
            "/v1/roles",
            PROXY,
            &[("x-forwarded-for", "192.0.2.1")],
        )
        .await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
        assert_eq!(
            refused.json()["message"],
            "your address has too many requests at once; wait for their responses"
        );
        assert_eq!(
            get(
                &service,
                "/v1/roles",
                PROXY,
                &[("x-forwarded-for", "192.0.2.2")]
            )
            .await
            .status,
            200
        );
    };
    let (first, second, ()) = tokio::join!(slow("192.0.2.1"), slow("192.0.2.1"), others);
    assert_eq!((first.status, second.status), (408, 408));
    assert_eq!(
        get(
            &service,
            "/v1/roles",
            PROXY,
            &[("x-forwarded-for", "192.0.2.1")]
        )
        .await
        .status,
        200
    );
    let metrics = service.get_as("/metrics", &admin()).await;
    assert!(String::from_utf8_lossy(&metrics.body).contains("gbac_requests_refused_total 1\n"));
}
