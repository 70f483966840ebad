//! The Admin API's SecurityService over the Connect protocol, under both of its names (specification 4.3, D-22).

use axum::Json;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_api::paths::{LIST_CURRENT_USER_ROLES, PLATFORM_SECURITY_SERVICE, RESOLVE_OIDC_IDENTITY, SECURITY_SERVICE};
use gbac_api::problem::RpcCode;
use gbac_api::roles::{Joining, Membership};
use gbac_api::security::{
    CurrentUserRoles, DeleteRole, ListedRoles, Named, OidcIdentity, RoleMembers, SecurityRole, WithRole, principals,
};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, Role};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::access::{Access, Reads, Routes};
use crate::app::App;
use crate::auth::{Caller, Credentials, Refusal, authenticate};
use crate::fault::{Fault, Surface, no_role};
use crate::role_changes::{create, delete, moved, update};
use crate::store::{Plan, Snapshot};
use crate::{body, clock, warnings};

/// A message without fields; what a newer client sends is ignored.
type Empty = Map<String, Value>;

/// What operations take that read, and those that change something.
const READS: Access = Access::Superuser(Reads::All);
const CHANGES: Access = Access::Superuser(Reads::AllButPost);

pub(crate) fn routes() -> Routes {
    [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE].into_iter().fold(Routes::new(), |routes, service| {
        let at = |operation: &str| format!("/{service}/{operation}");
        routes
            .folder(service, CHANGES)
            .route(&at("CreateRole"), CHANGES, post(create_role))
            .route(&at("GetRole"), READS, post(get_role))
            .route(&at("ListRoles"), READS, post(list_roles))
            .route(&at("AddRoleMembers"), CHANGES, post(add_role_members))
            .route(&at("RemoveRoleMembers"), CHANGES, post(remove_role_members))
            .route(&at("DeleteRole"), CHANGES, post(delete_role))
            .route(&at(LIST_CURRENT_USER_ROLES), Access::Authenticated, post(list_current_user_roles))
            .route(&at(RESOLVE_OIDC_IDENTITY), Access::Authenticated, post(resolve_oidc_identity))
            .route(&at("RefreshOidcKeys"), CHANGES, post(refresh_oidc_keys))
            .route(&at("{operation}"), CHANGES, post(unknown))
    })
}

/// Reads a message, does what it asks for, and answers in the protocol's form.
async fn call<M: DeserializeOwned>(request: Request, work: impl AsyncFnOnce(M) -> Result<Response, Fault>) -> Response {
    let answer = async { work(body::json(request).await?).await };
    answer.await.unwrap_or_else(|fault| fault.answer(Surface::Connect))
}

fn role(role: SecurityRole) -> Response {
    Json(WithRole { role }).into_response()
}

async fn create_role(State(app): State<App>, request: Request) -> Response {
    call(request, async |WithRole { role: wanted }| {
        let members = principals(&wanted.members, Joining::Joins).map_err(Fault::fields)?;
        let plan = move |held: &Snapshot| {
            let changes = create(&held.policy, "role.name", &wanted.name, &members)?;
            let made = Role { name: wanted.name, members: members.into_iter().collect() };
            let names = warnings::brought(&changes);
            Ok::<_, Fault>(Plan::Changes(changes, (SecurityRole::from(&made), names)))
        };
        let ((made, names), after) = app.change(plan).await?;
        Ok(warnings::with_headers(role(made), &warnings::about(&after.policy, &names)))
    })
    .await
}

async fn get_role(State(app): State<App>, request: Request) -> Response {
    call(request, async |Named { name }| {
        let held = app.read().policy.role(&name).ok_or_else(|| no_role(&name))?;
        Ok(role(SecurityRole::from(&held)))
    })
    .await
}

async fn list_roles(State(app): State<App>, request: Request) -> Response {
    call(request, async |_: Empty| {
        let roles = app.read().policy.roles().map(|role| SecurityRole::from(&role)).collect();
        Ok(Json(ListedRoles { roles }).into_response())
    })
    .await
}

