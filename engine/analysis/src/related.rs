//! Names that share a word: which of a user's groups have something to do with a resource or a
//! role.

use std::collections::BTreeSet;

/// The shortest part of a name that counts as a word.
const SHORTEST: usize = 2;

/// Words of names, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Words(BTreeSet<String>);

impl Words {
    /// The words of a name: its parts between punctuation, whole and split before capital letters.
    pub(super) fn from_name(name: &str) -> Self {
        let mut words = Self::default();
        words.add(name);
        words
    }

    /// Adds the words of a name.
    pub(super) fn add(&mut self, name: &str) {
        for part in name.split(|c: char| !c.is_alphanumeric()) {
            self.insert(part);
            let mut start = 0;
            let mut follows_lower = false;
            for (place, letter) in part.char_indices() {
                if letter.is_uppercase() && follows_lower {
                    self.insert(part.get(start..place).unwrap_or_default());
                    start = place;
                }
                follows_lower = !letter.is_uppercase();
            }
            self.insert(part.get(start..).unwrap_or_default());
        }
    }

    fn insert(&mut self, word: &str) {
        if word.chars().count() >= SHORTEST {
            self.0.insert(word.to_lowercase());
        }
    }

    /// Whether both have a word.
    pub(super) fn shares(&self, other: &Self) -> bool {
        !self.0.is_disjoint(&other.0)
    }

    /// Removes the words that all of several names have, because they tell nothing about any of
    /// them.
    pub(super) fn keep_distinctive(names: &mut [Self]) {
        let [first, others @ ..] = &*names else {
            return;
        };
        if others.is_empty() {
            return;
        }
        let common: BTreeSet<String> = first
            .0
            .iter()
            .filter(|word| others.iter().all(|other| other.0.contains(*word)))
            .cloned()
            .collect();
        for name in names {
            name.0.retain(|word| !common.contains(word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_parts_between_punctuation_and_capitals() {
        let words = |name: &str| Words::from_name(name).0.into_iter().collect::<Vec<_>>();
        assert_eq!(words("analytics-sales"), ["analytics", "sales"]);
        assert_eq!(words("/acme/OnCall"), ["acme", "call", "on", "oncall"]);
        assert_eq!(words("SREWriters"), ["srewriters"]);
        assert!(words("a-/_").is_empty());
        assert!(Words::from_name("OrdersWriters").shares(&Words::from_name("team.orders")));
        assert!(!Words::from_name("dev").shares(&Words::from_name("development")));
    }

    #[test]
    fn words_of_every_name_tell_nothing() {
        let mut names = ["/acme/dev", "/acme/analytics"].map(Words::from_name);
        Words::keep_distinctive(&mut names);
        assert_eq!(names, ["dev", "analytics"].map(Words::from_name));
        let mut single = [Words::from_name("/acme/dev")];
        Words::keep_distinctive(&mut single);
        assert_eq!(single, [Words::from_name("/acme/dev")]);
    }
}
