//! The state of the enterprise license.

use clap::ValueEnum;
use gbac_api::license::LicenseStatus;

/// State of the enterprise license (D-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LicenseArg {
    /// The license is valid.
    Valid,
    /// The license has expired.
    Expired,
    /// No license is installed.
    Missing,
}

impl From<LicenseArg> for LicenseStatus {
    fn from(argument: LicenseArg) -> Self {
        match argument {
            LicenseArg::Valid => Self::Valid,
            LicenseArg::Expired => Self::Expired,
            LicenseArg::Missing => Self::Missing,
        }
    }
}
