//! What an import reads of a JSON object: every member is known and has its type, or is an
//! unreadable entry.

use gbac_engine::escape::escaped;
use serde_json::{Map, Value};

use super::ImportedText;

pub(super) type Object = Map<String, Value>;

/// An object of the input, at its place.
pub(super) struct Entry<'v> {
    object: &'v Object,
    place: String,
    /// Whether every member was known and had its type so far.
    is_whole: bool,
}

impl<'v> Entry<'v> {
    /// Reads a value as an object with these members; `what` names the object in an error. Other
    /// members are reported.
    pub(super) fn from_value(
        value: &'v Value,
        known: &[&str],
        place: impl Into<String>,
        what: &str,
        read: &mut ImportedText,
    ) -> Option<Self> {
        let place = place.into();
        match value {
            Value::Object(object) => Some(Self::new(object, known, place, read)),
            _ => {
                read.refuse(place, "wrong_type", format!("expected an object, {what}"));
                None
            }
        }
    }

    /// An object with these members. Others are reported.
    pub(super) fn new(
        object: &'v Object,
        known: &[&str],
        place: impl Into<String>,
        read: &mut ImportedText,
    ) -> Self {
        let mut entry = Self {
            object,
            place: place.into(),
            is_whole: true,
        };
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            let pointer = name.replace('~', "~0").replace('/', "~1");
            entry.refuse(
                &pointer,
                "unknown_member",
                format!("`{}` is an unknown field", escaped(name)),
                read,
            );
        }
        entry
    }

    /// Whether every member was known, and those read so far had their type.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether the object has a member that is not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Whether the object states a member, be it null.
    pub(super) fn is_stated(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// The place of a member, or of what a JSON Pointer names in it.
    pub(super) fn place_of(&self, pointer: &str) -> String {
        format!("{}/{pointer}", self.place)
    }

    /// A member of any type that is not null.
    pub(super) fn value(&self, name: &str) -> Option<&'v Value> {
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// Reports a member.
    pub(super) fn refuse(
        &mut self,
        name: &str,
        code: &'static str,
        message: impl Into<String>,
        read: &mut ImportedText,
    ) {
        read.refuse(self.place_of(name), code, message);
        self.is_whole = false;
    }

    /// A string, which may be absent or null.
    pub(super) fn text(&mut self, name: &str, read: &mut ImportedText) -> Option<&'v str> {
        match self.object.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(_) => {
                self.refuse(name, "wrong_type", "expected a string", read);
                None
            }
        }
    }

    /// A boolean, which may be absent or null.
    pub(super) fn flag(&mut self, name: &str, read: &mut ImportedText) -> bool {
        match self.object.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(is_set)) => *is_set,
            Some(_) => {
                self.refuse(name, "wrong_type", "expected `true` or `false`", read);
                false
            }
        }
    }

    /// An array, which may be absent or null.
    pub(super) fn list(&mut self, name: &str, read: &mut ImportedText) -> &'v [Value] {
        match self.object.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(values)) => values,
            Some(_) => {
                self.refuse(name, "wrong_type", "expected an array", read);
                &[]
            }
        }
    }

    /// An object, which may be absent or null.
    pub(super) fn object(
        &mut self,
        name: &str,
        known: &[&str],
        read: &mut ImportedText,
    ) -> Option<Self> {
        let entry = Self::from_value(
            self.value(name)?,
            known,
            self.place_of(name),
            &format!("`{name}`"),
            read,
        );
        self.is_whole &= entry.is_some();
        entry
    }

    /// Reports a member in which a tool says that something is missing, unless it is empty.
    pub(super) fn expect_silence(
        &mut self,
        name: &str,
        code: &'static str,
        read: &mut ImportedText,
    ) {
        let Some(value) = self.value(name).filter(|value| *value != "") else {
            return;
        };
        let said = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        read.refuse(
            self.place.as_str(),
            code,
            format!("the list says: `{}`", escaped(&said)),
        );
        self.is_whole = false;
    }
}
