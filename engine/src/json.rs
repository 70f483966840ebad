//! Strict JSON (RFC 8259): one value, no duplicate members, no byte order mark.
//!
//! Duplicate members are refused (D-19): with `{"groups":["a"],"groups":["admin"]}`, some programs
//! use the first member and some the last, so that the signer of a token and its reader could
//! disagree.

use std::cell::RefCell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::escape::{escaped, push_visible};

/// The maximum nesting of arrays and objects.
pub const MAX_DEPTH: usize = 127;

/// The kind of a JSON error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is not valid JSON, or continues after the value.
    Syntax,
    /// The text ends in the middle of the value.
    Unfinished,
    /// A member of an object appears twice.
    DuplicateMember,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A number is out of the range of an IEEE 754 double, such as `1e400`.
    NumberOutOfRange,
    /// The text starts with a byte order mark.
    ByteOrderMark,
}

/// Why a JSON text is refused, with the position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    kind: JsonErrorKind,
    /// Without the position.
    message: String,
    line: usize,
    column: usize,
}

codes! {
    pub JsonErrorKind {
        Self::Syntax => "json_syntax",
        Self::Unfinished => "json_unfinished",
        Self::DuplicateMember => "duplicate_member",
        Self::TooDeep => "json_too_deep",
        Self::NumberOutOfRange => "number_out_of_range",
        Self::ByteOrderMark => "byte_order_mark",
    }
}

codes! {
    pub JsonError {} of {
        Self { kind, .. } => kind: JsonErrorKind,
    }
}

impl JsonError {
    fn duplicate(name: &str, line: usize, column: usize) -> Self {
        let message = format!("the member {} appears twice", quote(name));
        Self {
            kind: JsonErrorKind::DuplicateMember,
            message,
            line,
            column,
        }
    }

    /// The kind of the error.
    #[must_use]
    pub const fn kind(&self) -> JsonErrorKind {
        self.kind
    }

    /// The line of the error, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The column of the error in characters, from 1; 0 if the error is at the end of the line
    /// before.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.column
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self.kind {
            JsonErrorKind::Syntax => {
                "strict JSON has double quotes, no comments, no comma after the last item, and one value"
            }
            JsonErrorKind::Unfinished => {
                "the end is missing; check whether the text was cut off when it was copied"
            }
            JsonErrorKind::DuplicateMember => {
                "remove one of the two; programs disagree about which one counts"
            }
            JsonErrorKind::TooDeep => "reduce the nesting; no token or policy needs it",
            JsonErrorKind::NumberOutOfRange => "write a number below 1.8e308",
            JsonErrorKind::ByteOrderMark => "save the text as UTF-8 without a byte order mark",
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at line {} column {}",
            self.message, self.line, self.column
        )
    }
}

impl std::error::Error for JsonError {}

/// Parses one JSON value strictly.
///
/// # Errors
/// The text is not exactly one JSON value, has a duplicate member in an object at any depth
/// (compared after decoding escapes), more than [`MAX_DEPTH`] levels, a number out of range, or a
/// byte order mark.
///
/// ```
/// use gbac_engine::json;
/// assert!(json::parse(r#"{"groups": ["a"]}"#).is_ok());
/// let error = json::parse(r#"{"groups": ["a"], "gr\u006fups": ["admin"]}"#).unwrap_err();
/// assert_eq!(error.code(), "duplicate_member");
/// ```
pub fn parse(text: &str) -> Result<Value, JsonError> {
    if text.starts_with('\u{feff}') {
        let message = "the text starts with a byte order mark".to_owned();
        return Err(JsonError {
            kind: JsonErrorKind::ByteOrderMark,
            message,
            line: 1,
            column: 1,
        });
    }
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Strict {
        duplicate: &duplicate,
    }
    .deserialize(&mut reader);
    match (
        value.and_then(|value| reader.end().map(|()| value)),
        duplicate.into_inner(),
    ) {
        (Ok(value), None) => Ok(value),
        (Err(error), duplicate) => Err(describe(text, &error, duplicate)),
        // A duplicate name without a value, as in `{"a":1,"a"}`: the parser reported no error, so
        // the position is unknown.
        (Ok(_), Some(name)) => Err(JsonError::duplicate(&name, 1, 0)),
    }
}

