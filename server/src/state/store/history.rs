//! The entries of the log in the file: how they are kept, for how long, and how they are read.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use gbac_log::{EntryOrigin, LogEntry, LogPosition, MAX_ENTRY_BYTES, NewEntry};
use redb::{ReadTransaction, ReadableTable};

use super::error::StoreError;
use super::format::LOG_HEAD;
use super::log_head::LogHead;
use super::logged_change::LoggedChanges;
use super::rows::{Table, definition};
use crate::random;

/// At most this number of entries is deleted with a commit.
pub(super) const TRIMMED_AT_ONCE: usize = 64;

/// Larger entries are kept compressed.
const PLAIN_BYTES: usize = 4 << 10;
/// How the bytes of an entry are kept; the first byte of a row.
const PLAIN: u8 = 0;
const DEFLATED: u8 = 1;

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

/// How much of the history of changes is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// The oldest changes are deleted when all of them take more than this number of bytes; 0 is no
    /// limit.
    pub bytes: u64,
    /// Changes that are older than this number of days are deleted; 0 is no limit.
    pub days: u32,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            bytes: 256 << 20,
            days: 0,
        }
    }
}

impl HistoryLimits {
    /// Whether the oldest entry, of this row, is deleted.
    pub(super) fn drops(&self, row: &[u8], kept_bytes: u64, now_ms: i64) -> bool {
        let is_old = match time(row) {
            Some(at) => self.days > 0 && now_ms.saturating_sub(at) > i64::from(self.days) * DAY,
            None => true,
        };
        is_old || (self.bytes > 0 && kept_bytes > self.bytes)
    }
}

/// The key of an entry.
pub(super) fn key(seq: u64) -> [u8; 8] {
    seq.to_be_bytes()
}

/// The number of the entry with this key.
pub(super) fn seq(key: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(key.try_into().ok()?))
}

/// A new entry, as it is kept.
pub(super) struct NewRow {
    pub(super) row: Vec<u8>,
    pub(super) after: LogPosition,
}

/// The entry of a write that was made after `head` was.
pub(super) fn entry(
    store: &str,
    head: LogHead,
    origin: &EntryOrigin,
    changes: LoggedChanges,
) -> Result<NewRow, StoreError> {
    let unreadable = || StoreError::damaged("a row", "cannot be read");
    let id = random::bytes::<16>().map_err(redb::Error::Io)?;
    let entry = NewEntry {
        id: random::hex(&id),
        origin: origin.clone(),
        changes: changes.into_json().ok_or_else(unreadable)?,
        digest_after: random::hex(&head.content.to_bytes()),
    };
    let entry = LogEntry::new(store, head.position, entry);
    let encoded = entry.encode().map_err(|_| unreadable())?;
    let after = encoded.after();
    Ok(NewRow {
        row: pack(entry.at, encoded.bytes()),
        after,
    })
}

/// The row of an entry: how its bytes are kept, its time, and the bytes.
fn pack(at: i64, entry: &[u8]) -> Vec<u8> {
    if entry.len() > PLAIN_BYTES {
        let mut row = vec![DEFLATED];
        row.extend(at.to_be_bytes());
        let mut encoder = DeflateEncoder::new(row, Compression::fast());
        if encoder.write_all(entry).is_ok()
            && let Ok(row) = encoder.finish()
        {
            return row;
        }
    }
    let mut row = vec![PLAIN];
    row.extend(at.to_be_bytes());
    row.extend(entry);
    row
}

/// The time of an entry by its row.
fn time(row: &[u8]) -> Option<i64> {
    let (time, _) = row.get(1..)?.split_first_chunk()?;
    Some(i64::from_be_bytes(*time))
}

