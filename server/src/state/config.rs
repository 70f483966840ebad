//! The configuration that is not part of the policy document: the identity provider, auditing, the
//! license and the stored tests.

use std::collections::{BTreeMap, BTreeSet};

use gbac_api::license::LicenseStatus;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stored_tests::StoredTests;

/// The service's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The address of the identity provider's discovery document; empty if there is no provider.
    pub(crate) oidc_discovery_url: String,
    /// The audience that `aud` of a token must contain; empty if there is no provider.
    pub(crate) oidc_token_audience: String,
    /// The tolerated clock difference in seconds.
    pub(crate) oidc_clock_skew: u32,
    /// Whether audit events are written.
    pub(crate) audit_enabled: bool,
    /// The name of the local account, which is a superuser by this record; empty until the first
    /// start has recorded it (D-30).
    pub(crate) local_account: String,
    /// The enterprise license (D-16).
    pub(crate) license: LicenseStatus,
    /// The values, other than the default, of properties without an effect (D-92).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) recorded: BTreeMap<String, Value>,
    /// The tests that are stored with the service (D-107).
    #[serde(skip_serializing_if = "StoredTests::is_empty")]
    pub(crate) tests: StoredTests,
    /// The names of the fields above that the command line sets. They cannot be changed during this
    /// run and are not stored (D-30).
    #[serde(skip)]
    pub(crate) pinned: BTreeSet<&'static str>,
    /// Whether this is the configuration of a cluster that is not the first, where the fields of
    /// [`SHARED`] are those of the service (D-137).
    #[serde(skip)]
    pub(crate) is_shared: bool,
}

/// The fields above that all clusters of a service share. The others have them pinned.
const SHARED: [&str; 6] = [
    "oidc_discovery_url",
    "oidc_token_audience",
    "oidc_clock_skew",
    "audit_enabled",
    "local_account",
    "license",
];

impl Default for Config {
    fn default() -> Self {
        Self {
            oidc_discovery_url: String::new(),
            oidc_token_audience: String::new(),
            oidc_clock_skew: 30,
            audit_enabled: false,
            local_account: String::new(),
            license: LicenseStatus::Valid,
            recorded: BTreeMap::new(),
            tests: StoredTests::default(),
            pinned: BTreeSet::new(),
            is_shared: false,
        }
    }
}

impl Config {
    /// That of a new data folder: it records what it decides and changes (D-122).
    pub(crate) fn new_folder() -> Self {
        Self {
            audit_enabled: true,
            ..Self::default()
        }
    }

    /// The configuration of another cluster of this service: what the service has, with the
    /// recorded properties and tests of the cluster.
    pub(crate) fn of_cluster(&self, cluster: &Self) -> Self {
        Self {
            oidc_discovery_url: self.oidc_discovery_url.clone(),
            oidc_token_audience: self.oidc_token_audience.clone(),
            oidc_clock_skew: self.oidc_clock_skew,
            audit_enabled: self.audit_enabled,
            local_account: self.local_account.clone(),
            license: self.license,
            recorded: cluster.recorded.clone(),
            tests: cluster.tests.clone(),
            pinned: SHARED.into_iter().collect(),
            is_shared: true,
        }
    }

    /// Whether the command line, or the service of a cluster, sets this field.
    pub(crate) fn is_pinned(&self, name: &str) -> bool {
        self.pinned.contains(name)
    }
}
