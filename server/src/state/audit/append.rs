//! Appends events to the two files, and says what became of them.

use std::io;

use gbac_analysis::audit::EventText;

use super::job::Job;
use super::streams::{AuditFiles, Entry, Stream};
use crate::state::error::AuditError;

/// What became of events.
#[derive(Default)]
pub(super) struct Appended {
    /// The lines that were written, in the order of the events.
    pub(super) lines: Vec<String>,
    /// The files that could not be written, and why.
    pub(super) failures: Vec<(Stream, io::Error)>,
}

impl Appended {
    /// Whether the file of a stream could not be written.
    pub(super) fn has_failed(&self, stream: Stream) -> bool {
        self.failures.iter().any(|(failed, _)| *failed == stream)
    }

    /// The result of a job.
    pub(super) fn answer(&self, job: &Job) -> Result<(), AuditError> {
        let has_failed = match job.entries.as_slice() {
            [] => !self.failures.is_empty(),
            entries => entries.iter().any(|entry| self.has_failed(entry.stream)),
        };
        if has_failed { Err(AuditError) } else { Ok(()) }
    }
}

/// Appends events to their files. If both can be written, what says so comes first.
pub(super) fn append(
    files: &mut AuditFiles,
    resumed: Option<&Entry>,
    entries: &[&Entry],
    checks_both: bool,
    now_ms: i64,
) -> Appended {
    let (mut appended, mut first) = (Appended::default(), None);
    let [mut of_decisions, mut of_changes] = Stream::ALL.map(|stream| {
        if stream == Stream::Changes && appended.failures.is_empty() {
            first = resumed;
        }
        let mut events: Vec<&EventText> = Vec::new();
        for entry in first.iter().chain(entries) {
            if entry.stream == stream {
                events.push(&entry.text);
            }
        }
        if events.is_empty() && !checks_both {
            return Vec::new().into_iter();
        }
        match files.file(stream).append(&events, now_ms) {
            Ok(lines) => lines.into_iter(),
            Err(error) => {
                appended.failures.push((stream, error));
                Vec::new().into_iter()
            }
        }
    });
    for entry in first.iter().chain(entries) {
        appended.lines.extend(match entry.stream {
            Stream::Decisions => of_decisions.next(),
            Stream::Changes => of_changes.next(),
        });
    }
    appended
}
