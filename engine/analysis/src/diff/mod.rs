//! The decisions that differ between two policies, by principal.
//!
//! For one scope, a region, operation and host is allowed, denied by an ACL, or neither. An
//! identity combines a user and any groups: a deny of one of them takes precedence over an allow of
//! another. So two policies make the same decisions if every scope has the same result in both.
//! There is one exception: where no other scope of the same identity is allowed, it makes no
//! difference whether a scope is denied or has no ACL. This is compared region by region.

mod changed;
mod compared;
mod groups;
mod host_scope;
mod others;
mod report;
mod view;

use strum::{IntoStaticStr, VariantArray, VariantNames};

use std::net::IpAddr;

use crate::scope::{NamePattern, Scope, answered};
use changed::Changed;
use gbac_engine::ClaimSet;
use gbac_engine::decide::Decision;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Dialect, Host, Operation, PrincipalType, ResourceType};
use gbac_engine::policy::index::Operations;
use gbac_engine::policy::{GroupSource, Policy, Settings, StatedSettings, Superusers};
pub use groups::{GroupChange, GroupEffect, NameEffect};
pub(super) use host_scope::HostScope;
use others::Others;
use report::Report;
pub(super) use report::{ScopedPiece, merged, region};

/// How two policies differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// How the second policy relates to the first: [`Relation::SettingsDiffer`] if tokens are read
    /// differently or others have access to the service, otherwise [`Diff::acl_relation`].
    pub relation: Relation,
    /// The relation of the ACLs, roles and superusers alone, over all possible identities.
    pub acl_relation: Relation,
    /// The differences by principal: everyone, then users and groups in order. If both policies
    /// make the same decisions, it contains only entries of [`AccessEffect::StillDenied`].
    ///
    /// Differences for everyone have one entry, with [`Scope::Everyone`]; the entries of other
    /// scopes contain only additional differences.
    pub differences: Vec<Difference>,
    /// The differences for members of each role, in order of the roles; `differences` contains the
    /// members, too. A role in only one policy counts as empty in the other.
    pub roles: Vec<Difference>,
    /// The names of the settings that differ. Only `superusers` affects the decision about an
    /// identity; `access` controls access to the service, and the others control the identity of a
    /// token.
    pub settings: Vec<&'static str>,
    /// The effect of changed settings on groups, ordered by name: those that the policies name, and
    /// those of the token if one was given.
    pub groups: Vec<GroupChange>,
    /// The users that the policies name, if the principal mapping differs. It is unknown whether a
    /// token still names them.
    pub users: Vec<String>,
}

/// How a policy relates to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Relation {
    /// Both policies give the same decision for every request of every identity.
    Equal,
    /// It allows everything that the earlier one allows, and more.
    Wider,
    /// It allows nothing that the earlier one does not allow, and less.
    Narrower,
    /// It allows more in one place and less in another.
    Mixed,
    /// The settings read tokens differently, so the same token can produce another identity; or
    /// they grant access to the service differently.
    SettingsDiffer,
}

/// The effect of a change on a scope.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum AccessEffect {
    /// It was denied and is allowed.
    Gains,
    /// It was allowed and is denied.
    Loses,
    /// The scope alone is denied as before. But a deny was removed, so identities that combine it
    /// with other principals are now allowed. For a new superuser: denies of groups no longer
    /// apply.
    CanGain,
    /// The scope alone is denied as before. But a deny was added, so identities that combine it
    /// with other principals are now denied. For a former superuser: denies of groups apply now.
    CanLose,
    /// An ACL was added that would allow it, but a deny for the scope blocks it: no decision
    /// changes.
    StillDenied,
}

impl AccessEffect {
    /// Every value.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
}

/// One effect on one scope.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The scope.
    pub scope: Scope,
    /// The effect.
    pub effect: AccessEffect,
    /// The regions, which together cover exactly the affected requests.
    pub regions: Vec<AccessRegion>,
    /// A request with different decisions; `None` for a role and if no decision changes.
    pub counterexample: Option<Box<Counterexample>>,
    /// With [`AccessEffect::StillDenied`], the denies that block it.
    pub denied_by: Vec<Acl>,
}

/// A set of requests: operations on names from hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRegion {
    /// The resources' type.
    pub resource_type: ResourceType,
    /// The names.
    pub pattern: NamePattern,
    /// The exceptions among these names.
    pub except: Vec<NamePattern>,
    /// The operations, in the order of [`Operation::ALL`].
    pub operations: Vec<Operation>,
    /// The clients.
    pub hosts: HostSet,
}

impl AccessRegion {
    /// The number of operations that resources of the type have: `ALL` on a topic is the operations
    /// of topics.
    #[must_use]
    pub fn operation_count(&self) -> usize {
        let dialect = match self.operations.contains(&Operation::TwoPhaseCommit) {
            true => Dialect::Kafka,
            false => Dialect::Platform,
        };
        let known = dialect.operations_of(self.resource_type);
        let operations = self.operations.iter().filter(|held| known.contains(held));
        match operations.count() {
            // Operations without an effect on such a resource.
            0 => self.operations.len(),
            count => count,
        }
    }

