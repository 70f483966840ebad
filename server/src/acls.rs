//! `/v1/acls`: the Data Plane's ACLs (specification 4.2).

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::acls::{AclBody, AclFilter, DeletedAcls, ListAcls};
use gbac_api::problem::{FieldViolation, RpcCode};
use gbac_api::{encode, paths};
use gbac_engine::policy::Change;
use serde_json::json;

use crate::access::{Access, Routes};
use crate::app::App;
use crate::body;
use crate::fault::{Fault, Surface};
use crate::store::Plan;
use crate::warnings;

const SURFACE: Surface = Surface::DataPlane;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::ACLS, Access::SUPERUSER, get(list).post(create).delete(delete))
}

async fn list(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    match filter(query, AclFilter::from_query) {
        Ok(filter) => {
            let policy = app.read().policy;
            Json(ListAcls::group(policy.acls().filter(|acl| filter.matches(acl)))).into_response()
        }
        Err(fault) => fault.answer(SURFACE),
    }
}

async fn create(State(app): State<App>, request: Request) -> Response {
    let add = async {
        let acl = body::json::<AclBody>(request).await?.check_create().map_err(Fault::fields)?;
        let principal = acl.principal.clone();
        let ((), after) = app.change(|_| Ok::<_, Fault>(Plan::Changes(vec![Change::AddAcl(acl)], ()))).await?;
        Ok::<_, Fault>(warnings::about(&after.policy, [&principal]))
    };
    match add.await {
        Ok(warnings) => warnings::with_headers((StatusCode::CREATED, Json(json!({}))).into_response(), &warnings),
        Err(fault) => fault.answer(SURFACE),
    }
}

async fn delete(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    let remove = async {
        let filter = filter(query, AclFilter::from_delete_query)?;
        app.change(move |held| {
            let matching: Vec<_> = held.policy.acls().filter(|acl| filter.matches(acl)).collect();
            let answer = DeletedAcls { matching_acls: matching.iter().map(AclBody::from).collect() };
            Ok::<_, Fault>(Plan::Changes(matching.into_iter().map(Change::RemoveAcl).collect(), answer))
        })
        .await
    };
    match remove.await {
        Ok((answer, _)) => Json(answer).into_response(),
        Err(fault) => fault.answer(SURFACE),
    }
}

/// Reads a query with one of the readers of `gbac-api`.
pub(crate) fn filter<T>(
    query: Option<String>,
    read: impl FnOnce(&[(String, String)]) -> Result<T, Vec<FieldViolation>>,
) -> Result<T, Fault> {
    let pairs = encode::parse_query(&query.unwrap_or_default())
        .map_err(|error| Fault::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint())))?;
    read(&pairs).map_err(Fault::fields)
}
