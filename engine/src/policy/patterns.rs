//! The resource patterns of a policy and their rows. The time of a lookup depends on the length of
//! the resource name.
//!
//! A literal pattern is found by one hash lookup. The prefixed patterns that cover a name are found
//! by one hash lookup for each possible length: the lengths of the prefixes with the same first
//! eight bytes.

use std::cmp::Ordering;

use super::lengths::Lengths;
use super::pages::Pages;
use super::principals::PrincipalId;
use super::rows::{HostId, Row, Rows, rows_of};
use crate::hash::{Filter, Keys, Table};
use crate::model::{PatternType, ResourceType};
use crate::name::Name;
use crate::text::equal;

/// The id of a pattern, while it has rows: even for literals, odd for prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl PatternId {
    const fn new(pattern_type: PatternType, index: usize) -> Self {
        Self((index as u32) << 1 | pattern_type as u32)
    }

    /// The pattern type as a number, and the index in the list of that type.
    #[inline(always)]
    const fn parts(self) -> (usize, usize) {
        ((self.0 & 1) as usize, (self.0 >> 1) as usize)
    }
}

/// A resource pattern with its rows. It fills one cache line, including a name of at most 30 bytes;
/// in wasm, it is as small as possible.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_family = "wasm"), repr(align(64)))]
pub struct Pattern {
    name: Name<30>,
    rows: Rows,
    /// The type of the resources.
    pub resource_type: ResourceType,
    /// How the name is compared.
    pub pattern_type: PatternType,
    has_hosts: bool,
}

impl Pattern {
    /// The name or prefix.
    pub fn name(&self) -> &str {
        self.name.as_ref()
    }

    /// The rows, sorted by the ids of their principals.
    #[inline(always)]
    pub fn rows(&self) -> &[Row] {
        self.rows.as_slice()
    }

    /// Compares patterns as ACLs are compared.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self, other);
        (a.resource_type, a.name(), a.pattern_type).cmp(&(
            b.resource_type,
            b.name(),
            b.pattern_type,
        ))
    }

    /// Whether a row has or had a host other than `*`.
    pub const fn has_hosts(&self) -> bool {
        self.has_hosts
    }

    /// Whether this is the literal `*`, which covers every name.
    pub fn is_all_names(&self) -> bool {
        self.pattern_type == PatternType::Literal && self.name.as_bytes() == b"*"
    }
}

/// The ids of the patterns that cover a name, the most general first: the reverse of the order of
/// D-20.
#[derive(Debug, Clone, Default)]
pub struct Covering {
    first: [u32; 14],
    count: usize,
    /// All ids, if they do not fit into `first`.
    many: Vec<u32>,
}

impl Covering {
    /// Only this pattern.
    pub fn only(id: PatternId) -> Self {
        let mut covering = Self::default();
        covering.push(id.0);
        covering
    }

    #[inline(always)]
    fn push(&mut self, id: u32) {
        match self.first.get_mut(self.count) {
            Some(place) => *place = id,
            None => {
                if self.many.is_empty() {
                    self.many.extend(self.first);
                }
                self.many.push(id);
            }
        }
        self.count += 1;
    }

    /// The heap memory that it uses, in bytes.
    pub const fn heap_bytes(&self) -> usize {
        self.many.capacity() * size_of::<u32>()
    }

    /// The ids, the most general pattern first.
    pub fn ids(&self) -> impl Iterator<Item = PatternId> {
        self.as_slice().iter().copied().map(PatternId)
    }

    /// The numbers of the ids, the most general pattern first.
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u32] {
        if self.many.is_empty() {
            self.first.get(..self.count).unwrap_or_default()
        } else {
            &self.many
        }
    }
}

/// Prefixes of a name that may be patterns. They are collected without a branch on the filter's
/// result, so that the processor fetches several from memory at once.
#[derive(Default)]
struct PrefixCandidates {
    hashes: [u32; Self::MAX],
    lengths: [u32; Self::MAX],
    count: usize,
}

impl PrefixCandidates {
    const MAX: usize = 16;

    #[inline(always)]
    fn add(&mut self, filter: &Filter, hash: u32, length: usize) {
        if let (Some(hash_slot), Some(length_slot)) = (
            self.hashes.get_mut(self.count),
            self.lengths.get_mut(self.count),
        ) {
            *hash_slot = hash;
            *length_slot = length as u32;
        }
        self.count += usize::from(filter.may_have(hash));
    }
}

