//! One transaction: the rows of writes, the entries of the log that say what they changed, and the
//! digests of both.

use std::collections::BTreeMap;

use gbac_log::EntryOrigin;
use redb::{Database, ReadableTable, Table as RedbTable, WriteTransaction};

use super::error::StoreError;
use super::format::{COMMIT, DIGEST, LOG_HEAD};
use super::history::{self, HistoryLimits};
use super::log_head::LogHead;
use super::logged_change::LoggedChanges;
use super::refused::ReplacedRow;
use super::rows::{RowWrite, Table, definition, is_logged};
use super::rows_digest::{RowHash, RowsDigest};

/// What a commit leaves in the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Commit {
    /// Commits are numbered from 1.
    pub(super) number: u64,
    pub(super) digest: RowsDigest,
    pub(super) head: LogHead,
}

/// A write, and the entry of the log that it becomes.
#[derive(Debug)]
pub(super) struct LoggedWrite {
    /// `None` if the log is not about it.
    pub(super) origin: Option<EntryOrigin>,
    pub(super) rows: Vec<RowWrite>,
}

/// What a commit writes.
#[derive(Debug, Default)]
pub(super) struct CommitWrites<'w> {
    /// The writes, in order.
    pub(super) logged: &'w [LoggedWrite],
    /// Rows that are no part of the log.
    pub(super) rows: &'w [RowWrite],
    /// The ID of the data.
    pub(super) store: &'w str,
    /// How much of the log is kept.
    pub(super) limits: HistoryLimits,
    /// Whether the head of the log is written although nothing is logged.
    pub(super) begins_log: bool,
}

/// A table that is written.
pub(super) type OpenTable<'t> = RedbTable<'t, &'static [u8], &'static [u8]>;

/// Writes in one transaction, with the number of this commit and the digest of all rows. The first
/// commit creates the tables. Also after an error, `replaced` has the rows that were written, as
/// they were before.
pub(super) fn commit(
    database: &Database,
    writes: &CommitWrites<'_>,
    last: Commit,
    number: u64,
    replaced: &mut Vec<ReplacedRow>,
) -> Result<Commit, StoreError> {
    let transaction = database.begin_write()?;
    if last == Commit::default() || writes.begins_log {
        for table in Table::ALL {
            transaction.open_table(definition(table))?;
        }
    }
    let next = {
        let mut writer = Writer {
            transaction: &transaction,
            tables: BTreeMap::new(),
            commit: Commit { number, ..last },
            changes: None,
            replaced,
        };
        writer.write_all(writes)?;
        writer.commit
    };
    transaction.commit()?;
    Ok(next)
}

struct Writer<'t> {
    transaction: &'t WriteTransaction,
    tables: BTreeMap<Table, OpenTable<'t>>,
    commit: Commit,
    /// What the current write changes, if it is logged.
    changes: Option<LoggedChanges>,
    replaced: &'t mut Vec<ReplacedRow>,
}

impl<'t> Writer<'t> {
    fn write_all(&mut self, writes: &CommitWrites<'_>) -> Result<(), StoreError> {
        for row in writes.rows {
            if matches!(row, RowWrite::Put(Table::Meta, key, _) if key == DIGEST) {
                continue;
            }
            self.write(row)?;
            if let RowWrite::Put(Table::Meta, key, value) = row
                && key == LOG_HEAD
            {
                let head = LogHead::from_bytes(value).ok_or_else(LogHead::damaged)?;
                (self.commit.head.position, self.commit.head.bytes) = (head.position, head.bytes);
            }
        }
        let mut now_ms = None;
        for write in writes.logged {
            self.changes = Some(LoggedChanges::default());
            for row in &write.rows {
                self.write(row)?;
            }
            let changes = self.changes.take().unwrap_or_default();
            if let Some(origin) = &write.origin {
                self.append(writes.store, origin, changes)?;
                now_ms = Some(origin.at);
            }
        }
        if let Some(now_ms) = now_ms {
            self.trim(&writes.limits, now_ms)?;
        }
        if writes.begins_log || now_ms.is_some() {
            let head = self.commit.head.to_bytes();
            self.write(&RowWrite::put(Table::Meta, LOG_HEAD, head))?;
        }
        let number = self.commit.number.to_string();
        self.write(&RowWrite::put(Table::Meta, COMMIT, number))?;
        let digest = self.commit.digest.to_bytes();
        self.table(Table::Meta)?.insert(DIGEST, digest.as_slice())?;
        Ok(())
    }

