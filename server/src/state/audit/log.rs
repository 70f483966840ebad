//! Where audit events are kept: two files of JSON Lines, and the latest in memory.
//!
//! One thread writes the files. It takes everything that waits, and writes it at once; a request waits until its events are
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
    Administration, Context, Endpoint, Event, EventText, Modification, Product, User, UserKind, administration, service,
};
use tokio::sync::oneshot;

use super::chain::ChainEnd;
use super::file::{AuditFileLimits, Surplus};
use super::files::{AuditFiles, Entry, Stream};
use super::repeat_key::RepeatKey;
use super::repeats::{Admission, Repeats, milliseconds};
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
/// The seconds after which the service's log shows the newest hashes, so that they are kept elsewhere, too.
const HASH_INTERVAL: f64 = 3600.0;

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

/// Events to write, and who waits for them. Without events, it asks whether both files can be written.
struct Job {
    entries: Vec<Entry>,
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
    /// The events that must be written before all others, and since when a file cannot be written.
    backlog: Lock<Backlog>,
    /// The ends of the files' chains, if there are files.
    ends: Lock<Option<[(Stream, ChainEnd); 2]>>,
    counters: Counters,
}

/// What could not be written.
#[derive(Default)]
struct Backlog {
    entries: VecDeque<Entry>,
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
    /// A log that appends decisions to this file and changes to one beside it, or only keeps events in memory.
    ///
    /// # Errors
    /// A file cannot be opened for writing.
    pub(crate) fn new(file: Option<PathBuf>, limits: AuditFileLimits, clock: Clock) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            // The service is the only node of its cluster.
            product: Product { uid: Some("0".into()), ..Product::default() },
            clock,
            recent: Lock::default(),
            repeats: Lock::default(),
            backlog: Lock::default(),
            ends: Lock::default(),
            counters: Counters::default(),
        });
        let writer = match file {
            Some(path) => {
                let files = AuditFiles::open(path, limits, milliseconds(clock()))?;
                shared.note_ends(&files);
                let ((jobs, queue), shared) = (channel(), Arc::clone(&shared));
                let thread = thread::Builder::new().name("audit".into()).spawn(move || shared.run(files, &queue))?;
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

    /// The newest event of each file: the file, its number, and the SHA-256 of its line.
    pub(crate) fn newest(&self) -> Vec<(&'static str, u64, String)> {
        self.0.shared.ends.with(|ends| *ends).map(newest).unwrap_or_default()
    }

    /// Why a file cannot be written, if the last write failed.
    pub(crate) fn failure(&self) -> Option<String> {
        self.0.shared.backlog.with(|backlog| backlog.failing.as_ref().map(|failing| failing.reason.clone()))
    }

    /// The latest events as lines of JSON, newest first; those that are still counted come first.
    pub(crate) fn recent(&self, limit: usize) -> Vec<String> {
        let pending = self.0.shared.repeats.with(|repeats| repeats.pending());
        let mut lines: Vec<String> = pending.iter().take(limit).map(Event::to_line).collect();
        self.0.shared.recent.with(|recent| lines.extend(recent.iter().rev().take(limit).cloned()));
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
        self.submit(entries(stream, events), false).await.unwrap_or(Err(AuditError))
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
        self.send(Job { entries: entries(stream, events), done: Waiter::Thread(done), all: false });
        answer.recv().unwrap_or(Err(AuditError))
    }

    /// Checks that events can be written.
    ///
    /// # Errors
    /// They cannot; see [`AuditLog::failure`].
    pub(crate) async fn check(&self) -> Result<(), AuditError> {
        self.submit(Vec::new(), false).await.unwrap_or(Err(AuditError))
    }

    /// Writes the repetitions that were counted so far.
    pub(crate) async fn flush(&self) {
        let _ = self.submit(Vec::new(), true).await;
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
    pub(super) fn owe(&self, stream: Stream, events: &[Event]) {
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
        self.keep(stream, events);
    }

    /// Keeps events until they can be written.
    pub(super) fn keep(&self, stream: Stream, events: &[Event]) {
        self.0.shared.backlog.with(|backlog| entries(stream, events).into_iter().for_each(|entry| backlog.keep(entry)));
    }

    fn submit(&self, entries: Vec<Entry>, all: bool) -> oneshot::Receiver<Result<(), AuditError>> {
        let (done, answer) = oneshot::channel();
        self.send(Job { entries, done: Waiter::Task(done), all });
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

fn entries(stream: Stream, events: &[Event]) -> Vec<Entry> {
    events.iter().map(|event| Entry { stream, text: event.to_text() }).collect()
}

impl Backlog {
    fn keep(&mut self, entry: Entry) {
        if self.entries.len() < MAX_OWED {
            self.entries.push_back(entry);
        }
    }
}

/// What became of events.
#[derive(Default)]
struct Appended {
    /// The lines that were written, in the order of the events.
    lines: Vec<String>,
    /// The files that could not be written, and why.
    failures: Vec<(Stream, io::Error)>,
}

impl Appended {
    fn has_failed(&self, stream: Stream) -> bool {
        self.failures.iter().any(|(failed, _)| *failed == stream)
    }

    fn answer(&self, job: &Job) -> Result<(), AuditError> {
        let has_failed = match job.entries.as_slice() {
            [] => !self.failures.is_empty(),
            entries => entries.iter().any(|entry| self.has_failed(entry.stream)),
        };
        if has_failed { Err(AuditError) } else { Ok(()) }
    }
}

impl Shared {
    /// The thread that writes the files, until the log is dropped.
    fn run(&self, mut files: AuditFiles, queue: &Receiver<Job>) {
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
        self.write(Some(&mut files), vec![Job { entries: Vec::new(), done: Waiter::Nobody, all: true }]);
    }

    /// Writes what is owed, the repetitions that are due, and these events.
    fn write(&self, files: Option<&mut AuditFiles>, jobs: Vec<Job>) {
        let now = (self.clock)();
        let all = jobs.iter().any(|job| job.all);
        let repeated = self.repeats.with(|repeats| if all { repeats.take_all() } else { repeats.take_due(now) });
        let (mut early, resumed) = self.backlog.with(|backlog| {
            let entries: Vec<Entry> = std::mem::take(&mut backlog.entries).into();
            (entries, backlog.failing.as_ref().map(|failing| self.resumed(failing, milliseconds(now))))
        });
        early.extend(repeated);
        if jobs.is_empty() && early.is_empty() && resumed.is_none() {
            return;
        }
        let entries: Vec<&Entry> = early.iter().chain(jobs.iter().flat_map(|job| &job.entries)).collect();
        let Some(files) = files else {
            self.publish(entries.iter().map(|entry| entry.text.as_str().to_owned()).collect());
            return jobs.into_iter().for_each(|job| job.done.answer(Ok(())));
        };
        let checks_both = resumed.is_some() || jobs.iter().any(|job| job.entries.is_empty());
        let mut appended = append(files, resumed.as_ref(), &entries, checks_both, milliseconds(now));
        // Updated after the files, so that readers of the latest events do not wait for the disk.
        self.publish(std::mem::take(&mut appended.lines));
        self.note_ends(files);
        if appended.failures.is_empty() {
            if checks_both && self.backlog.with(|backlog| backlog.failing.take()).is_some() {
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
        self.counters.written.fetch_add(u64::try_from(lines.len()).unwrap_or(u64::MAX), Relaxed);
        self.recent.with(|recent| {
            recent.extend(lines);
            let surplus = recent.len().saturating_sub(IN_MEMORY);
            recent.drain(..surplus);
        });
    }

    fn note_ends(&self, files: &AuditFiles) {
        self.ends.with(|ends| *ends = Some(files.ends()));
    }

    /// Deletes the oldest files beyond the total size. What cannot be recorded is not deleted.
    fn delete_surplus(&self, files: &mut AuditFiles) {
        for stream in Stream::ALL {
            while let Some(surplus) = files.of(stream).surplus() {
                let now_ms = milliseconds((self.clock)());
                let event = self.deleted(&surplus, now_ms);
                match files.of(Stream::Changes).append(&[&event.text], now_ms) {
                    Ok(lines) => self.publish(lines),
                    Err(error) => {
                        let file = surplus.name();
                        tracing::warn!(target: "audit", %error, %file, "an old audit file is kept, because its deletion cannot be recorded");
                        return;
                    }
                }
                self.note_ends(files);
                if !files.of(stream).delete(&surplus) {
                    break;
                }
                self.counters.deleted_files.fetch_add(1, Relaxed);
            }
        }
    }

    /// Keeps what belongs to no request that can be refused, and notes since when a file cannot be written.
    fn fail(&self, appended: &Appended, early: Vec<Entry>, jobs: &[Job], now_ms: i64) {
        let Some((_, error)) = appended.failures.first() else { return };
        let refused = jobs.iter().filter(|job| !job.entries.is_empty() && appended.answer(job).is_err()).count();
        let refused = u64::try_from(refused).unwrap_or(u64::MAX);
        self.counters.failed.fetch_add(refused, Relaxed);
        let is_new = self.backlog.with(|backlog| {
            early.into_iter().filter(|entry| appended.has_failed(entry.stream)).for_each(|entry| backlog.keep(entry));
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
        self.own(Modification::LogResumed { since_ms: failing.since_ms, refused: failing.refused }, now_ms)
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
            user: User { name: "gbac", kind: UserKind::System, ..User::default() },
            protocol: None,
            modification,
            state: None,
        });
        Entry { stream: Stream::Changes, text: event.to_text() }
    }
}

/// Appends events to their files. If both can be written, what says so comes first.
fn append(
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
        let first = first.filter(|entry| entry.stream == stream);
        let events: Vec<&EventText> = first
            .into_iter()
            .chain(entries.iter().copied().filter(|entry| entry.stream == stream))
            .map(|entry| &entry.text)
            .collect();
        if events.is_empty() && !checks_both {
            return Vec::new().into_iter();
        }
        let lines = files.of(stream).append(&events, now_ms).unwrap_or_else(|error| {
            appended.failures.push((stream, error));
            Vec::new()
        });
        lines.into_iter()
    });
    let lines = first.iter().chain(entries).filter_map(|entry| match entry.stream {
        Stream::Decisions => of_decisions.next(),
        Stream::Changes => of_changes.next(),
    });
    appended.lines = lines.collect();
    appended
}

/// The newest event of each file: the file, its number, and the SHA-256 of its line.
fn newest(ends: [(Stream, ChainEnd); 2]) -> Vec<(&'static str, u64, String)> {
    let written = ends.into_iter().filter(|(_, end)| end.sequence > 0);
    written.map(|(stream, end)| (stream.name(), end.sequence, end.sha256())).collect()
}

/// The newest events, once in an interval; a clock that is set back begins another one.
fn due_hashes(files: &AuditFiles, shown_at: &mut f64, now: f64) -> Vec<(&'static str, u64, String)> {
    if (0.0..HASH_INTERVAL).contains(&(now - *shown_at)) {
        return Vec::new();
    }
    *shown_at = now;
    newest(files.ends())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use gbac_analysis::audit::{AuthProtocol, Authentication, SignInResult, authentication};
    use serde_json::Value;

    use super::*;

    const LIMITS: AuditFileLimits =
        AuditFileLimits { file_bytes: 0, file_seconds: 0, total_bytes: 0, changes_total_bytes: 0, reserve_bytes: 0 };

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
        log.write(Stream::Decisions, &[event(&log, "a"), event(&log, "b")]).await.unwrap();
        log.write(Stream::Decisions, &[event(&log, "c")]).await.unwrap();
        assert_eq!(users(&path), ["a", "b", "c"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::rename(&path, folder.path().join("audit.1")).unwrap();
        log.write(Stream::Decisions, &[event(&log, "d")]).await.unwrap();
        assert_eq!(users(&path), ["d"], "a new file after a rotation by another program");
        fs::remove_file(&path).unwrap();
        log.write(Stream::Decisions, &[event(&log, "e")]).await.unwrap();
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
            writers.spawn(async move { log.write(Stream::Decisions, &pair).await });
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
    async fn an_incomplete_line_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        fs::write(&path, "{\"half").unwrap();
        let log = log(&path);
        log.write(Stream::Decisions, &[event(&log, "a")]).await.unwrap();
        log.write(Stream::Decisions, &[event(&log, "b")]).await.unwrap();
        assert_eq!(users(&path), ["a", "b"]);
    }

    #[tokio::test]
    async fn what_is_owed_comes_first_once_the_file_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        log.write(Stream::Decisions, &[event(&log, "a")]).await.unwrap_err();
        assert_eq!((log.recent(9).len(), log.counters().failed.load(Relaxed)), (0, 1));
        assert!(log.failure().is_some() && log.check().await.is_err());
        let owed = [event(&log, "b")];
        log.write(Stream::Decisions, &owed).await.unwrap_err();
        log.owe(Stream::Decisions, &owed);
        log.write(Stream::Changes, &[event(&log, "c")]).await.unwrap();
        fs::remove_dir(&path).unwrap();
        log.check().await.unwrap();
        assert_eq!(log.failure(), None);
        assert_eq!(users(&path), ["b"]);
        let changes = folder.path().join("changes.jsonl");
        assert_eq!(users(&changes), ["c", "gbac writes the audit log again; requests refused in between: 1"]);
        let nowhere = folder.path().join("none/audit.jsonl");
        assert!(AuditLog::new(Some(nowhere), LIMITS, || 1.0).is_err());
    }

    #[tokio::test]
    async fn the_newest_hashes_are_due_every_hour() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = log(&path);
        log.write(Stream::Changes, &[event(&log, "a"), event(&log, "b")]).await.unwrap();
        log.write(Stream::Decisions, &[event(&log, "c")]).await.unwrap();
        let files = AuditFiles::open(path, LIMITS, 1).unwrap();
        let mut shown_at = 1000.0;
        assert!(due_hashes(&files, &mut shown_at, 4599.0).is_empty());
        let due = due_hashes(&files, &mut shown_at, 4600.0);
        assert_eq!(due, log.newest());
        assert_eq!(
            due.iter().map(|(log, sequence, _)| (*log, *sequence)).collect::<Vec<_>>(),
            [("audit", 1), ("changes", 2)]
        );
        assert!(due_hashes(&files, &mut shown_at, 4600.0).is_empty());
        assert_eq!(due_hashes(&files, &mut shown_at, 10.0).len(), 2, "after the clock was set back");
    }

    #[tokio::test]
    async fn the_latest_events_are_bounded_and_newest_first() {
        let log = AuditLog::new(None, LIMITS, || 1.0).unwrap();
        for n in 0..=IN_MEMORY {
            log.write(Stream::Decisions, &[event(&log, &n.to_string())]).await.unwrap();
        }
        let names: Vec<String> = log.recent(IN_MEMORY + 9).iter().map(|line| name(line)).collect();
        assert_eq!((names.len(), names[0].as_str(), names[IN_MEMORY - 1].as_str()), (IN_MEMORY, "1000", "1"));
        assert_eq!(log.recent(2).len(), 2);
    }
}
