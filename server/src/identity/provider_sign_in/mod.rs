//! Sign-in with the identity provider: the authorization code flow with PKCE (OpenID Connect Core
//! 1.0, RFC 7636; D-65).

mod attempt;
mod client;

use std::io;
use std::net::IpAddr;

use gbac_api::session::{SignInProblem, return_path};
use gbac_engine::verify::Verified;
use subtle::ConstantTimeEq;
use url::Url;

use super::oidc::{SignInEndpoints, TokenRejection};
use super::sign_in::Authenticator;
use crate::state::audit::RequestHead;
use crate::state::error::AuditError;
pub(crate) use attempt::MAX_SECONDS;
use attempt::{Attempt, Attempts};
pub(crate) use client::OidcClient;
use client::{AuthorizationRequest, ExchangeError};

/// Sign-in with the identity provider.
pub(crate) struct ProviderSignIn {
    client: OidcClient,
    attempts: Attempts,
    redirect_uri: String,
}

/// A sign-in that was started.
pub(crate) struct StartedSignIn {
    /// The page of the provider.
    pub(crate) authorization: Url,
    /// The cookie that the browser keeps until it returns.
    pub(crate) cookie: String,
}

/// The answer of the provider, which the browser brings.
pub(crate) struct ProviderAnswer<'a> {
    /// The parameters of the request.
    pub(crate) parameters: &'a [(String, String)],
    /// The cookie of the attempt.
    pub(crate) cookie: Option<&'a str>,
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// The request, for the audit log.
    pub(crate) request: &'a RequestHead,
}

/// Why nobody is signed in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignInFailure {
    /// What the page shows.
    pub(crate) problem: SignInProblem,
    /// The stable code for the audit log; it contains nothing of the request.
    code: &'static str,
}

impl SignInFailure {
    const fn new(problem: SignInProblem, code: &'static str) -> Self {
        Self { problem, code }
    }

    /// The answer is not that of this attempt.
    const fn interrupted(code: &'static str) -> Self {
        Self::new(SignInProblem::Interrupted, code)
    }
}

/// The operating system provides no random numbers.
impl From<io::Error> for SignInFailure {
    fn from(_: io::Error) -> Self {
        Self::new(SignInProblem::ProviderUnavailable, "no_random_numbers")
    }
}

impl From<AuditError> for SignInFailure {
    fn from(AuditError: AuditError) -> Self {
        Self::new(SignInProblem::NotRecorded, "audit_failed")
    }
}

impl ProviderSignIn {
    /// Sign-in of this client, whose answers go to this URI.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(crate) fn new(client: OidcClient, redirect_uri: String) -> io::Result<Self> {
        Ok(Self {
            client,
            attempts: Attempts::new()?,
            redirect_uri,
        })
    }

    /// Starts a sign-in after which the browser returns to a page. The page to return to, and the
    /// sign-in.
    pub(crate) async fn start(
        &self,
        authenticator: &Authenticator,
        return_to: Option<&str>,
        now: f64,
    ) -> (String, Result<StartedSignIn, SignInFailure>) {
        let return_to = return_path(return_to).to_owned();
        let started = self.authorize(authenticator, return_to.clone(), now).await;
        (return_to, started)
    }

    async fn authorize(
        &self,
        authenticator: &Authenticator,
        return_to: String,
        now: f64,
    ) -> Result<StartedSignIn, SignInFailure> {
        let (_, endpoints) = endpoints(authenticator).await?;
        let attempt = Attempts::start(return_to, now)?;
        let (state, nonce) = (self.attempts.state(&attempt), self.attempts.nonce(&attempt));
        let challenge = Attempts::challenge(&self.attempts.verifier(&attempt));
        let request = AuthorizationRequest {
            redirect_uri: &self.redirect_uri,
            state: &state,
            nonce: &nonce,
            challenge: &challenge,
        };
        let authorization = self.client.authorization_url(&endpoints, &request);
        Ok(StartedSignIn {
            authorization,
            cookie: self.attempts.seal(&attempt),
        })
    }

    /// Ends a sign-in with the answer of the provider. The page to return to, and the ID of the new
    /// session. A failure has an audit event.
    pub(crate) async fn finish(
        &self,
        authenticator: &Authenticator,
        answer: ProviderAnswer<'_>,
        now: f64,
    ) -> (String, Result<String, SignInFailure>) {
        let attempt = answer
            .cookie
            .and_then(|cookie| self.attempts.open(cookie, now));
        let return_to =
            return_path(attempt.as_ref().map(|attempt| attempt.return_to.as_str())).to_owned();
        let opened = match attempt {
            Some(attempt) => self.complete(authenticator, &attempt, &answer, now).await,
            None => Err(SignInFailure::interrupted("attempt_unknown")),
        };
        if let Err(failure) = opened
            && let Err(error) = authenticator
                .record_failed_sign_in(answer.request, failure.code)
                .await
        {
            return (return_to, Err(error.into()));
        }
        (return_to, opened)
    }

    async fn complete(
        &self,
        authenticator: &Authenticator,
        attempt: &Attempt,
        answer: &ProviderAnswer<'_>,
        now: f64,
    ) -> Result<String, SignInFailure> {
        let state = single(answer.parameters, "state")?.unwrap_or_default();
        if !equal(state, &self.attempts.state(attempt)) {
            return Err(SignInFailure::interrupted("state_mismatch"));
        }
        // Only now, because a page of another origin can cause answers with a wrong state.
        let failed_sign_ins = authenticator.failed_sign_ins();
        failed_sign_ins
            .count_address(answer.client, now)
            .map_err(|_| SignInFailure::new(SignInProblem::TooManyAttempts, "too_many_attempts"))?;
        if !self.attempts.take(attempt, answer.client, now) {
            return Err(SignInFailure::interrupted("attempt_used"));
        }
        if let Some(error) = single(answer.parameters, "error")? {
            let (problem, code) = match error {
                "access_denied"
                | "login_required"
                | "consent_required"
                | "interaction_required" => (SignInProblem::Declined, "declined"),
                "temporarily_unavailable" | "server_error" => {
                    (SignInProblem::ProviderUnavailable, "provider_error")
                }
                _ => (SignInProblem::ProviderRefused, "request_refused"),
            };
            tracing::warn!(target: "oidc", code, "the identity provider ended a sign-in");
            return Err(SignInFailure::new(problem, code));
        }
        let Some(code) = single(answer.parameters, "code")? else {
            return Err(SignInFailure::interrupted("code_missing"));
        };
        let (issuer, endpoints) = endpoints(authenticator).await?;
        let is_issuer = match single(answer.parameters, "iss")? {
            Some(stated) => stated == issuer,
            None => !endpoints.states_issuer,
        };
        if !is_issuer {
            return Err(SignInFailure::interrupted("issuer_mismatch"));
        }
        let verifier = self.attempts.verifier(attempt);
        let tokens = self
            .client
            .exchange(&endpoints, code, &verifier, &self.redirect_uri)
            .await;
        let tokens = tokens.map_err(|error| exchange_failure(&error))?;
        let verified = authenticator
            .verify_id_token(&tokens.id, &self.client.id)
            .await;
        let verified = verified.map_err(|rejection| token_failure("the ID token", &rejection))?;
        self.check_id_token(&verified, attempt)?;
        let (token, name) = if authenticator.audience() == self.client.id {
            (tokens.id, "the ID token")
        } else {
            (tokens.access, "the access token")
        };
        let identity = authenticator
            .resolve(&token)
            .await
            .map_err(|rejection| token_failure(name, &rejection))?;
        let opened = authenticator
            .open_session(answer.request, &identity, &token)
            .await;
        let id = opened?;
        failed_sign_ins.remove_address(answer.client);
        Ok(id?)
    }

    /// Checks that a token is no access token (RFC 9068, section 4), but an ID token for this
    /// attempt and this client (OpenID Connect Core 1.0, section 3.1.3.7).
    fn check_id_token(&self, verified: &Verified, attempt: &Attempt) -> Result<(), SignInFailure> {
        if verified.header.is_typed_access_token() {
            return refused("id_token_type");
        }
        let claims = &verified.claims;
        let members = claims.members();
        if !equal(
            members.text("nonce").unwrap_or_default(),
            &self.attempts.nonce(attempt),
        ) {
            return refused("nonce_mismatch");
        }
        let is_for_this_client = match members.text("azp") {
            Some(party) => party == self.client.id,
            None => {
                !members.contains("azp")
                    && matches!(claims.audiences(), Some(audiences) if audiences.len() == 1)
            }
        };
        if is_for_this_client {
            Ok(())
        } else {
            refused("authorized_party_mismatch")
        }
    }
}

