//! Compresses responses for clients that read gzip: large ones where they do not delay other
//! requests.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;

use crate::compression::{Compression, accepts, gzip, is_compressible, set_coding, vary};
use crate::http::placement::{Work, run};
use crate::http::request_head::header_text;
use crate::http::route_table::Declaration;

/// The size in bytes from which a body is compressed.
const MIN_BYTES: u64 = 32;
/// The size in bytes up to which it is compressed on the thread that received the request: a
/// fraction of a millisecond.
const SMALL_BYTES: usize = 16 << 10;

/// Passes a request, and compresses its response if the client reads gzip.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let reads_gzip = accepts(request.headers(), "gzip");
    let surface = Declaration::of(request.extensions()).surface;
    let mut response = next.run(request).await;
    let headers = response.headers();
    let kind = header_text(headers, header::CONTENT_TYPE);
    let is_plain = !headers.contains_key(header::CONTENT_ENCODING) && is_compressible(kind);
    if !is_plain || response.body().size_hint().lower() < MIN_BYTES {
        return response;
    }
    vary(response.headers_mut());
    if !reads_gzip {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Bodies of our own handlers are complete, so reading one cannot fail.
    let content = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(_) => Bytes::new(),
    };
    // Fast rather than small, because most clients are near.
    match run(Work::Other, content.len() <= SMALL_BYTES, move || {
        gzip(&content, Compression::fast())
    })
    .await
    {
        Ok(compressed) => {
            set_coding(&mut parts.headers, "gzip");
            Response::from_parts(parts, Body::from(compressed))
        }
        Err(problem) => problem.response(surface),
    }
}
