//! Writes audit events: what is owed, the repetitions that are due, and what requests wait for, at
//! once.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use gbac_analysis::audit::{
    Administration, Context, Endpoint, Modification, Product, User, UserKind, administration,
    service,
};
use gbac_words::audit_message::action;

use super::append::{Appended, append};
use super::backlog::{Backlog, Failing};
use super::chain::ChainEnd;
use super::job::{Job, Waiter};
use super::repeats::{Repeats, milliseconds};
use super::rotating_file::Surplus;
use super::streams::{AuditFiles, Entry, Stream};
use crate::clock::Clock;
use crate::lock::Lock;

/// The number of events kept in memory.
pub(super) const IN_MEMORY: usize = 1000;
/// The number of writes that share one.
const MAX_BATCH: usize = 256;
/// The interval at which repetitions are written, and at which a file that could not be written is
/// tried again.
const TICK: Duration = Duration::from_secs(1);
/// The seconds after which the service's log shows the newest hashes, so that they are kept
/// elsewhere, too.
const HASH_INTERVAL: f64 = 3600.0;

/// What the thread that writes the files shares with the handles of the log.
pub(super) struct AuditWriter {
    pub(super) product: Product,
    pub(super) clock: Clock,
    pub(super) recent: Lock<VecDeque<String>>,
    pub(super) repeats: Lock<Repeats>,
    /// The events that must be written before all others, and since when a file cannot be written.
    pub(super) backlog: Lock<Backlog>,
    /// The ends of the files' chains, if there are files.
    pub(super) ends: Lock<Option<[(Stream, ChainEnd); 2]>>,
    pub(super) counters: Counters,
}

/// The counters of the metrics.
#[derive(Default)]
pub(crate) struct Counters {
    /// The events written since the start.
    pub(crate) written: AtomicU64,
    /// The requests rejected because their events could not be written.
    pub(crate) failed: AtomicU64,
    /// The events that were counted in another one, because the same was written before.
    pub(crate) repeated: AtomicU64,
    /// The events beyond a budget, which were only counted.
    pub(crate) beyond_budget: AtomicU64,
    /// The rotated files that were deleted.
    pub(crate) deleted_files: AtomicU64,
}

