//! The log of changes: state is what a log of entries says.
//!
//! An entry names the state that it was planned on. Whoever reads the log applies an entry only if
//! that is its state, so all readers of one log agree, whatever the order of its writers, and an
//! entry that is repeated does nothing ([`LogState::admit`]). There is no lock and no leader.
//!
//! What the changes of an entry mean is for whoever keeps the state; what keeps the entries
//! implements [`ChangeLog`].

mod entry;
mod memory;
mod port;
mod position;
mod state;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use entry::{
    EncodedEntry, EntryAuthor, EntryFault, EntryOrigin, LOG_FORMAT, LogEntry, MAX_ENTRY_BYTES,
    NewEntry,
};
pub use memory::MemoryLog;
pub use port::{ChangeLog, FollowedRecords, LogCheckpoint, LogError, LogRecord};
pub use position::{LogDigest, LogPosition};
pub use state::{Admitted, LogState};
