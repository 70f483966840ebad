//! What is known of the cluster, for requests that do not wait for it.

use std::collections::BTreeSet;

use gbac_analysis::brokers::BrokerSettings;
use gbac_api::service::{ClusterIdentity, ClusterKind, ConnectedCluster, GroupAclMatching};
use gbac_cluster::RawAcl;

use super::target::ClusterTarget;
use crate::lock::Lock;
use crate::metrics::ClusterValues;

/// How many kinds of unknown ACLs are named.
const NAMED: usize = 20;

/// The state of the link.
pub(crate) struct ClusterStatus {
    name: String,
    identity: ClusterIdentity,
    current: Lock<Current>,
}

struct Current {
    kind: ClusterKind,
    group_acls: GroupAclMatching,
    settings: BrokerSettings,
    /// When the ACLs were read last, in seconds since 1970.
    read_at: Option<f64>,
    /// Why the stored ACLs may not be those of the cluster.
    fault: Option<String>,
    unknown_kinds: Vec<String>,
    unknown_count: usize,
    failed_reads: u64,
    outside_changes: u64,
}

impl ClusterStatus {
    pub(super) fn new(target: &ClusterTarget) -> Self {
        let current = Current {
            kind: ClusterKind::Unknown,
            group_acls: GroupAclMatching::Unknown,
            settings: BrokerSettings::default(),
            read_at: None,
            fault: Some("they were not read since the start".into()),
            unknown_kinds: Vec::new(),
            unknown_count: 0,
            failed_reads: 0,
            outside_changes: 0,
        };
        Self {
            name: target.name().to_owned(),
            identity: target.identity,
            current: Lock::new(current),
        }
    }

    /// The name that the command line gives the cluster.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// As whom changes of ACLs are sent.
    pub(crate) const fn identity(&self) -> ClusterIdentity {
        self.identity
    }

    /// That the stored ACLs may not be those of the cluster, as a sentence for everybody, without
    /// the addresses and accounts of the reason; `None` if the last read succeeded.
    pub(crate) fn fault(&self) -> Option<String> {
        self.reason()?;
        let name = &self.name;
        Some(format!(
            "the ACLs of the cluster `{name}` cannot be read; the log of the service says why"
        ))
    }

    pub(super) fn reason(&self) -> Option<String> {
        self.current.with(|current| current.fault.clone())
    }

    /// The values of the metrics at this time.
    pub(crate) fn values(&self, now: f64) -> ClusterValues {
        self.current.with(|current| ClusterValues {
            readable: current.fault.is_none(),
            read_age: current.read_at.map(|read_at| (now - read_at).max(0.0)),
            read_failures: current.failed_reads,
            outside_changes: current.outside_changes,
            unknown_acls: current.unknown_count,
        })
    }

    /// What the service says about its cluster.
    pub(crate) fn info(&self) -> ConnectedCluster {
        self.current.with(|current| ConnectedCluster {
            name: self.name.clone(),
            kind: current.kind,
            group_acls: current.group_acls,
            read_at: current.read_at.map(whole_seconds),
            stale: current.fault.is_some(),
            unknown_acls: current.unknown_count,
            unknown_kinds: current.unknown_kinds.clone(),
            identity: self.identity,
        })
    }

    /// What decides access besides ACLs, as the brokers say it; not for everybody.
    pub(crate) fn settings(&self) -> BrokerSettings {
        self.current.with(|current| current.settings.clone())
    }

    /// Notes that the ACLs were read and stored. Returns whether the unknown ones are others than
    /// before.
    pub(super) fn set_read(&self, now: f64, unknown: &[RawAcl], outside_changes: usize) -> bool {
        let kinds = kinds(unknown);
        self.current.with(|current| {
            let is_new = current.unknown_kinds != kinds || current.unknown_count != unknown.len();
            current.read_at = Some(now);
            current.fault = None;
            current.unknown_kinds = kinds;
            current.unknown_count = unknown.len();
            current.outside_changes += outside_changes as u64;
            is_new
        })
    }

    /// Notes that the ACLs were read and are those that are stored.
    pub(super) fn set_read_again(&self, now: f64) {
        self.current.with(|current| {
            current.read_at = Some(now);
            current.fault = None;
        });
    }

    /// Notes that a read failed. Returns whether the reason is another one than before.
    pub(super) fn set_fault(&self, reason: &str) -> bool {
        self.current.with(|current| {
            current.failed_reads += 1;
            let is_new = current.fault.as_deref() != Some(reason);
            current.fault = Some(reason.to_owned());
            is_new
        })
    }

    /// Notes what the cluster is.
    pub(super) fn set_kind(
        &self,
        kind: ClusterKind,
        group_acls: GroupAclMatching,
        settings: BrokerSettings,
    ) {
        self.current.with(|current| {
            current.kind = kind;
            current.group_acls = group_acls;
            current.settings = settings;
        });
    }
}

/// What unknown ACLs are, in the numbers of Kafka's protocol: everybody may read it, so that it has
/// no names of principals and resources.
fn kinds(unknown: &[RawAcl]) -> Vec<String> {
    let mut kinds = BTreeSet::new();
    for acl in unknown {
        let (of, pattern) = (acl.resource_type, acl.pattern_type);
        let (operation, permission) = (acl.operation, acl.permission);
        kinds.insert(format!(
            "resource type {of}, pattern type {pattern}, operation {operation}, permission {permission}"
        ));
        if kinds.len() == NAMED {
            break;
        }
    }
    kinds.into_iter().collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time after 1970, which a cast that saturates keeps"
)]
const fn whole_seconds(seconds: f64) -> u64 {
    seconds as u64
}
