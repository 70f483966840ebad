//! Writes that share a commit: each is planned on the policy with those before it, all become durable together.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gbac_engine::policy::{Change, ChangeError, ChangeOutcome, Policy, apply_each};

use super::rows::{self, Write};
use super::{Attempt, Plan, Snapshot};
use crate::fault::Fault;

/// How long a look at whether the readers have left takes.
const PAUSE: Duration = Duration::from_micros(50);
/// How long an ACL takes to copy, roughly: to wait for readers longer than that is worse than to copy.
const COPY: Duration = Duration::from_nanos(150);

/// The second state, which no reader sees, and what it lacks of the first.
pub(super) struct Hidden {
    pub(super) state: Snapshot,
    /// What was done to the other state since this one was in use.
    pub(super) behind: Vec<Change>,
}

impl Hidden {
    /// Brings it to the state that readers see.
    fn catch_up(self, held: &Snapshot) -> Result<Snapshot, ChangeError> {
        let Self { mut state, behind } = self;
        let mut pauses = state.policy.acl_count() as u128 * COPY.as_nanos() / PAUSE.as_nanos();
        while Arc::strong_count(&state.policy) > 1 && pauses > 0 {
            thread::sleep(PAUSE);
            pauses -= 1;
        }
        let policy = Arc::make_mut(&mut state.policy);
        for change in behind {
            policy.apply(change)?;
        }
        Ok(Snapshot { policy: state.policy, ..held.clone() })
    }
}

/// The writes that are taken together.
pub(super) struct Batch {
    /// The state with the writes so far. Its policy is shared with readers until the first change.
    pub(super) state: Snapshot,
    /// What readers see, or the policy that took its place.
    base: Arc<Policy>,
    /// What leads from there to the state.
    pub(super) log: Vec<Change>,
    pub(super) writes: Vec<Write>,
    /// Whether another policy took the place of what readers see.
    pub(super) replaced: bool,
    /// Whether readers would see a difference.
    pub(super) changed: bool,
}

impl Batch {
    pub(super) fn new(held: &Snapshot, hidden: Option<Hidden>) -> Self {
        // What cannot catch up is dropped; the first change then makes a copy.
        let state = hidden.and_then(|hidden| hidden.catch_up(held).ok()).unwrap_or_else(|| held.clone());
        let base = Arc::clone(&held.policy);
        Self { state, base, log: Vec::new(), writes: Vec::new(), replaced: false, changed: false }
    }

    /// Does what a plan says, all of it or nothing.
    pub(super) fn make<T, E: From<Fault>>(
        &mut self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E>,
    ) -> Result<(T, Counters), E> {
        let mut done = Done::default();
        let answer = match plan(&self.state)? {
            Plan::Changes(changes, answer) => self.make_all(changes, &mut done, |_| Ok(answer))?,
            Plan::Attempt(changes, accept) => self.make_all(changes, &mut done, accept)?,
            Plan::Configure(changes, config, answer) => {
                self.make_all(changes, &mut done, |_| Ok(()))?;
                if *self.state.config != config {
                    rows::of_config(&self.state.config, &config, &mut done.writes);
                    self.state.config = Arc::new(config);
                    done.configured = true;
                }
                answer
            }
            Plan::Replace(policy, answer) => {
                done.writes = rows::of_policies(&self.state.policy, &policy);
                if !done.writes.is_empty() {
                    done.policy = true;
                    done.configured = self.state.policy.settings() != policy.settings();
                    self.base = Arc::clone(&policy);
                    self.state.policy = policy;
                    self.replaced = true;
                    self.log.clear();
                }
                answer
            }
        };
        self.changed |= done.policy || done.configured;
        self.state.version += u64::from(done.policy);
        self.state.config_version += u64::from(done.configured);
        self.writes.append(&mut done.writes);
        Ok((answer, Counters { version: self.state.version, config_version: self.state.config_version }))
    }

    /// Makes the changes, all of them or none: `accept` says which, and none where one of them cannot be made.
    fn make_all<T>(
        &mut self,
        changes: Vec<Change>,
        done: &mut Done,
        accept: impl FnOnce(&Attempt<'_>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let mut settings = self.state.policy.settings().clone();
        let effects = match changes.as_slice() {
            // A policy that readers share is copied for its first change only.
            [] => Vec::new(),
            changes => apply_each(Arc::make_mut(&mut self.state.policy), changes),
        };
        let attempt = Attempt { changes: &changes, effects: &effects, after: &self.state.policy };
        let accepted = accept(&attempt).and_then(|answer| match refused(&effects) {
            Some(error) => Err(error.into()),
            None => Ok(answer),
        });
        if accepted.is_err() {
            if effects.contains(&ChangeOutcome::Changed) {
                self.take_back();
            }
            return accepted;
        }
        for (change, effect) in changes.into_iter().zip(effects) {
            if effect != ChangeOutcome::Changed {
                continue;
            }
            rows::of_change(&settings, &change, &mut done.writes);
            if let Change::Settings(after) = &change {
                settings = after.filled_from(&settings);
                done.configured = true;
            }
            done.policy = true;
            self.log.push(change);
        }
        accepted
    }

    /// Undoes the changes of a plan that came to nothing: they are in no log yet.
    fn take_back(&mut self) {
        let mut policy = (*self.base).clone();
        let again = self.log.iter().cloned().try_for_each(|change| policy.apply(change).map(drop));
        // They were made once already, on the same policy.
        debug_assert!(again.is_ok());
        self.state.policy = Arc::new(policy);
    }
}

fn refused(effects: &[ChangeOutcome]) -> Option<ChangeError> {
    effects.iter().find_map(|effect| match effect {
        ChangeOutcome::Refused(error) => Some(error.clone()),
        ChangeOutcome::Changed | ChangeOutcome::Unchanged => None,
    })
}

/// What one plan did.
#[derive(Default)]
struct Done {
    writes: Vec<Write>,
    policy: bool,
    configured: bool,
}

/// The counters as a write left them.
#[derive(Clone, Copy)]
pub(super) struct Counters {
    pub(super) version: u64,
    pub(super) config_version: u64,
}
