//! Two people side by side: groups, rows and verdicts that differ.

use std::sync::Arc;

use gbac_engine::analyze::{Comparison, Subject, compare, reach};
use gbac_engine::identity::Identity;
use gbac_engine::model::Acl;
use gbac_engine::policy::Policy;

use super::trial::groups_between;

/// What differs between two people under one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Groups of the first alone.
    pub groups_first: Vec<String>,
    /// Groups of the second alone.
    pub groups_second: Vec<String>,
    /// Groups of both.
    pub groups_both: Vec<String>,
    /// ACLs that reach the first alone.
    pub rows_first: Vec<Acl>,
    /// ACLs that reach the second alone.
    pub rows_second: Vec<Acl>,
    /// What the second may more, and what less.
    pub comparison: Comparison,
}

/// Compares two people.
#[must_use]
pub fn compared(policy: &Policy, first: &Arc<Identity>, second: &Arc<Identity>) -> Compared {
    let (groups_second, groups_first) = groups_between(first, second);
    let groups_both = first.groups().iter().filter(|group| !groups_first.contains(group)).cloned().collect();
    let [rows_first, rows_second] = [first, second].map(|identity| {
        let found = reach(policy, &Subject::Identity((**identity).clone()));
        let mut rows: Vec<Acl> = found.ways.into_iter().flat_map(|way| way.acls).collect();
        rows.sort();
        rows.dedup();
        rows
    });
    let only = |these: &[Acl], those: &[Acl]| {
        these.iter().filter(|acl| those.binary_search(acl).is_err()).cloned().collect::<Vec<_>>()
    };
    Compared {
        groups_first,
        groups_second,
        groups_both,
        rows_first: only(&rows_first, &rows_second),
        rows_second: only(&rows_second, &rows_first),
        comparison: compare((policy, first), (policy, second)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::policy;
    use super::*;

    #[test]
    fn what_differs_is_told_and_what_both_have_is_not() {
        let [first, second] =
            [Identity::new("maya", ["analysts", "payments"]), Identity::new("svc", ["analysts", "read-only"])]
                .map(Arc::new);
        let found = compared(&policy(), &first, &second);
        assert_eq!(found.groups_both, ["analysts"]);
        assert_eq!(
            (found.groups_first, found.groups_second),
            (vec!["payments".to_owned()], vec!["read-only".to_owned()])
        );
        assert!(found.rows_first.iter().chain(&found.rows_second).all(|acl| acl.principal.name() != "analysts"));
        assert!(found.rows_first.iter().any(|acl| acl.principal.name() == "PaymentsWriters"));
        assert!(found.rows_second.iter().any(|acl| acl.principal.name() == "Auditors"));
        assert!(found.comparison.loses.iter().any(|extent| extent.pattern.name == "payments-"));
        assert!(found.comparison.gains.iter().any(|extent| extent.pattern.name == "*"));
        let same = compared(&policy(), &first, &first);
        assert!(same.comparison.is_equal() && same.rows_first.is_empty() && same.groups_first.is_empty());
    }
}
