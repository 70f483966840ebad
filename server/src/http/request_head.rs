//! The head of a request for audit events, and the sanitizing of values from requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Uri, Version, header};
use gbac_analysis::audit::{REDACTED, is_compact_jws, is_shown_header, without_credentials};
use gbac_api::paths;

use crate::random;
use crate::state::audit::{Purpose, RequestHead};

/// The number of headers in an event, and the length in bytes of the path and of each header.
const MAX_HEADERS: usize = 16;
const MAX_BYTES: usize = 1024;
/// The length in bytes of a request ID that is used as it is.
const MAX_ID: usize = 128;
/// The ID of a request, which its response and its audit events have.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The header with the credentials for this service of a request that is relayed.
pub(crate) const OWN_AUTHORIZATION: HeaderName =
    HeaderName::from_static(gbac_api::service::OWN_AUTHORIZATION);

/// Marks a request that was encrypted with TLS between the client and the first trusted proxy or
/// this service, and its response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encrypted;

/// The URI of a request with the name of a cluster, which its path has no longer.
#[derive(Debug, Clone)]
pub(crate) struct AskedUri(pub(crate) Uri);

/// The URI that a client asked for.
pub(crate) fn asked_uri(request: &Request) -> &Uri {
    match request.extensions().get::<AskedUri>() {
        Some(AskedUri(asked)) => asked,
        None => request.uri(),
    }
}

/// The sanitized head of a request, which is taken from it if the authorization has made it
/// already.
pub(crate) fn take_request_head(request: &mut Request) -> RequestHead {
    request
        .extensions_mut()
        .remove()
        .unwrap_or_else(|| request_head(request))
}

/// The sanitized head of a request: that of the authorization, if it has one already.
pub(crate) fn request_head(request: &Request) -> RequestHead {
    if let Some(head) = request.extensions().get::<RequestHead>() {
        return head.clone();
    }
    let (uri, headers) = (asked_uri(request), request.headers());
    let path = match uri.path_and_query() {
        Some(path) => path.as_str(),
        None => uri.path(),
    };
    RequestHead {
        id: given_id(headers.get(REQUEST_ID)).unwrap_or_else(new_id),
        method: request.method().to_string(),
        route: match request.extensions().get::<MatchedPath>() {
            Some(route) => route.as_str().to_owned(),
            None => String::new(),
        },
        purpose: if request.method().is_safe() {
            Purpose::Read
        } else {
            Purpose::Change
        },
        may_turn_audit_off: *request.method() == Method::PUT && uri.path() == paths::CLUSTER_CONFIG,
        caller: None,
        path: sanitized(path),
        host: sanitized(host(request)),
        headers: shown_headers(headers),
        version: match request.version() {
            Version::HTTP_2 => "2",
            Version::HTTP_10 => "1.0",
            _ => "1.1",
        },
        client: client(request.extensions()),
        encrypted: request.extensions().get::<Encrypted>().is_some(),
    }
}

fn host(request: &Request) -> &str {
    if let Some(host) = request.headers().get(header::HOST)
        && let Ok(host) = host.to_str()
    {
        return host;
    }
    match request.uri().authority() {
        Some(authority) => authority.as_str(),
        None => "",
    }
}

fn shown_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let mut shown = Vec::new();
    for (name, value) in headers {
        if shown.len() == MAX_HEADERS {
            break;
        }
        if is_shown_header(name.as_str()) {
            let text = sanitized(&String::from_utf8_lossy(value.as_bytes()));
            shown.push((name.as_str().to_owned(), text));
        }
    }
    shown
}

/// The address of the client, or of the peer before it is known who that is.
pub(crate) fn client(extensions: &Extensions) -> Option<SocketAddr> {
    let ConnectInfo(address) = extensions.get::<ConnectInfo<SocketAddr>>()?;
    Some(*address)
}

/// The IP address of the client.
pub(crate) fn client_ip(extensions: &Extensions) -> Option<IpAddr> {
    Some(client(extensions)?.ip())
}

/// The text of a header; empty if it is missing or is not text.
pub(crate) fn header_text(headers: &HeaderMap, name: HeaderName) -> &str {
    match headers.get(name) {
        Some(value) => value.to_str().unwrap_or_default(),
        None => "",
    }
}

