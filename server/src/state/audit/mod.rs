//! Auditing: every authentication and every decision is an event, written before the response is sent (specification 6,
//! D-23).

mod log;
mod request_head;

use std::net::SocketAddr;

use gbac_analysis::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event, SignInResult, User, UserKind,
    api_activity, authentication, service,
};
use gbac_engine::decide::Outcome;

use super::error::AuditError;
pub(crate) use log::AuditLog;
pub(crate) use request_head::RequestHead;

/// The audit log with the current setting and time.
pub(crate) struct Audit<'a> {
    log: &'a AuditLog,
    enabled: bool,
    now: f64,
    server: SocketAddr,
}

/// How a user authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInMethod {
    /// A name and a password.
    Password,
    /// A token of the identity provider.
    Token,
    /// By a gateway, which names the user.
    Gateway,
}

impl SignInMethod {
    /// The name in events.
    pub(crate) const fn protocol(self) -> AuthProtocol<'static> {
        match self {
            Self::Password => AuthProtocol::Named("Basic"),
            Self::Token => AuthProtocol::Oauth2,
            Self::Gateway => AuthProtocol::Named("stated by the gateway"),
        }
    }
}

impl<'a> Audit<'a> {
    /// The log at this time, of a service at this address.
    pub(crate) const fn new(log: &'a AuditLog, enabled: bool, now: f64, server: SocketAddr) -> Self {
        Self { log, enabled, now, server }
    }

    /// Records a successful or failed authentication. `user` is empty if it is not known.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn authentication(
        &self,
        request: &RequestHead,
        user: &str,
        superuser: bool,
        method: SignInMethod,
        result: SignInResult<'_>,
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let event = authentication(&Authentication {
            context: self.context(request),
            user: User { name: user, kind: kind(superuser), ..User::default() },
            protocol: method.protocol(),
            cleartext: request.is_cleartext(),
            result,
        });
        self.write(vec![event]).await
    }

    /// Records that a request was authorized or denied by the service's own access rules (D-26), which do not involve ACLs.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn access(
        &self,
        request: &RequestHead,
        user: &str,
        superuser: bool,
        outcome: Outcome,
        reason: &str,
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let event = api_activity(&ApiActivity {
            context: self.context(request),
            user: User { name: user, kind: kind(superuser), ..User::default() },
            operation: &request.method,
            authorization: Authorization::Service { outcome, reason },
            http: Some(request.http(self.server.port())),
            resources: &[],
        });
        self.write(vec![event]).await
    }

    /// The events of what the engine was request and has decided; `make` is not called if auditing is disabled.
    pub(crate) fn events(&self, request: &RequestHead, make: impl FnOnce(Context<'_>) -> Vec<Event>) -> Vec<Event> {
        if self.enabled { make(self.context(request)) } else { Vec::new() }
    }

    /// Records these events of decisions.
    ///
    /// # Errors
    /// The events cannot be written; the decisions must not be sent.
    pub(crate) async fn decisions(&self, events: Vec<Event>) -> Result<(), AuditError> {
        self.write(events).await
    }

    async fn write(&self, events: Vec<Event>) -> Result<(), AuditError> {
        self.log.write(events).await.map_err(|error| {
            tracing::error!(target: "audit", %error, "audit event not written; request rejected");
            AuditError
        })
    }

    fn context<'c>(&'c self, request: &'c RequestHead) -> Context<'c> {
        Context {
            // The cast saturates.
            #[expect(clippy::cast_possible_truncation, reason = "saturates, as intended")]
            time_ms: (self.now * 1000.0) as i64,
            product: self.log.product(),
            // Every route belongs to the Admin API, since no ACL governs them.
            service: service::ADMIN,
            server: Endpoint { ip: Some(self.server.ip()), port: Some(self.server.port()), name: None },
            client: request.client(),
        }
    }
}

const fn kind(superuser: bool) -> UserKind {
    if superuser { UserKind::Admin } else { UserKind::User }
}
