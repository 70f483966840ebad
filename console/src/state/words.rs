//! Words for counts, ages and ACLs, the same on every page.

use gbac_engine::model::Acl;

use super::escape::plain;
pub use super::simulator::words::thousands;

/// A count with its noun: `1 role`, `2,000 roles`.
///
/// ```
/// use gbac_console::state::words::count;
/// assert_eq!(count(1, "ACL"), "1 ACL");
/// assert_eq!(count(0, "deny"), "0 denies");
/// ```
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) if !noun.ends_with("ey") => format!("{} {stem}ies", thousands(number)),
        _ => format!("{} {noun}s", thousands(number)),
    }
}

/// How long ago something was, in milliseconds: `8 s ago`, `6 min ago`, `2 h ago`, `3 days ago`.
///
/// ```
/// use gbac_console::state::words::age;
/// assert_eq!(age(8_400.0), "8 s ago");
/// assert_eq!(age(-5.0), "0 s ago");
/// assert_eq!(age(3_600_000.0 * 49.0), "2 days ago");
/// ```
#[must_use]
pub fn age(milliseconds: f64) -> String {
    let seconds = (milliseconds.max(0.0) / 1000.0).floor();
    if seconds < 60.0 {
        format!("{seconds} s ago")
    } else if seconds < 3600.0 {
        format!("{} min ago", (seconds / 60.0).floor())
    } else if seconds < 172_800.0 {
        format!("{} h ago", (seconds / 3600.0).floor())
    } else {
        format!("{} days ago", (seconds / 86400.0).floor())
    }
}

/// An ACL without its principal in one line, as the name of a row's buttons: `Topic payments- prefixed, Write, allow, host *`.
#[must_use]
pub fn acl_line(acl: &Acl) -> String {
    let kind = acl.resource_type.spelling().label;
    let name = if acl.resource_name.is_empty() { String::new() } else { format!(" {}", plain(&acl.resource_name)) };
    format!(
        "{kind}{name} {}, {}, {}, host {}",
        acl.pattern_type.spelling().label,
        acl.operation.spelling().label,
        acl.permission.spelling().label.to_lowercase(),
        acl.host
    )
}

/// Names in a list: `a`, `a and b`, `a, b and 3 more`.
///
/// ```
/// use gbac_console::state::words::list;
/// assert_eq!(list(&["a", "b"], 3), "a and b");
/// assert_eq!(list(&["a", "b", "c", "d", "e"], 2), "a, b and 3 more");
/// ```
#[must_use]
pub fn list(names: &[impl AsRef<str>], shown: usize) -> String {
    let head: Vec<&str> = names.iter().take(shown).map(AsRef::as_ref).collect();
    match (names.len().saturating_sub(head.len()), head.as_slice()) {
        (0, []) => String::new(),
        (0, [rest @ .., last]) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        (0, _) => head.join(""),
        (more, _) => format!("{} and {more} more", head.join(", ")),
    }
}

/// What was found and what to do, as two sentences without the final period.
#[must_use]
pub fn fault(found: &str, hint: &str) -> String {
    format!("{}. {}", sentence(found), sentence(hint))
}

/// A text of the engine with a capital first letter, as pages show it.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}
