//! The store: the current state in memory for readers, and the same state durably in a file.
//!
//! Readers take a snapshot and never wait for a write. A write is made on a second policy that
//! readers do not see, committed to the file, and then the two policies are swapped. Writes that
//! arrive during a commit share the next one. The guard of the lock never leaves this file, so that
//! no guard can be held across an await.

mod backup;
mod batch;
mod change;
mod commit;
mod error;
mod file;
mod folder;
mod format;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod fuzz;
mod history;
mod log_head;
mod logged_change;
mod panics;
mod past;
mod queue;
mod refused;
mod rows;
mod rows_digest;
mod snapshot;
mod stored_state;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use gbac_engine::policy::Policy;
use gbac_log::{EntryAuthor, EntryOrigin, LogEntry};
use tokio::sync::{oneshot, watch};

use crate::lock::Lock;
use crate::random;
use crate::state::audit::WrittenEvents;
use crate::state::config::Config;
use crate::state::error::WriteError;
pub use backup::{BackupContents, BackupError, restore_backup, verify_backup};
pub(crate) use batch::Batch;
use batch::Standby;
pub(crate) use change::{MadeChange, RecordedChange, StateChange, Stored};
use commit::{CommitWrites, LoggedWrite};
pub use error::StoreError;
use file::{Disk, data_id_row, new_data_id};
pub use history::HistoryLimits;
pub(crate) use panics::catch_panic;
pub(crate) use past::{PastFault, PastState};
use queue::{CommitResult, Job, Pending, Queue};
use rows::{RowWrite, Table};
pub(crate) use snapshot::{Snapshot, StateVersion};
use stored_state::StoredState;

/// A commit waits for at most this many writes.
const FULL_BATCH: usize = 16;
/// The longest time that a commit waits for more writes.
const GATHER_TIME: Duration = Duration::from_millis(8);
/// One in so many commits waits for a full batch, to find out whether more writers are active.
const PROBE_INTERVAL: u64 = 8;
/// A commit stops waiting if no write arrives for this time.
const QUIET_TIME: Duration = Duration::from_millis(2);
/// The interval at which a waiting commit checks the queue.
const POLL_INTERVAL: Duration = Duration::from_micros(50);
/// The time after a failed write until the store tries to write again. It doubles with each further
/// failure, up to the longest.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(16);

/// The store; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Store(Arc<Shared>);

struct Shared {
    current: RwLock<Snapshot>,
    disk: Disk,
    queue: Lock<Queue>,
    /// The second policy, unless it must be rebuilt. Only the task that drains the queue takes it.
    standby: Lock<Option<Standby>>,
    /// Why the file does not accept writes, if it does not.
    failure: Lock<Option<Arc<StoreError>>>,
    /// Whether a thread tries to write again. Changed only together with `failure`.
    retrying: AtomicBool,
    /// Whether the next batch tries to make the file accept writes again.
    retry_due: AtomicBool,
    first_retry: Duration,
    commits: AtomicU64,
    failures: AtomicU64,
    /// The recent batch size, so that a single writer does not wait for others.
    recent_batch: AtomicUsize,
    /// The ID of the data; empty in memory.
    data_id: String,
    /// The name of the Kafka cluster that the data was of when it was opened.
    cluster: Option<String>,
    /// The same, and in memory one of this run.
    store_id: String,
    /// How much of the log of changes is kept.
    limits: HistoryLimits,
    /// The number of the last change that readers see.
    applied: watch::Sender<u64>,
    /// Whether who follows the changes has to stop.
    is_ending: watch::Sender<bool>,
}

impl Store {
    /// A store in memory with this initial state.
    ///
    /// # Errors
    /// The operating system provides no random numbers, or the memory cannot be written.
    pub(crate) fn memory(policy: Policy, config: Config) -> Result<Self, StoreError> {
        let disk = Disk::memory()?;
        let mut writes = rows::policy_writes(&Policy::default(), &policy);
        rows::config_writes(&Config::default(), &config, &mut writes);
        disk.commit(&CommitWrites {
            rows: &writes,
            begins_log: true,
            ..CommitWrites::default()
        })?;
        Self::start(
            disk,
            StoredState {
                policy,
                config,
                version: 1,
                config_version: 1,
                data_id: None,
                cluster: None,
            },
        )
    }

