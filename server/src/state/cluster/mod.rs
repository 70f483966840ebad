//! The ACLs of a Kafka cluster (D-136). They live in the cluster: the store keeps a copy, from which
//! decisions are made, and a change of ACLs is sent to the cluster before it is stored.
//!
//! One task has the connection. Requests hand it their changes through a bounded queue, so that
//! nothing waits for the cluster while it holds a lock.

mod recent_writes;
mod status;
mod target;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::audit::{ChangeRecorder, RequestScope};
use super::error::WriteError;
use super::store::{Snapshot, StateChange, Stored};
use crate::lock::Lock;
pub(crate) use status::ClusterStatus;
pub use target::ClusterOptionError;
pub(crate) use target::ClusterTarget;
pub(crate) use worker::{ClusterStorage, Worker};

/// How many changes can wait for the cluster.
const QUEUE: usize = 64;
/// How long a stop waits for the change that is being sent.
const STOP_TIME: Duration = Duration::from_secs(30);

/// What the task does next.
enum Message {
    Change(Change),
    Stop,
}

/// A change that waits, with the channel of its answer.
type Change = Box<dyn for<'w> FnOnce(&'w mut Worker) -> BoxFuture<'w, ()> + Send>;

/// The task's part, with the changes that it receives.
type UnstartedTask = (Worker, mpsc::Receiver<Message>);

/// The cluster, as requests see it; cheap to clone.
#[derive(Clone)]
pub(crate) struct ClusterLink {
    queue: mpsc::Sender<Message>,
    status: Arc<ClusterStatus>,
    /// The task's part until it starts.
    waiting: Arc<Lock<Option<UnstartedTask>>>,
}

impl ClusterLink {
    /// The link to a cluster; nothing is read until it starts.
    pub(crate) fn new(target: ClusterTarget, storage: ClusterStorage) -> Self {
        let (queue, changes) = mpsc::channel(QUEUE);
        let status = Arc::new(ClusterStatus::new(&target));
        let worker = Worker::new(target, storage, Arc::clone(&status));
        Self {
            queue,
            status,
            waiting: Arc::new(Lock::new(Some((worker, changes)))),
        }
    }

    /// Starts to read the ACLs, and to take changes; `None` if it has started before. Requires a
    /// tokio runtime.
    pub(crate) fn start(&self) -> Option<JoinHandle<()>> {
        let (worker, changes) = self.waiting.with(Option::take)?;
        Some(tokio::spawn(run(worker, changes)))
    }

    /// Stops when the changes before it are made, or after a time limit.
    pub(crate) async fn stop(&self, task: JoinHandle<()>) {
        let abort = task.abort_handle();
        let stopped = async {
            if self.queue.send(Message::Stop).await.is_ok() {
                let _ = task.await;
            }
        };
        if timeout(STOP_TIME, stopped).await.is_err() {
            abort.abort();
        }
    }

    /// What is known of the cluster.
    pub(crate) fn status(&self) -> &ClusterStatus {
        &self.status
    }

    /// Makes a planned change: its ACLs in the cluster first, and then what the cluster accepted in
    /// the store. It is made even if its request ends before.
    ///
    /// # Errors
    /// Those of the plan and of the store; too many changes wait, the cluster cannot be read, or it
    /// refuses some of the change.
    pub(crate) async fn change<T, E>(
        &self,
        recorder: ChangeRecorder,
        plan: impl FnOnce(&Snapshot) -> Result<(StateChange, T), E> + Send + 'static,
    ) -> Result<Stored<T>, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
    {
        let token = match RequestScope::current() {
            Some(request) => request.token(),
            None => None,
        };
        let (answer, made) = oneshot::channel();
        let change: Change = Box::new(move |worker: &mut Worker| -> BoxFuture<'_, ()> {
            Box::pin(async move {
                // The request may have ended.
                let _ = answer.send(worker.change(recorder, token, plan).await);
            })
        });
        if self.queue.try_send(Message::Change(change)).is_err() {
            return Err(WriteError::ClusterBusy(self.status.name().to_owned()).into());
        }
        match made.await {
            Ok(result) => result,
            Err(_) => Err(WriteError::Aborted.into()),
        }
    }
}

/// Reads the ACLs in an interval, and makes changes in between.
async fn run(mut worker: Worker, mut changes: mpsc::Receiver<Message>) {
    let mut due = tokio::time::interval(worker.interval());
    due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = due.tick() => worker.read().await,
            message = changes.recv() => match message {
                Some(Message::Change(change)) => change(&mut worker).await,
                Some(Message::Stop) | None => return,
            },
        }
    }
}
