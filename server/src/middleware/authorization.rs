//! Checks that the caller has the access that a route requires (D-26), and records what becomes of
//! the request.

use std::panic::resume_unwind;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use gbac_analysis::audit::{CallEffect, CallResult, UserKind};
use gbac_api::problem::RpcCode;
use gbac_api::reason::{ChangeReason, REASON};
use gbac_engine::decide::Outcome;
use gbac_engine::policy::AccessLevel;

use crate::http::access::RequiredCredentials;
use crate::http::credentials::{credentials, is_from_browser, sign_in_problem};
use crate::http::long_read::Reader;
use crate::http::problem::{AUDIT_FAILED, Problem, Refusal};
use crate::http::read_target::ReadTarget;
use crate::http::reject::reject;
use crate::http::request_head::{REQUEST_ID, request_head, sanitized};
use crate::http::route_table::Declaration;
use crate::http::surface::Surface;
use crate::identity::sign_in::{Authenticator, Caller, Credentials, SignInError};
use crate::state::audit::{Purpose, RequestHead, RequestScope};
use crate::state::service::Service;

/// What the check needs.
#[derive(Clone)]
pub(crate) struct Authorizer {
    /// The settings and the audit log.
    pub(crate) service: Service,
    /// Checks the credentials.
    pub(crate) authenticator: Authenticator,
}

/// Why a caller is allowed to make a request that only reads.
struct AllowedRead {
    kind: UserKind,
    reason: &'static str,
}

