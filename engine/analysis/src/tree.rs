//! The patterns of a resource type as a tree, the regions into which they divide its names, and sets of names as patterns.

use std::cmp::Ordering;

use crate::scope::NamePattern;
use gbac_engine::internal::sort;
use gbac_engine::internal::{Operations, Pattern};
use gbac_engine::model::{CLUSTER_NAME, Operation, PatternType, ResourceType};

/// What a pattern covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// Every name: the literal `*`, or the empty prefix.
    All,
    Prefix(&'a str),
    Literal(&'a str),
}

impl<'a> Place<'a> {
    pub(super) fn of(pattern: &'a Pattern) -> Self {
        Self::named(pattern.pattern_type, pattern.name())
    }

    /// What a pattern of this type and name covers.
    pub(super) fn named(pattern_type: PatternType, name: &'a str) -> Self {
        match pattern_type {
            PatternType::Literal if name == "*" => Self::All,
            PatternType::Prefixed if name.is_empty() => Self::All,
            PatternType::Literal => Self::Literal(name),
            PatternType::Prefixed => Self::Prefix(name),
        }
    }

    /// Whether every name of the other one is covered.
    pub(super) fn covers(self, other: Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Prefix(prefix), Self::Prefix(name) | Self::Literal(name)) => name.starts_with(prefix),
            (Self::Literal(one), Self::Literal(name)) => one == name,
            _ => false,
        }
    }

    /// Whether a name is covered by both: one of the two then covers the other.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    pub(super) fn pattern(self) -> NamePattern {
        let (pattern_type, name) = match self {
            Self::All => (PatternType::Literal, "*"),
            Self::Prefix(name) => (PatternType::Prefixed, name),
            Self::Literal(name) => (PatternType::Literal, name),
        };
        NamePattern { pattern_type, name: name.to_owned() }
    }

    /// Every place comes after those that cover it, and before those that it does not overlap: a walk of the tree.
    pub(super) fn order(self, other: Self) -> Ordering {
        let key = |place| match place {
            Self::All => (0, "", false),
            Self::Prefix(name) => (1, name, false),
            Self::Literal(name) => (1, name, true),
        };
        key(self).cmp(&key(other))
    }
}

/// Places, each below the narrowest one that covers it. A place's region is what it covers and no place below it does.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    places: Vec<Place<'a>>,
    /// By place; the root is its own.
    parents: Vec<usize>,
    /// Where each of the places that it was made of is.
    made_of: Vec<usize>,
}

/// Names on which some operations have a property: those of a place without those of others below it.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) at: usize,
    pub(super) operations: Operations,
    /// Places and their marks; see [`Tree::pieces`].
    pub(super) except: Vec<(usize, u32)>,
}

/// Something that is excepted at a place and below it, for some operations.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) at: usize,
    /// What; 0 is the place as a whole.
    pub(super) what: u32,
    pub(super) operations: Operations,
}

