//! What the service records: authentications, requests and decisions.

use std::net::SocketAddr;

use gbac_analysis::audit::{
    ApiActivity, AuditedResource, Authentication, Authorization, CallEffect, CallResult, Context,
    Endpoint, Event, HttpRequest, SignInResult, User, UserKind, api_activity, authentication,
    service, sign_out,
};
use gbac_api::service::ClusterIdentity;
use gbac_engine::decide::Outcome;

use super::audit_log::AuditLog;
use super::budgets::{BeyondBudget, Payer};
use super::repeat_key::RepeatKey;
use super::repeats::{Repeatable, Telling, milliseconds};
use super::request_head::{Purpose, RequestHead};
use super::request_scope::{AclChange, RequestScope};
use super::sign_in_method::SignInMethod;
use super::streams::Stream;
use crate::client_address::ClientNetwork;
use crate::state::error::AuditError;

/// The audit log with the current setting and time.
#[derive(Clone, Copy)]
pub(crate) struct Audit<'a> {
    pub(super) log: &'a AuditLog,
    enabled: bool,
    now: f64,
    pub(super) server: SocketAddr,
    /// The cluster that events are about, and as whom its ACLs are changed.
    pub(super) cluster: Option<(&'a str, ClusterIdentity)>,
}

impl<'a> Audit<'a> {
    /// The log at this time, of a service at this address.
    pub(crate) const fn new(
        log: &'a AuditLog,
        enabled: bool,
        now: f64,
        server: SocketAddr,
    ) -> Self {
        Self {
            log,
            enabled,
            now,
            server,
            cluster: None,
        }
    }

    /// The same log for what is about a cluster, which its events name. Sign-ins are not: they are
    /// sign-ins to the service.
    pub(crate) const fn of_cluster(self, cluster: Option<(&'a str, ClusterIdentity)>) -> Self {
        Self { cluster, ..self }
    }

    fn cluster_name(&self) -> Option<&'a str> {
        Some(self.cluster?.0)
    }

