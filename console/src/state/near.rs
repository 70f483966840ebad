//! Names that are almost another one: by letter case, by a leading slash, by blanks at the edge.

/// In what two names differ, and in nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// In letter case.
    LetterCase,
    /// In blanks at the edge.
    Blanks,
    /// In a leading slash.
    Slash,
}

/// How two names almost are the same; none when they are equal, or truly different.
///
/// ```
/// use gbac_console::state::near::{Difference, difference};
/// assert_eq!(difference("Payments", "payments"), Some(Difference::LetterCase));
/// assert_eq!(difference("/eng", "eng"), Some(Difference::Slash));
/// assert_eq!(difference("eng", "eng"), None);
/// ```
#[must_use]
pub fn difference(name: &str, other: &str) -> Option<Difference> {
    if name == other {
        None
    } else if name.trim() == other.trim() {
        Some(Difference::Blanks)
    } else if bare(name) == bare(other) {
        Some(Difference::Slash)
    } else if bare(name).to_lowercase() == bare(other).to_lowercase() {
        Some(Difference::LetterCase)
    } else {
        None
    }
}

fn bare(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix('/').unwrap_or(name)
}

/// The first of `others` that the name almost is; none when the name itself is among them.
pub fn find<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> Option<(&'a str, Difference)> {
    let mut found = None;
    for other in others {
        if other == name {
            return None;
        }
        if found.is_none() {
            found = difference(name, other).map(|how| (other, how));
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_is_no_near_miss() {
        assert_eq!(find("eng", ["Eng", "eng"].into_iter()), None);
        assert_eq!(find("ENG", ["ops", "Eng", "eng"].into_iter()), Some(("Eng", Difference::LetterCase)));
        assert_eq!(find("eng ", ["eng"].into_iter()), Some(("eng", Difference::Blanks)));
        assert_eq!(find("/Eng", ["eng"].into_iter()), Some(("eng", Difference::LetterCase)));
        assert_eq!(find("english", ["eng"].into_iter()), None);
    }
}
