//! The parameters of calls that change something: one that is misspelt or given twice is refused, since the caller
//! meant something by it that would not happen. What only reads ignores the ones that it does not know, as the platform does.

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::{paging, paths};

use crate::acls::filter;
use crate::body;
use crate::fault::Surface;

const ACL_FILTER: [&str; 7] = [
    "filter.resource_type",
    "filter.resource_name",
    "filter.resource_pattern_type",
    "filter.principal",
    "filter.host",
    "filter.operation",
    "filter.permission_type",
];
/// The operations of the SecurityService that change nothing, by how their names begin.
const READS: [&str; 3] = ["Get", "List", "Resolve"];

/// What a call that changes something knows; nothing where it changes nothing, or elsewhere only.
fn known(method: &Method, path: &str) -> Option<&'static [&'static str]> {
    let below = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let operation = path.rsplit('/').next().unwrap_or_default();
    let elsewhere = below(paths::UPSTREAM) || [paths::ACCESS_EVALUATION, paths::ACCESS_EVALUATIONS].contains(&path);
    let reads = Surface::of(path) == Surface::Connect && READS.iter().any(|read| operation.starts_with(read));
    if method.is_safe() || elsewhere || reads {
        return None;
    }
    Some(if path == paths::CLUSTER_CONFIG {
        &["dry_run", "force"]
    } else if path == paths::POLICY {
        &["dry_run"]
    } else if below(paths::LOG_LEVEL) {
        &["level", "expires", "force"]
    } else if path == paths::ACLS && method == Method::DELETE {
        &ACL_FILTER
    } else if below(paths::ROLES) && method == Method::DELETE {
        &["delete_acls"]
    } else {
        &[]
    })
}

/// Lets a request through to its handler when it knows each of its parameters.
pub(crate) async fn check(request: Request, next: Next) -> Response {
    let Some(known) = known(request.method(), request.uri().path()) else { return next.run(request).await };
    match filter(request.uri().query().map(str::to_owned), |pairs| paging::only(pairs, known)) {
        Ok(()) => next.run(request).await,
        Err(fault) => body::refuse(request, fault).await,
    }
}
