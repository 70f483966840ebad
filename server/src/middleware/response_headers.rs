//! The security headers of every response.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;

use crate::http::request_head::Encrypted;

/// The default headers. Pages of other origins can neither frame nor read responses.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CACHE_CONTROL, "no-store"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Tells browsers to use only TLS for a year (RFC 6797).
const TRANSPORT_SECURITY: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Adds the headers that a response does not have.
pub(crate) async fn add_headers(mut response: Response) -> Response {
    let is_encrypted = response.extensions().get::<Encrypted>().is_some();
    let headers = response.headers_mut();
    if is_encrypted {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, TRANSPORT_SECURITY);
    }
    for (name, value) in HEADERS {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
