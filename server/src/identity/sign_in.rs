//! Sign-in: checking the credentials of a request (specification 5, D-26, D-30).

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_api::service::TokenRequirements;
use gbac_engine::identity::Identity;
use gbac_engine::policy::{AccessLevel, Settings};
use gbac_engine::token::Claims;
use gbac_engine::verify::Verified;
use tokio::sync::Semaphore;

use super::failed_sign_ins::FailedSignIns;
use super::oidc::{KeyError, Keys, Oidc, TokenRejection};
use super::password::{MIN_LENGTH, Password, is_too_short, names_match};
use super::sessions::{OpenSession, Sessions};
use crate::state::audit::{RequestHead, SignInMethod};
use crate::state::error::AuditError;
use crate::state::service::Service;
use crate::state::store::Snapshot;

/// The number of passwords that are hashed at once; each takes 19 MiB of memory.
const PARALLEL_HASHES: usize = 2;

/// The local account: the one user with a password.
pub(crate) struct Admin {
    /// The user name.
    pub(crate) name: String,
    password: Password,
    hash_permits: Arc<Semaphore>,
    failed_sign_ins: FailedSignIns,
}

impl Admin {
    /// A user with this password.
    pub(crate) fn new(name: String, password: Password) -> Self {
        let hash_permits = Arc::new(Semaphore::new(PARALLEL_HASHES));
        Self {
            name,
            password,
            hash_permits,
            failed_sign_ins: FailedSignIns::default(),
        }
    }
}

/// A user with valid credentials.
#[derive(Debug)]
pub(crate) enum Caller {
    /// The local account, signed in with a password; its name. A token user of the same name is
    /// somebody else.
    Local(String),
    /// Signed in with a token of the identity provider.
    Token(Identity),
    /// Signed in with the identity provider in a browser, which has a session.
    Session(Identity),
}

impl Caller {
    /// The user name.
    pub(crate) fn user(&self) -> &str {
        match self {
            Self::Local(name) => name,
            Self::Token(identity) | Self::Session(identity) => identity.user(),
        }
    }

    /// How the user signed in.
    pub(crate) const fn method(&self) -> SignInMethod {
        match self {
            Self::Local(_) => SignInMethod::Password,
            Self::Token(_) => SignInMethod::Token,
            Self::Session(_) => SignInMethod::Session,
        }
    }

    /// The groups in the token.
    fn groups(&self) -> &[String] {
        match self {
            Self::Local(_) => &[],
            Self::Token(identity) | Self::Session(identity) => identity.groups(),
        }
    }

    /// Whether the caller is a superuser: the local account by its record, a token user by the
    /// setting `superusers` (D-14).
    pub(crate) fn is_superuser(&self, current: &Snapshot) -> bool {
        match self {
            Self::Local(name) => *name == current.config.local_account,
            Self::Token(identity) | Self::Session(identity) => {
                current.policy.settings().is_superuser(identity)
            }
        }
    }

    /// Whether the caller has this level of access (D-58). A superuser has every level.
    pub(crate) fn has_access(&self, level: AccessLevel, current: &Snapshot) -> bool {
        let is_granted = match self {
            Self::Local(_) => false,
            Self::Token(identity) | Self::Session(identity) => {
                current.policy.settings().access.permits(level, identity)
            }
        };
        is_granted || self.is_superuser(current)
    }
}

/// Why a request is not signed in. It never says which part of the credentials is wrong.
#[derive(Debug)]
pub(crate) enum SignInError {
    /// The request has no credentials.
    MissingCredentials,
    /// The credentials are not valid.
    InvalidCredentials(Scheme),
    /// There were too many failed attempts; the seconds until the next one is allowed (D-38).
    TooManyAttempts(f64),
    /// The audit event cannot be written (D-23).
    Audit(AuditError),
}

impl From<AuditError> for SignInError {
    fn from(error: AuditError) -> Self {
        Self::Audit(error)
    }
}

/// The authentication scheme of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// A user name and a password (RFC 7617).
    Basic,
    /// A token (RFC 6750).
    Bearer,
    /// The ID of a session (D-66).
    Session,
    /// An unsupported scheme, or more than one.
    Other,
}

impl Scheme {
    /// The name in metrics.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Bearer => "bearer",
            Self::Session => "session",
            Self::Other => "other",
        }
    }
}