    /// Whether events are recorded.
    pub(crate) const fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Records a successful authentication. Those of requests that only read are recorded together
    /// if they repeat.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn authentication(
        &self,
        request: &RequestHead,
        user: &str,
        superuser: bool,
        method: SignInMethod,
        groups: &[String],
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        // Only a superuser can change something.
        if request.purpose == Purpose::Read || !superuser {
            let ip = request.client_ip();
            let parts = [
                "signed in",
                user,
                method.id(),
                kind_id(superuser),
                &ip,
                encryption(request),
            ];
            let event = Repeatable {
                key: RepeatKey::new(parts.into_iter().chain(groups.iter().map(String::as_str))),
                payer: if superuser {
                    Payer::Unlimited
                } else {
                    Payer::User(user)
                },
                beyond: RepeatKey::new(["sign-ins beyond the budget", user]),
                path: None,
                stream: Stream::Changes,
            };
            return self
                .write_repeatable(&event, |telling| match telling {
                    Telling::One | Telling::Repetitions => {
                        self.signed_in_event(request, user, superuser, method, groups)
                    }
                    Telling::Beyond(budget) => {
                        self.beyond_budget(request, user, budget, &ALLOWED_BEYOND)
                    }
                })
                .await;
        }
        let event = self.signed_in_event(request, user, superuser, method, groups);
        match self
            .write(Stream::Changes, std::slice::from_ref(&event))
            .await
        {
            Err(_) if superuser && request.may_turn_audit_off => {
                self.log.owe(Stream::Changes, &[event]);
                Ok(())
            }
            result => result,
        }
    }

    /// Records that a user signed in with the identity provider, which opens a session.
    ///
    /// # Errors
    /// The event cannot be written; the session must not be opened.
    pub(crate) async fn signed_in(
        &self,
        request: &RequestHead,
        user: &str,
        superuser: bool,
        groups: &[String],
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let user = User {
            name: user,
            kind: kind(superuser),
            ..User::default()
        };
        self.write(
            Stream::Changes,
            &[authentication(&self.of_session(request, user, groups))],
        )
        .await
    }

    /// Records that a user signed out. If the event cannot be written, it is kept for later,
    /// because the session has ended.
    pub(crate) async fn signed_out(&self, request: &RequestHead, user: &str) {
        if !self.enabled {
            return;
        }
        let event = sign_out(&self.of_session(
            request,
            User {
                name: user,
                ..User::default()
            },
            &[],
        ));
        if self
            .write(Stream::Changes, std::slice::from_ref(&event))
            .await
            .is_err()
        {
            self.log.owe(Stream::Changes, &[event]);
        }
    }

    fn of_session<'c>(
        &'c self,
        request: &'c RequestHead,
        user: User<'c>,
        groups: &'c [String],
    ) -> Authentication<'c> {
        Authentication {
            context: self.context(request),
            user,
            protocol: SignInMethod::Session.protocol(),
            cleartext: request.is_cleartext(),
            result: SignInResult::Success { groups },
        }
    }

    fn signed_in_event(
        &self,
        request: &RequestHead,
        user: &str,
        superuser: bool,
        method: SignInMethod,
        groups: &[String],
    ) -> Event {
        authentication(&Authentication {
            context: self.context(request),
            user: User {
                name: user,
                kind: kind(superuser),
                ..User::default()
            },
            protocol: method.protocol(),
            cleartext: request.is_cleartext(),
            result: SignInResult::Success { groups },
        })
    }

    /// Records a failed authentication: a few fixed fields, and the user only if it is a known one.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn rejected_authentication(
        &self,
        request: &RequestHead,
        known_user: &str,
        method: SignInMethod,
        detail: &str,
    ) -> Result<(), AuditError> {
        let parts = [
            "rejected",
            known_user,
            method.id(),
            detail,
            encryption(request),
        ];
        // The number of wrong passwords for an account is limited (D-38), so noise of others does
        // not hide them.
        let payer = if known_user.is_empty() {
            Payer::Network(request.client_network())
        } else {
            Payer::Unlimited
        };
        self.write_refusal(request, payer, &parts, |context| {
            authentication(&Authentication {
                context,
                user: User {
                    name: known_user,
                    ..User::default()
                },
                protocol: method.protocol(),
                cleartext: request.is_cleartext(),
                result: SignInResult::Failure { detail },
            })
        })
        .await
    }

    /// Records that a request was denied by the service's own access rules (D-26), which do not
    /// involve ACLs. `user` is empty if the request has no credentials.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn denied(
        &self,
        request: &RequestHead,
        user: &str,
        result: CallResult<'_>,
    ) -> Result<(), AuditError> {
        let parts = [
            "denied",
            user,
            request.fixed_method(),
            &request.route,
            result.code,
            self.cluster_name().unwrap_or_default(),
        ];
        let payer = if user.is_empty() {
            Payer::Network(request.client_network())
        } else {
            Payer::User(user)
        };
        self.write_refusal(request, payer, &parts, |context| {
            api_activity(&ApiActivity {
                context,
                user: User {
                    name: user,
                    ..User::default()
                },
                operation: request.fixed_method(),
                authorization: Authorization::Call(result),
                http: request.fixed_http(self.server.port()),
                resources: &[],
            })
            .in_cluster(self.cluster_name())
        })
        .await
    }

    /// Records that a sign-in was refused because there were too many wrong passwords; `known_user`
    /// is empty if the name is not known.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn too_many_attempts(
        &self,
        request: &RequestHead,
        known_user: &str,
    ) -> Result<(), AuditError> {
        self.denied(
            request,
            known_user,
            CallResult::denied(429, "too_many_attempts", "too many failed sign-ins"),
        )
        .await
    }

    /// Records that a user with this access reads something. Repetitions are recorded together.
    ///
    /// # Errors
    /// The event cannot be written; the request must be rejected.
    pub(crate) async fn read(
        &self,
        request: &RequestHead,
        user: &str,
        kind: UserKind,
        reason: &str,
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let ip = request.client_ip();
        let parts = [
            "read",
            user,
            reason,
            &request.method,
            &request.route,
            &ip,
            encryption(request),
            self.cluster_name().unwrap_or_default(),
        ];
        let event = Repeatable {
            key: RepeatKey::new(parts),
            payer: if kind == UserKind::Admin {
                Payer::Unlimited
            } else {
                Payer::User(user)
            },
            beyond: RepeatKey::new(["reads beyond the budget", user]),
            path: Some(&request.path),
            stream: Stream::Decisions,
        };
        self.write_repeatable(&event, |telling| {
            let http = match telling {
                Telling::One => Some(request.http(self.server.port())),
                Telling::Repetitions => request.fixed_http(self.server.port()),
                Telling::Beyond(budget) => {
                    return self.beyond_budget(request, user, budget, &ALLOWED_BEYOND);
                }
            };
            let authorization = Authorization::Service {
                outcome: Outcome::Allow,
                reason,
            };
            self.activity(
                request,
                User {
                    name: user,
                    kind,
                    ..User::default()
                },
                authorization,
                http,
                &[],
            )
            .in_cluster(self.cluster_name())
        })
        .await
    }

    /// Records how the request of a superuser ended that can change something.
    ///
    /// # Errors
    /// The event cannot be written. If the request changed something, it is kept for later instead,
    /// because the change is recorded.
    pub(crate) async fn call(
        &self,
        scope: &RequestScope,
        result: CallResult<'_>,
    ) -> Result<(), AuditError> {
        let user = User {
            name: &scope.user,
            kind: UserKind::Admin,
            ..User::default()
        };
        let acls = scope.acls();
        let resources = AclChange::resources(&acls);
        let event = self
            .full_activity(&scope.head, user, Authorization::Call(result), &resources)
            .in_cluster(self.cluster_name());
        match self
            .write(Stream::Changes, std::slice::from_ref(&event))
            .await
        {
            Err(_) if scope.has_changed() => {
                self.log.owe(Stream::Changes, &[event]);
                Ok(())
            }
            result => result,
        }
    }

    /// Records that a change is relayed to a cluster, and with `result` how that ended. `user` is
    /// empty if it is not known.
    ///
    /// # Errors
    /// The event cannot be written; the change must not be relayed, or its response not be sent.
    pub(crate) async fn relayed(
        &self,
        request: &RequestHead,
        user: &str,
        result: Option<CallResult<'_>>,
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let reason = "relayed to the cluster, which decides";
        let authorization = match result {
            Some(result) => Authorization::Call(result),
            None => Authorization::Service {
                outcome: Outcome::Allow,
                reason,
            },
        };
        // What the cluster has accepted. Requests that it refuses are without number.
        let stream = match result {
            Some(result) if result.effect == CallEffect::Done => Stream::Changes,
            _ => Stream::Decisions,
        };
        let user = User {
            name: user,
            ..User::default()
        };
        self.write(
            stream,
            &[self.full_activity(request, user, authorization, &[])],
        )
        .await
    }

    fn full_activity(
        &self,
        request: &RequestHead,
        user: User<'_>,
        authorization: Authorization<'_>,
        resources: &[AuditedResource<'_>],
    ) -> Event {
        self.activity(
            request,
            user,
            authorization,
            Some(request.http(self.server.port())),
            resources,
        )
    }

    fn activity(
        &self,
        request: &RequestHead,
        user: User<'_>,
        authorization: Authorization<'_>,
        http: Option<HttpRequest<'_>>,
        resources: &[AuditedResource<'_>],
    ) -> Event {
        let context = self.context(request);
        api_activity(&ApiActivity {
            context,
            user,
            operation: &request.method,
            authorization,
            http,
            resources,
        })
    }

    /// The events of what the engine was asked and has decided; `make` is not called if auditing is
    /// disabled. They name the gateway that asks.
    pub(crate) fn events(
        &self,
        request: &RequestHead,
        make: impl FnOnce(Context<'_>) -> Vec<Event>,
    ) -> Vec<Event> {
        if !self.enabled {
            return Vec::new();
        }
        let events = make(Context {
            invoked_by: request.caller.as_deref(),
            ..self.context(request)
        });
        events
            .into_iter()
            .map(|event| event.in_cluster(self.cluster_name()))
            .collect()
    }

    /// Records these events of decisions.
    ///
    /// # Errors
    /// The events cannot be written; the decisions must not be sent.
    pub(crate) async fn decisions(&self, events: Vec<Event>) -> Result<(), AuditError> {
        self.write(Stream::Decisions, &events).await
    }

    async fn write(&self, stream: Stream, events: &[Event]) -> Result<(), AuditError> {
        self.log.write(stream, events).await
    }

    /// Writes an event, unless it repeats one that was written or is beyond a budget. If that
    /// fails, the request is refused and its event is written when it is repeated, but what was
    /// counted before must not be lost.
    async fn write_repeatable(
        &self,
        event: &Repeatable<'_>,
        make: impl Fn(Telling) -> Event,
    ) -> Result<(), AuditError> {
        let events = self
            .log
            .admit(|repeats, now| repeats.admit(event, now, make));
        let result = self.write(event.stream, &events).await;
        if result.is_err() {
            self.log.forget(event.key);
            if let [counted @ .., _] = events.as_slice() {
                self.log.keep(event.stream, counted);
            }
        }
        result
    }

    /// Writes the event of a request that is refused, in which the client chose nothing freely.
    async fn write_refusal(
        &self,
        request: &RequestHead,
        payer: Payer<'_>,
        parts: &[&str],
        make: impl Fn(Context<'_>) -> Event,
    ) -> Result<(), AuditError> {
        if !self.enabled {
            return Ok(());
        }
        let network = request.client_network().map(ClientNetwork::first_address);
        let text = network.map(|ip| ip.to_string()).unwrap_or_default();
        let (user, beyond) = match payer {
            Payer::User(user) => (user, ["refusals of a user beyond the budget", user]),
            Payer::Network(_) | Payer::Unlimited => {
                ("", ["refusals of a network beyond the budget", &text])
            }
        };
        let event = Repeatable {
            key: RepeatKey::new(parts.iter().copied().chain([text.as_str()])),
            payer,
            beyond: RepeatKey::new(beyond),
            path: None,
            // Those of strangers have no place among what is kept. Those for the local account are
            // sign-ins.
            stream: if matches!(payer, Payer::Unlimited) {
                Stream::Changes
            } else {
                Stream::Decisions
            },
        };
        self.write_repeatable(&event, |telling| match telling {
            Telling::One | Telling::Repetitions => {
                let client = Endpoint {
                    ip: network,
                    ..Endpoint::default()
                };
                make(Context {
                    correlation_uid: None,
                    client,
                    ..self.context(request)
                })
            }
            Telling::Beyond(budget) => self.beyond_budget(request, user, budget, &REFUSED_BEYOND),
        })
        .await
    }

    /// The event that counts requests of a network, or of a user, beyond the budget.
    fn beyond_budget(
        &self,
        request: &RequestHead,
        user: &str,
        budget: BeyondBudget,
        result: &CallResult<'static>,
    ) -> Event {
        let network = match request.client_network() {
            Some(network) if budget.is_own && user.is_empty() => Some(network.first_address()),
            _ => None,
        };
        let client = Endpoint {
            ip: network,
            name: Some("several"),
            port: None,
        };
        api_activity(&ApiActivity {
            context: Context {
                correlation_uid: None,
                client,
                ..self.context(request)
            },
            user: User {
                name: if budget.is_own { user } else { "" },
                ..User::default()
            },
            operation: "several",
            authorization: Authorization::Call(*result),
            http: None,
            resources: &[],
        })
    }

    pub(super) fn time_ms(&self) -> i64 {
        milliseconds(self.now)
    }

    fn context<'c>(&'c self, request: &'c RequestHead) -> Context<'c> {
        Context {
            time_ms: self.time_ms(),
            product: self.log.product(),
            // Every route belongs to the Admin API, since no ACL governs them.
            service: service::ADMIN,
            server: Endpoint {
                ip: Some(self.server.ip()),
                port: Some(self.server.port()),
                name: None,
            },
            client: request.client(),
            correlation_uid: Some(&request.id),
            invoked_by: None,
        }
    }
}

/// Refused requests beyond a budget.
const REFUSED_BEYOND: CallResult<'static> = CallResult {
    authorized: Outcome::Deny,
    reason: "too many requests are refused",
    effect: CallEffect::Refused,
    http_status: 401,
    code: "several",
    detail: "refused requests, beyond the number that is recorded one by one",
};
/// Sign-ins and reads beyond a budget.
const ALLOWED_BEYOND: CallResult<'static> = CallResult {
    authorized: Outcome::Allow,
    reason: "sign-ins or reads, beyond the number that is recorded one by one",
    effect: CallEffect::Done,
    http_status: 200,
    code: "",
    detail: "",
};

const fn kind_id(superuser: bool) -> &'static str {
    if superuser { "superuser" } else { "user" }
}

const fn encryption(request: &RequestHead) -> &'static str {
    if request.encrypted {
        "tls"
    } else {
        "cleartext"
    }
}

const fn kind(superuser: bool) -> UserKind {
    if superuser {
        UserKind::Admin
    } else {
        UserKind::User
    }
}
