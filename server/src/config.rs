//! What is a fact of the service and no part of the policy document: where tokens come from, audit, the licence.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The service's own settings, as they count now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// Where the identity provider's discovery document is; empty when there is none.
    pub(crate) oidc_discovery_url: String,
    /// What the `aud` of a token must hold; empty when there is none.
    pub(crate) oidc_token_audience: String,
    /// By how many seconds two clocks may differ.
    pub(crate) oidc_clock_skew: u32,
    /// Whether audit events are written.
    pub(crate) audit_enabled: bool,
    /// The licence (D-16).
    pub(crate) license: License,
    /// The names of the fields above that the command line has set: they hold for this run, cannot be changed in it, and
    /// are not stored (D-30).
    #[serde(skip)]
    pub(crate) pinned: BTreeSet<&'static str>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            oidc_discovery_url: String::new(),
            oidc_token_audience: String::new(),
            oidc_clock_skew: 30,
            audit_enabled: false,
            license: License::Valid,
            pinned: BTreeSet::new(),
        }
    }
}

impl Config {
    /// Whether the command line has set this field.
    pub(crate) fn is_pinned(&self, name: &str) -> bool {
        self.pinned.contains(name)
    }
}

/// What the enterprise licence says (D-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum License {
    /// It holds.
    #[default]
    Valid,
    /// It ran out.
    Expired,
    /// There is none.
    Missing,
}
