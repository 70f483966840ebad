//! The label of a search result: names with the letters that fit, hidden characters by their code.

use gbac_words::escape::{Piece, pieces};

use crate::search::fuzzy::Words;

/// A part of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelPart {
    /// Words of the page.
    Text(String),
    /// The type before the name of a principal.
    Kind(&'static str),
    /// A part of a name, and whether it fits what was typed.
    Name(String, bool),
    /// A character of a name that cannot be seen.
    Hidden(char),
}

/// A label.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Label(pub Vec<LabelPart>);

impl Label {
    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(LabelPart::Text(text.into()));
        self
    }

    pub(super) fn kind(mut self, prefix: &'static str) -> Self {
        self.0.push(LabelPart::Kind(prefix));
        self
    }

    /// A name in which what fits is marked.
    pub(super) fn name(mut self, name: &str, words: &Words) -> Self {
        let mut marks = words.marks(name).into_iter();
        for piece in pieces(name) {
            match piece {
                Piece::Code(letter) => {
                    marks.next();
                    self.0.push(LabelPart::Hidden(letter));
                }
                Piece::Text(text) => {
                    for letter in text.chars() {
                        let mark = marks.next().unwrap_or_default();
                        match self.0.last_mut() {
                            Some(LabelPart::Name(part, known)) if *known == mark => {
                                part.push(letter);
                            }
                            _ => self.0.push(LabelPart::Name(letter.into(), mark)),
                        }
                    }
                }
            }
        }
        self
    }

    /// The label as plain text.
    pub fn plain(&self) -> String {
        let plain = |part: &LabelPart| match part {
            LabelPart::Text(text) | LabelPart::Name(text, _) => text.clone(),
            LabelPart::Kind(prefix) => format!("{prefix}:"),
            LabelPart::Hidden(letter) => format!("<{}>", gbac_words::escape::code(*letter)),
        };
        self.0.iter().map(plain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_hidden_characters_stay_where_they_are() {
        let words = Words::all("ops");
        let label = Label::default().kind("Group").name("a\u{202e}Ops ", &words);
        assert_eq!(
            label.0,
            [
                LabelPart::Kind("Group"),
                LabelPart::Name("a".into(), false),
                LabelPart::Hidden('\u{202e}'),
                LabelPart::Name("Ops".into(), true),
                LabelPart::Hidden(' '),
            ]
        );
        assert_eq!(label.plain(), "Group:a<U+202E>Ops<U+0020>");
        assert_eq!(Label::default().text("x").plain(), "x");
    }
}
