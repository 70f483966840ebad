//! A digest of all rows of the store, which a write updates without reading the rows that it does
//! not touch.

use sha2::{Digest, Sha256};

use super::error::StoreError;
use super::format::DIGEST;
use super::rows::{Table, is_logged};

/// The number of rows, and the sum of their SHA-256 modulo 2^256. The order of the rows does not
/// count, so a row is added and removed in constant time. It finds damage and lost rows; it is no
/// seal against who can write the file (D-54).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowsDigest {
    count: u64,
    /// The least significant part first.
    sum: [u64; 4],
}

impl RowsDigest {
    pub(super) fn add(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.add_hash(&RowHash::new(table, key, value));
    }

    pub(super) fn add_hash(&mut self, hash: &RowHash) {
        self.count = self.count.wrapping_add(1);
        let mut carry = false;
        for (part, other) in self.sum.iter_mut().zip(hash.0) {
            let (sum, first) = part.overflowing_add(other);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*part, carry) = (sum, first || second);
        }
    }

    pub(super) fn remove_hash(&mut self, hash: &RowHash) {
        self.count = self.count.wrapping_sub(1);
        let mut borrow = false;
        for (part, other) in self.sum.iter_mut().zip(hash.0) {
            let (difference, first) = part.overflowing_sub(other);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*part, borrow) = (difference, first || second);
        }
    }

    /// As it is stored; part of the format.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let parts = [self.count].into_iter().chain(self.sum);
        parts.flat_map(u64::to_be_bytes).collect()
    }

    /// `None` if the bytes are not those of a digest.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (parts, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let [count, sum @ ..] = <[[u8; 8]; 5]>::try_from(parts)
            .ok()?
            .map(u64::from_be_bytes);
        Some(Self { count, sum })
    }
}

/// Compares the rows of a store with the digest among them.
#[derive(Default)]
pub(super) struct DigestCheck {
    stated: Option<RowsDigest>,
    actual: RowsDigest,
    /// The digest of the rows that the log is about.
    pub(super) content: RowsDigest,
}

impl DigestCheck {
    /// Adds a row. Returns whether it is a row of the content; the digest itself is none.
    pub(super) fn read(
        &mut self,
        table: Table,
        key: &[u8],
        value: &[u8],
    ) -> Result<bool, StoreError> {
        if table == Table::Log {
            return Ok(true);
        }
        if (table, key) != (Table::Meta, DIGEST) {
            let hash = RowHash::new(table, key, value);
            self.actual.add_hash(&hash);
            if is_logged(table, key) {
                self.content.add_hash(&hash);
            }
            return Ok(true);
        }
        let Some(digest) = RowsDigest::from_bytes(value) else {
            return Err(StoreError::damaged(
                "the digest of its rows",
                "cannot be read",
            ));
        };
        self.stated = Some(digest);
        Ok(false)
    }

    /// After the last row: refuses rows that are missing, added or different.
    pub(super) fn finish(self) -> Result<(), StoreError> {
        match self.stated {
            Some(stated) if stated == self.actual => Ok(()),
            Some(_) => Err(StoreError::damaged(
                "its rows differ from",
                "those that were written",
            )),
            None => Err(StoreError::damaged("the digest of its rows", "is missing")),
        }
    }
}

/// The SHA-256 of a row.
pub(super) struct RowHash([u64; 4]);

impl RowHash {
    pub(super) fn new(table: Table, key: &[u8], value: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        // The lengths keep rows with the same bytes in other places apart.
        hasher.update(table.name());
        hasher.update([0]);
        hasher.update((key.len() as u64).to_be_bytes());
        hasher.update(key);
        hasher.update(value);
        let digest: [u8; 32] = hasher.finalize().into();
        let mut parts = [0; 4];
        for (part, bytes) in parts.iter_mut().zip(digest.as_chunks::<8>().0) {
            *part = u64::from_le_bytes(*bytes);
        }
        Self(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_depends_on_the_rows_and_not_on_their_order() {
        let of = |rows: &[(Table, &[u8], &[u8])]| {
            let mut digest = RowsDigest::default();
            rows.iter()
                .for_each(|(table, key, value)| digest.add(*table, key, value));
            digest
        };
        let row = |table, key: &'static [u8], value: &'static [u8]| (table, key, value);
        let (a, b) = (row(Table::Acls, b"a", b""), row(Table::Roles, b"b", b""));
        assert_eq!(of(&[a, b]), of(&[b, a]));
        for other in [
            of(&[a]),
            of(&[a, a]),
            of(&[a, b, b]),
            of(&[row(Table::Roles, b"a", b""), b]),
            of(&[row(Table::Acls, b"", b"a"), b]),
        ] {
            assert_ne!(of(&[a, b]), other);
        }
    }

    #[test]
    fn removing_undoes_adding() {
        let mut digest = RowsDigest::default();
        let mut states = Vec::new();
        for at in 0_u32..200 {
            states.push(digest);
            digest.add(Table::Acls, &at.to_be_bytes(), b"x");
            assert_eq!(RowsDigest::from_bytes(&digest.to_bytes()), Some(digest));
        }
        for at in (0_u32..200).rev() {
            digest.remove_hash(&RowHash::new(Table::Acls, &at.to_be_bytes(), b"x"));
            assert_eq!(states.pop(), Some(digest));
        }
        let bytes = digest.to_bytes();
        assert_eq!(RowsDigest::from_bytes(&bytes[1..]), None);
        assert_eq!(
            RowsDigest::from_bytes(&[&bytes[..], &[0; 8]].concat()),
            None
        );
    }
}
