//! The state that all requests share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use gbac_analysis::audit::Modification;
use gbac_api::history::StateToken;
use gbac_api::service::ClusterIdentity;
use gbac_engine::policy::Policy;
use gbac_log::LogEntry;
use serde_json::Value;
use tokio::time::{Instant, sleep_until, timeout};

use super::audit::{Audit, AuditLog, ChangeRecorder};
use super::change::make_change;
use super::cluster::ClusterLink;
use super::error::{AuditError, WriteError};
use super::log_levels::LogLevels;
use super::public_endpoint::PublicEndpoint;
use super::store::{PastState, Snapshot, StateChange, Store, StoreError, Stored};
use crate::client_address::TrustedProxies;
use crate::clock::Clock;
use crate::metrics::{ClusterValues, CurrentValues, Metrics};

/// The state of the service; a handle that is cheap to clone. With several Kafka clusters, there is
/// one for each, and they share everything but the store (D-137).
#[derive(Clone)]
pub(crate) struct Service {
    shared: Arc<SharedParts>,
    /// The policy and configuration.
    store: Store,
    /// The cluster with the ACLs, if they live in one.
    cluster: Option<ClusterLink>,
}

/// What the clusters of a service share.
pub(crate) struct SharedParts {
    /// The store of the service itself, which has the access to it and its configuration.
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
    /// The clusters with ACLs, in the order of the command line.
    pub(crate) clusters: Vec<ClusterLink>,
}

impl Service {
    /// The service of the first cluster, or without one.
    pub(crate) fn new(shared: SharedParts) -> Self {
        Self {
            store: shared.store.clone(),
            cluster: shared.clusters.first().cloned(),
            shared: Arc::new(shared),
        }
    }

