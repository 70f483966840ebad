//! The parts of a request that audit events contain, sanitized.

use std::net::SocketAddr;

use gbac_analysis::audit::{Endpoint, HttpRequest};

use crate::client_address::ClientNetwork;

/// What a request can do, by its route and method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It only reads, so that repetitions of it are recorded together.
    Read,
    /// It only reads, but secrets: it is recorded like a change.
    ReadSecrets,
    /// It can change something.
    Change,
}

/// The head of a request, without credentials.
#[derive(Debug, Clone)]
pub(crate) struct RequestHead {
    /// The id that ties together the events of the request, and that its response has.
    pub(crate) id: String,
    /// The HTTP method.
    pub(crate) method: String,
    /// The path and query.
    pub(crate) path: String,
    /// The pattern of its route; empty if it has none.
    pub(crate) route: String,
    /// The host that the request names; empty if there is none.
    pub(crate) host: String,
    /// The names and values of the headers that events show.
    pub(crate) headers: Vec<(String, String)>,
    /// The version of HTTP.
    pub(crate) version: &'static str,
    /// The client's address; its port is 0 if it is not known.
    pub(crate) client: Option<SocketAddr>,
    /// Whether the request was encrypted with TLS.
    pub(crate) encrypted: bool,
    /// What the request can do.
    pub(crate) purpose: Purpose,
    /// Whether this may be the request that turns auditing off, which is possible although no event
    /// can be written.
    pub(crate) may_turn_audit_off: bool,
    /// The user whose credentials the request has; none before they are checked.
    pub(crate) caller: Option<String>,
}

impl RequestHead {
    /// Whether the request came without TLS.
    pub(crate) const fn is_cleartext(&self) -> bool {
        !self.encrypted
    }

    /// The client's IP address as text; empty if it is not known.
    pub(super) fn client_ip(&self) -> String {
        match self.client {
            Some(client) => client.ip().to_canonical().to_string(),
            None => String::new(),
        }
    }

    /// The network that a client without valid credentials belongs to.
    pub(super) fn client_network(&self) -> Option<ClientNetwork> {
        self.client
            .map(|client| ClientNetwork::from_address(client.ip()))
    }

    /// The client, as events describe it.
    pub(crate) fn client(&self) -> Endpoint<'_> {
        match self.client {
            Some(client) => Endpoint {
                ip: Some(client.ip()),
                port: Some(client.port()).filter(|port| *port != 0),
                name: None,
            },
            None => Endpoint::default(),
        }
    }

    /// The request to the service on this port, as events describe it.
    pub(crate) fn http(&self, port: u16) -> HttpRequest<'_> {
        HttpRequest {
            method: &self.method,
            scheme: self.scheme(),
            host: &self.host,
            port: Some(port),
            path: &self.path,
            headers: &self.headers,
            version: self.version,
        }
    }

    /// Only what the client did not choose freely: the method and the route.
    pub(super) fn fixed_http(&self, port: u16) -> Option<HttpRequest<'_>> {
        (!self.route.is_empty()).then(|| HttpRequest {
            method: &self.method,
            scheme: self.scheme(),
            host: "",
            port: Some(port),
            path: &self.route,
            headers: &[],
            version: self.version,
        })
    }

    /// The method, if it is one of HTTP's own.
    pub(super) fn fixed_method(&self) -> &str {
        const METHODS: [&str; 9] = [
            "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
        ];
        if METHODS.contains(&self.method.as_str()) {
            &self.method
        } else {
            "other"
        }
    }

    const fn scheme(&self) -> &'static str {
        if self.encrypted { "https" } else { "http" }
    }
}
