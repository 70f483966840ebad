//! The body of the license (D-16).

use serde::{Deserialize, Serialize};

/// What the license is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LicenseStatus {
    /// It counts.
    Valid,
    /// Its time is over.
    Expired,
    /// There is none.
    Missing,
}

/// The answer of GET and PUT, and the body of PUT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LicenseBody {
    /// `valid`, `expired` or `missing`.
    pub license: LicenseStatus,
    /// Whether the command line has set it, so that it cannot be changed; PUT ignores this.
    #[serde(default)]
    pub pinned: bool,
}
