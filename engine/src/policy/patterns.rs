//! The resource patterns of a policy with the rows on them, found by a name in time that its length decides.
//!
//! A literal pattern is found by one look into a table of names. The prefixed patterns that cover a name are found by a look
//! for each length that they may have: the lengths in use among the prefixes with the same first eight bytes.

use std::cmp::Ordering;

use super::lengths::Lengths;
use super::principals::PrincipalId;
use super::rows::{HostId, Row, Rows, rows_of};
use crate::hash::{Filter, Keys, Table};
use crate::model::{PatternType, ResourceType};
use crate::name::Name;
use crate::text::equal;

/// The number of a pattern, for as long as there are rows on it: even for literals, odd for prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternId(pub u32);

impl PatternId {
    const fn new(pattern_type: PatternType, place: usize) -> Self {
        Self((place as u32) << 1 | pattern_type as u32)
    }

    /// Which of the two lists, and the place in it.
    #[inline(always)]
    const fn place(self) -> (usize, usize) {
        ((self.0 & 1) as usize, (self.0 >> 1) as usize)
    }
}

/// A resource pattern, and what is granted and denied on it.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Pattern {
    /// With names up to this long a pattern fills one cache line.
    name: Name<30>,
    rows: Rows,
    pub resource_type: ResourceType,
    pub pattern_type: PatternType,
    has_hosts: bool,
}

impl Pattern {
    /// The name or prefix.
    pub fn name(&self) -> &str {
        self.name.as_ref()
    }

    /// What is granted and denied, in order of the principals' numbers.
    #[inline(always)]
    pub fn rows(&self) -> &[Row] {
        self.rows.as_slice()
    }

    /// In the order of ACLs.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let (a, b) = (self, other);
        (a.resource_type, a.name(), a.pattern_type).cmp(&(b.resource_type, b.name(), b.pattern_type))
    }

    /// Whether a row names a host, or named one.
    pub const fn has_hosts(&self) -> bool {
        self.has_hosts
    }

    /// Whether this is the literal `*`, which covers every name.
    pub fn is_all_names(&self) -> bool {
        self.pattern_type == PatternType::Literal && self.name.as_bytes() == b"*"
    }
}

/// The patterns that cover a name: the one that covers most first, so in the reverse order of D-20.
#[derive(Debug, Clone, Default)]
pub struct Covering {
    first: [u32; 14],
    count: usize,
    /// All of them, once they are too many for `first`.
    many: Vec<u32>,
}

impl Covering {
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

    /// How many bytes it takes beside itself.
    pub const fn heap_bytes(&self) -> usize {
        self.many.capacity() * size_of::<u32>()
    }

    /// The numbers, the one that covers most first.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u32] {
        if self.many.is_empty() { self.first.get(..self.count).unwrap_or_default() } else { &self.many }
    }
}

/// Prefixes that there may be. They are gathered without a branch on what the filter says, so that the processor asks for all of
/// them at once instead of waiting for one after the other.
#[derive(Default)]
struct Tried {
    hashes: [u32; Self::MOST],
    lengths: [u32; Self::MOST],
    count: usize,
}

impl Tried {
    const MOST: usize = 16;

