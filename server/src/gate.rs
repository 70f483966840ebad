//! What every request passes first: the Host it asks for, the Origin it comes from, the time it may take; and the
//! headers that every answer gets.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::problem::RpcCode;
use tokio::time::timeout;

use crate::body;
use crate::fault::{Fault, Surface};

/// How long an answer may take.
const TIME: Duration = Duration::from_secs(30);

/// The headers of every answer that has none of its own. A page from elsewhere can neither frame nor read any of it.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets a request in when it is meant for this service and no page from elsewhere sends it.
pub(crate) async fn gate(request: Request, next: Next) -> Response {
    let surface = Surface::of(request.uri().path());
    let mut response = match refusal(&request) {
        Some(fault) => body::refuse(request, fault).await,
        None => timeout(TIME, next.run(request))
            .await
            .unwrap_or_else(|_| Fault::new(RpcCode::DeadlineExceeded, "the request took too long").answer(surface)),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refusal(request: &Request) -> Option<Fault> {
    let host = request
        .headers()
        .get(header::HOST)
        .map(HeaderValue::to_str)
        .or(request.uri().authority().map(|authority| Ok(authority.as_str())));
    let host = match host {
        Some(Ok(host)) if is_loopback(host) => host,
        Some(Ok(host)) => {
            let message = format!(
                "this service does not answer for the host `{}`; ask for it by its own address",
                host.escape_debug()
            );
            return Some(Fault::with_status(403, RpcCode::PermissionDenied, "foreign_host", message));
        }
        _ => {
            return Some(Fault::with_status(
                400,
                RpcCode::InvalidArgument,
                "host_missing",
                "the request names no host",
            ));
        }
    };
    let writes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if writes && !is_own_origin(request.headers(), host) {
        let message = "pages of another origin may not change anything here";
        return Some(Fault::with_status(403, RpcCode::PermissionDenied, "foreign_origin", message));
    }
    None
}

/// Whether a host is this machine by a name that no name server can point elsewhere. A page whose own name was pointed
/// here (DNS rebinding) asks for that name, and is refused.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether a request comes from a page of this service, or from no page at all.
fn is_own_origin(headers: &HeaderMap, host: &str) -> bool {
    match headers.get(header::ORIGIN) {
        Some(origin) => origin.to_str().is_ok_and(|origin| {
            let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            own.is_some_and(|own| own.eq_ignore_ascii_case(host))
        }),
        None => headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_ours() {
        for host in ["localhost", "LOCALHOST:8420", "127.0.0.1:8420", "127.1.2.3", "[::1]:1", "[::ffff:127.0.0.1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example:8420",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "[::2]",
            "[::1",
            "0.0.0.0",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
