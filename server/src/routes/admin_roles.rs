//! `/v1/security`: roles, their members and the caller's own roles in the Admin API v1, with its
//! codes and texts (D-90).

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::admin::{
    AdminMember, AdminRoleQuery, ChangedMembers, MemberChanges, MemberList, NamedRole, RoleBody,
    RoleList, RoleWithMembers,
};
use gbac_api::paths;
use gbac_api::problem::AdminCode;
use gbac_api::roles::RoleQuery;
use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, Role};
use serde::de::DeserializeOwned;

use super::registration::Routes;
use super::roles::{Name, role_name};
use crate::http::access::Access;
use crate::http::body;
use crate::http::credentials::{credentials, is_from_browser, sign_in_problem};
use crate::http::long_read::{LongRead, is_small};
use crate::http::problem::Problem;
use crate::http::query::{flag, pairs};
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::identity::sign_in::Authenticator;
use crate::state::error::RoleError;
use crate::state::name_warnings::{added_principals, name_warnings};
use crate::state::role_changes;
use crate::state::service::Service;
use crate::state::store::StateChange;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .prefix("/v1/security", Access::SUPERUSER)
        .route(
            paths::ADMIN_ROLES,
            Access::SUPERUSER,
            get(list).post(create),
        )
        .route(
            "/v1/security/roles/{role}",
            Access::SUPERUSER,
            get(describe).delete(delete),
        )
        .route(
            "/v1/security/roles/{role}/members",
            Access::SUPERUSER,
            get(members).post(change_members),
        )
        .route(
            paths::ADMIN_OWN_ROLES,
            Access::Authenticated,
            get(own_roles),
        )
}

/// Reads a body whose only members are these.
async fn read<T: DeserializeOwned + Send + 'static>(
    request: Request,
    known: &'static [&'static str],
) -> Result<T, Problem> {
    body::read_text(request, move |text| {
        let members = body::object(text).map_err(|problem| malformed(&problem))?;
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            Some(unknown) => Err(Problem::admin((
                AdminCode::UnrecognizedField,
                escaped(unknown),
            ))),
            None => body::parse(text).map_err(|problem| malformed(&problem)),
        }
    })
    .await
}

fn malformed(problem: &Problem) -> Problem {
    Problem::admin((AdminCode::MalformedRequest, problem.message().to_owned()))
}

/// The roles of a list.
fn listed<'r>(names: impl Iterator<Item = &'r str>) -> Json<RoleList> {
    let roles = names
        .map(|name| NamedRole {
            name: name.to_owned(),
        })
        .collect();
    Json(RoleList { roles })
}

async fn list(
    State(service): State<Service>,
    read: LongRead,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let policy = service.read().policy;
    read.respond(is_small(&policy), move || {
        let AdminRoleQuery {
            name_prefix,
            member,
        } = AdminRoleQuery::from_query(&pairs(query)?).map_err(Problem::admin)?;
        let query = RoleQuery {
            name_prefix,
            principal: member,
            ..RoleQuery::default()
        };
        Ok(listed(query.page_of_names(&policy)).into_response())
    })
    .await
}

async fn create(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let RoleBody { role: name } = read(request, &["role"]).await?;
    let stored = service
        .change(move |current| {
            let changes = role_changes::create(&current.policy, "role", &name, &[])?;
            let names = added_principals(&changes);
            let answer = (RoleBody { role: name }, names);
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        })
        .await?;
    let (role, names) = stored.answer;
    Ok(with_warnings(
        (StatusCode::CREATED, Json(role)).into_response(),
        &name_warnings(&stored.after.policy, &names),
    ))
}

/// The role of a path.
fn role(service: &Service, name: Name) -> Result<Role, Problem> {
    let name = role_name(name)?;
    match service.read().policy.role(&name) {
        Some(role) => Ok(role),
        None => Err(RoleError::NotFound(name).into()),
    }
}

fn admin_members<'m>(members: impl IntoIterator<Item = &'m Principal>) -> Vec<AdminMember> {
    members.into_iter().map(AdminMember::from).collect()
}

async fn describe(
    State(service): State<Service>,
    read: LongRead,
    name: Name,
) -> Result<Response, Problem> {
    let is_small = is_small(&service.read().policy);
    read.respond(is_small, move || {
        let role = role(&service, name)?;
        Ok(Json(RoleWithMembers {
            members: admin_members(&role.members),
            name: role.name,
        })
        .into_response())
    })
    .await
}

async fn members(
    State(service): State<Service>,
    read: LongRead,
    name: Name,
) -> Result<Response, Problem> {
    let is_small = is_small(&service.read().policy);
    read.respond(is_small, move || {
        let members = admin_members(&role(&service, name)?.members);
        Ok(Json(MemberList { members }).into_response())
    })
    .await
}

async fn delete(
    State(service): State<Service>,
    name: Name,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    let name = role_name(name)?;
    let delete_acls = flag(&pairs(query)?, "delete_acls")?.unwrap_or(false);
    service
        .change(move |current| {
            let changes = role_changes::delete_if_present(&current.policy, &name, delete_acls);
            Ok::<_, Problem>((StateChange::Changes(changes), ()))
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The role of a path, and whether it is created if it does not exist.
fn changed_role(name: Name, query: Option<String>) -> Result<(String, bool), Problem> {
    let name = role_name(name)?;
    let create = flag(&pairs(query)?, "create")?.unwrap_or(false);
    Ok((name, create))
}

async fn change_members(
    State(service): State<Service>,
    name: Name,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Problem> {
    let (name, create) = match changed_role(name, query) {
        Ok(role) => role,
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let changes: MemberChanges = read(request, &["add", "remove"]).await?;
    let membership = changes.members().map_err(Problem::admin)?;
    let stored = service
        .change(move |current| {
            let created = !current.policy.has_role(&name);
            let (changes, membership) =
                role_changes::update(&current.policy, &name, create, membership)?;
            let changed = ChangedMembers {
                role: name,
                added: admin_members(&membership.added),
                removed: admin_members(&membership.removed),
                created,
            };
            let names = added_principals(&changes);
            Ok::<_, Problem>((StateChange::Changes(changes), (changed, names)))
        })
        .await?;
    let (changed, names) = stored.answer;
    Ok(with_warnings(
        Json(changed).into_response(),
        &name_warnings(&stored.after.policy, &names),
    ))
}

/// Lists the roles that have the caller as a member by user name.
async fn own_roles(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Problem> {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let caller = match authenticator.authenticate(&credentials).await {
        Ok(caller) => caller,
        Err(error) => {
            let problem = sign_in_problem(&error, Surface::Admin, from_browser);
            return Ok(reject(request, problem).await);
        }
    };
    let AdminRoleQuery { name_prefix, .. } =
        AdminRoleQuery::from_query(&pairs(query)?).map_err(Problem::admin)?;
    let query = RoleQuery {
        name_prefix,
        principal: Some(Principal::user(caller.user())),
        ..RoleQuery::default()
    };
    Ok(listed(query.page_of_names(&service.read().policy)).into_response())
}
