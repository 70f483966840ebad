//! The time limit of requests.

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use tokio::time::timeout;

use crate::http::problem::Problem;
use crate::http::route_table::{Declaration, is_below};
use crate::http::surface::Surface;

/// The time limit of most requests.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// The time limit of requests with a whole policy or changes of it, which can contain a million
/// ACLs, and of reads that wait for others of their reader (D-128). A second more than that of a
/// body, whose problem says what took too long.
const LONG_TIME_LIMIT: Duration = Duration::from_secs(121);
const LONG_PATHS: [&str; 7] = [
    paths::POLICY,
    paths::POLICY_CHANGES,
    paths::BACKUP,
    paths::ACLS,
    paths::REGISTRY_ACLS,
    paths::ROLES,
    paths::ADMIN_ROLES,
];

/// Whether a path, or the one above it, is that of a request that can take long.
fn is_long(path: &str, surface: Surface) -> bool {
    surface.is_rpc() || LONG_PATHS.into_iter().any(|long| is_below(path, long))
}

/// Cancels a request that takes too long. The limit depends on the path, and the problem's form on
/// the API.
pub(crate) async fn limit_time(request: Request, next: Next) -> Response {
    let surface = Declaration::of(request.extensions()).surface;
    let limit = if is_long(request.uri().path(), surface) {
        LONG_TIME_LIMIT
    } else {
        TIME_LIMIT
    };
    match timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Problem::new(RpcCode::DeadlineExceeded, "the request took too long").response(surface)
        }
    }
}
