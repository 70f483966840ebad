//! `/gbac/v1/changes`: the changes that were made, newest first, and one of them.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::history::{HistoryEntry, HistoryPage, HistoryQuery};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use super::history_entry::{change_gone, history_entry};
use super::history_stream;
use super::registration::Routes;
use crate::http::access::Access;
use crate::http::long_read::LongRead;
use crate::http::problem::Problem;
use crate::http::query;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(paths::CHANGES, Access::SUPERUSER, get(list))
        .route(
            &format!("{}/{{seq}}", paths::CHANGES),
            Access::SUPERUSER,
            get(show),
        )
}

async fn list(
    State(service): State<Service>,
    read: LongRead,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if history_stream::is_wanted(&headers) {
        return history_stream::follow(service, query, &headers).await;
    }
    let HistoryQuery { before, limit } = query::parse(query, HistoryQuery::from_query)?;
    let page = move || {
        let entries = service.entries_before(before, limit)?;
        let first = service.first_entry()?;
        let changes: Vec<HistoryEntry> = entries.into_iter().map(history_entry).collect();
        let oldest = changes.last().map(|change| change.seq);
        let page = HistoryPage {
            changes,
            next: oldest.filter(|oldest| *oldest > first),
        };
        Ok(Json(page).into_response())
    };
    read.respond(false, page).await
}

async fn show(
    State(service): State<Service>,
    read: LongRead,
    seq: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let Ok(Path(seq)) = seq else {
        let message = "the number of the change in the path is not percent-encoded UTF-8";
        return Err(Problem::invalid(message));
    };
    let number = match seq.parse::<u64>() {
        Ok(number) if number > 0 => number,
        _ => return Err(unknown(&seq)),
    };
    let change = move || {
        for entry in service.entries_after(number - 1, 1)? {
            if entry.expected.seq + 1 == number {
                return Ok(Json(history_entry(entry)).into_response());
            }
        }
        let first = service.first_entry()?;
        if number < first {
            return Err(change_gone(number, first));
        }
        Err(unknown(&seq))
    };
    read.respond(false, change).await
}

fn unknown(seq: &str) -> Problem {
    let message = format!(
        "there is no change `{}`; list the changes to see their numbers",
        escaped(seq)
    );
    Problem::with_status(404, RpcCode::NotFound, "change_unknown", message)
}
