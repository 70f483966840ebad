//! Questions about a whole policy: who can, what may somebody do, what changed, what is odd, what is missing.
//!
//! The answers are exact and need no solver. Literals and prefixes cut the names of a resource type into finitely many
//! regions, and all names of a region are decided alike; so it is enough to look at each region once.

mod collisions;
mod compare;
mod diff;
mod held;
mod holdings;
mod known_names;
mod least_grant;
mod lint;
mod matrix;
mod people;
mod permissions;
mod reach;
mod revoke;
mod role_counts;
mod tree;
mod trials;
mod who_can;

use std::fmt;

use crate::model::{Operation, PatternType, Permission, Principal, PrincipalType};
use crate::policy::{Operations, Policy};

pub use collisions::{Collision, Gain, Merged, Merging, Mergings, collisions, merged_gains};
pub use compare::{Comparison, compare};
pub use diff::{
    Addresses, Counterexample, Diff, Difference, Effect, Extent, GroupChange, GroupEffect, Hosts, NameEffect, Relation,
    diff, diff_with_claims,
};
pub use holdings::{Count, Holding, Holdings, Named, holdings};
pub use known_names::known_names;
pub use least_grant::{LeastGrant, MAX_CANDIDATES, MAX_SETS, least_grant};
pub(crate) use lint::in_order;
pub use lint::{Finding, Mend, NameIndex, Severity, lint, lint_roles, name_findings};
pub use matrix::{Cell, cell, resources};
pub use people::{People, groups_between, people};
pub use permissions::{Exception, Grant, Permissions, permissions, permissions_of};
pub use reach::{Block, Reach, Subject, Way, reach};
pub use revoke::{Revocation, RoleGrant, revoke};
pub use role_counts::{RoleCounts, acl_counts, role_counts};
pub use trials::{Idle, Trial, Trials};
pub use who_can::{Entry, Match, WhoCan, who_can};

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
pub enum Holder {
    /// Anyone at all: a user that the policy does not know, without groups. ACLs of `User:*` are all that counts.
    Everyone,
    /// A user without groups; a group, of a user that the policy does not know; or a role that such a user is given.
    /// The roles of the user or group count, and so do ACLs of `User:*`.
    One(Principal),
}

impl Holder {
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

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("User:*"),
            Self::One(principal) => principal.fmt(f),
        }
    }
}

/// A user that none of these policies knows, so that only what else somebody holds counts.
fn stranger(policies: &[&Policy]) -> String {
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
fn answered(by: Operations, permission: Permission) -> Operations {
    let mut answered = Operations::default();
    for operation in Operation::ALL {
        if by.meets(Operations::answering(*operation, permission)) {
            answered = answered.or(Operations::only(*operation));
        }
    }
    answered
}

/// Whether all of these are among those.
const fn within(these: Operations, those: Operations) -> bool {
    these.without(those).is_empty()
}
