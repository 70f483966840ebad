//! Reading request bodies, and draining those of rejected requests, so that the client sees the
//! response and not a closed connection.

use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use gbac_engine::escape::escaped;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::credentials::{is_from_browser, uses_session};
use super::messages::Call;
use super::named_fields::NamedFields;
use super::placement::{Work, run};
use super::problem::{Problem, valid_body};
use super::request_head::header_text;
use super::route_table::Declaration;
use super::surface::Surface;

/// The maximum size of most bodies in bytes.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// The maximum size of a policy document in bytes; 1,000,000 ACLs are about 250 MB, and only a
/// superuser can send them.
pub(crate) const MAX_DOCUMENT_BYTES: usize = 512 << 20;
/// The size of a body in bytes up to which it is parsed on the thread that received it.
const SMALL_BYTES: usize = 16 << 10;
/// The number of bytes of a rejected body that are read before the response.
const MAX_DRAINED_BYTES: usize = 4 << 20;
/// The time for which a rejected body is read before the response.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for most bodies.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for a policy document, which is that of its request.
pub(crate) const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(120);

/// Reads a body of at most `limit` bytes that is not compressed. Its content type is
/// `application/json`, or on the platform's REST APIs any other, unless a page of a browser could
/// have sent it (D-94).
///
/// # Errors
/// 415 (400 for access evaluations), 413, 408 or 400; the body is drained then.
pub(crate) async fn text(
    request: Request,
    limit: usize,
    time: Duration,
) -> Result<String, Problem> {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        return Err(Problem::invalid(
            "the body is empty; it must be a JSON object",
        ));
    }
    if let Some(problem) = wrong_content_type(&parts) {
        drain(&parts.headers, body).await;
        return Err(problem);
    }
    let bytes = bytes(&parts, body, limit, time).await?;
    String::from_utf8(bytes).map_err(|_| Problem::invalid("the body is not UTF-8"))
}

/// Reads the bytes of a body.
async fn bytes(
    parts: &Parts,
    mut body: Body,
    limit: usize,
    time: Duration,
) -> Result<Vec<u8>, Problem> {
    if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
        drain(&parts.headers, body).await;
        return Err(too_large(limit));
    }
    let read = timeout(time, async {
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Problem::invalid("the body is incomplete"))?;
            if let Some(data) = frame.data_ref() {
                bytes.extend_from_slice(data);
            }
            if bytes.len() > limit {
                return Ok::<_, Problem>(None);
            }
        }
        Ok(Some(bytes))
    });
    let bytes = match read.await {
        Ok(read) => read?,
        Err(_) => {
            return Err(Problem::with_status(
                408,
                RpcCode::DeadlineExceeded,
                "body_too_slow",
                "the body was not received in time",
            ));
        }
    };
    match bytes {
        Some(bytes) => Ok(bytes),
        None => {
            drain(&parts.headers, body).await;
            Err(too_large(limit))
        }
    }
}

fn too_large(limit: usize) -> Problem {
    let message = format!("the body is larger than {limit} bytes");
    Problem::with_status(413, RpcCode::ResourceExhausted, "body_too_large", message)
}

/// Reads a body as a value: from JSON, or from a message of a service. Duplicate JSON members are
/// rejected, and so are lists in place of objects.
///
/// # Errors
/// As [`text`], and 400 for JSON of another form.
pub(crate) async fn json<T: DeserializeOwned + Send + 'static>(
    request: Request,
) -> Result<T, Problem> {
    match Call::from_request(&request) {
        Some(call) if !call.is_plain_json() => {
            decoded(call, request, |message| {
                valid_body(T::deserialize(NamedFields(message)))
            })
            .await
        }
        _ => read_text(request, parse).await,
    }
}

/// Reads the message of a call, whatever its encoding.
///
/// # Errors
/// As [`json`].
pub(crate) async fn message(request: Request) -> Result<Map<String, Value>, Problem> {
    let Some(call) = Call::from_request(&request) else {
        let message = "the path is not that of a service";
        return Err(Problem::new(RpcCode::Unimplemented, message));
    };
    decoded(call, request, |message| match message {
        Value::Object(fields) => Ok(fields),
        _ => Err(Problem::invalid("the body must be a message")),
    })
    .await
}

/// Decodes the message of a call and reads it: here if it is small, else where it may block.
async fn decoded<T: Send + 'static>(
    call: Call,
    request: Request,
    read: impl FnOnce(Value) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    if call.is_plain_json() {
        return read_text(request, move |text| read(call.decode(text.as_bytes())?)).await;
    }
    let (parts, body) = request.into_parts();
    if let Some(problem) = wrong_encoding(&parts.headers) {
        drain(&parts.headers, body).await;
        return Err(problem);
    }
    let bytes = bytes(&parts, body, MAX_BYTES, TIMEOUT).await?;
    run(Work::Other, bytes.len() <= SMALL_BYTES, move || {
        read(call.decode(&bytes)?)
    })
    .await?
}