/// The ID that a client gave its request, if it is short and harmless.
fn given_id(id: Option<&HeaderValue>) -> Option<String> {
    let id = id?.to_str().ok()?;
    let is_usable =
        !id.is_empty() && id.len() <= MAX_ID && id.bytes().all(is_harmless) && !is_compact_jws(id);
    is_usable.then(|| id.to_owned())
}

fn is_harmless(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:/+=@|,~".contains(&byte)
}

/// An ID that no other request has: random digits of this run, and a number.
fn new_id() -> String {
    static RUN: LazyLock<String> =
        LazyLock::new(|| random::hex(&random::bytes::<8>().unwrap_or_default()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{:x}", *RUN, NEXT.fetch_add(1, Relaxed))
}

/// A value from a request for events and log lines: without credentials, and truncated. Credentials
/// are removed first, because a truncated token is not recognized.
pub(crate) fn sanitized(text: &str) -> String {
    let text = without_credentials(&without_user_information(text));
    if text.len() <= MAX_BYTES {
        return text;
    }
    let mut end = MAX_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Removes user names and passwords from URLs in a text (RFC 3986 3.2.1).
fn without_user_information(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("//") {
        let (before, address) = rest.split_at(start + 2);
        clean.push_str(before);
        let end = address
            .find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace())
            .unwrap_or(address.len());
        let (authority, after) = address.split_at(end);
        match authority.rsplit_once('@') {
            Some((_, host)) => clean.extend([REDACTED, "@", host]),
            None => clean.push_str(authority),
        }
        rest = after;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use gbac_analysis::audit::Endpoint;

    use super::*;

    #[test]
    fn a_head_has_the_client_and_the_scheme() {
        let mut request = Request::get("/v1/roles?x=1")
            .header("host", "gbac.example")
            .body(Body::empty())
            .unwrap();
        let head = request_head(&request);
        assert_eq!(
            (head.client(), head.is_cleartext()),
            (Endpoint::default(), true)
        );
        assert_eq!(
            (head.http(8420).scheme, head.http(8420).path),
            ("http", "/v1/roles?x=1")
        );
        let peer: SocketAddr = "10.0.0.7:4242".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Encrypted);
        let head = request_head(&request);
        assert_eq!(
            head.client(),
            Endpoint {
                ip: Some(peer.ip()),
                port: Some(4242),
                name: None
            }
        );
        assert_eq!(
            (head.http(8443).scheme, head.http(8443).host),
            ("https", "gbac.example")
        );
        assert!(!head.is_cleartext());
    }

    #[test]
    fn user_information_in_urls_is_redacted() {
        for (text, clean) in [
            ("http://u:PASS@x/", "http://******@x/"),
            (
                "see https://u@x:1/a?b, http://u:P@SS@y",
                "see https://******@x:1/a?b, http://******@y",
            ),
            ("https://x/a@b", "https://x/a@b"),
            ("a@b //", "a@b //"),
        ] {
            assert_eq!(sanitized(text), clean);
        }
        let request =
            Request::get("/v1/roles?from=http://u:PASS@x/").header("referer", "http://u:PASS@x/");
        let request = request.header("authorization", "Negotiate PASS");
        let head = request_head(&request.body(Body::empty()).unwrap());
        assert!(!format!("{head:?}").contains("PASS"), "{head:?}");
    }

    #[test]
    fn long_values_are_truncated_between_characters() {
        assert_eq!(sanitized("short"), "short");
        let token = format!("eyJhbGciOiJSUzI1NiJ9.{}.c2ln", "e".repeat(2 * MAX_BYTES));
        assert_eq!(
            sanitized(&format!("a {token}")),
            "a ******",
            "a truncated token would not be recognized"
        );
        let long = sanitized(&"ü".repeat(MAX_BYTES));
        assert!(
            long.ends_with("ü…") && long.len() <= MAX_BYTES + 3,
            "{}",
            long.len()
        );
        let odd = sanitized(&format!("x{}", "ü".repeat(MAX_BYTES)));
        assert!(odd.ends_with("ü…") && odd.len() < MAX_BYTES + 3);
    }
}
