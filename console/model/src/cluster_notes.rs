//! What pages say about the Kafka cluster in which the ACLs of a service live (D-136).

use gbac_api::service::{ConnectedCluster, GroupAclMatching};
use gbac_words::pages::cluster as words;

/// A note above a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterNote {
    /// The problem.
    pub title: String,
    /// What follows, and what to do.
    pub text: String,
}

/// The notes about a cluster above the ACLs and roles.
#[must_use]
pub fn cluster_notes(cluster: &ConnectedCluster) -> Vec<ClusterNote> {
    let mut notes = Vec::new();
    if cluster.stale {
        notes.push(ClusterNote {
            title: words::STALE.into(),
            text: words::STALE_REASON.into(),
        });
    }
    if cluster.group_acls == GroupAclMatching::Ignored {
        notes.push(ClusterNote {
            title: words::GROUPS_IGNORED.into(),
            text: words::GROUPS_IGNORED_EFFECT.into(),
        });
    }
    if cluster.unknown_acls > 0 {
        notes.push(ClusterNote {
            title: words::unknown_acls(cluster.unknown_acls),
            text: words::UNKNOWN_STAY.into(),
        });
    }
    notes
}

#[cfg(test)]
mod tests {
    use gbac_api::service::{ClusterIdentity, ClusterKind};

    use super::*;

    fn cluster() -> ConnectedCluster {
        ConnectedCluster {
            name: "prod".into(),
            kind: ClusterKind::Kafka,
            group_acls: GroupAclMatching::Plugin,
            read_at: Some(1_800_000_000),
            stale: false,
            unknown_acls: 0,
            unknown_kinds: Vec::new(),
            identity: ClusterIdentity::Service,
        }
    }

    #[test]
    fn a_cluster_that_ignores_groups_is_named_as_one() {
        assert_eq!(cluster_notes(&cluster()), []);
        let ignoring = ConnectedCluster {
            group_acls: GroupAclMatching::Ignored,
            ..cluster()
        };
        let titles: Vec<String> = cluster_notes(&ignoring)
            .into_iter()
            .map(|note| note.title)
            .collect();
        assert_eq!(titles, ["This cluster ignores ACLs of groups"]);
    }

    #[test]
    fn what_the_pages_do_not_show_is_said() {
        let away = ConnectedCluster {
            stale: true,
            unknown_acls: 2,
            ..cluster()
        };
        let notes = cluster_notes(&away);
        assert_eq!(notes.len(), 2);
        assert_eq!(
            notes[0].title,
            "These ACLs may not be those of the cluster any more"
        );
        assert_eq!(
            notes[1].title,
            "The cluster has 2 ACLs that GBAC does not know"
        );
    }
}
