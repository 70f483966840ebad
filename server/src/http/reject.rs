//! Rejecting a request before its body is read.

use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use super::body::drain;
use super::problem::Problem;
use super::surface::Surface;

/// Drains the body of a request and responds with a problem.
pub(crate) async fn reject(request: Request, problem: Problem) -> Response {
    let surface = Surface::of(request.uri().path());
    let (parts, body) = request.into_parts();
    if parts.method != Method::GET && parts.method != Method::HEAD {
        drain(&parts.headers, body).await;
    }
    problem.into_response(surface)
}

/// Rejects a request whose path has no route.
pub(crate) async fn not_found(request: Request) -> Response {
    let message = format!("`{}` does not exist", escaped(request.uri().path()));
    let problem = match Surface::of(request.uri().path()) {
        // To clients, `not_found` is a role or an ACL that does not exist.
        Surface::Connect => Problem::with_status(404, RpcCode::Unimplemented, "not_found", message),
        _ => Problem::new(RpcCode::NotFound, message),
    };
    reject(request, problem).await
}

/// The problem of a request whose route does not support its method.
pub(crate) fn method_not_allowed(method: &Method) -> Problem {
    let message = format!("method `{method}` is not allowed here");
    Problem::with_status(405, RpcCode::Unimplemented, "method_not_allowed", message)
}
