//! Where audit events are kept: two files of JSON Lines, and the latest in memory.
//!
//! One thread writes the files. It takes everything that waits, and writes it at once; a request
//! waits until its events are written.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use gbac_analysis::audit::{Event, Product};
use tokio::sync::oneshot;

use super::job::{Job, Waiter};
use super::repeat_key::RepeatKey;
use super::repeats::{Admission, Repeats, milliseconds};
use super::rotating_file::AuditFileLimits;
use super::streams::{AuditFiles, Entry, Stream};
use super::writer::{AuditWriter, Counters, newest};
use crate::clock::Clock;
use crate::lock::Lock;
use crate::state::error::AuditError;

/// The audit log; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct AuditLog(Arc<Parts>);

struct Parts {
    writer: Arc<AuditWriter>,
    /// The thread that writes the files, if there are files.
    thread: Option<WriterThread>,
}

struct WriterThread {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for WriterThread {
    /// Writes what is left, and waits for it.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl AuditLog {
    /// A log that appends decisions to this file and changes to one beside it, or only keeps events
    /// in memory.
    ///
    /// # Errors
    /// A file cannot be opened for writing.
    pub(crate) fn new(
        file: Option<PathBuf>,
        limits: AuditFileLimits,
        clock: Clock,
    ) -> io::Result<Self> {
        let writer = Arc::new(AuditWriter {
            // The service is the only node of its cluster.
            product: Product {
                uid: Some("0".into()),
                ..Product::default()
            },
            clock,
            recent: Lock::default(),
            repeats: Lock::default(),
            backlog: Lock::default(),
            ends: Lock::default(),
            counters: Counters::default(),
        });
        let thread = match file {
            Some(path) => {
                let files = AuditFiles::open(path, limits, milliseconds(clock()))?;
                writer.note_ends(&files);
                let ((jobs, queue), writer) = (channel(), Arc::clone(&writer));
                let thread = thread::Builder::new()
                    .name("audit".into())
                    .spawn(move || writer.run(files, &queue))?;
                Some(WriterThread {
                    jobs: Some(jobs),
                    thread: Some(thread),
                })
            }
            None => None,
        };
        Ok(Self(Arc::new(Parts { writer, thread })))
    }

    pub(super) fn product(&self) -> &Product {
        &self.0.writer.product
    }

    /// The counters of the metrics.
    pub(crate) fn counters(&self) -> &Counters {
        &self.0.writer.counters
    }

    /// The newest event of each file: the file, its number, and the SHA-256 of its line.
    pub(crate) fn newest(&self) -> Vec<(&'static str, u64, String)> {
        match self.0.writer.ends.with(|ends| *ends) {
            Some(ends) => newest(ends),
            None => Vec::new(),
        }
    }

    /// Why a file cannot be written, if the last write failed.
    pub(crate) fn failure(&self) -> Option<String> {
        let backlog = &self.0.writer.backlog;
        backlog.with(|backlog| Some(backlog.failing.as_ref()?.reason.clone()))
    }

    /// The latest events as lines of JSON, newest first; those that are still counted come first.
    pub(crate) fn recent(&self, limit: usize) -> Vec<String> {
        let pending = self.0.writer.repeats.with(|repeats| repeats.pending());
        let mut lines: Vec<String> = pending.iter().take(limit).map(Event::to_line).collect();
        self.0
            .writer
            .recent
            .with(|recent| lines.extend(recent.iter().rev().take(limit).cloned()));
        lines.truncate(limit);
        lines
    }

    /// Writes all of the events or none. When this returns, the operating system has them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn write(&self, stream: Stream, events: &[Event]) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        self.submit(entries(stream, events), false)
            .await
            .unwrap_or(Err(AuditError))
    }

