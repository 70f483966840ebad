//! Compares the access of two identities, or of one before and after a change.

use super::diff::{AccessRegion, HostScope, ScopedPiece, merged, region};
use super::held::{Held, Rule, hosts_of};
use super::tree::Tree;
use crate::scope::{every_operation_of, exists_in};
use gbac_engine::identity::Identity;
use gbac_engine::model::ResourceType;
use gbac_engine::policy::{Policy, index::Operations};

/// The differences between the permissions of two identities, without regard to expiry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Whether each is a superuser, who is allowed everything regardless of ACLs (D-14).
    pub superusers: [bool; 2],
    /// The access of only the second identity.
    pub gains: Vec<AccessRegion>,
    /// The access of only the first identity.
    pub loses: Vec<AccessRegion>,
}

impl Comparison {
    /// Whether both have identical permissions.
    #[must_use]
    pub const fn is_equal(&self) -> bool {
        self.gains.is_empty() && self.loses.is_empty()
    }
}

/// Compares the permissions of two identities, each in its policy and without regard to expiry: of
/// two users in one policy, or of one user before and after a change of the policy, the groups, or
/// both.
///
/// Cost: one pass over all patterns of both policies, and for each host in the identities' ACLs one
/// pass over their patterns.
///
/// ```
/// use gbac_analysis::compare;
/// use gbac_engine::identity::Identity;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let (alice, bob) = (Identity::new("alice", ["eng"]), Identity::new("bob", ["ops"]));
/// let comparison = compare((&policy, &alice), (&policy, &bob));
/// assert!(comparison.gains.is_empty());
/// assert_eq!(comparison.loses[0].pattern.name, "orders");
/// assert!(compare((&policy, &alice), (&policy, &alice)).is_equal());
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn compare(first: (&Policy, &Identity), second: (&Policy, &Identity)) -> Comparison {
    let held = [first, second].map(|(policy, identity)| Held::by_identity(policy, identity));
    let [of_first, of_second] = &held;
    let superusers = [of_first.superuser, of_second.superuser];
    let mut comparison = Comparison {
        superusers,
        gains: Vec::new(),
        loses: Vec::new(),
    };
    if superusers == [true, true] {
        return comparison;
    }
    let every = every_operation_of([first.0, second.0]);
    let rules = of_first
        .rules(first.0)
        .into_iter()
        .zip(of_second.rules(second.0));
    for ((resource_type, one), (_, other)) in rules {
        if exists_in([first.0, second.0], resource_type) {
            add(resource_type, [&one, &other], every, &mut comparison);
        }
    }
    comparison
}

fn add(
    resource_type: ResourceType,
    rules: [&[Rule<'_>]; 2],
    every: Operations,
    comparison: &mut Comparison,
) {
    let all = rules.iter().copied().flatten();
    let tree = Tree::new(all.clone().map(|rule| rule.place));
    let scopes = HostScope::all(&hosts_of(all.map(|rule| &rule.host)));
    let [mut gained, mut lost] = [Vec::new(), Vec::new()];
    for host_scope in &scopes {
        let (places, others) = tree.made_of().split_at(rules[0].len());
        let may = [(0, places), (1, others)].map(|(side, places)| {
            let superuser = comparison.superusers.get(side) == Some(&true);
            let rules = rules.get(side).copied().unwrap_or_default();
            if superuser {
                vec![every; tree.len()]
            } else {
                allowed(&tree, rules, places, *host_scope)
            }
        });
        let [first, second] = &may;
        for (more, less, into) in [(second, first, &mut gained), (first, second, &mut lost)] {
            let has: Vec<Operations> = more
                .iter()
                .zip(less)
                .map(|(more, less)| more.without(*less))
                .collect();
            for piece in tree.pieces(&has, &[]) {
                into.push(ScopedPiece::new(piece, *host_scope));
            }
        }
    }
    for (found, into) in [
        (gained, &mut comparison.gains),
        (lost, &mut comparison.loses),
    ] {
        let found = if scopes.len() == 1 {
            found
        } else {
            merged(found)
        };
        for found in &found {
            into.push(region(resource_type, &tree, found, &scopes));
        }
    }
}

/// The operations that rules allow at each place of a tree; `places` are the places of the rules.
fn allowed(
    tree: &Tree<'_>,
    rules: &[Rule<'_>],
    places: &[usize],
    host_scope: HostScope,
) -> Vec<Operations> {
    let mut allow = vec![Operations::default(); tree.len()];
    let mut deny = allow.clone();
    for (rule, at) in rules.iter().zip(places) {
        let (allows, denies) = host_scope.apply(&rule.host, rule.allow, rule.deny);
        if let (Some(allow), Some(deny)) = (allow.get_mut(*at), deny.get_mut(*at)) {
            *allow = allow.or(allows);
            *deny = deny.or(denies);
        }
    }
    tree.inherit(&mut allow);
    tree.inherit(&mut deny);
    allow
        .iter()
        .zip(&deny)
        .map(|(allow, deny)| allow.without(*deny))
        .collect()
}
