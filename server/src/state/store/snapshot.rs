//! The state of the service at one moment.

use std::sync::Arc;

use gbac_engine::policy::Policy;

use crate::random;
use crate::state::config::Config;

/// The state of the service at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Settings, roles and ACLs.
    pub(crate) policy: Arc<Policy>,
    /// The configuration that is not part of the policy document.
    pub(crate) config: Arc<Config>,
    pub(crate) version: StateVersion,
}

/// The number of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateVersion {
    /// Random bytes, so that entity tags differ between runs.
    pub(super) run: [u8; 8],
    /// The number of changes of the policy.
    pub(super) policy: u64,
    /// The number of changes of its settings and of the configuration.
    pub(crate) config: u64,
    /// The number of the last entry of the log of changes.
    pub(crate) seq: u64,
}

impl StateVersion {
    /// The entity tag of the policy (RFC 9110 8.8.3).
    pub(crate) fn etag(self) -> String {
        format!("\"{}-{}\"", random::hex(&self.run), self.policy)
    }
}
