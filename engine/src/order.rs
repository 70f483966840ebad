//! Order: sorting and searching, written once for every type, since each further instantiation of the standard library's
//! sort is 5 KB of wasm.

use std::cmp::Ordering;

/// Sorts the items; equal ones stay as they were.
pub fn sort<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for (a, b) in swaps {
        items.swap(a, b);
    }
}

/// For each item the place of the first that equals it; its own, where none does before it.
pub fn firsts<T: Ord>(items: &[T]) -> Vec<usize> {
    firsts_of(items.len(), &|a, b| items.get(a).cmp(&items.get(b)))
}

/// The stretch of items that compare equal; the items are in order.
pub fn run<T>(items: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = items.partition_point(|item| compare(item).is_lt());
    let items = items.get(start..).unwrap_or_default();
    items.get(..items.partition_point(|item| compare(item).is_eq())).unwrap_or_default()
}

fn firsts_of(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut firsts = vec![0; count];
    let mut first = 0;
    for (rank, place) in sorted_places(count, compare).into_iter().enumerate() {
        if rank == 0 || compare(first, place).is_ne() {
            first = place;
        }
        if let Some(slot) = firsts.get_mut(place) {
            *slot = first;
        }
    }
    firsts
}

/// What to swap with what, one after the other, to put items in order.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut swaps = Vec::new();
    // Which item belongs where: a permutation, whose cycles are gone through one by one.
    let mut places = sorted_places(count, compare);
    for start in 0..count {
        let mut at = start;
        while let Some(place) = places.get_mut(at) {
            let next = std::mem::replace(place, at);
            if next == start || next == at {
                break;
            }
            swaps.push((at, next));
            at = next;
        }
    }
    swaps
}

/// A merge sort: runs of one, then of two, then of four.
fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut merged = Vec::with_capacity(count);
    let mut run = 1;
    while run < count {
        merged.clear();
        for two in places.chunks(run * 2) {
            let (mut left, mut right) = two.split_at(run.min(two.len()));
            while let (Some((a, after_a)), Some((b, after_b))) = (left.split_first(), right.split_first()) {
                if compare(*a, *b).is_le() {
                    merged.push(*a);
                    left = after_a;
                } else {
                    merged.push(*b);
                    right = after_b;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut places, &mut merged);
        run *= 2;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{firsts, run, sort};

    #[test]
    fn each_item_knows_the_first_of_its_kind() {
        assert_eq!(firsts(&["b", "a", "b", "c", "a"]), [0, 1, 0, 3, 1]);
        assert!(firsts::<u8>(&[]).is_empty());
    }

    #[test]
    fn a_run_is_what_compares_equal() {
        let items = [1, 2, 2, 2, 4];
        assert_eq!(run(&items, |item| item.cmp(&2)), [2, 2, 2]);
        for absent in [0, 3, 5] {
            assert!(run(&items, |item| item.cmp(&absent)).is_empty());
        }
    }

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(mut items in prop::collection::vec((0_u8..9, any::<u8>()), 0..60)) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort(&mut items, |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(items, expected);
        }
    }
}
