//! The state of the service: what readers see in memory, the same durably in a file, and the writes that lead from one state to the next.
//!
//! Readers take a snapshot and never wait for a write: a write is made on a second policy that nobody sees, becomes
//! durable, and then the two change places. Writes that arrive while others become durable share the next commit. No
//! guard of the lock leaves this file, so none can be held across an await.

mod batch;
mod file;
mod rows;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use gbac_api::problem::RpcCode;
use gbac_engine::policy::{Change, ChangeOutcome, Policy};
use tokio::sync::oneshot;

use crate::config::Config;
use crate::fault::Fault;
use crate::lock::Lock;
use crate::random;
use batch::{Batch, Counters, Hidden};
pub use file::StoreError;
use file::{Disk, Loaded};
use rows::{Table, Write};

/// How many writes are worth a commit.
const ENOUGH: usize = 16;
/// How long a commit waits for them at most, how often for so many, for how long while none comes, and how often it looks.
const GATHER: Duration = Duration::from_millis(8);
const PROBE: u64 = 8;
const QUIET: Duration = Duration::from_millis(2);
const PAUSE: Duration = Duration::from_micros(50);

/// What the service holds now.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    /// Settings, roles and ACLs.
    pub(crate) policy: Arc<Policy>,
    /// What is a fact of the service and no part of the policy document.
    pub(crate) config: Arc<Config>,
    /// Counts the changes of the policy.
    version: u64,
    /// Counts the changes of its settings and of the config.
    pub(crate) config_version: u64,
}

/// What is to be done, decided on the policy as it is, and what to answer once it is done.
pub(crate) enum Plan<T> {
    /// These changes, in order.
    Changes(Vec<Change>, T),
    /// These changes, in order, and another config, in one step.
    Configure(Vec<Change>, Config, T),
    /// Another policy in place of this one.
    Replace(Arc<Policy>, T),
    /// These changes, in order, unless what they would do is refused: then none of them.
    Attempt(Vec<Change>, Accept<T>),
}

/// Looks at what changes would do, and answers.
pub(crate) type Accept<T> = Box<dyn FnOnce(&Attempt<'_>) -> Result<T, Fault> + Send>;

/// Changes, and what they would do.
pub(crate) struct Attempt<'a> {
    /// The changes, in order.
    pub(crate) changes: &'a [Change],
    /// What each of them would do.
    pub(crate) effects: &'a [ChangeOutcome],
    /// The policy with them.
    pub(crate) after: &'a Policy,
}

impl Attempt<'_> {
    /// The changes after which the policy is another, each with its place.
    pub(crate) fn changed(&self) -> impl Iterator<Item = (usize, &Change)> {
        let all = self.changes.iter().zip(self.effects).enumerate();
        all.filter(|(_, (_, effect))| **effect == ChangeOutcome::Changed).map(|(at, (change, _))| (at, change))
    }
}

/// The state; a handle that is cheap to clone.
#[derive(Clone)]
pub(crate) struct Store(Arc<Shared>);

struct Shared {
    held: RwLock<Snapshot>,
    disk: Disk,
    queue: Lock<Queue>,
    /// The second policy, unless it is to be made anew. Only who empties the queue has it.
    hidden: Lock<Option<Hidden>>,
    /// Whether the file still takes writes.
    sound: AtomicBool,
    commits: AtomicU64,
    /// How many writes came together lately; a lone writer is not made to wait for others.
    recent: AtomicUsize,
    /// Makes the entity tags of this start unlike those of any other.
    start: String,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    /// Whether somebody is emptying it.
    emptied: bool,
}

/// Plans a write; what it gives answers it, once it is known whether the batch is durable.
type Job = Box<dyn FnOnce(&mut Batch) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<&Snapshot, &StoreError>) + Send>;
/// What comes of a write.
type Made<T, E> = Result<(T, Snapshot), E>;

impl Store {
    /// A store in memory that begins with this policy and config.
    ///
    /// # Errors
    /// There are no random numbers, or the memory cannot be written.
    pub(crate) fn memory(policy: Policy, config: Config) -> Result<Self, StoreError> {
        let disk = Disk::memory()?;
        let mut writes = rows::of_policies(&Policy::default(), &policy);
        rows::of_config(&Config::default(), &config, &mut writes);
        disk.write(&writes)?;
        Self::start(disk, Loaded { policy, config, version: 1, config_version: 1 })
    }

