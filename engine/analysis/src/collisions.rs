//! Collisions: different names that become the same group, by `suffix` or by splitting a string at its commas.

use std::collections::BTreeMap;

use super::compare::compare;
use super::diff::AccessRegion;
use crate::scope::stranger;
use gbac_engine::groups::{NestedGroupBehavior, comma_parts};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;

/// What turns a name into another group's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollisionKind {
    /// `suffix` keeps the last segment only (D-10).
    Suffix,
    /// In a claim that is one string, a comma ends a name (D-08).
    Comma,
}

impl CollisionKind {
    /// The stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Suffix => "suffix",
            Self::Comma => "comma",
        }
    }
}

/// A name that becomes a group which another name becomes, too, or has been given to already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollidingName {
    /// The name as the provider has it.
    pub name: String,
    /// Whether it is among those that were asked about: in the token.
    pub in_token: bool,
    /// Whether an ACL or a role names this very group.
    pub known: bool,
}

/// Names that become one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The group that they become.
    pub group: String,
    /// By what.
    pub kind: CollisionKind,
    /// The names, in order; two at least. One of them may be the group's own.
    pub names: Vec<CollidingName>,
}

/// Finds the names that become one group: of these, which are in a token, and of all groups that the policy names.
///
/// Names in a token are as the claim has them, before anything is cut off. With [`NestedGroupBehavior::None`] nothing is cut
/// off, so that only the comma is left. [`collision_gains`] says what people gain by it.
///
/// ```
/// use gbac_analysis::{CollisionKind, collisions};
/// use gbac_engine::groups::NestedGroupBehavior;
/// use gbac_engine::policy::Policy;
///
/// let token = ["/eng/payments", "/contractors/payments", "/eng/ops"];
/// let found = collisions(&Policy::default(), NestedGroupBehavior::Suffix, &token);
/// assert_eq!((found.len(), found[0].group.as_str(), found[0].kind), (1, "payments", CollisionKind::Suffix));
/// assert_eq!(found[0].names.len(), 2);
/// ```
#[must_use]
pub fn collisions(policy: &Policy, nested: NestedGroupBehavior, in_token: &[impl AsRef<str>]) -> Vec<Collision> {
    let known = policy.known_principals().filter(|principal| principal.kind() == PrincipalType::Group);
    // By name: whether it is in the token, whether the policy names it.
    let mut names: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
    for name in known.map(Principal::name) {
        names.entry(name).or_default().1 = true;
    }
    for name in in_token {
        names.entry(name.as_ref()).or_default().0 = true;
    }
    names.remove("");
    let mut groups: BTreeMap<(&str, CollisionKind), Vec<&str>> = BTreeMap::new();
    for name in names.keys() {
        groups.entry((nested.apply(name), CollisionKind::Suffix)).or_default().push(name);
        // A name without a comma is not taken apart; it is still what the parts of another may become.
        let mut parts: Vec<&str> = comma_parts(name).map(|part| nested.apply(part)).collect();
        parts.sort_unstable();
        parts.dedup();
        for part in parts {
            groups.entry((part, CollisionKind::Comma)).or_default().push(name);
        }
    }
    let merged = |name: &&str| {
        let (in_token, known) = names.get(name).copied().unwrap_or_default();
        CollidingName { name: (*name).to_owned(), in_token, known }
    };
    groups
        .into_iter()
        .filter(|((group, kind), names)| {
            let is_cut = *kind == CollisionKind::Suffix || names.iter().any(|name| name.contains(','));
            !group.is_empty() && names.len() > 1 && is_cut
        })
        .map(|((group, kind), names)| Collision {
            group: group.to_owned(),
            kind,
            names: names.iter().map(merged).collect(),
        })
        .collect()
}

/// What somebody gains by a collision who is in one of its names only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gain {
    /// The name that the person is in.
    pub name: String,
    /// What the person gains.
    pub regions: Vec<AccessRegion>,
}

/// Collisions with what each extra person gains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollisionReport {
    /// The collisions, those of names in the token first, each with what somebody in one of its names gains. The name that
    /// is the group's own gains nothing and is left out.
    pub found: Vec<(Collision, Vec<Gain>)>,
    /// How many collisions more there are.
    pub more: usize,
}

/// How many names of a collision are compared.
const COMPARED: usize = 5;

/// Finds what [`collisions`] finds, and what somebody with only one of the names gains by it. At most `limit` collisions are
/// told, and the first names of each: what one name gains takes a look at the whole policy.
#[must_use]
pub fn collision_gains(
    policy: &Policy,
    nested: NestedGroupBehavior,
    in_token: &[impl AsRef<str>],
    limit: usize,
) -> CollisionReport {
    let (mut all, others): (Vec<Collision>, Vec<Collision>) = (collisions(policy, nested, in_token).into_iter())
        .partition(|collision| collision.names.iter().any(|name| name.in_token));
    all.extend(others);
    let more = all.len().saturating_sub(limit);
    all.truncate(limit);
    let user = stranger(&[policy]);
    let with_gains = |collision: Collision| {
        let gains = gains(policy, &user, &collision);
        (collision, gains)
    };
    CollisionReport { found: all.into_iter().map(with_gains).collect(), more }
}

fn gains(policy: &Policy, user: &str, collision: &Collision) -> Vec<Gain> {
    let others = collision.names.iter().filter(|name| name.name != collision.group).take(COMPARED);
    others
        .map(|name| {
            let alone = Identity::new(user, [name.name.as_str()]);
            // What the comma takes apart is what every part gives.
            let then = match collision.kind {
                CollisionKind::Suffix => Identity::new(user, [collision.group.as_str()]),
                CollisionKind::Comma => Identity::new(user, [name.name.as_str(), collision.group.as_str()]),
            };
            Gain { name: name.name.clone(), regions: compare((policy, &alone), (policy, &then)).gains }
        })
        .collect()
}
