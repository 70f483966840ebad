//! The APIs of the service. That of a route determines the form of its problem responses.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use gbac_api::paths;

use super::request_head::header_text;

/// An API of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    /// The Data Plane API: `/v1/acls`, `/v1/roles` and others.
    DataPlane,
    /// The Admin API, except over Connect.
    Admin,
    /// A service over Connect, such as the SecurityService of the Admin API.
    Connect,
    /// The Data Plane API over Connect and gRPC.
    DataPlaneRpc,
    /// The ACLs of the Schema Registry.
    SchemaRegistry,
    /// The service's own API.
    Gbac,
}

impl Surface {
    /// The API of a service over Connect.
    pub(crate) fn of_service(name: &str) -> Self {
        if name.starts_with("redpanda.api.") {
            Self::DataPlaneRpc
        } else {
            Self::Connect
        }
    }

    /// Whether its requests are calls of services.
    pub(crate) const fn is_rpc(self) -> bool {
        matches!(self, Self::Connect | Self::DataPlaneRpc)
    }

    /// The name in the metrics.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::DataPlane => "data_plane",
            Self::Admin => "admin",
            Self::Connect => "connect",
            Self::DataPlaneRpc => "data_plane_rpc",
            Self::SchemaRegistry => "schema_registry",
            Self::Gbac => "gbac",
        }
    }
}

/// Whether a browser asks for the page of the console that has the address of the Schema Registry's
/// ACLs.
pub(crate) fn is_page(request: &Request) -> bool {
    request.uri().path() == paths::REGISTRY_ACLS
        && matches!(*request.method(), Method::GET | Method::HEAD)
        && accepts_page(request.headers())
}

/// Whether the client accepts HTML.
pub(crate) fn accepts_page(headers: &HeaderMap) -> bool {
    header_text(headers, header::ACCEPT)
        .split(',')
        .any(|kind| kind.trim_start().starts_with("text/html"))
}

/// The name prefixes of the operations of services that change nothing.
const READ_PREFIXES: [&str; 3] = ["Get", "List", "Resolve"];

/// Whether a request only reads. Every operation of a service uses POST, and its name decides.
pub(crate) fn only_reads(surface: Surface, method: &Method, path: &str) -> bool {
    let operation = path.rsplit('/').next().unwrap_or_default();
    let is_read = surface.is_rpc()
        && READ_PREFIXES
            .iter()
            .any(|prefix| operation.starts_with(prefix));
    method.is_safe() || is_read
}
