//! Checks that the caller has the access that a route requires (D-26).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::problem::RpcCode;
use gbac_engine::decide::Outcome;

use crate::http::access::{AccessTable, RequiredCredentials};
use crate::http::credentials::{credentials, is_from_browser, sign_in_problem};
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::identity::sign_in::{Authenticator, Credentials, SignInError};
use crate::state::service::Service;

/// What the check needs.
#[derive(Clone)]
pub(crate) struct Authorizer {
    /// The settings and the audit log.
    pub(crate) service: Service,
    /// Checks the credentials.
    pub(crate) authenticator: Authenticator,
    /// The access that each route requires.
    pub(crate) access: Arc<AccessTable>,
}

/// Passes requests whose caller has the required access.
pub(crate) async fn authorize(State(authorizer): State<Authorizer>, mut request: Request, next: Next) -> Response {
    let required = authorizer.access.access(&request).required(&authorizer.service, request.method());
    if required == RequiredCredentials::Nothing {
        return next.run(request).await;
    }
    let (surface, from_browser) = (Surface::of(request.uri().path()), is_from_browser(request.headers()));
    let credentials = credentials(&request);
    match authorizer.check(required, &credentials, surface, from_browser).await {
        Ok(()) => {
            request.extensions_mut().insert(credentials.request);
            next.run(request).await
        }
        Err(problem) => reject(request, problem).await,
    }
}

impl Authorizer {
    async fn check(
        &self,
        required: RequiredCredentials,
        credentials: &Credentials,
        surface: Surface,
        from_browser: bool,
    ) -> Result<(), Problem> {
        let (head, audit) = (&credentials.request, self.service.audit());
        let caller = match self.authenticator.authenticate(credentials).await {
            Ok(caller) => caller,
            Err(SignInError::MissingCredentials) if required == RequiredCredentials::ValidIfGiven => return Ok(()),
            Err(error) => {
                if matches!(error, SignInError::MissingCredentials) {
                    audit.access(head, "", false, Outcome::Deny, "credentials required").await?;
                }
                return Err(sign_in_problem(error, surface, from_browser));
            }
        };
        if required == RequiredCredentials::ValidIfGiven {
            return Ok(());
        }
        if self.service.is_superuser(caller.user()) {
            audit.access(head, caller.user(), true, Outcome::Allow, "superuser").await?;
            return Ok(());
        }
        audit.access(head, caller.user(), false, Outcome::Deny, "superuser required").await?;
        let message = match surface {
            Surface::Admin => "Forbidden (superuser role required)",
            _ => "permission denied; only superusers can do this",
        };
        Err(Problem::new(RpcCode::PermissionDenied, message))
    }
}
