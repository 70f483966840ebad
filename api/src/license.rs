//! The body of the license (D-16).

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of the license.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LicenseStatus {
    /// The license is valid.
    Valid,
    /// The license has expired.
    Expired,
    /// No license is installed.
    Missing,
}

/// The response of GET and PUT, and the request body of PUT.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseBody {
    /// `valid`, `expired` or `missing`.
    pub license: LicenseStatus,
    /// Whether a command line flag sets it, so that it cannot be changed. PUT ignores this.
    #[serde(default)]
    pub pinned: bool,
}
