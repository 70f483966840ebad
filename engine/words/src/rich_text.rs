//! Rich text: sentences with names in them, as values that are tested without a page.

use gbac_engine::escape::escaped;
use gbac_engine::model::{PatternType, Permission, Principal};

use crate::{escape, phrases};

/// One piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Plain text.
    Text(String),
    /// Plain text, less prominent than names.
    Quiet(String),
    /// A claim, a claim path, a setting: shown as code.
    Code(String),
    /// A principal.
    Principal(Principal),
    /// The name of a resource.
    Resource(String),
    /// How a resource name is compared, in words.
    Pattern(&'static str),
    /// Allow or deny, with its mark.
    Permission(Permission),
    /// An allow that a deny overrode.
    Overridden,
    /// A near miss of another name: its type, and its parts with whether they differ.
    Differs(String, Vec<(String, bool)>),
}

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RichText(pub Vec<Span>);

impl RichText {
    /// An empty sentence, to add to.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// A sentence in the engine's way, where what is in backticks is code.
    #[must_use]
    pub fn message(message: &str) -> Self {
        message
            .split('`')
            .enumerate()
            .filter(|(_, piece)| !piece.is_empty())
            .fold(Self::new(), |words, (place, piece)| {
                if place % 2 == 0 {
                    words.text(piece)
                } else {
                    words.code(piece)
                }
            })
    }

    /// A message and its hint as sentences: with capitals and periods, and code where the backticks
    /// are.
    #[must_use]
    pub fn with_hint(message: &str, hint: &str) -> Self {
        let words = Self::message(&phrases::capitalized(message)).text(period(message));
        match hint {
            "" => words,
            hint => words
                .text(" ")
                .then(Self::message(&phrases::capitalized(hint)))
                .text(period(hint)),
        }
    }

    /// The same, with plain text at its end.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Text(text.into()));
        self
    }

    /// The same, with quiet text at its end.
    #[must_use]
    pub fn quiet(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Quiet(text.into()));
        self
    }

    /// The same, with code at its end.
    #[must_use]
    pub fn code(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Code(text.into()));
        self
    }

    /// The same, with a principal at its end.
    #[must_use]
    pub fn principal(mut self, principal: &Principal) -> Self {
        self.0.push(Span::Principal(principal.clone()));
        self
    }

    /// The same, with a resource's name at its end.
    #[must_use]
    pub fn resource(mut self, name: impl Into<String>) -> Self {
        self.0.push(Span::Resource(name.into()));
        self
    }

    /// The same, with a name pattern at its end: `payments-` prefixed, `*` all names.
    #[must_use]
    pub fn pattern(self, name: &str, pattern: PatternType) -> Self {
        let mut words = self.resource(name);
        words.0.push(Span::Text(" ".into()));
        words.0.push(Span::Pattern(pattern.label_for(name)));
        words
    }

    /// The same, with allow or deny at its end.
    #[must_use]
    pub fn permission(mut self, permission: Permission) -> Self {
        self.0.push(Span::Permission(permission));
        self
    }

    /// The same, with an overridden allow at its end.
    #[must_use]
    pub fn overridden(mut self) -> Self {
        self.0.push(Span::Overridden);
        self
    }

    /// The same, with a name at its end in which what differs from `other` is marked: letters in
    /// another case, or a leading slash.
    #[must_use]
    pub fn differs(mut self, kind: &str, name: &str, other: &str) -> Self {
        self.0
            .push(Span::Differs(kind.into(), differing(name, other)));
        self
    }

    /// The same, with another sentence at its end.
    #[must_use]
    pub fn then(mut self, mut more: Self) -> Self {
        self.0.append(&mut more.0);
        self
    }

    /// The sentence as plain text, for announcements and labels; what cannot be seen in a name is
    /// shown by its code.
    pub fn plain(&self) -> String {
        self.render(escape::plain)
    }

    /// The sentence as text of a message: names in backticks, in which hidden characters are
    /// escaped.
    ///
    /// ```
    /// use gbac_engine::model::Principal;
    /// use gbac_words::rich_text::RichText;
    ///
    /// let words = RichText::new().text("of ").principal(&Principal::group("eng\n"));
    /// assert_eq!(words.message_text(), r"of `Group:eng\n`");
    /// ```
    pub fn message_text(&self) -> String {
        self.render(|name| format!("`{}`", escaped(name)))
    }

    /// The sentence as text, with names as `show` writes them.
    pub fn render(&self, show: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for span in &self.0 {
            match span {
                Span::Text(words) | Span::Quiet(words) => text.push_str(words),
                Span::Code(name) | Span::Resource(name) => text.push_str(&show(name)),
                Span::Principal(principal) => text.push_str(&show(&principal.to_string())),
                Span::Pattern(words) => text.push_str(words),
                Span::Permission(permission) => text.push_str(permission.spelling().label),
                Span::Overridden => text.push_str("Allow"),
                Span::Differs(kind, parts) => {
                    text.push_str(kind);
                    parts.iter().for_each(|(part, _)| text.push_str(part));
                }
            }
        }
        text
    }
}

