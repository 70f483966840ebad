//! Requests to a cluster: the headers that are relayed in both directions, and what can go wrong.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use gbac_api::address::BaseUrl;
use gbac_engine::escape::escaped;
use serde::de::IgnoredAny;
use thiserror::Error;
use tokio::task::spawn_blocking;

use crate::http_client::{HttpClient, root_cause};

/// The time limit of a request; less than that of a request to this service, so that its problem
/// response gives the reason.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The maximum size of a response in bytes; 10,000 ACLs are about 2.5 MB.
const MAX_BYTES: usize = 32 << 20;
/// The headers that are sent to the cluster: no cookies, no addresses, nothing about the browser.
const REQUEST_HEADERS: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::ACCEPT,
    header::IF_MATCH,
];
/// The headers that are returned from the cluster. The content type is that of this service,
/// because every body is JSON.
const RESPONSE_HEADERS: [HeaderName; 2] = [header::ETAG, header::RETRY_AFTER];
/// The names of UTF-8 and of its subset ASCII.
const UTF8: [&str; 3] = ["utf-8", "utf8", "us-ascii"];
/// The size of a response in bytes up to which it is checked on the thread that received it. A
/// larger one is checked where it does not delay other requests.
const SMALL_BYTES: usize = 64 << 10;

/// A request to the cluster.
pub(crate) struct UpstreamRequest {
    method: Method,
    headers: HeaderMap,
    body: Option<String>,
}

impl UpstreamRequest {
    /// A request with the relayed headers of these.
    pub(crate) fn new(method: Method, headers: &HeaderMap, body: Option<String>) -> Self {
        let mut relayed = HeaderMap::new();
        for name in REQUEST_HEADERS {
            for value in headers.get_all(&name) {
                relayed.append(name.clone(), value.clone());
            }
        }
        Self {
            method,
            headers: relayed,
            body,
        }
    }

    /// A request about the cluster with only the credentials of these headers: a POST if it has a
    /// body in JSON.
    pub(crate) fn probe(headers: &HeaderMap, body: Option<&str>) -> Self {
        let method = if body.is_some() {
            Method::POST
        } else {
            Method::GET
        };
        let mut own = HeaderMap::new();
        for value in headers.get_all(header::AUTHORIZATION) {
            own.append(header::AUTHORIZATION, value.clone());
        }
        own.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        Self {
            method,
            headers: own,
            body: body.map(str::to_owned),
        }
    }

    /// The relayed headers.
    #[cfg(any(test, feature = "fuzz"))]
    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// A GET request with the same headers.
    pub(crate) fn as_get(&self) -> Self {
        Self {
            method: Method::GET,
            headers: self.headers.clone(),
            body: None,
        }
    }
}

/// The response of the cluster.
pub(crate) struct UpstreamResponse {
    /// The status.
    pub(crate) status: u16,
    /// The whole body.
    pub(crate) body: Bytes,
    /// The relayed headers.
    pub(crate) headers: HeaderMap,
}

/// Why a request was not relayed. Messages do not contain the cluster's address, which is not the
/// caller's concern.
#[derive(Debug, Error)]
pub(crate) enum UpstreamError {
    /// The path cannot be appended to the base URL.
    #[error("the path cannot be relayed")]
    InvalidPath,
    /// TLS cannot be set up.
    #[error("TLS is not available; install root certificates")]
    Tls,
    /// The response took too long.
    #[error("the cluster did not respond within {} seconds", TIMEOUT.as_secs())]
    Timeout,
    /// The connection failed; the cause.
    #[error("cannot reach the cluster: {}", escaped(.0))]
    Unreachable(String),
    /// The response has a status that is not one of a final response (RFC 9110 section 15).
    #[error("the cluster responded with status {0}, which is not that of a response")]
    Status(u16),
    /// The response is a redirect with this status.
    #[error("the cluster responded with status {0}; redirects are not followed")]
    Redirect(u16),
    /// The response with this status is too large.
    #[error("the response of the cluster is larger than {MAX_BYTES} bytes")]
    TooLarge(u16),
    /// The response with this status did not end in time, or its connection failed; the cause.
    #[error("the response of the cluster is incomplete: {}", escaped(.1))]
    Incomplete(u16, String),
    /// The response with this status is not JSON.
    #[error("the cluster responded with status {0} and a body that is not JSON")]
    NotJson(u16),
}

