//! Writes names, locations and paths: with a dot if the name allows it, otherwise in quotes and
//! brackets.

use std::borrow::Cow;

use super::MAX_LOCATION_BYTES;

/// One step of a location.
#[derive(Debug, Clone, Copy)]
pub(super) enum Element<'a> {
    Name(&'a str),
    Index(usize),
}

/// Whether a character may begin a dotted name (RFC 9535, `name-first`).
pub(super) const fn is_name_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c >= '\u{80}'
}

/// Whether a character may be in a dotted name: those of RFC 9535, `-` and `:` (D-11).
pub(super) const fn is_name_char(c: char) -> bool {
    is_name_first(c) || c.is_ascii_digit() || matches!(c, '-' | ':')
}

/// Whether a character is blank space in RFC 9535.
pub(super) const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Whether a character is a quotation mark that word processors and chats put in place of `'` and
/// `"`. RFC 9535 allows most of them as the first character of a dotted name, but they are refused
/// here, because they are always a mistake.
pub(super) const fn is_curly_quote(c: char) -> bool {
    matches!(c, '\u{2018}'..='\u{201f}' | '\u{00b4}' | '`')
}

/// Whether a name may follow a dot.
pub(super) fn is_dotted_name(name: &str) -> bool {
    name.chars()
        .next()
        .is_some_and(|c| is_name_first(c) && !is_curly_quote(c))
        && name.chars().all(is_name_char)
}

/// Appends `name` in quotes and brackets, with the escapes of a normalized path (RFC 9535 section
/// 2.7).
pub(super) fn push_bracketed(out: &mut String, name: &str) {
    out.push_str("['");
    for c in name.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => {
                let code = u32::from(c);
                out.push_str("\\u00");
                out.push(char::from_digit(code >> 4, 16).unwrap_or('0'));
                out.push(char::from_digit(code & 15, 16).unwrap_or('0'));
            }
            c => out.push(c),
        }
    }
    out.push_str("']");
}

/// `name` in quotes and brackets.
pub(super) fn bracketed(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    push_bracketed(&mut out, name);
    out
}

/// Appends `.name` if `name` may follow a dot, otherwise `['name']`.
pub(crate) fn push_name(out: &mut String, name: &str) {
    if is_dotted_name(name) {
        out.push('.');
        out.push_str(name);
    } else {
        push_bracketed(out, name);
    }
}

/// The location of a node, for display.
pub(super) fn spell(elements: &[Element<'_>]) -> String {
    if elements.is_empty() {
        return "$".to_owned();
    }
    let mut out = String::new();
    for element in elements {
        match element {
            Element::Name(name) => {
                let name = shortened(name, MAX_LOCATION_BYTES / 2);
                if out.is_empty() && is_dotted_name(&name) {
                    out.push_str(&name);
                } else {
                    push_name(&mut out, &name);
                }
            }
            Element::Index(index) => push_index(&mut out, *index),
        }
    }
    shortened(&out, MAX_LOCATION_BYTES).into_owned()
}

/// The text; if it has more than `max` bytes, its beginning and end with `…` between.
pub(crate) fn shortened(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return Cow::Borrowed(text);
    }
    let head = text
        .get(..text.floor_char_boundary(max / 2))
        .unwrap_or_default();
    let tail = text
        .get(text.ceil_char_boundary(text.len() - max / 4)..)
        .unwrap_or_default();
    Cow::Owned(format!("{head}…{tail}"))
}

/// Appends an index in brackets, such as `[3]`.
fn push_index(out: &mut String, index: usize) {
    out.push('[');
    out.push_str(&index.to_string());
    out.push(']');
}

/// The location of an element of a list.
pub(crate) fn element_location(list: &str, index: usize) -> String {
    let mut out = String::with_capacity(list.len() + 8);
    out.push_str(list);
    push_index(&mut out, index);
    out
}
