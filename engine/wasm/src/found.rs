//! The names that a policy was asked about, so that they cross once.

use gbac_engine::decide::PreparedResource;

/// The longest name that is remembered, in bytes. No resource's name is longer (D-37).
const LONGEST: usize = 4096;
/// How much memory the names of one policy may take, in bytes; JavaScript holds as much again.
const ROOM: usize = 16 << 20;
/// The number of a name that is not remembered. It stands for the last one, in the next check only.
const NOT_REMEMBERED: u32 = u32::MAX;

/// Resources by number.
#[derive(Default)]
pub(crate) struct Found {
    remembered: Vec<PreparedResource>,
    /// How many bytes they take.
    bytes: usize,
    once: Option<PreparedResource>,
}

impl Found {
    /// The number of one more; none when there is no room.
    pub(crate) fn add(&mut self, resource: PreparedResource) -> Option<u32> {
        if resource.name().len() > LONGEST {
            self.once = Some(resource);
            return Some(NOT_REMEMBERED);
        }
        let bytes = self.bytes + resource.bytes();
        if bytes > ROOM && !self.remembered.is_empty() {
            return None;
        }
        self.bytes = bytes;
        self.remembered.push(resource);
        u32::try_from(self.remembered.len() - 1).ok()
    }

    /// Forgets all; room for as many again stays.
    pub(crate) fn clear(&mut self) {
        self.remembered.clear();
        self.bytes = 0;
        self.once = None;
    }

    /// Asks about the resource of a number; `false` for a number that is none.
    pub(crate) fn with(&mut self, number: u32, ask: impl FnOnce(&PreparedResource) -> bool) -> bool {
        if number == NOT_REMEMBERED {
            // Its memory goes back at once.
            return self.once.take().is_some_and(|resource| ask(&resource));
        }
        self.remembered.get(number as usize).is_some_and(ask)
    }
}