impl UpstreamError {
    /// The stable code of the error.
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::InvalidPath => "upstream_path",
            Self::Tls => "tls_unavailable",
            Self::Timeout => "upstream_too_slow",
            Self::Unreachable(_) => "upstream_unreachable",
            Self::Redirect(_) => "upstream_redirects",
            Self::Status(_) | Self::TooLarge(_) | Self::Incomplete(..) | Self::NotJson(_) => {
                "upstream_answer"
            }
        }
    }

    /// The status of the response, if it has begun.
    pub(crate) const fn status(&self) -> Option<u16> {
        match self {
            Self::Status(status)
            | Self::Redirect(status)
            | Self::TooLarge(status)
            | Self::Incomplete(status, _)
            | Self::NotJson(status) => Some(*status),
            Self::InvalidPath | Self::Tls | Self::Timeout | Self::Unreachable(_) => None,
        }
    }

    fn from_transport(error: &reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::Timeout;
        }
        Self::Unreachable(root_cause(error))
    }
}

/// The client for the cluster's APIs.
#[derive(Default)]
pub(crate) struct UpstreamClient(HttpClient);

impl UpstreamClient {
    /// Sends a request to a path below a base URL.
    ///
    /// # Errors
    /// See [`UpstreamError`].
    pub(crate) async fn send(
        &self,
        base: &BaseUrl,
        path: &str,
        query: &str,
        request: &UpstreamRequest,
    ) -> Result<UpstreamResponse, UpstreamError> {
        let url = base.with(path, query).ok_or(UpstreamError::InvalidPath)?;
        let client = self.0.get(TIMEOUT).map_err(|_| UpstreamError::Tls)?;
        let mut call = client
            .request(request.method.clone(), url)
            .headers(request.headers.clone());
        if let Some(body) = &request.body {
            call = call.body(body.clone());
        }
        let mut response = call
            .send()
            .await
            .map_err(|error| UpstreamError::from_transport(&error))?;
        let head = ResponseHead::read(response.status(), response.headers())?;
        let status = head.status;
        let mut bytes = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| UpstreamError::Incomplete(status, root_cause(&error)))?
        {
            if bytes.len().saturating_add(chunk.len()) > MAX_BYTES {
                return Err(UpstreamError::TooLarge(status));
            }
            bytes.extend_from_slice(&chunk);
        }
        let body = Bytes::from(bytes);
        if body.len() <= SMALL_BYTES {
            return head.with_body(body);
        }
        spawn_blocking(move || head.with_body(body))
            .await
            .unwrap_or(Err(UpstreamError::NotJson(status)))
    }
}

/// The head of a response that can be returned.
pub(super) struct ResponseHead {
    status: u16,
    /// The relayed headers.
    headers: HeaderMap,
    is_labelled_as_json: bool,
}

impl ResponseHead {
    pub(super) fn read(status: StatusCode, given: &HeaderMap) -> Result<Self, UpstreamError> {
        if !(200..600).contains(&status.as_u16()) {
            return Err(UpstreamError::Status(status.as_u16()));
        }
        if status.is_redirection() {
            return Err(UpstreamError::Redirect(status.as_u16()));
        }
        let mut headers = HeaderMap::new();
        for name in RESPONSE_HEADERS {
            if let Some(value) = given.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        Ok(Self {
            status: status.as_u16(),
            headers,
            is_labelled_as_json: is_labelled_as_json(given),
        })
    }

    /// The response with its body. A page of another server must never be shown under the origin of
    /// this service.
    pub(super) fn with_body(self, body: Bytes) -> Result<UpstreamResponse, UpstreamError> {
        let Self {
            status,
            mut headers,
            is_labelled_as_json,
        } = self;
        if !body.is_empty() {
            if !is_labelled_as_json || !is_json(&body) {
                return Err(UpstreamError::NotJson(status));
            }
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            );
        }
        Ok(UpstreamResponse {
            status,
            body,
            headers,
        })
    }
}

/// Whether the headers of a response say that its body is JSON as it is: in UTF-8, the only
/// encoding of JSON (RFC 8259 section 8.1), and not compressed.
fn is_labelled_as_json(headers: &HeaderMap) -> bool {
    let kind = match headers.get(header::CONTENT_TYPE) {
        Some(kind) => kind.to_str().unwrap_or_default(),
        None => "",
    };
    let mut parts = kind.split(';').map(str::trim);
    let is_json =
        matches!(parts.next(), Some(kind) if kind.eq_ignore_ascii_case("application/json"));
    let is_utf8 = parts.all(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let charset = value.trim().trim_matches('"');
        !name.trim().eq_ignore_ascii_case("charset")
            || UTF8.iter().any(|known| charset.eq_ignore_ascii_case(known))
    });
    is_json && is_utf8 && !headers.contains_key(header::CONTENT_ENCODING)
}

fn is_json(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}
