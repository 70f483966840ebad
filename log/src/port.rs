//! The port to what keeps the log.

use std::future::Future;

use thiserror::Error;

use crate::entry::EncodedEntry;
use crate::position::LogPosition;

/// A record of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRecord {
    /// Its place; places grow, but may have gaps.
    pub offset: u64,
    /// What was appended. Others may have appended anything.
    pub bytes: Vec<u8>,
}

/// Records that follow each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowedRecords {
    /// The records, in order.
    pub records: Vec<LogRecord>,
    /// Where to go on. It can lie beyond the last record where there was nothing to read.
    pub next: u64,
}

/// A whole state, so that a reader need not begin with the first entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogCheckpoint {
    /// The position of the state.
    pub position: LogPosition,
    /// The first record that is not part of it.
    pub offset: u64,
    /// The state.
    pub state: Vec<u8>,
}

/// Why something could not be done with a log.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LogError {
    /// It cannot be reached at the moment, and nothing has happened.
    #[error("the log of changes cannot be used at the moment: {0}")]
    Unavailable(String),
    /// It cannot be reached, and an entry may have been appended. [`ChangeLog::follow`] shows it.
    #[error("it is not known yet whether the log of changes has the change: {0}")]
    Unknown(String),
    /// It refuses what was asked, and will until somebody changes something there.
    #[error("the log of changes refuses it: {0}")]
    Refused(String),
    /// The entry has more bytes than the log can keep.
    #[error("the change has {size} bytes, and the log of changes keeps at most {limit}")]
    TooLarge {
        /// The size of the entry.
        size: usize,
        /// The largest that is kept.
        limit: usize,
    },
    /// The records before this one are deleted; begin with [`ChangeLog::latest`].
    #[error("the log of changes begins at {0}")]
    Trimmed(u64),
    /// It ends before the place where its reader was: it was truncated, deleted, or made again.
    #[error("the log of changes was truncated or made again: it ends at {0}")]
    Truncated(u64),
    /// Records can only be deleted behind a checkpoint.
    #[error("the log of changes has no complete checkpoint of the entries before {0}")]
    NoCheckpoint(u64),
    /// What it keeps cannot be read.
    #[error("the log of changes is damaged: {0}")]
    Damaged(String),
}

/// What keeps a log: a total order of records, durable once appended.
///
/// Futures can be dropped at any time; an entry whose `append` was dropped may have been appended.
pub trait ChangeLog: Send + Sync {
    /// Appends an entry, durably, and returns its place. Whether it is applied is known when it
    /// comes back through [`ChangeLog::follow`]. Appending it twice is harmless.
    ///
    /// # Errors
    /// See [`LogError`]; only after [`LogError::Unknown`] it may have been appended.
    fn append(&self, entry: &EncodedEntry) -> impl Future<Output = Result<u64, LogError>> + Send;

    /// The records from a place on; at its end, waits for the next one. Calls do not delay
    /// `append`.
    ///
    /// # Errors
    /// See [`LogError`], above all `Trimmed` and `Truncated`.
    fn follow(&self, from: u64) -> impl Future<Output = Result<FollowedRecords, LogError>> + Send;

    /// The place after the last record that anybody appended before the call. Who has followed the
    /// log up to it is current.
    ///
    /// # Errors
    /// See [`LogError`].
    fn end(&self) -> impl Future<Output = Result<u64, LogError>> + Send;

    /// Keeps a checkpoint. It replaces an older one once it is complete, and never a newer one.
    ///
    /// # Errors
    /// See [`LogError`]. The checkpoint before is kept then.
    fn checkpoint(
        &self,
        checkpoint: &LogCheckpoint,
    ) -> impl Future<Output = Result<(), LogError>> + Send;

    /// The newest complete checkpoint.
    ///
    /// # Errors
    /// See [`LogError`].
    fn latest(&self) -> impl Future<Output = Result<Option<LogCheckpoint>, LogError>> + Send;

    /// Deletes the records before a place, if a complete checkpoint has them. More may be kept.
    ///
    /// # Errors
    /// See [`LogError`].
    fn trim(&self, before: u64) -> impl Future<Output = Result<(), LogError>> + Send;
}
