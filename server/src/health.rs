//! `/healthz`, `/readyz` and `/metrics`: for whoever runs the service.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;

use crate::access::{Access, Routes};
use crate::app::App;
use crate::metrics::{CONTENT_TYPE, Now};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(paths::HEALTH, Access::Public, get(async || "ok\n"))
        .route(paths::READY, Access::Public, get(ready))
        .route(paths::METRICS, Access::Local, get(metrics))
}

/// Ready is who can store a change. A provider that is down is a number in the metrics: decisions do not need it.
async fn ready(State(app): State<App>) -> Response {
    if app.is_sound() {
        return "ready\n".into_response();
    }
    (StatusCode::SERVICE_UNAVAILABLE, "the store takes no more writes\n").into_response()
}

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
