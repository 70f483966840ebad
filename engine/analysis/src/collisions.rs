//! Collisions: different names that produce the same group, through `suffix` or because a string is
//! split at commas.

use std::collections::BTreeMap;

use strum::{IntoStaticStr, VariantNames};

use super::compare::compare;
use super::diff::AccessRegion;
use crate::scope::stranger;
use gbac_engine::groups::{NestedGroupBehavior, comma_parts};
use gbac_engine::identity::Identity;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Policy;

/// The cause of a collision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CollisionReason {
    /// `suffix` keeps the last segment only (D-10).
    Suffix,
    /// A claim that is one string is split at commas (D-08).
    Comma,
}

/// One of the names of a collision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollidingName {
    /// The name in the identity provider.
    pub name: String,
    /// Whether it is in the token.
    pub in_token: bool,
    /// Whether an ACL or a role names the group of exactly this name.
    pub named_by_policy: bool,
}

/// Several names that produce the same group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The group that they produce.
    pub group: String,
    /// The cause.
    pub reason: CollisionReason,
    /// The names in order, at least two. One of them may be the group's own name.
    pub names: Vec<CollidingName>,
}

/// Finds different names that produce the same group, among the names in a token and the groups
/// that the policy names.
///
/// Names in a token are those of the claim, unchanged. With [`NestedGroupBehavior::None`], only
/// commas cause collisions. [`collision_gains`] also returns what users gain through collisions.
///
/// ```
/// use gbac_analysis::{CollisionReason, collisions};
/// use gbac_engine::groups::NestedGroupBehavior;
/// use gbac_engine::policy::Policy;
///
/// let token = ["/eng/payments", "/contractors/payments", "/eng/ops"];
/// let collisions = collisions(&Policy::default(), NestedGroupBehavior::Suffix, &token);
/// assert_eq!((collisions.len(), collisions[0].group.as_str(), collisions[0].reason), (1, "payments", CollisionReason::Suffix));
/// assert_eq!(collisions[0].names.len(), 2);
/// ```
#[must_use]
pub fn collisions(
    policy: &Policy,
    nested: NestedGroupBehavior,
    in_token: &[impl AsRef<str>],
) -> Vec<Collision> {
    // For each name, whether it is in the token and whether the policy names it.
    let mut names: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for principal in policy.known_principals() {
        if principal.kind() == PrincipalType::Group {
            names.entry(principal.name()).or_default().1 = true;
        }
    }
    for name in in_token {
        names.entry(name.as_ref()).or_default().0 = true;
    }
    names.remove("");
    let mut groups: BTreeMap<(&str, CollisionReason), Vec<&str>> = BTreeMap::new();
    for name in names.keys() {
        groups
            .entry((nested.apply(name), CollisionReason::Suffix))
            .or_default()
            .push(name);
        // Names without a comma are included, because another name's part may equal them.
        let mut parts: Vec<&str> = comma_parts(name).map(|part| nested.apply(part)).collect();
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            groups
                .entry((part, CollisionReason::Comma))
                .or_default()
                .push(name);
        }
    }
    let mut collisions = Vec::new();
    for ((group, reason), of_group) in groups {
        let is_cut =
            reason == CollisionReason::Suffix || of_group.iter().any(|name| name.contains(','));
        if group.is_empty() || of_group.len() < 2 || !is_cut {
            continue;
        }
        let mut colliding = Vec::with_capacity(of_group.len());
        for name in of_group {
            let (in_token, named_by_policy) = names.get(name).copied().unwrap_or_default();
            colliding.push(CollidingName {
                name: name.to_owned(),
                in_token,
                named_by_policy,
            });
        }
        collisions.push(Collision {
            group: group.to_owned(),
            reason,
            names: colliding,
        });
    }
    collisions
}

/// The additional access of a user with only one name of a collision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gain {
    /// The user's name.
    pub name: String,
    /// The additional access.
    pub regions: Vec<AccessRegion>,
}

/// Collisions with the access that they add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollisionReport {
    /// The collisions, those with names in the token first, each with the gains of its names. The
    /// group's own name gains nothing and is omitted.
    pub collisions: Vec<(Collision, Vec<Gain>)>,
    /// The number of other collisions.
    pub omitted: usize,
}

/// The most names of a collision that are compared.
const MAX_COMPARED_NAMES: usize = 5;

/// Like [`collisions`], with the access that users with only one of the names gain. The result
/// contains at most `limit` collisions and the gains of the first names of each, because each gain
/// takes a pass over the whole policy.
#[must_use]
pub fn collision_gains(
    policy: &Policy,
    nested: NestedGroupBehavior,
    in_token: &[impl AsRef<str>],
    limit: usize,
) -> CollisionReport {
    let (mut collisions, others): (Vec<Collision>, Vec<Collision>) =
        (collisions(policy, nested, in_token).into_iter())
            .partition(|collision| collision.names.iter().any(|name| name.in_token));
    collisions.extend(others);
    let omitted = collisions.len().saturating_sub(limit);
    collisions.truncate(limit);
    let user = stranger(&[policy]);
    let mut with_gains = Vec::with_capacity(collisions.len());
    for collision in collisions {
        let gains = gains(policy, &user, &collision);
        with_gains.push((collision, gains));
    }
    CollisionReport {
        collisions: with_gains,
        omitted,
    }
}

fn gains(policy: &Policy, user: &str, collision: &Collision) -> Vec<Gain> {
    let mut gains = Vec::new();
    for CollidingName { name, .. } in &collision.names {
        if *name == collision.group {
            continue;
        }
        let before = Identity::new(user, [name.as_str()]);
        // A string that is split produces the groups of all its parts.
        let after = match collision.reason {
            CollisionReason::Suffix => Identity::new(user, [collision.group.as_str()]),
            CollisionReason::Comma => {
                Identity::new(user, [name.as_str(), collision.group.as_str()])
            }
        };
        gains.push(Gain {
            name: name.clone(),
            regions: compare((policy, &before), (policy, &after)).gains,
        });
        if gains.len() == MAX_COMPARED_NAMES {
            break;
        }
    }
    gains
}
