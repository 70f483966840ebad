//! Sorting, once for every type: each further instantiation of the standard library's sort is 5 KB of wasm.

use std::cmp::Ordering;

/// The items in order; equal ones stay as they were.
pub(crate) fn sorted<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let places = sorted_places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| items.get_mut(place)?.take()).collect()
}

/// For each item the place of the first that equals it; its own, where none does before it.
pub(crate) fn firsts<T: Ord>(items: &[T]) -> Vec<usize> {
    firsts_of(items.len(), &|a, b| items.get(a).cmp(&items.get(b)))
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

fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

#[cfg(test)]
mod tests {
    use super::{firsts, sorted};

    #[test]
    fn equal_items_stay_as_they_were() {
        let items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        assert_eq!(sorted(items, |a, b| a.0.cmp(&b.0)), [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        assert!(sorted(Vec::<u8>::new(), u8::cmp).is_empty());
    }

    #[test]
    fn each_item_knows_the_first_of_its_kind() {
        assert_eq!(firsts(&["b", "a", "b", "c", "a"]), [0, 1, 0, 3, 1]);
        assert!(firsts::<u8>(&[]).is_empty());
    }
}