impl<'a> Tree<'a> {
    /// The tree of these places, in any order and as often as they come, under [`Place::All`].
    pub(super) fn new(made_of: impl Iterator<Item = Place<'a>>) -> Self {
        let mut sorted: Vec<(Place<'a>, usize)> = made_of.zip(0..).collect();
        // Not `order::sort`: there may be very many, and they often come in order.
        sorted.sort_by(|a, b| a.0.order(b.0));
        let mut tree = Self { places: vec![Place::All], parents: vec![0], made_of: vec![0; sorted.len()] };
        let mut above: Vec<(usize, Place<'_>)> = vec![(0, Place::All)];
        for (place, input) in sorted {
            if tree.places.last() != Some(&place) {
                while above.last().is_some_and(|(_, top)| !top.covers(place)) {
                    above.pop();
                }
                tree.parents.push(above.last().map_or(0, |(parent, _)| *parent));
                above.push((tree.len(), place));
                tree.places.push(place);
            }
            if let Some(at) = tree.made_of.get_mut(input) {
                *at = tree.places.len() - 1;
            }
        }
        tree
    }

    /// Where each of the places is that the tree was made of, in their order.
    pub(super) fn made_of(&self) -> &[usize] {
        &self.made_of
    }

    #[cfg(test)]
    pub(super) fn places(&self) -> &[Place<'a>] {
        &self.places
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn place(&self, at: usize) -> Place<'a> {
        self.places.get(at).copied().unwrap_or(Place::All)
    }

    /// The place above; none above the root.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().filter(|parent| *parent != at)
    }

    /// The operations at the place above; none above the root.
    pub(super) fn above(&self, at: usize, operations: &[Operations]) -> Operations {
        self.parent(at).and_then(|parent| operations.get(parent)).copied().unwrap_or_default()
    }

    /// Adds to each place what the places above it have.
    pub(super) fn inherit(&self, operations: &mut [Operations]) {
        for at in 0..operations.len() {
            let above = self.above(at, operations);
            if let Some(here) = operations.get_mut(at) {
                *here = here.or(above);
            }
        }
    }

    /// The set of the regions and operations that have a property, as few patterns with exceptions. Marks become
    /// exceptions of the pieces that they are in.
    pub(super) fn pieces(&self, has: &[Operations], marks: &[Mark]) -> Vec<Piece> {
        // By place and operation, where the piece begins that the place is in.
        let mut tops: Vec<[usize; Operation::ALL.len()]> = Vec::with_capacity(self.len());
        let mut starts = Vec::new();
        let mut except: Vec<(usize, Mark)> = Vec::new();
        for (at, here) in has.iter().enumerate() {
            let above = self.above(at, has);
            let mut top = self.parent(at).and_then(|parent| tops.get(parent)).copied().unwrap_or_default();
            split(above.without(*here), &top, |top, operations| {
                except.push((top, Mark { at, what: 0, operations }));
            });
            let new = here.without(above);
            for operation in new.iter() {
                if let Some(top) = top.get_mut(operation as usize) {
                    *top = at;
                }
            }
            if !new.is_empty() {
                starts.push((at, new));
            }
            tops.push(top);
        }
        for mark in marks {
            let inside = has.get(mark.at).copied().unwrap_or_default().and(mark.operations);
            let Some(top) = tops.get(mark.at) else { continue };
            split(inside, top, |top, operations| {
                except.push((top, Mark { at: mark.at, what: mark.what, operations }));
            });
        }
        sort(&mut except, |a, b| (a.0, a.1.at, a.1.what).cmp(&(b.0, b.1.at, b.1.what)));
        let mut except = except.as_slice();
        let mut pieces = Vec::new();
        for (at, operations) in starts {
            let (of, rest) = except.split_at(except.iter().take_while(|(top, _)| *top == at).count());
            except = rest;
            // Operations with the same exceptions stay together.
            let mut groups = vec![operations];
            for (_, mark) in of {
                let halves =
                    groups.iter().flat_map(|group| [group.without(mark.operations), group.and(mark.operations)]);
                groups = halves.filter(|group| !group.is_empty()).collect();
            }
            for operations in groups {
                let of = of.iter().filter(|(_, mark)| mark.operations.meets(operations));
                pieces.push(Piece { at, operations, except: of.map(|(_, mark)| (mark.at, mark.what)).collect() });
            }
        }
        pieces
    }

    /// A name of a place's region, one that a resource of this type may have where there is such a one.
    pub(super) fn witness(&self, at: usize, resource_type: ResourceType) -> Option<String> {
        let start = match self.place(at) {
            Place::Literal(name) => return Some(name.to_owned()),
            Place::Prefix(prefix) => prefix,
            Place::All => "",
        };
        let usual = match resource_type {
            ResourceType::Cluster => CLUSTER_NAME,
            _ => start,
        };
        let may_be_empty = !usual.is_empty() || resource_type == ResourceType::Registry;
        if may_be_empty && self.is_in(usual, at) {
            return Some(usual.to_owned());
        }
        // Below a place there are finitely many others, so that one of the characters is free.
        let name = |c: char| format!("{start}{c}");
        ('a'..='z').chain('0'..='9').chain('\u{a1}'..=char::MAX).map(name).find(|name| self.is_in(name, at))
    }

    fn is_in(&self, name: &str, at: usize) -> bool {
        self.narrowest(Place::Literal(name)) == at
    }

    /// The narrowest place of the tree that covers this one.
    pub(super) fn narrowest(&self, place: Place<'_>) -> usize {
        let after = self.places.partition_point(|known| known.order(place).is_le());
        // It is the last one before, or above that.
        let mut narrowest = after.saturating_sub(1);
        while !self.place(narrowest).covers(place)
            && let Some(parent) = self.parent(narrowest)
        {
            narrowest = parent;
        }
        narrowest
    }

    /// Whether this place and one of the tree have names in common, other than the root.
    pub(super) fn meets(&self, place: Place<'_>) -> bool {
        let after = self.places.partition_point(|known| known.order(place).is_le());
        // One that covers it is the last one before or above that; one that it covers is the first one after.
        let mut before = after.saturating_sub(1);
        while before > 0 && !self.place(before).covers(place) {
            before = self.parents.get(before).copied().unwrap_or_default();
        }
        before > 0 || self.places.get(after).is_some_and(|known| place.covers(*known))
    }

    /// The places of the tree that this one covers, and where the first of them is.
    pub(super) fn below(&self, place: Place<'_>) -> (usize, &[Place<'a>]) {
        let first = self.places.partition_point(|known| known.order(place).is_lt());
        let rest = self.places.get(first..).unwrap_or_default();
        (first, rest.get(..rest.partition_point(|known| place.covers(*known))).unwrap_or_default())
    }
}

