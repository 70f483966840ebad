//! Hypothetical changes of a policy and of a user's groups, applied to a copy.

use std::fmt;

use gbac_engine::identity::Identity;
use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy, apply_each};

/// A hypothetical change.
#[derive(Debug, Clone, PartialEq)]
pub enum HypotheticalChange {
    /// The identity provider adds the user to a group.
    Join(String),
    /// The identity provider removes the user from a group.
    Leave(String),
    /// A change of the policy or a setting.
    Policy(Change),
}

impl HypotheticalChange {
    /// Whether this change reverts the other one, so that both together have no effect.
    fn undoes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Join(one), Self::Leave(other)) | (Self::Leave(one), Self::Join(other)) => {
                one == other
            }
            (Self::Policy(Change::AddAcl(one)), Self::Policy(Change::RemoveAcl(other)))
            | (Self::Policy(Change::RemoveAcl(one)), Self::Policy(Change::AddAcl(other))) => {
                one == other
            }
            (
                Self::Policy(Change::AddMember { role, member }),
                Self::Policy(Change::RemoveMember {
                    role: other,
                    member: other_member,
                }),
            )
            | (
                Self::Policy(Change::RemoveMember { role, member }),
                Self::Policy(Change::AddMember {
                    role: other,
                    member: other_member,
                }),
            ) => role == other && member == other_member,
            _ => false,
        }
    }
}

/// Hypothetical changes, in the order in which they were added.
///
/// ```
/// use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
/// use gbac_engine::identity::Identity;
///
/// let mut hypothetical = HypotheticalChanges::default();
/// hypothetical.add(HypotheticalChange::Join("eng".into()));
/// let (alice, no_ops) = hypothetical.person(&Identity::new("alice", ["ops"]));
/// assert_eq!((alice.groups(), no_ops.len()), (["ops".to_owned(), "eng".to_owned()].as_slice(), 0));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HypotheticalChanges(Vec<HypotheticalChange>);

/// A change without an effect.
#[derive(Debug, Clone, PartialEq)]
pub struct NoOp {
    /// The change.
    pub change: HypotheticalChange,
    /// The reason that it failed; `None` if the policy already has this state.
    pub error: Option<ChangeError>,
}

gbac_engine::codes! {
    pub NoOp {
        Self { error: None, .. } => "no_change",
    } of {
        Self { error: Some(error), .. } => error: ChangeError,
    }
}

impl fmt::Display for NoOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => error.fmt(f),
            None => f.write_str("no change"),
        }
    }
}

impl HypotheticalChanges {
    /// Adds a change and returns whether anything is different now. A change that reverts an
    /// earlier one removes it, and new settings replace earlier ones.
    pub fn add(&mut self, change: HypotheticalChange) -> bool {
        if let Some(place) = self.0.iter().position(|existing| existing.undoes(&change)) {
            self.0.remove(place);
            return true;
        }
        if self.0.contains(&change) {
            return false;
        }
        if matches!(change, HypotheticalChange::Policy(Change::Settings(_))) {
            self.0.retain(|existing| {
                !matches!(existing, HypotheticalChange::Policy(Change::Settings(_)))
            });
        }
        self.0.push(change);
        true
    }

    /// Removes a change.
    pub fn remove(&mut self, place: usize) {
        if place < self.0.len() {
            self.0.remove(place);
        }
    }

    /// The changes.
    #[must_use]
    pub fn as_slice(&self) -> &[HypotheticalChange] {
        &self.0
    }

    /// The changes of the policy. Groups change in the identity provider instead.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.0.iter().filter_map(|change| match change {
            HypotheticalChange::Policy(change) => Some(change),
            HypotheticalChange::Join(_) | HypotheticalChange::Leave(_) => None,
        })
    }

    /// Applies the changes of the policy in order, and returns those without effect.
    pub fn apply(&self, policy: &mut Policy) -> Vec<NoOp> {
        let effects = apply_each(policy, self.changes());
        let no_ops = |(change, effect): (&Change, ChangeOutcome)| {
            let error = match effect {
                ChangeOutcome::Changed => return None,
                ChangeOutcome::Unchanged => None,
                ChangeOutcome::Refused(error) => Some(error),
            };
            Some(NoOp {
                change: HypotheticalChange::Policy(change.clone()),
                error,
            })
        };
        self.changes().zip(effects).filter_map(no_ops).collect()
    }

    /// The identity with the changes of groups, and the changes without effect.
    #[must_use]
    pub fn person(&self, identity: &Identity) -> (Identity, Vec<NoOp>) {
        let mut groups = identity.groups().to_vec();
        let mut no_ops = Vec::new();
        let mut is_same = true;
        for change in &self.0 {
            let has_effect = match change {
                HypotheticalChange::Policy(_) => continue,
                HypotheticalChange::Join(name) => {
                    let is_new = !groups.contains(name);
                    groups.extend(is_new.then(|| name.clone()));
                    is_new
                }
                HypotheticalChange::Leave(name) => {
                    let before = groups.len();
                    groups.retain(|group| group != name);
                    groups.len() < before
                }
            };
            is_same &= !has_effect;
            if !has_effect {
                no_ops.push(NoOp {
                    change: change.clone(),
                    error: None,
                });
            }
        }
        // An unchanged identity stays verified.
        (
            if is_same {
                identity.clone()
            } else {
                identity.with_groups(groups)
            },
            no_ops,
        )
    }
}

impl Extend<HypotheticalChange> for HypotheticalChanges {
    fn extend<I: IntoIterator<Item = HypotheticalChange>>(&mut self, hypothetical: I) {
        for change in hypothetical {
            self.add(change);
        }
    }
}

impl FromIterator<HypotheticalChange> for HypotheticalChanges {
    fn from_iter<I: IntoIterator<Item = HypotheticalChange>>(hypothetical: I) -> Self {
        let mut changes = Self::default();
        changes.extend(hypothetical);
        changes
    }
}
