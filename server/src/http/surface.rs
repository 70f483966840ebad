//! The API to which a path belongs, which determines the form of its problem responses.

use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use gbac_api::paths;

use crate::upstream;

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
    /// The API to which a path belongs.
    pub(crate) fn from_path(path: &str) -> Self {
        // A relayed request is answered in the form of the API to which it is relayed.
        let path = upstream::split_path(path).map_or(path, |(_, _, path)| path);
        let service = path
            .trim_start_matches('/')
            .split('/')
            .next()
            .unwrap_or_default();
        let segment = path
            .strip_prefix("/v1/")
            .and_then(|rest| rest.split('/').next())
            .unwrap_or_default();
        if paths::is_service(service) && service.starts_with("redpanda.api.") {
            Self::DataPlaneRpc
        } else if paths::is_service(service) {
            Self::Connect
        } else if path == paths::REGISTRY_ACLS {
            Self::SchemaRegistry
        } else if [
            "cluster_config",
            "loggers",
            "config",
            "security",
            "brokers",
            "features",
        ]
        .contains(&segment)
        {
            Self::Admin
        } else if path.starts_with("/v1/") {
            Self::DataPlane
        } else {
            Self::Gbac
        }
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
    let accepted = headers
        .get(header::ACCEPT)
        .and_then(|accepted| accepted.to_str().ok())
        .unwrap_or_default();
    accepted
        .split(',')
        .any(|kind| kind.trim_start().starts_with("text/html"))
}

/// The name prefixes of the operations of services that change nothing.
const READ_PREFIXES: [&str; 3] = ["Get", "List", "Resolve"];

/// Whether a request only reads. Every operation of a service uses POST, and its name decides.
pub(crate) fn only_reads(method: &Method, path: &str) -> bool {
    let operation = path.rsplit('/').next().unwrap_or_default();
    let is_call = matches!(
        Surface::from_path(path),
        Surface::Connect | Surface::DataPlaneRpc
    );
    let is_read = is_call
        && READ_PREFIXES
            .iter()
            .any(|prefix| operation.starts_with(prefix));
    method.is_safe() || is_read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_map_to_surfaces() {
        let page = include_str!("../../../docs/service.md");
        let metric = page
            .lines()
            .find(|line| line.starts_with("| `gbac_requests_total` |"));
        for (path, surface) in [
            ("/v1/acls", Surface::DataPlane),
            ("/v1/nothing", Surface::DataPlane),
            ("/v1/cluster_config/schema", Surface::Admin),
            ("/v1/loggers", Surface::Admin),
            ("/v1/config/log_level/security", Surface::Admin),
            ("/v1/security/roles", Surface::Admin),
            ("/v1/brokers", Surface::Admin),
            ("/v1/features/license", Surface::Admin),
            ("/v1/clusters/x", Surface::DataPlane),
            ("/v1/configuration", Surface::DataPlane),
            ("/service.core.admin.v2.SecurityService/X", Surface::Connect),
            (
                "/redpanda.api.dataplane.v1.ACLService/ListACLs",
                Surface::DataPlaneRpc,
            ),
            ("/security/acls", Surface::SchemaRegistry),
            ("/security/acls/", Surface::Gbac),
            ("/security/roles", Surface::Gbac),
            (
                "/redpanda.core.admin.v2.SecurityService/X",
                Surface::Connect,
            ),
            ("/gbac/v1/policy", Surface::Gbac),
            ("/gbac/v1/upstream/admin/v1/cluster_config", Surface::Admin),
            (
                "/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/X",
                Surface::Connect,
            ),
            ("/gbac/v1/upstream/dataplane/v1/acls", Surface::DataPlane),
            ("/gbac/v1/upstream/clusters/c1/v1/roles", Surface::DataPlane),
            ("/gbac/v1/upstream/clusters/c1", Surface::Gbac),
            ("/", Surface::Gbac),
        ] {
            assert_eq!(Surface::from_path(path), surface, "{path}");
            let label = format!("`{}`", surface.label());
            assert!(
                metric.is_some_and(|metric| metric.contains(&label)),
                "docs/service.md: `gbac_requests_total` lacks {label}"
            );
        }
    }
}
