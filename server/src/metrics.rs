//! Metrics in the OpenMetrics text format.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use gbac_engine::decide::Outcome;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// The content type of the metrics.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The upper ends of the buckets of durations, in seconds.
const DURATIONS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// The metrics of one service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<SurfaceLabels, Histogram, fn() -> Histogram>,
    failed_sign_ins: Family<CredentialLabels, Counter>,
    decisions: Family<DecisionLabels, Counter>,
    commits: Counter,
    store_failures: Counter,
    audit_events: Counter,
    audit_failures: Counter,
    audit_repeated: Counter,
    audit_rate_limited: Counter,
    audit_files_deleted: Counter,
    audit_writable: Gauge,
    audit_last_event: Family<AuditEndLabels, Gauge<u64, AtomicU64>>,
    acls: Gauge,
    roles: Gauge,
    writable: Gauge,
    key_age: Family<[(&'static str, &'static str); 0], Gauge<f64, AtomicU64>>,
    cluster_readable: Family<ClusterLabels, Gauge>,
    cluster_read_age: Family<ClusterLabels, Gauge<f64, AtomicU64>>,
    cluster_read_failures: Family<ClusterLabels, Counter>,
    cluster_outside_changes: Family<ClusterLabels, Counter>,
    cluster_unknown_acls: Family<ClusterLabels, Gauge>,
    connections: Gauge,
    connections_refused: Family<ReasonLabels, Counter>,
    connections_closed: Family<ReasonLabels, Counter>,
    requests_refused: Counter,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    surface: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AuditEndLabels {
    log: &'static str,
    sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ClusterLabels {
    cluster: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SurfaceLabels {
    surface: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CredentialLabels {
    credentials: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DecisionLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// Why a connection was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefuseReason {
    /// Its address has too many.
    Address,
    /// There are too many, and all of them have requests.
    Total,
}

impl RefuseReason {
    /// The name in metrics and log lines.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Total => "total",
        }
    }
}

/// Why the service closed a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The head of its first request was not complete in time.
    HeadTimeout,
    /// It had no request for too long.
    Idle,
    /// Its client stopped taking a response.
    Stalled,
    /// It was idle, and another connection needed the place.
    Evicted,
}

impl CloseReason {
    /// The name in metrics and log lines.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::HeadTimeout => "head_timeout",
            Self::Idle => "idle",
            Self::Stalled => "stalled",
            Self::Evicted => "evicted",
        }
    }
}

/// The values that are read when the metrics are requested, rather than counted.
#[derive(Debug, Default)]
pub(crate) struct CurrentValues {
    /// The number of ACLs.
    pub(crate) acls: usize,
    /// The number of roles.
    pub(crate) roles: usize,
    /// The number of commits of the store.
    pub(crate) commits: u64,
    /// The number of times that the store stopped accepting writes.
    pub(crate) store_failures: u64,
    /// The number of audit events written.
    pub(crate) audit_events: u64,
    /// The number of requests rejected because their audit events could not be written.
    pub(crate) audit_failures: u64,
    /// The number of audit events that were counted in another one, because they repeat it.
    pub(crate) audit_repeated: u64,
    /// The number of refused requests that were only counted, because too many were refused.
    pub(crate) audit_rate_limited: u64,
    /// The number of rotated audit files that were deleted.
    pub(crate) audit_files_deleted: u64,
    /// Whether the last write of the audit log succeeded.
    pub(crate) audit_writable: bool,
    /// The newest audit event of each log: the log, its number, and the SHA-256 of its line.
    pub(crate) audit_ends: Vec<(&'static str, u64, String)>,
    /// Whether the store accepts writes.
    pub(crate) writable: bool,
    /// The age of the provider's keys in seconds.
    pub(crate) key_age: Option<f64>,
    /// Those of the clusters with ACLs, by name.
    pub(crate) clusters: Vec<(String, ClusterValues)>,
}

/// The values of a cluster with ACLs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ClusterValues {
    /// Whether the last read succeeded.
    pub(crate) readable: bool,
    /// The time since the last read that succeeded, in seconds.
    pub(crate) read_age: Option<f64>,
    /// The number of reads that failed.
    pub(crate) read_failures: u64,
    /// The number of ACLs that others created or deleted.
    pub(crate) outside_changes: u64,
    /// The number of ACLs that this version does not know.
    pub(crate) unknown_acls: usize,
}

