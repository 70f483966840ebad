//! The scope of a result: a principal or everyone, and a pattern of names.

use std::fmt;

use gbac_engine::model::{
    Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use gbac_engine::policy::index::Operations;

/// Names of one resource type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamePattern {
    /// Whether the name is a prefix.
    pub pattern_type: PatternType,
    /// The name or prefix; the literal `*` matches every name (D-03).
    pub name: String,
}

impl NamePattern {
    /// Whether a pattern matches every name of its type: the literal `*` or the empty prefix
    /// (D-03).
    #[must_use]
    pub fn is_all_names(pattern_type: PatternType, name: &str) -> bool {
        match pattern_type {
            PatternType::Literal => name == "*",
            PatternType::Prefixed => name.is_empty(),
        }
    }

    /// Whether the pattern matches a name.
    ///
    /// ```
    /// use gbac_analysis::NamePattern;
    /// use gbac_engine::PatternType;
    ///
    /// let orders = NamePattern { pattern_type: PatternType::Prefixed, name: "orders-".into() };
    /// assert!(orders.covers("orders-eu") && !orders.covers("orders"));
    /// ```
    #[must_use]
    pub fn covers(&self, name: &str) -> bool {
        match self.pattern_type {
            PatternType::Literal => self.name == "*" || self.name == name,
            PatternType::Prefixed => name.starts_with(&self.name),
        }
    }

    /// Whether some name is among those of both patterns.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self.pattern_type, other.pattern_type) {
            (PatternType::Literal, PatternType::Prefixed) => {
                self.name == "*" || other.covers(&self.name)
            }
            (PatternType::Prefixed, PatternType::Literal) => {
                other.name == "*" || self.covers(&other.name)
            }
            _ => self.covers(&other.name) || other.covers(&self.name),
        }
    }

    /// Whether it covers every name of another pattern.
    pub(crate) fn includes(&self, other: &Self) -> bool {
        match (self.pattern_type, other.pattern_type) {
            _ if Self::is_all_names(self.pattern_type, &self.name) => true,
            (PatternType::Literal, _) => self == other,
            (PatternType::Prefixed, PatternType::Literal) => {
                other.name != "*" && self.covers(&other.name)
            }
            (PatternType::Prefixed, PatternType::Prefixed) => self.covers(&other.name),
        }
    }
}

/// The scope of a result: an identity with only this principal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Everyone: a user that the policy does not name, without groups. Only ACLs of `User:*` apply.
    Everyone,
    /// A user without groups, or a user that the policy does not name with one group or one role.
    /// The roles of the user or group apply, and so do ACLs of `User:*`.
    One(Principal),
}

impl Scope {
    /// The scope of an ACL's principal: `User:*` is everyone.
    #[must_use]
    pub fn from_principal(principal: &Principal) -> Self {
        if principal.is_everyone() {
            Self::Everyone
        } else {
            Self::One(principal.clone())
        }
    }

    /// Whether this is everyone. The user named `*` is not (D-33).
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

/// A user name that none of these policies contains.
pub(crate) fn stranger(policies: &[&Policy]) -> String {
    let mut name = "someone".to_owned();
    let contains = |policy: &&Policy, name: &str| {
        policy.principal_id(PrincipalType::User, name).is_some()
            || policy.settings().superusers.contains(name)
    };
    while policies.iter().any(|policy| contains(policy, &name)) {
        name.push('-');
    }
    name
}

/// The operations that ACLs of these operations allow or deny (D-02).
pub(crate) fn answered(by: Operations, permission: Permission) -> Operations {
    let mut answered = Operations::default();
    for operation in Operation::ALL {
        if by.meets(Operations::answering(*operation, permission)) {
            answered = answered.or(Operations::only(*operation));
        }
    }
    answered
}

/// The operations of a policy's dialect.
pub(crate) fn every_operation(policy: &Policy) -> Operations {
    Operations::from_slice(policy.settings().dialect.operations())
}

/// The operations of the dialects of two policies.
pub(crate) fn every_operation_of(policies: [&Policy; 2]) -> Operations {
    let [first, second] = policies.map(every_operation);
    first.or(second)
}

/// Whether a resource type exists in the dialect of either policy.
pub(crate) fn exists_in(policies: [&Policy; 2], resource_type: ResourceType) -> bool {
    policies.into_iter().any(|policy| {
        policy
            .settings()
            .dialect
            .resource_types()
            .contains(&resource_type)
    })
}

/// Whether one set of operations is a subset of another.
pub(crate) const fn within(subset: Operations, operations: Operations) -> bool {
    subset.without(operations).is_empty()
}
