//! Why something was not changed, read or recorded.

use gbac_api::problem::{DocumentFault, FieldViolation};
use gbac_engine::policy::ChangeError;
use thiserror::Error;

/// Why a write changed nothing.
#[derive(Debug, Error)]
pub(crate) enum WriteError {
    /// The store cannot be written; the message of its error.
    #[error("the change was not stored: {0}")]
    NotStored(String),
    /// The audit event of the change could not be written (D-23).
    #[error("the change was not recorded")]
    NotRecorded,
    /// The service stopped working on the write.
    #[error("the change was aborted")]
    Aborted,
    /// A change that was validated before could not be made.
    #[error("the change could not be made: {0}")]
    Unexpected(#[from] ChangeError),
    /// The changes are invalid; every problem.
    #[error("{}", changes_message(.0))]
    InvalidChanges(Vec<DocumentFault>),
    /// The changes are valid, but some of them require a license; every such change.
    #[error("{}", changes_message(.0))]
    UnlicensedChanges(Vec<DocumentFault>),
    /// The write requires a license for this.
    #[error("{}", .0.message())]
    Unlicensed(LicensedFeature),
    /// Too many changes wait for the cluster.
    #[error("too many changes wait for the cluster `{0}`; nothing was changed, repeat it later")]
    ClusterBusy(String),
    /// The ACLs of the cluster cannot be read.
    #[error(
        "nothing was changed, because the ACLs of the cluster `{cluster}` cannot be read: {reason}"
    )]
    ClusterUnavailable {
        /// The name of the cluster.
        cluster: String,
        /// Why.
        reason: String,
    },
    /// Others have changed the ACLs of the cluster since the change was planned.
    #[error(
        "nothing was changed, because the ACLs of the cluster `{0}` were changed outside of GBAC; read them again and repeat your change"
    )]
    ClusterChanged(String),
    /// Changes are sent as who makes them, and the request has no token.
    #[error(
        "nothing was changed, because the service sends changes of ACLs to the cluster `{0}` with your own token, and you have none: sign in with the identity provider, or send an access token"
    )]
    CallerNeeded(String),
    /// The cluster does not accept the token of the request.
    #[error(
        "nothing was changed, because the cluster `{cluster}` does not let you sign in with your token: {reason}"
    )]
    CallerRefused {
        /// The name of the cluster.
        cluster: String,
        /// Why, without the token.
        reason: String,
    },
    /// The cluster refused some ACLs, or all.
    #[error("{}", refused_message(cluster, *applied, *total, *has_more))]
    ClusterRefused {
        /// The name of the cluster.
        cluster: String,
        /// How many ACLs it accepted.
        applied: usize,
        /// How many ACLs the change has.
        total: usize,
        /// Whether the change also has something else, which was not made.
        has_more: bool,
        /// The ACLs that are not applied, each with the reason.
        faults: Vec<DocumentFault>,
    },
}

fn changes_message(faults: &[DocumentFault]) -> String {
    let noun = if faults.len() == 1 {
        "problem"
    } else {
        "problems"
    };
    format!(
        "the changes have {} {noun}; nothing was changed",
        faults.len()
    )
}

fn refused_message(cluster: &str, applied: usize, total: usize, has_more: bool) -> String {
    let rest = if has_more {
        "; the roles, members and settings of the change are as before"
    } else {
        ""
    };
    format!("{applied} of {total} ACL changes applied to the cluster `{cluster}`{rest}")
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
        format!(
            "{what} without a valid enterprise license; existing rules stay in effect and can be deleted"
        )
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AuditError;
