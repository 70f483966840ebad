//! An entry of the log, and its bytes.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::position::LogPosition;

/// The format of entries that this version writes, and the newest that it applies.
pub const LOG_FORMAT: u64 = 1;

/// The most bytes of an entry.
pub const MAX_ENTRY_BYTES: usize = 64 << 20;

/// The most characters of an ID of a store, of an entry, or of a request.
const MAX_ID: usize = 200;

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryAuthor {
    /// The name of the user, or of what changed something by itself.
    pub name: String,
    /// `user`, `system` for the service itself, `outside` for others with access to a cluster.
    pub kind: String,
    /// The identity provider that the user signed in with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The groups that gave the access.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// How the user signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<String>,
}

impl EntryAuthor {
    /// An author of whom only the name is known.
    #[must_use]
    pub fn named(name: &str, kind: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            issuer: None,
            groups: Vec::new(),
            sign_in: None,
        }
    }
}

/// Where a change comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOrigin {
    /// Who made the change.
    pub author: EntryAuthor,
    /// Through which interface.
    pub via: String,
    /// When, in milliseconds since 1970; it orders nothing.
    pub at: i64,
    /// The ID of the request, if there was one.
    pub request_id: Option<String>,
    /// Why, in the author's words.
    pub reason: Option<String>,
}

/// What an entry says, without its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// A random ID. Each try to append gets a new one.
    pub id: String,
    /// Who made the change, when, and why.
    pub origin: EntryOrigin,
    /// The changes, in order, each with the values before.
    pub changes: Vec<Value>,
    /// The digest of the content after the changes.
    pub digest_after: String,
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// The format.
    pub format: u64,
    /// The ID of the data that it belongs to.
    pub store: String,
    /// The state that it was planned on, and the only one that it is applied to.
    pub expected: LogPosition,
    /// See [`NewEntry::id`].
    pub id: String,
    /// Who made the change.
    pub author: EntryAuthor,
    /// Through which interface.
    pub via: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The ID of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The changes, in order, each with the values before.
    pub changes: Vec<Value>,
    /// The digest of the content after the changes.
    pub digest_after: String,
}

/// An entry with its bytes, which are the same wherever it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedEntry {
    id: String,
    bytes: Vec<u8>,
    after: LogPosition,
}

impl EncodedEntry {
    /// Its ID.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The position after it, if it is applied.
    #[must_use]
    pub const fn after(&self) -> LogPosition {
        self.after
    }
}

/// Why bytes are no entry that this version can apply to this store.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EntryFault {
    /// They are no entry at all.
    #[error("it is no entry of a log of changes: {0}")]
    Foreign(String),
    /// They are an entry of other data.
    #[error("it belongs to other data, whose ID is `{0}`")]
    OtherStore(String),
    /// A newer version wrote it.
    #[error("a newer version wrote it, in format {0}")]
    Newer(u64),
}

/// What every format has.
#[derive(Deserialize)]
struct EntryHead {
    format: u64,
    store: String,
}

impl LogEntry {
    /// An entry that is planned at a position.
    #[must_use]
    pub fn new(store: &str, expected: LogPosition, entry: NewEntry) -> Self {
        let NewEntry {
            id,
            origin,
            changes,
            digest_after,
        } = entry;
        let EntryOrigin {
            author,
            via,
            at,
            request_id,
            reason,
        } = origin;
        Self {
            format: LOG_FORMAT,
            store: store.to_owned(),
            expected,
            id,
            author,
            via,
            at,
            request_id,
            reason,
            changes,
            digest_after,
        }
    }

    /// Its bytes: JSON without blanks, with its members in the order of this type.
    ///
    /// # Errors
    /// A value cannot be written as JSON.
    pub fn encode(&self) -> Result<EncodedEntry, serde_json::Error> {
        let bytes = serde_json::to_vec(self)?;
        Ok(EncodedEntry {
            id: self.id.clone(),
            after: self.expected.after(&bytes),
            bytes,
        })
    }

    /// Reads the entry of a store from its bytes, which can be anything.
    ///
    /// # Errors
    /// See [`EntryFault`].
    pub fn read(store: &str, bytes: &[u8]) -> Result<Self, EntryFault> {
        if bytes.len() > MAX_ENTRY_BYTES {
            let message = format!("it has more than {MAX_ENTRY_BYTES} bytes");
            return Err(EntryFault::Foreign(message));
        }
        let head: EntryHead = serde_json::from_slice(bytes).map_err(|error| foreign(&error))?;
        if head.store != store {
            let id = head.store.chars().take(MAX_ID).collect();
            return Err(EntryFault::OtherStore(id));
        }
        if head.format > LOG_FORMAT {
            return Err(EntryFault::Newer(head.format));
        }
        let entry: Self = serde_json::from_slice(bytes).map_err(|error| foreign(&error))?;
        if entry.id.is_empty() || entry.id.len() > MAX_ID {
            return Err(EntryFault::Foreign("its `id` is not valid".to_owned()));
        }
        Ok(entry)
    }
}

fn foreign(error: &serde_json::Error) -> EntryFault {
    EntryFault::Foreign(error.to_string())
}
