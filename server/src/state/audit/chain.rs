//! The chain of the events of a log: each has its number and the SHA-256 of the line before it
//! (D-125).

use gbac_analysis::audit::{EventLink, EventText};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::random::hex;

/// The end of a chain, which the next event continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ChainEnd {
    /// The number of the last event; 0 if there is none, or if it has no link.
    pub(crate) sequence: u64,
    /// The SHA-256 of the last line; zeros if there is none.
    sha256: [u8; 32],
}

impl ChainEnd {
    /// The end after this line, which may be of a version without links.
    pub(super) fn after(line: &[u8]) -> Self {
        let sequence = match serde_json::from_slice::<Value>(line) {
            Ok(event) => EventLink::from_event(&event).map_or(0, |link| link.sequence),
            Err(_) => 0,
        };
        Self {
            sequence,
            sha256: Sha256::digest(line).into(),
        }
    }

    /// The hash in hexadecimal.
    pub(crate) fn sha256(&self) -> String {
        hex(&self.sha256)
    }

    /// The line of the next event, which is the new end.
    pub(super) fn push(&mut self, event: &EventText) -> String {
        let link = EventLink {
            sequence: self.sequence.saturating_add(1),
            previous_sha256: self.sha256(),
        };
        let line = event.linked(&link);
        *self = Self {
            sequence: link.sequence,
            sha256: Sha256::digest(line.as_bytes()).into(),
        };
        line
    }
}
