//! A tree of the patterns of a resource type, the regions into which they divide its names, and
//! sets of names as patterns.

use std::cmp::Ordering;

use crate::scope::NamePattern;
use gbac_engine::model::{CLUSTER_NAME, Operation, PatternType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::index::{Operations, Pattern};

/// The names that a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// Every name: the literal `*` or the empty prefix.
    All,
    Prefix(&'a str),
    Literal(&'a str),
}

impl<'a> Place<'a> {
    pub(super) fn from_pattern(pattern: &'a Pattern) -> Self {
        Self::named(pattern.pattern_type, pattern.name())
    }

    /// The place of a pattern with this type and name.
    pub(super) fn named(pattern_type: PatternType, name: &'a str) -> Self {
        match pattern_type {
            _ if NamePattern::is_all_names(pattern_type, name) => Self::All,
            PatternType::Literal => Self::Literal(name),
            PatternType::Prefixed => Self::Prefix(name),
        }
    }

    /// Whether it contains every name of the other place.
    pub(super) fn covers(self, other: Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Prefix(prefix), Self::Prefix(name) | Self::Literal(name)) => {
                name.starts_with(prefix)
            }
            (Self::Literal(one), Self::Literal(name)) => one == name,
            _ => false,
        }
    }

    /// Whether both have a name in common; then one of them covers the other.
    pub(super) fn overlaps(self, other: Self) -> bool {
        self.covers(other) || other.covers(self)
    }

    pub(super) fn pattern(self) -> NamePattern {
        let (pattern_type, name) = match self {
            Self::All => (PatternType::Literal, "*"),
            Self::Prefix(name) => (PatternType::Prefixed, name),
            Self::Literal(name) => (PatternType::Literal, name),
        };
        NamePattern {
            pattern_type,
            name: name.to_owned(),
        }
    }

    /// Orders places as in a walk of the tree: after those that cover it, and before those that it
    /// does not overlap.
    pub(super) fn order(self, other: Self) -> Ordering {
        self.key().cmp(&other.key())
    }

    const fn key(self) -> (u8, &'a str, bool) {
        match self {
            Self::All => (0, "", false),
            Self::Prefix(name) => (1, name, false),
            Self::Literal(name) => (1, name, true),
        }
    }
}

/// A tree of places, each below the narrowest one that covers it. The region of a place consists of
/// its names without those of the places below it.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    places: Vec<Place<'a>>,
    /// The parent of each place; the root is its own parent.
    parents: Vec<usize>,
    /// The index of each input place.
    made_of: Vec<usize>,
}

/// Names on which some operations have a property: those of a place without the exceptions below
/// it.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) at: usize,
    pub(super) operations: Operations,
    /// Places and their mark's `what`; see [`Tree::pieces`].
    pub(super) except: Vec<(usize, u32)>,
}

/// An exception at a place and below it, for some operations.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) at: usize,
    /// The kind of exception; 0 excludes the whole place.
    pub(super) what: u32,
    pub(super) operations: Operations,
}

