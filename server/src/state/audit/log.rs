//! Where audit events are kept: a file of JSON Lines, and the latest in memory.
//!
//! One thread writes the file. It takes everything that waits, and writes it at once; a request waits until its events are
//! written.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gbac_analysis::audit::{
    Administration, Context, Endpoint, Event, Modification, Product, User, UserKind, administration, service,
};
use tokio::sync::oneshot;

use super::file::{AuditFile, AuditFileLimits};
use super::repeats::{Admission, RepeatKey, Repeats, milliseconds};
use crate::clock::Clock;
use crate::lock::Lock;
use crate::state::error::AuditError;

/// The number of events kept in memory.
const IN_MEMORY: usize = 1000;
/// The number of events that are kept to be written later, because the file cannot be written.
const MAX_OWED: usize = 1000;
/// The number of writes that share one.
const MAX_BATCH: usize = 256;
/// The interval at which repetitions are written, and at which a file that could not be written is tried again.
const TICK: Duration = Duration::from_secs(1);

/// The audit log; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct AuditLog(Arc<Parts>);

struct Parts {
    shared: Arc<Shared>,
    /// The thread that writes the file, if there is one.
    writer: Option<Writer>,
}

struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Writer {
    /// Writes what is left, and waits for it.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Lines to write, and who waits for them.
struct Job {
    lines: Vec<String>,
    done: Waiter,
    /// Whether repetitions are written although their minute is not over.
    all: bool,
}

/// Who waits until a job is done.
enum Waiter {
    /// A task of the async runtime.
    Task(oneshot::Sender<Result<(), AuditError>>),
    /// A thread that may block. Unlike one that waits for a task's channel, it may belong to the runtime.
    Thread(SyncSender<Result<(), AuditError>>),
    /// Nobody: the log ends.
    Nobody,
}

impl Waiter {
    fn answer(self, result: Result<(), AuditError>) {
        match self {
            // The request may have been canceled.
            Self::Task(done) => drop(done.send(result)),
            Self::Thread(done) => drop(done.send(result)),
            Self::Nobody => {}
        }
    }
}

struct Shared {
    product: Product,
    clock: Clock,
    recent: Lock<VecDeque<String>>,
    repeats: Lock<Repeats>,
    /// The lines that must be written before all others, and since when the file cannot be written.
    backlog: Lock<Backlog>,
    counters: Counters,
}

/// What could not be written.
#[derive(Default)]
struct Backlog {
    lines: VecDeque<String>,
    failing: Option<Failing>,
}

/// Since when the file cannot be written, why, and how many requests were refused for that.
struct Failing {
    since_ms: i64,
    reason: String,
    refused: u64,
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

impl AuditLog {
    /// A log that appends to this file, or only keeps events in memory.
    ///
    /// # Errors
    /// The file cannot be opened for writing.
    pub(crate) fn new(file: Option<PathBuf>, limits: AuditFileLimits, clock: Clock) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            // The service is the only node of its cluster.
            product: Product { uid: Some("0".into()), ..Product::default() },
            clock,
            recent: Lock::default(),
            repeats: Lock::default(),
            backlog: Lock::default(),
            counters: Counters::default(),
        });
        let writer = match file {
            Some(path) => {
                let file = AuditFile::open(path, limits, milliseconds(clock()))?;
                let ((jobs, queue), shared) = (channel(), Arc::clone(&shared));
                let thread = thread::Builder::new().name("audit".into()).spawn(move || shared.run(file, &queue))?;
                Some(Writer { jobs: Some(jobs), thread: Some(thread) })
            }
            None => None,
        };
        Ok(Self(Arc::new(Parts { shared, writer })))
    }

    pub(super) fn product(&self) -> &Product {
        &self.0.shared.product
    }

    /// The counters of the metrics.
    pub(crate) fn counters(&self) -> &Counters {
        &self.0.shared.counters
    }

    /// Why the file cannot be written, if the last write failed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.0.shared.backlog.with(|backlog| backlog.failing.as_ref().map(|failing| failing.reason.clone()))
    }

    /// The latest events as lines of JSON, newest first; those that are still counted come first.
    pub(crate) fn recent(&self, limit: usize) -> Vec<String> {
        let mut lines: Vec<String> =
            self.0.shared.repeats.with(|repeats| repeats.pending()).iter().map(Event::to_line).collect();
        self.0.shared.recent.with(|recent| lines.extend(recent.iter().rev().take(limit).cloned()));
        lines.truncate(limit);
        lines
    }

    /// Writes all of the events or none. When this returns, the operating system has them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) async fn write(&self, events: &[Event]) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        self.submit(events, false).await.unwrap_or(Err(AuditError))
    }

    /// [`AuditLog::write`] on a thread that may block.
    ///
    /// # Errors
    /// See there.
    pub(super) fn write_now(&self, events: &[Event]) -> Result<(), AuditError> {
        if events.is_empty() {
            return Ok(());
        }
        let (done, answer) = sync_channel(1);
        self.send(Job { lines: events.iter().map(Event::to_line).collect(), done: Waiter::Thread(done), all: false });
        answer.recv().unwrap_or(Err(AuditError))
    }

    /// Checks that events can be written.
    ///
    /// # Errors
    /// They cannot; see [`AuditLog::failure`].
    pub(crate) async fn check(&self) -> Result<(), AuditError> {
        self.submit(&[], false).await.unwrap_or(Err(AuditError))
    }

    /// Writes the repetitions that were counted so far.
    pub(crate) async fn flush(&self) {
        let _ = self.submit(&[], true).await;
    }

    /// Counts an event as a repetition, or returns it to be written.
    pub(super) fn admit(&self, admit: impl FnOnce(&mut Repeats, f64) -> Admission) -> Vec<Event> {
        let Shared { repeats, counters, clock, .. } = &*self.0.shared;
        match repeats.with(|repeats| admit(repeats, clock())) {
            Admission::Write(events) => return events,
            Admission::Repeated => counters.repeated.fetch_add(1, Relaxed),
            Admission::BeyondBudget => counters.beyond_budget.fetch_add(1, Relaxed),
        };
        Vec::new()
    }

    /// Forgets an event that could not be written.
    pub(super) fn forget(&self, key: RepeatKey) {
        self.0.shared.repeats.with(|repeats| repeats.forget(key));
    }

    /// Keeps the events of a write that failed until they can be written, and writes them to the service's log. Their request is not
    /// refused, so it does not count as such.
    pub(super) fn owe(&self, events: &[Event]) {
        self.0.shared.counters.failed.fetch_sub(1, Relaxed);
        self.0.shared.backlog.with(|backlog| {
            if let Some(failing) = &mut backlog.failing {
                failing.refused = failing.refused.saturating_sub(1);
            }
        });
        for event in events {
            let line = event.to_line();
            tracing::warn!(target: "audit", event = line, "audit event not written; it is kept for later");
        }
        self.keep(events);
    }

    /// Keeps events until they can be written.
    pub(super) fn keep(&self, events: &[Event]) {
        self.0.shared.backlog.with(|backlog| events.iter().for_each(|event| backlog.keep(event.to_line())));
    }

    fn submit(&self, events: &[Event], all: bool) -> oneshot::Receiver<Result<(), AuditError>> {
        let (done, answer) = oneshot::channel();
        self.send(Job { lines: events.iter().map(Event::to_line).collect(), done: Waiter::Task(done), all });
        answer
    }

    fn send(&self, job: Job) {
        match self.0.writer.as_ref().and_then(|writer| writer.jobs.as_ref()) {
            // If the thread is gone, the answer is dropped, which is a failure.
            Some(jobs) => drop(jobs.send(job)),
            None => self.0.shared.write(None, vec![job]),
        }
    }
}

