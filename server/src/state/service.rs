//! The state that all requests share.

use std::net::SocketAddr;
use std::sync::Arc;

use super::audit::{Audit, AuditLog};
use super::error::WriteError;
use super::license;
use super::log_levels::LogLevels;
use super::public_endpoint::PublicEndpoint;
use super::store::{Plan, Snapshot, Store};
use super::trusted_proxies::TrustedProxies;
use crate::clock::Clock;
use crate::metrics::{CurrentValues, Metrics};

/// The state of the service; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Service(Arc<Parts>);

/// What a service is made from.
pub(crate) struct Parts {
    /// The policy and configuration.
    pub(crate) store: Store,
    /// The audit events.
    pub(crate) audit_log: AuditLog,
    /// The public address.
    pub(crate) endpoint: PublicEndpoint,
    /// The proxies that may name the client of a request.
    pub(crate) trusted_proxies: TrustedProxies,
    /// The address it listens on.
    pub(crate) address: SocketAddr,
    /// Whether this is a demo.
    pub(crate) is_demo: bool,
    /// The current time.
    pub(crate) clock: Clock,
    /// The counters.
    pub(crate) metrics: Metrics,
    /// The log levels that will revert.
    pub(crate) log_levels: LogLevels,
}

impl Service {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The current policy and configuration.
    pub(crate) fn read(&self) -> Snapshot {
        self.0.store.read()
    }

    /// The entity tag of a snapshot's policy.
    pub(crate) fn etag(&self, snapshot: &Snapshot) -> String {
        self.0.store.etag(snapshot)
    }

    /// Makes a planned change if the license permits it; see [`Store::change`].
    pub(crate) async fn change<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> Result<(T, Snapshot), E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        self.0
            .store
            .change(move |current| {
                let plan = plan(current)?;
                Ok(license::check(current, plan)?)
            })
            .await
    }

    /// Whether the store accepts writes.
    pub(crate) fn is_writable(&self) -> bool {
        self.0.store.is_writable()
    }

    /// The audit log with the current setting and time.
    pub(crate) fn audit(&self) -> Audit<'_> {
        Audit::new(&self.0.audit_log, self.read().config.audit_enabled, self.now(), self.0.address)
    }

    /// The audit events.
    pub(crate) fn audit_log(&self) -> &AuditLog {
        &self.0.audit_log
    }

    /// The public address.
    pub(crate) fn endpoint(&self) -> &PublicEndpoint {
        &self.0.endpoint
    }

    /// The proxies that may name the client of a request.
    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        &self.0.trusted_proxies
    }

    /// Whether other machines can reach the service, directly or through a proxy on this machine.
    pub(crate) fn is_reachable_remotely(&self) -> bool {
        self.0.endpoint.is_reachable_remotely() || !self.0.trusted_proxies.is_empty()
    }

    /// Whether this is a demo.
    pub(crate) fn is_demo(&self) -> bool {
        self.0.is_demo
    }

    /// The current time in seconds since 1970.
    pub(crate) fn now(&self) -> f64 {
        (self.0.clock)()
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// The metrics as text; `key_age` is the age of the provider's keys in seconds.
    pub(crate) fn metrics_text(&self, key_age: Option<f64>) -> String {
        let current = self.read();
        self.0.metrics.text(&CurrentValues {
            acls: current.policy.acl_count(),
            roles: current.policy.role_count(),
            commits: self.0.store.commits(),
            audit_events: self.0.audit_log.written(),
            audit_failures: self.0.audit_log.failed(),
            writable: self.is_writable(),
            key_age,
        })
    }

    /// The log levels that will revert.
    pub(crate) fn log_levels(&self) -> &LogLevels {
        &self.0.log_levels
    }
}