/// Reads the text of a body: here if it is small, else where it may block.
///
/// # Errors
/// As [`text`], and those of reading it.
pub(crate) async fn read_text<T: Send + 'static>(
    request: Request,
    read: impl FnOnce(&str) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let text = text(request, MAX_BYTES, TIMEOUT).await?;
    run(Work::Other, text.len() <= SMALL_BYTES, move || read(&text)).await?
}

/// Reads a body that is a list of values, as [`json`] reads one.
///
/// # Errors
/// As [`json`].
pub(crate) async fn json_list<T: DeserializeOwned + Send + 'static>(
    request: Request,
) -> Result<Vec<T>, Problem> {
    read_text(request, |text| {
        let value = valid_body(gbac_json::parse(text))?;
        if !value.is_array() {
            return Err(Problem::invalid("the body must be a JSON array"));
        }
        valid_body(Vec::deserialize(NamedFields(value)))
    })
    .await
}

/// Parses a body as a value, as [`json`] does.
///
/// # Errors
/// 400.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let members = object(text)?;
    // Parsed from the text for an error message with the position, and from the value to match
    // fields by name only.
    valid_body(serde_json::from_str::<T>(text))?;
    valid_body(T::deserialize(NamedFields(members.into())))
}

/// The members of a body that is a JSON object. Duplicate members are rejected.
///
/// # Errors
/// 400.
pub(crate) fn object(text: &str) -> Result<Map<String, Value>, Problem> {
    match valid_body(gbac_json::parse(text))? {
        Value::Object(members) => Ok(members),
        _ => Err(Problem::invalid("the body must be a JSON object")),
    }
}

/// Whether the body needs the content type `application/json`: in APIs with more than one encoding
/// and in our own, and wherever a form of another site could have sent it, because a form cannot
/// send this content type.
fn needs_json_type(head: &Parts) -> bool {
    let headers = &head.headers;
    head.uri.path().starts_with(paths::UPSTREAM)
        || !matches!(
            Declaration::of(&head.extensions).surface,
            Surface::DataPlane | Surface::Admin | Surface::SchemaRegistry
        )
        || uses_session(headers)
        || is_from_browser(headers)
        || [header::ORIGIN, header::COOKIE, header::REFERER]
            .iter()
            .any(|name| headers.contains_key(name))
}

fn wrong_content_type(head: &Parts) -> Option<Problem> {
    let headers = &head.headers;
    let kind = header_text(headers, header::CONTENT_TYPE);
    let essence = kind.split(';').next().unwrap_or_default().trim();
    let message = if !essence.eq_ignore_ascii_case("application/json") && needs_json_type(head) {
        format!(
            "the content type is `{}`; it must be `application/json`",
            escaped(kind)
        )
    } else if let Some(charset) = foreign_charset(kind) {
        format!("the charset is `{}`; it must be `utf-8`", escaped(charset))
    } else {
        return wrong_encoding(headers);
    };
    // AuthZEN answers every request that it does not read with 400 (section 7.1).
    let path = head.uri.path();
    let is_evaluation = path == paths::ACCESS_EVALUATION || path == paths::ACCESS_EVALUATIONS;
    Some(Problem::with_status(
        if is_evaluation { 400 } else { 415 },
        RpcCode::InvalidArgument,
        "unsupported_media_type",
        message,
    ))
}

fn wrong_encoding(headers: &HeaderMap) -> Option<Problem> {
    let coding = match headers.get(header::CONTENT_ENCODING) {
        Some(coding) => coding.to_str().unwrap_or("?"),
        None => "identity",
    };
    if coding.eq_ignore_ascii_case("identity") {
        return None;
    }
    let message = format!(
        "the content encoding is `{}`; send the body without encoding",
        escaped(coding)
    );
    Some(Problem::with_status(
        415,
        RpcCode::InvalidArgument,
        "unsupported_media_type",
        message,
    ))
}

/// The charset of a content type, unless it is UTF-8 or its subset ASCII.
fn foreign_charset(kind: &str) -> Option<&str> {
    for parameter in kind.split(';').skip(1) {
        if let Some((name, value)) = parameter.split_once('=')
            && name.trim().eq_ignore_ascii_case("charset")
        {
            let charset = value.trim().trim_matches('"');
            let is_supported = ["utf-8", "utf8", "us-ascii"]
                .iter()
                .any(|supported| charset.eq_ignore_ascii_case(supported));
            return if is_supported { None } else { Some(charset) };
        }
    }
    None
}

/// Reads and discards a body, within limits. A client that waits for `100 Continue` gets the
/// response instead.
pub(crate) async fn drain(headers: &HeaderMap, mut body: Body) {
    if header_text(headers, header::EXPECT) == "100-continue" {
        return;
    }
    let mut read = 0;
    // After the time limit the response is the same.
    let _ = timeout(DRAIN_TIMEOUT, async {
        while let Some(Ok(frame)) = body.frame().await {
            read += frame.data_ref().map_or(0, hyper::body::Buf::remaining);
            if read > MAX_DRAINED_BYTES {
                break;
            }
        }
    })
    .await;
}
