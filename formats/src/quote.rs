//! Quotes words of a POSIX shell, and entries of lists in flags.

use std::fmt::Write;

use gbac_engine::escape::{is_hidden, visible};

/// Quotes one word of a POSIX shell if necessary.
///
/// Scripts contain no hidden characters except line breaks: `printf` creates the others, so that
/// scripts can be displayed and pasted. A NUL cannot be part of an argument; see
/// [`is_argument`].
///
/// ```
/// use gbac_formats::quote::shell;
/// assert_eq!(shell("Group:eng"), "Group:eng");
/// assert_eq!(shell("it's $HOME"), r"'it'\''s $HOME'");
/// assert_eq!(shell("a\u{1b}b"), r#"'a'"$(printf '\033')"'b'"#);
/// ```
#[must_use]
pub fn shell(word: &str) -> String {
    if !word.is_empty() && word.bytes().all(is_bare) && !word.starts_with('~') {
        return word.into();
    }
    let mut out = String::from("'");
    for c in word.chars() {
        if c == '\'' {
            out.push_str(r"'\''");
        } else if c != '\n' && is_hidden(c) {
            out.push_str(r#"'"$(printf '"#);
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(out, "\\{byte:03o}");
            }
            out.push_str(r#"')"'"#);
        } else {
            out.push(c);
        }
    }
    out.push('\'');
    out
}

/// Whether a text can be an argument of a program.
#[must_use]
pub fn is_argument(word: &str) -> bool {
    !word.contains('\0')
}

/// Joins entries to a comma-separated list, quoted as in RFC 4180.
///
/// ```
/// use gbac_formats::quote::list;
/// assert_eq!(list(["Group:eng,fin", "alice"]), r#""Group:eng,fin",alice"#);
/// ```
#[must_use]
pub fn list<'a>(entries: impl IntoIterator<Item = &'a str>) -> String {
    let entry = |text: &str| {
        if text.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.into()
        }
    };
    entries
        .into_iter()
        .map(entry)
        .collect::<Vec<String>>()
        .join(",")
}

/// Converts any text to a comment line.
pub(crate) fn comment(text: &str) -> String {
    format!("# {}\n", visible(text))
}

/// Whether a character has no special meaning anywhere in a shell word.
const fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_' | b'.' | b',' | b':' | b'/' | b'@' | b'%' | b'+'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_words_are_bare() {
        for bare in ["Group:/a/b", "orders-1.x_y", "10.0.0.7", "a@b,c%d+e"] {
            assert_eq!(shell(bare), bare);
        }
        for word in [
            "", "*", "a b", "$x", "a;b", "a=b", "#x", "~", "!x", "[a]", "{a,b}", "a\\b", "é",
            "a|b", "`x`", "\"x\"",
        ] {
            assert_eq!(shell(word), format!("'{word}'"));
        }
        assert_eq!(shell("a\nb\n"), "'a\nb\n'");
        for hidden in ["\u{a0}", "\u{3164}", "\u{fe0f}", "\u{e0041}"] {
            assert!(!shell(&format!("a{hidden}b")).contains(hidden));
        }
        assert_eq!(shell("\u{202e}"), r#"''"$(printf '\342\200\256')"''"#);
    }

    #[test]
    fn entries_of_a_list_keep_commas_quotes_and_breaks() {
        assert_eq!(
            list(["a", " b ", "say \"hi\"", "x\ny"]),
            "a, b ,\"say \"\"hi\"\"\",\"x\ny\""
        );
    }

    #[test]
    fn a_comment_is_one_line() {
        assert_eq!(comment("a\nrm -rf /\u{1b}"), "# a\\nrm -rf /\\u{1b}\n");
    }
}
