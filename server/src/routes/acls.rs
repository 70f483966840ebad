//! `/v1/acls`: the Data Plane's ACLs (specification 4.2).

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ResourceAcls};
use gbac_api::paths;
use gbac_api::warning::ChangeWarning;
use gbac_engine::policy::Change;
use serde_json::json;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::long_read::{LongRead, is_small, json_list, json_member, json_response};
use crate::http::problem::Problem;
use crate::http::query;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::state::name_warnings::name_warnings;
use crate::state::service::Service;
use crate::state::store::StateChange;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::DataPlane).route(
        paths::ACLS,
        Access::SUPERUSER,
        get(list).post(create).delete(delete),
    )
}

/// The ACLs that a filter matches.
///
/// # Errors
/// The service stopped working on it.
pub(super) async fn list_acls(
    service: &Service,
    read: LongRead,
    filter: AclFilter,
) -> Result<Response, Problem> {
    let policy = service.read().policy;
    read.respond(is_small(&policy), move || {
        let acls = policy.acls().filter(|acl| filter.matches(acl));
        Ok(json_response(json_member(
            "resources",
            json_list(ResourceAcls::group(acls))?,
        )))
    })
    .await
}

/// Creates an ACL.
///
/// # Errors
/// It is not valid, or cannot be stored.
pub(super) async fn create_acl(
    service: &Service,
    body: AclBody,
) -> Result<Vec<ChangeWarning>, Problem> {
    let acl = body.check_create()?;
    let principal = acl.principal.clone();
    let change = StateChange::Changes(vec![Change::AddAcl(acl)]);
    let stored = service.change(|_| Ok::<_, Problem>((change, ()))).await?;
    Ok(name_warnings(&stored.after.policy, [&principal]))
}

/// Deletes the ACLs that a filter matches.
///
/// # Errors
/// The change cannot be stored.
pub(super) async fn delete_acls(
    service: &Service,
    filter: AclFilter,
) -> Result<DeletedAcls, Problem> {
    let stored = service
        .change(move |current| {
            let matching: Vec<_> = current
                .policy
                .acls()
                .filter(|acl| filter.matches(acl))
                .collect();
            let answer = DeletedAcls {
                matching_acls: matching.iter().map(AclBody::in_request).collect(),
            };
            let changes = matching.into_iter().map(Change::RemoveAcl).collect();
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        })
        .await?;
    Ok(stored.answer)
}

async fn list(
    State(service): State<Service>,
    read: LongRead,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let filter = query::parse_data_plane(query, AclFilter::from_query)?;
    list_acls(&service, read, filter).await
}

async fn create(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let warnings = create_acl(&service, body::json(request).await?).await?;
    let response = (StatusCode::CREATED, Json(json!({}))).into_response();
    Ok(with_warnings(response, &warnings))
}

async fn delete(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
) -> Result<Json<DeletedAcls>, Problem> {
    let filter = query::parse_data_plane(query, AclFilter::from_delete_query)?;
    Ok(Json(delete_acls(&service, filter).await?))
}