/// The unchecked credentials of a request.
pub(crate) struct Credentials {
    /// The scheme and the text after it, if there are any.
    pub(crate) given: Option<(Scheme, String)>,
    /// The client's address.
    pub(crate) client: Option<IpAddr>,
    /// The request, for the audit log.
    pub(crate) request: RequestHead,
}

impl Credentials {
    /// The user name, if there are a name and a password.
    pub(crate) fn user_name(&self) -> Option<String> {
        match &self.given {
            Some((Scheme::Basic, text)) => Some(parse_basic(text)?.0),
            _ => None,
        }
    }
}

/// Why credentials are refused that cannot be read, for the audit log.
const MALFORMED: &str = "the credentials are malformed";

/// Checks credentials; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Authenticator(Arc<Parts>);

struct Parts {
    service: Service,
    admin: Admin,
    oidc: Oidc,
    sessions: Sessions,
}

impl Authenticator {
    pub(crate) fn new(service: Service, admin: Admin, oidc: Oidc) -> Self {
        Self(Arc::new(Parts {
            service,
            admin,
            oidc,
            sessions: Sessions::default(),
        }))
    }

    /// The service to which callers sign in, whose policy has their access to it.
    pub(crate) fn service(&self) -> &Service {
        &self.0.service
    }

    /// The name of the local account.
    pub(crate) fn admin_name(&self) -> &str {
        &self.0.admin.name
    }

    /// Checks the credentials of a request, and records the result in the audit log.
    ///
    /// # Errors
    /// See [`SignInError`].
    pub(crate) async fn authenticate(
        &self,
        credentials: &Credentials,
    ) -> Result<Caller, SignInError> {
        let caller = self.verify(credentials).await?;
        self.record_sign_in(&credentials.request, &caller).await?;
        Ok(caller)
    }

