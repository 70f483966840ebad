//! `/gbac/v1/backup`: a verified copy of everything that the service stores, for `gbac restore`.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;

use super::registration::Routes;
use crate::http::access::{Access, ReadMethods};
use crate::http::long_read::LongRead;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    // It contains password hashes, so neither a demo nor read-only access gives it to anybody else.
    Routes::new(Surface::Gbac).route(
        paths::BACKUP,
        Access::Superuser(ReadMethods::Secrets),
        get(read),
    )
}

async fn read(State(service): State<Service>, read: LongRead) -> Result<Response, Problem> {
    read.respond(false, move || {
        let headers = [
            (header::CONTENT_TYPE, "application/octet-stream"),
            (
                header::CONTENT_DISPOSITION,
                "attachment; filename=\"gbac.backup\"",
            ),
            (header::CACHE_CONTROL, "no-store"),
        ];
        match service.backup() {
            Ok(backup) => Ok((headers, backup).into_response()),
            Err(error) => {
                tracing::error!(target: "store", code = error.code(), "no backup: {error}");
                Err(error.into())
            }
        }
    })
    .await
}
