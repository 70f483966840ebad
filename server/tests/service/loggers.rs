//! `/v1/loggers` and `/v1/config/log_level` (specification 4.4, 8, D-24).

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::harness::{Service, admin};

async fn put(service: &Service, path: &str) -> (u16, Value) {
    let request = Request::put(path)
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    service.ask(request).await.both()
}

#[tokio::test]
async fn loggers_are_listed() {
    let service = Service::start();
    let names = json!([{ "name": "audit" }, { "name": "main" }, { "name": "oidc" }, { "name": "request" },
        { "name": "security" }, { "name": "store" }, { "name": "upstream" }]);
    assert_eq!(
        service.get("/v1/loggers").await.both(),
        (200, names.clone())
    );
    assert_eq!(
        service.get("/v1/loggers?include-levels=false").await.json(),
        names
    );
    let levels = service.get("/v1/loggers?include-levels").await.json();
    assert_eq!(levels[0], json!({ "name": "audit", "level": "info" }));
    let bad = service.get("/v1/loggers?include-levels=maybe").await;
    assert_eq!(
        bad.both(),
        (
            400,
            json!({ "message": "`include-levels` is `maybe`; it must be `true` or `false`", "code": 400 })
        )
    );
}

#[tokio::test(start_paused = true)]
async fn a_level_reverts_automatically() {
    let service = Service::start();
    let path = "/v1/config/log_level/oidc";
    let is = |level: &str, expiration: u64| {
        (
            200,
            json!({ "name": "oidc", "level": level, "expiration": expiration }),
        )
    };
    let changed = |from: &str, to: &str, expiration: u64| {
        (
            200,
            json!({ "name": "oidc", "previous_level": from, "new_level": to, "expiration": expiration }),
        )
    };
    assert_eq!(service.get(path).await.both(), is("info", 0));
    assert_eq!(
        put(&service, &format!("{path}?level=debug")).await,
        changed("info", "debug", 300)
    );
    assert_eq!(service.get(path).await.both(), is("debug", 300));
    tokio::time::sleep(Duration::from_secs(299)).await;
    assert_eq!(service.get(path).await.both(), is("debug", 1));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(service.get(path).await.both(), is("info", 0));
    assert_eq!(
        put(
            &service,
            &format!("{path}?level=trace&expires=0&force=true")
        )
        .await,
        changed("info", "trace", 0)
    );
    tokio::time::sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(service.get(path).await.both(), is("trace", 0));
    assert_eq!(
        put(&service, &format!("{path}?level=info&expires=0&force")).await,
        changed("trace", "info", 0)
    );
}

#[tokio::test]
async fn invalid_log_level_requests_are_rejected() {
    let service = Service::start();
    let mut told = Vec::new();
    for path in [
        "nothing?level=debug",
        "security?level=DEBUG",
        "security",
        "security?level=debug&expires=soon",
        "security?level=debug&expires=-1",
        "security?level=debug&force=yes",
        "a%0Ab?level=debug",
        "%ff?level=debug",
    ] {
        let (status, answer) = put(&service, &format!("/v1/config/log_level/{path}")).await;
        told.push(json!({ "asked": path, "status": status, "answer": answer }));
    }
    insta::assert_json_snapshot!("log_level_faults", told);
    assert_eq!(
        service.get("/v1/config/log_level/nothing").await.status,
        400
    );
    assert_eq!(
        service.get("/v1/config/log_level/security").await.json()["level"],
        "info"
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let reader = service
        .send_as(
            Method::PUT,
            "/v1/config/log_level/security?level=debug",
            &json!({}),
            &token,
        )
        .await;
    assert_eq!(
        reader.both(),
        (
            403,
            json!({ "message": "Forbidden (superuser role required)", "code": 403 })
        )
    );
    assert_eq!(
        service
            .delete("/v1/config/log_level/security")
            .await
            .both()
            .1["code"],
        405
    );
}

/// Keeps the records of the logger `security`, with their levels.
struct Kept(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Kept {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "security" {
            let mut text = Text(event.metadata().level().to_string());
            event.record(&mut text);
            self.0.lock().unwrap().push(text.0);
        }
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 = format!("{} {}={value:?}", self.0, field.name());
    }
}

#[tokio::test]
async fn the_security_logger_writes_claims_at_debug_and_never_tokens() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let service = Service::start();
    let people = service.people().await;
    let resolve = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let _here = tracing::subscriber::set_default(
        tracing_subscriber::registry().with(Kept(Arc::clone(&told))),
    );
    let ask = async |token: &str| {
        service
            .send_as(
                Method::POST,
                resolve,
                &json!({}),
                &format!("Bearer {token}"),
            )
            .await
            .status
    };
    let (maya, jonas) = (&people[0].token, &people[1].token);
    let foreign = format!(
        "{}.{}",
        maya.rsplit_once('.').unwrap().0,
        jonas.rsplit_once('.').unwrap().1
    );
    assert_eq!((ask(maya).await, ask(&foreign).await), (200, 401));
    let told = told.lock().unwrap();
    let [line] = told.as_slice() else {
        panic!("one line for the token that was validated: {told:?}")
    };
    assert!(
        line.starts_with("DEBUG message=claims of a validated token: {"),
        "{line}"
    );
    for claim in [
        "\"sub\":\"maya.okafor\"",
        "\"groups\":\"engineering, analytics ,  \"",
        "\"aud\":\"streams\"",
    ] {
        assert!(line.contains(claim), "{claim} is not in {line}");
    }
    for part in maya.split('.') {
        assert!(!line.contains(part), "{line}");
    }
}
