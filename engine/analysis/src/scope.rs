//! The scope of a result: a principal or everyone, and a pattern of names.

use std::fmt;

use gbac_engine::internal::Operations;
use gbac_engine::model::{Operation, PatternType, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::Policy;

/// Names of one resource type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamePattern {
    /// How the name is compared.
    pub pattern_type: PatternType,
    /// The name or prefix; the literal `*` is every name (D-03).
    pub name: String,
}

impl NamePattern {
    /// Whether a name is among these.
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        match self.pattern_type {
            PatternType::Literal => self.name == "*" || self.name == name,
            PatternType::Prefixed => name.starts_with(&self.name),
        }
    }
}

/// Whom an answer is about: an identity that holds no more than this.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Anyone at all: a user that the policy does not know, without groups. ACLs of `User:*` are all that counts.
    Everyone,
    /// A user without groups; a group, of a user that the policy does not know; or a role that such a user is given.
    /// The roles of the user or group count, and so do ACLs of `User:*`.
    One(Principal),
}

impl Scope {
    /// The holder that a principal of an ACL stands for: `User:*` is everyone.
    #[must_use]
    pub fn of(principal: &Principal) -> Self {
        if principal.is_everyone() { Self::Everyone } else { Self::One(principal.clone()) }
    }

    /// Whether this is everyone; the user whose name is an asterisk is not (D-33).
    #[must_use]
    pub const fn is_everyone(&self) -> bool {
        matches!(self, Self::Everyone)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("User:*"),
            Self::One(principal) => principal.fmt(f),
        }
    }
}

/// A user that none of these policies knows, so that only what else somebody holds counts.
pub(crate) fn stranger(policies: &[&Policy]) -> String {
    let mut name = "someone".to_owned();
    let knows = |policy: &&Policy, name: &str| {
        policy.principal_id(PrincipalType::User, name).is_some() || policy.settings().superusers.contains(name)
    };
    while policies.iter().any(|policy| knows(policy, &name)) {
        name.push('-');
    }
    name
}

/// The operations that are answered by ACLs of these operations (D-02).
pub(crate) fn answered(by: Operations, permission: Permission) -> Operations {
    let mut answered = Operations::default();
    for operation in Operation::ALL {
        if by.meets(Operations::answering(*operation, permission)) {
            answered = answered.or(Operations::only(*operation));
        }
    }
    answered
}

/// The operations that exist in the dialect of a policy.
pub(crate) fn every_operation(policy: &Policy) -> Operations {
    Operations::of(policy.settings().dialect.operations())
}

/// The operations that exist in the dialect of either policy.
pub(crate) fn every_operation_of(policies: [&Policy; 2]) -> Operations {
    let [first, second] = policies.map(every_operation);
    first.or(second)
}

/// Whether a resource type exists in the dialect of either policy.
pub(crate) fn exists_in(policies: [&Policy; 2], resource_type: ResourceType) -> bool {
    policies.into_iter().any(|policy| policy.settings().dialect.resource_types().contains(&resource_type))
}

/// Whether all of these are among those.
pub(crate) const fn within(these: Operations, those: Operations) -> bool {
    these.without(those).is_empty()
}