    /// Whether a folder has stored data.
    pub(crate) fn is_in(folder: &Path) -> bool {
        folder.join(format::FILE).exists()
    }

    /// The store in a folder, which is created if it does not exist. `pin` overrides the
    /// configuration for this run.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn open(folder: &Path, pin: impl FnOnce(&mut Config)) -> Result<Self, StoreError> {
        let disk = Disk::open(folder)?;
        let mut loaded = disk.load()?;
        pin(&mut loaded.config);
        if loaded.data_id.is_none() {
            let id = new_data_id()?;
            // If it cannot be written, the next start makes another one.
            let _ = disk.write(&[data_id_row(&id)]);
            loaded.data_id = Some(id);
        }
        Self::start(disk, loaded)
    }

    /// The store with these limits of its history; only of one that nobody else has.
    pub(crate) fn with_history(mut self, limits: HistoryLimits) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.limits = limits;
        }
        self
    }

    fn start(disk: Disk, loaded: StoredState) -> Result<Self, StoreError> {
        let StoredState {
            policy,
            config,
            version,
            config_version,
            data_id,
            cluster,
        } = loaded;
        let snapshot_seq = disk.log_head().position.seq;
        let store_id = match &data_id {
            Some(id) => id.clone(),
            None => new_data_id()?,
        };
        let snapshot = Snapshot {
            policy: Arc::new(policy),
            config: Arc::new(config),
            version: StateVersion {
                run: random::bytes().map_err(redb::Error::Io)?,
                policy: version,
                config: config_version,
                seq: snapshot_seq,
            },
        };
        Ok(Self(Arc::new(Shared {
            current: RwLock::new(snapshot),
            disk,
            queue: Lock::default(),
            standby: Lock::default(),
            failure: Lock::default(),
            retrying: AtomicBool::new(false),
            retry_due: AtomicBool::new(false),
            first_retry: FIRST_RETRY,
            commits: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            recent_batch: AtomicUsize::new(0),
            data_id: data_id.unwrap_or_default(),
            cluster,
            store_id,
            limits: HistoryLimits::default(),
            applied: watch::Sender::new(snapshot_seq),
            is_ending: watch::Sender::new(false),
        })))
    }

    /// The current state. A snapshot never changes.
    pub(crate) fn read(&self) -> Snapshot {
        self.0
            .current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The ID of the data, which restarts and backups keep; empty in memory.
    pub(crate) fn data_id(&self) -> &str {
        &self.0.data_id
    }

    /// Makes the data that of a Kafka cluster; the name of another one if it is of that.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn belong_to(&self, cluster: &str) -> Result<Option<&str>, StoreError> {
        let stored = self.0.cluster.as_deref();
        if stored.is_none() {
            let row = RowWrite::put(Table::Meta, format::CLUSTER, cluster);
            self.0.disk.write(&[row])?;
        }
        Ok(stored.filter(|stored| *stored != cluster))
    }

    /// Whether the store accepts writes.
    pub(crate) fn is_writable(&self) -> bool {
        self.0.failure.with(|failure| failure.is_none())
    }

    /// The number of commits since the start.
    pub(crate) fn commits(&self) -> u64 {
        self.0.commits.load(Relaxed)
    }

    /// The number of times that the store stopped accepting writes since the start.
    pub(crate) fn failures(&self) -> u64 {
        self.0.failures.load(Relaxed)
    }

    /// A verified copy of the durable state at this moment, with the password hashes. Writes go on
    /// meanwhile.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(crate) fn backup(&self) -> Result<Vec<u8>, StoreError> {
        backup::save(&self.0.disk)
    }

    /// The changes before this one, newest first, at most this number.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(crate) fn entries_before(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        self.0.disk.entries_before(before, limit)
    }

    /// The changes after this one, oldest first, at most this number.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(crate) fn entries_after(
        &self,
        after: u64,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        self.0.disk.entries_after(after, limit)
    }

    /// The number of the oldest change that is kept; that of the next one if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn first_entry(&self) -> Result<u64, StoreError> {
        let next = self.0.disk.log_head().position.seq + 1;
        Ok(self.0.disk.first_entry()?.unwrap_or(next))
    }

    /// The policy after a change.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub(crate) fn past(&self, seq: u64) -> Result<PastState<Policy>, StoreError> {
        Ok(match self.0.disk.past(seq)? {
            PastState::Known(state) => PastState::Known(state.policy),
            PastState::NotYet => PastState::NotYet,
            PastState::Gone(fault) => PastState::Gone(fault),
        })
    }

    /// The number of the last change that readers see, as it grows.
    pub(crate) fn applied(&self) -> watch::Receiver<u64> {
        self.0.applied.subscribe()
    }

    /// Whether who follows the changes has to stop.
    pub(crate) fn ending(&self) -> watch::Receiver<bool> {
        self.0.is_ending.subscribe()
    }

    /// Tells who follows the changes to stop.
    pub(crate) fn end_followers(&self) {
        self.0.is_ending.send_replace(true);
    }

    /// The ID of the data, and in memory one of this run.
    pub(crate) fn store_id(&self) -> &str {
        &self.0.store_id
    }

    /// The stored hash of a user's password.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn password(&self, user: &str) -> Result<Option<String>, StoreError> {
        self.0.disk.password(user)
    }

    /// The users with a stored password.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn password_users(&self) -> Result<Vec<String>, StoreError> {
        self.0.disk.password_users()
    }

    /// Deletes the hash of a user's password.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn remove_password(&self, user: &str) -> Result<(), StoreError> {
        self.0
            .disk
            .write(&[RowWrite::Remove(Table::Passwords, user.as_bytes().to_vec())])
    }

    /// Stores the hash of a user's password.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn set_password(&self, user: &str, hash: &str) -> Result<(), StoreError> {
        self.0
            .disk
            .write(&[RowWrite::put(Table::Passwords, user, hash)])
    }

    /// Calls `write` with no other write in between, and stores the change that it returns with the
    /// events of it. The change is durable when this returns.
    ///
    /// # Errors
    /// Those of `write`, a change of the policy is refused, or the store cannot be written. Nothing
    /// has changed then.
    pub(crate) async fn change<T, E>(
        &self,
        write: impl FnOnce(&mut Batch) -> Result<(T, RecordedChange), E> + Send + 'static,
    ) -> Result<Stored<T>, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (is_first, pending) = self.enqueue(write);
        if is_first {
            let this = self.clone();
            drop(tokio::task::spawn_blocking(move || this.drain()));
        }
        pending.wait().await
    }

    /// [`Store::change`] without an async runtime, for the start of the service.
    ///
    /// # Errors
    /// See there.
    pub(crate) fn change_now<T, E>(
        &self,
        write: impl FnOnce(&mut Batch) -> Result<(T, RecordedChange), E> + Send + 'static,
    ) -> Result<Stored<T>, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (_, pending) = self.enqueue(write);
        self.clone().drain();
        pending.take()
    }

    /// Makes a change without events, as if auditing were disabled.
    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn change_unrecorded(&self, change: StateChange) -> Result<Stored<()>, WriteError> {
        self.change_now(|batch| unrecorded(batch, change))
    }

    /// Adds a write to the queue. Returns whether the caller must drain the queue.
    fn enqueue<T, E>(
        &self,
        write: impl FnOnce(&mut Batch) -> Result<(T, RecordedChange), E> + Send + 'static,
    ) -> (bool, Pending<T, E>)
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (job, pending) = queue::job(write);
        let is_first = self.0.queue.with(|queue| {
            queue.jobs.push(job);
            !std::mem::replace(&mut queue.draining, true)
        });
        (is_first, pending)
    }

    /// Makes the queued writes, batch by batch, until the queue is empty. When the last answer is
    /// sent, this no longer holds the store.
    fn drain(self) {
        let worker = QueueWorker(self);
        loop {
            worker.gather();
            let Some(jobs) = worker.take() else { return };
            let (writers, result) = worker.0.commit(jobs);
            if worker.is_done() {
                drop(worker);
                return answer(writers, &result);
            }
            answer(writers, &result);
        }
    }

    /// Commits the writes of a batch together, and then shows them to readers. Returns who waits
    /// for it.
    fn commit(&self, jobs: Vec<Job>) -> (Vec<oneshot::Sender<CommitResult>>, CommitResult) {
        let before = self.read();
        if self.0.retry_due.swap(false, Relaxed) {
            self.recover();
        }
        let mut batch = Batch::new(&before, self.0.standby.with(Option::take));
        let mut writers = Vec::with_capacity(jobs.len());
        for job in jobs {
            (job.add)(&mut batch);
            writers.push(job.committed);
        }
        (writers, self.commit_batch(before, batch))
    }

    fn commit_batch(&self, before: Snapshot, batch: Batch) -> CommitResult {
        let Batch {
            state,
            log,
            writes,
            events,
            replaced,
            ..
        } = batch;
        let changed = state.version != before.version;
        if changed {
            // If this fails, the events are dropped, which records that nothing is stored.
            self.write_batch(&writes, &before, &state)?;
            self.0.commits.fetch_add(1, Relaxed);
            *self
                .0
                .current
                .write()
                .unwrap_or_else(PoisonError::into_inner) = state.clone();
            self.0.applied.send_replace(state.version.seq);
        }
        events.into_iter().for_each(WrittenEvents::stored);
        let next = if changed {
            // The previous state becomes the standby and lacks this batch.
            (!replaced).then_some(Standby {
                state: before,
                missing: log,
            })
        } else {
            let is_standby = !Arc::ptr_eq(&state.policy, &before.policy);
            is_standby.then(|| Standby {
                state: state.clone(),
                missing: Vec::new(),
            })
        };
        self.0.standby.with(|standby| *standby = next);
        Ok(state)
    }

    /// Writes the rows of a batch to the file. Turning auditing off can use the reserve.
    fn write_batch(
        &self,
        logged: &[LoggedWrite],
        before: &Snapshot,
        after: &Snapshot,
    ) -> Result<(), Arc<StoreError>> {
        let writes = CommitWrites {
            logged,
            rows: &Disk::counters(after.version.policy, after.version.config),
            store: &self.0.store_id,
            limits: self.0.limits,
            begins_log: false,
        };
        let stored = self.write(&writes);
        let turns_auditing_off = before.config.audit_enabled && !after.config.audit_enabled;
        if stored.is_ok() || !turns_auditing_off || !self.0.disk.release_reserve() {
            return stored;
        }
        self.recover();
        self.write(&writes)
    }

    /// Writes to the file, unless it accepts no writes.
    fn write(&self, writes: &CommitWrites<'_>) -> Result<(), Arc<StoreError>> {
        match self.0.failure.with(|failure| failure.clone()) {
            Some(failure) => Err(failure),
            None => self.0.disk.commit(writes).map_err(|error| self.fail(error)),
        }
    }

    /// Refuses writes from now on, and starts a thread that tries to write until it succeeds.
    fn fail(&self, error: StoreError) -> Arc<StoreError> {
        tracing::error!(target: "store", code = error.code(), "changes are refused: {error}; {}", error.hint());
        self.0.failures.fetch_add(1, Relaxed);
        let error = Arc::new(error);
        let is_retrying = self.0.failure.with(|failure| {
            *failure = Some(Arc::clone(&error));
            self.0.retrying.swap(true, Relaxed)
        });
        if is_retrying {
            return error;
        }
        let (store, first_retry) = (Arc::downgrade(&self.0), self.0.first_retry);
        let started = thread::Builder::new()
            .name("store-retry".into())
            .spawn(move || retry(&store, first_retry));
        if let Err(error) = started {
            self.0.retrying.store(false, Relaxed);
            tracing::error!(target: "store", "no thread to try again: {error}; restart the service once the disk is writable");
        }
        error
    }

    /// Makes the file accept writes again, if the disk does.
    fn recover(&self) {
        // The database library panics on some damaged files.
        let recovered =
            catch_panic(|| self.0.disk.recover()).unwrap_or_else(|| Err(StoreError::unreadable()));
        match &recovered {
            Ok(()) => tracing::info!(target: "store", "changes are accepted again"),
            Err(error) => {
                tracing::debug!(target: "store", code = error.code(), "changes are still refused: {error}");
            }
        }
        self.0
            .failure
            .with(|failure| *failure = recovered.err().map(Arc::new));
    }
}