    /// The service of another cluster.
    pub(crate) fn of_cluster(&self, store: Store, cluster: ClusterLink) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            store,
            cluster: Some(cluster),
        }
    }

    /// The current policy and configuration.
    pub(crate) fn read(&self) -> Snapshot {
        self.store.read()
    }

    /// The ID of the data; empty for a store in memory.
    pub(crate) fn data_id(&self) -> &str {
        self.store.data_id()
    }

    /// The changes before this one, newest first; see [`Store::entries_before`].
    ///
    /// # Errors
    /// See there.
    pub(crate) fn entries_before(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        self.store.entries_before(before, limit)
    }

    /// The changes after this one, oldest first; see [`Store::entries_after`].
    ///
    /// # Errors
    /// See there.
    pub(crate) fn entries_after(
        &self,
        after: u64,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        self.store.entries_after(after, limit)
    }

    /// The number of the oldest change that is kept; see [`Store::first_entry`].
    ///
    /// # Errors
    /// See there.
    pub(crate) fn first_entry(&self) -> Result<u64, StoreError> {
        self.store.first_entry()
    }

    /// The policy after a change; see [`Store::past`].
    ///
    /// # Errors
    /// See there.
    pub(crate) fn past(&self, seq: u64) -> Result<PastState<Policy>, StoreError> {
        self.store.past(seq)
    }

    /// The current state.
    pub(crate) fn state_token(&self) -> StateToken {
        StateToken {
            store: self.store.store_id().to_owned(),
            seq: self.read().version.seq,
        }
    }

    /// Tells who follows the changes to stop.
    pub(crate) fn end_followers(&self) {
        self.store.end_followers();
    }

    /// Waits until a change after this one was made, until a deadline; whether there is one. It also
    /// ends when the service stops.
    pub(crate) async fn change_after(&self, seq: u64, deadline: Instant) -> bool {
        let (mut applied, mut ending) = (self.store.applied(), self.store.ending());
        tokio::select! {
            _ = ending.wait_for(|is_ending| *is_ending) => false,
            applied = applied.wait_for(|applied| *applied > seq) => applied.is_ok(),
            () = sleep_until(deadline) => false,
        }
    }

    /// Whether who follows the changes has to stop.
    pub(crate) fn is_ending(&self) -> bool {
        *self.store.ending().borrow()
    }

    /// Waits until a change was made, at most this time; whether it was.
    pub(crate) async fn wait_for(&self, seq: u64, patience: Duration) -> bool {
        let mut applied = self.store.applied();
        let waited = timeout(patience, applied.wait_for(|applied| *applied >= seq));
        matches!(waited.await, Ok(Ok(_)))
    }

    /// Makes a planned change if the license permits it, after its audit events are written; see
    /// [`make_change`] and [`Store::change`].
    ///
    /// # Errors
    /// See there.
    pub(crate) async fn change<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<(StateChange, T), E> + Send + 'static,
    ) -> Result<Stored<T>, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let recorder = ChangeRecorder::new(&self.audit());
        if let Some(cluster) = &self.cluster {
            return cluster.change(recorder, plan).await;
        }
        self.store
            .change(move |batch| make_change(batch, &recorder, plan))
            .await
    }

    /// Records that the service starts or stops.
    pub(crate) async fn record_lifecycle(&self, modification: Modification<'_>) {
        let audit = self.audit().of_cluster(None);
        if audit.is_enabled() {
            ChangeRecorder::new(&audit)
                .record_lifecycle(modification)
                .await;
        }
    }

    /// Records a change of something that is not in the store, before it is made.
    ///
    /// # Errors
    /// The audit event cannot be written, so the change must not be made.
    pub(crate) async fn record_value(
        &self,
        kind: &str,
        name: &str,
        before: &Value,
        after: &Value,
    ) -> Result<(), AuditError> {
        let audit = self.audit().of_cluster(None);
        if !audit.is_enabled() {
            return Ok(());
        }
        ChangeRecorder::new(&audit)
            .record_value(kind, name, before, after)
            .await
    }

    /// Why the service cannot work as configured; `None` if it is ready.
    pub(crate) async fn fault(&self) -> Option<String> {
        if !self.is_writable() {
            return Some("the store does not accept writes".to_owned());
        }
        if let Some(cluster) = &self.cluster
            && let Some(fault) = cluster.status().fault()
        {
            return Some(fault);
        }
        if !self.audit().is_enabled() || self.shared.audit_log.check().await.is_ok() {
            return None;
        }
        let reason = self.shared.audit_log.failure().unwrap_or_default();
        Some(format!("the audit log cannot be written: {reason}"))
    }

    /// A backup of the durable state; see [`Store::backup`].
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(crate) fn backup(&self) -> Result<Vec<u8>, StoreError> {
        self.store.backup()
    }

    /// Whether the store accepts writes.
    pub(crate) fn is_writable(&self) -> bool {
        self.store.is_writable()
    }

    /// The audit log with the current setting and time.
    pub(crate) fn audit(&self) -> Audit<'_> {
        Audit::new(
            &self.shared.audit_log,
            self.shared.store.read().config.audit_enabled,
            self.now(),
            self.shared.address,
        )
        .of_cluster(self.audited_cluster())
    }

    /// The audit log with the current time, whatever the setting is, for the end of a request that
    /// was recorded from its start.
    pub(crate) fn recorder(&self) -> Audit<'_> {
        Audit::new(
            &self.shared.audit_log,
            true,
            self.now(),
            self.shared.address,
        )
        .of_cluster(self.audited_cluster())
    }

    /// The audit events.
    pub(crate) fn audit_log(&self) -> &AuditLog {
        &self.shared.audit_log
    }

    /// The public address.
    pub(crate) fn endpoint(&self) -> &PublicEndpoint {
        &self.shared.endpoint
    }

    /// The proxies that may name the client of a request.
    pub(crate) fn trusted_proxies(&self) -> &TrustedProxies {
        &self.shared.trusted_proxies
    }

    /// Whether other machines can reach the service, directly or through a proxy on this machine.
    pub(crate) fn is_reachable_remotely(&self) -> bool {
        self.shared.endpoint.is_reachable_remotely() || !self.shared.trusted_proxies.is_empty()
    }

    /// The cluster with the ACLs, if they live in one.
    pub(crate) fn cluster(&self) -> Option<&ClusterLink> {
        self.cluster.as_ref()
    }

    /// The name of that cluster.
    pub(crate) fn cluster_name(&self) -> Option<&str> {
        Some(self.cluster.as_ref()?.status().name())
    }

    /// Whether paths without the name of a cluster are about this one.
    pub(crate) fn is_first(&self) -> bool {
        match (self.cluster_name(), self.shared.clusters.first()) {
            (Some(name), Some(first)) => first.status().name() == name,
            (None, _) | (_, None) => true,
        }
    }

    fn audited_cluster(&self) -> Option<(&str, ClusterIdentity)> {
        let status = self.cluster.as_ref()?.status();
        Some((status.name(), status.identity()))
    }

    /// Whether changes of ACLs are sent with the token of who makes them.
    pub(crate) fn sends_as_caller(&self) -> bool {
        matches!(self.audited_cluster(), Some((_, ClusterIdentity::Caller)))
    }

    /// All clusters with ACLs, in the order of the command line.
    pub(crate) fn clusters(&self) -> &[ClusterLink] {
        &self.shared.clusters
    }

    fn cluster_values(&self) -> Vec<(String, ClusterValues)> {
        let mut values = Vec::new();
        for cluster in &self.shared.clusters {
            let status = cluster.status();
            values.push((status.name().to_owned(), status.values(self.now())));
        }
        values
    }

    /// Whether this is a demo.
    pub(crate) fn is_demo(&self) -> bool {
        self.shared.is_demo
    }

    /// The current time in seconds since 1970.
    pub(crate) fn now(&self) -> f64 {
        (self.shared.clock)()
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// The metrics as text; `key_age` is the age of the provider's keys in seconds.
    pub(crate) fn metrics_text(&self, key_age: Option<f64>) -> String {
        let current = self.read();
        let audit = self.shared.audit_log.counters();
        self.shared.metrics.text(&CurrentValues {
            acls: current.policy.acl_count(),
            roles: current.policy.role_count(),
            commits: self.store.commits(),
            store_failures: self.store.failures(),
            audit_events: audit.written.load(Relaxed),
            audit_failures: audit.failed.load(Relaxed),
            audit_repeated: audit.repeated.load(Relaxed),
            audit_rate_limited: audit.beyond_budget.load(Relaxed),
            audit_files_deleted: audit.deleted_files.load(Relaxed),
            audit_writable: self.shared.audit_log.failure().is_none(),
            audit_ends: self.shared.audit_log.newest(),
            writable: self.is_writable(),
            key_age,
            clusters: self.cluster_values(),
        })
    }

    /// The log levels that will revert.
    pub(crate) fn log_levels(&self) -> &LogLevels {
        &self.shared.log_levels
    }
}
