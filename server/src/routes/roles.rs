//! `/v1/roles`: roles and their members in the Data Plane API (specification 2.5, 4.2, D-17, D-18).

use std::ops::Bound;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::encode::first_value;
use gbac_api::paths;
use gbac_api::problem::FieldViolation;
use gbac_api::roles::{
    CreatedRole, GetRole, ListMembers, ListRoles, Member, MemberQuery, RoleName, RoleQuery,
    UpdateRole, UpdatedRole,
};
use gbac_api::warning::ChangeWarning;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::long_read::{LongRead, is_small};
use crate::http::problem::Problem;
use crate::http::query;
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::state::error::RoleError;
use crate::state::name_warnings::{added_principals, name_warnings};
use crate::state::role_changes;
use crate::state::service::Service;
use crate::state::store::StateChange;

pub(super) type Name = Result<Path<String>, PathRejection>;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::DataPlane)
        .route(paths::ROLES, Access::SUPERUSER, get(list).post(create))
        .route(
            "/v1/roles/{role_name}",
            Access::SUPERUSER,
            get(describe).put(update).delete(delete),
        )
        .route(
            "/v1/roles/{role_name}/members",
            Access::SUPERUSER,
            get(members),
        )
}

/// The name of a path.
pub(super) fn role_name(name: Name) -> Result<String, Problem> {
    match name {
        Ok(Path(name)) => Ok(name),
        Err(_) => {
            let message = "the role name in the path is not percent-encoded UTF-8";
            Err(Problem::invalid(message))
        }
    }
}

/// Whether the roles that a query finds are few, and found without a search.
pub(super) fn is_page(service: &Service, query: &RoleQuery) -> bool {
    let finds_page = !query.page.is_all() && query.name_contains.is_empty();
    finds_page || is_small(&service.read().policy)
}

/// A page of the roles that a query finds.
pub(super) fn list_roles(service: &Service, query: &RoleQuery) -> ListRoles {
    let policy = service.read().policy;
    let roles = query.page_of_names(&policy).map(|name| RoleName {
        name: name.to_owned(),
    });
    let (roles, next_page_token) = query.page.cut(roles, |role| role.name.clone());
    ListRoles {
        roles,
        next_page_token,
    }
}

/// Creates a role without members.
///
/// # Errors
/// The name is not valid, or another role has it.
pub(super) async fn create_role(
    service: &Service,
    name: String,
) -> Result<(RoleName, Vec<ChangeWarning>), Problem> {
    let stored = service
        .change(move |current| {
            let changes = role_changes::create(&current.policy, "name", &name, &[])?;
            let names = added_principals(&changes);
            Ok::<_, Problem>((StateChange::Changes(changes), (RoleName { name }, names)))
        })
        .await?;
    let (role, names) = stored.answer;
    Ok((role, name_warnings(&stored.after.policy, &names)))
}

/// A role with its members.
///
/// # Errors
/// There is no such role.
pub(super) fn get_role(service: &Service, name: String) -> Result<GetRole, Problem> {
    match service.read().policy.role(&name) {
        Some(role) => Ok(GetRole::from(&role)),
        None => Err(RoleError::NotFound(name).into()),
    }
}

/// Adds and removes members.
///
/// # Errors
/// There is no such role, or a member is not valid.
pub(super) async fn update_members(
    service: &Service,
    name: String,
    update: &UpdateRole,
) -> Result<(UpdatedRole, Vec<ChangeWarning>), Problem> {
    let (members, create) = (update.members()?, update.create);
    let stored = service
        .change(move |current| {
            let (changes, membership) =
                role_changes::update(&current.policy, &name, create, members)?;
            let answer = UpdatedRole {
                role_name: name,
                added: membership.added.iter().map(Member::from).collect(),
                removed: membership.removed.iter().map(Member::from).collect(),
            };
            let names = added_principals(&changes);
            Ok::<_, Problem>((StateChange::Changes(changes), (answer, names)))
        })
        .await?;
    let (updated, names) = stored.answer;
    Ok((updated, name_warnings(&stored.after.policy, &names)))
}

/// Deletes a role.
///
/// # Errors
/// There is no such role.
pub(super) async fn delete_role(
    service: &Service,
    name: String,
    delete_acls: bool,
) -> Result<(), Problem> {
    service
        .change(move |current| {
            let changes = role_changes::delete(&current.policy, &name, delete_acls)?;
            Ok::<_, Problem>((StateChange::Changes(changes), ()))
        })
        .await?;
    Ok(())
}

/// A page of the members that a query finds.
///
/// # Errors
/// There is no such role.
pub(super) fn list_members(
    service: &Service,
    name: String,
    query: &MemberQuery,
) -> Result<ListMembers, Problem> {
    let Some(role) = service.read().policy.role(&name) else {
        return Err(RoleError::NotFound(name).into());
    };
    let after = query.after();
    let start = match &after {
        Some(after) => Bound::Excluded(after),
        None => Bound::Unbounded,
    };
    let members = role
        .members
        .range((start, Bound::Unbounded))
        .map(Member::from);
    let members = members.filter(|member| member.principal.contains(&query.name_contains));
    let (members, next_page_token) = query.page.cut(members, |member| member.principal.clone());
    Ok(ListMembers {
        role_name: name,
        members,
        next_page_token,
    })
}

async fn list(
    State(service): State<Service>,
    read: LongRead,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let query = query::parse_data_plane(query, RoleQuery::from_query)?;
    read.respond(is_page(&service, &query), move || {
        Ok(Json(list_roles(&service, &query)).into_response())
    })
    .await
}

async fn create(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let RoleName { name } = body::json(request).await?;
    let (role, warnings) = create_role(&service, name).await?;
    let response = (StatusCode::CREATED, Json(CreatedRole { role })).into_response();
    Ok(with_warnings(response, &warnings))
}

async fn describe(
    State(service): State<Service>,
    read: LongRead,
    name: Name,
) -> Result<Response, Problem> {
    let is_small = is_small(&service.read().policy);
    read.respond(is_small, move || {
        Ok(Json(get_role(&service, role_name(name)?)?).into_response())
    })
    .await
}

async fn update(
    State(service): State<Service>,
    name: Name,
    request: Request,
) -> Result<Response, Problem> {
    let name = match role_name(name) {
        Ok(name) => name,
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let (updated, warnings) = update_members(&service, name, &body::json(request).await?).await?;
    Ok(with_warnings(Json(updated).into_response(), &warnings))
}

async fn delete(
    State(service): State<Service>,
    name: Name,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    let name = role_name(name)?;
    let delete_acls = query::parse_data_plane(query, |pairs| flag(pairs, "delete_acls"))?;
    delete_role(&service, name, delete_acls).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A parameter that is `true` or `false`; false if it is omitted.
fn flag(pairs: &[(String, String)], name: &str) -> Result<bool, Vec<FieldViolation>> {
    match first_value(pairs, name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(vec![FieldViolation::new(name, "must be `true` or `false`")]),
    }
}

async fn members(
    State(service): State<Service>,
    read: LongRead,
    name: Name,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let is_small = is_small(&service.read().policy);
    read.respond(is_small, move || {
        let name = role_name(name)?;
        let query = query::parse_data_plane(query, MemberQuery::from_query)?;
        Ok(Json(list_members(&service, name, &query)?).into_response())
    })
    .await
}
