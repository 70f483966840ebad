//! The audit log: every authentication and every decision of the service is an event, written before the answer goes
//! out (specification 6, D-23).

mod asked;
mod log;
mod recent;

use std::net::SocketAddr;

use gbac_analysis::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event, SignInResult, User, UserKind,
    api_activity, authentication,
};
use gbac_api::problem::RpcCode;
use gbac_engine::decide::Outcome;

use crate::fault::Fault;

pub(crate) use asked::{Asked, shown};
pub(crate) use log::Log;
pub(crate) use recent::routes;

/// The log as a request uses it: on or off, as the setting of this moment says.
pub(crate) struct Audit<'a> {
    log: &'a Log,
    on: bool,
    now: f64,
    server: SocketAddr,
}

/// With what somebody signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A name and a password.
    Password,
    /// A token of the identity provider.
    Token,
    /// Neither: a gateway says who it is.
    Stated,
}

impl Credential {
    /// As events name it.
    pub(crate) const fn protocol(self) -> AuthProtocol<'static> {
        match self {
            Self::Password => AuthProtocol::Named("Basic"),
            Self::Token => AuthProtocol::Oauth2,
            Self::Stated => AuthProtocol::Named("stated by the gateway"),
        }
    }
}

impl<'a> Audit<'a> {
    /// The log at an instant, of a service at an address.
    pub(crate) const fn new(log: &'a Log, on: bool, now: f64, server: SocketAddr) -> Self {
        Self { log, on, now, server }
    }

    /// Records that somebody signed in with a request, or failed to. `user` is empty where it is not known.
    ///
    /// # Errors
    /// 503: the event cannot be written, and so the request is refused.
    pub(crate) async fn authentication(
        &self,
        asked: &Asked,
        user: &str,
        superuser: bool,
        credential: Credential,
        result: SignInResult<'_>,
    ) -> Result<(), Fault> {
        if !self.on {
            return Ok(());
        }
        let event = authentication(&Authentication {
            context: self.context(asked),
            user: User { name: user, kind: kind(superuser), ..User::default() },
            protocol: credential.protocol(),
            cleartext: asked.is_cleartext(),
            result,
        });
        self.write(vec![event]).await
    }

    /// Records that a request was let through or refused by the service's own rule (D-26), which no ACL is part of.
    ///
    /// # Errors
    /// 503: the event cannot be written, and so the request is refused.
    pub(crate) async fn access(
        &self,
        asked: &Asked,
        user: &str,
        superuser: bool,
        outcome: Outcome,
        reason: &str,
    ) -> Result<(), Fault> {
        if !self.on {
            return Ok(());
        }
        let event = api_activity(&ApiActivity {
            context: self.context(asked),
            user: User { name: user, kind: kind(superuser), ..User::default() },
            operation: asked.method(),
            authorization: Authorization::Service { outcome, reason },
            http: Some(asked.http(self.server.port())),
            resources: &[],
        });
        self.write(vec![event]).await
    }

    /// The events of what the engine was asked and has decided; `make` is not called when the log is off.
    pub(crate) fn events(&self, asked: &Asked, make: impl FnOnce(Context<'_>) -> Vec<Event>) -> Vec<Event> {
        if self.on { make(self.context(asked)) } else { Vec::new() }
    }

    /// Records these events of decisions.
    ///
    /// # Errors
    /// 503: the events cannot be written, and so the decisions must not go out.
    pub(crate) async fn decisions(&self, events: Vec<Event>) -> Result<(), Fault> {
        self.write(events).await
    }

    async fn write(&self, events: Vec<Event>) -> Result<(), Fault> {
        self.log.write(events).await.map_err(|error| {
            tracing::error!(target: "audit", %error, "an event cannot be written, and its request is refused");
            let message = "the request is refused because its audit event cannot be written; free the disk of the \
                           audit file, or make it writable";
            Fault::with_status(503, RpcCode::Unavailable, "audit_failed", message)
        })
    }

    fn context<'c>(&'c self, asked: &'c Asked) -> Context<'c> {
        Context {
            // A cast of what is too large gives the bound.
            #[expect(clippy::cast_possible_truncation, reason = "saturates, which is what is wanted")]
            time_ms: (self.now * 1000.0) as i64,
            product: self.log.product(),
            service: asked.service(),
            server: Endpoint { ip: Some(self.server.ip()), port: Some(self.server.port()), name: None },
            client: asked.client(),
        }
    }
}

const fn kind(superuser: bool) -> UserKind {
    if superuser { UserKind::Admin } else { UserKind::User }
}
