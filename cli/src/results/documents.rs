//! The results of commands about whole policies.

use gbac_json::{DiffJson, FindingJson, Problems};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// Who gains and who loses access, and the numbers of what is added and removed.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct PolicyDifference {
    /// The difference of effective access.
    #[serde(flatten)]
    pub(crate) diff: DiffJson,
    /// The number of ACLs, roles, members, superusers and accesses to the service that are added.
    pub(crate) adds: usize,
    /// The number of those that are removed.
    pub(crate) removes: usize,
}

/// The findings of a policy.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    /// The findings.
    pub(crate) findings: Vec<FindingJson>,
}

/// The problems of policy documents.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ValidatedFiles {
    /// The documents, in the order of the arguments.
    pub(crate) files: Vec<ValidatedFile>,
}

/// The problems of one policy document.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ValidatedFile {
    /// The file.
    pub(crate) file: String,
    /// Whether it has no problem.
    pub(crate) valid: bool,
    /// Its problems.
    pub(crate) problems: Problems,
}

/// The policy documents that are not in the canonical form.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct FormattedFiles<'a> {
    /// The files that differ, or differed, from the canonical form.
    pub(crate) differing: &'a [String],
    /// Whether the canonical form was written.
    pub(crate) written: bool,
}

/// What was read from the sources of a policy, and the document that was written.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ImportedPolicy<'a> {
    /// The file that was written; null if entries could not be read, so that nothing was written.
    pub(crate) file: Option<&'a str>,
    /// The number of ACLs of the policy.
    pub(crate) acls: usize,
    /// The number of roles of the policy.
    pub(crate) roles: usize,
    /// The sources, in order.
    pub(crate) sources: Vec<ImportedSource<'a>>,
}

/// What was read from one source.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ImportedSource<'a> {
    /// The file, or the path of the service's API.
    pub(crate) source: &'a str,
    /// The format, in words.
    pub(crate) kind: &'a str,
    /// The number of ACLs, including duplicates.
    pub(crate) acls: usize,
    /// The number of ACLs that an earlier entry already has.
    pub(crate) again: usize,
    /// The number of roles.
    pub(crate) roles: usize,
    /// The number of lines before the list that were skipped, such as log lines.
    pub(crate) skipped_lines: usize,
    /// The number of objects that were left out because they are not about access, such as a
    /// `ConfigMap`.
    pub(crate) ignored: usize,
    /// The entries that could not be read.
    pub(crate) unread: Vec<UnreadEntry<'a>>,
}

/// An entry that could not be read.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UnreadEntry<'a> {
    /// The place: a line such as `line 12`, a JSON Pointer such as `/matches/3`, or empty for the
    /// whole text.
    pub(crate) place: &'a str,
    /// The stable code.
    pub(crate) code: &'a str,
    /// The error.
    pub(crate) message: &'a str,
}

/// A policy that was exported to a file, or imported from one.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TransferredPolicy<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The number of ACLs of the policy.
    pub(crate) acls: usize,
    /// The number of roles of the policy.
    pub(crate) roles: usize,
    /// The state of the service's policy; null if the service does not state it.
    pub(crate) state: Option<&'a str>,
}

/// What a merge adds to the policy of a service.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct MergedPolicy<'a> {
    /// Whether nothing was changed, because of `--dry-run`.
    pub(crate) dry: bool,
    /// The number of ACLs that the service does not have.
    pub(crate) missing_acls: usize,
    /// The number of members that roles of the service do not have.
    pub(crate) missing_members: usize,
    /// The number of ACLs that the service already has.
    pub(crate) there_already: usize,
    /// The number of calls that are needed.
    pub(crate) calls: usize,
    /// The number of calls that succeeded.
    pub(crate) done: usize,
    /// The calls that were refused, or would be.
    pub(crate) refused: Vec<RefusedCall<'a>>,
}

/// A call that was refused, or would be.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RefusedCall<'a> {
    /// The ACL or the role.
    pub(crate) what: &'a str,
    /// The error.
    pub(crate) message: &'a str,
}

/// A backup that was saved.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct SavedBackup<'a> {
    /// The file.
    pub(crate) file: &'a str,
    /// The contents.
    #[serde(flatten)]
    pub(crate) contents: BackupSummary<'a>,
}

/// A backup that was restored.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RestoredBackup<'a> {
    /// The new data folder.
    pub(crate) folder: &'a str,
    /// The contents.
    #[serde(flatten)]
    pub(crate) contents: BackupSummary<'a>,
}

/// The contents of a backup.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct BackupSummary<'a> {
    /// The number of ACLs.
    pub(crate) acls: usize,
    /// The number of roles.
    pub(crate) roles: usize,
    /// The SHA-256 of the backup, in hexadecimal digits.
    pub(crate) sha256: &'a str,
}

/// The audit files whose chains of events are intact.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct VerifiedAudit {
    /// The logs.
    pub(crate) logs: Vec<VerifiedAuditLog>,
}

/// One log whose chain is intact.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct VerifiedAuditLog {
    /// `changes` or `audit`.
    pub(crate) log: &'static str,
    /// The files, in the order of their events.
    pub(crate) files: Vec<String>,
    /// The number of events in the chain.
    pub(crate) events: u64,
    /// The number of older events without a link.
    pub(crate) unlinked_events: u64,
    /// The number of the first event; 0 if there is none.
    pub(crate) first_sequence: u64,
    /// The number of the last event.
    pub(crate) last_sequence: u64,
    /// The SHA-256 of the last line, in hexadecimal digits.
    pub(crate) sha256: String,
    /// Whether the first event continues events that are not in these files.
    pub(crate) is_excerpt: bool,
    /// Whether the last line is incomplete, because it is being written or the service was killed.
    pub(crate) ends_incomplete: bool,
}
