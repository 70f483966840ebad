//! Percent-encoding of names in paths and queries (RFC 3986; queries also in the format of HTML
//! forms).

use std::fmt;

use gbac_engine::escape::escaped;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The error of a path segment or query that is not valid percent-encoded UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError(pub(crate) String);

impl DecodeError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "percent_encoding"
    }

    /// The recommended correction.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        "write `%` and two hexadecimal digits for each byte of the UTF-8 text, and `%25` for the character itself"
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not percent-encoded UTF-8", escaped(&self.0))
    }
}

impl std::error::Error for DecodeError {}

/// Encodes a name as one path segment or one query value: everything but the unreserved characters
/// of RFC 3986.
///
/// ```
/// assert_eq!(gbac_api::encode::component("Group:/a b+c"), "Group%3A%2Fa%20b%2Bc");
/// ```
#[must_use]
pub fn component(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Joins names and values to a query with its `?`; empty without pairs.
#[must_use]
pub fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        out.push(if out.is_empty() { '?' } else { '&' });
        out.push_str(&component(name));
        out.push('=');
        out.push_str(&component(&value));
    }
    out
}

/// Decodes one path segment. `+` is not a space.
///
/// # Errors
/// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
pub fn decode(segment: &str) -> Result<String, DecodeError> {
    match percent_decode_str(segment).decode_utf8() {
        // The library keeps a `%` without digits.
        Ok(text) if segment.split('%').skip(1).all(has_digits) => Ok(text.into_owned()),
        _ => Err(DecodeError(segment.into())),
    }
}

fn has_digits(after: &str) -> bool {
    matches!(after.as_bytes(), [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Decodes a query without its `?` to its pairs, in order. `+` is a space.
///
/// # Errors
/// The first name or value that cannot be decoded.
pub fn parse_query(text: &str) -> Result<Vec<(String, String)>, DecodeError> {
    let mut pairs = Vec::new();
    for pair in text.split('&') {
        if !pair.is_empty() {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(&name.replace('+', " "))?;
            pairs.push((name, decode(&value.replace('+', " "))?));
        }
    }
    Ok(pairs)
}

/// The first value with a name.
#[must_use]
pub fn first_value<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let (_, value) = pairs.iter().find(|(known, _)| known == name)?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "Group:/departments/eng",
            "a b+c",
            "100%",
            "日本 ?&=#;",
            "\u{0}\u{7f}",
            "",
            "%2F",
        ] {
            assert_eq!(decode(&component(name)).unwrap(), name);
            let written = query([("filter.principal", name.to_owned()), ("x", String::new())]);
            let read = parse_query(written.strip_prefix('?').unwrap()).unwrap();
            assert_eq!(
                read,
                [
                    ("filter.principal".to_owned(), name.to_owned()),
                    ("x".into(), String::new())
                ]
            );
        }
    }

    #[test]
    fn a_plus_is_a_blank_in_a_query_only() {
        assert_eq!(decode("a+b").unwrap(), "a+b");
        assert_eq!(
            parse_query("a+b=c+d&&e").unwrap(),
            [("a b".into(), "c d".into()), ("e".into(), String::new())]
        );
    }

    #[test]
    fn invalid_encodings_are_refused() {
        for text in ["%", "%4", "%zz", "%ff", "a%c3"] {
            assert_eq!(
                decode(text).unwrap_err().code(),
                "percent_encoding",
                "{text}"
            );
        }
        assert_eq!(
            decode("%zz").unwrap_err().to_string(),
            "`%zz` is not percent-encoded UTF-8"
        );
    }
}
