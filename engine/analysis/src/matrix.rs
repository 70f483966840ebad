//! The matrix of resources and operations: the decision for an identity on each pattern in its
//! ACLs, with the deciding ACLs.

use std::net::IpAddr;

use super::held::{Held, is_superuser};
use super::reach::ReachSubject;
use super::tree::Place;
use super::who_can::{AclMatch, Hits};
use crate::scope::{NamePattern, Scope};
use gbac_engine::decide::{At, Outcome, Request};
use gbac_engine::model::{Operation, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::Policy;

/// The decision for every name of a pattern at a given time, by the ACLs that cover the whole
/// pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixCell {
    /// The decision.
    pub outcome: Outcome,
    /// The first ACL that allows it, in the order of D-20, even if a deny blocks it.
    pub granted_by: Option<AclMatch>,
    /// Every ACL that denies it, in the order of D-20.
    pub denied_by: Vec<AclMatch>,
    /// Whether the decision may differ once the host is known (D-04, D-31).
    pub host_unknown: bool,
}

/// The patterns in the ACLs of a subject, by type, broader before narrower ones. The pattern for
/// every name is the literal `*`.
///
/// Cost: one pass over all patterns of the policy.
#[must_use]
pub fn matrix_resources(
    policy: &Policy,
    subject: &ReachSubject,
) -> Vec<(ResourceType, NamePattern)> {
    let held = match subject {
        ReachSubject::Scope(scope) => Held::by(policy, scope),
        ReachSubject::Identity(identity) => Held::by_identity(policy, identity),
    };
    let mut resources = Vec::new();
    for (resource_type, rules) in held.rules(policy) {
        let mut places: Vec<Place<'_>> = rules.into_iter().map(|rule| rule.place).collect();
        sort(&mut places, |a, b| a.order(*b));
        places.dedup();
        resources.extend(
            places
                .into_iter()
                .map(|place| (resource_type, place.pattern())),
        );
    }
    resources
}

/// The decision for a subject and the names of this pattern. ACLs on narrower patterns are ignored,
/// because they have cells of their own; so for a literal name it is the decision itself. A
/// superuser is allowed without an ACL (D-14), and an expired identity is denied without one.
///
/// Cost: one pass over the rows of the patterns that cover this one.
///
/// ```
/// use gbac_analysis::{ReachSubject, matrix_cell, matrix_resources};
/// use gbac_engine::decide::{At, Outcome};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::Operation;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let alice = ReachSubject::Identity(Identity::new("alice", ["eng"]));
/// let (resource_type, pattern) = &matrix_resources(&policy, &alice)[0];
/// let describe = matrix_cell(&policy, &alice, (*resource_type, pattern), Operation::Describe, None, At::IgnoringExpiry);
/// assert_eq!(describe.outcome, Outcome::Allow);
/// assert_eq!(describe.granted_by.map(|granted| granted.acl.operation), Some(Operation::Read));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn matrix_cell(
    policy: &Policy,
    subject: &ReachSubject,
    (resource_type, pattern): (ResourceType, &NamePattern),
    operation: Operation,
    host: Option<IpAddr>,
    at: At,
) -> MatrixCell {
    let superuser = match subject {
        ReachSubject::Scope(Scope::Everyone) => false,
        ReachSubject::Scope(Scope::One(principal)) => is_superuser(policy, principal),
        ReachSubject::Identity(identity) => policy.settings().is_superuser(identity),
    };
    let expired = matches!(subject, ReachSubject::Identity(identity) if identity.is_expired(at));
    if expired || superuser {
        let outcome = if expired {
            Outcome::Deny
        } else {
            Outcome::Allow
        };
        return MatrixCell {
            outcome,
            granted_by: None,
            denied_by: Vec::new(),
            host_unknown: false,
        };
    }
    let request = Request::new(operation, resource_type, &pattern.name, at).with_host(host);
    let hits = Hits::at(
        policy,
        &request,
        Place::named(pattern.pattern_type, &pattern.name),
    );
    let (granted_by, denied_by, host_unknown) = match subject {
        ReachSubject::Identity(identity) => hits.of_identity(identity),
        ReachSubject::Scope(scope) => {
            let id = match scope {
                Scope::Everyone => policy.principal_id(PrincipalType::User, "*"),
                Scope::One(principal) => policy.principal_id(principal.kind(), principal.name()),
            };
            let entry = hits.entry(scope.clone(), id);
            (entry.granted_by, entry.denied_by, entry.host_unknown)
        }
    };
    let outcome = if granted_by.is_some() && denied_by.is_empty() {
        Outcome::Allow
    } else {
        Outcome::Deny
    };
    MatrixCell {
        outcome,
        granted_by,
        denied_by,
        host_unknown,
    }
}
