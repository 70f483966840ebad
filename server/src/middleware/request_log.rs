//! The log line and the metrics of each request.

use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::request_head::{asked_uri, client_ip, sanitized};
use crate::http::route_table::Declaration;
use crate::state::service::Service;

/// Counts and logs a request. The line has no query, which can contain names of users, and no
/// tokens in the path.
pub(crate) async fn log_request(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let (start, method, path) = (
        Instant::now(),
        request.method().clone(),
        asked_uri(&request).path().to_owned(),
    );
    let surface = Declaration::of(request.extensions()).surface;
    let client = client_ip(request.extensions());
    let response = next.run(request).await;
    let (status, duration) = (response.status().as_u16(), start.elapsed());
    service
        .metrics()
        .count_request(surface.label(), status, duration);
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    let (path, client) = (sanitized(&path), client.map(tracing::field::display));
    if status < 500 {
        tracing::debug!(target: "request", %method, path, status, micros, client);
    } else {
        tracing::warn!(target: "request", %method, path, status, micros, client);
    }
    response
}
