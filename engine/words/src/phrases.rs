//! Counts, lists, durations and instants as texts, the same on every page and in the command line.

mod time;

pub use time::{ago, duration, instant, timestamp};

use crate::rich_text::RichText;

macro_rules! acls_not_evaluated {
    () => {
        "ACLs are not evaluated"
    };
}

pub(crate) use acls_not_evaluated;

/// States that ACLs are not evaluated, for a superuser or a sign-in that fails. Part of a sentence.
pub const ACLS_NOT_EVALUATED: &str = acls_not_evaluated!();

/// The sentences about superusers.
pub const SUPERUSERS_ALLOWED: &str = concat!(
    "Superusers are allowed everything. ",
    acls_not_evaluated!(),
    "."
);

/// A comparison of policies or identities in which nobody's access differs.
pub const NO_CHANGE_IN_ACCESS: &str = "No change in effective access.";

/// A comparison of two users without a difference.
pub const IDENTICAL_PERMISSIONS: &str = "Both have identical permissions.";

/// What needs the policy, before it is known.
pub const POLICY_NOT_READ: &str = "The policy has not been read yet.";

/// What needs a subject and a request, before both are entered.
pub const COMPLETE_CHECK_FIRST: &str = "Complete the check first.";

/// The purpose of the search.
pub const SEARCH_OR_ASK: &str = "Search or ask a question";

/// The number of changes that a draft got.
#[must_use]
pub fn added_to_draft(changes: usize) -> String {
    format!("{} added to the draft", count(changes, "change"))
}

/// What adds so many changes to the draft.
#[must_use]
pub fn add_to_draft(changes: usize) -> String {
    format!("Add {} to the draft", count(changes, "change"))
}

/// A file over its limit in bytes.
#[must_use]
pub fn file_too_large(name: &str, limit: f64) -> RichText {
    let megabytes = limit / 1_000_000.0;
    RichText::new()
        .code(name)
        .text(format!(" is larger than {megabytes} MB."))
}

/// A file that could not be read, with the reason.
#[must_use]
pub fn file_not_read(name: &str, reason: RichText) -> RichText {
    let has_period = reason.plain().ends_with('.');
    RichText::new()
        .code(name)
        .text(" could not be read: ")
        .then(reason)
        .text(if has_period { "" } else { "." })
}

/// A file that could not be saved, with the reason.
#[must_use]
pub fn file_not_saved(name: &str, reason: &str) -> String {
    format!("{name} was not saved: {reason}")
}

/// A search text that is no regular expression.
pub const SEARCHED_AS_TEXT: &str = "Not a regular expression, so searched as plain text";

/// The state of the audit log: decisions and changes are recorded.
pub const AUDIT_LOG_IS_ON: &str = "The audit log is on";

/// The state of the audit log: nothing is recorded.
pub const AUDIT_LOG_IS_OFF: &str = "The audit log is off";

/// A deletion that is confirmed next.
pub const DELETION_GOES_TO_DRAFT: &str =
    "The deletion goes to your draft. Nothing is deleted before you apply it.";

/// What the user may not read.
#[must_use]
pub fn read_forbidden(what: &str) -> String {
    format!("You don't have permission to read {what}")
}

/// What could not be read.
#[must_use]
pub fn read_failed(what: &str) -> String {
    capitalized(&format!("{what} could not be read"))
}

/// A search without results.
#[must_use]
pub fn no_results(search: &str) -> RichText {
    RichText::new()
        .text("No results for ")
        .code(search)
        .text(".")
}

/// The rows of a list that are shown, from 1, and the number of all.
///
/// ```
/// use gbac_words::phrases::rows;
/// assert_eq!(rows(1, 100, 2_000), "Rows 1 to 100 of 2,000");
/// ```
#[must_use]
pub fn rows(first: usize, last: usize, all: usize) -> String {
    let [first, last, all] = [first, last, all].map(thousands);
    format!("Rows {first} to {last} of {all}")
}

/// How many of a list are left out.
#[must_use]
pub fn not_shown(number: usize, noun: &str) -> String {
    format!("{} not shown.", count(number, noun))
}

/// A count with its noun: `1 role`, `2,000 roles`.
///
/// ```
/// use gbac_words::phrases::count;
/// assert_eq!(count(1, "ACL"), "1 ACL");
/// assert_eq!(count(2_000, "role"), "2,000 roles");
/// assert_eq!(count(0, "identity"), "0 identities");
/// ```
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    format!("{} {}", thousands(number), plural(number, noun))
}

/// A byte offset as people count: characters from 1.
#[must_use]
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

/// A noun that agrees with a number, without the number: `key`, `keys`. It may stand at the end of
/// a longer text: `role member`, `role members`.
///
/// ```
/// use gbac_words::phrases::plural;
/// assert_eq!(plural(1, "match"), "match");
/// assert_eq!(["match", "deny", "key", "alias", "loss"].map(|noun| plural(2, noun)), ["matches", "denies", "keys", "aliases", "losses"]);
/// ```
#[must_use]
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
#[must_use]
pub const fn agree<'a>(number: usize, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

/// A number with a comma between its thousands.
///
/// ```
/// use gbac_words::phrases::thousands;
/// assert_eq!((thousands(100), thousands(1_000_000)), ("100".into(), "1,000,000".into()));
/// ```
#[must_use]
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
#[must_use]
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
#[must_use]
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
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}

/// An error and its hint as two sentences without the final period.
///
/// ```
/// use gbac_words::phrases::with_hint;
/// assert_eq!(with_hint("no such role", "create it first"), "No such role. Create it first");
/// assert_eq!(with_hint("no such role", ""), "No such role");
/// ```
#[must_use]
pub fn with_hint(message: &str, hint: &str) -> String {
    if hint.is_empty() {
        capitalized(message)
    } else {
        format!("{}. {}", capitalized(message), capitalized(hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_end_in_one_period() {
        let said = |reason: &str| file_not_read("a.json", reason.into()).plain();
        assert_eq!(said("no UTF-8"), "a.json could not be read: no UTF-8.");
        assert_eq!(
            said("It is empty."),
            "a.json could not be read: It is empty."
        );
    }

    #[test]
    fn lists_end_in_and() {
        assert_eq!(list(&[""; 0]), "");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a and b");
        assert_eq!(list_up_to(&["a", "b", "c"], 3), "a, b and c");
        assert_eq!(list_up_to(&["a", "b", "c"], 1), "a and 2 more");
    }
}
