//! Near misses: names that differ only in letter case or in leading and trailing slashes.
//!
//! Names are compared byte by byte. These two mistakes are the usual reason why a name that looks
//! right does not match.

use crate::text::{lower, lower_letters};

/// How the names of a near miss differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameDifference {
    /// They differ only in letter case.
    LetterCase,
    /// They differ only in leading or trailing slashes.
    Slashes,
    /// They differ in both.
    Both,
}

impl NameDifference {
    /// Every value.
    pub const ALL: &'static [Self] = &[Self::LetterCase, Self::Slashes, Self::Both];

    /// The difference as a noun phrase for messages.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::LetterCase => "letter case",
            Self::Slashes => "leading or trailing slashes",
            Self::Both => "letter case and leading or trailing slashes",
        }
    }
}

/// The form that all near misses of a name share: lower case, without leading and trailing slashes.
///
/// ```
/// use gbac_engine::near::fold_name;
/// assert_eq!(fold_name("/Eng/Payments/"), "eng/payments");
/// ```
#[must_use]
pub fn fold_name(name: &str) -> String {
    lower(bare(name))
}

/// How two names differ if they are a near miss; `None` if they are equal or not a near miss. A
/// name of slashes only is never a near miss.
///
/// ```
/// use gbac_engine::near::{NameDifference, name_difference};
/// assert_eq!(name_difference("Payments", "payments"), Some(NameDifference::LetterCase));
/// assert_eq!(name_difference("/eng", "eng/"), Some(NameDifference::Slashes));
/// assert_eq!(name_difference("/Eng", "eng"), Some(NameDifference::Both));
/// assert_eq!(name_difference("eng", "eng"), None);
/// assert_eq!(name_difference("eng", "english"), None);
/// ```
#[must_use]
pub fn name_difference(name: &str, other: &str) -> Option<NameDifference> {
    if name == other || bare(name).is_empty() || !same(bare(name), bare(other)) {
        return None;
    }
    Some(between(same(name, other), bare(name) == bare(other)))
}

/// How a prefix differs from a name that it nearly covers; `None` if it covers the name or is not a
/// near miss. Trailing slashes of the prefix are significant, because they end a path segment.
///
/// ```
/// use gbac_engine::near::{NameDifference, prefix_difference};
/// assert_eq!(prefix_difference("Orders-", "orders-eu"), Some(NameDifference::LetterCase));
/// assert_eq!(prefix_difference("/orders-", "orders-eu"), Some(NameDifference::Slashes));
/// assert_eq!(prefix_difference("orders/", "orders-eu"), None);
/// ```
#[must_use]
pub fn prefix_difference(prefix: &str, name: &str) -> Option<NameDifference> {
    let (short, whole) = (prefix.trim_start_matches('/'), name.trim_start_matches('/'));
    if name.starts_with(prefix) || short.is_empty() || !starts(whole, short) {
        return None;
    }
    Some(between(starts(name, prefix), whole.starts_with(short)))
}

const fn between(same_slashes: bool, same_case: bool) -> NameDifference {
    match (same_slashes, same_case) {
        (true, _) => NameDifference::LetterCase,
        (false, true) => NameDifference::Slashes,
        (false, false) => NameDifference::Both,
    }
}

fn bare(name: &str) -> &str {
    name.trim_matches('/')
}

/// Whether two names are equal when letter case is ignored.
fn same(name: &str, other: &str) -> bool {
    lower_letters(name).eq(lower_letters(other))
}

/// Whether a name begins with a prefix when letter case is ignored.
fn starts(name: &str, prefix: &str) -> bool {
    let mut letters = lower_letters(name);
    lower_letters(prefix).all(|letter| letters.next() == Some(letter))
}
