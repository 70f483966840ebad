//! `/gbac/v1/audit`: the last events, newest first.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::audit::{AuditEvents, AuditQuery};
use gbac_api::paths;

use crate::access::{Access, Routes};
use crate::acls::filter;
use crate::app::App;
use crate::fault::Surface;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::AUDIT, Access::SUPERUSER, get(read))
}

async fn read(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    match filter(query, AuditQuery::from_query) {
        Ok(AuditQuery { limit }) => {
            let events = app.audit_log().recent(limit).iter().map(gbac_json::event_to_value).collect();
            Json(AuditEvents { events }).into_response()
        }
        Err(fault) => fault.answer(Surface::Own),
    }
}
