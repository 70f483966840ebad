//! Rejects requests for another host, and changes by pages of another origin.

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use crate::http::credentials::uses_session;
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::state::public_endpoint::PublicEndpoint;
use crate::state::service::Service;

/// The maximum size of a path and its query in bytes: room for the longest names, percent-encoded.
/// From 64 KiB on, the HTTP library responds itself, without a body.
const MAX_URI_BYTES: usize = 32 << 10;

/// Passes requests that are meant for this service and not sent by a page of another origin.
pub(crate) async fn check_host(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    if is_probe(&request, &service) {
        return next.run(request).await;
    }
    match check(&request, service.endpoint()) {
        Ok(()) => next.run(request).await,
        Err(problem) => reject(request, problem).await,
    }
}

/// Whether a request is one of a monitoring system, which uses whatever address it knows.
/// `/metrics` is one if it requires credentials; otherwise, a page could read it by DNS rebinding.
fn is_probe(request: &Request, service: &Service) -> bool {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match request.uri().path() {
        paths::HEALTH | paths::READY => is_read,
        paths::METRICS => is_read && service.is_reachable_remotely(),
        _ => false,
    }
}

fn check(request: &Request, endpoint: &PublicEndpoint) -> Result<(), Problem> {
    let authority = request.uri().authority().map(Authority::as_str);
    // Two programs can read a request with two different hosts in two ways (RFC 9112 3.2).
    let Ok(host) = single(request.headers(), &header::HOST) else {
        return invalid(
            "host_ambiguous",
            "the request has more than one Host header; send one",
        );
    };
    let host = host.map(HeaderValue::to_str);
    if let (Some(authority), Some(Ok(host))) = (authority, &host)
        && !authority.eq_ignore_ascii_case(host)
    {
        return invalid(
            "host_ambiguous",
            "the request target and the Host header name different hosts; send one host",
        );
    }
    let Ok(origin) = single(request.headers(), &header::ORIGIN) else {
        return invalid(
            "origin_ambiguous",
            "the request has more than one Origin header; send one",
        );
    };
    let host = match host.or(authority.map(Ok)) {
        Some(Ok(host)) if endpoint.accepts_host(host) => host,
        Some(Ok(host)) => {
            let host = escaped(host);
            let message = format!(
                "requests for host `{host}` are not accepted; use the address of the service"
            );
            return Err(Problem::with_status(
                403,
                RpcCode::PermissionDenied,
                "foreign_host",
                message,
            ));
        }
        _ => return invalid("host_missing", "the request has no valid Host header"),
    };
    if let Some(path) = request.uri().path_and_query()
        && path.as_str().len() > MAX_URI_BYTES
    {
        let message = format!("the path and its query are longer than {MAX_URI_BYTES} bytes");
        return Err(Problem::with_status(
            414,
            RpcCode::InvalidArgument,
            "uri_too_long",
            message,
        ));
    }
    let is_change = !matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    if is_change
        && uses_session(request.headers())
        && !is_console(request.headers(), origin, host, endpoint)
    {
        let message = "a request with a session can only change something if it comes from a page of this service, \
                       which its Origin header has to name";
        return Err(Problem::with_status(
            403,
            RpcCode::PermissionDenied,
            "foreign_origin",
            message,
        ));
    }
    if is_change && !is_own_origin(request.headers(), origin, host) {
        let message = "pages of another origin cannot change anything";
        return Err(Problem::with_status(
            403,
            RpcCode::PermissionDenied,
            "foreign_origin",
            message,
        ));
    }
    Ok(())
}

/// The value of a header that may occur once.
///
/// # Errors
/// It occurs more than once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        Err(())
    } else {
        Ok(value)
    }
}

fn invalid(name: &'static str, message: &str) -> Result<(), Problem> {
    Err(Problem::with_status(
        400,
        RpcCode::InvalidArgument,
        name,
        message,
    ))
}

/// Whether a request certainly comes from a page of this service. With TLS, a page without TLS is
/// of another origin.
fn is_console(
    headers: &HeaderMap,
    origin: Option<&HeaderValue>,
    host: &str,
    endpoint: &PublicEndpoint,
) -> bool {
    let is_same_scheme = match origin {
        Some(origin) => !endpoint.is_https() || origin.as_bytes().starts_with(b"https://"),
        None => false,
    };
    let is_same_origin = match headers.get("sec-fetch-site") {
        Some(site) => site == "same-origin",
        None => true,
    };
    is_same_scheme && is_same_origin && is_own_origin(headers, origin, host)
}

/// Whether a request comes from a page of this service, or from no page at all.
fn is_own_origin(headers: &HeaderMap, origin: Option<&HeaderValue>, host: &str) -> bool {
    match origin {
        Some(origin) => {
            let origin = origin.to_str().unwrap_or_default();
            let own = origin
                .strip_prefix("http://")
                .or_else(|| origin.strip_prefix("https://"));
            matches!(own, Some(own) if own.eq_ignore_ascii_case(host))
        }
        None => match headers.get("sec-fetch-site") {
            Some(site) => site == "same-origin" || site == "none",
            None => true,
        },
    }
}
