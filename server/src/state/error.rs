//! Why something was not changed, read or recorded.

use std::fmt;

use gbac_api::problem::{DocumentFault, FieldViolation};
use gbac_engine::policy::ChangeError;

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

/// A feature that requires a license.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LicensedFeature {
    /// An ACL for a group or a role.
    Acl,
    /// A role or its members.
    Role,
    /// A value of this group property other than its default.
    Property(&'static str),
}

impl LicensedFeature {
    /// Why a change that uses the feature is rejected.
    pub(crate) fn message(self) -> String {
        let what = match self {
            Self::Acl => "ACLs for groups and roles cannot be created".to_owned(),
            Self::Role => "roles cannot be created or changed".to_owned(),
            Self::Property(name) => format!("`{name}` cannot be changed from its default"),
        };
        format!("{what} without a valid enterprise license; existing rules stay in effect and can be deleted")
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
