//! What is counted, in the text format of Prometheus.

use gbac_engine::decide::Outcome;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use crate::fault::Surface;

/// The content type of the text.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The counters of one application.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    decisions: Family<Decision, Counter>,
    commits: Counter,
    audit_events: Counter,
    audit_failures: Counter,
    acls: Gauge,
    roles: Gauge,
    writable: Gauge,
    key_age: Family<[(&'static str, &'static str); 0], Gauge<f64, std::sync::atomic::AtomicU64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    surface: Surface,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Decision {
    outcome: &'static str,
}

impl EncodeLabelValue for Surface {
    fn encode(&self, encoder: &mut LabelValueEncoder) -> Result<(), std::fmt::Error> {
        let name = match self {
            Self::DataPlane => "data_plane",
            Self::Admin => "admin",
            Self::Connect => "connect",
            Self::Own => "own",
        };
        EncodeLabelValue::encode(&name, encoder)
    }
}

/// What is not counted as it happens, but looked at when somebody asks.
pub(crate) struct Now {
    /// How many ACLs there are.
    pub(crate) acls: usize,
    /// How many roles there are.
    pub(crate) roles: usize,
    /// How many commits the store made.
    pub(crate) commits: u64,
    /// How many audit events were written.
    pub(crate) audit_events: u64,
    /// How many requests were refused because theirs could not be.
    pub(crate) audit_failures: u64,
    /// Whether the store takes writes.
    pub(crate) writable: bool,
    /// For how many seconds the provider's keys have been held.
    pub(crate) key_age: Option<f64>,
}

impl Metrics {
    /// All zero.
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("gbac");
        let new = Self {
            requests: Family::default(),
            decisions: Family::default(),
            commits: Counter::default(),
            audit_events: Counter::default(),
            audit_failures: Counter::default(),
            acls: Gauge::default(),
            roles: Gauge::default(),
            writable: Gauge::default(),
            key_age: Family::default(),
            registry: Registry::default(),
        };
        registry.register("requests", "Requests by surface and status", new.requests.clone());
        registry.register("decisions", "Decisions of the engine by outcome", new.decisions.clone());
        registry.register("store_commits", "Transactions that the store made durable", new.commits.clone());
        registry.register("audit_events", "Audit events that were written", new.audit_events.clone());
        let help = "Requests that were refused because their audit events could not be written";
        registry.register("audit_failures", help, new.audit_failures.clone());
        registry.register("store_writable", "Whether the store takes writes", new.writable.clone());
        registry.register("acls", "ACLs in the policy", new.acls.clone());
        registry.register("roles", "Roles in the policy", new.roles.clone());
        let help = "Age of the identity provider's keys";
        registry.register_with_unit("key_set_age", help, Unit::Seconds, new.key_age.clone());
        Self { registry, ..new }
    }

    /// Counts an answer.
    pub(crate) fn request(&self, surface: Surface, status: u16) {
        self.requests.get_or_create(&Request { surface, status }).inc();
    }

    /// Counts a decision.
    pub(crate) fn decision(&self, outcome: Outcome) {
        let outcome = match outcome {
            Outcome::Allow => "allow",
            Outcome::Deny => "deny",
        };
        self.decisions.get_or_create(&Decision { outcome }).inc();
    }

    /// All of it as text.
    pub(crate) fn text(&self, now: &Now) -> String {
        let size = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.acls.set(size(now.acls));
        self.roles.set(size(now.roles));
        self.writable.set(i64::from(now.writable));
        for (counter, count) in [
            (&self.commits, now.commits),
            (&self.audit_events, now.audit_events),
            (&self.audit_failures, now.audit_failures),
        ] {
            counter.inner().store(count, std::sync::atomic::Ordering::Relaxed);
        }
        match now.key_age {
            Some(age) => drop(self.key_age.get_or_create(&[]).set(age)),
            None => self.key_age.clear(),
        }
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_count() {
        let metrics = Metrics::new();
        metrics.request(Surface::DataPlane, 201);
        metrics.request(Surface::DataPlane, 201);
        metrics.request(Surface::Connect, 401);
        metrics.decision(Outcome::Deny);
        let mut now = Now {
            acls: 7,
            roles: 2,
            commits: 3,
            audit_events: 5,
            audit_failures: 1,
            writable: true,
            key_age: Some(1.5),
        };
        let text = metrics.text(&now);
        for line in [
            "gbac_requests_total{surface=\"data_plane\",status=\"201\"} 2",
            "gbac_requests_total{surface=\"connect\",status=\"401\"} 1",
            "gbac_decisions_total{outcome=\"deny\"} 1",
            "gbac_store_commits_total 3",
            "gbac_store_writable 1",
            "gbac_audit_events_total 5",
            "gbac_audit_failures_total 1",
            "gbac_acls 7",
            "gbac_roles 2",
            "gbac_key_set_age_seconds{} 1.5",
        ] {
            assert!(text.lines().any(|known| known == line), "{line} is missing in\n{text}");
        }
        now.key_age = None;
        assert!(!metrics.text(&now).contains("gbac_key_set_age_seconds{}"));
    }
}
