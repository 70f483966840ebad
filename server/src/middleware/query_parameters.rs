//! Rejects unknown and duplicate query parameters of requests that change something, because their
//! intended effect would not happen. Requests that only read ignore unknown parameters, as the
//! platform does.

use axum::extract::Request;
use axum::http::Method;
use gbac_api::{paging, paths};

use crate::http::problem::Problem;
use crate::http::query;
use crate::http::surface::{Surface, only_reads};

const ACL_FILTER: [&str; 7] = [
    "filter.resource_type",
    "filter.resource_name",
    "filter.resource_pattern_type",
    "filter.principal",
    "filter.host",
    "filter.operation",
    "filter.permission_type",
];

/// The parameters of a request that changes something here; `None` for other requests.
fn supported(surface: Surface, method: &Method, path: &str) -> Option<&'static [&'static str]> {
    let changes_nothing_here = is_inside(path, paths::UPSTREAM)
        || [paths::ACCESS_EVALUATION, paths::ACCESS_EVALUATIONS].contains(&path);
    if changes_nothing_here || only_reads(surface, method, path) {
        return None;
    }
    Some(if path == paths::CLUSTER_CONFIG {
        &["dry_run", "force"]
    } else if path == paths::POLICY {
        &["dry_run"]
    } else if is_inside(path, paths::LOG_LEVEL) {
        &["level", "expires", "force"]
    } else if path == paths::ACLS && method == Method::DELETE {
        &ACL_FILTER
    } else if is_inside(path, paths::ADMIN_ROLES) && method == Method::POST {
        &["create"]
    } else if method == Method::DELETE
        && (is_inside(path, paths::ROLES) || is_inside(path, paths::ADMIN_ROLES))
    {
        &["delete_acls"]
    } else {
        &[]
    })
}

/// Checks that the query parameters of a request are supported.
///
/// # Errors
/// They are not, or cannot be read.
pub(super) fn check_parameters(request: &Request, surface: Surface) -> Result<(), Problem> {
    let Some(supported) = supported(surface, request.method(), request.uri().path()) else {
        return Ok(());
    };
    let query = request.uri().query().map(str::to_owned);
    if surface == Surface::DataPlane {
        query::parse_data_plane(query, |pairs| paging::only(pairs, supported))
    } else {
        query::parse(query, |pairs| paging::only(pairs, supported))
    }
}

fn is_inside(path: &str, folder: &str) -> bool {
    matches!(path.strip_prefix(folder), Some(rest) if rest.starts_with('/'))
}
