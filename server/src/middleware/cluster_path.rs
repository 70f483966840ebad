//! Requests below `/gbac/v1/clusters/NAME` are those of the cluster with this name (D-137).

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Uri;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gbac_api::paths;
use tower::ServiceExt;

use crate::http::request_head::AskedUri;
use crate::http::route_table::is_below;

/// The routers of the clusters by name, and that of what they share.
#[derive(Clone)]
pub(crate) struct ClusterRouters {
    pub(crate) shared: Router,
    pub(crate) of_clusters: Arc<BTreeMap<String, Router>>,
}

/// What follows the name and is a path of the service as it is; everything else is below
/// `/gbac/v1`.
const APIS: [&str; 4] = ["/v1/", "/gbac/", "/access/", paths::REGISTRY_ACLS];

/// What all clusters share, with everything below it.
const SHARED: [&str; 9] = [
    paths::ACCOUNTS,
    paths::AUDIT,
    paths::LICENSE,
    paths::LOGGERS,
    paths::LOG_LEVEL,
    paths::PROVIDER_KEYS,
    paths::SESSION,
    paths::SIGN_IN,
    paths::UPSTREAM,
];

/// Gives a request below the name of a cluster to the router of this cluster, which passes it
/// through all of its steps.
pub(crate) async fn route_to_cluster(
    State(routers): State<ClusterRouters>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some((router, uri)) = find(&routers, request.uri()) else {
        return next.run(request).await;
    };
    let asked = std::mem::replace(request.uri_mut(), uri);
    request.extensions_mut().insert(AskedUri(asked));
    match router.clone().oneshot(request).await {
        Ok(response) => response,
        Err(never) => never.into_response(),
    }
}

/// The router of a path with the name of a cluster, and its URI without this name.
fn find<'r>(routers: &'r ClusterRouters, uri: &Uri) -> Option<(&'r Router, Uri)> {
    let named = uri.path().strip_prefix(paths::KAFKA_CLUSTERS)?;
    let named = named.strip_prefix('/')?;
    let (name, rest) = named.split_at(named.find('/').unwrap_or(named.len()));
    let router = routers.of_clusters.get(name)?;
    let path = path_of_service(rest);
    let is_shared =
        path == paths::KAFKA_CLUSTERS || SHARED.iter().any(|shared| is_below(&path, shared));
    let router = if is_shared { &routers.shared } else { router };
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    Some((router, target.parse().ok()?))
}

/// The path of the service that follows the name of a cluster.
fn path_of_service(rest: &str) -> String {
    let segment = rest.trim_start_matches('/').split('/').next();
    let is_whole = APIS.iter().any(|api| rest.starts_with(api))
        || rest == paths::READY
        || segment.is_some_and(paths::is_service);
    if is_whole {
        rest.to_owned()
    } else {
        format!("/gbac/v1{rest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_name_is_a_path_of_the_service() {
        for (rest, path) in [
            ("/policy", "/gbac/v1/policy"),
            ("/gbac/v1/policy/changes", "/gbac/v1/policy/changes"),
            ("/v1/acls", "/v1/acls"),
            ("/access/v1/evaluation", "/access/v1/evaluation"),
            ("/readyz", "/readyz"),
            ("/security/acls", "/security/acls"),
            ("/a.b.v1.Service/Get", "/a.b.v1.Service/Get"),
            ("/v1", "/gbac/v1/v1"),
            ("", "/gbac/v1"),
        ] {
            assert_eq!(path_of_service(rest), path);
        }
    }
}
