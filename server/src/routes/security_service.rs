//! The SecurityService of the Admin API over the Connect protocol, under both of its names
//! (specification 4.3, D-22).

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_api::paths::{
    LIST_CURRENT_USER_ROLES, PLATFORM_SECURITY_SERVICE, RESOLVE_OIDC_IDENTITY, SECURITY_SERVICE,
};
use gbac_api::problem::RpcCode;
use gbac_api::roles::{MemberAction, Membership};
use gbac_api::security::{
    CurrentUserRoles, DeleteRole, Named, OidcIdentity, RoleMembers, SecurityRole, WithRole,
    principals,
};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, Role};
use serde_json::{Map, Value};

use super::oidc_sessions::end_sessions;
use super::registration::Routes;
use crate::clock;
use crate::http::access::{Access, ReadMethods};
use crate::http::body;
use crate::http::credentials::{credentials, is_from_browser, sign_in_problem};
use crate::http::long_read::{LongRead, is_small, json_list, json_member, json_response};
use crate::http::problem::Problem;
use crate::http::read_target::ReadTarget;
use crate::http::reject::reject;
use crate::http::request_head::request_head;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::identity::sign_in::{Authenticator, Caller, SignInError};
use crate::state::error::RoleError;
use crate::state::name_warnings::{added_principals, name_warnings};
use crate::state::role_changes::{create, delete_if_present, update, updated};
use crate::state::service::Service;
use crate::state::store::{StateChange, Stored};

/// A message without fields; fields of newer clients are ignored.
type Empty = Map<String, Value>;

/// The access of operations that only read, and of those that change something.
pub(super) const READS: Access = Access::Superuser(ReadMethods::All);
pub(super) const CHANGES: Access = Access::Superuser(ReadMethods::AllButPost);

pub(crate) fn routes() -> Routes {
    service_routes(SECURITY_SERVICE).merge(service_routes(PLATFORM_SECURITY_SERVICE))
}

fn service_routes(service: &str) -> Routes {
    let at = |operation: &str| format!("/{service}/{operation}");
    Routes::new(Surface::Connect)
        .prefix(&at(""), CHANGES)
        .route(&at("CreateRole"), CHANGES, post(create_role))
        .route(&at("GetRole"), READS, post(get_role))
        .route(&at("ListRoles"), READS, post(list_roles))
        .route(&at("AddRoleMembers"), CHANGES, post(add_role_members))
        .route(&at("RemoveRoleMembers"), CHANGES, post(remove_role_members))
        .route(&at("DeleteRole"), CHANGES, post(delete_role))
        .route(
            &at(LIST_CURRENT_USER_ROLES),
            Access::Authenticated,
            post(list_current_user_roles),
        )
        .route(
            &at(RESOLVE_OIDC_IDENTITY),
            Access::Authenticated,
            post(resolve_oidc_identity),
        )
        .route(&at("RefreshOidcKeys"), CHANGES, post(refresh_oidc_keys))
        .route(
            &at("RevokeOidcSessions"),
            CHANGES,
            post(revoke_oidc_sessions),
        )
        .route(&at("{operation}"), CHANGES, post(unknown))
}

fn role(role: SecurityRole) -> Json<WithRole> {
    Json(WithRole { role })
}

/// The answer to a change of a role, with the warnings about the names that it added.
fn changed_role(stored: Stored<(SecurityRole, BTreeSet<Principal>)>) -> Response {
    let (made, names) = stored.answer;
    with_warnings(
        role(made).into_response(),
        &name_warnings(&stored.after.policy, &names),
    )
}

async fn create_role(
    State(service): State<Service>,
    request: Request,
) -> Result<Response, Problem> {
    let WithRole { role: wanted } = body::json(request).await?;
    let members = principals(&wanted.members, MemberAction::Add)?;
    let stored = service
        .change(move |current| {
            let changes = create(&current.policy, "role.name", &wanted.name, &members)?;
            let made = Role {
                name: wanted.name,
                members: members.into_iter().collect(),
            };
            let names = added_principals(&changes);
            let answer = (SecurityRole::from(&made), names);
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        })
        .await?;
    Ok(changed_role(stored))
}

async fn get_role(
    State(service): State<Service>,
    read: LongRead,
    request: Request,
) -> Result<Response, Problem> {
    let target = ReadTarget::from_request(&request);
    let Named { name } = body::json(request).await?;
    if let Some(target) = target {
        target.set([("name", name.as_str())]);
    }
    let policy = service.read().policy;
    read.respond(is_small(&policy), move || match policy.role(&name) {
        Some(current) => Ok(role(SecurityRole::from(&current)).into_response()),
        None => Err(RoleError::NotFound(name).into()),
    })
    .await
}

