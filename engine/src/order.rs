//! Sorting and searching with one implementation for all types, because each instantiation of the
//! standard library's sort adds 5 KB of wasm. Native programs can use the standard library.

use std::cmp::Ordering;

/// Sorts the items. Equal items keep their order.
///
/// ```
/// use gbac_engine::order::{run, sort};
///
/// let mut members = [("ops", "bob"), ("dev", "carol"), ("ops", "alice")];
/// sort(&mut members, |a, b| a.0.cmp(b.0));
/// assert_eq!(run(&members, |member| member.0.cmp("ops")), [("ops", "bob"), ("ops", "alice")]);
/// ```
pub fn sort<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for (a, b) in swaps {
        items.swap(a, b);
    }
}

/// The index of the first equal item, for each item.
///
/// ```
/// assert_eq!(gbac_engine::order::first_equals(&["b", "a", "b"]), [0, 1, 0]);
/// ```
pub fn first_equals<T: Ord>(items: &[T]) -> Vec<usize> {
    first_equals_of(items.len(), &|a, b| items.get(a).cmp(&items.get(b)))
}

/// The items that compare equal. The items must be sorted.
pub fn run<T>(items: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = items.partition_point(|item| compare(item).is_lt());
    let items = items.get(start..).unwrap_or_default();
    items
        .get(..items.partition_point(|item| compare(item).is_eq()))
        .unwrap_or_default()
}

fn first_equals_of(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut first_equals = vec![0; count];
    let mut first = 0;
    for (rank, index) in sorted_indexes(count, compare).into_iter().enumerate() {
        if rank == 0 || compare(first, index).is_ne() {
            first = index;
        }
        if let Some(slot) = first_equals.get_mut(index) {
            *slot = first;
        }
    }
    first_equals
}

/// The swaps that sort the items.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    let mut swaps = Vec::new();
    // The sorted indexes are a permutation; each of its cycles becomes a series of swaps.
    let mut indexes = sorted_indexes(count, compare);
    for start in 0..count {
        let mut index = start;
        while let Some(source) = indexes.get_mut(index) {
            let next = std::mem::replace(source, index);
            if next == start || next == index {
                break;
            }
            swaps.push((index, next));
            index = next;
        }
    }
    swaps
}

/// The indexes in sorted order, by merge sort: merges runs of one item, then of two, then of four,
/// and so on.
fn sorted_indexes(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..count).collect();
    let mut merged = Vec::with_capacity(count);
    let mut run = 1;
    while run < count {
        merged.clear();
        for runs in indexes.chunks(run * 2) {
            let (mut left, mut right) = runs.split_at(run.min(runs.len()));
            while let (Some((a, after_a)), Some((b, after_b))) =
                (left.split_first(), right.split_first())
            {
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
        std::mem::swap(&mut indexes, &mut merged);
        run *= 2;
    }
    indexes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{first_equals, run, sort};

    #[test]
    fn first_equals_are_the_indexes_of_the_first_equal_items() {
        assert_eq!(first_equals(&["b", "a", "b", "c", "a"]), [0, 1, 0, 3, 1]);
        assert!(first_equals::<u8>(&[]).is_empty());
    }

    #[test]
    fn a_run_contains_the_equal_items() {
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
