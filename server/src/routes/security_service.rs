//! The SecurityService of the Admin API over the Connect protocol, under both of its names
//! (specification 4.3, D-22).

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
use serde::de::DeserializeOwned;
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
use crate::state::store::{Snapshot, StateChange};

/// A message without fields; fields of newer clients are ignored.
type Empty = Map<String, Value>;

/// The access of operations that only read, and of those that change something.
pub(super) const READS: Access = Access::Superuser(ReadMethods::All);
pub(super) const CHANGES: Access = Access::Superuser(ReadMethods::AllButPost);

pub(crate) fn routes() -> Routes {
    [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE]
        .into_iter()
        .fold(Routes::new(), |routes, service| {
            let at = |operation: &str| format!("/{service}/{operation}");
            routes
                .prefix(service, CHANGES)
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
        })
}

/// Reads the message of a request, runs the operation, and responds in the form of the protocol.
async fn call<M: DeserializeOwned + Send + 'static>(
    request: Request,
    work: impl AsyncFnOnce(M) -> Result<Response, Problem>,
) -> Response {
    let answer = async { work(body::json(request).await?).await };
    answer
        .await
        .unwrap_or_else(|problem| problem.into_response(Surface::Connect))
}

fn role(role: SecurityRole) -> Response {
    Json(WithRole { role }).into_response()
}

async fn create_role(State(service): State<Service>, request: Request) -> Response {
    call(request, async |WithRole { role: wanted }| {
        let members = principals(&wanted.members, MemberAction::Add).map_err(Problem::fields)?;
        let plan = move |current: &Snapshot| {
            let changes = create(&current.policy, "role.name", &wanted.name, &members)?;
            let made = Role {
                name: wanted.name,
                members: members.into_iter().collect(),
            };
            let names = added_principals(&changes);
            let answer = (SecurityRole::from(&made), names);
            Ok::<_, Problem>((StateChange::Changes(changes), answer))
        };
        let stored = service.change(plan).await?;
        let (made, names) = stored.answer;
        Ok(with_warnings(
            role(made),
            &name_warnings(&stored.after.policy, &names),
        ))
    })
    .await
}

async fn get_role(State(service): State<Service>, read: LongRead, request: Request) -> Response {
    let target = ReadTarget::from_request(&request);
    call(request, async |Named { name }| {
        if let Some(target) = target {
            target.set([("name", name.as_str())]);
        }
        let policy = service.read().policy;
        read.respond(is_small(&policy), move || {
            let current = policy.role(&name).ok_or(RoleError::NotFound(name))?;
            Ok(role(SecurityRole::from(&current)))
        })
        .await
    })
    .await
}

async fn list_roles(State(service): State<Service>, read: LongRead, request: Request) -> Response {
    call(request, async |_: Empty| {
        let policy = service.read().policy;
        read.respond(is_small(&policy), move || {
            let roles = policy.roles().map(|role| SecurityRole::from(&role));
            Ok(json_response(json_member("roles", json_list(roles)?)))
        })
        .await
    })
    .await
}

async fn add_role_members(State(service): State<Service>, request: Request) -> Response {
    call(request, async |message| {
        change_members(&service, message, MemberAction::Add).await
    })
    .await
}

async fn remove_role_members(State(service): State<Service>, request: Request) -> Response {
    call(request, async |message| {
        change_members(&service, message, MemberAction::Remove).await
    })
    .await
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
    let named = principals(&members, action).map_err(Problem::fields)?;
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
    let plan = move |current: &Snapshot| {
        let before = current
            .policy
            .role(&name)
            .ok_or_else(|| RoleError::NotFound(name.clone()))?;
        let (changes, membership) = update(&current.policy, &name, false, members)?;
        let names = added_principals(&changes);
        let answer = (SecurityRole::from(&updated(before, &membership)), names);
        Ok::<_, Problem>((StateChange::Changes(changes), answer))
    };
    let stored = service.change(plan).await?;
    let (made, names) = stored.answer;
    Ok(with_warnings(
        role(made),
        &name_warnings(&stored.after.policy, &names),
    ))
}

async fn delete_role(State(service): State<Service>, request: Request) -> Response {
    call(request, async |DeleteRole { name, delete_acls }| {
        let plan = move |current: &Snapshot| {
            let changes = delete_if_present(&current.policy, &name, delete_acls);
            Ok::<_, Problem>((StateChange::Changes(changes), ()))
        };
        service.change(plan).await?;
        Ok(Json(Empty::new()).into_response())
    })
    .await
}

/// Fetches the keys of the identity provider regardless of their age.
async fn refresh_oidc_keys(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    call(request, async |_: Empty| {
        let (before, after) = (
            Value::from("kept until they are due"),
            Value::from("fetched on request"),
        );
        service
            .record_value("key_set", "keys of the identity provider", &before, &after)
            .await?;
        authenticator.refresh_keys().await.map_err(|error| {
            let message =
                format!("cannot fetch new keys, so the current ones stay in use: {error}");
            Problem::new(RpcCode::Unavailable, message)
        })?;
        Ok(Json(Empty::new()).into_response())
    })
    .await
}

async fn revoke_oidc_sessions(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let head = request_head(&request);
    call(request, async |_: Empty| {
        end_sessions(&service, &authenticator, &head).await?;
        Ok(Json(Empty::new()).into_response())
    })
    .await
}

/// Lists the roles that have the caller as a member by user name.
async fn list_current_user_roles(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let caller = match authenticator.authenticate(&credentials).await {
        Ok(caller) => caller,
        Err(error) => {
            return reject(
                request,
                sign_in_problem(&error, Surface::Connect, from_browser),
            )
            .await;
        }
    };
    call(request, async |_: Empty| {
        let policy = service.read().policy;
        let roles = policy
            .roles_of(&Principal::user(caller.user()))
            .map(str::to_owned)
            .collect();
        Ok(Json(CurrentUserRoles { roles }).into_response())
    })
    .await
}

/// Resolves the token of the request with the current settings.
async fn resolve_oidc_identity(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let caller = match authenticator.authenticate(&credentials).await {
        Ok(Caller::Token(identity) | Caller::Session(identity)) => Ok(identity),
        Ok(Caller::Local(_)) => Err(Problem::new(
            RpcCode::FailedPrecondition,
            "SASL mechanism is not OIDC",
        )),
        Err(SignInError::MissingCredentials | SignInError::InvalidCredentials(_)) => {
            Err(Problem::new(
                RpcCode::Unauthenticated,
                "Failed to authenticate OIDC token",
            ))
        }
        Err(error) => Err(sign_in_problem(&error, Surface::Connect, from_browser)),
    };
    let identity = match caller {
        Ok(identity) => identity,
        Err(problem) => return reject(request, problem).await,
    };
    call(request, async |_: Empty| {
        Ok(Json(OidcIdentity {
            principal: identity.user().to_owned(),
            expire: identity
                .expires_at()
                .map(gbac_engine::Timestamp::as_seconds)
                .map(clock::rfc3339)
                .unwrap_or_default(),
            groups: identity.groups().to_vec(),
        })
        .into_response())
    })
    .await
}

/// Rejects an operation that a service does not have.
pub(super) async fn unknown(Path(operation): Path<String>, request: Request) -> Response {
    let message = format!("operation `{}` is not implemented", escaped(&operation));
    reject(request, Problem::new(RpcCode::Unimplemented, message)).await
}
