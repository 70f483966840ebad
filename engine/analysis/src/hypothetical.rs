//! Hypothetical changes of a policy and of a user's groups, applied to a copy.

use std::fmt;

use gbac_engine::identity::Identity;
use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy, apply_each};

/// One change that is tried.
#[derive(Debug, Clone, PartialEq)]
pub enum HypotheticalChange {
    /// The provider puts the person into a group.
    Join(String),
    /// The provider takes the person out of a group.
    Leave(String),
    /// The policy or a setting is changed.
    Policy(Change),
}

impl HypotheticalChange {
    /// Whether this takes the other one back, so that both together are nothing.
    fn undoes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Join(one), Self::Leave(other)) | (Self::Leave(one), Self::Join(other)) => one == other,
            (Self::Policy(Change::AddAcl(one)), Self::Policy(Change::RemoveAcl(other)))
            | (Self::Policy(Change::RemoveAcl(one)), Self::Policy(Change::AddAcl(other))) => one == other,
            (
                Self::Policy(Change::AddMember { role, member }),
                Self::Policy(Change::RemoveMember { role: other, member: gone }),
            )
            | (
                Self::Policy(Change::RemoveMember { role, member }),
                Self::Policy(Change::AddMember { role: other, member: gone }),
            ) => role == other && member == gone,
            _ => false,
        }
    }
}

/// The changes that are tried together, in the order in which they were added.
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

/// Why a change that is tried does nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct NoOp {
    /// The change.
    pub change: HypotheticalChange,
    /// Why; none if it changes nothing.
    pub error: Option<ChangeError>,
}

gbac_engine::error_codes! {
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
    /// Adds a change: what takes another one back removes that, and settings take the place of settings. Says whether
    /// anything is different now.
    pub fn add(&mut self, trial: HypotheticalChange) -> bool {
        if let Some(place) = self.0.iter().position(|known| known.undoes(&trial)) {
            self.0.remove(place);
            return true;
        }
        if self.0.contains(&trial) {
            return false;
        }
        if matches!(trial, HypotheticalChange::Policy(Change::Settings(_))) {
            self.0.retain(|known| !matches!(known, HypotheticalChange::Policy(Change::Settings(_))));
        }
        self.0.push(trial);
        true
    }

    /// Takes a change out.
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

    /// Those that a service could make: groups are the provider's.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.0.iter().filter_map(|trial| match trial {
            HypotheticalChange::Policy(change) => Some(change),
            HypotheticalChange::Join(_) | HypotheticalChange::Leave(_) => None,
        })
    }

    /// Makes the changes of the policy, one after the other, and names those that do nothing.
    pub fn apply(&self, policy: &mut Policy) -> Vec<NoOp> {
        let effects = apply_each(policy, self.changes());
        let no_ops = |(change, effect): (&Change, ChangeOutcome)| {
            let error = match effect {
                ChangeOutcome::Changed => return None,
                ChangeOutcome::Unchanged => None,
                ChangeOutcome::Refused(error) => Some(error),
            };
            Some(NoOp { change: HypotheticalChange::Policy(change.clone()), error })
        };
        self.changes().zip(effects).filter_map(no_ops).collect()
    }

    /// The person with the changes of groups, and those that do nothing.
    #[must_use]
    pub fn person(&self, identity: &Identity) -> (Identity, Vec<NoOp>) {
        let mut groups = identity.groups().to_vec();
        let mut no_ops = Vec::new();
        let mut is_same = true;
        for trial in &self.0 {
            let does = match trial {
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
            is_same &= !does;
            if !does {
                no_ops.push(NoOp { change: trial.clone(), error: None });
            }
        }
        // Who is not changed stays verified.
        (if is_same { identity.clone() } else { identity.with_groups(groups) }, no_ops)
    }
}

impl Extend<HypotheticalChange> for HypotheticalChanges {
    fn extend<I: IntoIterator<Item = HypotheticalChange>>(&mut self, hypothetical: I) {
        for trial in hypothetical {
            self.add(trial);
        }
    }
}

impl FromIterator<HypotheticalChange> for HypotheticalChanges {
    fn from_iter<I: IntoIterator<Item = HypotheticalChange>>(hypothetical: I) -> Self {
        let mut all = Self::default();
        all.extend(hypothetical);
        all
    }
}
