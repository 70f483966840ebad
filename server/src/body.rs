//! Reading a request's body, and draining one that is refused, so that the client sees the answer and no broken pipe.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use gbac_api::problem::RpcCode;

use gbac_engine::escape::escaped;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::fault::{Fault, Surface};
use crate::objects::Objects;

/// The largest body of most requests, in bytes.
pub(crate) const LIMIT: usize = 1 << 20;
/// The largest policy document, in bytes; 1,000,000 ACLs are about 250 MB, and only a superuser may send them.
pub(crate) const DOCUMENT_LIMIT: usize = 512 << 20;
/// How much of a refused body is read before the answer, in bytes.
const DRAIN_LIMIT: usize = 4 << 20;
/// How long a refused body is read before the answer.
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// How long most bodies may take.
pub(crate) const TIME: Duration = Duration::from_secs(20);
/// How long a policy document may take: as long as its request.
pub(crate) const DOCUMENT_TIME: Duration = Duration::from_secs(120);

/// Reads a body of JSON text: `application/json`, not compressed, at most `limit` bytes and `time`.
///
/// # Errors
/// 415, 413, 408 or 400, with the body drained.
pub(crate) async fn text(request: Request, limit: usize, time: Duration) -> Result<String, Fault> {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Err(Fault::new(RpcCode::InvalidArgument, "the body is empty; it must be a JSON object"));
    }
    if let Some(fault) = wrong_kind(&parts.headers) {
        drain(&parts.headers, body).await;
        return Err(fault);
    }
    let too_large = || {
        let message = format!("the body is larger than {limit} bytes");
        Fault::with_status(413, RpcCode::ResourceExhausted, "body_too_large", message)
    };
    if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
        drain(&parts.headers, body).await;
        return Err(too_large());
    }
    let mut body = body;
    let read = timeout(time, async {
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Fault::new(RpcCode::InvalidArgument, "the body ended too early"))?;
            if let Some(data) = frame.data_ref() {
                bytes.extend_from_slice(data);
            }
            if bytes.len() > limit {
                return Ok::<_, Fault>(None);
            }
        }
        Ok(Some(bytes))
    });
    let bytes = match read.await {
        Ok(read) => read?,
        Err(_) => {
            return Err(Fault::with_status(408, RpcCode::DeadlineExceeded, "body_too_slow", "the body took too long"));
        }
    };
    let Some(bytes) = bytes else {
        drain(&parts.headers, body).await;
        return Err(too_large());
    };
    String::from_utf8(bytes).map_err(|_| Fault::new(RpcCode::InvalidArgument, "the body is not UTF-8"))
}

/// Reads a body as a value. JSON is read strictly: a member that is given twice is refused,
/// and so is a list where an object belongs.
///
/// # Errors
/// As [`text`], and 400 for what is not that value.
pub(crate) async fn json<T: DeserializeOwned>(request: Request) -> Result<T, Fault> {
    let text = text(request, LIMIT, TIME).await?;
    let wrong = |what: String| Fault::new(RpcCode::InvalidArgument, format!("the body cannot be read: {what}"));
    let value = gbac_json::parse(&text).map_err(|error| wrong(error.to_string()))?;
    if !value.is_object() {
        return Err(Fault::new(RpcCode::InvalidArgument, "the body must be a JSON object"));
    }
    // From the text for a message that tells the place, from the value to be read by name only.
    serde_json::from_str::<T>(&text).map_err(|error| wrong(error.to_string()))?;
    T::deserialize(Objects(value)).map_err(|error| wrong(error.to_string()))
}

fn wrong_kind(headers: &HeaderMap) -> Option<Fault> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let coding = headers.get(header::CONTENT_ENCODING).map_or("identity", |coding| coding.to_str().unwrap_or("?"));
    let message = if !essence.eq_ignore_ascii_case("application/json") {
        format!("the content type is `{}`; it must be `application/json`", escaped(kind))
    } else if let Some(charset) = foreign_charset(kind) {
        format!("the charset is `{}`; JSON is sent in UTF-8", escaped(charset))
    } else if !coding.eq_ignore_ascii_case("identity") {
        format!("the content coding is `{}`; send the body as it is", escaped(coding))
    } else {
        return None;
    };
    Some(Fault::with_status(415, RpcCode::InvalidArgument, "unsupported_media_type", message))
}

/// The charset of a content type, when it is another than UTF-8 or its part ASCII.
fn foreign_charset(kind: &str) -> Option<&str> {
    let charset = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    })?;
    let is_ours = ["utf-8", "utf8", "us-ascii"].iter().any(|ours| charset.eq_ignore_ascii_case(ours));
    (!is_ours).then_some(charset)
}

/// Refuses a request whose body nobody reads.
pub(crate) async fn refuse(request: Request, fault: Fault) -> Response {
    let surface = Surface::of(request.uri().path());
    let (parts, body) = request.into_parts();
    if parts.method != Method::GET && parts.method != Method::HEAD {
        drain(&parts.headers, body).await;
    }
    fault.answer(surface)
}

/// Reads a body away, within limits. A client that waits for leave to send its body gets the answer instead.
async fn drain(headers: &HeaderMap, mut body: Body) {
    if headers.get(header::EXPECT).is_some_and(|expect| expect == HeaderValue::from_static("100-continue")) {
        return;
    }
    let mut seen = 0;
    // When the time is up the rest is the client's loss; the answer is the same.
    let _ = timeout(DRAIN_TIME, async {
        while let Some(Ok(frame)) = body.frame().await {
            seen += frame.data_ref().map_or(0, hyper::body::Buf::remaining);
            if seen > DRAIN_LIMIT {
                break;
            }
        }
    })
    .await;
}