impl From<&str> for RichText {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for RichText {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

/// What ends a sentence: nothing more, if it is a question.
fn period(text: &str) -> &'static str {
    if text.ends_with('?') { "" } else { "." }
}

/// The parts of a name, each with whether it differs from `other`. A prefix is compared with the
/// start of `other`.
fn differing(name: &str, other: &str) -> Vec<(String, bool)> {
    let slash = usize::from(name.starts_with('/') && !other.starts_with('/'));
    let (lead, rest) = name.split_at_checked(slash).unwrap_or(("", name));
    let other = if name.starts_with('/') {
        other
    } else {
        other.strip_prefix('/').unwrap_or(other)
    };
    let mut parts: Vec<(String, bool)> = Vec::new();
    if !lead.is_empty() {
        parts.push((lead.into(), true));
    }
    let mut others = other.chars();
    for c in rest.chars() {
        let differs = others.next().is_some_and(|other| other != c);
        match parts.last_mut() {
            Some((part, same)) if *same == differs => part.push(c),
            _ => parts.push((c.into(), differs)),
        }
    }
    parts
}

/// Things in a list: `a`, `a and b`, `a, b and c`; more than `most` end in a count.
pub fn listed(things: Vec<RichText>, most: usize) -> RichText {
    let all = things.len();
    let named = all.min(most);
    let named_things = things.into_iter().take(named).enumerate();
    let list = named_things.fold(
        RichText::new(),
        |list, (place, thing)| match phrases::separator(place, named, all) {
            "" => list.then(thing),
            separator => list.text(separator).then(thing),
        },
    );
    if all > named {
        list.text(phrases::rest(named, all))
    } else {
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_as_people_do() {
        let list = |names: &[&str], most| {
            listed(
                names
                    .iter()
                    .map(|name| RichText::new().code(*name))
                    .collect(),
                most,
            )
            .plain()
        };
        assert_eq!(list(&["a"], 3), "a");
        assert_eq!(list(&["a", "b"], 3), "a and b");
        assert_eq!(list(&["a", "b", "c"], 3), "a, b and c");
        assert_eq!(list(&["a", "b", "c", "d", "e"], 2), "a, b and 3 more");
        assert_eq!(list(&[], 2), "");
    }

    #[test]
    fn sentences_start_with_a_capital_and_end() {
        let words = RichText::with_hint(
            "`10.0.0.0/8` is neither `*` nor an IP address",
            "write one address or `*`, not a range",
        );
        assert_eq!(
            words.plain(),
            "10.0.0.0/8 is neither * nor an IP address. Write one address or *, not a range."
        );
        assert_eq!(
            RichText::with_hint("no token given", "").plain(),
            "No token given."
        );
        assert_eq!(RichText::with_hint("", "").plain(), ".");
        assert_eq!(
            RichText::with_hint("not valid yet", "check the clocks of both machines").plain(),
            "Not valid yet. Check the clocks of both machines."
        );
        assert_eq!(
            RichText::with_hint("what is `x?`", "").plain(),
            "What is x?."
        );
        assert_eq!(
            RichText::with_hint("is it cut off?", "copy it again").plain(),
            "Is it cut off? Copy it again."
        );
    }

    #[test]
    fn differences_are_marked() {
        let parts = |name: &str, other: &str| {
            differing(name, other)
                .into_iter()
                .map(|(part, differs)| if differs { format!("[{part}]") } else { part })
                .collect::<String>()
        };
        assert_eq!(parts("Payments", "payments"), "[P]ayments");
        assert_eq!(parts("payMENTS-", "payments-settled"), "pay[MENTS]-");
        assert_eq!(parts("/eng", "eng"), "[/]eng");
        assert_eq!(parts("eng", "/eng"), "eng");
        assert_eq!(parts("", "x"), "");
    }

    #[test]
    fn backticks_become_code() {
        let words = RichText::message("`$.sub` is missing");
        assert_eq!(
            words.0,
            [Span::Code("$.sub".into()), Span::Text(" is missing".into())]
        );
    }
}
