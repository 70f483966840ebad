//! What a write is decided on, and what it does.

use std::sync::Arc;

use gbac_engine::policy::{Change, ChangeOutcome, Policy};

use crate::state::config::Config;
use crate::state::error::WriteError;

/// The state of the service at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Settings, roles and ACLs.
    pub(crate) policy: Arc<Policy>,
    /// The configuration that is not part of the policy document.
    pub(crate) config: Arc<Config>,
    /// The number of changes of the policy.
    pub(super) version: u64,
    /// The number of changes of its settings and of the configuration.
    pub(crate) config_version: u64,
}

/// What a write does, decided on the current state, and the answer once it is durable.
pub(crate) enum Plan<T> {
    /// Makes these changes, in order.
    Changes(Vec<Change>, T),
    /// Makes these changes, in order, and replaces the configuration.
    Configure(Vec<Change>, Config, T),
    /// Replaces the policy.
    Replace(Arc<Policy>, T),
    /// Makes these changes, in order, if their effects are accepted; otherwise none of them.
    Attempt(Vec<Change>, Accept<T>),
}

/// Inspects what changes would do, and accepts them with an answer or rejects them.
type Accept<T> = Box<dyn FnOnce(&Attempt<'_>) -> Result<T, WriteError> + Send>;

/// Changes, and what they would do.
pub(crate) struct Attempt<'a> {
    /// The changes, in order.
    pub(crate) changes: &'a [Change],
    /// What each of them would do.
    pub(crate) effects: &'a [ChangeOutcome],
}

impl Attempt<'_> {
    /// The changes with an effect, each with its index.
    pub(crate) fn effective(&self) -> impl Iterator<Item = (usize, &Change)> {
        let all = self.changes.iter().zip(self.effects).enumerate();
        all.filter(|(_, (_, effect))| **effect == ChangeOutcome::Changed)
            .map(|(index, (change, _))| (index, change))
    }
}
