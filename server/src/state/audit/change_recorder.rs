//! Records changes, with the user and the request that make them. Their events are written before
//! the change is made, so that no change is made without its events (D-50).

use std::net::SocketAddr;
use std::sync::Arc;

use gbac_analysis::audit::{
    Administration, Context, Endpoint, Event, Modification, ResultingState, User, UserKind,
    administration, service,
};
use gbac_api::service::ClusterIdentity;
use gbac_log::{EntryAuthor, EntryOrigin};
use gbac_words::audit_message::action;
use serde_json::Value;

use super::audit_log::AuditLog;
use super::request_recorder::Audit;
use super::request_scope::{AclChange, RequestScope};
use super::streams::Stream;
use super::written_events::WrittenEvents;
use crate::state::error::AuditError;

/// As whom ACLs are changed in a cluster, as in `GET /gbac/v1/clusters`.
const fn sender_code(identity: ClusterIdentity) -> &'static str {
    match identity {
        ClusterIdentity::Service => "service",
        ClusterIdentity::Caller => "caller",
    }
}

/// Records the changes of a request, or of the service itself.
#[derive(Clone)]
pub(crate) struct ChangeRecorder {
    log: AuditLog,
    scope: Option<Arc<RequestScope>>,
    /// The cluster whose ACLs, roles and settings change.
    cluster: Option<Arc<str>>,
    /// As whom its ACLs are changed.
    identity: ClusterIdentity,
    /// Whether others made the changes, in the cluster.
    outside: bool,
    time_ms: i64,
    server: SocketAddr,
}

impl ChangeRecorder {
    /// A recorder for the current request; without one, for the service itself.
    pub(crate) fn new(audit: &Audit<'_>) -> Self {
        Self {
            log: audit.log.clone(),
            scope: RequestScope::current(),
            cluster: audit.cluster.map(|(name, _)| Arc::from(name)),
            identity: audit
                .cluster
                .map(|(_, identity)| identity)
                .unwrap_or_default(),
            outside: false,
            time_ms: audit.time_ms(),
            server: audit.server,
        }
    }

    /// A recorder for what others changed in a cluster.
    pub(crate) fn outside(audit: &Audit<'_>) -> Self {
        Self {
            scope: None,
            outside: true,
            ..Self::new(audit)
        }
    }

    /// The event of a modification, and the state that it results in.
    pub(crate) fn event(
        &self,
        modification: Modification<'_>,
        state: Option<ResultingState<'_>>,
    ) -> Event {
        let scope = self.scope.as_deref();
        let server = Endpoint {
            ip: Some(self.server.ip()),
            port: Some(self.server.port()),
            name: None,
        };
        let user = match scope {
            Some(scope) => User {
                name: &scope.user,
                kind: UserKind::Admin,
                ..User::default()
            },
            None if self.outside => User {
                name: "outside",
                kind: UserKind::Unknown,
                ..User::default()
            },
            None => User {
                name: "gbac",
                kind: UserKind::System,
                ..User::default()
            },
        };
        let cluster = self.cluster.as_deref();
        let reason = match cluster.filter(|_| self.outside) {
            Some(cluster) => Some(format!(
                "the ACLs of the cluster `{cluster}` were changed outside of GBAC"
            )),
            None => scope
                .and_then(RequestScope::reason)
                .map(|reason| reason.text().to_owned()),
        };
        let event = administration(&Administration {
            context: Context {
                time_ms: self.time_ms,
                product: self.log.product(),
                service: service::ADMIN,
                server,
                client: scope.map(|scope| scope.head.client()).unwrap_or_default(),
                correlation_uid: scope.map(|scope| scope.head.id.as_str()),
                invoked_by: None,
            },
            user,
            protocol: scope.map(|scope| scope.method.protocol()),
            action: &action(&modification),
            modification,
            reason: reason.as_deref(),
            state,
        });
        let is_acl = matches!(
            modification,
            Modification::AclAdded(_) | Modification::AclRemoved(_)
        );
        let event = event.in_cluster(cluster);
        if cluster.is_some() && is_acl && !self.outside {
            event.sent_as(sender_code(self.identity))
        } else {
            event
        }
    }

    /// Where a change comes from, for the log of changes.
    pub(crate) fn origin(&self) -> EntryOrigin {
        let outside = self.cluster.as_deref().filter(|_| self.outside);
        let (author, via) = match (&self.scope, outside) {
            (Some(scope), _) => {
                let sign_in = Some(scope.method.id().to_owned());
                let author = EntryAuthor::named(&scope.user, "user");
                let via = format!("{} {}", scope.head.method, scope.head.route);
                (EntryAuthor { sign_in, ..author }, via)
            }
            (None, Some(cluster)) => (
                EntryAuthor::named("outside", "outside"),
                format!("cluster {cluster}"),
            ),
            (None, None) => (EntryAuthor::named("gbac", "system"), "service".to_owned()),
        };
        EntryOrigin {
            author,
            via,
            at: self.time_ms,
            request_id: self.scope.as_ref().map(|scope| scope.head.id.clone()),
            reason: self
                .scope
                .as_ref()
                .and_then(|scope| scope.reason())
                .map(|reason| reason.text().to_owned()),
        }
    }

    /// Notes the ACLs that the request changes.
    pub(crate) fn note_acls(&self, acls: &[AclChange]) {
        if let Some(scope) = &self.scope {
            scope.add_acls(acls);
        }
    }

    /// Writes the events of a change that is not stored yet. With `keep`, events that cannot be
    /// written are kept until they can.
    ///
    /// # Errors
    /// The events cannot be written, so the change must not be stored.
    pub(crate) fn write(
        &self,
        events: Vec<Event>,
        keep: bool,
    ) -> Result<WrittenEvents, AuditError> {
        if events.is_empty() {
            return Ok(WrittenEvents::none());
        }
        if let Err(error) = self.log.write_now(Stream::Changes, &events) {
            if !keep {
                return Err(error);
            }
            self.log.owe(Stream::Changes, &events);
        }
        if let Some(scope) = &self.scope {
            scope.set_changed();
        }
        Ok(WrittenEvents::new(&self.log, events))
    }

    /// Records that the service starts or stops. If that cannot be written, it is kept until it
    /// can: nobody has to be refused.
    pub(crate) async fn record_lifecycle(self, modification: Modification<'_>) {
        let events = [self.event(modification, None)];
        if self.log.write(Stream::Changes, &events).await.is_err() {
            self.log.owe(Stream::Changes, &events);
        }
    }

    /// Records a change that is not one of the policy or the configuration, before it is made.
    ///
    /// # Errors
    /// The event cannot be written, so the change must not be made.
    pub(crate) async fn record_value(
        self,
        kind: &str,
        name: &str,
        before: &Value,
        after: &Value,
    ) -> Result<(), AuditError> {
        let event = self.event(
            Modification::ValueSet {
                kind,
                name,
                before,
                after,
            },
            None,
        );
        self.log.write(Stream::Changes, &[event]).await?;
        if let Some(scope) = &self.scope {
            scope.set_changed();
        }
        Ok(())
    }
}
