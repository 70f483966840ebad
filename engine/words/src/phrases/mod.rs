//! Counts, lists, durations and instants as texts.

mod time;

pub use time::{ago, duration, instant, timestamp};

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

/// A count with its noun: `1 role`, `2,000 roles`.
///
/// ```
/// use gbac_words::phrases::count;
/// assert_eq!(count(1, "ACL"), "1 ACL");
/// assert_eq!(count(2_000, "role"), "2,000 roles");
/// assert_eq!(count(0, "identity"), "0 identities");
/// ```
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {}", thousands(number), plural(number, noun))
}

/// A noun that agrees with a number, without the number: `key`, `keys`. It may stand at the end of
/// a longer text: `role member`, `role members`.
///
/// ```
/// use gbac_words::phrases::plural;
/// assert_eq!(plural(1, "match"), "match");
/// assert_eq!(["match", "deny", "key", "alias", "loss"].map(|noun| plural(2, noun)), ["matches", "denies", "keys", "aliases", "losses"]);
/// ```
pub fn plural(number: usize, noun: &str) -> String {
    const SIBILANTS: [&str; 5] = ["s", "x", "z", "ch", "sh"];
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        Some(stem) if !stem.ends_with(VOWELS) => format!("{stem}ies"),
        _ if SIBILANTS.iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Whichever of two texts agrees with a number, for verbs and whole phrases.
///
/// ```
/// use gbac_words::phrases::agree;
/// assert_eq!(format!("2 ACLs {} removed", agree(2, "was", "were")), "2 ACLs were removed");
/// ```
pub const fn agree<'a>(number: usize, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

/// A number with a comma between its thousands.
///
/// ```
/// use gbac_words::phrases::thousands;
/// assert_eq!((thousands(100), thousands(1_000_000)), ("100".into(), "1,000,000".into()));
/// ```
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// All names: `a`, `a and b`, `a, b and c`.
///
/// ```
/// use gbac_words::phrases::list;
/// assert_eq!(list(&["a", "b", "c"]), "a, b and c");
/// ```
pub fn list(names: &[impl AsRef<str>]) -> String {
    list_up_to(names, usize::MAX)
}

/// The first names, and the number of the others: `a`, `a and b`, `a, b and 3 more`.
///
/// ```
/// use gbac_words::phrases::list_up_to;
/// assert_eq!(list_up_to(&["a", "b"], 3), "a and b");
/// assert_eq!(list_up_to(&["a", "b", "c", "d", "e"], 2), "a, b and 3 more");
/// ```
pub fn list_up_to(names: &[impl AsRef<str>], most: usize) -> String {
    let named = names.len().min(most);
    let mut out = String::new();
    for (place, name) in names.iter().take(named).enumerate() {
        out.push_str(separator(place, named, names.len()));
        out.push_str(name.as_ref());
    }
    out + &rest(named, names.len())
}

/// The text before the name at this place of a shortened list.
pub(crate) const fn separator(place: usize, named: usize, all: usize) -> &'static str {
    match place {
        0 => "",
        _ if place + 1 == named && named == all => " and ",
        _ => ", ",
    }
}

/// What ends a list that names some of all: nothing, or ` and 3 more`.
pub(crate) fn rest(named: usize, all: usize) -> String {
    if all > named {
        format!(" and {} more", thousands(all - named))
    } else {
        String::new()
    }
}

/// A text with a capital first letter.
///
/// ```
/// use gbac_words::phrases::capitalized;
/// assert_eq!(capitalized("no token given"), "No token given");
/// ```
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_end_in_and() {
        assert_eq!(list(&[""; 0]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list_up_to(&["a", "b", "c"], 3), "a, b and c");
        assert_eq!(list_up_to(&["a", "b", "c"], 1), "a and 2 more");
    }
}
