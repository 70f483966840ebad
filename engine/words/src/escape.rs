//! Names with hidden characters escaped.

use gbac_engine::escape::is_hidden;

/// A part of a name as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A character that would not be seen, or would change how the rest is seen.
    Code(char),
}

/// Cuts a name into text and characters that are shown by their code: control and format characters
/// (bidirectional overrides, zero width), blanks other than U+0020, and a blank at either edge.
///
/// ```
/// use gbac_words::escape::{Piece, pieces};
/// assert_eq!(pieces("a b"), [Piece::Text("a b".into())]);
/// assert_eq!(pieces("ops "), [Piece::Text("ops".into()), Piece::Code(' ')]);
/// assert_eq!(pieces("a\u{202e}b").len(), 3);
/// ```
pub fn pieces(name: &str) -> Vec<Piece> {
    let body = name.trim_matches(' ');
    let lead = name.len() - name.trim_start_matches(' ').len();
    let edges = lead..lead + body.len();
    let mut found = Vec::new();
    let mut text = String::new();
    for (at, c) in name.char_indices() {
        if is_hidden(c) || (c == ' ' && !edges.contains(&at)) {
            if !text.is_empty() {
                found.push(Piece::Text(std::mem::take(&mut text)));
            }
            found.push(Piece::Code(c));
        } else {
            text.push(c);
        }
    }
    if !text.is_empty() {
        found.push(Piece::Text(text));
    }
    found
}

/// A name as plain text, for a title, a label or an announcement, where nothing can be framed:
/// `pay<U+202E>stnem`.
///
/// ```
/// use gbac_words::escape::plain;
/// assert_eq!(plain("a b"), "a b");
/// assert_eq!(plain("ops\u{202e} "), "ops<U+202E><U+0020>");
/// ```
pub fn plain(name: &str) -> String {
    pieces(name)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Code(c) => format!("<{}>", code(c)),
        })
        .collect()
}

/// The code of a character, such as `U+202E`.
pub fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_code() {
        let codes = |name: &str| {
            pieces(name)
                .into_iter()
                .filter_map(|piece| match piece {
                    Piece::Code(c) => Some(u32::from(c)),
                    Piece::Text(_) => None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(codes("pay\u{202e}stnem"), [0x202e]);
        assert_eq!(codes(" ops  "), [0x20, 0x20, 0x20]);
        assert_eq!(codes("a b"), [0; 0]);
        assert_eq!(codes("a\u{a0}b\u{200b}\tc"), [0xa0, 0x200b, 9]);
        assert_eq!(codes("日本/ü:CN=a\\b"), [0; 0]);
        assert_eq!(codes(""), [0; 0]);
        assert_eq!(codes(" "), [0x20]);
    }
}
