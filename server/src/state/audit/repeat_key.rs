//! What events have in common.

use sha2::{Digest, Sha256};

/// What two events must have in common to be recorded together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RepeatKey([u8; 32]);

impl RepeatKey {
    pub(super) fn new<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().into())
    }
}
