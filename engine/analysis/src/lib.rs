//! Analysis of whole policies: who can do what, effective permissions, differences, findings,
//! smallest grants.
//!
//! The results are exact and need no solver. Literals and prefixes divide the names of a resource
//! type into finitely many regions, and all names of a region get the same decision; so each region
//! is evaluated once.

pub mod audit;
mod breadth;
pub mod brokers;
mod changes;
pub mod check;
mod collisions;
mod compare;
mod converge;
pub mod denial;
mod diff;
pub mod doctor;
pub mod events;
mod excerpt;
mod fixes;
mod held;
mod hypothetical;
mod identities;
mod known_names;
mod least_grant;
mod lint;
mod matrix;
mod permissions;
pub mod provider;
mod reach;
mod related;
pub mod requests;
mod revoke;
mod role_counts;
mod scope;
pub mod sign_in;
mod status;
mod summary;
mod tree;
mod what_if;
mod who_can;

pub use breadth::{Breadth, Opening};
pub use changes::changes_between;
pub use collisions::{
    CollidingName, Collision, CollisionReason, CollisionReport, Gain, collision_gains, collisions,
};
pub use compare::{Comparison, compare};
pub use converge::{ChosenDifferences, Convergence, LeftDifferent, PartialConvergence, setting_of};
pub use diff::{
    AccessEffect, AccessRegion, Addresses, Counterexample, Diff, Difference, GroupChange,
    GroupEffect, HostSet, NameEffect, Relation, TokenClaims, diff, diff_with_tokens,
};
pub use excerpt::policy_excerpt;
pub use fixes::{AccessFix, AccessFixes, FixKind, FixStep, access_fixes, name_choices};
pub use hypothetical::{HypotheticalChange, HypotheticalChanges, NoOp};
pub use identities::{IdentityComparison, compare_identities, groups_between};
pub use known_names::known_names;
pub use least_grant::{LeastGrant, MAX_CANDIDATES, MAX_SETS, least_grant, membership_gains};
pub use lint::{
    Finding, FindingCode, Fix, NameIndex, Severity, lint, lint_roles, migration_findings,
    name_findings, neutral_fixes, sort_findings,
};
pub use matrix::{MatrixCell, matrix_cell, matrix_resources};
pub use permissions::{Grant, GrantException, Permissions, permissions, permissions_of};
pub use reach::{DenyExtent, PrincipalAcls, Reach, ReachSubject, reach};
pub use revoke::{Revocation, RoleGrant, revoke};
pub use role_counts::{RoleCounts, acl_counts, role_counts};
pub use scope::{NamePattern, Scope};
pub use summary::{AclCount, NamedPattern, PolicySummary, PrincipalSummary, policy_summary};
pub use what_if::{WhatIf, what_if};
pub use who_can::{AclMatch, WhoCan, WhoCanEntry, denied_groups, who_can, who_can_on_prefix};