impl<'a> Tree<'a> {
    /// Creates a tree from places in any order, possibly with duplicates, under [`Place::All`].
    pub(super) fn new(made_of: impl Iterator<Item = Place<'a>>) -> Self {
        let mut sorted: Vec<(Place<'a>, usize)> = made_of.zip(0..).collect();
        // Not `order::sort`: there may be very many, and they are often sorted already.
        sorted.sort_by(|a, b| a.0.order(b.0));
        let mut tree = Self {
            places: vec![Place::All],
            parents: vec![0],
            made_of: vec![0; sorted.len()],
        };
        let mut above: Vec<(usize, Place<'_>)> = vec![(0, Place::All)];
        for (place, input) in sorted {
            if tree.places.last() != Some(&place) {
                while above.last().is_some_and(|(_, top)| !top.covers(place)) {
                    above.pop();
                }
                tree.parents
                    .push(above.last().map_or(0, |(parent, _)| *parent));
                above.push((tree.len(), place));
                tree.places.push(place);
            }
            if let Some(at) = tree.made_of.get_mut(input) {
                *at = tree.places.len() - 1;
            }
        }
        tree
    }

    /// The indices of the input places, in their order.
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

    /// The parent of a place; `None` for the root.
    pub(super) fn parent(&self, at: usize) -> Option<usize> {
        self.parents.get(at).copied().filter(|parent| *parent != at)
    }

    /// The operations at the parent; none for the root.
    pub(super) fn above(&self, at: usize, operations: &[Operations]) -> Operations {
        self.parent(at)
            .and_then(|parent| operations.get(parent))
            .copied()
            .unwrap_or_default()
    }

    /// Adds to each place the operations of the places above it.
    pub(super) fn inherit(&self, operations: &mut [Operations]) {
        for at in 0..operations.len() {
            let above = self.above(at, operations);
            if let Some(operations_here) = operations.get_mut(at) {
                *operations_here = operations_here.or(above);
            }
        }
    }

    /// Combines the regions and operations with a property to as few patterns with exceptions as
    /// possible. Marks become exceptions of the pieces that contain them.
    pub(super) fn pieces(&self, has: &[Operations], marks: &[Mark]) -> Vec<Piece> {
        // For each place and operation, the first place of the piece that contains it.
        let mut tops: Vec<[usize; Operation::ALL.len()]> = Vec::with_capacity(self.len());
        let mut starts = Vec::new();
        let mut except: Vec<(usize, Mark)> = Vec::new();
        for (at, operations_here) in has.iter().enumerate() {
            let above = self.above(at, has);
            let mut top = self
                .parent(at)
                .and_then(|parent| tops.get(parent))
                .copied()
                .unwrap_or_default();
            split(above.without(*operations_here), &top, |top, operations| {
                except.push((
                    top,
                    Mark {
                        at,
                        what: 0,
                        operations,
                    },
                ));
            });
            let new = operations_here.without(above);
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
            let inside = has
                .get(mark.at)
                .copied()
                .unwrap_or_default()
                .and(mark.operations);
            let Some(top) = tops.get(mark.at) else {
                continue;
            };
            split(inside, top, |top, operations| {
                except.push((
                    top,
                    Mark {
                        at: mark.at,
                        what: mark.what,
                        operations,
                    },
                ));
            });
        }
        sort(&mut except, |a, b| {
            (a.0, a.1.at, a.1.what).cmp(&(b.0, b.1.at, b.1.what))
        });
        let mut except = except.as_slice();
        let mut pieces = Vec::new();
        for (at, operations) in starts {
            let (of, rest) =
                except.split_at(except.iter().take_while(|(top, _)| *top == at).count());
            except = rest;
            // Operations with the same exceptions stay together.
            let mut groups = vec![operations];
            for (_, mark) in of {
                let mut halves = Vec::with_capacity(groups.len());
                for group in groups {
                    for half in [group.without(mark.operations), group.and(mark.operations)] {
                        if !half.is_empty() {
                            halves.push(half);
                        }
                    }
                }
                groups = halves;
            }
            for operations in groups {
                let mut except = Vec::new();
                for (_, mark) in of {
                    if mark.operations.meets(operations) {
                        except.push((mark.at, mark.what));
                    }
                }
                pieces.push(Piece {
                    at,
                    operations,
                    except,
                });
            }
        }
        pieces
    }

    /// A name in a place's region, a valid one for the resource type if possible.
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
        // A place has finitely many places below it, so one of the characters is unused.
        let characters = ('a'..='z').chain('0'..='9').chain('\u{a1}'..=char::MAX);
        for character in characters {
            let name = format!("{start}{character}");
            if self.is_in(&name, at) {
                return Some(name);
            }
        }
        None
    }

    fn is_in(&self, name: &str, at: usize) -> bool {
        self.narrowest(Place::Literal(name)) == at
    }

    /// The narrowest place of the tree that covers this one.
    pub(super) fn narrowest(&self, place: Place<'_>) -> usize {
        let after = self
            .places
            .partition_point(|known| known.order(place).is_le());
        // It is the preceding place, or one above that.
        let mut narrowest = after.saturating_sub(1);
        while !self.place(narrowest).covers(place)
            && let Some(parent) = self.parent(narrowest)
        {
            narrowest = parent;
        }
        narrowest
    }

    /// Whether this place has names in common with a place of the tree other than the root.
    pub(super) fn meets(&self, place: Place<'_>) -> bool {
        let after = self
            .places
            .partition_point(|known| known.order(place).is_le());
        // A place that covers it is the preceding one or above that; the first place that it covers
        // is the following one.
        let mut before = after.saturating_sub(1);
        while before > 0 && !self.place(before).covers(place) {
            before = self.parents.get(before).copied().unwrap_or_default();
        }
        before > 0
            || self
                .places
                .get(after)
                .is_some_and(|known| place.covers(*known))
    }

    /// The places of the tree that this one covers, and the index of the first of them.
    pub(super) fn below(&self, place: Place<'_>) -> (usize, &[Place<'a>]) {
        let first = self
            .places
            .partition_point(|known| known.order(place).is_lt());
        let rest = self.places.get(first..).unwrap_or_default();
        (
            first,
            rest.get(..rest.partition_point(|known| place.covers(*known)))
                .unwrap_or_default(),
        )
    }
}

/// Groups the operations by the first place of their pieces.
fn split(
    operations: Operations,
    tops: &[usize; Operation::ALL.len()],
    mut visit: impl FnMut(usize, Operations),
) {
    let mut rest = operations;
    while let Some(first) = rest.iter().next() {
        let top = tops.get(first as usize).copied().unwrap_or_default();
        let mut group = Operations::only(first);
        for operation in rest.iter() {
            if tops.get(operation as usize) == Some(&top) {
                group = group.or(Operations::only(operation));
            }
        }
        visit(top, group);
        rest = rest.without(group);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_below_the_narrowest_covering_place() {
        use Place::{All, Literal, Prefix};
        let tree = Tree::new(
            [
                Literal("ab"),
                Prefix("a"),
                Prefix("abc"),
                Literal("b"),
                Literal("a"),
                Prefix("a"),
            ]
            .into_iter(),
        );
        assert_eq!(
            tree.places(),
            [
                All,
                Prefix("a"),
                Literal("a"),
                Literal("ab"),
                Prefix("abc"),
                Literal("b")
            ]
        );
        assert_eq!(tree.parents, [0, 0, 1, 1, 1, 0]);
        assert_eq!(tree.made_of, [3, 1, 4, 5, 2, 1]);
    }

    #[test]
    fn witnesses_are_only_in_their_regions() {
        use Place::{Literal, Prefix};
        let letters: Vec<String> = ('a'..='z')
            .chain('0'..='9')
            .map(|c| format!("x{c}"))
            .collect();
        let mut places: Vec<Place<'_>> = letters.iter().map(|name| Prefix(name)).collect();
        places.extend([
            Prefix("x"),
            Literal("x"),
            Literal("a"),
            Literal("kafka-cluster"),
        ]);
        let tree = Tree::new(places.into_iter());
        for at in 0..tree.len() {
            for resource_type in ResourceType::ALL {
                let name = tree.witness(at, *resource_type).unwrap();
                let covering = tree
                    .places()
                    .iter()
                    .enumerate()
                    .filter(|(_, place)| place.covers(Literal(&name)));
                assert_eq!(covering.map(|(at, _)| at).next_back(), Some(at), "{name}");
            }
        }
    }
}
