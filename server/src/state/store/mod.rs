//! The store: the current state in memory for readers, and the same state durably in a file.
//!
//! Readers take a snapshot and never wait for a write. A write is made on a second policy that
//! readers do not see, committed to the file, and then the two policies are swapped. Writes that
//! arrive during a commit share the next one. The guard of the lock never leaves this file, so that
//! no guard can be held across an await.

mod backup;
mod batch;
mod error;
mod file;
mod folder;
mod format;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod fuzz;
mod panics;
mod plan;
mod refused;
mod rows;
mod rows_digest;
mod stored_state;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use gbac_engine::policy::Policy;
use tokio::sync::oneshot;

use crate::lock::Lock;
use crate::random;
use crate::state::config::Config;
use crate::state::error::WriteError;
pub use backup::{BackupContents, BackupError, restore_backup, verify_backup};
use batch::{Batch, Counters, Standby};
pub use error::StoreError;
use file::{Disk, data_id_row, new_data_id};
pub(crate) use panics::catch_panic;
pub(crate) use plan::{Attempt, Plan, Snapshot};
use rows::{RowWrite, Table};
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
    /// A random prefix, so that entity tags differ between runs.
    etag_prefix: String,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    /// Whether a task is draining it.
    draining: bool,
}

/// Plans a write. What it returns answers the writer once the batch is durable or has failed.
type Job = Box<dyn FnOnce(&mut Batch) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<&Snapshot, &StoreError>) + Send>;
/// The answers of a batch, and the state after it.
type Committed = (Vec<Answer>, Result<Snapshot, Arc<StoreError>>);
/// The result of a write: its answer and the state after it.
type WriteResult<T, E> = Result<(T, Snapshot), E>;

