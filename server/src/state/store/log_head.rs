//! Where the log of a store ends.

use gbac_log::{LogDigest, LogPosition};

use super::error::StoreError;
use super::format::COUNTER_LIMIT;
use super::rows_digest::RowsDigest;

/// The end of the log, and the content that it results in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LogHead {
    pub(super) position: LogPosition,
    /// The digest of the rows that the log is about.
    pub(super) content: RowsDigest,
    /// The size of the entries that are kept.
    pub(super) bytes: u64,
}

impl LogHead {
    /// As it is stored; part of the format.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes = self.position.seq.to_be_bytes().to_vec();
        bytes.extend(self.position.digest.as_bytes());
        bytes.extend(self.bytes.to_be_bytes());
        bytes.extend(self.content.to_bytes());
        bytes
    }

    /// `None` if the bytes are not those of an end.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (seq, rest) = bytes.split_first_chunk()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (size, content) = rest.split_first_chunk()?;
        let seq = u64::from_be_bytes(*seq);
        (seq < COUNTER_LIMIT).then_some(Self {
            position: LogPosition {
                seq,
                digest: LogDigest::from_bytes(*digest),
            },
            bytes: u64::from_be_bytes(*size),
            content: RowsDigest::from_bytes(content)?,
        })
    }

    pub(super) fn damaged() -> StoreError {
        StoreError::damaged("the end of the log of changes", "cannot be read")
    }
}
