//! The types of the values of cluster properties, and what values of each type have in common.

use gbac_engine::escape::escaped;
use serde_json::Value;

/// The longest text of a value, in bytes.
const MAX_TEXT: usize = 4096;

/// The type of a property's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    Boolean,
    Integer,
    Seconds,
    String,
    Strings,
}

impl ValueType {
    /// The name in the schema.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer | Self::Seconds => "integer",
            Self::String => "string",
            Self::Strings => "array",
        }
    }

    /// The message for a value of another type.
    pub(super) const fn mismatch(self) -> &'static str {
        match self {
            Self::Boolean => "expected type boolean",
            Self::Integer => "expected type integer",
            Self::Seconds => "expected type integer, 0 to 86400",
            Self::String => "expected type string",
            Self::Strings => "expected type array of strings",
        }
    }

    /// A value whose scalars are written in another way, as YAML reads them: `"true"` and `true`,
    /// and `"30"` and `30`, are the same. Other values stay as they are.
    pub(super) fn coerced(self, value: &Value) -> Value {
        match (self, value) {
            (Self::Boolean, Value::String(text)) => match text.as_str() {
                "true" | "True" | "TRUE" => true.into(),
                "false" | "False" | "FALSE" => false.into(),
                _ => value.clone(),
            },
            (Self::Integer | Self::Seconds, Value::String(text)) => match text.parse::<i64>() {
                Ok(number) => number.into(),
                Err(_) => value.clone(),
            },
            (Self::String, value) => text_of(value),
            (Self::Strings, Value::Array(items)) => items.iter().map(text_of).collect(),
            _ => value.clone(),
        }
    }
}

/// A scalar as a text.
fn text_of(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.to_string().into(),
        Value::Bool(boolean) => boolean.to_string().into(),
        other => other.clone(),
    }
}

/// Rejects control characters and very long values.
pub(super) fn printable(text: &str) -> Result<&str, String> {
    if let Some(found) = text.chars().find(|found| found.is_control()) {
        return Err(format!(
            "`{}` contains the control character U+{:04X}",
            escaped(text),
            u32::from(found)
        ));
    }
    let bytes = text.len();
    if bytes <= MAX_TEXT {
        Ok(text)
    } else {
        Err(format!(
            "the value has {bytes} bytes; the maximum is {MAX_TEXT}"
        ))
    }
}
