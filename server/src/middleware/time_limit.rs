//! The time limit of requests.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use tokio::time::timeout;

use crate::http::problem::Problem;
use crate::http::surface::Surface;

/// The time limit of most requests.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// The time limit of requests with a whole policy or changes of it, which can contain a million ACLs.
const DOCUMENT_TIME_LIMIT: Duration = Duration::from_secs(120);
const DOCUMENT_PATHS: [&str; 3] = [paths::POLICY, paths::POLICY_CHANGES, paths::BACKUP];

/// Cancels a request that takes too long. The limit depends on the path, and the problem's form on the API.
pub(crate) async fn limit_time(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let surface = Surface::of(path);
    let limit = if DOCUMENT_PATHS.contains(&path) { DOCUMENT_TIME_LIMIT } else { TIME_LIMIT };
    timeout(limit, next.run(request))
        .await
        .unwrap_or_else(|_| Problem::new(RpcCode::DeadlineExceeded, "the request took too long").into_response(surface))
}
