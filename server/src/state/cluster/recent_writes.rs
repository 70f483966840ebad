//! What was written recently. A broker can answer a read for a moment without a change that the
//! cluster accepted, which must not look like a change by somebody else.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use gbac_engine::model::Acl;
use tokio::time::Instant;

/// How long a read may lack a write.
const SETTLING_TIME: Duration = Duration::from_secs(30);

/// The writes that no read has shown yet.
#[derive(Default)]
pub(super) struct RecentWrites(BTreeMap<Acl, Write>);

struct Write {
    created: bool,
    until: Instant,
}

impl RecentWrites {
    /// Notes that the cluster has created or deleted an ACL.
    pub(super) fn note(&mut self, acl: Acl, created: bool) {
        let until = Instant::now() + SETTLING_TIME;
        self.0.insert(acl, Write { created, until });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds to what was read the writes that it lacks, and forgets those that it has.
    pub(super) fn complete(&mut self, read: &mut HashSet<Acl>) {
        let now = Instant::now();
        self.0
            .retain(|acl, write| write.until > now && read.contains(acl) != write.created);
        for (acl, write) in &self.0 {
            if write.created {
                read.insert(acl.clone());
            } else {
                read.remove(acl);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, Principal, ResourceType};
    use tokio::time::advance;

    use super::*;

    fn acl(name: &str) -> Acl {
        Acl::allow(
            Principal::user("ann"),
            Operation::Read,
            ResourceType::Topic,
            name,
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_read_may_lack_a_write_for_a_while() {
        let mut writes = RecentWrites::default();
        writes.note(acl("created"), true);
        writes.note(acl("deleted"), false);
        let before = HashSet::from([acl("deleted"), acl("other")]);
        let mut read = before.clone();
        writes.complete(&mut read);
        assert_eq!(read, HashSet::from([acl("created"), acl("other")]));
        advance(SETTLING_TIME).await;
        let mut read = before.clone();
        writes.complete(&mut read);
        assert_eq!(read, before, "somebody else has changed them back");
    }

    #[tokio::test(start_paused = true)]
    async fn a_write_that_was_read_can_be_undone_by_others() {
        let mut writes = RecentWrites::default();
        writes.note(acl("created"), true);
        writes.complete(&mut HashSet::from([acl("created")]));
        let mut read = HashSet::new();
        writes.complete(&mut read);
        assert!(read.is_empty());
    }
}
