//! Resources by operations: how somebody's request is decided on each pattern that an ACL of theirs names, and why.

use std::net::IpAddr;

use super::held::{Held, is_superuser};
use super::reach::Subject;
use super::tree::Place;
use super::who_can::{Hits, Match};
use super::{Holder, NamePattern};
use crate::decide::{At, Outcome, Request};
use crate::model::{Operation, PrincipalType, ResourceType};
use crate::order::sort;
use crate::policy::Policy;

/// How a request for any name of a pattern is decided at a given time, by the ACLs that cover the whole pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The decision.
    pub outcome: Outcome,
    /// The ACL that allows it, the first in the order of D-20; there also where a deny blocks it.
    pub granted_by: Option<Match>,
    /// Every ACL that denies it, in the order of D-20.
    pub denied_by: Vec<Match>,
    /// The answer may be another one once the host is known (D-04, D-31).
    pub host_unknown: bool,
}

/// The patterns that ACLs of somebody name: by type, the broader before the narrower; every name as the literal `*`.
///
/// Cost: one look at each pattern of the policy.
#[must_use]
pub fn resources(policy: &Policy, subject: &Subject) -> Vec<(ResourceType, NamePattern)> {
    let held = match subject {
        Subject::Holder(holder) => Held::by(policy, holder),
        Subject::Identity(identity) => Held::by_identity(policy, identity),
    };
    let mut found = Vec::new();
    for (resource_type, rules) in held.rules(policy) {
        let mut places: Vec<Place<'_>> = rules.into_iter().map(|rule| rule.place).collect();
        sort(&mut places, |a, b| a.order(*b));
        places.dedup();
        found.extend(places.into_iter().map(|place| (resource_type, place.pattern())));
    }
    found
}

/// How somebody's request for a name of this pattern is decided. ACLs on narrower patterns are not looked at: they are
/// cells of their own; so for a literal name it is the decision itself. A superuser is allowed by no ACL (D-14), and an
/// identity that has expired is denied by none.
///
/// Cost: the rows on the patterns that cover this one.
///
/// ```
/// use gbac_engine::analyze::{Subject, cell, resources};
/// use gbac_engine::decide::{At, Outcome};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::Operation;
/// use gbac_engine::wire::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let alice = Subject::Identity(Identity::new("alice", ["eng"]));
/// let (resource_type, pattern) = &resources(&policy, &alice)[0];
/// let describe = cell(&policy, &alice, (*resource_type, pattern), Operation::Describe, None, At::IgnoringExpiry);
/// assert_eq!(describe.outcome, Outcome::Allow);
/// assert_eq!(describe.granted_by.map(|by| by.acl.operation), Some(Operation::Read));
/// # Ok::<(), gbac_engine::wire::Problems>(())
/// ```
#[must_use]
pub fn cell(
    policy: &Policy,
    subject: &Subject,
    (resource_type, pattern): (ResourceType, &NamePattern),
    operation: Operation,
    host: Option<IpAddr>,
    at: At,
) -> Cell {
    let superuser = match subject {
        Subject::Holder(Holder::Everyone) => false,
        Subject::Holder(Holder::One(principal)) => is_superuser(policy, principal),
        Subject::Identity(identity) => policy.settings().superusers.contains(identity.user()),
    };
    let expired = matches!(subject, Subject::Identity(identity) if identity.is_expired(at));
    if expired || superuser {
        let outcome = if expired { Outcome::Deny } else { Outcome::Allow };
        return Cell { outcome, granted_by: None, denied_by: Vec::new(), host_unknown: false };
    }
    let request = Request::new(operation, resource_type, &pattern.name, at).with_host(host);
    let hits = Hits::at(policy, &request, Place::named(pattern.pattern_type, &pattern.name));
    let (granted_by, denied_by, host_unknown) = match subject {
        Subject::Identity(identity) => hits.of_identity(identity),
        Subject::Holder(holder) => {
            let id = match holder {
                Holder::Everyone => policy.principal_id(PrincipalType::User, "*"),
                Holder::One(principal) => policy.principal_id(principal.kind(), principal.name()),
            };
            let entry = hits.entry(holder.clone(), id);
            (entry.granted_by, entry.denied_by, entry.host_unknown)
        }
    };
    let outcome = if granted_by.is_some() && denied_by.is_empty() { Outcome::Allow } else { Outcome::Deny };
    Cell { outcome, granted_by, denied_by, host_unknown }
}
