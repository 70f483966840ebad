//! Writes that share a commit: each is planned on the state with the writes before it, and all
//! become durable together.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy, apply_each};

use super::change::{MadeChange, RecordedChange, StateChange};
use super::commit::LoggedWrite;
use super::rows::{self, RowWrite};
use super::snapshot::{Snapshot, StateVersion};
use crate::state::audit::WrittenEvents;
use crate::state::error::WriteError;

/// The interval at which a writer checks whether readers have released the standby.
const POLL_INTERVAL: Duration = Duration::from_micros(50);
/// The approximate time to copy an ACL. Waiting for readers longer than copying takes is not worth
/// it.
const COPY_TIME: Duration = Duration::from_nanos(150);

/// The second state, which readers do not see.
pub(super) struct Standby {
    pub(super) state: Snapshot,
    /// The changes that it lacks.
    pub(super) missing: Vec<Change>,
}

impl Standby {
    /// Applies the missing changes.
    fn catch_up(self, current: &Snapshot) -> Result<Snapshot, ChangeError> {
        let Self { mut state, missing } = self;
        let mut pauses =
            state.policy.acl_count() as u128 * COPY_TIME.as_nanos() / POLL_INTERVAL.as_nanos();
        while Arc::strong_count(&state.policy) > 1 && pauses > 0 {
            thread::sleep(POLL_INTERVAL);
            pauses -= 1;
        }
        let policy = Arc::make_mut(&mut state.policy);
        for change in missing {
            policy.apply(change)?;
        }
        Ok(Snapshot {
            policy: state.policy,
            ..current.clone()
        })
    }
}

/// Writes that are committed together.
pub(crate) struct Batch {
    /// The state with the writes so far. Its policy is shared with readers until the first change.
    pub(super) state: Snapshot,
    /// The policy that readers see, or the one that replaced it.
    base: Arc<Policy>,
    /// The changes from there to the state.
    pub(super) log: Vec<Change>,
    /// What they write to the file, each as an entry of the log of changes.
    pub(super) writes: Vec<LoggedWrite>,
    /// The audit events of the writes.
    pub(super) events: Vec<WrittenEvents>,
    /// Whether the policy was replaced.
    pub(super) replaced: bool,
    /// Whether the state has changes that are not in the log, because they are not recorded yet.
    has_unrecorded: bool,
}

impl Batch {
    pub(super) fn new(current: &Snapshot, standby: Option<Standby>) -> Self {
        // A standby that cannot catch up is dropped; the first change then makes a copy.
        let state = standby
            .and_then(|standby| standby.catch_up(current).ok())
            .unwrap_or_else(|| current.clone());
        Self {
            state,
            base: Arc::clone(&current.policy),
            log: Vec::new(),
            writes: Vec::new(),
            events: Vec::new(),
            replaced: false,
            has_unrecorded: false,
        }
    }

    /// A batch that is not committed, to find out what a change does.
    pub(crate) fn rehearsal(current: &Snapshot) -> Self {
        Self::new(current, None)
    }

    /// The state with the writes so far.
    pub(crate) fn state(&self) -> &Snapshot {
        &self.state
    }

