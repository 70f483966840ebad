//! The audit log as evidence: nobody hides what they do in noise, and every event names what it is about.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::audit::events;
use crate::harness::{Service, admin, basic, request};

/// The service with what its connections would tell it: the client's address.
async fn ask_from(service: &Service, address: &str, request: Request<Body>) -> u16 {
    let mut request = request;
    let client: std::net::SocketAddr = address.parse().unwrap();
    request.extensions_mut().insert(axum::extract::ConnectInfo(client));
    service.ask(request).await.status
}

/// Different requests without credentials, which write events of their own as long as there is a budget for them.
async fn make_noise(service: &Service, address: &str) {
    for route in ["/v1/roles", "/v1/acls", "/gbac/v1/policy", "/v1/cluster_config", "/gbac/v1/license", "/v1/loggers"] {
        for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "X-OWN"] {
            let noise = Request::builder().method(method).uri(route).header("host", "127.0.0.1:8420");
            ask_from(service, address, noise.body(Body::empty()).unwrap()).await;
        }
        for scheme in ["Bearer x", "Basic eDp5", "Other x"] {
            let noise = request(Method::POST, route, scheme, "{}");
            ask_from(service, address, noise).await;
        }
    }
}

#[tokio::test]
async fn noise_hides_neither_wrong_passwords_nor_refused_calls() {
    let service = Service::start();
    let maya = format!("Bearer {}", service.people().await.remove(0).token);
    let (stranger, insider) = ("192.0.2.1:4000", "10.0.0.7:4000");
    make_noise(&service, stranger).await;
    for _ in 0..8 {
        let guess = request(Method::POST, "/v1/roles", &basic("admin", "x"), "{}");
        let status = ask_from(&service, stranger, guess).await;
        assert!(status == 401 || status == 429, "{status}");
    }
    for route in ["/v1/roles", "/v1/acls", "/gbac/v1/policy/changes", "/gbac/v1/backup", "/v1/cluster_config"] {
        let method = if route == "/gbac/v1/backup" { Method::GET } else { Method::PUT };
        let refused = ask_from(&service, insider, request(method, route, &maya, "{}")).await;
        assert!(refused == 403, "{route}: {refused}");
    }
    let outsider = ask_from(&service, "198.51.100.7:1", request(Method::POST, "/v1/roles", "Bearer y", "{}")).await;
    assert_eq!(outsider, 401);

    let events = events(&service).await;
    let number = |told: &dyn Fn(&Value) -> bool| -> u64 {
        events.iter().filter(|event| told(event)).map(|event| event["count"].as_u64().unwrap_or(1)).sum()
    };
    let of_admin = |event: &Value| match event["class_uid"].as_u64() {
        Some(3002) => event["user"]["name"] == "admin" && event["status_id"] == 2,
        _ => event["actor"]["user"]["name"] == "admin" && event["api"]["response"]["code"] == 429,
    };
    assert_eq!(number(&of_admin), 8, "each wrong password for the account is named, and those beyond its limit");
    let of_maya = |event: &Value| event["actor"]["user"]["name"] == "maya.okafor" && event["status_id"] == 2;
    assert_eq!(number(&of_maya), 5, "each refused call of a user is named");
    assert_eq!(number(&|event| event["src_endpoint"]["ip"] == "198.51.100.7"), 1, "another network has its own budget");
    let beyond = |event: &Value| event["api"]["operation"] == "several" && event["src_endpoint"]["ip"] == "192.0.2.1";
    assert!(number(&beyond) > 5, "the others are counted, with their network");
}

#[tokio::test]
async fn repeated_reads_name_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] });
    service.send(Method::PUT, "/v1/cluster_config", &on).await;
    for n in 0..50 {
        assert_eq!(service.get_as(&format!("/v1/roles/r{n}"), &admin()).await.status, 404);
    }
    let shown = service.get_as("/gbac/v1/audit?limit=1000", &admin()).await.json();
    let events = shown["events"].as_array().unwrap();
    for n in 0..50 {
        let path = format!("/v1/roles/r{n}");
        let names = |event: &&Value| {
            let named = event["resources"].as_array().into_iter().flatten().any(|named| named["name"] == path.as_str());
            event["api"]["operation"] == "GET" && (named || event["http_request"]["url"]["path"] == path.as_str())
        };
        assert_eq!(events.iter().filter(names).count(), 1, "{path}");
    }
}