    /// The store in a folder, which is made when there is none. `pin` changes the config for as long as it is open.
    ///
    /// # Errors
    /// See [`StoreError`].
    pub(crate) fn open(folder: &Path, pin: impl FnOnce(&mut Config)) -> Result<Self, StoreError> {
        let disk = Disk::open(folder)?;
        let mut loaded = disk.load()?;
        pin(&mut loaded.config);
        Self::start(disk, loaded)
    }

    fn start(disk: Disk, loaded: Loaded) -> Result<Self, StoreError> {
        let Loaded { policy, config, version, config_version } = loaded;
        let held = Snapshot { policy: Arc::new(policy), config: Arc::new(config), version, config_version };
        Ok(Self(Arc::new(Shared {
            held: RwLock::new(held),
            disk,
            queue: Lock::default(),
            hidden: Lock::default(),
            sound: AtomicBool::new(true),
            commits: AtomicU64::new(0),
            recent: AtomicUsize::new(0),
            start: random::bytes::<8>().map(|bytes| random::hex(&bytes)).map_err(redb::Error::Io)?,
        })))
    }

    /// What the service holds now; it stays as it is for whoever has it.
    pub(crate) fn read(&self) -> Snapshot {
        self.0.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The entity tag of a snapshot's policy (RFC 9110 8.8.3).
    pub(crate) fn tag(&self, snapshot: &Snapshot) -> String {
        format!("\"{}-{}\"", self.0.start, snapshot.version)
    }

    /// Whether writes can become durable.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.sound.load(Relaxed)
    }

    /// How many commits were made since the start.
    pub(crate) fn commits(&self) -> u64 {
        self.0.commits.load(Relaxed)
    }

    /// The hash of a user's password.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn password(&self, user: &str) -> Result<Option<String>, StoreError> {
        self.0.disk.password(user)
    }

    /// Keeps the hash of a user's password.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn set_password(&self, user: &str, hash: &str) -> Result<(), StoreError> {
        self.0.disk.write(&[Write::put(Table::Passwords, user, hash)])
    }

    /// Lets `plan` decide on the policy as it is, and does what it says, with nobody in between; it is durable when this
    /// is done. A plan checks what it wants before it answers, so that its changes cannot fail one by one. The snapshot
    /// has the counters of this write; others may be in its policy as well.
    ///
    /// # Errors
    /// Those of the plan; nothing has changed then. A store that cannot be written.
    pub(crate) async fn change<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> Made<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (first, answer) = self.enqueue(plan);
        if first {
            let this = self.clone();
            drop(tokio::task::spawn_blocking(move || this.empty()));
        }
        answer.await.unwrap_or_else(|_| Err(lost().into()))
    }

    /// As [`Store::change`], for a start that has no runtime yet.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn change_now<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> Made<T, E>
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (_, mut answer) = self.enqueue(plan);
        self.clone().empty();
        answer.try_recv().unwrap_or_else(|_| Err(lost().into()))
    }

    /// Puts a write into the queue; says whether its caller is the one who must see to it that it is emptied.
    fn enqueue<T, E>(
        &self,
        plan: impl FnOnce(&Snapshot) -> Result<Plan<T>, E> + Send + 'static,
    ) -> (bool, oneshot::Receiver<Made<T, E>>)
    where
        T: Send + 'static,
        E: From<Fault> + Send + 'static,
    {
        let (send, answer) = oneshot::channel();
        let job = move |batch: &mut Batch| -> Answer {
            let made = batch.make(plan);
            Box::new(move |durable| {
                let result = match (made, durable) {
                    (Err(refused), _) => Err(refused),
                    (Ok(_), Err(error)) => Err(unwritten(error).into()),
                    (Ok((answer, counters)), Ok(now)) => Ok((answer, counters.of(now))),
                };
                // Whoever asked may be gone.
                let _ = send.send(result);
            })
        };
        let first = self.0.queue.with(|queue| {
            queue.jobs.push(Box::new(job));
            !std::mem::replace(&mut queue.emptied, true)
        });
        (first, answer)
    }

    /// Does what is in the queue, batch by batch, until it is empty. Who has the last answer can count on it that nobody
    /// here holds the store any more.
    fn empty(self) {
        let emptying = Emptying(self);
        loop {
            emptying.gather();
            let Some(jobs) = emptying.take() else { return };
            let (answers, outcome) = emptying.0.commit(jobs);
            let answer = || answers.into_iter().for_each(|answer| answer(outcome.as_ref()));
            if emptying.is_done() {
                drop(emptying);
                return answer();
            }
            answer();
        }
    }

    /// Makes the writes of a batch durable together, and shows them.
    fn commit(&self, jobs: Vec<Job>) -> (Vec<Answer>, Result<Snapshot, StoreError>) {
        let held = self.read();
        let mut batch = Batch::new(&held, self.0.hidden.with(Option::take));
        let answers = jobs.into_iter().map(|job| job(&mut batch)).collect();
        let Batch { state, log, mut writes, replaced, changed, .. } = batch;
        if changed {
            writes.extend(Disk::counters(state.version, state.config_version));
            if let Err(error) = self.0.disk.write(&writes) {
                self.0.sound.store(false, Relaxed);
                tracing::error!(target: "store", code = error.code(), "{error}; {}", error.hint());
                return (answers, Err(error));
            }
            self.0.commits.fetch_add(1, Relaxed);
            *self.0.held.write().unwrap_or_else(PoisonError::into_inner) = state.clone();
        }
        let next = if changed {
            // What was shown until now lacks this batch.
            (!replaced).then_some(Hidden { state: held, behind: log })
        } else {
            let second = !Arc::ptr_eq(&state.policy, &held.policy);
            second.then(|| Hidden { state: state.clone(), behind: Vec::new() })
        };
        self.0.hidden.with(|hidden| *hidden = next);
        (answers, Ok(state))
    }
}

