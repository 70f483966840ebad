//! A request as events tell of it: its head, kept while the body goes elsewhere.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, Method, Uri, Version, header};
use gbac_analysis::audit::{Endpoint, HttpRequest, REDACTED, service, without_credentials};

use crate::listen::Encrypted;

/// How many headers an event shows, and how many bytes of the path and of each header.
const HEADERS: usize = 32;
const BYTES: usize = 1024;

/// The head of a request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    method: Method,
    path: String,
    host: String,
    headers: Vec<(String, String)>,
    version: Version,
    client: Option<SocketAddr>,
    secure: bool,
}

impl Asked {
    /// The head of this request.
    pub(crate) fn of(request: &Request) -> Self {
        let client = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| *address);
        let secure = request.extensions().get::<Encrypted>().is_some();
        Self::new(request.method(), request.uri(), request.headers(), request.version(), client, secure)
    }

    fn new(
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        version: Version,
        client: Option<SocketAddr>,
        secure: bool,
    ) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.or(uri.authority().map(|authority| authority.as_str())).unwrap_or_default();
        let path = uri.path_and_query().map_or(uri.path(), |path| path.as_str());
        let header = |(name, value): (&header::HeaderName, &header::HeaderValue)| {
            // No event shows any of it, so that a kilobyte of token need not be searched for what is one.
            let value = if *name == header::AUTHORIZATION {
                REDACTED.to_owned()
            } else {
                shown(&String::from_utf8_lossy(value.as_bytes()))
            };
            (name.as_str().to_owned(), value)
        };
        Self {
            method: method.clone(),
            path: shown(path),
            host: shown(host),
            headers: headers.iter().take(HEADERS).map(header).collect(),
            version,
            client,
            secure,
        }
    }

    pub(super) fn method(&self) -> &str {
        self.method.as_str()
    }

    /// Whether it came without TLS.
    pub(crate) const fn is_cleartext(&self) -> bool {
        !self.secure
    }

    /// The service that a path belongs to. All of them are the Admin API's, since none of them is governed by ACLs.
    pub(super) const fn service(&self) -> &'static str {
        service::ADMIN
    }

    pub(super) fn client(&self) -> Endpoint<'_> {
        let (ip, port) = (self.client.map(|client| client.ip()), self.client.map(|client| client.port()));
        Endpoint { ip, port, name: None }
    }

    pub(super) fn http(&self, port: u16) -> HttpRequest<'_> {
        HttpRequest {
            method: self.method.as_str(),
            scheme: if self.secure { "https" } else { "http" },
            host: &self.host,
            port: Some(port),
            path: &self.path,
            headers: &self.headers,
            version: match self.version {
                Version::HTTP_2 => "2",
                Version::HTTP_10 => "1.0",
                _ => "1.1",
            },
        }
    }
}

/// A text from outside as events and log lines show it: without credentials, and not longer than an event shows.
/// Credentials go first: half a token is not seen to be one.
pub(crate) fn shown(text: &str) -> String {
    let text = without_credentials(&without_user_information(text));
    if text.len() <= BYTES {
        return text;
    }
    let mut end = BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// A text whose addresses name no user and no password (RFC 3986 3.2.1).
fn without_user_information(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("//") {
        let (before, address) = rest.split_at(start + 2);
        clean.push_str(before);
        let end = address.find(|c: char| matches!(c, '/' | '?' | '#') || c.is_whitespace()).unwrap_or(address.len());
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

    use super::*;

    #[test]
    fn a_request_is_told_with_where_it_came_from() {
        let mut request = Request::get("/v1/roles?x=1").header("host", "gbac.example").body(Body::empty()).unwrap();
        let asked = Asked::of(&request);
        assert_eq!((asked.client(), asked.is_cleartext()), (Endpoint::default(), true));
        assert_eq!((asked.http(8420).scheme, asked.http(8420).path), ("http", "/v1/roles?x=1"));
        let peer: SocketAddr = "10.0.0.7:4242".parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(Encrypted);
        let asked = Asked::of(&request);
        assert_eq!(asked.client(), Endpoint { ip: Some(peer.ip()), port: Some(4242), name: None });
        assert_eq!((asked.http(8443).scheme, asked.http(8443).host), ("https", "gbac.example"));
        assert!(!asked.is_cleartext());
    }

    #[test]
    fn addresses_keep_their_passwords_to_themselves() {
        for (text, clean) in [
            ("http://u:PASS@x/", "http://******@x/"),
            ("see https://u@x:1/a?b, http://u:P@SS@y", "see https://******@x:1/a?b, http://******@y"),
            ("https://x/a@b", "https://x/a@b"),
            ("a@b //", "a@b //"),
        ] {
            assert_eq!(shown(text), clean);
        }
        let request = Request::get("/v1/roles?from=http://u:PASS@x/").header("referer", "http://u:PASS@x/");
        let request = request.header("authorization", "Negotiate PASS");
        let asked = Asked::of(&request.body(Body::empty()).unwrap());
        assert!(!format!("{asked:?}").contains("PASS"), "{asked:?}");
    }

    #[test]
    fn what_is_long_is_cut_between_characters() {
        assert_eq!(shown("short"), "short");
        let token = format!("eyJhbGciOiJSUzI1NiJ9.{}.c2ln", "e".repeat(2 * BYTES));
        assert_eq!(shown(&format!("a {token}")), "a ******", "half a token is not seen to be one");
        let long = shown(&"ü".repeat(BYTES));
        assert!(long.ends_with("ü…") && long.len() <= BYTES + 3, "{}", long.len());
        let odd = shown(&format!("x{}", "ü".repeat(BYTES)));
        assert!(odd.ends_with("ü…") && odd.len() < BYTES + 3);
    }
}
