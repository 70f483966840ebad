//! `/v1/acls`: the Data Plane's ACLs (specification 4.2).

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ListAcls};
use gbac_api::paths;
use gbac_engine::policy::Change;
use serde_json::json;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::problem::Problem;
use crate::http::query;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::state::name_warnings::name_warnings;
use crate::state::service::Service;
use crate::state::store::Plan;

const SURFACE: Surface = Surface::DataPlane;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::ACLS, Access::SUPERUSER, get(list).post(create).delete(delete))
}

async fn list(State(service): State<Service>, RawQuery(query): RawQuery) -> Response {
    match query::parse_data_plane(query, AclFilter::from_query) {
        Ok(filter) => {
            let policy = service.read().policy;
            Json(ListAcls::group(policy.acls().filter(|acl| filter.matches(acl)))).into_response()
        }
        Err(problem) => problem.into_response(SURFACE),
    }
}

async fn create(State(service): State<Service>, request: Request) -> Response {
    let add = async {
        let acl = body::json::<AclBody>(request).await?.check_create().map_err(Problem::fields)?;
        let principal = acl.principal.clone();
        let ((), after) = service.change(|_| Ok::<_, Problem>(Plan::Changes(vec![Change::AddAcl(acl)], ()))).await?;
        Ok::<_, Problem>(name_warnings(&after.policy, [&principal]))
    };
    match add.await {
        Ok(warnings) => with_warnings((StatusCode::CREATED, Json(json!({}))).into_response(), &warnings),
        Err(problem) => problem.into_response(SURFACE),
    }
}

async fn delete(State(service): State<Service>, RawQuery(query): RawQuery) -> Response {
    let remove = async {
        let filter = query::parse_data_plane(query, AclFilter::from_delete_query)?;
        service
            .change(move |current| {
                let matching: Vec<_> = current.policy.acls().filter(|acl| filter.matches(acl)).collect();
                let answer = DeletedAcls { matching_acls: matching.iter().map(AclBody::in_request).collect() };
                Ok::<_, Problem>(Plan::Changes(matching.into_iter().map(Change::RemoveAcl).collect(), answer))
            })
            .await
    };
    match remove.await {
        Ok((answer, _)) => Json(answer).into_response(),
        Err(problem) => problem.into_response(SURFACE),
    }
}
