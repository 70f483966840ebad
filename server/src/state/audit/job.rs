//! Events to write, and who waits for them.

use std::sync::mpsc::SyncSender;

use tokio::sync::oneshot;

use super::streams::Entry;
use crate::state::error::AuditError;

/// Events to write, and who waits for them. Without events, it asks whether both files can be
/// written.
pub(super) struct Job {
    pub(super) entries: Vec<Entry>,
    pub(super) done: Waiter,
    /// Whether repetitions are written although their minute is not over.
    pub(super) all: bool,
}

/// Who waits until a job is done.
pub(super) enum Waiter {
    /// A task of the async runtime.
    Task(oneshot::Sender<Result<(), AuditError>>),
    /// A thread that may block. Unlike one that waits for a task's channel, it may belong to the
    /// runtime.
    Thread(SyncSender<Result<(), AuditError>>),
    /// No one, because the log ends.
    None,
}

impl Waiter {
    /// Passes the result on.
    pub(super) fn answer(self, result: Result<(), AuditError>) {
        match self {
            // The request may have been canceled.
            Self::Task(done) => drop(done.send(result)),
            Self::Thread(done) => drop(done.send(result)),
            Self::None => {}
        }
    }
}
