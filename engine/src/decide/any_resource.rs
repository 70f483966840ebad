//! What an identity is allowed on at least one resource of a type, as Kafka decides it for
//! idempotent producers (D-73).

use std::net::IpAddr;

use super::precedence::{HostCriteria, for_each_row};
use super::ranked_principals::RankedPrincipals;
use crate::model::{Operation, PatternType, ResourceType};
use crate::policy::{Operations, Pattern, PatternId, Policy, PrincipalId, Row, Rules};

/// The operations that ACLs allow on at least one resource of a type.
///
/// A deny on every name wins over all allows, and an allow on every name over all other denies. Any
/// other allow counts unless a deny covers its whole pattern. Implied operations do not count.
pub(super) fn allowed_on_any(
    policy: &Policy,
    ranked: &RankedPrincipals,
    resource_type: ResourceType,
    host: Option<IpAddr>,
) -> Operations {
    let criteria = HostCriteria::new(policy, host);
    let mut principals: Vec<PrincipalId> = ranked.ids().collect();
    principals.sort_unstable();
    principals.dedup();
    let (mut denied_on_all, mut allowed_on_all) = (Operations::default(), Operations::default());
    let mut allowing: Vec<(&Pattern, Operations)> = Vec::new();
    policy.rows_of(&principals, &mut |pattern, row| {
        if pattern.resource_type != resource_type {
            return;
        }
        let (deny, allow) = operations(policy, &criteria, row);
        if pattern.is_all_names() {
            denied_on_all = denied_on_all.or(deny);
            allowed_on_all = allowed_on_all.or(allow);
        } else if !allow.is_empty() {
            allowing.push((pattern, allow));
        }
    });
    let mut allowed = allowed_on_all;
    for (pattern, allow) in allowing {
        let missing = allow.without(allowed).without(denied_on_all);
        if !missing.is_empty() {
            allowed =
                allowed.or(missing.without(denied_on_whole(policy, ranked, &criteria, pattern)));
        }
    }
    allowed
        .without(denied_on_all)
        .and(Operations::of_dialect(policy.settings().dialect))
}

/// The operations that are denied on every name of a pattern.
fn denied_on_whole(
    policy: &Policy,
    ranked: &RankedPrincipals,
    criteria: &HostCriteria,
    pattern: &Pattern,
) -> Operations {
    let covering = policy.covering(pattern.resource_type, pattern.name());
    let covers = |other: &&Pattern| {
        let is_prefix = other.pattern_type == PatternType::Prefixed;
        is_prefix || pattern.pattern_type == PatternType::Literal && !other.is_all_names()
    };
    let mut denied = Operations::default();
    for other in covering
        .as_slice()
        .iter()
        .filter_map(|id| policy.pattern(PatternId(*id)))
        .filter(covers)
    {
        let denies = Rules::new(Operations::EVERY, Operations::default());
        for_each_row(other.rows(), ranked, denies, &mut |row, _| {
            denied = denied.or(operations(policy, criteria, row).0);
        });
    }
    denied
}

/// The operations that a row denies and allows for the host, with those of `ALL`.
fn operations(policy: &Policy, criteria: &HostCriteria, row: &Row) -> (Operations, Operations) {
    let all = |operations: Operations| {
        if operations.meets(Operations::only(Operation::All)) {
            Operations::EVERY
        } else {
            operations
        }
    };
    let (is, may_be) = criteria.matches(policy, row.host);
    let deny = if may_be {
        all(row.deny())
    } else {
        Operations::default()
    };
    let allow = if is {
        all(row.allow())
    } else {
        Operations::default()
    };
    (deny, allow)
}