impl Store {
    /// A store in memory with this initial state.
    ///
    /// # Errors
    /// The operating system provides no random numbers, or the memory cannot be written.
    pub(crate) fn memory(policy: Policy, config: Config) -> Result<Self, StoreError> {
        let disk = Disk::memory()?;
        let mut writes = rows::policy_writes(&Policy::default(), &policy);
        rows::config_writes(&Config::default(), &config, &mut writes);
        disk.write(&writes)?;
        Self::start(
            disk,
            StoredState {
                policy,
                config,
                version: 1,
                config_version: 1,
                data_id: None,
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

    fn start(disk: Disk, loaded: StoredState) -> Result<Self, StoreError> {
        let StoredState {
            policy,
            config,
            version,
            config_version,
            data_id,
        } = loaded;
        let snapshot = Snapshot {
            policy: Arc::new(policy),
            config: Arc::new(config),
            version,
            config_version,
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
            etag_prefix: random::bytes::<8>()
                .map(|bytes| random::hex(&bytes))
                .map_err(redb::Error::Io)?,
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

    /// The entity tag of a snapshot's policy (RFC 9110 8.8.3).
    pub(crate) fn etag(&self, snapshot: &Snapshot) -> String {
        format!("\"{}-{}\"", self.0.etag_prefix, snapshot.version)
    }

    /// The entity tag of the policy after the next change of it.
    pub(crate) fn next_etag(&self, snapshot: &Snapshot) -> String {
        self.etag(&Snapshot {
            version: snapshot.version + 1,
            ..snapshot.clone()
        })
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

    /// Calls `plan` with the current state and makes the write that it returns, with no other write
    /// in between. The write is durable when this returns. A plan validates its changes, so that
    /// they cannot fail one by one. The snapshot has the counters of this write; its policy may
    /// include later ones.
    ///
    /// # Errors
    /// Those of the plan, or the store cannot be written. Nothing has changed then.
    pub(crate) async fn change<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> WriteResult<T, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (first, answer) = self.enqueue(plan);
        if first {
            let this = self.clone();
            drop(tokio::task::spawn_blocking(move || this.drain()));
        }
        answer
            .await
            .unwrap_or_else(|_| Err(WriteError::Aborted.into()))
    }

    /// [`Store::change`] without an async runtime, for the start of the service.
    ///
    /// # Errors
    /// See there.
    pub(crate) fn change_now<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> WriteResult<T, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (_, mut answer) = self.enqueue(plan);
        self.clone().drain();
        answer
            .try_recv()
            .unwrap_or_else(|_| Err(WriteError::Aborted.into()))
    }

    /// Adds a write to the queue. Returns whether the caller must drain the queue.
    fn enqueue<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> (bool, oneshot::Receiver<WriteResult<T, E>>)
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let (send, answer) = oneshot::channel();
        let job = move |batch: &mut Batch| -> Answer {
            let planned = batch.apply_plan(plan);
            Box::new(move |durable| {
                let result = match (planned, durable) {
                    (Err(rejected), _) => Err(rejected),
                    (Ok(_), Err(error)) => Err(WriteError::NotStored(error.to_string()).into()),
                    (Ok((answer, counters)), Ok(state)) => {
                        Ok((answer, counters.in_snapshot(state)))
                    }
                };
                // The request may have been canceled.
                let _ = send.send(result);
            })
        };
        let first = self.0.queue.with(|queue| {
            queue.jobs.push(Box::new(job));
            !std::mem::replace(&mut queue.draining, true)
        });
        (first, answer)
    }

    /// Makes the queued writes, batch by batch, until the queue is empty. When the last answer is
    /// sent, this no longer holds the store.
    fn drain(self) {
        let worker = QueueWorker(self);
        loop {
            worker.gather();
            let Some(jobs) = worker.take() else { return };
            let (answers, outcome) = worker.0.commit(jobs);
            let answer = || {
                answers
                    .into_iter()
                    .for_each(|answer| answer(outcome.as_ref().map_err(|error| &**error)));
            };
            if worker.is_done() {
                drop(worker);
                return answer();
            }
            answer();
        }
    }

    /// Commits the writes of a batch together, and then shows them to readers.
    fn commit(&self, jobs: Vec<Job>) -> Committed {
        let before = self.read();
        if self.0.retry_due.swap(false, Relaxed) {
            self.recover();
        }
        let mut batch = Batch::new(&before, self.0.standby.with(Option::take));
        let answers = jobs.into_iter().map(|job| job(&mut batch)).collect();
        let Batch {
            state,
            log,
            mut writes,
            replaced,
            changed,
            ..
        } = batch;
        if changed {
            writes.extend(Disk::counters(state.version, state.config_version));
            let turns_auditing_off = before.config.audit_enabled && !state.config.audit_enabled;
            let mut stored = self.write(&writes);
            if stored.is_err() && turns_auditing_off && self.0.disk.release_reserve() {
                self.recover();
                stored = self.write(&writes);
            }
            if let Err(failure) = stored {
                return (answers, Err(failure));
            }
            self.0.commits.fetch_add(1, Relaxed);
            *self
                .0
                .current
                .write()
                .unwrap_or_else(PoisonError::into_inner) = state.clone();
        }
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
        (answers, Ok(state))
    }

    /// Writes rows to the file, unless it accepts no writes.
    fn write(&self, writes: &[RowWrite]) -> Result<(), Arc<StoreError>> {
        match self.0.failure.with(|failure| failure.clone()) {
            Some(failure) => Err(failure),
            None => self.0.disk.write(writes).map_err(|error| self.fail(error)),
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
            let (is_first, answer) =
                store.enqueue(|_| Ok::<_, WriteError>(Plan::Changes(Vec::new(), ())));
            if is_first {
                store.clone().drain();
            }
            // The task that drains the queue may be at an earlier batch.
            let _ = answer.blocking_recv();
        }
        let is_done = store.is_writable() && store.0.disk.take_reserve();
        if is_done && store.0.stop_retrying() {
            return;
        }
        interval = (interval * 2).min(LONGEST_RETRY);
    }
}

impl Counters {
    fn in_snapshot(self, state: &Snapshot) -> Snapshot {
        Snapshot {
            version: self.version,
            config_version: self.config_version,
            ..state.clone()
        }
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
