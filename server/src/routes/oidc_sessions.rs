//! `/v1/security/oidc`: the user of a token, and the end of the sessions of the identity provider's
//! users (D-90).

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gbac_api::admin::WhoAmI;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use serde_json::Value;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body::drain;
use crate::http::credentials::{credentials, is_from_browser, sign_in_problem};
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::request_head::request_head;
use crate::http::surface::Surface;
use crate::identity::sign_in::{Authenticator, Caller, SignInError};
use crate::state::audit::RequestHead;
use crate::state::service::Service;

const SURFACE: Surface = Surface::Admin;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .route(paths::OIDC_WHOAMI, Access::Authenticated, get(who_am_i))
        .route(paths::OIDC_REVOKE, Access::SUPERUSER, post(revoke))
}

/// The user of the request's token, with the current settings.
async fn who_am_i(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let credentials = credentials(&request, service.endpoint());
    let from_browser = is_from_browser(request.headers());
    let identity = match authenticator.authenticate(&credentials).await {
        Ok(Caller::Token(identity) | Caller::Session(identity)) => identity,
        Ok(Caller::Local(_))
        | Err(SignInError::MissingCredentials | SignInError::InvalidCredentials(_)) => {
            let problem = Problem::new(RpcCode::Unauthenticated, "Invalid Authorization header");
            return reject(request, problem).await;
        }
        Err(error) => return reject(request, sign_in_problem(&error, SURFACE, from_browser)).await,
    };
    let expire = identity
        .expires_at()
        .map_or(0.0, gbac_engine::Timestamp::as_seconds);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    let expire = expire as u64;
    Json(WhoAmI {
        id: identity.user().to_owned(),
        expire,
    })
    .into_response()
}

async fn revoke(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let head = request_head(&request);
    match end_sessions(&service, &authenticator, &head).await {
        Ok(()) => {
            let (parts, body) = request.into_parts();
            drain(&parts.headers, body).await;
            StatusCode::OK.into_response()
        }
        Err(problem) => reject(request, problem).await,
    }
}

/// Ends every session of users of the identity provider. Tokens that are sent with requests have no
/// session: each is checked for itself.
///
/// # Errors
/// The audit event cannot be written.
pub(crate) async fn end_sessions(
    service: &Service,
    authenticator: &Authenticator,
    head: &RequestHead,
) -> Result<(), Problem> {
    let (before, after) = (
        Value::from("open until they end"),
        Value::from("ended on request"),
    );
    service
        .record_value(
            "sessions",
            "sessions of users of the identity provider",
            &before,
            &after,
        )
        .await?;
    authenticator.close_sessions(head).await;
    Ok(())
}
