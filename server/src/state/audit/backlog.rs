//! Events that could not be written, and are written before all others as soon as the files can be
//! written again.

use std::collections::VecDeque;

use super::streams::Entry;

/// The number of events that are kept to be written later, because the file cannot be written.
const MAX_OWED: usize = 1000;

/// What could not be written.
#[derive(Default)]
pub(super) struct Backlog {
    pub(super) entries: VecDeque<Entry>,
    pub(super) failing: Option<Failing>,
}

/// Since when the file cannot be written, why, and how many requests were refused for that.
pub(super) struct Failing {
    pub(super) since_ms: i64,
    pub(super) reason: String,
    pub(super) refused: u64,
}

impl Backlog {
    /// Keeps an event, unless there are too many.
    pub(super) fn keep(&mut self, entry: Entry) {
        if self.entries.len() < MAX_OWED {
            self.entries.push_back(entry);
        }
    }
}
