//! `/healthz`, `/readyz` and `/metrics`: for whoever runs the service.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;

use crate::app::App;
use crate::metrics::{CONTENT_TYPE, Now};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(paths::HEALTH, get(async || "ok\n"))
        .route(paths::READY, get(ready))
        .route(paths::METRICS, get(metrics))
}

/// Ready is who can store a change. A provider that is down is a number in the metrics: decisions do not need it.
async fn ready(State(app): State<App>) -> Response {
    if app.is_sound() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, "the store takes no more writes\n").into_response()
}

/// On loopback for everyone there; else it takes a superuser (D-26), as the table in `access` says.
async fn metrics(State(app): State<App>) -> Response {
    let held = app.read();
    let now = Now {
        acls: held.policy.acl_count(),
        roles: held.policy.role_count(),
        commits: app.commits(),
        audit_events: app.audit_log().written(),
        audit_failures: app.audit_log().failed(),
        writable: app.is_sound(),
        key_age: app.key_age(),
    };
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], app.metrics().text(&now)).into_response()
}
