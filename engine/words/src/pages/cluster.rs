//! The sentences about the Kafka cluster with the ACLs of a service.

use gbac_api::service::{ClusterIdentity, ClusterKind, ConnectedCluster};

use crate::phrases::count;

pub const GROUPS_IGNORED: &str = "This cluster ignores ACLs of groups";
pub const GROUPS_IGNORED_EFFECT: &str = "Its brokers store ACLs of groups and never match them, so a deny of a group has no effect. Install the GBAC plugin for Apache Kafka on every node, or use ACLs of users.";
pub const STALE: &str = "These ACLs may not be those of the cluster any more";
pub const STALE_REASON: &str =
    "The last read of the cluster failed; the log of the service says why.";
pub const ONE_BY_ONE: &str = "The ACLs are changed one by one";
pub const ONE_BY_ONE_ORDER: &str = "Kafka has no transactions. Denies are created first and deleted last, so that no moment allows more than before or after. If the cluster refuses a change, the rest is not sent, and this page says what was applied.";
pub const SENT_AS_SERVICE: &str =
    "They are sent as the account of the service. The audit log names you.";
pub const SENT_AS_CALLER: &str = "They are sent with your own token, so that the cluster decides whether you may change ACLs. This needs a sign-in with the identity provider.";
pub const UNKNOWN_STAY: &str = "They stay in the cluster, and no page shows or changes them.";
pub const PARTLY: &str = "The changes were sent in one request, and the cluster makes them one by one, so that some may be applied. This page looks in the policy as soon as the service answers again. The draft is kept until then.";

/// What a cluster is, in a word; none if it is not known.
#[must_use]
pub const fn kind_label(kind: ClusterKind) -> Option<&'static str> {
    match kind {
        ClusterKind::Kafka => Some("Kafka"),
        ClusterKind::Platform => Some("Platform"),
        ClusterKind::Unknown => None,
    }
}

/// As whom changes of ACLs are sent.
#[must_use]
pub const fn sent_as(identity: ClusterIdentity) -> &'static str {
    match identity {
        ClusterIdentity::Service => SENT_AS_SERVICE,
        ClusterIdentity::Caller => SENT_AS_CALLER,
    }
}

/// What is announced when the pages show another cluster.
#[must_use]
pub fn opened(name: &str) -> String {
    format!("These pages show the cluster {name}")
}

/// What is wrong with a cluster, in a word; nothing if it was read.
#[must_use]
pub fn state_label(cluster: &ConnectedCluster) -> Option<&'static str> {
    match (cluster.read_at, cluster.stale) {
        (None, _) => Some("not reached"),
        (Some(_), true) => Some("stale"),
        (Some(_), false) => None,
    }
}

/// That a cluster has ACLs that the service does not know.
#[must_use]
pub fn unknown_acls(acls: usize) -> String {
    format!(
        "The cluster has {} that GBAC does not know",
        count(acls, "ACL")
    )
}