/// The bytes of an entry by its row; `None` if they cannot be read.
pub(super) fn unpack(row: &[u8]) -> Option<Vec<u8>> {
    let (head, kept) = row.split_at_checked(9)?;
    match head.first().copied()? {
        PLAIN => Some(kept.to_vec()),
        DEFLATED => {
            let mut entry = Vec::new();
            let limit = MAX_ENTRY_BYTES as u64 + 1;
            DeflateDecoder::new(kept)
                .take(limit)
                .read_to_end(&mut entry)
                .ok()?;
            (entry.len() <= MAX_ENTRY_BYTES).then_some(entry)
        }
        _ => None,
    }
}

/// Where the log ends.
pub(super) fn head(read: &ReadTransaction) -> Result<LogHead, StoreError> {
    let meta = read.open_table(definition(Table::Meta))?;
    match meta.get(LOG_HEAD)? {
        Some(head) => LogHead::from_bytes(head.value()).ok_or_else(LogHead::damaged),
        // A version without a log wrote it.
        None => Ok(LogHead::default()),
    }
}

/// Checks that the newest entry is the last change of the store. Older ones are checked when they
/// are read.
pub(super) fn check_newest(read: &ReadTransaction) -> Result<(), StoreError> {
    let mut check = HistoryCheck::default();
    if let Some((key, row)) = read.open_table(definition(Table::Log))?.last()? {
        check.read(key.value(), row.value())?;
    }
    check.finish(Some(head(read)?))
}

/// Checks that entries follow each other.
#[derive(Debug, Default)]
pub(super) struct HistoryCheck {
    store: Option<String>,
    last: Option<LogPosition>,
}

impl HistoryCheck {
    /// Reads the next entry.
    ///
    /// # Errors
    /// It is not the one that follows.
    pub(super) fn read(&mut self, key: &[u8], row: &[u8]) -> Result<LogEntry, StoreError> {
        let damaged =
            || StoreError::damaged("the log of changes", "has a missing or changed entry");
        let bytes = unpack(row).ok_or_else(damaged)?;
        let entry: LogEntry = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        let after = entry.expected.after(&bytes);
        let follows = self.last.is_none_or(|last| last == entry.expected);
        let is_same = self
            .store
            .as_ref()
            .is_none_or(|store| *store == entry.store);
        if !follows || !is_same || seq(key) != Some(after.seq) || time(row) != Some(entry.at) {
            return Err(damaged());
        }
        if self.store.is_none() {
            self.store = Some(entry.store.clone());
        }
        self.last = Some(after);
        Ok(entry)
    }

    /// After the last entry: checks that it is the one that the store ends with.
    pub(super) fn finish(&self, head: Option<LogHead>) -> Result<(), StoreError> {
        let ends = head.unwrap_or_default().position;
        match self.last {
            Some(last) if last != ends => Err(StoreError::damaged(
                "the log of changes",
                "does not end with the last change",
            )),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_unpacked_as_they_were_packed() {
        let large = "[1,2,3]".repeat(10_000);
        for entry in ["", "{}", &large] {
            let row = pack(7, entry.as_bytes());
            assert_eq!(unpack(&row), Some(entry.as_bytes().to_vec()));
            assert_eq!(time(&row), Some(7));
        }
        assert!(pack(7, large.as_bytes()).len() < large.len() / 10);
        for damaged in [
            &b""[..],
            b"\0",
            b"\x02\0\0\0\0\0\0\0\0{}",
            b"\x01\0\0\0\0\0\0\0\0{}",
        ] {
            assert_eq!(unpack(damaged), None, "{damaged:?}");
        }
    }

    #[test]
    fn the_oldest_entries_are_dropped_by_size_and_by_age() {
        let row = pack(0, b"{}");
        let limits = |bytes, days| HistoryLimits { bytes, days };
        assert!(!limits(10, 0).drops(&row, 10, i64::MAX));
        assert!(limits(10, 0).drops(&row, 11, 0));
        assert!(!limits(0, 1).drops(&row, u64::MAX, DAY));
        assert!(limits(0, 1).drops(&row, 0, DAY + 1));
        assert!(!limits(0, 1).drops(&row, 0, -1), "clocks differ");
    }
}