    /// Calls `write` and adds the change that it returns, all of it or nothing.
    pub(super) fn add_write<T, E: From<WriteError>>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(T, RecordedChange), E>,
    ) -> Result<AddedWrite<T>, E> {
        let added = self.try_write(write);
        if added.is_err() && self.has_unrecorded {
            self.roll_back();
        }
        added
    }

    fn try_write<T, E: From<WriteError>>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<(T, RecordedChange), E>,
    ) -> Result<AddedWrite<T>, E> {
        let (answer, recorded) = write(self)?;
        if let Some((_, error)) = recorded.change.refused().next() {
            return Err(WriteError::Unexpected(error.clone()).into());
        }
        let outcomes = self.add(recorded);
        Ok(AddedWrite {
            answer,
            outcomes,
            version: self.state.version,
        })
    }

    /// Makes a change where no reader sees it. It is undone unless it is recorded and added.
    pub(crate) fn make(&mut self, change: StateChange) -> MadeChange {
        let mut rows = Vec::new();
        let (mut outcomes, mut policy_changed, mut config_changed) = (Vec::new(), false, false);
        if let StateChange::Replace(policy) = &change {
            rows = rows::policy_writes(&self.state.policy, policy);
            policy_changed = !rows.is_empty();
            config_changed = policy_changed && self.state.policy.settings() != policy.settings();
        }
        // Without changes, a policy that readers share need not be copied.
        if !change.policy_changes().is_empty() {
            let mut settings = self.state.policy.settings().clone();
            let policy = Arc::make_mut(&mut self.state.policy);
            outcomes = apply_each(policy, change.policy_changes());
            for (change, outcome) in change.policy_changes().iter().zip(&outcomes) {
                if *outcome != ChangeOutcome::Changed {
                    continue;
                }
                policy_changed = true;
                rows::change_writes(&settings, change, &mut rows);
                if let Change::Settings(after) = change {
                    settings = after.filled_from(&settings);
                    config_changed = true;
                }
            }
            self.has_unrecorded |= policy_changed;
        }
        if let StateChange::Configure(_, config) = &change
            && *self.state.config != *config
        {
            rows::config_writes(&self.state.config, config, &mut rows);
            config_changed = true;
        }
        let before = self.state.version;
        let is_logged = rows.iter().any(RowWrite::is_logged);
        MadeChange {
            change,
            outcomes,
            rows,
            version: StateVersion {
                policy: before.policy + u64::from(policy_changed),
                config: before.config + u64::from(config_changed),
                seq: before.seq + u64::from(is_logged),
                ..before
            },
        }
    }

    /// Adds a change that was made to what is committed. Returns what its changes did.
    fn add(&mut self, recorded: RecordedChange) -> Vec<ChangeOutcome> {
        let MadeChange {
            change,
            outcomes,
            rows,
            version,
        } = recorded.change;
        match change {
            StateChange::Changes(changes) | StateChange::Attempt(changes) => {
                self.log_effective(changes, &outcomes);
            }
            StateChange::Configure(changes, config) => {
                self.log_effective(changes, &outcomes);
                if *self.state.config != config {
                    self.state.config = Arc::new(config);
                }
            }
            StateChange::Replace(policy) if rows.is_empty() => drop(policy),
            StateChange::Replace(policy) => {
                self.base = Arc::clone(&policy);
                self.state.policy = policy;
                self.replaced = true;
                self.log.clear();
            }
        }
        if !rows.is_empty() {
            let origin = Some(recorded.origin).filter(|_| version.seq != self.state.version.seq);
            self.writes.push(LoggedWrite { origin, rows });
        }
        self.state.version = version;
        self.events.push(recorded.events);
        self.has_unrecorded = false;
        outcomes
    }

    fn log_effective(&mut self, changes: Vec<Change>, outcomes: &[ChangeOutcome]) {
        for (change, outcome) in changes.into_iter().zip(outcomes) {
            if *outcome == ChangeOutcome::Changed {
                self.log.push(change);
            }
        }
    }

    /// Undoes the changes of a failed write, which are not in the log yet.
    fn roll_back(&mut self) {
        let mut policy = (*self.base).clone();
        let replayed = self
            .log
            .iter()
            .cloned()
            .try_for_each(|change| policy.apply(change).map(drop));
        // The same changes succeeded before, on the same policy.
        debug_assert!(replayed.is_ok());
        self.state.policy = Arc::new(policy);
        self.has_unrecorded = false;
    }
}

/// A write of a batch.
pub(super) struct AddedWrite<T> {
    pub(super) answer: T,
    pub(super) outcomes: Vec<ChangeOutcome>,
    /// The version of the state with it.
    pub(super) version: StateVersion,
}