/// The patterns of a policy.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns {
    keys: Keys,
    literals: Table,
    prefixes: Table,
    filter: Filter,
    lengths: Lengths,
    /// Whether the literal `*` does not cover names that begin with `*`, as in Kafka's own
    /// authorizer (D-111).
    pub(super) skips_asterisks: bool,
    /// The literal `*` of each resource type.
    all_names: [Option<u32>; ResourceType::ALL.len()],
    /// The literals, then the prefixes. Separate lists, because prefixes are fewer and most checks
    /// read some, so they stay in the processor's cache.
    lists: [Pages<Pattern>; PatternType::ALL.len()],
    /// Unused ids.
    free: [Vec<PatternId>; PatternType::ALL.len()],
}

impl Patterns {
    /// The pattern with an id.
    #[inline(always)]
    pub(super) fn get(&self, id: PatternId) -> Option<&Pattern> {
        let (list, index) = id.parts();
        self.lists.get(list)?.get(index)
    }

    fn get_mut(&mut self, id: PatternId) -> Option<&mut Pattern> {
        let (list, index) = id.parts();
        self.lists.get_mut(list)?.get_mut(index)
    }

    /// Every pattern with rows, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PatternId, &Pattern)> {
        let patterns = self
            .lists
            .iter()
            .zip(PatternType::ALL)
            .flat_map(|(list, pattern_type)| {
                list.iter()
                    .enumerate()
                    .map(|(index, pattern)| (PatternId::new(*pattern_type, index), pattern))
            });
        patterns.filter(|(_, pattern)| !pattern.rows.is_empty())
    }

    /// The id of a pattern; `None` if it has no rows.
    pub(super) fn find(
        &self,
        resource_type: ResourceType,
        pattern_type: PatternType,
        name: &str,
    ) -> Option<PatternId> {
        self.find_hashed(
            self.keys.hash(resource_type as u8, name.as_bytes()),
            resource_type,
            pattern_type,
            name,
        )
    }

    fn find_hashed(
        &self,
        hash: u32,
        resource_type: ResourceType,
        pattern_type: PatternType,
        name: &str,
    ) -> Option<PatternId> {
        let table = if pattern_type == PatternType::Literal {
            &self.literals
        } else {
            &self.prefixes
        };
        table
            .find(hash, |id| self.is(id, resource_type, name.as_bytes()))
            .map(PatternId)
    }

    #[inline(always)]
    fn is(&self, id: u32, resource_type: ResourceType, name: &[u8]) -> bool {
        self.get(PatternId(id)).is_some_and(|pattern| {
            pattern.resource_type == resource_type && equal(pattern.name.as_bytes(), name)
        })
    }

    /// The patterns that cover a name.
    pub(super) fn covering(&self, resource_type: ResourceType, name: &str) -> Covering {
        let mut covering = Covering::default();
        let bytes = name.as_bytes();
        // For a resource named `*`, the literal `*` is its own name and is added last.
        let is_skipped = bytes == b"*" || self.skips_asterisks && bytes.first() == Some(&b'*');
        if let Some(Some(id)) = self.all_names.get(resource_type as usize)
            && !is_skipped
        {
            covering.push(*id);
        }
        let mut lengths = self.lengths.candidates(&self.keys, resource_type, bytes);
        if lengths.next_if_up_to(0).is_some() {
            self.find_empty_prefix(resource_type, &mut covering);
        }
        let mut pass = self.keys.pass(resource_type as u8, bytes);
        let mut candidates = PrefixCandidates::default();
        while let Some(word) = pass.next_word() {
            while let Some(length) = lengths.next_if_up_to((word.start + 8).min(bytes.len())) {
                if candidates.count == PrefixCandidates::MAX {
                    self.find_prefixes(&mut candidates, resource_type, bytes, &mut covering);
                }
                candidates.add(&self.filter, word.hash_up_to(length), length);
            }
        }
        let hash = pass.hash();
        let literal = self.literals.home(hash);
        if candidates.count > 0 {
            self.find_prefixes(&mut candidates, resource_type, bytes, &mut covering);
        }
        if let Some(id) = self
            .literals
            .find_from(literal, hash, |id| self.is(id, resource_type, bytes))
        {
            covering.push(id);
        }
        covering
    }

    /// Adds the prefix that covers every name.
    #[cold]
    #[inline(never)]
    fn find_empty_prefix(&self, resource_type: ResourceType, covering: &mut Covering) {
        if let Some(PatternId(id)) = self.find(resource_type, PatternType::Prefixed, "") {
            covering.push(id);
        }
    }

    /// Looks up the candidates, adds those that are patterns, and clears the candidates. Apart from
    /// [`Self::covering`], because Java inlines little into a large method.
    #[inline(never)]
    fn find_prefixes(
        &self,
        candidates: &mut PrefixCandidates,
        resource_type: ResourceType,
        name: &[u8],
        covering: &mut Covering,
    ) {
        let count = candidates.count;
        let mut homes = [0; PrefixCandidates::MAX];
        for (hash, home) in candidates.hashes.iter().zip(&mut homes).take(count) {
            *home = self.prefixes.home(*hash);
        }
        for ((hash, length), home) in candidates
            .hashes
            .iter()
            .zip(&candidates.lengths)
            .zip(homes)
            .take(count)
        {
            let prefix = name.get(..*length as usize).unwrap_or_default();
            if let Some(id) = self
                .prefixes
                .find_from(home, *hash, |id| self.is(id, resource_type, prefix))
            {
                covering.push(id);
            }
        }
        candidates.count = 0;
    }

    /// The id of a pattern; adds the pattern if it is new.
    #[inline(never)]
    pub(super) fn find_or_add(
        &mut self,
        resource_type: ResourceType,
        pattern_type: PatternType,
        name: &str,
    ) -> PatternId {
        let hash = self.keys.hash(resource_type as u8, name.as_bytes());
        if let Some(id) = self.find_hashed(hash, resource_type, pattern_type, name) {
            return id;
        }
        let pattern = Pattern {
            name: name.into(),
            rows: Rows::default(),
            resource_type,
            pattern_type,
            has_hosts: false,
        };
        let is_all_names = pattern.is_all_names();
        let id = match self.free.get_mut(pattern_type as usize).and_then(Vec::pop) {
            Some(id) => {
                if let Some(unused) = self.get_mut(id) {
                    *unused = pattern;
                }
                id.0
            }
            None => {
                let Some(list) = self.lists.get_mut(pattern_type as usize) else {
                    return PatternId(0);
                };
                PatternId::new(pattern_type, list.push(pattern)).0
            }
        };
        if pattern_type == PatternType::Literal {
            self.literals.insert(hash, id);
        } else {
            self.prefixes.insert(hash, id);
            self.filter.add(hash, &self.prefixes);
            self.lengths.add(&self.keys, resource_type, name.as_bytes());
        }
        if is_all_names && let Some(all_names) = self.all_names.get_mut(resource_type as usize) {
            *all_names = Some(id);
        }
        PatternId(id)
    }

    /// Adds a row's rules to a pattern; returns whether any of them is new, and whether the row is.
    pub(super) fn add(&mut self, id: PatternId, row: Row) -> (bool, bool) {
        let Some(pattern) = self.get_mut(id) else {
            return (false, false);
        };
        pattern.has_hosts |= row.host != HostId::ANY;
        pattern.rows.add(row)
    }

    /// Removes a row's rules from a pattern, and the pattern if it has no more rows; returns
    /// whether any rule was removed, and whether the row was.
    pub(super) fn remove(&mut self, id: PatternId, row: Row) -> (bool, bool) {
        let Some(pattern) = self.get_mut(id) else {
            return (false, false);
        };
        let removed = pattern.rows.remove(row);
        if pattern.rows.is_empty() {
            self.remove_pattern(id);
        }
        removed
    }

    fn remove_pattern(&mut self, id: PatternId) {
        let Some(pattern) = self.get_mut(id) else {
            return;
        };
        let is_all_names = pattern.is_all_names();
        let name = std::mem::replace(&mut pattern.name, Name::from(""));
        let (resource_type, pattern_type) = (pattern.resource_type, pattern.pattern_type);
        let hash = self.keys.hash(resource_type as u8, name.as_bytes());
        if pattern_type == PatternType::Literal {
            self.literals.remove(hash, id.0);
        } else {
            self.prefixes.remove(hash, id.0);
            self.lengths
                .remove(&self.keys, resource_type, name.as_bytes());
        }
        if is_all_names && let Some(all_names) = self.all_names.get_mut(resource_type as usize) {
            *all_names = None;
        }
        if let Some(free) = self.free.get_mut(id.parts().0) {
            free.push(id);
        }
    }

    /// The patterns with rows of a principal.
    pub(super) fn of_principal(&self, principal: PrincipalId) -> Vec<PatternId> {
        let has_rows = |pattern: &Pattern| !rows_of(pattern.rows(), principal).is_empty();
        self.iter()
            .filter(|(_, pattern)| has_rows(pattern))
            .map(|(id, _)| id)
            .collect()
    }

    pub(super) fn shrink(&mut self) {
        for list in &mut self.lists {
            list.shrink();
        }
    }
}
