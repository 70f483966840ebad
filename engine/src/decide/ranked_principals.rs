//! The principals of a prepared identity, each with its rank: the position of the first path to it
//! in the order of D-20.

use super::Source;
use crate::policy::PrincipalId;

/// The id for a principal that the policy does not mention.
const UNKNOWN: PrincipalId = PrincipalId(u32::MAX);

/// The index for a path without a group.
const NO_GROUP: u32 = u32::MAX;

/// A principal's rank: twice its position. `User:*` follows the user directly (D-20), so its rank
/// is the user's plus one.
pub(super) type Rank = u32;

/// The principals of an identity, with a hash table of their ranks.
#[derive(Debug, Clone, Default)]
pub(super) struct RankedPrincipals {
    /// In order of their ranks, except that `User:*` is last.
    entries: Vec<Entry>,
    /// One byte per slot, 0 if the slot is empty (open addressing, at most three quarters full).
    /// Separate from the slots, because most lookups find nothing, and then only these bytes are
    /// read, which stay in the processor's cache.
    tags: Vec<u8>,
    slots: Vec<(PrincipalId, Rank)>,
    used: usize,
}

/// A principal, its source, and the index of the group on the path to it; [`NO_GROUP`] if there is
/// none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) rank: Rank,
    pub(super) principal: PrincipalId,
    pub(super) source: Source,
    pub(super) group: u32,
}

impl RankedPrincipals {
    /// Removes all principals and reserves space for `count`.
    pub(super) fn clear(&mut self, count: usize) {
        *self = Self::default();
        self.entries.reserve(count);
        self.resize((count * 4 / 3 + 1).next_power_of_two().max(16));
    }

    fn resize(&mut self, size: usize) {
        self.tags = vec![0; size];
        self.slots = vec![(UNKNOWN, 0); size];
    }

    /// Adds the principal at the end of the next path. If it is present already, it keeps its rank.
    pub(super) fn add(
        &mut self,
        principal: Option<PrincipalId>,
        source: Source,
        group: Option<u32>,
    ) {
        let (rank, group) = ((self.entries.len() * 2) as Rank, group.unwrap_or(NO_GROUP));
        match principal {
            Some(principal) => self.push(Entry {
                rank,
                principal,
                source,
                group,
            }),
            // The user is always added, because rows of `User:*` count as its own.
            None if rank == 0 => self.entries.push(Entry {
                rank,
                principal: UNKNOWN,
                source,
                group,
            }),
            None => {}
        }
    }

    /// Adds `User:*` after all others, unless the user's name is `*`.
    pub(super) fn add_everyone(&mut self, everyone: PrincipalId) {
        self.push(Entry {
            rank: 1,
            principal: everyone,
            source: Source::User,
            group: NO_GROUP,
        });
    }

    fn push(&mut self, entry: Entry) {
        if self.insert(entry.principal, entry.rank) {
            self.entries.push(entry);
        }
    }

    fn insert(&mut self, principal: PrincipalId, rank: Rank) -> bool {
        if (self.used + 1) * 4 > self.tags.len() * 3 {
            let slots = std::mem::take(&mut self.slots);
            self.resize((slots.len() * 2).max(16));
            for (principal, rank) in slots
                .into_iter()
                .filter(|(principal, _)| *principal != UNKNOWN)
            {
                self.insert_slot(principal, rank);
            }
        }
        let is_new = self.insert_slot(principal, rank);
        self.used += usize::from(is_new);
        is_new
    }

    fn insert_slot(&mut self, principal: PrincipalId, rank: Rank) -> bool {
        let (Err(index), new_tag) = (self.slot(principal), tag(principal)) else {
            return false;
        };
        if let (Some(tag), Some(slot)) = (self.tags.get_mut(index), self.slots.get_mut(index)) {
            (*tag, *slot) = (new_tag, (principal, rank));
        }
        true
    }

    /// The rank of a principal, or as an error the index of the slot for it.
    #[inline(always)]
    fn slot(&self, principal: PrincipalId) -> Result<Rank, usize> {
        let (tag, mask) = (tag(principal), self.tags.len().wrapping_sub(1));
        let mut index = spread(principal) as usize >> 7 & mask;
        loop {
            let slot_tag = self.tags.get(index).copied().unwrap_or(0);
            if slot_tag == 0 {
                return Err(index);
            }
            if slot_tag == tag
                && let Some((slot_principal, rank)) = self.slots.get(index)
                && *slot_principal == principal
            {
                return Ok(*rank);
            }
            index = (index + 1) & mask;
        }
    }

    /// The rank of a principal; `None` if it is not one of the identity's.
    #[inline(always)]
    pub(super) fn rank(&self, principal: PrincipalId) -> Option<Rank> {
        self.slot(principal).ok()
    }

    /// The principal with a rank.
    pub(super) fn entry(&self, rank: Rank) -> Option<&Entry> {
        if rank == 1 {
            self.entries.last()
        } else {
            self.entries.get(rank as usize / 2)
        }
    }

    /// The ids of all principals that the policy mentions.
    pub(super) fn ids(&self) -> impl Iterator<Item = PrincipalId> {
        self.entries
            .iter()
            .map(|entry| entry.principal)
            .filter(|principal| *principal != UNKNOWN)
    }

    /// All principals. A principal that the policy does not mention has no rows.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Hashes an id, so that consecutive ids are far apart.
#[inline(always)]
const fn spread(principal: PrincipalId) -> u32 {
    principal.0.wrapping_mul(0x9e37_79b9)
}

/// Eight bits of a principal's hash, compared before its slot is read; never 0.
#[inline(always)]
const fn tag(principal: PrincipalId) -> u8 {
    (spread(principal) >> 24) as u8 | 1
}
