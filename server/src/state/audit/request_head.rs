//! The parts of a request that audit events contain, sanitized.

use std::net::SocketAddr;

use gbac_analysis::audit::{Endpoint, HttpRequest};

/// The head of a request, without credentials.
#[derive(Debug, Clone)]
pub(crate) struct RequestHead {
    /// The HTTP method.
    pub(crate) method: String,
    /// The path and query.
    pub(crate) path: String,
    /// The host that the request names; empty if there is none.
    pub(crate) host: String,
    /// The names and values of its headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The version of HTTP.
    pub(crate) version: &'static str,
    /// The client's address; its port is 0 if it is not known.
    pub(crate) client: Option<SocketAddr>,
    /// Whether the request was encrypted with TLS.
    pub(crate) encrypted: bool,
}

impl RequestHead {
    /// Whether the request came without TLS.
    pub(crate) const fn is_cleartext(&self) -> bool {
        !self.encrypted
    }

    /// The client, as events describe it.
    pub(crate) fn client(&self) -> Endpoint<'_> {
        let (ip, port) =
            (self.client.map(|client| client.ip()), self.client.map(|client| client.port()).filter(|port| *port != 0));
        Endpoint { ip, port, name: None }
    }

    /// The request to the service on this port, as events describe it.
    pub(crate) fn http(&self, port: u16) -> HttpRequest<'_> {
        HttpRequest {
            method: &self.method,
            scheme: if self.encrypted { "https" } else { "http" },
            host: &self.host,
            port: Some(port),
            path: &self.path,
            headers: &self.headers,
            version: self.version,
        }
    }
}