impl Counters {
    fn of(self, now: &Snapshot) -> Snapshot {
        Snapshot { version: self.version, config_version: self.config_version, ..now.clone() }
    }
}

/// Whoever empties the queue; also when a plan panics, somebody else can go on afterwards.
struct Emptying(Store);

impl Emptying {
    /// Where writes came together lately, lets as many come along again, until none does for a while. Now and then it
    /// waits for more of them than there were, to find out whether there are.
    fn gather(&self) {
        let Shared { queue, recent, commits, .. } = &*self.0.0;
        let recent = recent.load(Relaxed);
        if recent < 2 {
            return;
        }
        let enough = if commits.load(Relaxed).is_multiple_of(PROBE) { ENOUGH } else { recent.min(ENOUGH) };
        let end = Instant::now() + GATHER;
        let (mut seen, mut quiet) = (0, Instant::now() + QUIET);
        loop {
            let (now, waiting) = (Instant::now(), queue.with(|queue| queue.jobs.len()));
            if waiting > seen {
                (seen, quiet) = (waiting, now + QUIET);
            }
            if waiting >= enough || now >= end.min(quiet) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }

    fn take(&self) -> Option<Vec<Job>> {
        let jobs = self.0.0.queue.with(|queue| {
            queue.emptied = !queue.jobs.is_empty();
            queue.emptied.then(|| std::mem::take(&mut queue.jobs))
        })?;
        let recent = &self.0.0.recent;
        recent.store(jobs.len().max(recent.load(Relaxed) / 2), Relaxed);
        Some(jobs)
    }

    /// Whether there is nothing more; who comes next empties the queue itself.
    fn is_done(&self) -> bool {
        self.0.0.queue.with(|queue| {
            queue.emptied = !queue.jobs.is_empty();
            !queue.emptied
        })
    }
}

impl Drop for Emptying {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.0.queue.with(|queue| *queue = Queue::default());
        }
    }
}

fn unwritten(error: &StoreError) -> Fault {
    Fault::with_status(503, RpcCode::Internal, "store_unavailable", format!("the change was not stored: {error}"))
}

fn lost() -> Fault {
    Fault::new(RpcCode::Internal, "the change was given up")
}

#[cfg(test)]
mod tests;
