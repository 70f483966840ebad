//! `/v1/roles`: the Data Plane's roles and their members (specification 2.5, 4.2, D-17, D-18).

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::{FieldViolation, RpcCode};
use gbac_api::roles::{
    CreatedRole, GetRole, ListMembers, ListRoles, Member, MemberQuery, RoleName, RoleQuery, UpdateRole, UpdatedRole,
};
use gbac_engine::model::Principal;

use crate::access::{Access, Routes};
use crate::acls::filter;
use crate::app::App;
use crate::body;
use crate::fault::{Fault, Surface, no_role};
use crate::role_changes;
use crate::store::{Plan, Snapshot};
use crate::warnings;

type Name = Result<Path<String>, PathRejection>;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(paths::ROLES, Access::SUPERUSER, get(list).post(create))
        .route("/v1/roles/{role_name}", Access::SUPERUSER, get(describe).put(update).delete(delete))
        .route("/v1/roles/{role_name}/members", Access::SUPERUSER, get(members))
}

fn answer(result: Result<Response, Fault>) -> Response {
    result.unwrap_or_else(|fault| fault.answer(Surface::DataPlane))
}

fn name_of(name: Name) -> Result<String, Fault> {
    let bad = "the role's name in the path is not percent-encoded UTF-8";
    name.map(|Path(name)| name).map_err(|_| Fault::new(RpcCode::InvalidArgument, bad))
}

async fn list(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    let read = || {
        let query = filter(query, RoleQuery::from_query)?;
        let policy = app.read().policy;
        let roles = query.of(&policy).map(|name| RoleName { name: name.to_owned() });
        let (roles, next_page_token) = query.page.cut(roles, |role| role.name.clone());
        Ok(Json(ListRoles { roles, next_page_token }).into_response())
    };
    answer(read())
}

async fn create(State(app): State<App>, request: Request) -> Response {
    let add = async {
        let RoleName { name } = body::json(request).await?;
        let plan = move |held: &Snapshot| {
            let changes = role_changes::create(&held.policy, "name", &name, &[])?;
            let names = warnings::brought(&changes);
            Ok::<_, Fault>(Plan::Changes(changes, (RoleName { name }, names)))
        };
        let ((role, names), after) = app.change(plan).await?;
        let response = (StatusCode::CREATED, Json(CreatedRole { role })).into_response();
        Ok(warnings::with_headers(response, &warnings::about(&after.policy, &names)))
    };
    answer(add.await)
}

async fn describe(State(app): State<App>, name: Name) -> Response {
    let read = || {
        let name = name_of(name)?;
        let policy = app.read().policy;
        let role = policy.role(&name).ok_or_else(|| no_role(&name))?;
        Ok(Json(GetRole::from(&role)).into_response())
    };
    answer(read())
}

async fn update(State(app): State<App>, name: Name, request: Request) -> Response {
    let write = async {
        let name = match name_of(name) {
            Ok(name) => name,
            Err(fault) => return Ok(body::refuse(request, fault).await),
        };
        let update: UpdateRole = body::json(request).await?;
        let members = update.members().map_err(Fault::fields)?;
        let plan = move |held: &Snapshot| {
            let (changes, moved) = role_changes::update(&held.policy, &name, update.create, members)?;
            let named = |members: &[Principal]| members.iter().map(Member::from).collect();
            let answer = UpdatedRole { role_name: name, added: named(&moved.added), removed: named(&moved.removed) };
            let names = warnings::brought(&changes);
            Ok::<_, Fault>(Plan::Changes(changes, (answer, names)))
        };
        let ((updated, names), after) = app.change(plan).await?;
        Ok(warnings::with_headers(Json(updated).into_response(), &warnings::about(&after.policy, &names)))
    };
    answer(write.await)
}

async fn delete(State(app): State<App>, name: Name, RawQuery(query): RawQuery) -> Response {
    let remove = async {
        let name = name_of(name)?;
        let delete_acls = filter(query, |pairs| flag(pairs, "delete_acls"))?;
        app.change(move |held| {
            Ok::<_, Fault>(Plan::Changes(role_changes::delete(&held.policy, &name, delete_acls)?, ()))
        })
        .await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    };
    answer(remove.await)
}

/// Reads a parameter that is true or false; false when it is left out.
fn flag(pairs: &[(String, String)], name: &str) -> Result<bool, Vec<FieldViolation>> {
    match pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(vec![FieldViolation::new(name, "must be `true` or `false`")]),
    }
}

async fn members(State(app): State<App>, name: Name, RawQuery(query): RawQuery) -> Response {
    let read = || {
        let name = name_of(name)?;
        let query = filter(query, MemberQuery::from_query)?;
        let policy = app.read().policy;
        let role = policy.role(&name).ok_or_else(|| no_role(&name))?;
        let after = query.after();
        let members = role
            .members
            .iter()
            .filter(|member| after.as_ref().is_none_or(|after| *member > after))
            .map(Member::from)
            .filter(|member| member.principal.contains(&query.name_contains));
        let (members, next_page_token) = query.page.cut(members, |member| member.principal.clone());
        Ok(Json(ListMembers { role_name: name, members, next_page_token }).into_response())
    };
    answer(read())
}