async fn add_role_members(State(app): State<App>, request: Request) -> Response {
    call(request, async |message| change_members(&app, message, Joining::Joins).await).await
}

async fn remove_role_members(State(app): State<App>, request: Request) -> Response {
    call(request, async |message| change_members(&app, message, Joining::Leaves).await).await
}

async fn change_members(app: &App, message: RoleMembers, joining: Joining) -> Result<Response, Fault> {
    let RoleMembers { role_name: name, members } = message;
    let named = principals(&members, joining).map_err(Fault::fields)?;
    let membership = match joining {
        Joining::Joins => Membership { add: named, remove: Vec::new() },
        Joining::Leaves => Membership { add: Vec::new(), remove: named },
    };
    let plan = move |held: &Snapshot| {
        let before = held.policy.role(&name).ok_or_else(|| no_role(&name))?;
        let (changes, who) = update(&held.policy, &name, false, membership)?;
        let names = warnings::brought(&changes);
        Ok::<_, Fault>(Plan::Changes(changes, (SecurityRole::from(&moved(before, &who)), names)))
    };
    let ((made, names), after) = app.change(plan).await?;
    Ok(warnings::with_headers(role(made), &warnings::about(&after.policy, &names)))
}

async fn delete_role(State(app): State<App>, request: Request) -> Response {
    call(request, async |DeleteRole { name, delete_acls }| {
        let plan = move |held: &Snapshot| {
            // So it is on the platform: what is not there is deleted.
            let changes =
                if held.policy.has_role(&name) { delete(&held.policy, &name, delete_acls)? } else { Vec::new() };
            Ok::<_, Fault>(Plan::Changes(changes, ()))
        };
        app.change(plan).await?;
        Ok(Json(Empty::new()).into_response())
    })
    .await
}

/// Fetches the keys of the identity provider now, whatever their age.
async fn refresh_oidc_keys(State(app): State<App>, request: Request) -> Response {
    call(request, async |_: Empty| {
        let config = app.read().config;
        app.oidc().refresh(&config).await.map_err(|reason| {
            let message = format!("the keys could not be fetched, and those that there were are kept: {reason}");
            Fault::new(RpcCode::Unavailable, message)
        })?;
        Ok(Json(Empty::new()).into_response())
    })
    .await
}

/// Tells the roles that the caller is a member of by name.
async fn list_current_user_roles(State(app): State<App>, request: Request) -> Response {
    let credentials = Credentials::of(&request);
    let caller = match authenticate(&app, &credentials).await {
        Ok(caller) => caller,
        Err(refusal) => return body::refuse(request, refusal.fault(Surface::Connect, credentials.page)).await,
    };
    call(request, async |_: Empty| {
        let policy = app.read().policy;
        let roles = policy.roles_of(&Principal::user(caller.user())).map(str::to_owned).collect();
        Ok(Json(CurrentUserRoles { roles }).into_response())
    })
    .await
}

/// Tells whom the service sees in the token that the request carries, under the settings of this moment.
async fn resolve_oidc_identity(State(app): State<App>, request: Request) -> Response {
    let credentials = Credentials::of(&request);
    let caller = match authenticate(&app, &credentials).await {
        Ok(Caller::Token(identity)) => Ok(identity),
        Ok(Caller::Password(_)) => Err(Fault::new(RpcCode::FailedPrecondition, "SASL mechanism is not OIDC")),
        Err(Refusal::Missing | Refusal::Wrong(_)) => {
            Err(Fault::new(RpcCode::Unauthenticated, "Failed to authenticate OIDC token"))
        }
        Err(refusal) => Err(refusal.fault(Surface::Connect, credentials.page)),
    };
    let identity = match caller {
        Ok(identity) => identity,
        Err(fault) => return body::refuse(request, fault).await,
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

async fn unknown(Path(operation): Path<String>, request: Request) -> Response {
    let message = format!("the operation `{}` is not implemented", escaped(&operation));
    body::refuse(request, Fault::new(RpcCode::Unimplemented, message)).await
}
