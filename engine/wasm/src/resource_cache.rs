//! A cache of the resource names that were passed from JavaScript, so that each name is passed
//! once.

use gbac_engine::decide::PreparedResource;

/// The maximum length of a cached name, in bytes. Names of resources are not longer (D-37).
const MAX_NAME_BYTES: usize = 4096;
/// The maximum size of a policy's cache, in bytes. JavaScript needs the same amount again.
const MAX_BYTES: usize = 16 << 20;
/// The number of a name that is too long for the cache. It stands for the last such name, and only
/// in the next check.
const NOT_CACHED: u32 = u32::MAX;

/// Prepared resources by number.
#[derive(Default)]
pub(crate) struct ResourceCache {
    cached: Vec<PreparedResource>,
    /// The size of the cached resources.
    bytes: usize,
    not_cached: Option<PreparedResource>,
}

impl ResourceCache {
    /// Adds a resource and returns its number; `None` if the cache is full.
    pub(crate) fn add(&mut self, resource: PreparedResource) -> Option<u32> {
        if resource.name().len() > MAX_NAME_BYTES {
            self.not_cached = Some(resource);
            return Some(NOT_CACHED);
        }
        let bytes = self.bytes + resource.bytes();
        if bytes > MAX_BYTES && !self.cached.is_empty() {
            return None;
        }
        self.bytes = bytes;
        self.cached.push(resource);
        u32::try_from(self.cached.len() - 1).ok()
    }

    /// Removes all resources, but keeps the capacity.
    pub(crate) fn clear(&mut self) {
        self.cached.clear();
        self.bytes = 0;
        self.not_cached = None;
    }

    /// Calls `check` with the resource of a number; `false` if no resource has this number.
    pub(crate) fn with(
        &mut self,
        number: u32,
        check: impl FnOnce(&PreparedResource) -> bool,
    ) -> bool {
        if number == NOT_CACHED {
            // Taken, so that its memory is freed after the check.
            return self
                .not_cached
                .take()
                .is_some_and(|resource| check(&resource));
        }
        self.cached.get(number as usize).is_some_and(check)
    }
}