impl Backlog {
    fn keep(&mut self, line: String) {
        if self.lines.len() < MAX_OWED {
            self.lines.push_back(line);
        }
    }
}

impl Shared {
    /// The thread that writes the file, until the log is dropped.
    fn run(&self, mut file: AuditFile, queue: &Receiver<Job>) {
        loop {
            let mut jobs = match queue.recv_timeout(TICK) {
                Ok(job) => vec![job],
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            jobs.extend(queue.try_iter().take(MAX_BATCH));
            self.write(Some(&mut file), jobs);
        }
        self.write(Some(&mut file), vec![Job { lines: Vec::new(), done: Waiter::Nobody, all: true }]);
    }

    /// Writes what is owed, the repetitions that are due, and these lines.
    fn write(&self, file: Option<&mut AuditFile>, jobs: Vec<Job>) {
        let now = (self.clock)();
        let now_ms = milliseconds(now);
        let all = jobs.iter().any(|job| job.all);
        let repeated = self.repeats.with(|repeats| if all { repeats.take_all() } else { repeats.take_due(now) });
        let (mut early, resumed) = self.backlog.with(|backlog| {
            let lines: Vec<String> = std::mem::take(&mut backlog.lines).into();
            (lines, backlog.failing.as_ref().map(|failing| self.resumed(failing, now_ms).to_line()))
        });
        early.extend(repeated.iter().map(Event::to_line));
        let lines = resumed.iter().chain(&early).chain(jobs.iter().flat_map(|job| &job.lines));
        if jobs.is_empty() && lines.clone().next().is_none() {
            return;
        }
        let result = match file {
            Some(file) => {
                let text: String = lines.clone().flat_map(|line| [line.as_str(), "\n"]).collect();
                let result = file.append(&text, now_ms);
                self.counters.deleted_files.store(file.deleted(), Relaxed);
                result
            }
            None => Ok(()),
        };
        let answer = match result {
            Ok(()) => {
                let count = lines.clone().count();
                // Updated after the file, so that readers of the latest events do not wait for the disk.
                self.recent.with(|recent| {
                    recent.extend(lines.cloned());
                    let surplus = recent.len().saturating_sub(IN_MEMORY);
                    recent.drain(..surplus);
                });
                self.counters.written.fetch_add(u64::try_from(count).unwrap_or(u64::MAX), Relaxed);
                if self.backlog.with(|backlog| backlog.failing.take()).is_some() {
                    tracing::info!(target: "audit", "the audit log is written again");
                }
                Ok(())
            }
            Err(error) => {
                self.fail(&error, early, &jobs, now_ms);
                Err(AuditError)
            }
        };
        for job in jobs {
            job.done.answer(answer);
        }
    }

    /// Keeps what belongs to no request that can be refused, and notes since when the file cannot be written.
    fn fail(&self, error: &io::Error, early: Vec<String>, jobs: &[Job], now_ms: i64) {
        let refused = jobs.iter().filter(|job| !job.lines.is_empty()).count();
        let refused = u64::try_from(refused).unwrap_or(u64::MAX);
        self.counters.failed.fetch_add(refused, Relaxed);
        let is_new = self.backlog.with(|backlog| {
            early.into_iter().for_each(|line| backlog.keep(line));
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

    fn resumed(&self, failing: &Failing, now_ms: i64) -> Event {
        administration(&Administration {
            context: Context {
                time_ms: now_ms,
                product: &self.product,
                service: service::ADMIN,
                server: Endpoint::default(),
                client: Endpoint::default(),
                correlation_uid: None,
                invoked_by: None,
            },
            user: User { name: "gbac", kind: UserKind::System, ..User::default() },
            protocol: None,
            modification: Modification::LogResumed { since_ms: failing.since_ms, refused: failing.refused },
            state: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use gbac_analysis::audit::{AuthProtocol, Authentication, SignInResult, authentication};
    use serde_json::Value;

    use super::*;

    const LIMITS: AuditFileLimits =
        AuditFileLimits { file_bytes: 0, file_seconds: 0, total_bytes: 0, reserve_bytes: 0 };

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
            user: User { name, ..User::default() },
            protocol: AuthProtocol::Oauth2,
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        })
    }

    fn name(line: &str) -> String {
        match serde_json::from_str::<Value>(line) {
            Ok(event) => event["user"]["name"].as_str().or(event["message"].as_str()).unwrap().to_owned(),
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
        log.write(&[event(&log, "a"), event(&log, "b")]).await.unwrap();
        log.write(&[event(&log, "c")]).await.unwrap();
        assert_eq!(users(&path), ["a", "b", "c"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::rename(&path, folder.path().join("audit.1")).unwrap();
        log.write(&[event(&log, "d")]).await.unwrap();
        assert_eq!(users(&path), ["d"], "a new file after a rotation by another program");
        fs::remove_file(&path).unwrap();
        log.write(&[event(&log, "e")]).await.unwrap();
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
            let (log, pair) = (log.clone(), [event(&log, &format!("{n}a")), event(&log, &format!("{n}b"))]);
            writers.spawn(async move { log.write(&pair).await });
        }
        for done in writers.join_all().await {
            done.unwrap();
        }
        let written = users(&path);
        let mut kept: Vec<String> = log.recent(IN_MEMORY).iter().map(|line| name(line)).collect();
        kept.reverse();
        assert_eq!((written.len(), &written), (100, &kept));
        assert!(written.chunks(2).all(|pair| pair[0].trim_end_matches('a') == pair[1].trim_end_matches('b')));
    }

    #[tokio::test]
    async fn an_incomplete_line_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"half").unwrap();
        let log = log(&path);
        log.write(&[event(&log, "a")]).await.unwrap();
        log.write(&[event(&log, "b")]).await.unwrap();
        assert_eq!(users(&path), ["torn", "a", "b"]);
    }

    #[tokio::test]
    async fn what_is_owed_comes_first_once_the_file_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        log.write(&[event(&log, "a")]).await.unwrap_err();
        assert_eq!((log.recent(9).len(), log.counters().failed.load(Relaxed)), (0, 1));
        assert!(log.failure().is_some() && log.check().await.is_err());
        let owed = [event(&log, "b")];
        log.write(&owed).await.unwrap_err();
        log.owe(&owed);
        fs::remove_dir(&path).unwrap();
        log.check().await.unwrap();
        assert_eq!(log.failure(), None);
        assert_eq!(users(&path), ["gbac writes the audit log again; requests refused in between: 1", "b"]);
        let nowhere = folder.path().join("none/audit.jsonl");
        assert!(AuditLog::new(Some(nowhere), LIMITS, || 1.0).is_err());
    }

    #[tokio::test]
    async fn the_latest_events_are_bounded_and_newest_first() {
        let log = AuditLog::new(None, LIMITS, || 1.0).unwrap();
        for n in 0..=IN_MEMORY {
            log.write(&[event(&log, &n.to_string())]).await.unwrap();
        }
        let names: Vec<String> = log.recent(IN_MEMORY + 9).iter().map(|line| name(line)).collect();
        assert_eq!((names.len(), names[0].as_str(), names[IN_MEMORY - 1].as_str()), (IN_MEMORY, "1000", "1"));
        assert_eq!(log.recent(2).len(), 2);
    }
}
