//! Why a change was not made.

use std::fmt;

use gbac_api::problem::{DocumentFault, FieldViolation};
use gbac_engine::policy::ChangeError;

use super::license::LicensedFeature;

/// Why a write changed nothing.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The store cannot be written; the message of its error.
    NotStored(String),
    /// The service stopped working on the write.
    Aborted,
    /// A change that was validated before could not be made.
    Unexpected(ChangeError),
    /// The changes are invalid; every problem.
    InvalidChanges(Vec<DocumentFault>),
    /// The changes are valid, but some of them require a license; every such change.
    UnlicensedChanges(Vec<DocumentFault>),
    /// The write requires a license for this.
    Unlicensed(LicensedFeature),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStored(cause) => write!(f, "the change was not stored: {cause}"),
            Self::Aborted => f.write_str("the change was aborted"),
            Self::Unexpected(error) => write!(f, "the change could not be made: {error}"),
            Self::InvalidChanges(faults) | Self::UnlicensedChanges(faults) => {
                let noun = if faults.len() == 1 { "problem" } else { "problems" };
                write!(f, "the changes have {} {noun}; nothing was changed", faults.len())
            }
            Self::Unlicensed(feature) => f.write_str(&feature.message()),
        }
    }
}

impl From<ChangeError> for WriteError {
    fn from(error: ChangeError) -> Self {
        Self::Unexpected(error)
    }
}

/// Why a role cannot be read or changed.
#[derive(Debug)]
pub(crate) enum RoleError {
    /// There is no role with this name.
    NotFound(String),
    /// A different role with this name exists.
    AlreadyExists(String),
    /// The name is not valid for a role.
    InvalidName(FieldViolation),
}

/// The audit event of a request could not be written, so the request must be rejected (D-23).
#[derive(Debug)]
pub(crate) struct AuditError;
