//! Reads the log of changes: its entries, and the state after each of them.

use std::collections::BTreeMap;

use gbac_log::{LogEntry, LogPosition};
use redb::{ReadTransaction, ReadableTable};

use super::error::StoreError;
use super::file::Disk;
use super::history;
use super::logged_change::LoggedRow;
use super::rows::{Table, definition};
use super::rows_digest::{RowHash, RowsDigest};
use super::stored_state::{StateReader, StoredState};
use crate::random;

/// The entries of a page have at most this number of bytes, or are one.
const PAGE_BYTES: usize = 4 << 20;
/// At most this number of bytes of rows is turned back.
const MAX_TURNED_BACK: usize = 256 << 20;

/// The state after an entry, if it can be told.
pub(crate) enum PastState<T> {
    /// The state.
    Known(T),
    /// There is no such entry yet.
    NotYet,
    /// It can no longer be told.
    Gone(PastFault),
}

/// Why a past state can no longer be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PastFault {
    /// An entry after it is deleted; the oldest that is kept.
    Deleted(u64),
    /// This entry after it changed too much to be kept.
    TooLarge(u64),
    /// Too much has changed since.
    TooFar,
}

/// Rows as they were, by their key; `None` where there was none.
type TurnedBack = BTreeMap<(Table, Vec<u8>), Option<Vec<u8>>>;

impl Disk {
    /// The entries before this one, newest first; all without one.
    pub(super) fn entries_before(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let log = self.begin_read()?.open_table(definition(Table::Log))?;
        let end = history::key(before.unwrap_or(u64::MAX));
        let (mut entries, mut bytes) = (Vec::new(), 0);
        for row in log.range::<&[u8]>(..end.as_slice())?.rev() {
            let (key, row) = row?;
            let entry = unpacked(row.value())?;
            bytes += entry.len();
            let is_full = entries.len() >= limit || (bytes > PAGE_BYTES && !entries.is_empty());
            if is_full {
                break;
            }
            entries.push(read_entry(key.value(), &entry)?);
        }
        Ok(entries)
    }

    /// The entries after this one, oldest first.
    pub(super) fn entries_after(
        &self,
        after: u64,
        limit: usize,
    ) -> Result<Vec<LogEntry>, StoreError> {
        let log = self.begin_read()?.open_table(definition(Table::Log))?;
        let start = history::key(after.saturating_add(1));
        let (mut entries, mut bytes) = (Vec::new(), 0);
        for row in log.range::<&[u8]>(start.as_slice()..)? {
            let (key, row) = row?;
            let entry = unpacked(row.value())?;
            bytes += entry.len();
            let is_full = entries.len() >= limit || (bytes > PAGE_BYTES && !entries.is_empty());
            if is_full {
                break;
            }
            entries.push(read_entry(key.value(), &entry)?);
        }
        Ok(entries)
    }

    /// The number of the oldest entry that is kept.
    pub(super) fn first_entry(&self) -> Result<Option<u64>, StoreError> {
        first_entry(&self.begin_read()?)
    }

    /// The state after an entry: the rows of now, with every later entry turned back, each of which
    /// is checked.
    pub(super) fn past(&self, seq: u64) -> Result<PastState<StoredState>, StoreError> {
        let read = self.begin_read()?;
        let head = history::head(&read)?;
        if seq > head.position.seq {
            return Ok(PastState::NotYet);
        }
        let mut walk = Walk {
            position: head.position,
            content: head.content,
            rows: TurnedBack::new(),
            bytes: 0,
        };
        let log = read.open_table(definition(Table::Log))?;
        while walk.position.seq > seq {
            let at = walk.position.seq;
            let Some(row) = log.get(history::key(at).as_slice())? else {
                let first = first_entry(&read)?.unwrap_or(head.position.seq + 1);
                return Ok(PastState::Gone(PastFault::Deleted(first)));
            };
            if let Some(fault) = walk.turn_back(&unpacked(row.value())?)? {
                return Ok(PastState::Gone(fault));
            }
        }
        let state = read_turned_back(&read, walk.rows, walk.content)?;
        Ok(PastState::Known(state))
    }
}

