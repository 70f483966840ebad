//! The two streams of audit events, each with its file (D-125): what changes something is apart from
//! decisions, whose number anyone with weak credentials can increase until the oldest are deleted.

use std::io;
use std::path::PathBuf;

use gbac_analysis::audit::EventText;

use super::chain::ChainEnd;
use super::rotating_file::{AuditFile, AuditFileLimits};

/// The file that an event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Changes, sign-ins to the service, its start and stop, and what happens to the log itself.
    Changes,
    /// Decisions, reads and refused requests.
    Decisions,
}

impl Stream {
    /// Both of them.
    pub(crate) const ALL: [Self; 2] = [Self::Decisions, Self::Changes];

    /// Its name, and that of its files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Changes => "changes",
            Self::Decisions => "audit",
        }
    }
}

/// An event to write.
pub(super) struct Entry {
    pub(super) stream: Stream,
    pub(super) text: EventText,
}

/// Both files.
pub(super) struct AuditFiles {
    changes: AuditFile,
    decisions: AuditFile,
}

impl AuditFiles {
    /// Opens the file of decisions, and that of changes beside it.
    ///
    /// # Errors
    /// One of them cannot be opened or read.
    pub(super) fn open(
        decisions: PathBuf,
        limits: AuditFileLimits,
        now_ms: i64,
    ) -> io::Result<Self> {
        let changes = decisions.with_file_name(format!("{}.jsonl", Stream::Changes.name()));
        let of_changes = AuditFileLimits {
            total_bytes: limits.changes_total_bytes,
            ..limits
        };
        Ok(Self {
            changes: AuditFile::open(changes, of_changes, now_ms)?,
            decisions: AuditFile::open(decisions, limits, now_ms)?,
        })
    }

    /// The file of a stream.
    pub(super) const fn file(&mut self, stream: Stream) -> &mut AuditFile {
        match stream {
            Stream::Changes => &mut self.changes,
            Stream::Decisions => &mut self.decisions,
        }
    }

    /// The ends of their chains.
    pub(super) fn ends(&self) -> [(Stream, ChainEnd); 2] {
        [
            (Stream::Decisions, self.decisions.end()),
            (Stream::Changes, self.changes.end()),
        ]
    }
}