/// Hands over the operations by where their pieces begin.
fn split(operations: Operations, tops: &[usize; Operation::ALL.len()], mut visit: impl FnMut(usize, Operations)) {
    let mut rest = operations;
    while let Some(first) = rest.iter().next() {
        let top = tops.get(first as usize).copied().unwrap_or_default();
        let mut same = Operations::only(first);
        for operation in rest.iter() {
            if tops.get(operation as usize) == Some(&top) {
                same = same.or(Operations::only(operation));
            }
        }
        visit(top, same);
        rest = rest.without(same);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_below_the_narrowest_that_covers_it() {
        use Place::{All, Literal, Prefix};
        let tree =
            Tree::new([Literal("ab"), Prefix("a"), Prefix("abc"), Literal("b"), Literal("a"), Prefix("a")].into_iter());
        assert_eq!(tree.places(), [All, Prefix("a"), Literal("a"), Literal("ab"), Prefix("abc"), Literal("b")]);
        assert_eq!(tree.parents, [0, 0, 1, 1, 1, 0]);
        assert_eq!(tree.made_of, [3, 1, 4, 5, 2, 1]);
    }

    #[test]
    fn a_witness_is_in_its_region_only() {
        use Place::{Literal, Prefix};
        let letters: Vec<String> = ('a'..='z').chain('0'..='9').map(|c| format!("x{c}")).collect();
        let mut places: Vec<Place<'_>> = letters.iter().map(|name| Prefix(name)).collect();
        places.extend([Prefix("x"), Literal("x"), Literal("a"), Literal("kafka-cluster")]);
        let tree = Tree::new(places.into_iter());
        for at in 0..tree.len() {
            for resource_type in ResourceType::ALL {
                let name = tree.witness(at, *resource_type).unwrap();
                let covering = tree.places().iter().enumerate().filter(|(_, place)| place.covers(Literal(&name)));
                assert_eq!(covering.map(|(at, _)| at).next_back(), Some(at), "{name}");
            }
        }
    }
}
