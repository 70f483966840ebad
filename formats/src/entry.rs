//! What an import reads of a JSON object: every member is known and has its type, or is an
//! unreadable entry.

use gbac_engine::escape::escaped;
use gbac_json::pointer_part;
use serde_json::{Map, Value};

use crate::import::Reading;

pub(crate) type Object = Map<String, Value>;

/// An object of the input, at its place.
pub(crate) struct Entry<'v> {
    object: &'v Object,
    place: String,
    /// Whether every member was known and had its type so far.
    is_whole: bool,
}

impl<'v> Entry<'v> {
    /// Reads a value as an object with these members; `what` names the object in an error. Other
    /// members are reported.
    pub(crate) fn from_value(
        value: &'v Value,
        known: &[&str],
        place: impl Into<String>,
        what: &str,
        reading: &mut Reading<'_>,
    ) -> Option<Self> {
        let place = place.into();
        match value {
            Value::Object(object) => Some(Self::new(object, known, place, reading)),
            _ => {
                reading.refuse(place, "wrong_type", format!("expected an object, {what}"));
                None
            }
        }
    }

    /// An object with these members. Others are reported.
    pub(crate) fn new(
        object: &'v Object,
        known: &[&str],
        place: impl Into<String>,
        reading: &mut Reading<'_>,
    ) -> Self {
        let mut entry = Self {
            object,
            place: place.into(),
            is_whole: true,
        };
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            entry.refuse(
                &pointer_part(name),
                "unknown_member",
                format!("`{}` is an unknown field", escaped(name)),
                reading,
            );
        }
        entry
    }

    /// Whether every member was known, and those read so far had their type.
    pub(crate) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether the object has a member that is not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Whether the object states a member, be it null.
    pub(crate) fn is_stated(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// The place of a member, or of what a JSON Pointer names in it.
    pub(crate) fn place_of(&self, pointer: &str) -> String {
        format!("{}/{pointer}", self.place)
    }

    /// A member of any type that is not null.
    pub(crate) fn value(&self, name: &str) -> Option<&'v Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Reports a member.
    pub(crate) fn refuse(
        &mut self,
        name: &str,
        code: &'static str,
        message: impl Into<String>,
        reading: &mut Reading<'_>,
    ) {
        reading.refuse(self.place_of(name), code, message);
        self.is_whole = false;
    }

    /// A string, which may be absent or null.
    pub(crate) fn text(&mut self, name: &str, reading: &mut Reading<'_>) -> Option<&'v str> {
        match self.object.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(_) => {
                self.refuse(name, "wrong_type", "expected a string", reading);
                None
            }
        }
    }

    /// A boolean, which may be absent or null.
    pub(crate) fn flag(&mut self, name: &str, reading: &mut Reading<'_>) -> bool {
        match self.object.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(is_set)) => *is_set,
            Some(_) => {
                self.refuse(name, "wrong_type", "expected `true` or `false`", reading);
                false
            }
        }
    }

    /// An array, which may be absent or null.
    pub(crate) fn list(&mut self, name: &str, reading: &mut Reading<'_>) -> &'v [Value] {
        match self.object.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(values)) => values,
            Some(_) => {
                self.refuse(name, "wrong_type", "expected an array", reading);
                &[]
            }
        }
    }

    /// An object, which may be absent or null.
    pub(crate) fn object(
        &mut self,
        name: &str,
        known: &[&str],
        reading: &mut Reading<'_>,
    ) -> Option<Self> {
        let entry = Self::from_value(
            self.value(name)?,
            known,
            self.place_of(name),
            &format!("`{name}`"),
            reading,
        );
        self.is_whole &= entry.is_some();
        entry
    }

    /// The elements of an array, which may be absent or null, with their places.
    pub(crate) fn elements(
        &mut self,
        name: &str,
        reading: &mut Reading<'_>,
    ) -> impl Iterator<Item = (String, &'v Value)> + use<'v> {
        let place = self.place_of(name);
        let values = self.list(name, reading).iter().enumerate();
        values.map(move |(number, value)| (format!("{place}/{number}"), value))
    }

    /// The name under which an object has a member of two names, of which it may have only one.
    pub(crate) fn either(
        &mut self,
        name: &'static str,
        other: &'static str,
        reading: &mut Reading<'_>,
    ) -> &'static str {
        if !self.has(name) {
            return other;
        }
        if self.has(other) {
            let message = format!("`{name}` and `{other}` are the same field");
            self.refuse(other, "duplicate_member", message, reading);
        }
        name
    }

    /// Reports the members in which a tool says that something is missing, unless they are empty.
    pub(crate) fn expect_silence(&mut self, code: &'static str, reading: &mut Reading<'_>) {
        for name in ["message", "error"] {
            let Some(value) = self.value(name).filter(|value| *value != "") else {
                continue;
            };
            let said = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let message = format!("the list says: `{}`", escaped(&said));
            reading.refuse(self.place.as_str(), code, message);
            self.is_whole = false;
        }
    }

    /// Reports that a list has another page, which a member names.
    pub(crate) fn refuse_next_page(&mut self, name: &str, reading: &mut Reading<'_>) {
        let message = "the list has another page, which is missing";
        self.refuse(name, "list_incomplete", message, reading);
    }
}

/// A response with the members of its objects in snake case: clients of Protobuf write
/// `resourceType`. An object that has a member in both spellings stays what it is.
pub(crate) fn in_snake_case(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(in_snake_case).collect(),
        Value::Object(object) => {
            let renamed: Object = object
                .iter()
                .map(|(name, value)| (snake_case(name), in_snake_case(value)))
                .collect();
            if renamed.len() == object.len() {
                Value::Object(renamed)
            } else {
                value.clone()
            }
        }
        other => other.clone(),
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Whether a value names another page.
pub(crate) fn names_a_page(value: &Value) -> bool {
    !value.is_null() && value != ""
}
