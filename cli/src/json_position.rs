//! The line of a value in a JSON document, by its JSON Pointer.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Deserializer;

/// The line, from 1, on which the value of a pointer begins; `None` if the text is not JSON or has
/// no such value.
pub(crate) fn line_of(text: &str, pointer: &str) -> Option<usize> {
    let mut rest = text.trim_start();
    for part in pointer.split('/').skip(1) {
        rest = member(rest, &part.replace("~1", "/").replace("~0", "~"))?;
    }
    value::<IgnoredAny>(rest)?;
    let before = text.get(..text.len() - rest.len())?;
    Some(before.matches('\n').count() + 1)
}

/// The text from a member of an object, or an element of an array, with which a text begins.
fn member<'t>(text: &'t str, part: &str) -> Option<&'t str> {
    let (mut rest, is_object) = match text.strip_prefix('{') {
        Some(rest) => (rest.trim_start(), true),
        None => (text.strip_prefix('[')?.trim_start(), false),
    };
    let wanted: Option<usize> = part.parse().ok();
    for place in 0.. {
        let mut is_wanted = wanted == Some(place);
        if is_object {
            let (name, after) = value::<String>(rest)?;
            rest = after.strip_prefix(':')?.trim_start();
            is_wanted = name == part;
        }
        if is_wanted {
            return Some(rest);
        }
        let (_, after) = value::<IgnoredAny>(rest)?;
        rest = after.strip_prefix(',')?.trim_start();
    }
    None
}

/// The value with which a text begins, and the text after it.
fn value<T: DeserializeOwned>(text: &str) -> Option<(T, &str)> {
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_each_value_is_found() {
        let text =
            "{\n \"a~/\": [1, {\"x\": \"}\\\"\"},\n  [[2],\n 3]],\n \"b\": {\"c\":\n true}\n}";
        for (pointer, line) in [
            ("", Some(1)),
            ("/a~0~1", Some(2)),
            ("/a~0~1/1/x", Some(2)),
            ("/a~0~1/2", Some(3)),
            ("/a~0~1/2/1", Some(4)),
            ("/b/c", Some(6)),
            ("/b/d", None),
            ("/a~0~1/9", None),
            ("/b/c/d", None),
        ] {
            assert_eq!(line_of(text, pointer), line, "{pointer}");
        }
        for broken in ["", "{", "[1", "{\"a\"}", "a: 1", "{\"b\": ?}"] {
            assert_eq!(line_of(broken, "/a"), None, "{broken}");
        }
    }
}
