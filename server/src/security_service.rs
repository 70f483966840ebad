//! The Admin API's SecurityService over the Connect protocol, under both of its names (specification 4.3, D-22).

use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use gbac_api::paths::{PLATFORM_SECURITY_SERVICE, RESOLVE_OIDC_IDENTITY, SECURITY_SERVICE};
use gbac_api::problem::RpcCode;
use gbac_api::security::ResolvedIdentity;
use serde_json::{Map, Value};

use crate::app::App;
use crate::auth::{Caller, authenticate};
use crate::fault::{Fault, Surface};
use crate::{body, clock};

pub(crate) fn routes() -> Router<App> {
    [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE].into_iter().fold(Router::new(), |router, service| {
        router
            .route(&format!("/{service}/{RESOLVE_OIDC_IDENTITY}"), post(resolve_oidc_identity))
            .route(&format!("/{service}/{{operation}}"), post(unknown))
    })
}

/// Tells whom the service sees in the token that the request carries, under the settings of this moment.
async fn resolve_oidc_identity(State(app): State<App>, request: Request) -> Response {
    let caller = match authenticate(&app, request.headers()).await {
        Ok(Caller::Token(identity)) => Ok(identity),
        Ok(Caller::Password(_)) => Err(Fault::new(RpcCode::FailedPrecondition, "SASL mechanism is not OIDC")),
        Err(_) => Err(Fault::new(RpcCode::Unauthenticated, "Failed to authenticate OIDC token")),
    };
    let identity = match caller {
        Ok(identity) => identity,
        Err(fault) => return body::refuse(request, fault).await,
    };
    // The message has no fields; what a newer client sends is ignored.
    if let Err(fault) = body::json::<Map<String, Value>>(request).await {
        return fault.answer(Surface::Connect);
    }
    Json(ResolvedIdentity {
        principal: identity.user().to_owned(),
        expire: identity.expires_at().map(clock::rfc3339).unwrap_or_default(),
        groups: identity.groups().to_vec(),
    })
    .into_response()
}

async fn unknown(Path(operation): Path<String>, request: Request) -> Response {
    let message = format!("the operation `{}` is not implemented", operation.escape_debug());
    body::refuse(request, Fault::new(RpcCode::Unimplemented, message)).await
}