async fn list_roles(
    State(service): State<Service>,
    read: LongRead,
    request: Request,
) -> Result<Response, Problem> {
    let _: Empty = body::json(request).await?;
    let policy = service.read().policy;
    read.respond(is_small(&policy), move || {
        let roles = policy.roles().map(|role| SecurityRole::from(&role));
        Ok(json_response(json_member("roles", json_list(roles)?)))
    })
    .await
}

async fn add_role_members(
    State(service): State<Service>,
    request: Request,
) -> Result<Response, Problem> {
    change_members(&service, body::json(request).await?, MemberAction::Add).await
}

async fn remove_role_members(
    State(service): State<Service>,
    request: Request,
) -> Result<Response, Problem> {
    change_members(&service, body::json(request).await?, MemberAction::Remove).await
}

async fn change_members(
    service: &Service,
    message: RoleMembers,
    action: MemberAction,
) -> Result<Response, Problem> {
    let RoleMembers {
        role_name: name,
        members,
    } = message;
    let named = principals(&members, action)?;
    let members = match action {
        MemberAction::Add => Membership {
            add: named,
            remove: Vec::new(),
        },
        MemberAction::Remove => Membership {
            add: Vec::new(),
            remove: named,
        },
    };
    let stored = service
        .change(move |current| {
            let Some(before) = current.policy.role(&name) else {
                return Err(RoleError::NotFound(name).into());
            };
            let (changes, membership) = update(&current.policy, &name, false, members)?;
            let names = added_principals(&changes);
            let answer = (SecurityRole::from(&updated(before, &membership)), names);
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        })
        .await?;
    Ok(changed_role(stored))
}

async fn delete_role(
    State(service): State<Service>,
    request: Request,
) -> Result<Json<Empty>, Problem> {
    let DeleteRole { name, delete_acls } = body::json(request).await?;
    service
        .change(move |current| {
            let changes = delete_if_present(&current.policy, &name, delete_acls);
            Ok::<_, Problem>((StateChange::Changes(changes), ()))
        })
        .await?;
    Ok(Json(Empty::new()))
}

/// Fetches the keys of the identity provider regardless of their age.
async fn refresh_oidc_keys(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Result<Json<Empty>, Problem> {
    let _: Empty = body::json(request).await?;
    let before = Value::from("kept until they are due");
    let after = Value::from("fetched on request");
    service
        .record_value("key_set", "keys of the identity provider", &before, &after)
        .await?;
    match authenticator.refresh_keys().await {
        Ok(()) => Ok(Json(Empty::new())),
        Err(error) => {
            let message =
                format!("cannot fetch new keys, so the current ones stay in use: {error}");
            Err(Problem::new(RpcCode::Unavailable, message))
        }
    }
}

async fn revoke_oidc_sessions(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Result<Json<Empty>, Problem> {
    let head = request_head(&request);
    let _: Empty = body::json(request).await?;
    end_sessions(&service, &authenticator, &head).await?;
    Ok(Json(Empty::new()))
}

/// Lists the roles that have the caller as a member by user name.
async fn list_current_user_roles(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Result<Response, Problem> {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let caller = match authenticator.authenticate(&credentials).await {
        Ok(caller) => caller,
        Err(error) => {
            let problem = sign_in_problem(&error, Surface::Connect, from_browser);
            return Ok(reject(request, problem).await);
        }
    };
    let _: Empty = body::json(request).await?;
    let policy = service.read().policy;
    let roles = policy
        .roles_of(&Principal::user(caller.user()))
        .map(str::to_owned)
        .collect();
    Ok(Json(CurrentUserRoles { roles }).into_response())
}

/// Resolves the token of the request with the current settings.
async fn resolve_oidc_identity(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Result<Response, Problem> {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let identity = match authenticator.authenticate(&credentials).await {
        Ok(Caller::Token(identity) | Caller::Session(identity)) => identity,
        Ok(Caller::Local(_)) => {
            let message = "SASL mechanism is not OIDC";
            let problem = Problem::new(RpcCode::FailedPrecondition, message);
            return Ok(reject(request, problem).await);
        }
        Err(SignInError::MissingCredentials | SignInError::InvalidCredentials(_)) => {
            let message = "Failed to authenticate OIDC token";
            let problem = Problem::new(RpcCode::Unauthenticated, message);
            return Ok(reject(request, problem).await);
        }
        Err(error) => {
            let problem = sign_in_problem(&error, Surface::Connect, from_browser);
            return Ok(reject(request, problem).await);
        }
    };
    let _: Empty = body::json(request).await?;
    Ok(Json(OidcIdentity {
        principal: identity.user().to_owned(),
        expire: match identity.expires_at() {
            Some(at) => clock::rfc3339(at.as_seconds()),
            None => String::new(),
        },
        groups: identity.groups().to_vec(),
    })
    .into_response())
}

/// Rejects an operation that a service does not have.
pub(super) async fn unknown(Path(operation): Path<String>, request: Request) -> Response {
    let message = format!("operation `{}` is not implemented", escaped(&operation));
    reject(request, Problem::new(RpcCode::Unimplemented, message)).await
}
