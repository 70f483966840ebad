//! `/healthz`, `/readyz` and `/metrics`: for the operation of the service.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::surface::Surface;
use crate::identity::sign_in::Authenticator;
use crate::metrics::CONTENT_TYPE;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(paths::HEALTH, Access::Public, get(async || "ok\n"))
        .route(paths::READY, Access::Public, get(ready))
        .route(paths::METRICS, Access::Local, get(metrics))
}

/// The service is ready if it can store changes and, with auditing enabled, write audit events.
/// Without the identity provider, decisions are still made; the metrics show the age of its keys.
async fn ready(State(service): State<Service>) -> Response {
    match service.fault().await {
        None => "ready\n".into_response(),
        Some(fault) => (StatusCode::SERVICE_UNAVAILABLE, format!("{fault}\n")).into_response(),
    }
}

async fn metrics(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
) -> Response {
    (
        [(header::CONTENT_TYPE, CONTENT_TYPE)],
        service.metrics_text(authenticator.key_age()),
    )
        .into_response()
}
