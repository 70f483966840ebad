//! The coding of responses: gzip, or brotli where the build made it.

use std::io::Write;

use axum::http::{HeaderMap, HeaderValue, header};
pub(crate) use flate2::Compression;
pub(crate) use flate2::write::GzEncoder;

/// Whether a client reads a coding (RFC 9110 section 12.5.3).
pub(crate) fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let accepted = headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|accepted| {
        let (name, weight) = accepted.split_once(';').unwrap_or((accepted, "q=1"));
        name.trim().eq_ignore_ascii_case(coding) && !is_zero(weight)
    })
}

/// Whether a weight refuses a coding, as one of another form does.
fn is_zero(weight: &str) -> bool {
    match weight.trim().strip_prefix("q=") {
        Some(q) => q.parse() == Ok(0.0),
        None => true,
    }
}

/// Whether content of this type is smaller when it is compressed; a message of gRPC would lose its
/// trailers.
pub(crate) fn is_compressible(kind: &str) -> bool {
    ![
        "application/grpc",
        "application/octet-stream",
        "font/",
        "image/png",
        // It would wait for the end.
        "text/event-stream",
    ]
    .iter()
    .any(|packed| kind.starts_with(packed))
}

/// Content in gzip.
pub(crate) fn gzip(content: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    // Memory does not fail.
    let _ = encoder.write_all(content);
    encoder.finish().unwrap_or_default()
}

/// States the coding of a body.
pub(crate) fn set_coding(headers: &mut HeaderMap, coding: &'static str) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::ACCEPT_RANGES);
}

/// States that the body depends on the codings that a client reads.
pub(crate) fn vary(headers: &mut HeaderMap) {
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
}
