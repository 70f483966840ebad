//! Which request takes which caller (D-26): the one table. What it does not name takes a superuser, or is no API.

use axum::http::Method;
use gbac_api::paths::{
    CLUSTER_CONFIG_SCHEMA, LIST_CURRENT_USER_ROLES, METRICS, PLATFORM_SECURITY_SERVICE, RESOLVE_OIDC_IDENTITY,
    SECURITY_READS, SECURITY_SERVICE, SERVICE, UPSTREAM,
};

use crate::app::App;

/// What a request takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// Nothing, or what its handler says.
    Nothing,
    /// Nothing; credentials that are there must be right.
    Anyone,
    /// A superuser.
    Superuser,
}

/// Paths that everybody may ask: what the service is, and what the properties are.
const OPEN: [&str; 2] = [SERVICE, CLUSTER_CONFIG_SCHEMA];
/// Operations of the SecurityService that take any valid credentials; they look at them themselves.
const OF_ONES_OWN: [&str; 2] = [RESOLVE_OIDC_IDENTITY, LIST_CURRENT_USER_ROLES];
/// Where the APIs are; all else is the console, the demo's provider and the probes.
const APIS: [&str; 3] = ["/v1/", "/gbac/", ACCESS];
const ACCESS: &str = "/access/";

impl Takes {
    /// What a request takes in this service, whether or not there is such a thing.
    pub(crate) fn of(app: &App, method: &Method, path: &str) -> Self {
        let read = match operation(path) {
            Some(operation) if OF_ONES_OWN.contains(&operation) => return Self::Nothing,
            Some(operation) => SECURITY_READS.contains(&operation) || *method != Method::POST,
            // On loopback what the service counts is nobody's secret.
            None if path == METRICS && app.site().is_open() => return Self::Superuser,
            None if is_relayed(path) => return Self::Nothing,
            None if OPEN.contains(&path) || !APIS.iter().any(|api| path.starts_with(api)) => return Self::Nothing,
            // A question of a gateway changes nothing, whatever its method.
            None => path.starts_with(ACCESS) || matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS),
        };
        if read && app.is_demo() { Self::Anyone } else { Self::Superuser }
    }
}

/// Whether a request goes on to a cluster, which looks at the credentials itself.
fn is_relayed(path: &str) -> bool {
    path.strip_prefix(UPSTREAM).is_some_and(|rest| rest.starts_with('/'))
}

/// The operation of the SecurityService that a path names.
fn operation(path: &str) -> Option<&str> {
    let (service, operation) = path.strip_prefix('/')?.split_once('/')?;
    [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE].contains(&service).then_some(operation)
}
