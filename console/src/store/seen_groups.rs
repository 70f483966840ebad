//! The names of groups that this tab has seen in tokens and audit events.

use std::collections::BTreeSet;

use leptos::prelude::*;

/// The largest number of names that are remembered.
pub const MOST: usize = 20_000;

/// The names of groups that this tab has seen in tokens and audit events; a context of every page.
/// It ends with the tab.
#[derive(Clone, Copy)]
pub struct SeenGroups(RwSignal<BTreeSet<String>>);

impl Default for SeenGroups {
    fn default() -> Self {
        Self::new()
    }
}

impl SeenGroups {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self(RwSignal::new(BTreeSet::new()))
    }

    /// Remembers names, as far as there is room.
    pub fn add<'a>(self, names: impl IntoIterator<Item = &'a str>) {
        let mut new: Vec<String> = Vec::new();
        self.0.with_untracked(|seen| {
            let unseen = names.into_iter().filter(|name| !seen.contains(*name));
            let room = MOST.saturating_sub(seen.len());
            new.extend(unseen.take(room).map(str::to_owned));
        });
        if !new.is_empty() {
            self.0.update(|seen| seen.extend(new));
        }
    }

    /// Reads the names.
    pub fn with<T>(self, read: impl FnOnce(&BTreeSet<String>) -> T) -> T {
        self.0.with(read)
    }
}