    fn table(&mut self, table: Table) -> Result<&mut OpenTable<'t>, StoreError> {
        open(self.transaction, &mut self.tables, table)
    }

    fn write(&mut self, write: &RowWrite) -> Result<(), StoreError> {
        let table = write.table();
        match write {
            RowWrite::Put(_, key, value) => {
                let rows = open(self.transaction, &mut self.tables, table)?;
                let old = rows.insert(key.as_slice(), value.as_slice())?;
                let old = old.map(|old| old.value().to_vec());
                self.note(table, key, old, Some(value));
            }
            RowWrite::Remove(_, key) => {
                let rows = open(self.transaction, &mut self.tables, table)?;
                let old = rows.remove(key.as_slice())?;
                if let Some(old) = old.map(|old| old.value().to_vec()) {
                    self.note(table, key, Some(old), None);
                }
            }
            RowWrite::RemovePrefix(_, prefix) => {
                let mut removed = Vec::new();
                let rows = open(self.transaction, &mut self.tables, table)?;
                let mut remove = |key: &[u8], value: &[u8]| {
                    removed.push((key.to_vec(), value.to_vec()));
                    false
                };
                let result = match prefix_end(prefix) {
                    Some(end) => {
                        rows.retain_in::<&[u8], _>(prefix.as_slice()..end.as_slice(), &mut remove)
                    }
                    None => rows.retain_in::<&[u8], _>(prefix.as_slice().., &mut remove),
                };
                for (key, value) in removed {
                    self.note(table, &key, Some(value), None);
                }
                result?;
            }
        }
        Ok(())
    }

    /// Notes that a row was written: for what undoes the commit, for the digests, and for the log.
    fn note(&mut self, table: Table, key: &[u8], old: Option<Vec<u8>>, new: Option<&Vec<u8>>) {
        let Commit { digest, head, .. } = &mut self.commit;
        let is_content = is_logged(table, key);
        if table != Table::Log {
            if let Some(old) = &old {
                let hash = RowHash::new(table, key, old);
                digest.remove_hash(&hash);
                if is_content {
                    head.content.remove_hash(&hash);
                }
            }
            if let Some(new) = new {
                let hash = RowHash::new(table, key, new);
                digest.add_hash(&hash);
                if is_content {
                    head.content.add_hash(&hash);
                }
            }
        }
        self.replaced
            .push(ReplacedRow::new(table, key, old.as_deref()));
        if let (Some(changes), true) = (&mut self.changes, is_content) {
            changes.add(table, key, old, new.cloned());
        }
    }

    /// Appends the entry of a write to the log.
    fn append(
        &mut self,
        store: &str,
        origin: &EntryOrigin,
        changes: LoggedChanges,
    ) -> Result<(), StoreError> {
        let head = self.commit.head;
        let appended = history::entry(store, head, origin, changes)?;
        let key = history::key(appended.after.seq);
        self.commit.head = LogHead {
            position: appended.after,
            bytes: head.bytes.saturating_add(appended.row.len() as u64),
            ..head
        };
        self.write(&RowWrite::put(Table::Log, key, appended.row))
    }

    /// Deletes the oldest entries that need not be kept: a few at each commit, so that none takes
    /// long.
    fn trim(&mut self, limits: &HistoryLimits, now_ms: i64) -> Result<(), StoreError> {
        for _ in 0..history::TRIMMED_AT_ONCE {
            let kept_bytes = self.commit.head.bytes;
            let newest = history::key(self.commit.head.position.seq);
            let log = self.table(Table::Log)?;
            let oldest = match log.first()? {
                // The newest one stays, whatever its size: followers have to see it.
                Some((key, _)) if key.value() == newest.as_slice() => return Ok(()),
                Some((key, row)) if limits.drops(row.value(), kept_bytes, now_ms) => {
                    (key.value().to_vec(), row.value().len())
                }
                Some(_) | None => return Ok(()),
            };
            self.write(&RowWrite::Remove(Table::Log, oldest.0))?;
            self.commit.head.bytes = kept_bytes.saturating_sub(oldest.1 as u64);
        }
        Ok(())
    }
}

fn open<'w, 't>(
    transaction: &'t WriteTransaction,
    tables: &'w mut BTreeMap<Table, OpenTable<'t>>,
    table: Table,
) -> Result<&'w mut OpenTable<'t>, StoreError> {
    match tables.entry(table) {
        std::collections::btree_map::Entry::Occupied(open) => Ok(open.into_mut()),
        std::collections::btree_map::Entry::Vacant(place) => {
            Ok(place.insert(transaction.open_table(definition(table))?))
        }
    }
}

/// The first key after all keys with this prefix; `None` if there is none.
fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_the_next_key() {
        assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(prefix_end(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(prefix_end(&[255]), None);
    }
}