    /// [`AuditLog::write`] on a thread that may block.
    ///
    /// # Errors
    /// See there.
    pub(super) fn write_now(&self, stream: Stream, events: &[Event]) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        let (done, answer) = sync_channel(1);
        self.send(Job {
            entries: entries(stream, events),
            done: Waiter::Thread(done),
            all: false,
        });
        answer.recv().unwrap_or(Err(AuditError))
    }

    /// Checks that events can be written.
    ///
    /// # Errors
    /// They cannot; see [`AuditLog::failure`].
    pub(crate) async fn check(&self) -> Result<(), AuditError> {
        self.submit(Vec::new(), false)
            .await
            .unwrap_or(Err(AuditError))
    }

    /// Writes the repetitions that were counted so far.
    pub(crate) async fn flush(&self) {
        let _ = self.submit(Vec::new(), true).await;
    }

    /// Counts an event as a repetition, or returns it to be written.
    pub(super) fn admit(&self, admit: impl FnOnce(&mut Repeats, f64) -> Admission) -> Vec<Event> {
        let AuditWriter {
            repeats,
            counters,
            clock,
            ..
        } = &*self.0.writer;
        match repeats.with(|repeats| admit(repeats, clock())) {
            Admission::Write(events) => return events,
            Admission::Repeated => counters.repeated.fetch_add(1, Relaxed),
            Admission::BeyondBudget => counters.beyond_budget.fetch_add(1, Relaxed),
        };
        Vec::new()
    }

    /// Forgets an event that could not be written.
    pub(super) fn forget(&self, key: RepeatKey) {
        self.0.writer.repeats.with(|repeats| repeats.forget(key));
    }

    /// Keeps the events of a write that failed until they can be written, and writes them to the
    /// service's log. Their request is not refused, so it does not count as such.
    pub(super) fn owe(&self, stream: Stream, events: &[Event]) {
        self.0.writer.counters.failed.fetch_sub(1, Relaxed);
        self.0.writer.backlog.with(|backlog| {
            if let Some(failing) = &mut backlog.failing {
                failing.refused = failing.refused.saturating_sub(1);
            }
        });
        for event in events {
            let line = event.to_line();
            tracing::warn!(target: "audit", event = line, "audit event not written; it is kept for later");
        }
        self.keep(stream, events);
    }

    /// Keeps events until they can be written.
    pub(super) fn keep(&self, stream: Stream, events: &[Event]) {
        self.0.writer.backlog.with(|backlog| {
            entries(stream, events)
                .into_iter()
                .for_each(|entry| backlog.keep(entry));
        });
    }

    fn submit(&self, entries: Vec<Entry>, all: bool) -> oneshot::Receiver<Result<(), AuditError>> {
        let (done, answer) = oneshot::channel();
        self.send(Job {
            entries,
            done: Waiter::Task(done),
            all,
        });
        answer
    }

    fn send(&self, job: Job) {
        if let Some(thread) = &self.0.thread
            && let Some(jobs) = &thread.jobs
        {
            // If the thread is gone, the answer is dropped, which is a failure.
            drop(jobs.send(job));
        } else {
            self.0.writer.write(None, vec![job]);
        }
    }
}