impl Shared {
    /// Ends the retries, unless a write has failed since; whether it did.
    fn stop_retrying(&self) -> bool {
        self.failure.with(|failure| {
            self.retrying.store(failure.is_some(), Relaxed);
            failure.is_none()
        })
    }
}

/// Lets the task that drains the queue try again, with growing intervals, until the store accepts
/// writes and has its reserve, or is closed.
fn retry(store: &Weak<Shared>, first: Duration) {
    let mut interval = first;
    loop {
        thread::sleep(interval);
        let Some(store) = store.upgrade().map(Store) else {
            return;
        };
        if !store.is_writable() {
            store.0.retry_due.store(true, Relaxed);
            let (is_first, pending) = store.enqueue(|batch| unrecorded(batch, StateChange::NONE));
            if is_first {
                store.clone().drain();
            }
            // The task that drains the queue may be at an earlier batch.
            pending.block();
        }
        let is_done = store.is_writable() && store.0.disk.take_reserve();
        if is_done && store.0.stop_retrying() {
            return;
        }
        interval = (interval * 2).min(LONGEST_RETRY);
    }
}

/// Makes a change without events.
fn unrecorded(batch: &mut Batch, change: StateChange) -> Result<((), RecordedChange), WriteError> {
    let change = batch.make(change);
    let events = WrittenEvents::none();
    let origin = EntryOrigin {
        author: EntryAuthor::named("gbac", "system"),
        via: "store".to_owned(),
        at: 0,
        request_id: None,
        reason: None,
    };
    Ok((
        (),
        RecordedChange {
            change,
            origin,
            events,
        },
    ))
}