    /// Records that a caller has signed in for a request.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn record_sign_in(
        &self,
        request: &RequestHead,
        caller: &Caller,
    ) -> Result<(), AuditError> {
        let service = &self.0.service;
        let is_superuser = caller.is_superuser(&service.read());
        service
            .audit()
            .authentication(
                request,
                caller.user(),
                is_superuser,
                caller.method(),
                caller.groups(),
            )
            .await
    }

    /// Checks the credentials of a request, and records only if they are refused.
    ///
    /// # Errors
    /// See [`SignInError`].
    pub(crate) async fn verify(&self, credentials: &Credentials) -> Result<Caller, SignInError> {
        let Some((scheme, text)) = &credentials.given else {
            return Err(SignInError::MissingCredentials);
        };
        let (method, checked, name) = match scheme {
            Scheme::Bearer => {
                let checked = match self.resolve(text).await {
                    Ok(identity) => Ok(Caller::Token(identity)),
                    // Only the code is recorded, since the message quotes the token.
                    Err(rejected) => Err(rejected.code()),
                };
                (SignInMethod::Token, checked, String::new())
            }
            Scheme::Session => {
                let checked = match self.0.sessions.get(text, self.0.service.now()) {
                    Some(session) => match self.resolve(&session.token).await {
                        Ok(identity) => Ok(Caller::Session(identity)),
                        Err(rejected) => Err(rejected.code()),
                    },
                    None => Err("session_unknown"),
                };
                (SignInMethod::Session, checked, String::new())
            }
            Scheme::Basic => match parse_basic(text) {
                Some((name, password)) => {
                    let is_valid = match self
                        .check_password(&name, password, credentials.client)
                        .await
                    {
                        Err(error @ SignInError::TooManyAttempts(_)) => {
                            self.record_too_many_attempts(&credentials.request, &name)
                                .await?;
                            return Err(error);
                        }
                        checked => checked?,
                    };
                    let checked = if is_valid {
                        Ok(Caller::Local(name.clone()))
                    } else {
                        Err("wrong user name or password")
                    };
                    (SignInMethod::Password, checked, name)
                }
                None => (SignInMethod::Password, Err(MALFORMED), String::new()),
            },
            Scheme::Other => (SignInMethod::Password, Err(MALFORMED), String::new()),
        };
        if let Err(detail) = &checked {
            let (audit, request) = (self.0.service.audit(), &credentials.request);
            audit
                .rejected_authentication(request, self.known_name(&name), method, detail)
                .await?;
        }
        checked.map_err(|_| SignInError::InvalidCredentials(*scheme))
    }

    /// The token of credentials that were verified; `None` for a password.
    pub(crate) fn token_of(&self, credentials: &Credentials) -> Option<Arc<str>> {
        match credentials.given.as_ref()? {
            (Scheme::Bearer, token) => Some(token.as_str().into()),
            (Scheme::Session, id) => Some(self.0.sessions.get(id, self.0.service.now())?.token),
            (Scheme::Basic | Scheme::Other, _) => None,
        }
    }

    /// Records that a sign-in was refused because there were too many wrong passwords.
    ///
    /// # Errors
    /// The event cannot be written.
    pub(crate) async fn record_too_many_attempts(
        &self,
        request: &RequestHead,
        name: &str,
    ) -> Result<(), AuditError> {
        let service = &self.0.service;
        service.metrics().count_failed_sign_in("too_many_attempts");
        service
            .audit()
            .too_many_attempts(request, self.known_name(name))
            .await
    }

    /// A name in events of failed sign-ins: only the known one, because a password may have been
    /// typed in its place.
    pub(crate) fn known_name<'n>(&self, name: &'n str) -> &'n str {
        if names_match(name, &self.0.admin.name) {
            name
        } else {
            ""
        }
    }

    /// Verifies a token and resolves its identity with the current settings (D-15).
    ///
    /// # Errors
    /// The token is not valid, or does not identify a user.
    pub(crate) async fn resolve(&self, token: &str) -> Result<Identity, TokenRejection> {
        let policy = self.0.service.read().policy;
        self.resolve_with(token, policy.settings()).await
    }

    /// As [`Authenticator::resolve`] with the settings of a cluster, which say how its brokers find
    /// the user and the groups of a token.
    ///
    /// # Errors
    /// See there.
    pub(crate) async fn resolve_with(
        &self,
        token: &str,
        settings: &Settings,
    ) -> Result<Identity, TokenRejection> {
        let service = &self.0.service;
        let claims = self
            .0
            .oidc
            .verify(token, &service.read().config, service.now())
            .await?;
        let rules = settings.identity_rules();
        let identity = Identity::from_verified(&claims, None, &rules);
        // Personal data, but never the token itself (D-24). Only formatted if the level is debug.
        tracing::debug!(target: "security", "claims of a validated token: {}", ClaimsText(&claims));
        let (identity, _) = identity?;
        Ok(identity)
    }

    /// The identity provider, with its keys.
    ///
    /// # Errors
    /// None is configured, or its keys cannot be fetched.
    pub(super) async fn provider(&self) -> Result<Arc<Keys>, TokenRejection> {
        self.0.oidc.provider(&self.0.service.read().config).await
    }

    /// The claims of an ID token of this client, whose `nonce` and `azp` are not checked.
    ///
    /// # Errors
    /// The token is not valid.
    pub(super) async fn verify_id_token(
        &self,
        token: &str,
        client_id: &str,
    ) -> Result<Verified, TokenRejection> {
        let service = &self.0.service;
        self.0
            .oidc
            .verify_id_token(token, client_id, &service.read().config, service.now())
            .await
    }

    /// The required audience of tokens.
    pub(super) fn audience(&self) -> String {
        self.0.service.read().config.oidc_token_audience.clone()
    }

    /// Opens a session of a user with this token, after its audit event is written. The outer error
    /// is that of the event.
    pub(super) async fn open_session(
        &self,
        request: &RequestHead,
        identity: &Identity,
        token: &str,
    ) -> Result<io::Result<String>, AuditError> {
        let service = &self.0.service;
        let is_superuser = service.read().policy.settings().is_superuser(identity);
        service
            .audit()
            .signed_in(request, identity.user(), is_superuser, identity.groups())
            .await?;
        let expires_at = identity
            .expires_at()
            .map_or(f64::NEG_INFINITY, gbac_engine::Timestamp::as_seconds);
        Ok(self
            .0
            .sessions
            .open(identity.user(), token, expires_at, service.now()))
    }

    /// Records that a sign-in with the identity provider failed.
    ///
    /// # Errors
    /// The event cannot be written.
    pub(super) async fn record_failed_sign_in(
        &self,
        request: &RequestHead,
        code: &str,
    ) -> Result<(), AuditError> {
        self.0
            .service
            .audit()
            .rejected_authentication(request, "", SignInMethod::Session, code)
            .await
    }

    /// The session with this ID, if its token is still valid.
    pub(crate) async fn session(&self, id: &str) -> Option<OpenSession> {
        let session = self.0.sessions.get(id, self.0.service.now())?;
        self.resolve(&session.token).await.ok()?;
        Some(session)
    }

    /// Ends the session with this ID. That is done even if its audit event cannot be written, which
    /// is then kept for later.
    pub(crate) async fn close_session(&self, request: &RequestHead, id: &str) {
        let service = &self.0.service;
        if let Some(session) = self.0.sessions.close(id, service.now()) {
            service.audit().signed_out(request, &session.user).await;
        }
    }

    /// Ends every session, as [`Authenticator::close_session`] ends one.
    pub(crate) async fn close_sessions(&self, request: &RequestHead) {
        let service = &self.0.service;
        for session in self.0.sessions.close_all(service.now()) {
            service.audit().signed_out(request, &session.user).await;
        }
    }

    /// Fetches the keys of the identity provider regardless of their age.
    ///
    /// # Errors
    /// They cannot be fetched; the current ones are kept.
    pub(crate) async fn refresh_keys(&self) -> Result<(), KeyError> {
        self.0.oidc.refresh(&self.0.service.read().config).await
    }

    /// Fetches the keys of the identity provider if they are due.
    pub(crate) async fn keep_keys_fresh(&self) {
        self.0.oidc.keep_fresh(&self.0.service.read().config).await;
    }

    /// What is required of tokens besides the cluster properties.
    pub(crate) fn token_requirements(&self) -> TokenRequirements {
        self.0.oidc.requirements(&self.0.service.read().config)
    }

    /// The public keys of the identity provider as a JWKS, as far as they were fetched.
    pub(crate) fn published_keys(&self) -> Option<String> {
        let keys = self.0.oidc.last_keys(&self.0.service.read().config)?;
        Some(keys.published.clone())
    }

    /// The age in seconds of the identity provider's keys, if there are any.
    pub(crate) fn key_age(&self) -> Option<f64> {
        self.0.oidc.key_age(&self.0.service.read().config)
    }

    /// The failed sign-ins, which those to a relayed cluster share.
    pub(super) fn failed_sign_ins(&self) -> &FailedSignIns {
        &self.0.admin.failed_sign_ins
    }

    /// Whether this is the user and the password. A wrong name takes as long as a wrong password,
    /// and counts as a failed attempt. A password that was verified before is accepted even after
    /// too many failed attempts.
    async fn check_password(
        &self,
        name: &str,
        password: String,
        client: Option<IpAddr>,
    ) -> Result<bool, SignInError> {
        let admin = &self.0.admin;
        let is_known = names_match(name, &admin.name);
        if admin.password.matches_verified(&password) && is_known {
            return Ok(true);
        }
        let failed = SignInError::InvalidCredentials(Scheme::Basic);
        let Ok(permit) = Arc::clone(&admin.hash_permits).acquire_owned().await else {
            return Err(failed);
        };
        // Requests with the correct password that waited at the same time need no hash of their
        // own.
        if is_known && admin.password.matches_verified(&password) {
            return Ok(true);
        }
        admin
            .failed_sign_ins
            .count(name, client, self.0.service.now())
            .map_err(SignInError::TooManyAttempts)?;
        let is_short = is_too_short(&password);
        let this = self.clone();
        let hash = tokio::task::spawn_blocking(move || {
            // Held by the hashing itself, which continues if the request is canceled.
            let _permit = permit;
            this.0.admin.password.verify(&password)
        });
        let Ok(is_correct) = hash.await else {
            return Err(failed);
        };
        if is_known && is_correct {
            admin.failed_sign_ins.accept(name, client);
            if is_short && !self.0.service.is_demo() {
                let hint = "set a longer one with `GBAC_ADMIN_PASSWORD` or `--admin-password-file` at the next start";
                tracing::warn!(target: "security", hint, "the password of the local account has fewer than {MIN_LENGTH} characters");
            }
        }
        Ok(is_known && is_correct)
    }
}

/// The user name and the password of Basic credentials.
pub(super) fn parse_basic(credentials: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(STANDARD.decode(credentials).ok()?).ok()?;
    let (name, password) = decoded.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}

/// Claims as JSON, serialized when they are formatted.
struct ClaimsText<'c>(&'c Claims);

impl fmt::Display for ClaimsText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.members().to_string())
    }
}
