//! Warnings in response headers, for the APIs of the platform, whose bodies have no place for them.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use gbac_api::warning::{ChangeWarning, HEADER};

/// The total size of the headers in bytes; clients limit the size of headers.
const MAX_BYTES: usize = 4 << 10;

/// Adds warnings to a response; those that do not fit are omitted.
pub(crate) fn with_warnings(mut response: Response, warnings: &[ChangeWarning]) -> Response {
    let mut remaining = MAX_BYTES;
    for warning in warnings {
        let text = warning.to_header();
        let Some(rest) = remaining.checked_sub(text.len()) else {
            continue;
        };
        if let Ok(value) = HeaderValue::from_str(&text) {
            remaining = rest;
            response
                .headers_mut()
                .append(HeaderName::from_static(HEADER), value);
        }
    }
    response
}
