//! Compares two identities: their groups, their ACLs and their access.

use std::collections::BTreeSet;

use super::compare::{Comparison, compare};
use super::reach::{ReachSubject, reach};
use gbac_engine::identity::Identity;
use gbac_engine::model::Acl;
use gbac_engine::order::sort;
use gbac_engine::policy::Policy;

/// The differences between two identities in one policy. Only groups also list what both have.
#[derive(Debug, Clone, PartialEq)]
pub struct IdentityComparison {
    /// The groups of only the first identity, in the order of the token.
    pub groups_first: Vec<String>,
    /// The groups of only the second identity.
    pub groups_second: Vec<String>,
    /// The groups of both.
    pub groups_both: Vec<String>,
    /// The ACLs that apply only to the first identity, sorted.
    pub acls_first: Vec<Acl>,
    /// The ACLs that apply only to the second identity.
    pub acls_second: Vec<Acl>,
    /// The differences between their permissions.
    pub comparison: Comparison,
}

/// Compares two identities. Cost: that of [`compare`], and of [`reach`] for both.
///
/// ```
/// use gbac_analysis::compare_identities;
/// use gbac_engine::identity::Identity;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let differences = compare_identities(&policy, &Identity::new("alice", ["all", "eng"]), &Identity::new("bob", ["all"]));
/// assert_eq!((differences.groups_first, differences.groups_both), (vec!["eng".to_owned()], vec!["all".to_owned()]));
/// assert_eq!((differences.acls_first.len(), differences.comparison.loses.len()), (1, 1));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn compare_identities(
    policy: &Policy,
    first: &Identity,
    second: &Identity,
) -> IdentityComparison {
    let [acls_first, acls_second] = [first, second].map(|identity| {
        let reach = reach(policy, &ReachSubject::Identity(identity.clone()));
        let mut acls: Vec<Acl> = reach
            .principals
            .into_iter()
            .flat_map(|principal| principal.acls)
            .collect();
        sort(&mut acls, |a, b| a.cmp(b));
        acls.dedup();
        acls
    });
    let (groups_second, groups_first) = groups_between(first, second);
    let alone: BTreeSet<&String> = groups_first.iter().collect();
    let groups_both = first
        .groups()
        .iter()
        .filter(|group| !alone.contains(group))
        .cloned()
        .collect();
    IdentityComparison {
        groups_both,
        acls_first: acls_only(&acls_first, &acls_second),
        acls_second: acls_only(&acls_second, &acls_first),
        groups_first,
        groups_second,
        comparison: compare((policy, first), (policy, second)),
    }
}

/// The groups of only the second identity, and those of only the first.
#[must_use]
pub fn groups_between(first: &Identity, second: &Identity) -> (Vec<String>, Vec<String>) {
    (
        names_only(second.groups(), first.groups()),
        names_only(first.groups(), second.groups()),
    )
}

/// The ACLs that are only in the first list; the second is sorted.
fn acls_only(these: &[Acl], those: &[Acl]) -> Vec<Acl> {
    let mut only = these.to_vec();
    only.retain(|acl| those.binary_search(acl).is_err());
    only
}

fn names_only(these: &[String], those: &[String]) -> Vec<String> {
    let those: BTreeSet<&String> = those.iter().collect();
    let mut only = these.to_vec();
    only.retain(|name| !those.contains(name));
    only
}
