//! `/gbac/v1/audit`: the latest audit events, newest first.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::routing::get;
use gbac_api::audit::{AuditEvents, AuditQuery};
use gbac_api::paths;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::query;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::AUDIT, Access::SUPERUSER, get(read))
}

async fn read(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
) -> Result<Json<AuditEvents>, Problem> {
    let AuditQuery { limit } = query::parse(query, AuditQuery::from_query)?;
    let lines = service.audit_log().recent(limit);
    let events = lines
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    Ok(Json(AuditEvents { events }))
}
