//! A list that grows without moving its items.
//!
//! A vector copies its items to grow, and needs the old and the new memory at once. The memory of a
//! wasm module never shrinks, so the vectors of a large policy would keep three times the memory of
//! their items.

/// Items in pages of the same size. Only the first page is moved while it grows.
#[derive(Debug, Clone)]
pub(super) struct Pages<T>(Vec<Vec<T>>);

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Pages<T> {
    const BITS: u32 = 10;
    const SIZE: usize = 1 << Self::BITS;

    /// The item with an index.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.0
            .get(index >> Self::BITS)?
            .get(index & (Self::SIZE - 1))
    }

    /// The item with an index.
    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.0
            .get_mut(index >> Self::BITS)?
            .get_mut(index & (Self::SIZE - 1))
    }

    /// Adds an item; returns its index.
    pub(super) fn push(&mut self, item: T) -> usize {
        let is_full = self.0.last().is_none_or(|page| page.len() == Self::SIZE);
        if is_full {
            self.0.push(if self.0.is_empty() {
                Vec::new()
            } else {
                Vec::with_capacity(Self::SIZE)
            });
        }
        let full = self.0.len().saturating_sub(1) * Self::SIZE;
        let Some(page) = self.0.last_mut() else {
            return 0;
        };
        page.push(item);
        full + page.len() - 1
    }

    /// All items.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten()
    }

    /// Frees unused capacity.
    pub(super) fn shrink(&mut self) {
        if let Some(last) = self.0.last_mut() {
            last.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pages;

    #[test]
    fn items_keep_their_indexes() {
        let count = 3 * Pages::<u32>::SIZE + 1;
        let mut pages = Pages::default();
        for number in 0..count {
            assert_eq!(pages.push(number), number);
        }
        pages.shrink();
        assert!(pages.iter().copied().eq(0..count));
        for number in 0..count {
            assert_eq!(pages.get(number), Some(&number));
        }
        *pages.get_mut(1024).unwrap() = 7;
        assert_eq!(
            (pages.get(1024), pages.get(count), pages.get(usize::MAX)),
            (Some(&7), None, None)
        );
        assert_eq!(pages.push(9), count);
    }
}