    /// Whether an ACL decides some of these requests, from whatever host.
    pub(crate) fn is_met_by(&self, acl: &Acl) -> bool {
        let pattern = NamePattern {
            pattern_type: acl.pattern_type,
            name: acl.resource_name.clone(),
        };
        let answers = answered(Operations::only(acl.operation), acl.permission);
        let own = Operations::from_slice(&self.operations);
        self.resource_type == acl.resource_type
            && answers.meets(own)
            && self.pattern.overlaps(&pattern)
    }

    /// Whether all requests of another one are among these, from whatever host.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        let is_left_out = |except: &NamePattern| {
            except.overlaps(&other.pattern) && !other.except.iter().any(|own| own.includes(except))
        };
        self.resource_type == other.resource_type
            && self.pattern.includes(&other.pattern)
            && (other.operations.iter()).all(|operation| self.operations.contains(operation))
            && !self.except.iter().any(is_left_out)
    }
}

/// A set of clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSet {
    /// Whether clients with an unknown address are included (D-04).
    pub unknown: bool,
    /// The clients with a known address.
    pub addresses: Addresses,
}

/// A set of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addresses {
    /// Only those of these hosts.
    Only(Vec<Host>),
    /// All but those of these hosts.
    AllBut(Vec<Host>),
}

impl HostSet {
    /// Whether it contains every client.
    #[must_use]
    pub const fn is_any(&self) -> bool {
        self.unknown && matches!(&self.addresses, Addresses::AllBut(but) if but.is_empty())
    }

    /// Whether it contains this address; `None` is a client with an unknown address.
    #[must_use]
    pub fn covers(&self, host: Option<IpAddr>) -> bool {
        match (host, &self.addresses) {
            (None, _) => self.unknown,
            (Some(address), Addresses::Only(only)) => {
                only.iter().any(|host| host.includes(address))
            }
            (Some(address), Addresses::AllBut(but)) => {
                !but.iter().any(|host| host.includes(address))
            }
        }
    }
}

/// A request that two policies decide differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterexample {
    /// The identity.
    pub identity: Identity,
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name.
    pub resource_name: String,
    /// The client's address; `None` if the request does not state it.
    pub host: Option<IpAddr>,
    /// The decision of the earlier policy.
    pub before: Decision,
    /// The decision of the later policy.
    pub after: Decision,
}

/// Compares two policies over every identity, operation, resource and host.
///
/// Cost: one pass over all rows of both policies, and for each scope whose ACLs, memberships or
/// superuser status changed a pass over the affected rows.
///
/// ```
/// use gbac_analysis::{AccessEffect, Relation, diff};
/// use gbac_engine::policy::Change;
/// use gbac_json::{acl_from_value, policy_from_json};
///
/// let before = policy_from_json(r#"{ "version": 1 }"#)?;
/// let mut after = before.clone();
/// let acl = serde_json::json!({
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
/// after.apply(Change::AddAcl(acl_from_value(&acl)?)).expect("an ACL can always be added");
/// let difference = diff(&before, &after);
/// assert_eq!((difference.relation, difference.differences[0].effect), (Relation::Wider, AccessEffect::Gains));
/// assert_eq!(difference.differences[0].scope.to_string(), "Group:eng");
/// assert_eq!(diff(&after, &after.clone()).relation, Relation::Equal);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn diff(before: &Policy, after: &Policy) -> Diff {
    diff_with_tokens(before, after, &[])
}

/// A token's claims, and the user-info document if the settings need it.
pub type TokenClaims<'a> = (&'a ClaimSet, Option<&'a ClaimSet>);

/// Like [`diff`], and also reports the effect of changed settings on the groups of some tokens, such
/// as one of each kind of user. A name that tokens contain in different claims is reported once for
/// each effect.
///
/// ```
/// use gbac_engine::ClaimSet;
/// use gbac_analysis::{GroupEffect, Relation, diff_with_tokens};
/// use gbac_json::policy_from_json;
///
/// let before = policy_from_json(r#"{ "version": 1 }"#)?;
/// let after = policy_from_json(r#"{ "version": 1, "settings": { "nested_group_behavior": "suffix" } }"#)?;
/// let claims = ClaimSet::parse(r#"{ "sub": "alice", "groups": ["/eng/payments"] }"#)?;
/// let difference = diff_with_tokens(&before, &after, &[(&claims, None)]);
/// assert_eq!((difference.relation, difference.acl_relation), (Relation::SettingsDiffer, Relation::Equal));
/// let group = &difference.groups[0];
/// assert_eq!((group.effect, group.before.as_deref()), (GroupEffect::Renamed, Some("/eng/payments")));
/// assert_eq!(group.after.as_deref(), Some("payments"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn diff_with_tokens(before: &Policy, after: &Policy, tokens: &[TokenClaims<'_>]) -> Diff {
    let (acl_relation, differences, roles) = acl_diff(before, after);
    let settings = settings(before.settings(), after.settings());
    // Superusers are part of the ACL relation.
    let reads_alike = settings.iter().all(|name| *name == SUPERUSERS);
    Diff {
        relation: if reads_alike {
            acl_relation
        } else {
            Relation::SettingsDiffer
        },
        acl_relation,
        differences,
        roles,
        groups: groups::changes([before, after], tokens),
        users: if settings.contains(&MAPPING) {
            users([before, after])
        } else {
            Vec::new()
        },
        settings,
    }
}

