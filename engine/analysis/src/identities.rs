//! Compares two identities: their groups, their ACLs and their access.

use std::collections::BTreeSet;

use super::compare::{Comparison, compare};
use super::reach::{ReachSubject, reach};
use gbac_engine::identity::Identity;
use gbac_engine::internal::sort;
use gbac_engine::model::Acl;
use gbac_engine::policy::Policy;

/// What differs between two people under one policy. What both have is told of groups only.
#[derive(Debug, Clone, PartialEq)]
pub struct IdentityComparison {
    /// Groups of the first alone, in the order of the token.
    pub groups_first: Vec<String>,
    /// Groups of the second alone.
    pub groups_second: Vec<String>,
    /// Groups of both.
    pub groups_both: Vec<String>,
    /// ACLs that reach the first alone, in order.
    pub acls_first: Vec<Acl>,
    /// ACLs that reach the second alone.
    pub acls_second: Vec<Acl>,
    /// What the second may and the first may not, and the reverse.
    pub comparison: Comparison,
}

/// Compares two people. Cost: as [`compare`] and [`reach`] of both.
///
/// ```
/// use gbac_analysis::compare_identities;
/// use gbac_engine::identity::Identity;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let found = compare_identities(&policy, &Identity::new("alice", ["all", "eng"]), &Identity::new("bob", ["all"]));
/// assert_eq!((found.groups_first, found.groups_both), (vec!["eng".to_owned()], vec!["all".to_owned()]));
/// assert_eq!((found.acls_first.len(), found.comparison.loses.len()), (1, 1));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn compare_identities(policy: &Policy, first: &Identity, second: &Identity) -> IdentityComparison {
    let [acls_first, acls_second] = [first, second].map(|identity| {
        let found = reach(policy, &ReachSubject::Identity(identity.clone()));
        let mut acls: Vec<Acl> = found.principals.into_iter().flat_map(|way| way.acls).collect();
        sort(&mut acls, |a, b| a.cmp(b));
        acls.dedup();
        acls
    });
    let only = |these: &[Acl], those: &[Acl]| {
        these.iter().filter(|acl| those.binary_search(acl).is_err()).cloned().collect::<Vec<_>>()
    };
    let (groups_second, groups_first) = groups_between(first, second);
    let alone: BTreeSet<&String> = groups_first.iter().collect();
    let groups_both = first.groups().iter().filter(|group| !alone.contains(group)).cloned().collect();
    IdentityComparison {
        groups_both,
        acls_first: only(&acls_first, &acls_second),
        acls_second: only(&acls_second, &acls_first),
        groups_first,
        groups_second,
        comparison: compare((policy, first), (policy, second)),
    }
}

/// Groups that come and go: those that only the second has, and those that only the first has.
#[must_use]
pub fn groups_between(first: &Identity, second: &Identity) -> (Vec<String>, Vec<String>) {
    let only = |these: &[String], those: &[String]| {
        let those: BTreeSet<&String> = those.iter().collect();
        these.iter().filter(|name| !those.contains(name)).cloned().collect()
    };
    (only(second.groups(), first.groups()), only(first.groups(), second.groups()))
}