impl Metrics {
    /// Metrics that are all zero.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("gbac");
        let new = Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(|| Histogram::new(DURATIONS)),
            failed_sign_ins: Family::default(),
            decisions: Family::default(),
            commits: Counter::default(),
            store_failures: Counter::default(),
            audit_events: Counter::default(),
            audit_failures: Counter::default(),
            audit_repeated: Counter::default(),
            audit_rate_limited: Counter::default(),
            audit_files_deleted: Counter::default(),
            audit_writable: Gauge::default(),
            audit_last_event: Family::default(),
            acls: Gauge::default(),
            roles: Gauge::default(),
            writable: Gauge::default(),
            key_age: Family::default(),
            cluster_readable: Family::default(),
            cluster_read_age: Family::default(),
            cluster_read_failures: Family::default(),
            cluster_outside_changes: Family::default(),
            cluster_unknown_acls: Family::default(),
            connections: Gauge::default(),
            connections_refused: Family::default(),
            connections_closed: Family::default(),
            requests_refused: Counter::default(),
            registry: Registry::default(),
        };
        registry.register(
            "requests",
            "Requests by surface and status",
            new.requests.clone(),
        );
        let help = "Time from the head of a request to the head of its response, by surface";
        registry.register_with_unit(
            "request_duration",
            help,
            Unit::Seconds,
            new.durations.clone(),
        );
        let help =
            "Requests refused because their credentials are not valid, by the kind of credentials";
        registry.register("failed_sign_ins", help, new.failed_sign_ins.clone());
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The version of the program", version);
        registry.register("decisions", "Decisions by outcome", new.decisions.clone());
        registry.register(
            "store_commits",
            "Transactions committed by the store",
            new.commits.clone(),
        );
        let help = "Times that the store stopped accepting writes because one failed";
        registry.register("store_failures", help, new.store_failures.clone());
        registry.register(
            "audit_events",
            "Audit events written",
            new.audit_events.clone(),
        );
        let help = "Requests rejected because their audit events could not be written";
        registry.register("audit_failures", help, new.audit_failures.clone());
        let help = "Audit events that were counted in an earlier one, because they repeat it";
        registry.register("audit_events_repeated", help, new.audit_repeated.clone());
        let help = "Refused requests that were only counted in the audit log, because too many were refused";
        registry.register(
            "audit_events_rate_limited",
            help,
            new.audit_rate_limited.clone(),
        );
        let help = "Rotated audit files deleted, because the total size is limited";
        registry.register("audit_files_deleted", help, new.audit_files_deleted.clone());
        registry.register(
            "audit_writable",
            "Whether the audit log can be written",
            new.audit_writable.clone(),
        );
        let help = "Number of the newest audit event in a log, with the SHA-256 of its line";
        registry.register("audit_last_event", help, new.audit_last_event.clone());
        registry.register(
            "store_writable",
            "Whether the store accepts writes",
            new.writable.clone(),
        );
        registry.register("acls", "ACLs in the policy", new.acls.clone());
        registry.register("roles", "Roles in the policy", new.roles.clone());
        let help = "Age of the identity provider's keys";
        registry.register_with_unit("key_set_age", help, Unit::Seconds, new.key_age.clone());
        new.register_cluster(&mut registry);
        registry.register("connections", "Open connections", new.connections.clone());
        let help = "Connections refused because there were too many, by reason";
        registry.register("connections_refused", help, new.connections_refused.clone());
        let help = "Connections closed by the service because of what their clients did, by reason";
        registry.register("connections_closed", help, new.connections_closed.clone());
        let help = "Requests refused because their client had too many at once";
        registry.register("requests_refused", help, new.requests_refused.clone());
        Self { registry, ..new }
    }

    fn register_cluster(&self, registry: &mut Registry) {
        registry.register(
            "cluster_readable",
            "Whether the last read of the cluster's ACLs succeeded",
            self.cluster_readable.clone(),
        );
        registry.register_with_unit(
            "cluster_read_age",
            "Time since the last read of the cluster's ACLs that succeeded",
            Unit::Seconds,
            self.cluster_read_age.clone(),
        );
        let help = "Reads of the cluster's ACLs that failed";
        registry.register(
            "cluster_read_failures",
            help,
            self.cluster_read_failures.clone(),
        );
        let help = "ACLs of the cluster that were created or deleted outside of GBAC";
        let counter = self.cluster_outside_changes.clone();
        registry.register("cluster_outside_changes", help, counter);
        let help = "ACLs of the cluster that this version does not know";
        registry.register(
            "cluster_unknown_acls",
            help,
            self.cluster_unknown_acls.clone(),
        );
    }

    /// Sets the values of a cluster with ACLs.
    fn set_cluster(&self, name: &str, values: ClusterValues) {
        let labels = ClusterLabels {
            cluster: name.to_owned(),
        };
        for (counter, count) in [
            (&self.cluster_read_failures, values.read_failures),
            (&self.cluster_outside_changes, values.outside_changes),
        ] {
            counter
                .get_or_create(&labels)
                .inner()
                .store(count, std::sync::atomic::Ordering::Relaxed);
        }
        self.cluster_unknown_acls
            .get_or_create(&labels)
            .set(size(values.unknown_acls));
        self.cluster_readable
            .get_or_create(&labels)
            .set(i64::from(values.readable));
        if let Some(age) = values.read_age {
            self.cluster_read_age.get_or_create(&labels).set(age);
        }
    }

    /// Counts a response, and the time that it took.
    pub(crate) fn count_request(&self, surface: &'static str, status: u16, duration: Duration) {
        self.requests
            .get_or_create(&RequestLabels { surface, status })
            .inc();
        self.durations
            .get_or_create(&SurfaceLabels { surface })
            .observe(duration.as_secs_f64());
    }

    /// Counts a request whose credentials are not valid.
    pub(crate) fn count_failed_sign_in(&self, credentials: &'static str) {
        self.failed_sign_ins
            .get_or_create(&CredentialLabels { credentials })
            .inc();
    }

    /// Counts a decision.
    pub(crate) fn count_decision(&self, outcome: Outcome) {
        let outcome = match outcome {
            Outcome::Allow => "allow",
            Outcome::Deny => "deny",
        };
        self.decisions
            .get_or_create(&DecisionLabels { outcome })
            .inc();
    }

    /// Adds to the number of open connections.
    pub(crate) fn count_open_connections(&self, change: i64) {
        self.connections.inc_by(change);
    }

    /// Counts a connection that was refused.
    pub(crate) fn count_refused_connection(&self, reason: RefuseReason) {
        self.connections_refused
            .get_or_create(&ReasonLabels {
                reason: reason.label(),
            })
            .inc();
    }

    /// Counts a connection that was closed because of what its client did.
    pub(crate) fn count_closed_connection(&self, reason: CloseReason) {
        self.connections_closed
            .get_or_create(&ReasonLabels {
                reason: reason.label(),
            })
            .inc();
    }

    /// Counts a request that was refused because its client has too many at once.
    pub(crate) fn count_refused_request(&self) {
        self.requests_refused.inc();
    }

    /// The metrics as text.
    pub(crate) fn text(&self, current: &CurrentValues) -> String {
        self.acls.set(size(current.acls));
        self.roles.set(size(current.roles));
        self.writable.set(i64::from(current.writable));
        self.audit_writable.set(i64::from(current.audit_writable));
        for (counter, count) in [
            (&self.commits, current.commits),
            (&self.store_failures, current.store_failures),
            (&self.audit_events, current.audit_events),
            (&self.audit_failures, current.audit_failures),
            (&self.audit_repeated, current.audit_repeated),
            (&self.audit_rate_limited, current.audit_rate_limited),
            (&self.audit_files_deleted, current.audit_files_deleted),
        ] {
            counter
                .inner()
                .store(count, std::sync::atomic::Ordering::Relaxed);
        }
        for (name, values) in &current.clusters {
            self.set_cluster(name, *values);
        }
        self.audit_last_event.clear();
        for (log, sequence, sha256) in &current.audit_ends {
            let labels = AuditEndLabels {
                log,
                sha256: sha256.clone(),
            };
            self.audit_last_event.get_or_create(&labels).set(*sequence);
        }
        match current.key_age {
            Some(age) => drop(self.key_age.get_or_create(&[]).set(age)),
            None => self.key_age.clear(),
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn size(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_metric() {
        let metrics = Metrics::new();
        metrics.count_request("data_plane", 201, Duration::from_millis(3));
        metrics.count_request("data_plane", 201, Duration::from_secs(20));
        metrics.count_request("connect", 401, Duration::ZERO);
        metrics.count_failed_sign_in("basic");
        metrics.count_decision(Outcome::Deny);
        metrics.count_open_connections(3);
        metrics.count_open_connections(-1);
        metrics.count_refused_connection(RefuseReason::Address);
        metrics.count_closed_connection(CloseReason::HeadTimeout);
        metrics.count_refused_request();
        let mut current = CurrentValues {
            acls: 7,
            roles: 2,
            commits: 3,
            store_failures: 4,
            audit_events: 5,
            audit_failures: 1,
            audit_repeated: 11,
            audit_rate_limited: 12,
            audit_files_deleted: 13,
            audit_writable: false,
            audit_ends: vec![("changes", 7, "00ff".into())],
            writable: true,
            key_age: Some(1.5),
            clusters: vec![(
                "prod".into(),
                ClusterValues {
                    readable: true,
                    read_age: Some(2.5),
                    read_failures: 14,
                    outside_changes: 15,
                    unknown_acls: 16,
                },
            )],
        };
        let text = metrics.text(&current);
        for line in [
            "gbac_requests_total{surface=\"data_plane\",status=\"201\"} 2",
            "gbac_requests_total{surface=\"connect\",status=\"401\"} 1",
            "gbac_request_duration_seconds_bucket{le=\"0.0025\",surface=\"data_plane\"} 0",
            "gbac_request_duration_seconds_bucket{le=\"0.005\",surface=\"data_plane\"} 1",
            "gbac_request_duration_seconds_bucket{le=\"+Inf\",surface=\"data_plane\"} 2",
            "gbac_request_duration_seconds_count{surface=\"data_plane\"} 2",
            "gbac_failed_sign_ins_total{credentials=\"basic\"} 1",
            concat!(
                "gbac_build_info{version=\"",
                env!("CARGO_PKG_VERSION"),
                "\"} 1"
            ),
            "gbac_decisions_total{outcome=\"deny\"} 1",
            "gbac_store_commits_total 3",
            "gbac_store_failures_total 4",
            "gbac_store_writable 1",
            "gbac_audit_events_total 5",
            "gbac_audit_failures_total 1",
            "gbac_audit_events_repeated_total 11",
            "gbac_audit_events_rate_limited_total 12",
            "gbac_audit_files_deleted_total 13",
            "gbac_audit_writable 0",
            "gbac_audit_last_event{log=\"changes\",sha256=\"00ff\"} 7",
            "gbac_acls 7",
            "gbac_roles 2",
            "gbac_key_set_age_seconds{} 1.5",
            "gbac_cluster_readable{cluster=\"prod\"} 1",
            "gbac_cluster_read_age_seconds{cluster=\"prod\"} 2.5",
            "gbac_cluster_read_failures_total{cluster=\"prod\"} 14",
            "gbac_cluster_outside_changes_total{cluster=\"prod\"} 15",
            "gbac_cluster_unknown_acls{cluster=\"prod\"} 16",
            "gbac_connections 2",
            "gbac_connections_refused_total{reason=\"address\"} 1",
            "gbac_connections_closed_total{reason=\"head_timeout\"} 1",
            "gbac_requests_refused_total 1",
        ] {
            assert!(
                text.lines().any(|known| known == line),
                "{line} is missing in\n{text}"
            );
        }
        current.key_age = None;
        assert!(
            !metrics
                .text(&current)
                .contains("gbac_key_set_age_seconds{}")
        );
    }

    #[test]
    fn every_metric_is_documented() {
        let documentation = include_str!("../../docs/metrics.md");
        let metrics = Metrics::new();
        metrics.count_request("data_plane", 201, Duration::ZERO);
        metrics.count_failed_sign_in("basic");
        metrics.count_decision(Outcome::Deny);
        metrics.count_refused_connection(RefuseReason::Address);
        metrics.count_closed_connection(CloseReason::Idle);
        let text = metrics.text(&CurrentValues {
            key_age: Some(1.5),
            clusters: vec![(
                "prod".into(),
                ClusterValues {
                    read_age: Some(1.5),
                    ..ClusterValues::default()
                },
            )],
            ..CurrentValues::default()
        });
        let types: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "))
            .collect();
        assert!(types.len() > 15, "{text}");
        for line in types {
            let (name, kind) = line.split_once(' ').unwrap();
            let ending = match kind {
                "counter" => "_total",
                "info" => "_info",
                _ => "",
            };
            let row = format!("| `{name}{ending}`");
            assert!(
                documentation.contains(&row),
                "`{name}` is not in a table of docs/metrics.md"
            );
        }
    }
}