/// The issuer of the provider, and where users sign in.
async fn endpoints(
    authenticator: &Authenticator,
) -> Result<(String, SignInEndpoints), SignInFailure> {
    let keys = match authenticator.provider().await {
        Ok(keys) => keys,
        Err(rejection) => return unavailable(rejection.code()),
    };
    match &keys.sign_in {
        Some(endpoints) => Ok((keys.issuer.clone(), endpoints.clone())),
        None => {
            let hint = "check that the discovery document has an `authorization_endpoint` and a `token_endpoint` over https";
            tracing::warn!(target: "oidc", code = "discovery_without_sign_in", hint, "users cannot sign in with the provider");
            unavailable("discovery_without_sign_in")
        }
    }
}

const fn unavailable<T>(code: &'static str) -> Result<T, SignInFailure> {
    Err(SignInFailure::new(SignInProblem::ProviderUnavailable, code))
}

const fn refused(code: &'static str) -> Result<(), SignInFailure> {
    Err(SignInFailure::new(SignInProblem::TokenRefused, code))
}

fn exchange_failure(error: &ExchangeError) -> SignInFailure {
    tracing::warn!(target: "oidc", code = error.code(), hint = error.hint(), "{error}");
    let problem = match error {
        ExchangeError::Fetch(_) => SignInProblem::ProviderUnavailable,
        ExchangeError::Refused { .. } | ExchangeError::NoToken(_) => SignInProblem::ProviderRefused,
    };
    SignInFailure::new(problem, error.code())
}

fn token_failure(name: &str, rejection: &TokenRejection) -> SignInFailure {
    let code = rejection.code();
    // Only the code, because the message quotes the token.
    tracing::warn!(target: "oidc", code, "{name} of a sign-in is refused");
    let problem = match rejection {
        TokenRejection::NotConfigured | TokenRejection::Key(_) => {
            SignInProblem::ProviderUnavailable
        }
        TokenRejection::Token(_) | TokenRejection::User(_) => SignInProblem::TokenRefused,
    };
    SignInFailure::new(problem, code)
}

/// The value of a parameter that may occur once.
///
/// # Errors
/// It occurs more than once.
fn single<'p>(
    parameters: &'p [(String, String)],
    name: &str,
) -> Result<Option<&'p str>, SignInFailure> {
    let mut values = parameters.iter().filter(|(known, _)| known == name);
    let value = values.next();
    if values.next().is_some() {
        return Err(SignInFailure::interrupted("parameter_repeated"));
    }
    Ok(value.map(|(_, value)| value.as_str()))
}

/// Compares two texts in constant time.
fn equal(one: &str, other: &str) -> bool {
    one.as_bytes().ct_eq(other.as_bytes()).into()
}
