//! The content security policy of the console: its own files, its own origin, and the inline
//! scripts of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The policy for a page: scripts of this origin, WebAssembly, and exactly the inline scripts of
/// the page.
pub(super) fn policy(page: &str) -> String {
    let mut hashes = String::new();
    for script in inline_scripts(page) {
        let digest = Sha256::digest(script.replace("\r\n", "\n"));
        hashes.push_str(&format!(" 'sha256-{}'", STANDARD.encode(digest)));
    }
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{hashes}; style-src 'self'; connect-src 'self'; \
         img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The content of the `<script>` elements without `src`.
fn inline_scripts(page: &str) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        rest = rest.get(start..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("<!--") {
            (_, rest) = comment.split_once("-->").unwrap_or_default();
        } else if let Some(tag) = strip_name(rest, "<script") {
            let (attributes, after) = split_tag(tag);
            let end = find_ignoring_case(after, "</script").unwrap_or(after.len());
            let (content, after) = after.split_at(end);
            if !has_attribute(attributes, "src") && !content.is_empty() {
                scripts.push(content);
            }
            rest = after;
        } else {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    scripts
}

/// The rest after the name of a tag, if it is this tag.
fn strip_name<'p>(text: &'p str, name: &str) -> Option<&'p str> {
    let (head, tail) = text.split_at_checked(name.len())?;
    let ends = tail.starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'));
    (head.eq_ignore_ascii_case(name) && ends).then_some(tail)
}

/// Splits the rest of a tag at its `>`, ignoring those in quotes.
fn split_tag(tag: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in tag.char_indices() {
        match (quote, c) {
            (None, '>') => {
                return (
                    tag.get(..at).unwrap_or_default(),
                    tag.get(at + 1..).unwrap_or_default(),
                );
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    (tag, "")
}

/// Whether a tag has an attribute with this name.
fn has_attribute(attributes: &str, name: &str) -> bool {
    let mut names = String::new();
    let mut quote = None;
    for c in attributes.chars() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, c) => names.push(c),
            (Some(_), _) => {}
        }
    }
    names
        .split(|c: char| c.is_ascii_whitespace() || c == '/')
        .any(|word| {
            let word = word.split('=').next().unwrap_or_default();
            word.eq_ignore_ascii_case(name)
        })
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    for (at, _) in text.char_indices() {
        if let Some(found) = text.get(at..at + wanted.len())
            && found.eq_ignore_ascii_case(wanted)
        {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_found() {
        let page = "<!doctype html><head><!-- <script>no</script> -->\
            <script src=\"a.js\"></script><SCRIPT type=\"module\" data-x='a > src=b'>\nlet a = 1 < 2;\n</SCRIPT>\
            <scripted>no</scripted><script>if (x) y()</script><script defer src=z></script><script></script>";
        assert_eq!(inline_scripts(page), ["\nlet a = 1 < 2;\n", "if (x) y()"]);
        assert_eq!(inline_scripts("<script>open"), ["open"]);
        assert!(inline_scripts("<script").is_empty());
    }

    #[test]
    fn the_policy_contains_the_hash_of_each_script() {
        // The example of the CSP specification: `alert('Hello, world.');`
        assert_eq!(
            policy("<script>alert('Hello, world.');</script>"),
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' \
             'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='; style-src 'self'; connect-src 'self'; \
             img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
        );
        assert!(policy("<p>").contains("script-src 'self' 'wasm-unsafe-eval';"));
    }
}