/// Tells the writers of a batch whether it is stored.
fn answer(writers: Vec<oneshot::Sender<CommitResult>>, result: &CommitResult) {
    for writer in writers {
        // The request may have been canceled.
        let _ = writer.send(result.clone());
    }
}

/// Drains the queue. If a plan panics, the queue is reset so that later writes can proceed.
struct QueueWorker(Store);

impl QueueWorker {
    /// Waits for as many writes as recently came together, until none arrives for a while. Now and
    /// then it waits for a full batch, to find out whether more writers are active.
    fn gather(&self) {
        let Shared {
            queue,
            recent_batch,
            commits,
            ..
        } = &*self.0.0;
        let recent = recent_batch.load(Relaxed);
        if recent < 2 {
            return;
        }
        let wanted = if commits.load(Relaxed).is_multiple_of(PROBE_INTERVAL) {
            FULL_BATCH
        } else {
            recent.min(FULL_BATCH)
        };
        let deadline = Instant::now() + GATHER_TIME;
        let (mut seen, mut quiet_until) = (0, Instant::now() + QUIET_TIME);
        loop {
            let (now, waiting) = (Instant::now(), queue.with(|queue| queue.jobs.len()));
            if waiting > seen {
                (seen, quiet_until) = (waiting, now + QUIET_TIME);
            }
            if waiting >= wanted || now >= deadline.min(quiet_until) {
                return;
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Takes the queued writes; `None` if there are none, which ends the draining.
    fn take(&self) -> Option<Vec<Job>> {
        let jobs = self.0.0.queue.with(|queue| {
            queue.draining = !queue.jobs.is_empty();
            queue.draining.then(|| std::mem::take(&mut queue.jobs))
        })?;
        let recent = &self.0.0.recent_batch;
        recent.store(jobs.len().max(recent.load(Relaxed) / 2), Relaxed);
        Some(jobs)
    }

    /// Whether the queue is empty; the next writer then drains it.
    fn is_done(&self) -> bool {
        self.0.0.queue.with(|queue| {
            queue.draining = !queue.jobs.is_empty();
            !queue.draining
        })
    }
}

impl Drop for QueueWorker {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.0.queue.with(|queue| *queue = Queue::default());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
