//! Changes that are tried: of a policy, and of a person's groups. Nothing is changed but a copy.

use std::fmt;

use crate::identity::Identity;
use crate::policy::{Change, ChangeError, Effect, Policy, apply_each};

/// One change that is tried.
#[derive(Debug, Clone, PartialEq)]
pub enum Trial {
    /// The provider puts the person into a group.
    Join(String),
    /// The provider takes the person out of a group.
    Leave(String),
    /// The policy or a setting is changed.
    Policy(Change),
}

impl Trial {
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
/// use gbac_engine::analyze::{Trial, Trials};
/// use gbac_engine::identity::Identity;
///
/// let mut trials = Trials::default();
/// trials.add(Trial::Join("eng".into()));
/// let (alice, idle) = trials.person(&Identity::new("alice", ["ops"]));
/// assert_eq!((alice.groups(), idle.len()), (["ops".to_owned(), "eng".to_owned()].as_slice(), 0));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trials(Vec<Trial>);

/// Why a change that is tried does nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Idle {
    /// The change.
    pub trial: Trial,
    /// Why; none if it changes nothing.
    pub error: Option<ChangeError>,
}

impl Idle {
    /// A stable name of the reason.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match &self.error {
            Some(error) => error.code(),
            None => "no_change",
        }
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) => error.fmt(f),
            None => f.write_str("no change"),
        }
    }
}

impl Trials {
    /// Adds a change: what takes another one back removes that, and settings take the place of settings. Says whether
    /// anything is different now.
    pub fn add(&mut self, trial: Trial) -> bool {
        if let Some(place) = self.0.iter().position(|known| known.undoes(&trial)) {
            self.0.remove(place);
            return true;
        }
        if self.0.contains(&trial) {
            return false;
        }
        if matches!(trial, Trial::Policy(Change::Settings(_))) {
            self.0.retain(|known| !matches!(known, Trial::Policy(Change::Settings(_))));
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
    pub fn as_slice(&self) -> &[Trial] {
        &self.0
    }

    /// Those that a service could make: groups are the provider's.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.0.iter().filter_map(|trial| match trial {
            Trial::Policy(change) => Some(change),
            Trial::Join(_) | Trial::Leave(_) => None,
        })
    }

    /// Makes the changes of the policy, one after the other, and names those that do nothing.
    pub fn apply(&self, policy: &mut Policy) -> Vec<Idle> {
        let effects = apply_each(policy, self.changes());
        let idle = |(change, effect): (&Change, Effect)| {
            let error = match effect {
                Effect::Changed => return None,
                Effect::Unchanged => None,
                Effect::Refused(error) => Some(error),
            };
            Some(Idle { trial: Trial::Policy(change.clone()), error })
        };
        self.changes().zip(effects).filter_map(idle).collect()
    }

    /// The person with the changes of groups, and those that do nothing.
    #[must_use]
    pub fn person(&self, identity: &Identity) -> (Identity, Vec<Idle>) {
        let mut groups = identity.groups().to_vec();
        let mut idle = Vec::new();
        let mut is_same = true;
        for trial in &self.0 {
            let does = match trial {
                Trial::Policy(_) => continue,
                Trial::Join(name) => {
                    let is_new = !groups.contains(name);
                    groups.extend(is_new.then(|| name.clone()));
                    is_new
                }
                Trial::Leave(name) => {
                    let before = groups.len();
                    groups.retain(|group| group != name);
                    groups.len() < before
                }
            };
            is_same &= !does;
            if !does {
                idle.push(Idle { trial: trial.clone(), error: None });
            }
        }
        // Who is not changed stays verified.
        (if is_same { identity.clone() } else { identity.with_groups(groups) }, idle)
    }
}

impl Extend<Trial> for Trials {
    fn extend<I: IntoIterator<Item = Trial>>(&mut self, trials: I) {
        for trial in trials {
            self.add(trial);
        }
    }
}

impl FromIterator<Trial> for Trials {
    fn from_iter<I: IntoIterator<Item = Trial>>(trials: I) -> Self {
        let mut all = Self::default();
        all.extend(trials);
        all
    }
}
