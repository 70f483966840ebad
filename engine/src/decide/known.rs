//! The principals of an opened identity, each with its rank: the place of the first way to it in the order of D-20.

use crate::policy::PrincipalId;

/// What stands for a principal that the policy does not speak of.
const NOBODY: PrincipalId = PrincipalId(u32::MAX);

/// A principal's rank: twice its place; `User:*` has the user's, plus one, because it comes right after the user (D-20).
pub(super) type Rank = u32;

/// Principals by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// In order of their ranks, the user first; but `User:*` last.
    entries: Vec<Entry>,
    /// The principals' numbers plus one, 0 for none: open addressing, at most three quarters full. Apart from the ranks,
    /// because most principals that are looked for are not there, and this much fits the nearest cache.
    keys: Vec<u32>,
    ranks: Vec<Rank>,
    taken: usize,
}

/// A principal, and the place of the group that leads to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) rank: Rank,
    pub(super) principal: PrincipalId,
    pub(super) group: Option<u32>,
}

impl Known {
    /// Forgets all, and makes room for so many.
    pub(super) fn clear(&mut self, count: usize) {
        let size = (count * 4 / 3 + 1).next_power_of_two().max(16);
        *self = Self { entries: Vec::with_capacity(count), keys: vec![0; size], ranks: vec![0; size], taken: 0 };
    }

    /// Adds the principal at the end of the next way; one that is there keeps its rank.
    pub(super) fn add(&mut self, principal: Option<PrincipalId>, group: Option<u32>) {
        let rank = (self.entries.len() * 2) as Rank;
        match principal {
            Some(principal) => self.push(Entry { rank, principal, group }),
            // The user has the first rank in any case, because `User:*` counts as the user.
            None if rank == 0 => self.entries.push(Entry { rank, principal: NOBODY, group }),
            None => {}
        }
    }

    /// Adds `User:*` after all others, unless it is the user itself.
    pub(super) fn add_everyone(&mut self, everyone: PrincipalId) {
        self.push(Entry { rank: 1, principal: everyone, group: None });
    }

    fn push(&mut self, entry: Entry) {
        if self.insert(entry.principal, entry.rank) {
            self.entries.push(entry);
        }
    }

    fn insert(&mut self, principal: PrincipalId, rank: Rank) -> bool {
        if (self.taken + 1) * 4 > self.keys.len() * 3 {
            let size = (self.keys.len() * 2).max(16);
            let keys = std::mem::replace(&mut self.keys, vec![0; size]);
            let ranks = std::mem::replace(&mut self.ranks, vec![0; size]);
            for (key, rank) in keys.into_iter().zip(ranks).filter(|(key, _)| *key != 0) {
                self.place(key, rank);
            }
        }
        let new = self.place(principal.0 + 1, rank);
        self.taken += usize::from(new);
        new
    }

    fn place(&mut self, key: u32, rank: Rank) -> bool {
        let mask = self.keys.len().wrapping_sub(1);
        let mut at = spread(key) & mask;
        while let Some(here) = self.keys.get_mut(at) {
            if *here == 0 {
                *here = key;
                if let Some(place) = self.ranks.get_mut(at) {
                    *place = rank;
                }
                return true;
            }
            if *here == key {
                return false;
            }
            at = (at + 1) & mask;
        }
        false
    }

    /// The rank of a principal, when it is one of the identity's.
    #[inline(always)]
    pub(super) fn rank(&self, principal: PrincipalId) -> Option<Rank> {
        let key = principal.0 + 1;
        let mask = self.keys.len().wrapping_sub(1);
        let mut at = spread(key) & mask;
        loop {
            let here = *self.keys.get(at)?;
            if here == key {
                return self.ranks.get(at).copied();
            }
            if here == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// The principal of a rank.
    pub(super) fn entry(&self, rank: Rank) -> Option<&Entry> {
        if rank == 1 { self.entries.last() } else { self.entries.get(rank as usize / 2) }
    }

    /// Every principal; one that the policy does not speak of is on no row.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Spreads numbers that follow one another.
#[inline(always)]
const fn spread(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> 7) as usize
}
