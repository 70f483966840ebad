//! Escapes invisible characters of untrusted text for messages and terminals.

/// Whether a character is invisible or affects how others are displayed: control characters, blanks
/// other than U+0020, direction marks, zero-width characters, fillers, variation selectors and
/// tags.
///
/// ```
/// use gbac_engine::escape::is_hidden;
/// assert!(['\n', '\u{a0}', '\u{200b}', '\u{202e}', '\u{3164}'].into_iter().all(is_hidden));
/// assert!(!"a é ก ี 日 😀".chars().any(is_hidden));
/// ```
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

/// Escapes hidden characters, quotes and backslashes of a text for messages.
///
/// ```
/// use gbac_engine::escape::escaped;
/// assert_eq!(escaped("टीम 'ops\u{3164}'\n"), r"टीम \'ops\u{3164}\'\n");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if matches!(character, '"' | '\'' | '\\') {
            escaped.push('\\');
        }
        push_visible(&mut escaped, character);
    }
    escaped
}

/// Escapes only hidden characters, for messages that texts are copied from.
///
/// ```
/// use gbac_engine::escape::visible;
/// assert_eq!(visible("the team's \u{202e}name\n"), r"the team's \u{202e}name\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut visible = String::new();
    for character in text.chars() {
        push_visible(&mut visible, character);
    }
    visible
}

/// A text in JSON with its hidden characters as `\\u` escapes (RFC 8259 section 7): the same value,
/// but no character of a name can control a terminal.
///
/// ```
/// use gbac_engine::escape::visible_json;
/// assert_eq!(visible_json("{\"a\":\"é\u{202e}\u{e0041}\"}"), r#"{"a":"é\u202e\udb40\udc41"}"#);
/// ```
#[must_use]
pub fn visible_json(json: &str) -> String {
    let mut visible = String::with_capacity(json.len());
    for character in json.chars() {
        if is_hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                visible.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            visible.push(character);
        }
    }
    visible
}

/// Appends one character as in [`visible`].
pub(crate) fn push_visible(visible: &mut String, character: char) {
    match character {
        '\n' => visible.push_str("\\n"),
        '\r' => visible.push_str("\\r"),
        '\t' => visible.push_str("\\t"),
        hidden if is_hidden(hidden) => visible.extend(hidden.escape_unicode()),
        other => visible.push(other),
    }
}

/// [`visible`] for one character.
pub(crate) fn visible_character(character: char) -> String {
    let mut visible = String::new();
    push_visible(&mut visible, character);
    visible
}

#[cfg(test)]
mod tests {
    use super::{escaped, visible};

    #[test]
    fn only_hidden_characters_are_escaped() {
        let hidden = "\u{1b}[2J\n\t\u{202e}\u{a0}\u{3164}\u{feff}\u{e0041}\u{1d173}";
        assert_eq!(
            visible(hidden),
            "\\u{1b}[2J\\n\\t\\u{202e}\\u{a0}\\u{3164}\\u{feff}\\u{e0041}\\u{1d173}"
        );
        for text in [
            "a b",
            "é",
            "e\u{301}",
            "हिन्दी",
            "ภาษาไทย",
            "עִבְרִית",
            "日本",
            "👩\u{1f3fd}",
        ] {
            assert_eq!(
                (visible(text), escaped(text)),
                (text.to_owned(), text.to_owned())
            );
        }
        assert_eq!(escaped("a'\"\\"), "a\\'\\\"\\\\");
    }
}
