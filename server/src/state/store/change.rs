//! What a write does, in the order in which it comes about: planned, made where no reader sees it,
//! and recorded.

use std::sync::Arc;

use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy};
use gbac_log::EntryOrigin;

use super::rows::RowWrite;
use super::snapshot::{Snapshot, StateVersion};
use crate::state::audit::WrittenEvents;
use crate::state::config::Config;

/// What a write does, planned on the current state.
pub(crate) enum StateChange {
    /// Makes these changes, in order. None of them is refused, because they are planned.
    Changes(Vec<Change>),
    /// Makes these changes, in order, and replaces the configuration.
    Configure(Vec<Change>, Config),
    /// Replaces the policy.
    Replace(Arc<Policy>),
    /// Makes these changes, in order, as a client lists them: any of them can be refused, and then
    /// none is made.
    Attempt(Vec<Change>),
}

impl StateChange {
    /// Changes nothing.
    pub(crate) const NONE: Self = Self::Changes(Vec::new());

    /// Its changes of the policy, one by one.
    pub(crate) fn policy_changes(&self) -> &[Change] {
        match self {
            Self::Changes(changes) | Self::Attempt(changes) | Self::Configure(changes, _) => {
                changes
            }
            Self::Replace(_) => &[],
        }
    }
}

/// A change that is made where no reader sees it.
pub(crate) struct MadeChange {
    pub(crate) change: StateChange,
    /// What each of its changes of the policy did.
    pub(crate) outcomes: Vec<ChangeOutcome>,
    /// What it writes to the file.
    pub(super) rows: Vec<RowWrite>,
    /// The version of the state with it.
    pub(crate) version: StateVersion,
}

impl MadeChange {
    /// Its changes of the policy that had an effect, each with its index.
    pub(crate) fn effective(&self) -> impl Iterator<Item = (usize, &Change)> {
        let changes = self.change.policy_changes().iter().enumerate();
        changes.filter(move |(index, _)| self.outcomes.get(*index) == Some(&ChangeOutcome::Changed))
    }

    /// Its changes of the policy that were refused, each with its index.
    pub(crate) fn refused(&self) -> impl Iterator<Item = (usize, &ChangeError)> {
        self.outcomes
            .iter()
            .enumerate()
            .filter_map(|(index, outcome)| match outcome {
                ChangeOutcome::Refused(error) => Some((index, error)),
                ChangeOutcome::Changed | ChangeOutcome::Unchanged => None,
            })
    }
}

/// A change and the audit events that describe it. The store commits both or neither: the events
/// are written before the change is stored, and those of a change that is not stored say so.
pub(crate) struct RecordedChange {
    pub(crate) change: MadeChange,
    /// Who made it, when and why, for the log of changes.
    pub(crate) origin: EntryOrigin,
    /// None if auditing is disabled.
    pub(crate) events: WrittenEvents,
}

/// A write that is stored.
#[derive(Debug)]
pub(crate) struct Stored<T> {
    /// What was planned to answer.
    pub(crate) answer: T,
    /// What each change of the policy did.
    pub(crate) outcomes: Vec<ChangeOutcome>,
    /// The state with it. Its version is that of this write; its policy may include later ones.
    pub(crate) after: Snapshot,
}