/// The users that two policies name, including superusers, without `User:*`.
fn users(policies: [&Policy; 2]) -> Vec<String> {
    let mut users = Superusers::default();
    for policy in policies {
        let known = policy
            .known_principals()
            .filter(|known| known.kind() == PrincipalType::User);
        let named = known
            .filter(|user| !user.is_everyone())
            .map(|user| user.name().to_owned());
        named
            .chain(policy.settings().superusers.iter().cloned())
            .for_each(|user| users.insert(user));
    }
    users.iter().cloned().collect()
}

impl Diff {
    /// Whether the settings read tokens differently, so that the same token can give another
    /// identity.
    #[must_use]
    pub fn reads_tokens_differently(&self) -> bool {
        self.settings
            .iter()
            .any(|name| *name != SUPERUSERS && *name != ACCESS)
    }

    /// The settings that differ only because one of the policies does not state them, so that its
    /// default is compared (D-43).
    #[must_use]
    pub fn unstated(&self, states: StatedSettings) -> Vec<&'static str> {
        let is_stated = |name: &str| match name {
            "oidc_group_claim_path" => states.claim_path,
            "nested_group_behavior" => states.nested,
            MAPPING => states.principal_mapping,
            SUPERUSERS => states.superusers,
            ACCESS => states.access,
            _ => true,
        };
        let mut unstated = self.settings.clone();
        unstated.retain(|name| !is_stated(name));
        unstated
    }
}

/// The differences through ACLs, roles and superusers, regardless of tokens: for users, groups and
/// everyone, and for roles.
fn acl_diff(before: &Policy, after: &Policy) -> (Relation, Vec<Difference>, Vec<Difference>) {
    let policies = [before, after];
    let changed = Changed::new(policies);
    let mut report = Report::new(policies);
    let mut unsettled_views = Vec::new();
    let mut unsettled_places = Vec::new();
    for view in changed.views() {
        let regions = view.regions();
        let unsettled = if view.depends_on_others() {
            regions.unsettled()
        } else {
            Vec::new()
        };
        if unsettled.is_empty() {
            report.add(&view, &regions, None);
        } else {
            unsettled_places.push((view.resource_type, unsettled));
            unsettled_views.push(view);
        }
    }
    let others = Others::evaluate(policies, &changed.patterns, &unsettled_places);
    for (view, (resource_type, unsettled)) in unsettled_views.iter().zip(&unsettled_places) {
        let (places, hosts) = others.over(*resource_type, unsettled);
        report.add(view, &view.regions_with(&places, hosts), Some(&others));
    }
    let (differences, roles) = report.end();
    let has = |effects: [AccessEffect; 2]| {
        differences
            .iter()
            .any(|difference| effects.contains(&difference.effect))
    };
    let more = has([AccessEffect::Gains, AccessEffect::CanGain]);
    let less = has([AccessEffect::Loses, AccessEffect::CanLose]);
    let relation = match (more, less) {
        (false, false) => Relation::Equal,
        (true, false) => Relation::Wider,
        (false, true) => Relation::Narrower,
        (true, true) => Relation::Mixed,
    };
    (relation, differences, roles)
}

const MAPPING: &str = "oidc_principal_mapping";
const SUPERUSERS: &str = "superusers";
const ACCESS: &str = "access";

/// The names of the settings that differ.
fn settings(before: &Settings, after: &Settings) -> Vec<&'static str> {
    let mut names = Vec::new();
    let (path, nested) = (
        ["oidc_group_claim_path"].as_slice(),
        ["nested_group_behavior"].as_slice(),
    );
    match (&before.groups, &after.groups) {
        (
            GroupSource::Properties {
                claim_path,
                nested: behavior,
            },
            GroupSource::Properties {
                claim_path: new_path,
                nested: new_behavior,
            },
        ) => {
            names.extend(if claim_path == new_path {
                &[][..]
            } else {
                path
            });
            names.extend(if behavior == new_behavior {
                &[][..]
            } else {
                nested
            });
        }
        (one, other) if one == other => {}
        _ => names.push("sso"),
    }
    if before.principal_mapping != after.principal_mapping {
        names.push(MAPPING);
    }
    if before.superusers != after.superusers {
        names.push(SUPERUSERS);
    }
    if before.access != after.access {
        names.push(ACCESS);
    }
    if before.dialect != after.dialect {
        names.push("dialect");
    }
    if before.kafka_version != after.kafka_version {
        names.push("kafka_version");
    }
    names
}

/// Whether a scope is a role, which an identity can have but not be.
const fn is_role(scope: &Scope) -> bool {
    matches!(scope, Scope::One(principal) if matches!(principal.kind(), PrincipalType::Role))
}
