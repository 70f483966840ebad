//! A map with limits on its entries and on those of each owner. What does not fit displaces the
//! oldest entry of the owner who has the most, so that nobody displaces those of others with many
//! of their own (D-129).

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The limits of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FairLimits {
    /// The number of all entries.
    pub(crate) all: usize,
    /// The number of entries of one owner.
    pub(crate) of_owner: usize,
}

/// A map with limits. Insertion takes time in proportion to its entries.
pub(crate) struct FairMap<K, O, V> {
    limits: FairLimits,
    entries: BTreeMap<K, Entry<O, V>>,
    inserted: u64,
}

struct Entry<O, V> {
    owner: O,
    /// The number of entries that were inserted before.
    number: u64,
    value: V,
}

impl<K: Ord + Copy, O: Ord, V> FairMap<K, O, V> {
    /// An empty map.
    pub(crate) const fn new(limits: FairLimits) -> Self {
        Self {
            limits,
            entries: BTreeMap::new(),
            inserted: 0,
        }
    }

    /// Inserts an entry, and removes those for which there is no room.
    pub(crate) fn insert(&mut self, key: K, owner: O, value: V) {
        let of_owner = self
            .entries
            .values()
            .filter(|entry| entry.owner == owner)
            .count();
        if of_owner >= self.limits.of_owner {
            self.remove_oldest(|entry| entry.owner == owner);
        } else if self.entries.len() >= self.limits.all {
            self.remove_oldest_of_largest();
        }
        self.entries.insert(
            key,
            Entry {
                owner,
                number: self.inserted,
                value,
            },
        );
        self.inserted += 1;
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        Some(&self.entries.get(key)?.value)
    }

    /// Removes an entry; its value.
    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        Some(self.entries.remove(key)?.value)
    }

    /// Removes the entries whose value does not meet a condition.
    pub(crate) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.entries.retain(|_, entry| keep(&entry.value));
    }

    /// Removes all entries; their values in the order in which they were inserted.
    pub(crate) fn take_all(&mut self) -> Vec<V> {
        let mut entries: Vec<Entry<O, V>> =
            std::mem::take(&mut self.entries).into_values().collect();
        entries.sort_by_key(|entry| entry.number);
        entries.into_iter().map(|entry| entry.value).collect()
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn remove_oldest(&mut self, is_counted: impl Fn(&Entry<O, V>) -> bool) {
        let counted = self.entries.iter().filter(|(_, entry)| is_counted(entry));
        if let Some((oldest, _)) = counted.min_by_key(|(_, entry)| entry.number) {
            let oldest = *oldest;
            self.entries.remove(&oldest);
        }
    }

    /// Removes the oldest entry of the owner who has the most; of several, that of the one whose
    /// oldest entry is oldest.
    fn remove_oldest_of_largest(&mut self) {
        let mut owners: BTreeMap<&O, (usize, u64, K)> = BTreeMap::new();
        for (key, entry) in &self.entries {
            let (count, oldest, oldest_key) =
                owners
                    .entry(&entry.owner)
                    .or_insert((0, entry.number, *key));
            *count += 1;
            if entry.number < *oldest {
                (*oldest, *oldest_key) = (entry.number, *key);
            }
        }
        let largest = owners
            .into_values()
            .max_by_key(|(count, oldest, _)| (*count, Reverse(*oldest)));
        if let Some((_, _, oldest)) = largest {
            self.entries.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_the_most_loses_the_oldest() {
        let mut map = FairMap::new(FairLimits {
            all: 6,
            of_owner: 3,
        });
        for (key, owner) in [
            (0, "a"),
            (1, "b"),
            (2, "b"),
            (3, "b"),
            (4, "b"),
            (5, "c"),
            (6, "c"),
        ] {
            map.insert(key, owner, key);
        }
        let keys = |map: &FairMap<i32, &str, i32>| map.entries.keys().copied().collect::<Vec<_>>();
        assert_eq!(keys(&map), [0, 2, 3, 4, 5, 6], "only three of `b`");
        map.insert(7, "d", 7);
        assert_eq!(keys(&map), [0, 3, 4, 5, 6, 7], "`b` has the most");
        map.insert(8, "d", 8);
        assert_eq!(
            keys(&map),
            [0, 4, 5, 6, 7, 8],
            "`b` and `c` have two, and those of `b` are older"
        );
        map.insert(9, "e", 9);
        map.insert(10, "f", 10);
        map.insert(11, "g", 11);
        assert_eq!(
            keys(&map),
            [4, 6, 8, 9, 10, 11],
            "all have one: the oldest goes"
        );
        assert_eq!(map.get(&4), Some(&4));
        assert_eq!((map.remove(&4), map.remove(&4)), (Some(4), None));
        map.retain(|value| *value != 9);
        assert_eq!(map.take_all(), [6, 8, 10, 11]);
        assert_eq!(map.len(), 0);
    }
}
