//! Writes that share a commit: each is planned on the state with the writes before it, and all
//! become durable together.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy, apply_each};

use super::plan::{Attempt, Plan, Snapshot};
use super::rows::{self, RowWrite};
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
pub(super) struct Batch {
    /// The state with the writes so far. Its policy is shared with readers until the first change.
    pub(super) state: Snapshot,
    /// The policy that readers see, or the one that replaced it.
    base: Arc<Policy>,
    /// The changes from there to the state.
    pub(super) log: Vec<Change>,
    pub(super) writes: Vec<RowWrite>,
    /// Whether the policy was replaced.
    pub(super) replaced: bool,
    /// Whether anything changed.
    pub(super) changed: bool,
}

impl Batch {
    pub(super) fn new(current: &Snapshot, standby: Option<Standby>) -> Self {
        // A standby that cannot catch up is dropped; the first change then makes a copy.
        let state = standby
            .and_then(|standby| standby.catch_up(current).ok())
            .unwrap_or_else(|| current.clone());
        let base = Arc::clone(&current.policy);
        Self {
            state,
            base,
            log: Vec::new(),
            writes: Vec::new(),
            replaced: false,
            changed: false,
        }
    }

    /// Applies what a plan returns, all of it or nothing.
    pub(super) fn apply_plan<T, E: From<WriteError>>(
        &mut self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E>,
    ) -> Result<(T, Counters), E> {
        let mut outcome = PlanOutcome::default();
        let answer = match plan(&self.state)? {
            Plan::Changes(changes, answer) => {
                self.apply_all(changes, &mut outcome, |_| Ok(answer))?
            }
            Plan::Attempt(changes, accept) => self.apply_all(changes, &mut outcome, accept)?,
            Plan::Configure(changes, config, answer) => {
                self.apply_all(changes, &mut outcome, |_| Ok(()))?;
                if *self.state.config != config {
                    rows::config_writes(&self.state.config, &config, &mut outcome.writes);
                    self.state.config = Arc::new(config);
                    outcome.config_changed = true;
                }
                answer
            }
            Plan::Replace(policy, answer) => {
                outcome.writes = rows::policy_writes(&self.state.policy, &policy);
                if !outcome.writes.is_empty() {
                    outcome.policy_changed = true;
                    outcome.config_changed = self.state.policy.settings() != policy.settings();
                    self.base = Arc::clone(&policy);
                    self.state.policy = policy;
                    self.replaced = true;
                    self.log.clear();
                }
                answer
            }
        };
        self.changed |= outcome.policy_changed || outcome.config_changed;
        self.state.version += u64::from(outcome.policy_changed);
        self.state.config_version += u64::from(outcome.config_changed);
        self.writes.append(&mut outcome.writes);
        Ok((
            answer,
            Counters {
                version: self.state.version,
                config_version: self.state.config_version,
            },
        ))
    }

    /// Makes the changes if `accept` accepts them and none of them is refused; otherwise none of
    /// them.
    fn apply_all<T>(
        &mut self,
        changes: Vec<Change>,
        outcome: &mut PlanOutcome,
        accept: impl FnOnce(&Attempt<'_>) -> Result<T, WriteError>,
    ) -> Result<T, WriteError> {
        let mut settings = self.state.policy.settings().clone();
        let effects = match changes.as_slice() {
            // Without changes, a policy that readers share need not be copied.
            [] => Vec::new(),
            changes => apply_each(Arc::make_mut(&mut self.state.policy), changes),
        };
        let attempt = Attempt {
            changes: &changes,
            effects: &effects,
        };
        let accepted = accept(&attempt).and_then(|answer| match first_refusal(&effects) {
            Some(error) => Err(error.into()),
            None => Ok(answer),
        });
        if accepted.is_err() {
            if effects.contains(&ChangeOutcome::Changed) {
                self.roll_back();
            }
            return accepted;
        }
        for (change, effect) in changes.into_iter().zip(effects) {
            if effect != ChangeOutcome::Changed {
                continue;
            }
            rows::change_writes(&settings, &change, &mut outcome.writes);
            if let Change::Settings(after) = &change {
                settings = after.filled_from(&settings);
                outcome.config_changed = true;
            }
            outcome.policy_changed = true;
            self.log.push(change);
        }
        accepted
    }

    /// Undoes the changes of a failed plan, which are not in the log yet.
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
    }
}

fn first_refusal(effects: &[ChangeOutcome]) -> Option<ChangeError> {
    effects.iter().find_map(|effect| match effect {
        ChangeOutcome::Refused(error) => Some(error.clone()),
        ChangeOutcome::Changed | ChangeOutcome::Unchanged => None,
    })
}

/// What one plan changed.
#[derive(Default)]
struct PlanOutcome {
    writes: Vec<RowWrite>,
    policy_changed: bool,
    config_changed: bool,
}

/// The counters after a write.
#[derive(Clone, Copy)]
pub(super) struct Counters {
    pub(super) version: u64,
    pub(super) config_version: u64,
}
