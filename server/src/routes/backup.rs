//! `/gbac/v1/backup`: a verified copy of everything that the service stores, for `gbac restore`.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use super::registration::Routes;
use crate::http::access::{Access, ReadMethods};
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    // It contains password hashes, so neither a demo nor read-only access gives it to anybody else.
    Routes::new().route(paths::BACKUP, Access::Superuser(ReadMethods::Secrets), get(read))
}

async fn read(State(service): State<Service>) -> Response {
    // Reading the whole file must not delay other requests.
    let backup = tokio::task::spawn_blocking(move || service.backup()).await;
    let problem = match backup {
        Ok(Ok(backup)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/octet-stream"),
                (header::CONTENT_DISPOSITION, "attachment; filename=\"gbac.backup\""),
                (header::CACHE_CONTROL, "no-store"),
            ];
            return (headers, backup).into_response();
        }
        Ok(Err(error)) => {
            tracing::error!(target: "store", code = error.code(), "no backup: {error}");
            error.into()
        }
        Err(_) => Problem::new(RpcCode::Internal, "the backup could not be made"),
    };
    problem.into_response(Surface::Own)
}
