//! The principals of an opened identity, each with its rank: the place of the first way to it in the order of D-20.

use super::Source;
use crate::policy::PrincipalId;

/// What stands for a principal that the policy does not speak of.
const NOBODY: PrincipalId = PrincipalId(u32::MAX);

/// What stands for the place of a group where there is none.
const NO_GROUP: u32 = u32::MAX;

/// A principal's rank: twice its place; `User:*` has the user's, plus one, because it comes right after the user (D-20).
pub(super) type Rank = u32;

/// Principals by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// In order of their ranks, the user first; but `User:*` last.
    entries: Vec<Entry>,
    /// A byte for each slot, 0 where it is empty: open addressing, at most three quarters full. Apart from the slots, because
    /// most principals that are looked for are not there, and this much of many identities stays near the processor.
    tags: Vec<u8>,
    slots: Vec<(PrincipalId, Rank)>,
    taken: usize,
}

/// A principal, how it is reached, and the place of the group that leads to it; no place that there is, where none does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) rank: Rank,
    pub(super) principal: PrincipalId,
    pub(super) source: Source,
    pub(super) group: u32,
}

impl Known {
    /// Forgets all, and makes room for so many.
    pub(super) fn clear(&mut self, count: usize) {
        *self = Self { entries: Vec::with_capacity(count), ..Self::default() };
        self.resize((count * 4 / 3 + 1).next_power_of_two().max(16));
    }

    fn resize(&mut self, size: usize) {
        self.tags = vec![0; size];
        self.slots = vec![(NOBODY, 0); size];
    }

    /// Adds the principal at the end of the next way; one that is there keeps its rank.
    pub(super) fn add(&mut self, principal: Option<PrincipalId>, source: Source, group: Option<u32>) {
        let (rank, group) = ((self.entries.len() * 2) as Rank, group.unwrap_or(NO_GROUP));
        match principal {
            Some(principal) => self.push(Entry { rank, principal, source, group }),
            // The user has the first rank in any case, because `User:*` counts as the user.
            None if rank == 0 => self.entries.push(Entry { rank, principal: NOBODY, source, group }),
            None => {}
        }
    }

    /// Adds `User:*` after all others, unless it is the user itself.
    pub(super) fn add_everyone(&mut self, everyone: PrincipalId) {
        self.push(Entry { rank: 1, principal: everyone, source: Source::User, group: NO_GROUP });
    }

    fn push(&mut self, entry: Entry) {
        if self.insert(entry.principal, entry.rank) {
            self.entries.push(entry);
        }
    }

    fn insert(&mut self, principal: PrincipalId, rank: Rank) -> bool {
        if (self.taken + 1) * 4 > self.tags.len() * 3 {
            let slots = std::mem::take(&mut self.slots);
            self.resize((slots.len() * 2).max(16));
            for (principal, rank) in slots.into_iter().filter(|(principal, _)| *principal != NOBODY) {
                self.place(principal, rank);
            }
        }
        let new = self.place(principal, rank);
        self.taken += usize::from(new);
        new
    }

    fn place(&mut self, principal: PrincipalId, rank: Rank) -> bool {
        let (Err(at), tag) = (self.slot(principal), tag(principal)) else { return false };
        if let (Some(there), Some(slot)) = (self.tags.get_mut(at), self.slots.get_mut(at)) {
            (*there, *slot) = (tag, (principal, rank));
        }
        true
    }

    /// The rank of a principal, or else the slot for it.
    #[inline(always)]
    fn slot(&self, principal: PrincipalId) -> Result<Rank, usize> {
        let (tag, mask) = (tag(principal), self.tags.len().wrapping_sub(1));
        let mut at = spread(principal) as usize >> 7 & mask;
        loop {
            let here = self.tags.get(at).copied().unwrap_or(0);
            if here == 0 {
                return Err(at);
            }
            if here == tag
                && let Some((there, rank)) = self.slots.get(at)
                && *there == principal
            {
                return Ok(*rank);
            }
            at = (at + 1) & mask;
        }
    }

    /// The rank of a principal, when it is one of the identity's.
    #[inline(always)]
    pub(super) fn rank(&self, principal: PrincipalId) -> Option<Rank> {
        self.slot(principal).ok()
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
const fn spread(principal: PrincipalId) -> u32 {
    principal.0.wrapping_mul(0x9e37_79b9)
}

/// What is known of a principal before its slot is read; never 0.
#[inline(always)]
const fn tag(principal: PrincipalId) -> u8 {
    (spread(principal) >> 24) as u8 | 1
}
