//! The lengths of the prefixed patterns that can cover a name, so that a lookup tries no others.

use crate::hash::{Keys, Table};
use crate::model::ResourceType;

/// Prefixes of at least this length are grouped by their first bytes.
const HEAD: usize = 8;
/// The bit of a mask for this length and all greater ones.
const LONG: usize = 63;

/// The lengths of the prefixes, by resource type.
#[derive(Debug, Clone, Default)]
pub(super) struct Lengths([TypeLengths; ResourceType::ALL.len()]);

#[derive(Debug, Clone, Default)]
struct TypeLengths {
    /// The lengths below [`HEAD`], as a mask.
    short: u64,
    /// The number of prefixes of each of these lengths.
    short_counts: [u32; HEAD],
    /// The indexes of `heads`, by first bytes.
    by_head: Table,
    heads: Vec<Head>,
    /// Unused indexes of `heads`.
    free: Vec<u32>,
    /// Each length from [`LONG`] on, with the number of its prefixes, sorted by length.
    long: Vec<(usize, u32)>,
}

/// The longer prefixes that start with the same bytes.
#[derive(Debug, Clone)]
struct Head {
    bytes: [u8; HEAD],
    /// Their lengths. A bit stays set until the last of these prefixes is removed.
    mask: u64,
    count: u32,
}

impl Lengths {
    /// The lengths of the prefixes that can cover a name.
    #[inline(always)]
    pub(super) fn candidates(
        &self,
        keys: &Keys,
        resource_type: ResourceType,
        name: &[u8],
    ) -> Candidates<'_> {
        let Some(lengths) = self.0.get(resource_type as usize) else {
            return Candidates { mask: 0, long: &[] };
        };
        let mut mask = lengths.short;
        if let Some(bytes) = name.first_chunk::<HEAD>()
            && let Some(head) = lengths
                .head(keys, bytes)
                .and_then(|head| lengths.heads.get(head as usize))
        {
            mask |= head.mask;
        }
        Candidates {
            mask,
            long: if mask >> LONG == 0 {
                &[]
            } else {
                &lengths.long
            },
        }
    }

    /// Adds a new prefix.
    pub(super) fn add(&mut self, keys: &Keys, resource_type: ResourceType, prefix: &[u8]) {
        let Some(lengths) = self.0.get_mut(resource_type as usize) else {
            return;
        };
        let length = prefix.len();
        let Some(bytes) = prefix.first_chunk::<HEAD>() else {
            if let Some(count) = lengths.short_counts.get_mut(length) {
                *count += 1;
                lengths.short |= 1 << length;
            }
            return;
        };
        let bit = 1 << length.min(LONG);
        if let Some(head) = lengths
            .head(keys, bytes)
            .and_then(|head| lengths.heads.get_mut(head as usize))
        {
            head.mask |= bit;
            head.count += 1;
        } else {
            let head = Head {
                bytes: *bytes,
                mask: bit,
                count: 1,
            };
            let unused = lengths
                .free
                .pop()
                .and_then(|id| Some((id, lengths.heads.get_mut(id as usize)?)));
            let id = match unused {
                Some((id, unused)) => {
                    *unused = head;
                    id
                }
                None => {
                    lengths.heads.push(head);
                    (lengths.heads.len() - 1) as u32
                }
            };
            lengths.by_head.insert(keys.hash(0, bytes), id);
        }
        if length >= LONG {
            match lengths
                .long
                .binary_search_by_key(&length, |(length, _)| *length)
            {
                Ok(index) => {
                    if let Some((_, count)) = lengths.long.get_mut(index) {
                        *count += 1;
                    }
                }
                Err(index) => lengths.long.insert(index, (length, 1)),
            }
        }
    }

    /// Removes a prefix.
    pub(super) fn remove(&mut self, keys: &Keys, resource_type: ResourceType, prefix: &[u8]) {
        let Some(lengths) = self.0.get_mut(resource_type as usize) else {
            return;
        };
        let length = prefix.len();
        let Some(bytes) = prefix.first_chunk::<HEAD>() else {
            if let Some(count) = lengths.short_counts.get_mut(length) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    lengths.short &= !(1 << length);
                }
            }
            return;
        };
        if let Some(id) = lengths.head(keys, bytes)
            && let Some(head) = lengths.heads.get_mut(id as usize)
        {
            head.count = head.count.saturating_sub(1);
            if head.count == 0 {
                lengths.by_head.remove(keys.hash(0, bytes), id);
                lengths.free.push(id);
            }
        }
        if length >= LONG
            && let Ok(index) = lengths
                .long
                .binary_search_by_key(&length, |(length, _)| *length)
            && let Some((_, count)) = lengths.long.get_mut(index)
        {
            *count -= 1;
            if *count == 0 {
                lengths.long.remove(index);
            }
        }
    }
}

impl TypeLengths {
    #[inline(always)]
    fn head(&self, keys: &Keys, bytes: &[u8; HEAD]) -> Option<u32> {
        let has_bytes = |id: u32| {
            self.heads
                .get(id as usize)
                .is_some_and(|head| head.bytes == *bytes)
        };
        self.by_head.find(keys.hash(0, bytes), has_bytes)
    }
}

/// An iterator over lengths, in ascending order.
pub(super) struct Candidates<'a> {
    mask: u64,
    long: &'a [(usize, u32)],
}

impl Candidates<'_> {
    /// The next length, if it is at most `max`.
    #[inline(always)]
    pub(super) fn next_if_up_to(&mut self, max: usize) -> Option<usize> {
        let length = self.mask.trailing_zeros() as usize;
        if length < LONG {
            if length > max {
                return None;
            }
            self.mask &= self.mask - 1;
            return Some(length);
        }
        let ((length, _), rest) = self.long.split_first()?;
        if *length > max {
            return None;
        }
        self.long = rest;
        Some(*length)
    }
}

#[cfg(test)]
mod tests {
    use super::{Keys, Lengths};
    use crate::model::ResourceType::{Group, Topic};

    fn candidate_lengths(lengths: &Lengths, keys: &Keys, name: &str) -> Vec<usize> {
        let mut candidates = lengths.candidates(keys, Topic, name.as_bytes());
        std::iter::from_fn(|| candidates.next_if_up_to(name.len())).collect()
    }

    #[test]
    fn only_lengths_in_use_are_tried() {
        let (keys, mut lengths) = (Keys::default(), Lengths::default());
        let long = "12345678".repeat(10);
        let prefixes = [
            "",
            "a",
            "abcdefg",
            "12345678",
            "12345678a",
            &long,
            &long[..63],
            "87654321abc",
        ];
        for prefix in prefixes {
            lengths.add(&keys, Topic, prefix.as_bytes());
        }
        lengths.add(&keys, Group, b"ab");
        assert_eq!(candidate_lengths(&lengths, &keys, ""), [0]);
        assert_eq!(
            candidate_lengths(&lengths, &keys, "12345678-name"),
            [0, 1, 7, 8, 9]
        );
        assert_eq!(
            candidate_lengths(&lengths, &keys, "87654321-name"),
            [0, 1, 7, 11]
        );
        assert_eq!(
            candidate_lengths(&lengths, &keys, &"12345678".repeat(11)),
            [0, 1, 7, 8, 9, 63, 80]
        );
        assert_eq!(
            candidate_lengths(&lengths, &keys, &long[..70]),
            [0, 1, 7, 8, 9, 63]
        );
        for prefix in prefixes {
            lengths.remove(&keys, Topic, prefix.as_bytes());
        }
        assert!(candidate_lengths(&lengths, &keys, &long).is_empty());
    }
}
