//! Rejecting a request before its body is read.

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use super::body::drain;
use super::problem::Problem;
use super::request_head::asked_uri;
use super::route_table::Declaration;

/// Drains the body of a request and responds with a problem.
pub(crate) async fn reject(request: Request, problem: Problem) -> Response {
    let surface = Declaration::of(request.extensions()).surface;
    let (parts, body) = request.into_parts();
    if parts.method != Method::GET && parts.method != Method::HEAD {
        drain(&parts.headers, body).await;
    }
    problem.response(surface)
}

const NO_BROKER: &str = "this service is not a broker; `GET /v1/brokers` describes its one node";
const NO_PASSWORDS: &str =
    "users come from the identity provider, so there are none to create or list";

const ONE_CLUSTER: &str = "of the Control Plane API, there is only `GET /v1/clusters/{id}`";

/// What clients of the platform call and this service does not have, with the reason.
const NOT_SERVED: [(&str, &str); 11] = [
    ("/redpanda.core.admin.v2.BrokerService/", NO_BROKER),
    ("/redpanda.core.admin.v2.ClusterService/", NO_BROKER),
    ("/redpanda.core.admin.v2.FeaturesService/", NO_BROKER),
    ("/redpanda.core.admin.v2.ShadowLinkService/", NO_BROKER),
    ("/v1/security/report", NO_BROKER),
    ("/redpanda.api.dataplane.v1.UserService/", NO_PASSWORDS),
    ("/v1/security/users", NO_PASSWORDS),
    ("/v1/users", NO_PASSWORDS),
    ("/v1/groups", ONE_CLUSTER),
    ("/v1/role-bindings", ONE_CLUSTER),
    ("/v1/serverless/clusters", ONE_CLUSTER),
];

/// Rejects a request whose path has no route.
pub(crate) async fn not_found(request: Request) -> Response {
    let path = asked_uri(&request).path();
    if let Some(name) = unknown_cluster(&request) {
        let message = format!(
            "this service has no cluster `{}`; `GET {}` lists those that it has",
            escaped(name),
            paths::KAFKA_CLUSTERS
        );
        let problem = Problem::with_status(404, RpcCode::NotFound, "cluster_unknown", message);
        return reject(request, problem).await;
    }
    let reason = NOT_SERVED
        .iter()
        .find(|(prefix, _)| path.starts_with(prefix));
    let message = match reason {
        Some((_, reason)) => format!("`{}` is not served: {reason}", escaped(path)),
        None => format!("`{}` does not exist", escaped(path)),
    };
    let problem = if Declaration::of(request.extensions()).surface.is_rpc() {
        // To clients, `not_found` is a role or an ACL that does not exist.
        Problem::with_status(404, RpcCode::Unimplemented, "not_found", message)
    } else {
        Problem::new(RpcCode::NotFound, message)
    };
    reject(request, problem).await
}

/// The name of a cluster in the path of a request, which no cluster has: its path is still there.
fn unknown_cluster(request: &Request) -> Option<&str> {
    let rest = request.uri().path().strip_prefix(paths::KAFKA_CLUSTERS)?;
    let name = rest.strip_prefix('/')?.split('/').next()?;
    Some(name).filter(|name| !name.is_empty())
}

/// The problem of a request whose route does not support its method.
pub(crate) fn method_not_allowed(method: &Method) -> Problem {
    let message = format!("method `{method}` is not allowed here");
    Problem::with_status(405, RpcCode::Unimplemented, "method_not_allowed", message)
}
