//! A commit that was refused although it may be in the file, with what undoes it.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::rows::{RowWrite, Table};

/// A commit whose writers were told that it is not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RefusedCommit {
    /// Its number.
    pub(super) number: u64,
    /// The digest of all rows before it.
    pub(super) digest: Vec<u8>,
    /// The rows that it wrote, in this order.
    pub(super) replaced: Vec<ReplacedRow>,
}

/// A row before it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReplacedRow {
    /// The index of its table.
    table: u8,
    key: Vec<u8>,
    /// `None` if there was no such row.
    value: Option<Vec<u8>>,
}

impl ReplacedRow {
    pub(super) fn new(table: Table, key: &[u8], value: Option<&[u8]>) -> Self {
        Self {
            table: table.index(),
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
        }
    }
}

impl RefusedCommit {
    /// The writes that undo it; `None` if it has an unknown table.
    pub(super) fn undo(&self) -> Option<Vec<RowWrite>> {
        // A row that was written twice has its first value last.
        self.replaced.iter().rev().map(ReplacedRow::undo).collect()
    }

    /// The content of its file: a checksum, and JSON.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).unwrap_or_default();
        let checksum: [u8; 32] = Sha256::digest(&json).into();
        [checksum.as_slice(), &json].concat()
    }

    /// The commit in a file; `None` if the file is not complete.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (checksum, json) = bytes.split_first_chunk::<32>()?;
        if <[u8; 32]>::from(Sha256::digest(json)) != *checksum {
            return None;
        }
        serde_json::from_slice(json).ok()
    }
}

impl ReplacedRow {
    fn undo(&self) -> Option<RowWrite> {
        let table = *Table::ALL.get(usize::from(self.table))?;
        Some(match &self.value {
            Some(value) => RowWrite::put(table, self.key.as_slice(), value.as_slice()),
            None => RowWrite::Remove(table, self.key.clone()),
        })
    }
}
