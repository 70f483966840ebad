//! Counts, lists, durations and instants as texts.

mod time;

pub use time::{ago, duration, instant, timestamp};

pub use crate::counts::{agree, capitalized, count, list, list_up_to, plural, thousands};

/// A byte offset as people count: characters from 1.
pub fn place(text: &str, offset: usize) -> String {
    let before = text
        .get(..offset)
        .map_or(0, |before| before.chars().count());
    if offset >= text.len() {
        "at the end".into()
    } else {
        format!("at character {}", before + 1)
    }
}

/// An error and its hint as two sentences without the final period.
///
/// ```
/// use gbac_words::phrases::with_hint;
/// assert_eq!(with_hint("no such role", "create it first"), "No such role. Create it first");
/// assert_eq!(with_hint("no such role", ""), "No such role");
/// ```
pub fn with_hint(message: &str, hint: &str) -> String {
    if hint.is_empty() {
        capitalized(message)
    } else {
        format!("{}. {}", capitalized(message), capitalized(hint))
    }
}
