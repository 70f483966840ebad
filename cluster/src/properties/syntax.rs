//! The syntax of Java's properties files: lines that go on, escapes, and three ways to separate a
//! key from its value. Ours, because the library for it brings a whole engine of regular
//! expressions, and forgets the lines that messages name.

use super::fault::{PropertyError, PropertyFault};

/// A property with the line that it begins on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) line: usize,
    /// A character that is not ASCII and not an escape: Java reads its bytes as ISO 8859-1.
    pub(crate) foreign: Option<char>,
}

/// The properties of a file, in its order.
pub(crate) fn read(text: &str) -> Result<Vec<Entry>, PropertyError> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut entries = Vec::new();
    let mut lines = text.split('\n').enumerate();
    while let Some((index, first)) = lines.next() {
        let first = without_indent(first);
        if first.is_empty() || first.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = first.to_owned();
        while goes_on(&logical) {
            logical.pop();
            let Some((_, next)) = lines.next() else {
                break;
            };
            logical.push_str(without_indent(next));
        }
        entries.push(entry(&logical, index + 1)?);
    }
    Ok(entries)
}

const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{c}')
}

fn without_indent(line: &str) -> &str {
    line.trim_start_matches(is_blank)
}

/// Whether a line ends with an odd number of backslashes.
fn goes_on(line: &str) -> bool {
    let backslashes = line.len() - line.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// The key ends at the first `=`, `:` or blank that no backslash precedes.
fn entry(line: &str, number: usize) -> Result<Entry, PropertyError> {
    let mut is_escaped = false;
    let mut end = line.len();
    for (index, character) in line.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if matches!(character, '=' | ':') || is_blank(character) {
            end = index;
            break;
        }
    }
    let (key, rest) = line.split_at(end);
    let rest = without_indent(rest);
    let value = without_indent(rest.strip_prefix(['=', ':']).unwrap_or(rest));
    let unescaped = |text: &str| {
        unescaped(text).ok_or_else(|| PropertyError {
            line: number,
            key: key.to_owned(),
            fault: PropertyFault::Escape,
        })
    };
    Ok(Entry {
        key: unescaped(key)?,
        value: unescaped(value)?,
        line: number,
        foreign: line.chars().find(|character| !character.is_ascii()),
    })
}

/// `None` if `\u` is not followed by the four digits of a UTF-16 unit, or units do not go together.
fn unescaped(text: &str) -> Option<String> {
    let mut units: Vec<u16> = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let character = match character {
            '\\' => characters.next().unwrap_or('\\'),
            _ => {
                units.extend(character.encode_utf16(&mut [0; 2]).iter());
                continue;
            }
        };
        match character {
            'u' => units.push(unit(&mut characters)?),
            't' => units.push(9),
            'n' => units.push(10),
            'f' => units.push(12),
            'r' => units.push(13),
            _ => units.extend(character.encode_utf16(&mut [0; 2]).iter()),
        }
    }
    String::from_utf16(&units).ok()
}

fn unit(characters: &mut std::str::Chars<'_>) -> Option<u16> {
    let mut unit = 0;
    for _ in 0..4 {
        let digit = characters.next()?.to_digit(16)?;
        unit = unit * 16 + u16::try_from(digit).ok()?;
    }
    Some(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String, usize)> {
        let entries = read(text).expect("properties");
        entries
            .into_iter()
            .map(|entry| (entry.key, entry.value, entry.line))
            .collect()
    }

    fn pair(text: &str) -> (String, String) {
        let (key, value, _) = pairs(text).remove(0);
        (key, value)
    }

    /// What `java.util.Properties` documents.
    #[test]
    fn reads_what_java_reads() {
        for text in [
            "a=b",
            "a:b",
            "a b",
            " a = b",
            "a\t:\tb",
            "\u{c}a=b",
            "a=b\r\n",
            "a=\\\n   b",
            "a\\\n=b",
            "\\a=\\b",
            "\\u0061=\\u0062",
        ] {
            assert_eq!(pair(text), ("a".into(), "b".into()), "{text:?}");
        }
        assert_eq!(pair("a"), ("a".into(), String::new()));
        assert_eq!(pair("a==b "), ("a".into(), "=b ".into()));
        assert_eq!(pair(r"a\:\ b\=c=d"), ("a: b=c".into(), "d".into()));
        assert_eq!(pair(r"a=\t\n\r\f\\"), ("a".into(), "\t\n\r\u{c}\\".into()));
        assert_eq!(pair(r"a=\ud83d\ude00"), ("a".into(), "\u{1f600}".into()));
        assert_eq!(pair("a=b\\\\\nc=d"), ("a".into(), "b\\".into()));
        assert_eq!(pair("a=b\\"), ("a".into(), "b".into()));
        assert_eq!(pair("a=b#c"), ("a".into(), "b#c".into()));
    }

    #[test]
    fn names_the_line_on_which_a_property_begins() {
        let text = "# one\n\n! two\na=1\\\n2\nb=3\n  # comment\nc=4";
        let lines: Vec<usize> = pairs(text).into_iter().map(|(_, _, line)| line).collect();
        assert_eq!(lines, [4, 6, 8]);
        // A comment does not go on.
        assert_eq!(pairs("# a \\\nb=1").len(), 1);
    }

    #[test]
    fn refuses_escapes_that_java_refuses() {
        for text in ["a=\\u12", "a=\\u00zz", "\\u=b", "a=\\ud83d"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