/// The maximum length of input that a message quotes, in characters.
const MAX_QUOTED: usize = 80;

/// Quotes input for a message: in backticks, with hidden characters escaped, and cut after
/// 80 characters.
///
/// ```
/// use gbac_engine::json::quote;
/// assert_eq!(quote("team\u{200b}"), r"`team\u{200b}`");
/// ```
#[must_use]
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("`");
    for (count, character) in text.chars().enumerate() {
        if count == MAX_QUOTED {
            quoted.push('…');
            break;
        }
        push_visible(&mut quoted, character);
    }
    quoted.push('`');
    quoted
}

/// A value on one line, without the elements of arrays and the members of objects.
///
/// ```
/// use gbac_engine::json::{brief, parse};
/// assert_eq!(brief(&parse("[1, 2]")?), "[…]");
/// # Ok::<(), gbac_engine::json::JsonError>(())
/// ```
#[must_use]
pub fn brief(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => format!("\"{}\"", escaped(value)),
        Value::Array(_) => "[…]".into(),
        Value::Object(_) => "{…}".into(),
    }
}

fn describe(text: &str, error: &serde_json::Error, duplicate: Option<String>) -> JsonError {
    let line = error.line();
    // serde_json counts bytes; the column is in characters.
    let before = text
        .split('\n')
        .nth(line.saturating_sub(1))
        .and_then(|line| line.get(..error.column()));
    // The parser stopped at the colon after the name.
    let before = before.map(|before| match duplicate {
        Some(_) => before.trim_end_matches(':').trim_end(),
        None => before,
    });
    let column = before.map_or(error.column(), |before| before.chars().count());
    let full = error.to_string();
    let position = format!(" at line {line} column {}", error.column());
    let message = full.strip_suffix(&position).unwrap_or(&full);
    if let Some(name) = duplicate {
        return JsonError::duplicate(&name, line, column);
    }
    let (kind, message) = if message == "recursion limit exceeded" {
        (
            JsonErrorKind::TooDeep,
            format!("more than {MAX_DEPTH} levels of arrays and objects"),
        )
    } else if message == "number out of range" {
        (JsonErrorKind::NumberOutOfRange, message.to_owned())
    } else if error.is_eof() {
        (
            JsonErrorKind::Unfinished,
            "the JSON text ends too early".to_owned(),
        )
    } else {
        (JsonErrorKind::Syntax, format!("not JSON: {message}"))
    };
    JsonError {
        kind,
        message,
        line,
        column,
    }
}