impl AuditWriter {
    /// The thread that writes the files, until the log is dropped.
    pub(super) fn run(&self, mut files: AuditFiles, queue: &Receiver<Job>) {
        let mut shown_at = (self.clock)();
        self.delete_surplus(&mut files);
        loop {
            let mut jobs = match queue.recv_timeout(TICK) {
                Ok(job) => vec![job],
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            jobs.extend(queue.try_iter().take(MAX_BATCH));
            self.write(Some(&mut files), jobs);
            for (log, sequence, sha256) in due_hashes(&files, &mut shown_at, (self.clock)()) {
                tracing::info!(target: "audit", log, sequence, sha256, "the newest audit event; keep its hash elsewhere");
            }
        }
        self.write(
            Some(&mut files),
            vec![Job {
                entries: Vec::new(),
                done: Waiter::None,
                all: true,
            }],
        );
    }

    /// Writes what is owed, the repetitions that are due, and these events.
    pub(super) fn write(&self, files: Option<&mut AuditFiles>, jobs: Vec<Job>) {
        let now = (self.clock)();
        let all = jobs.iter().any(|job| job.all);
        let repeated = self.repeats.with(|repeats| {
            if all {
                repeats.take_all()
            } else {
                repeats.take_due(now)
            }
        });
        let (mut early, resumed) = self.backlog.with(|backlog| {
            let entries: Vec<Entry> = std::mem::take(&mut backlog.entries).into();
            let failing = backlog.failing.as_ref();
            let resumed = failing.map(|failing| self.resumed(failing, milliseconds(now)));
            (entries, resumed)
        });
        early.extend(repeated);
        if jobs.is_empty() && early.is_empty() && resumed.is_none() {
            return;
        }
        let mut entries: Vec<&Entry> = early.iter().collect();
        for job in &jobs {
            entries.extend(&job.entries);
        }
        let Some(files) = files else {
            let texts = entries.iter().map(|entry| entry.text.as_str().to_owned());
            self.publish(texts.collect());
            return jobs.into_iter().for_each(|job| job.done.answer(Ok(())));
        };
        let checks_both = resumed.is_some() || jobs.iter().any(|job| job.entries.is_empty());
        let mut appended = append(
            files,
            resumed.as_ref(),
            &entries,
            checks_both,
            milliseconds(now),
        );
        // Updated after the files, so that readers of the latest events do not wait for the disk.
        self.publish(std::mem::take(&mut appended.lines));
        self.note_ends(files);
        if appended.failures.is_empty() {
            if checks_both
                && self
                    .backlog
                    .with(|backlog| backlog.failing.take())
                    .is_some()
            {
                tracing::info!(target: "audit", "the audit log is written again");
            }
        } else {
            self.fail(&appended, early, &jobs, milliseconds(now));
        }
        for job in jobs {
            let answer = appended.answer(&job);
            job.done.answer(answer);
        }
        self.delete_surplus(files);
    }

    /// Adds lines that were written to the latest events.
    fn publish(&self, lines: Vec<String>) {
        self.counters
            .written
            .fetch_add(u64::try_from(lines.len()).unwrap_or(u64::MAX), Relaxed);
        self.recent.with(|recent| {
            recent.extend(lines);
            let surplus = recent.len().saturating_sub(IN_MEMORY);
            recent.drain(..surplus);
        });
    }

    /// Notes the ends of the chains.
    pub(super) fn note_ends(&self, files: &AuditFiles) {
        self.ends.with(|ends| *ends = Some(files.ends()));
    }

    /// Deletes the oldest files beyond the total size. What cannot be recorded is not deleted.
    fn delete_surplus(&self, files: &mut AuditFiles) {
        for stream in Stream::ALL {
            while let Some(surplus) = files.file(stream).surplus() {
                let now_ms = milliseconds((self.clock)());
                let event = self.deleted(&surplus, now_ms);
                match files.file(Stream::Changes).append(&[&event.text], now_ms) {
                    Ok(lines) => self.publish(lines),
                    Err(error) => {
                        let file = surplus.name();
                        tracing::warn!(target: "audit", %error, %file, "an old audit file is kept, because its deletion cannot be recorded");
                        return;
                    }
                }
                self.note_ends(files);
                if !files.file(stream).delete(&surplus) {
                    break;
                }
                self.counters.deleted_files.fetch_add(1, Relaxed);
            }
        }
    }

    /// Keeps what belongs to no request that can be refused, and notes since when a file cannot be
    /// written.
    fn fail(&self, appended: &Appended, early: Vec<Entry>, jobs: &[Job], now_ms: i64) {
        let Some((_, error)) = appended.failures.first() else {
            return;
        };
        let refused = jobs
            .iter()
            .filter(|job| !job.entries.is_empty() && appended.answer(job).is_err())
            .count();
        let refused = u64::try_from(refused).unwrap_or(u64::MAX);
        self.counters.failed.fetch_add(refused, Relaxed);
        let is_new = self.backlog.with(|backlog| {
            for entry in early {
                if appended.has_failed(entry.stream) {
                    backlog.keep(entry);
                }
            }
            let is_new = backlog.failing.is_none();
            let failing = backlog.failing.get_or_insert_with(|| Failing {
                since_ms: now_ms,
                reason: error.to_string(),
                refused: 0,
            });
            failing.refused += refused;
            is_new
        });
        if is_new {
            tracing::error!(target: "audit", %error, "the audit log cannot be written; requests that need it are rejected");
        }
    }

    fn resumed(&self, failing: &Failing, now_ms: i64) -> Entry {
        self.own(
            Modification::LogResumed {
                since_ms: failing.since_ms,
                refused: failing.refused,
            },
            now_ms,
        )
    }

    fn deleted(&self, surplus: &Surplus, now_ms: i64) -> Entry {
        let (name, sha256) = (surplus.name(), surplus.end.sha256());
        let deletion = Modification::LogFileDeleted {
            name: &name,
            bytes: surplus.bytes,
            last_sequence: surplus.end.sequence,
            last_sha256: &sha256,
        };
        self.own(deletion, now_ms)
    }

    /// An event of the log itself.
    fn own(&self, modification: Modification<'_>, now_ms: i64) -> Entry {
        let event = administration(&Administration {
            context: Context {
                time_ms: now_ms,
                product: &self.product,
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
                correlation_uid: None,
                invoked_by: None,
            },
            user: User {
                name: "gbac",
                kind: UserKind::System,
                ..User::default()
            },
            protocol: None,
            action: &action(&modification),
            modification,
            reason: None,
            state: None,
        });
        Entry {
            stream: Stream::Changes,
            text: event.to_text(),
        }
    }
}

/// The newest event of each file: the file, its number, and the SHA-256 of its line.
pub(super) fn newest(ends: [(Stream, ChainEnd); 2]) -> Vec<(&'static str, u64, String)> {
    let written = ends.into_iter().filter(|(_, end)| end.sequence > 0);
    written
        .map(|(stream, end)| (stream.name(), end.sequence, end.sha256()))
        .collect()
}

/// The newest events, once in an interval; a clock that is set back begins another one.
pub(super) fn due_hashes(
    files: &AuditFiles,
    shown_at: &mut f64,
    now: f64,
) -> Vec<(&'static str, u64, String)> {
    if (0.0..HASH_INTERVAL).contains(&(now - *shown_at)) {
        return Vec::new();
    }
    *shown_at = now;
    newest(files.ends())
}
