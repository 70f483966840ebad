//! `/`: the console, for every path that no other route has.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gbac_api::problem::RpcCode;

use crate::console::{Console, INDEX};
use crate::http::problem::Problem;
use crate::http::reject::{not_found, reject};
use crate::http::surface::accepts_page;

/// For files whose content never changes: browsers keep them without asking again.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// For other files: browsers ask each time, with the entity tag of what they have.
const REVALIDATE: &str = "no-cache";

/// Responds with a file of the console, or with its page.
pub(crate) async fn console(State(console): State<Arc<Console>>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return not_found(request).await;
    }
    let accepts_page = accepts_page(request.headers());
    let path = match gbac_api::encode::decode(request.uri().path()) {
        Ok(path) => path,
        Err(error) => {
            let message = format!("{error}; {}", error.hint());
            return reject(request, Problem::new(RpcCode::InvalidArgument, message)).await;
        }
    };
    let Some((name, asset)) = console.find(&path, accepts_page) else { return not_found(request).await };
    let known = header_text(&request, header::IF_NONE_MATCH);
    let is_known = known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == asset.etag);
    let stored = asset.content.as_brotli().filter(|_| accepts_brotli(&request));
    let is_encoded = stored.is_some();
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(stored.unwrap_or_else(|| asset.content.decoded())))
    };
    let caching = if asset.is_immutable { IMMUTABLE } else { REVALIDATE };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    // Other content is compressed later, for all routes.
    if is_encoded {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let Ok(etag) = HeaderValue::from_str(&asset.etag) {
        headers.insert(header::ETAG, etag);
    }
    if name == INDEX
        && let Ok(policy) = HeaderValue::from_str(&console.content_security_policy)
    {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Whether a client reads brotli (RFC 9110 section 12.5.3).
fn accepts_brotli(request: &Request) -> bool {
    header_text(request, header::ACCEPT_ENCODING).split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let is_zero = |weight: &str| weight.trim().strip_prefix("q=").is_none_or(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("br") && !is_zero(weight)
    })
}

fn header_text(request: &Request, name: HeaderName) -> &str {
    request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
