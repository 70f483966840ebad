//! What an identity is allowed on at least one resource of a type, as Kafka decides it for
//! idempotent producers (D-73).
//!
//! A deny on every name wins over all allows, and an allow on every name over all other denies. Any
//! other allow counts unless a deny covers its whole pattern.

use std::net::IpAddr;

use super::precedence::{self, Cache, Criteria, HostCriteria, Matches, for_each_row};
use super::ranked_principals::RankedPrincipals;
use super::{At, Decision, Reason, Request};
use crate::identity::Identity;
use crate::model::{Operation, PatternType, ResourceType};
use crate::policy::{Covering, Operations, Pattern, PatternId, Policy, PrincipalId, Row, Rules};

/// The operations that ACLs allow on at least one resource of a type. Implied operations do not
/// count.
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
    let mut denied = Operations::default();
    for (_, other) in covering_whole(policy, pattern) {
        let denies = Rules::new(Operations::EVERY, Operations::default());
        for_each_row(other.rows(), ranked, denies, &mut |row, _| {
            denied = denied.or(operations(policy, criteria, row).0);
        });
    }
    denied
}

/// The patterns that cover every name of a pattern, other than that of all names.
fn covering_whole<'p>(policy: &'p Policy, pattern: &Pattern) -> Vec<(PatternId, &'p Pattern)> {
    let mut patterns = Vec::new();
    let covering = policy.covering(pattern.resource_type, pattern.name());
    for id in covering.as_slice() {
        let id = PatternId(*id);
        let Some(other) = policy.pattern(id) else {
            continue;
        };
        let is_prefix = other.pattern_type == PatternType::Prefixed;
        if is_prefix || pattern.pattern_type == PatternType::Literal && !other.is_all_names() {
            patterns.push((id, other));
        }
    }
    patterns
}

/// An operation on any resource of a type, for an identity.
pub(super) struct AnyResource<'a> {
    pub(super) policy: &'a Policy,
    pub(super) identity: &'a Identity,
    pub(super) ranked: &'a RankedPrincipals,
    pub(super) cache: &'a mut Cache,
    pub(super) resource_type: ResourceType,
    pub(super) operation: Operation,
    pub(super) host: Option<IpAddr>,
    pub(super) at: At,
}

impl AnyResource<'_> {
    /// Decides it, with the ACL that allows it on some name, or that takes back what others allow.
    /// Implied operations count.
    pub(super) fn decide(mut self) -> Decision {
        let (decides, host_unknown) = self.find();
        match decides {
            Some(id) => self.decide_on(id),
            None => Decision {
                host_unknown,
                ..Decision::without_rule(Reason::NoMatch, self.identity, self.at)
            },
        }
    }

    /// The pattern whose ACLs decide, and whether another host might be allowed.
    fn find(&mut self) -> (Option<PatternId>, bool) {
        let (mut taken_back, mut host_unknown) = (None, false);
        let mut allowing = Vec::new();
        for (id, pattern) in self.policy.patterns() {
            if pattern.resource_type != self.resource_type {
                continue;
            }
            let found = self.matches(id);
            host_unknown |= found.host_might_allow;
            if pattern.is_all_names() && (found.denies() || found.allows()) {
                return (Some(id), host_unknown);
            }
            if found.allows() {
                if found.denies() {
                    taken_back = Some(id);
                } else {
                    allowing.push(id);
                }
            }
        }
        for id in allowing {
            match self.deny_of_whole(id) {
                None => return (Some(id), host_unknown),
                deny => taken_back = deny,
            }
        }
        (taken_back, host_unknown)
    }

    fn deny_of_whole(&mut self, id: PatternId) -> Option<PatternId> {
        let pattern = self.policy.pattern(id)?;
        covering_whole(self.policy, pattern)
            .into_iter()
            .map(|(other, _)| other)
            .find(|other| self.matches(*other).denies())
    }

    fn matches(&mut self, id: PatternId) -> Matches {
        let criteria = Criteria::new(self.operation, self.host);
        let covering = Covering::only(id);
        precedence::walk(self.policy, &covering, self.ranked, self.cache, criteria)
    }

    /// What the ACLs of one pattern decide.
    fn decide_on(&mut self, id: PatternId) -> Decision {
        let matches = self.matches(id);
        let request =
            Request::new(self.operation, self.resource_type, "", self.at).with_host(self.host);
        let (ranked, identity) = (self.ranked, self.identity);
        precedence::decision(
            self.policy,
            &Covering::only(id),
            ranked,
            identity,
            &request,
            &matches,
        )
    }
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
