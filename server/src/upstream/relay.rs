//! One call to a cluster: which headers go there and come back, and what can go wrong on the way.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};
use gbac_api::address::BaseUrl;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use crate::body;
use crate::fault::Fault;
use crate::outward::Outward;

/// How long a call may take; less than a request to this service, so that its answer says why.
const TIME: Duration = Duration::from_secs(20);
/// The largest answer, in bytes; 10,000 ACLs are about 2.5 MB.
const LIMIT: usize = 32 << 20;
/// What goes to the cluster: no cookie, no address, nothing about the browser.
const SENT: [HeaderName; 4] = [header::AUTHORIZATION, header::CONTENT_TYPE, header::ACCEPT, header::IF_MATCH];
/// What comes back.
const TAKEN: [HeaderName; 3] = [header::CONTENT_TYPE, header::ETAG, header::RETRY_AFTER];

/// A request as it goes to the cluster.
pub(super) struct Call {
    method: Method,
    headers: HeaderMap,
    body: Option<String>,
}

impl Call {
    /// Reads a request.
    ///
    /// # Errors
    /// Its body is too large, too slow, or no JSON.
    pub(super) async fn of(request: Request) -> Result<Self, Fault> {
        let method = request.method().clone();
        let mut headers = HeaderMap::new();
        for name in SENT {
            for value in request.headers().get_all(&name) {
                headers.append(name.clone(), value.clone());
            }
        }
        let body = match method {
            Method::POST | Method::PUT => Some(body::text(request, body::LIMIT, body::TIME).await?),
            _ => None,
        };
        Ok(Self { method, headers, body })
    }

    /// The same caller, reading.
    pub(super) fn reading(&self) -> Self {
        Self { method: Method::GET, headers: self.headers.clone(), body: None }
    }
}

/// What the cluster said.
pub(super) struct Answer {
    /// The status.
    pub(super) status: u16,
    /// The whole body.
    pub(super) body: Bytes,
    headers: HeaderMap,
}

impl Answer {
    pub(super) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        if self.status == 401 {
            // Never the cluster's own: for `Basic` a browser would open a dialog.
            let challenge = HeaderValue::from_static("Bearer realm=\"gbac\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response.headers_mut().extend(self.headers);
        response
    }
}

/// Makes the calls; the client is made when it is needed first, since it reads the machine's root certificates.
#[derive(Default)]
pub(super) struct Relay(Outward);

impl Relay {
    /// Sends a call to a path behind a base address.
    ///
    /// # Errors
    /// 502 or 504: the cluster cannot be reached, is too slow, or answers what is not relayed.
    pub(super) async fn send(&self, base: &BaseUrl, path: &str, query: &str, call: &Call) -> Result<Answer, Fault> {
        let url = base.with(path, query).ok_or_else(|| bad("upstream_path", "the path cannot be relayed".into()))?;
        let unsafe_here =
            |_| bad("tls_unavailable", "connections cannot be made safe; install root certificates".into());
        let client = self.0.client(TIME).map_err(unsafe_here)?;
        let mut request = client.request(call.method.clone(), url).headers(call.headers.clone());
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        let mut response = request.send().await.map_err(|error| away(&error))?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            return Err(bad(
                "upstream_redirects",
                format!("the cluster answered with status {status}, and redirects are not followed"),
            ));
        }
        let mut headers = HeaderMap::new();
        for name in TAKEN {
            if let Some(value) = response.headers().get(&name) {
                headers.insert(name, value.clone());
            }
        }
        let coded = response.headers().contains_key(header::CONTENT_ENCODING);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| away(&error))? {
            if bytes.len().saturating_add(chunk.len()) > LIMIT {
                return Err(bad("upstream_answer", format!("the cluster's answer is larger than {LIMIT} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        // A page of somebody else's must not be shown under our origin, whatever a header makes of it.
        if !bytes.is_empty() && (coded || !is_json(&headers)) {
            let message = format!("the cluster answered with status {status} and something that is not JSON");
            return Err(bad("upstream_answer", message));
        }
        Ok(Answer { status, body: bytes.into(), headers })
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// The cluster is away, or too slow. Its address is the operator's affair and not said.
fn away(error: &reqwest::Error) -> Fault {
    if error.is_timeout() {
        let message = format!("the cluster did not answer within {} seconds", TIME.as_secs());
        return Fault::with_status(504, RpcCode::DeadlineExceeded, "upstream_too_slow", message);
    }
    // The outermost message holds the address, and the innermost says what went wrong.
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    bad("upstream_unreachable", format!("the cluster cannot be reached: {}", escaped(&cause.to_string())))
}

fn bad(word: &'static str, message: String) -> Fault {
    Fault::with_status(502, RpcCode::Unavailable, word, message)
}