/// Passes requests whose caller has the required access. Their response has the ID of the request,
/// and so do its audit events.
pub(crate) async fn authorize(
    State(authorizer): State<Authorizer>,
    mut request: Request,
    next: Next,
) -> Response {
    let Declaration { surface, access } = Declaration::of(request.extensions());
    let required = access.required(&authorizer.service, request.method());
    let head = RequestHead {
        purpose: access.purpose(request.method()),
        ..request_head(&request)
    };
    let id = HeaderValue::from_str(&head.id);
    request.extensions_mut().insert(head.clone());
    let mut response = if required == RequiredCredentials::Nothing {
        next.run(request).await
    } else {
        authorizer
            .pass(required, head, surface, request, next)
            .await
    };
    if let Ok(id) = id {
        response.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    response
}

/// Why the caller makes a change, as the request says it.
fn given_reason(headers: &HeaderMap) -> Result<Option<ChangeReason>, Problem> {
    let Some(value) = headers.get(REASON) else {
        return Ok(None);
    };
    match ChangeReason::from_header(value.as_bytes()) {
        Ok(reason) => Ok(Some(reason)),
        Err(error) => {
            let message = format!("the header GBAC-Reason: {error}");
            Err(Problem::with_status(
                400,
                RpcCode::InvalidArgument,
                error.code(),
                message,
            ))
        }
    }
}

impl Authorizer {
    async fn pass(
        &self,
        required: RequiredCredentials,
        head: RequestHead,
        surface: Surface,
        mut request: Request,
        next: Next,
    ) -> Response {
        let from_browser = is_from_browser(request.headers());
        let credentials = credentials(&request, self.service.endpoint());
        let caller = match self
            .check(required, &credentials, surface, from_browser)
            .await
        {
            Ok(caller) => caller,
            Err(problem) => return reject(request, problem).await,
        };
        let Some((caller, read)) = caller else {
            return next.run(request).await;
        };
        request.extensions_mut().insert(Reader::from(&caller));
        let head = RequestHead {
            caller: Some(caller.user().to_owned()),
            ..head
        };
        request.extensions_mut().insert(head.clone());
        if let Some(read) = read {
            return self.read(read, head, &caller, surface, request, next).await;
        }
        if required == RequiredCredentials::ValidIfGiven {
            return next.run(request).await;
        }
        // A task of its own, which ends with an event of the request although its client leaves.
        let token = if self.service.sends_as_caller() {
            self.authenticator.token_of(&credentials)
        } else {
            None
        };
        let caller = (caller, token);
        let change = self.clone().change(head, caller, surface, request, next);
        match tokio::spawn(change).await {
            Ok(response) => response,
            Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
            Err(_) => {
                Problem::new(RpcCode::Unavailable, "the service is stopping").response(surface)
            }
        }
    }

    /// Passes a request that only reads, and records it. Where a message says what is read, the
    /// event is written when the handler has its response, which is not sent without the event.
    async fn read(
        &self,
        read: AllowedRead,
        head: RequestHead,
        caller: &Caller,
        surface: Surface,
        mut request: Request,
        next: Next,
    ) -> Response {
        let (audit, AllowedRead { kind, reason }) = (self.service.audit(), read);
        if !surface.is_rpc() {
            return match audit.read(&head, caller.user(), kind, reason).await {
                Ok(()) => next.run(request).await,
                Err(error) => reject(request, error.into()).await,
            };
        }
        let target = ReadTarget::default();
        request.extensions_mut().insert(target.clone());
        let response = next.run(request).await;
        let head = RequestHead {
            path: target.named(&head.path),
            ..head
        };
        match audit.read(&head, caller.user(), kind, reason).await {
            Ok(()) => response,
            Err(error) => Problem::from(error).response(surface),
        }
    }

    /// Passes a request of a superuser that can change something, with the token that a cluster
    /// needs. Its sign-in, what it changes and how it ends are recorded.
    async fn change(
        self,
        head: RequestHead,
        (caller, token): (Caller, Option<Arc<str>>),
        surface: Surface,
        request: Request,
        next: Next,
    ) -> Response {
        if let Err(error) = self.authenticator.record_sign_in(&head, &caller).await {
            return reject(request, error.into()).await;
        }
        let (reason, refused) = match given_reason(request.headers()) {
            Ok(reason) => (reason, None),
            Err(problem) => (None, Some(problem)),
        };
        let scope = RequestScope::new(
            head,
            caller.user().to_owned(),
            caller.method(),
            token,
            reason,
        );
        let was_enabled = self.service.audit().is_enabled();
        let response = match refused {
            None => Arc::clone(&scope).run(next.run(request)).await,
            Some(problem) => reject(request, problem).await,
        };
        if was_enabled || self.service.audit().is_enabled() {
            self.record(&scope, response, surface).await
        } else {
            response
        }
    }

    /// The caller, and what makes it a read that is allowed; `None` if the request has no
    /// credentials and needs none. The sign-in of a superuser who can change something is recorded
    /// later, together with the end of the request.
    async fn check(
        &self,
        required: RequiredCredentials,
        credentials: &Credentials,
        surface: Surface,
        from_browser: bool,
    ) -> Result<Option<(Caller, Option<AllowedRead>)>, Problem> {
        let (head, audit) = (&credentials.request, self.service.audit());
        let caller = match self.authenticator.verify(credentials).await {
            Ok(caller) => caller,
            Err(SignInError::MissingCredentials)
                if required == RequiredCredentials::ValidIfGiven =>
            {
                return Ok(None);
            }
            Err(error) => {
                match error {
                    SignInError::MissingCredentials => {
                        let refused =
                            CallResult::denied(401, "credentials_required", "credentials required");
                        audit.denied(head, "", refused).await?;
                    }
                    SignInError::InvalidCredentials(scheme) => {
                        self.service.metrics().count_failed_sign_in(scheme.label());
                    }
                    // Recorded where they occur.
                    SignInError::TooManyAttempts(_) | SignInError::Audit(_) => {}
                }
                return Err(sign_in_problem(&error, surface, from_browser));
            }
        };
        let current = self.authenticator.service().read();
        let is_superuser = caller.is_superuser(&current);
        let can_change =
            required != RequiredCredentials::ValidIfGiven && head.purpose != Purpose::Read;
        if !(is_superuser && can_change) {
            self.authenticator.record_sign_in(head, &caller).await?;
        }
        if required == RequiredCredentials::ValidIfGiven {
            return Ok(Some((caller, None)));
        }
        if is_superuser {
            let read = AllowedRead {
                kind: UserKind::Admin,
                reason: "superuser",
            };
            return Ok(Some((
                caller,
                Some(read).filter(|_| head.purpose == Purpose::Read),
            )));
        }
        // A superuser is required, or a level of access: the reasons of the audit log, and the
        // message.
        let (granted, missing, message) = match required {
            RequiredCredentials::Level(AccessLevel::ReadOnly) => (
                caller
                    .has_access(AccessLevel::ReadOnly, &current)
                    .then_some("read-only access"),
                "read-only access required",
                "permission denied; this requires the access `read_only`",
            ),
            RequiredCredentials::Level(AccessLevel::Evaluate) => (
                caller
                    .has_access(AccessLevel::Evaluate, &current)
                    .then_some("evaluate access"),
                "evaluate access required",
                "permission denied; this requires the access `evaluate`",
            ),
            RequiredCredentials::Nothing
            | RequiredCredentials::ValidIfGiven
            | RequiredCredentials::Superuser => (
                None,
                "superuser required",
                "permission denied; only superusers can do this",
            ),
        };
        if let Some(reason) = granted {
            return Ok(Some((
                caller,
                Some(AllowedRead {
                    kind: UserKind::User,
                    reason,
                }),
            )));
        }
        audit
            .denied(
                head,
                caller.user(),
                CallResult::denied(403, "permission_denied", missing),
            )
            .await?;
        let message = match surface {
            Surface::Admin => "Forbidden (superuser role required)",
            _ => message,
        };
        Err(Problem::new(RpcCode::PermissionDenied, message))
    }

    /// Records how a request ended that can change something. Without its event, it is refused.
    async fn record(&self, scope: &RequestScope, response: Response, surface: Surface) -> Response {
        let status = response.status();
        let refusal = response.extensions().get::<Refusal>();
        if refusal.is_some_and(|refusal| refusal.code == AUDIT_FAILED) {
            return response;
        }
        let detail = refusal
            .map(|refusal| sanitized(&refusal.message))
            .unwrap_or_default();
        let (effect, code, detail) = if status.is_client_error() || status.is_server_error() {
            let code = refusal.map_or_else(
                || status.as_str().to_owned(),
                |refusal| refusal.code.to_owned(),
            );
            (CallEffect::Refused, code, detail)
        } else if scope.has_changed() || scope.head.purpose == Purpose::ReadSecrets {
            (CallEffect::Done, String::new(), String::new())
        } else {
            (
                CallEffect::NoEffect,
                "unchanged".to_owned(),
                "the request changed nothing".to_owned(),
            )
        };
        let result = CallResult {
            authorized: Outcome::Allow,
            reason: "superuser",
            effect,
            http_status: status.as_u16(),
            code: &code,
            detail: &detail,
        };
        match self.service.recorder().call(scope, result).await {
            Ok(()) => response,
            Err(error) => Problem::from(error).response(surface),
        }
    }
}
