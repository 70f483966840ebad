//! The call of a handler, the last of what a request passes.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use super::query_parameters::check_parameters;
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::route_table::Declaration;

/// Passes a request to its handler if its query parameters are supported, and gives a problem that
/// the handler returns the form of the API.
pub(crate) async fn call_handler(request: Request, next: Next) -> Response {
    let surface = Declaration::of(request.extensions()).surface;
    if let Err(problem) = check_parameters(&request, surface) {
        return reject(request, problem).await;
    }
    let mut response = next.run(request).await;
    let Some(problem) = response.extensions_mut().remove::<Problem>() else {
        return response;
    };
    let headers = std::mem::take(response.headers_mut());
    let mut response = problem.response(surface);
    response.headers_mut().extend(headers);
    response
}
