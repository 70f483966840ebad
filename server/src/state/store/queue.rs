//! The writes that wait for a commit, and who waits for them.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::batch::{AddedWrite, Batch};
use super::change::{RecordedChange, Stored};
use super::error::StoreError;
use super::snapshot::Snapshot;
use crate::state::error::WriteError;

/// The writes that wait for a commit.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) jobs: Vec<Job>,
    /// Whether a task is draining it.
    pub(super) draining: bool,
}

/// A write in the queue.
pub(super) struct Job {
    /// Makes the write and adds it to a batch.
    pub(super) add: Box<dyn FnOnce(&mut Batch) + Send>,
    pub(super) committed: oneshot::Sender<CommitResult>,
}

/// The state after a commit.
pub(super) type CommitResult = Result<Snapshot, Arc<StoreError>>;

/// What the writer in the queue waits for.
pub(super) struct Pending<T, E> {
    added: oneshot::Receiver<Result<AddedWrite<T>, E>>,
    committed: oneshot::Receiver<CommitResult>,
}

/// A write for the queue, and its result.
pub(super) fn job<T, E>(
    write: impl FnOnce(&mut Batch) -> Result<(T, RecordedChange), E> + Send + 'static,
) -> (Job, Pending<T, E>)
where
    T: Send + 'static,
    E: From<WriteError> + Send + 'static,
{
    let (send_added, added) = oneshot::channel();
    let (send_committed, committed) = oneshot::channel();
    let job = Job {
        // The request may have been canceled.
        add: Box::new(move |batch| drop(send_added.send(batch.add_write(write)))),
        committed: send_committed,
    };
    (job, Pending { added, committed })
}

impl<T, E: From<WriteError>> Pending<T, E> {
    /// Waits for the commit. A write that is rejected is so once the writes before it are stored.
    pub(super) async fn wait(self) -> Result<Stored<T>, E> {
        match (self.added.await, self.committed.await) {
            (Ok(added), Ok(committed)) => stored(added, committed),
            (Err(_), _) | (_, Err(_)) => Err(WriteError::Aborted.into()),
        }
    }

    /// The result of a write whose batch is committed.
    pub(super) fn take(mut self) -> Result<Stored<T>, E> {
        match (self.added.try_recv(), self.committed.try_recv()) {
            (Ok(added), Ok(committed)) => stored(added, committed),
            (Err(_), _) | (_, Err(_)) => Err(WriteError::Aborted.into()),
        }
    }

    /// Waits for the commit on a thread that may block.
    pub(super) fn block(self) {
        let _ = self.committed.blocking_recv();
    }
}

fn stored<T, E: From<WriteError>>(
    added: Result<AddedWrite<T>, E>,
    committed: CommitResult,
) -> Result<Stored<T>, E> {
    let AddedWrite {
        answer,
        outcomes,
        version,
    } = added?;
    match committed {
        Ok(state) => Ok(Stored {
            answer,
            outcomes,
            after: Snapshot { version, ..state },
        }),
        Err(error) => Err(WriteError::NotStored(error.to_string()).into()),
    }
}