fn entries(stream: Stream, events: &[Event]) -> Vec<Entry> {
    events
        .iter()
        .map(|event| Entry {
            stream,
            text: event.to_text(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use gbac_analysis::audit::{
        AuthProtocol, Authentication, Context, Endpoint, SignInResult, User, authentication,
        service,
    };
    use serde_json::Value;

    use super::super::writer::{IN_MEMORY, due_hashes};
    use super::*;

    const LIMITS: AuditFileLimits = AuditFileLimits {
        file_bytes: 0,
        file_seconds: 0,
        total_bytes: 0,
        changes_total_bytes: 0,
        reserve_bytes: 0,
    };

    fn log(path: &Path) -> AuditLog {
        AuditLog::new(Some(path.to_owned()), LIMITS, || 1.0).unwrap()
    }

    fn event(log: &AuditLog, name: &str) -> Event {
        authentication(&Authentication {
            context: Context {
                time_ms: 1,
                product: log.product(),
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
                correlation_uid: None,
                invoked_by: None,
            },
            user: User {
                name,
                ..User::default()
            },
            protocol: AuthProtocol::Oauth2,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        })
    }

    fn name(line: &str) -> String {
        match serde_json::from_str::<Value>(line) {
            Ok(event) => event["user"]["name"]
                .as_str()
                .or(event["message"].as_str())
                .unwrap()
                .to_owned(),
            Err(_) => "torn".to_owned(),
        }
    }

    fn users(path: &Path) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(name).collect()
    }

    #[tokio::test]
    async fn events_are_appended_to_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        log.write(Stream::Decisions, &[event(&log, "a"), event(&log, "b")])
            .await
            .unwrap();
        log.write(Stream::Decisions, &[event(&log, "c")])
            .await
            .unwrap();
        assert_eq!(users(&path), ["a", "b", "c"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        fs::rename(&path, folder.path().join("audit.1")).unwrap();
        log.write(Stream::Decisions, &[event(&log, "d")])
            .await
            .unwrap();
        assert_eq!(
            users(&path),
            ["d"],
            "a new file after a rotation by another program"
        );
        fs::remove_file(&path).unwrap();
        log.write(Stream::Decisions, &[event(&log, "e")])
            .await
            .unwrap();
        assert_eq!(users(&path), ["e"], "a new file after it was removed");
        assert_eq!(log.counters().written.load(Relaxed), 5);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn concurrent_writers_write_whole_lines_in_one_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        let mut writers = tokio::task::JoinSet::new();
        for n in 0..50 {
            let (log, pair) = (
                log.clone(),
                [event(&log, &format!("{n}a")), event(&log, &format!("{n}b"))],
            );
            writers.spawn(async move { log.write(Stream::Decisions, &pair).await });
        }
        for done in writers.join_all().await {
            done.unwrap();
        }
        let written = users(&path);
        let mut kept: Vec<String> = log
            .recent(IN_MEMORY)
            .iter()
            .map(|line| name(line))
            .collect();
        kept.reverse();
        assert_eq!((written.len(), &written), (100, &kept));
        assert!(
            written
                .chunks(2)
                .all(|pair| pair[0].trim_end_matches('a') == pair[1].trim_end_matches('b'))
        );
    }

    #[tokio::test]
    async fn an_incomplete_line_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"half").unwrap();
        let log = log(&path);
        log.write(Stream::Decisions, &[event(&log, "a")])
            .await
            .unwrap();
        log.write(Stream::Decisions, &[event(&log, "b")])
            .await
            .unwrap();
        assert_eq!(users(&path), ["a", "b"]);
    }

    #[tokio::test]
    async fn what_is_owed_comes_first_once_the_file_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        log.write(Stream::Decisions, &[event(&log, "a")])
            .await
            .unwrap_err();
        assert_eq!(
            (log.recent(9).len(), log.counters().failed.load(Relaxed)),
            (0, 1)
        );
        assert!(log.failure().is_some() && log.check().await.is_err());
        let owed = [event(&log, "b")];
        log.write(Stream::Decisions, &owed).await.unwrap_err();
        log.owe(Stream::Decisions, &owed);
        log.write(Stream::Changes, &[event(&log, "c")])
            .await
            .unwrap();
        fs::remove_dir(&path).unwrap();
        log.check().await.unwrap();
        assert_eq!(log.failure(), None);
        assert_eq!(users(&path), ["b"]);
        let changes = folder.path().join("changes.jsonl");
        assert_eq!(
            users(&changes),
            [
                "c",
                "gbac writes the audit log again; requests refused in between: 1"
            ]
        );
        let nowhere = folder.path().join("none/audit.jsonl");
        assert!(AuditLog::new(Some(nowhere), LIMITS, || 1.0).is_err());
    }

    #[tokio::test]
    async fn the_newest_hashes_are_due_every_hour() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        log.write(Stream::Changes, &[event(&log, "a"), event(&log, "b")])
            .await
            .unwrap();
        log.write(Stream::Decisions, &[event(&log, "c")])
            .await
            .unwrap();
        let files = AuditFiles::open(path, LIMITS, 1).unwrap();
        let mut shown_at = 1000.0;
        assert!(due_hashes(&files, &mut shown_at, 4599.0).is_empty());
        let due = due_hashes(&files, &mut shown_at, 4600.0);
        assert_eq!(due, log.newest());
        assert_eq!(
            due.iter()
                .map(|(log, sequence, _)| (*log, *sequence))
                .collect::<Vec<_>>(),
            [("audit", 1), ("changes", 2)]
        );
        assert!(due_hashes(&files, &mut shown_at, 4600.0).is_empty());
        assert_eq!(
            due_hashes(&files, &mut shown_at, 10.0).len(),
            2,
            "after the clock was set back"
        );
    }

    #[tokio::test]
    async fn the_latest_events_are_bounded_and_newest_first() {
        let log = AuditLog::new(None, LIMITS, || 1.0).unwrap();
        for n in 0..=IN_MEMORY {
            log.write(Stream::Decisions, &[event(&log, &n.to_string())])
                .await
                .unwrap();
        }
        let names: Vec<String> = log
            .recent(IN_MEMORY + 9)
            .iter()
            .map(|line| name(line))
            .collect();
        assert_eq!(
            (
                names.len(),
                names[0].as_str(),
                names[IN_MEMORY - 1].as_str()
            ),
            (IN_MEMORY, "1000", "1")
        );
        assert_eq!(log.recent(2).len(), 2);
    }
}