/// A walk from the current state into the past.
struct Walk {
    position: LogPosition,
    content: RowsDigest,
    rows: TurnedBack,
    bytes: usize,
}

impl Walk {
    /// Turns back the entry that led here.
    fn turn_back(&mut self, bytes: &[u8]) -> Result<Option<PastFault>, StoreError> {
        let seq = self.position.seq;
        let entry = read_entry(&history::key(seq), bytes)?;
        let is_same = entry.expected.after(bytes) == self.position
            && entry.digest_after == random::hex(&self.content.to_bytes());
        if !is_same {
            return Err(damaged(seq));
        }
        for change in &entry.changes {
            if change.get("change").is_some_and(|change| change == "many") {
                return Ok(Some(PastFault::TooLarge(seq)));
            }
            let row = LoggedRow::from_json(change).ok_or_else(|| damaged(seq))?;
            if let Some(after) = &row.after {
                self.content
                    .remove_hash(&RowHash::new(row.table, &row.key, after));
            }
            if let Some(before) = &row.before {
                self.content
                    .add_hash(&RowHash::new(row.table, &row.key, before));
            }
            self.bytes += row.key.len() + row.before.as_ref().map_or(0, Vec::len);
            self.rows.insert((row.table, row.key), row.before);
        }
        self.position = entry.expected;
        Ok((self.bytes > MAX_TURNED_BACK).then_some(PastFault::TooFar))
    }
}

/// The state of these rows in place of the current ones.
fn read_turned_back(
    read: &ReadTransaction,
    turned_back: TurnedBack,
    content: RowsDigest,
) -> Result<StoredState, StoreError> {
    let mut by_table: BTreeMap<Table, BTreeMap<Vec<u8>, Option<Vec<u8>>>> = BTreeMap::new();
    for ((table, key), value) in turned_back {
        by_table.entry(table).or_default().insert(key, value);
    }
    let mut reader = StateReader::of_past(content);
    for table in Table::STATE {
        let mut turned = by_table.remove(&table).unwrap_or_default();
        for row in read.open_table(definition(table))?.iter()? {
            let (key, value) = row?;
            // Rows that are gone now come before the next one that is there.
            let later = turned.split_off(key.value());
            for (gone, value) in std::mem::replace(&mut turned, later) {
                if let Some(value) = value {
                    reader.read(table, &gone, &value)?;
                }
            }
            match turned.remove(key.value()) {
                Some(Some(before)) => reader.read(table, key.value(), &before)?,
                Some(None) => {}
                None => reader.read(table, key.value(), value.value())?,
            }
        }
        for (gone, value) in turned {
            if let Some(value) = value {
                reader.read(table, &gone, &value)?;
            }
        }
    }
    reader.finish()
}

fn first_entry(read: &ReadTransaction) -> Result<Option<u64>, StoreError> {
    let log = read.open_table(definition(Table::Log))?;
    Ok(log.first()?.and_then(|(key, _)| history::seq(key.value())))
}

fn unpacked(row: &[u8]) -> Result<Vec<u8>, StoreError> {
    history::unpack(row).ok_or_else(|| {
        StoreError::damaged("the log of changes", "has an entry that cannot be read")
    })
}

fn read_entry(key: &[u8], bytes: &[u8]) -> Result<LogEntry, StoreError> {
    let seq = history::seq(key).unwrap_or_default();
    let entry: LogEntry = serde_json::from_slice(bytes).map_err(|_| damaged(seq))?;
    if entry.expected.seq.checked_add(1) == Some(seq) {
        Ok(entry)
    } else {
        Err(damaged(seq))
    }
}

fn damaged(seq: u64) -> StoreError {
    StoreError::damaged("the entry of the log of changes", seq)
}
