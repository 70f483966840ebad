//! `/`: the console, for every path that no other route has.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::compression::{accepts, is_compressible, set_coding, vary};
use crate::console::{Asset, Coding, Console, INDEX};
use crate::http::placement::{Work, run};
use crate::http::problem::Problem;
use crate::http::reject::{not_found, reject};
use crate::http::request_head::header_text;
use crate::http::surface::{Surface, accepts_page};

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
            return reject(request, Problem::invalid(message)).await;
        }
    };
    let Some((name, asset)) = console.find(&path, accepts_page) else {
        return not_found(request).await;
    };
    let known = header_text(request.headers(), header::IF_NONE_MATCH);
    let is_known = known
        .split(',')
        .any(|tag| tag.trim().trim_start_matches("W/") == asset.etag);
    let coding = coding(asset, request.headers());
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        match content(asset, coding).await {
            Ok(content) => Response::new(Body::from(content)),
            Err(problem) => return problem.response(Surface::Gbac),
        }
    };
    let caching = if asset.is_immutable {
        IMMUTABLE
    } else {
        REVALIDATE
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static(asset.content_type),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    match coding {
        Coding::Identity => {}
        Coding::Gzip => set_coding(headers, "gzip"),
        Coding::Brotli => set_coding(headers, "br"),
    }
    if coding != Coding::Identity {
        vary(headers);
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

/// The best coding of a file that the client reads.
fn coding(asset: &Asset, headers: &HeaderMap) -> Coding {
    if asset.content.is_in_brotli() && accepts(headers, "br") {
        Coding::Brotli
    } else if is_compressible(asset.content_type) && accepts(headers, "gzip") {
        Coding::Gzip
    } else {
        Coding::Identity
    }
}

/// The content of a file in a coding. It is made once, where that does not delay other requests.
async fn content(asset: &Asset, coding: Coding) -> Result<Bytes, Problem> {
    if let Some(content) = asset.content.known(coding) {
        return Ok(content);
    }
    let content = Arc::clone(&asset.content);
    run(Work::Other, false, move || content.coded(coding)).await
}