/// Builds a [`Value`] and stops at the first duplicate member, whose name it stores in `duplicate`.
/// A custom serde error would add 2 KB of wasm. Callers must check `duplicate`.
#[derive(Clone, Copy)]
struct Strict<'d> {
    duplicate: &'d RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // The parser has refused numbers that are not finite.
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if members.contains_key(&name) {
                self.duplicate.borrow_mut().get_or_insert(name);
                return Ok(Value::Null);
            }
            let value = access.next_value_seed(self)?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn code(text: &str) -> &'static str {
        parse(text).expect_err(text).code()
    }

    #[test]
    fn reads_every_kind_of_value() {
        let text = r#" {"a": [null, true, false, 0, -1, 18446744073709551615, 1.5, 1e3, "\u00e9\ud83d\ude00"], "": {}} "#;
        let expected = json!({"a": [null, true, false, 0, -1, u64::MAX, 1.5, 1e3, "é😀"], "": {}});
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn duplicates_are_reported_with_their_position() {
        let error = parse("{\n \"é\": {\"x\": 1,\n  \"x\": 2}}").unwrap_err();
        assert_eq!(error.kind(), JsonErrorKind::DuplicateMember);
        assert_eq!(
            error.to_string(),
            "the member `x` appears twice at line 3 column 5"
        );
        assert!(!error.hint().is_empty());
    }

    #[test]
    fn duplicates_are_refused_at_every_depth_and_after_escapes() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"[{"a":{"b":[{"c":1,"d":2,"c":3}]}}]"#,
            r#"{"groups":[],"gr\u006fups":["admin"]}"#,
            r#"{"":1,"":2}"#,
            r#"{"a":1,"b":2,"a":"#,
            r#"{"a":1,"a"}"#,
            r#"{"b":{"a":1,"a"},"c":2}"#,
        ] {
            assert_eq!(code(text), "duplicate_member", "{text}");
        }
        assert!(parse(r#"{"a":{"a":{"a":1}},"A":[{"a":1},{"a":2}]}"#).is_ok());
        // Different code points, although they look the same (RFC 8259 section 8.3).
        assert!(parse(r#"{"é":1,"e\u0301":2}"#).is_ok());
    }

    #[test]
    fn refuses_what_is_not_exactly_one_value() {
        for text in [
            "{} {}", "{}x", "nil", "{a:1}", "{'a':1}", "[1,]", "01", "NaN", "Infinity", "\"\t\"",
            "\u{a0}1",
        ] {
            assert_eq!(code(text), "json_syntax", "{text}");
        }
        for text in ["", " ", "-", "{", "[1", "\"a", "{\"a\":"] {
            assert_eq!(code(text), "json_unfinished", "{text}");
        }
        assert_eq!(code("\u{feff}{}"), "byte_order_mark");
        assert_eq!(code(r#""\ud800""#), "json_syntax");
    }

    #[test]
    fn numbers_stay_in_the_range_of_a_double() {
        assert_eq!(code(r#"{"exp":1e400}"#), "number_out_of_range");
        assert_eq!(code(r#"{"exp":-1e400}"#), "number_out_of_range");
        assert_eq!(parse("1e308").unwrap(), json!(1e308));
        assert_eq!(parse("1e-400").unwrap(), json!(0.0));
        let many = "9".repeat(400);
        assert_eq!(code(&many), "number_out_of_range");
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(code(&nested(MAX_DEPTH + 1)), "json_too_deep");
        assert_eq!(code(&nested(10_000)), "json_too_deep");
        assert_eq!(code(&"{\"a\":".repeat(10_000)), "json_too_deep");
    }

    #[test]
    fn quoted_input_is_short_and_printable() {
        assert_eq!(quote("a'b\"\\é"), "`a'b\"\\é`");
        assert_eq!(quote("\u{1b}[2J\n\u{202e}"), "`\\u{1b}[2J\\n\\u{202e}`");
        assert_eq!(quote(&"x".repeat(1000)).chars().count(), MAX_QUOTED + 3);
    }

    #[test]
    fn columns_count_characters() {
        let error = parse("[\"ééé\", x]").unwrap_err();
        assert_eq!((error.line(), error.column()), (1, 9));
    }

    /// A JSON value without duplicates, as text.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>()
                .prop_filter("finite", |f| f.is_finite())
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json_on_what_has_no_duplicates(value in value()) {
            // Not compared with `value`: without a feature of its own, serde_json may read the last
            // bit of a float wrong.
            let text = value.to_string();
            prop_assert_eq!(parse(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn accepts_nothing_that_serde_json_refuses(text in r#"[\[\]{}:,"a\\u0 1e.\-]{0,24}"#) {
            let lax = serde_json::from_str::<Value>(&text);
            match parse(&text) {
                Ok(value) => prop_assert_eq!(value, lax.unwrap()),
                Err(error) => prop_assert!(lax.is_err() || error.code() == "duplicate_member", "{}", error),
            }
        }

        #[test]
        fn never_panics(text in any::<String>()) {
            let _ = parse(&text).map_err(|error| (error.to_string(), error.hint()));
        }
    }
}