    #[inline(always)]
    fn add(&mut self, filter: &Filter, hash: u32, length: usize) {
        if let (Some(place), Some(of)) = (self.hashes.get_mut(self.count), self.lengths.get_mut(self.count)) {
            *place = hash;
            *of = length as u32;
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
    /// By resource type: the literal `*`.
    all_names: [Option<u32>; ResourceType::ALL.len()],
    /// Literals, and apart from them prefixes: these are fewer, and every question meets some, so they stay near the
    /// processor.
    all: [Vec<Pattern>; PatternType::ALL.len()],
    free: [Vec<PatternId>; PatternType::ALL.len()],
}

impl Patterns {
    /// The pattern of a number.
    #[inline(always)]
    pub(super) fn get(&self, id: PatternId) -> Option<&Pattern> {
        let (list, place) = id.place();
        self.all.get(list)?.get(place)
    }

    fn get_mut(&mut self, id: PatternId) -> Option<&mut Pattern> {
        let (list, place) = id.place();
        self.all.get_mut(list)?.get_mut(place)
    }

    /// Every pattern, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PatternId, &Pattern)> {
        let all = self.all.iter().zip(PatternType::ALL).flat_map(|(list, pattern_type)| {
            list.iter().enumerate().map(|(place, pattern)| (PatternId::new(*pattern_type, place), pattern))
        });
        all.filter(|(_, pattern)| !pattern.rows.is_empty())
    }

    /// The number of a pattern, when there are rows on it.
    pub(super) fn find(&self, resource_type: ResourceType, pattern_type: PatternType, name: &str) -> Option<PatternId> {
        self.find_hashed(self.keys.hash(resource_type as u8, name.as_bytes()), resource_type, pattern_type, name)
    }

    fn find_hashed(&self, hash: u32, of: ResourceType, pattern_type: PatternType, name: &str) -> Option<PatternId> {
        let table = if pattern_type == PatternType::Literal { &self.literals } else { &self.prefixes };
        table.find(hash, |id| self.is(id, of, name.as_bytes())).map(PatternId)
    }

    #[inline(always)]
    fn is(&self, id: u32, resource_type: ResourceType, name: &[u8]) -> bool {
        self.get(PatternId(id))
            .is_some_and(|pattern| pattern.resource_type == resource_type && equal(pattern.name.as_bytes(), name))
    }

    /// The patterns that cover a name.
    pub(super) fn covering(&self, resource_type: ResourceType, name: &str) -> Covering {
        let mut found = Covering::default();
        let bytes = name.as_bytes();
        // Asked for the name `*` itself, the literal `*` is its literal name.
        if let Some(Some(id)) = self.all_names.get(resource_type as usize)
            && bytes != b"*"
        {
            found.push(*id);
        }
        let mut lengths = self.lengths.of(&self.keys, resource_type, bytes);
        if lengths.next_if_up_to(0).is_some()
            && let Some(PatternId(id)) = self.find(resource_type, PatternType::Prefixed, "")
        {
            found.push(id);
        }
        let mut pass = self.keys.pass(resource_type as u8, bytes);
        let mut tried = Tried::default();
        while let Some(word) = pass.next_word() {
            while let Some(length) = lengths.next_if_up_to((word.start + 8).min(bytes.len())) {
                if tried.count == Tried::MOST {
                    self.find_prefixes(&mut tried, resource_type, bytes, &mut found);
                }
                tried.add(&self.filter, word.hash_up_to(length), length);
            }
        }
        let hash = pass.hash();
        let literal = self.literals.home(hash);
        self.find_prefixes(&mut tried, resource_type, bytes, &mut found);
        if let Some(id) = self.literals.find_from(literal, hash, |id| self.is(id, resource_type, bytes)) {
            found.push(id);
        }
        found
    }

    #[inline(always)]
    fn find_prefixes(&self, tried: &mut Tried, of: ResourceType, name: &[u8], found: &mut Covering) {
        let mut homes = [0; Tried::MOST];
        for (hash, home) in tried.hashes.iter().zip(&mut homes).take(tried.count) {
            *home = self.prefixes.home(*hash);
        }
        for ((hash, length), home) in tried.hashes.iter().zip(&tried.lengths).zip(homes).take(tried.count) {
            let prefix = name.get(..*length as usize).unwrap_or_default();
            if let Some(id) = self.prefixes.find_from(home, *hash, |id| self.is(id, of, prefix)) {
                found.push(id);
            }
        }
        tried.count = 0;
    }

    /// The number of a pattern, a new one where it has none.
    pub(super) fn number(&mut self, of: ResourceType, pattern_type: PatternType, name: &str) -> PatternId {
        let hash = self.keys.hash(of as u8, name.as_bytes());
        if let Some(id) = self.find_hashed(hash, of, pattern_type, name) {
            return id;
        }
        let pattern =
            Pattern { name: name.into(), rows: Rows::default(), resource_type: of, pattern_type, has_hosts: false };
        let is_all_names = pattern.is_all_names();
        let id = match self.free.get_mut(pattern_type as usize).and_then(Vec::pop) {
            Some(id) => {
                if let Some(place) = self.get_mut(id) {
                    *place = pattern;
                }
                id.0
            }
            None => {
                let Some(list) = self.all.get_mut(pattern_type as usize) else { return PatternId(0) };
                list.push(pattern);
                PatternId::new(pattern_type, list.len() - 1).0
            }
        };
        if pattern_type == PatternType::Literal {
            self.literals.insert(hash, id);
        } else {
            self.prefixes.insert(hash, id);
            self.filter.add(hash, &self.prefixes);
            self.lengths.add(&self.keys, of, name.as_bytes());
        }
        if is_all_names && let Some(place) = self.all_names.get_mut(of as usize) {
            *place = Some(id);
        }
        PatternId(id)
    }

    /// Adds a row's operations to a pattern; says whether they are new, and whether the row is.
    pub(super) fn add(&mut self, id: PatternId, row: Row) -> (bool, bool) {
        let Some(pattern) = self.get_mut(id) else { return (false, false) };
        pattern.has_hosts |= row.host != HostId::ANY;
        pattern.rows.add(row)
    }

    /// Removes a row's operations from a pattern, and the pattern with its last row; says whether they were there, and
    /// whether the row is gone.
    pub(super) fn remove(&mut self, id: PatternId, row: Row) -> (bool, bool) {
        let Some(pattern) = self.get_mut(id) else { return (false, false) };
        let removed = pattern.rows.remove(row);
        if pattern.rows.is_empty() {
            self.forget(id);
        }
        removed
    }

    fn forget(&mut self, id: PatternId) {
        let Some(pattern) = self.get_mut(id) else { return };
        let is_all_names = pattern.is_all_names();
        let name = std::mem::replace(&mut pattern.name, Name::from(""));
        let (of, pattern_type) = (pattern.resource_type, pattern.pattern_type);
        let hash = self.keys.hash(of as u8, name.as_bytes());
        if pattern_type == PatternType::Literal {
            self.literals.remove(hash, id.0);
        } else {
            self.prefixes.remove(hash, id.0);
            self.lengths.remove(&self.keys, of, name.as_bytes());
        }
        if is_all_names && let Some(place) = self.all_names.get_mut(of as usize) {
            *place = None;
        }
        if let Some(free) = self.free.get_mut(id.place().0) {
            free.push(id);
        }
    }

    /// The patterns that hold rows of a principal.
    pub(super) fn of_principal(&self, principal: PrincipalId) -> Vec<PatternId> {
        let holds = |pattern: &Pattern| !rows_of(pattern.rows(), principal).is_empty();
        self.iter().filter(|(_, pattern)| holds(pattern)).map(|(id, _)| id).collect()
    }

    pub(super) fn shrink(&mut self) {
        for list in &mut self.all {
            list.shrink_to_fit();
        }
    }
}
