//! The values of properties: each is taken once, and what is left is not used.

use std::collections::BTreeMap;

use super::fault::{NoteReason, PropertyError, PropertyFault, PropertyNote};
use super::keys;
use super::syntax::Entry;

/// A value and the line of its property.
#[derive(Clone)]
pub(super) struct Value {
    pub(super) key: &'static str,
    pub(super) text: String,
    line: usize,
}

impl Value {
    /// The value is wrong.
    pub(super) fn fault(&self, fault: PropertyFault) -> PropertyError {
        PropertyError {
            line: self.line,
            key: self.key.to_owned(),
            fault,
        }
    }

    /// The value is not what is expected; for values that are not secret.
    pub(super) fn expected(&self, expected: &'static str) -> PropertyError {
        self.fault(PropertyFault::Value {
            value: self.text.clone(),
            expected,
        })
    }

    /// Kafka has this value, and this program does not.
    pub(super) fn unsupported(&self, instead: &'static str) -> PropertyError {
        self.fault(PropertyFault::Unsupported {
            value: self.text.clone(),
            instead,
        })
    }

    /// A note about it.
    pub(super) fn note(&self, reason: NoteReason) -> PropertyNote {
        PropertyNote {
            line: self.line,
            key: self.key.to_owned(),
            reason,
        }
    }
}

/// The properties that are not yet taken.
pub(super) struct Values {
    left: BTreeMap<String, Entry>,
    taken: Vec<&'static str>,
    pub(super) notes: Vec<PropertyNote>,
}

impl Values {
    /// As in Java, a later line sets a property again.
    pub(super) fn new(entries: Vec<Entry>) -> Self {
        let mut left: BTreeMap<String, Entry> = BTreeMap::new();
        let mut notes = Vec::new();
        for entry in entries {
            if let Some(earlier) = left.insert(entry.key.clone(), entry) {
                notes.push(PropertyNote {
                    line: earlier.line,
                    key: earlier.key,
                    reason: NoteReason::SetAgain,
                });
            }
        }
        Self {
            left,
            taken: Vec::new(),
            notes,
        }
    }

    /// Takes a value. Blanks around it do not count, as in Kafka; an empty value is none, except
    /// for keys that [`Values::take_any`] reads.
    pub(super) fn take(&mut self, key: &'static str) -> Result<Option<Value>, PropertyError> {
        let value = self.take_any(key)?;
        Ok(value.filter(|value| !value.text.is_empty()))
    }

    /// Takes a value that can be empty.
    pub(super) fn take_any(&mut self, key: &'static str) -> Result<Option<Value>, PropertyError> {
        self.taken.push(key);
        let Some(entry) = self.left.remove(key) else {
            return Ok(None);
        };
        let value = Value {
            key,
            text: entry.value.trim().to_owned(),
            line: entry.line,
        };
        if let Some(character) = entry.foreign {
            return Err(value.fault(PropertyFault::NotAscii(character)));
        }
        match is_provided(&value.text) {
            true => Err(value.fault(PropertyFault::Provider)),
            false => Ok(Some(value)),
        }
    }

    /// Says that properties are not used, if they are there.
    pub(super) fn ignore(&mut self, keys: &[&'static str]) {
        self.taken.extend(keys);
    }

    /// A property that must be there is missing.
    pub(super) fn missing(key: &'static str, fault: PropertyFault) -> PropertyError {
        PropertyError {
            line: 0,
            key: key.to_owned(),
            fault,
        }
    }

    /// What has not been taken, in the order of the lines, with what was found on the way.
    pub(super) fn finish(mut self) -> Vec<PropertyNote> {
        for (key, entry) in self.left {
            let reason = match self.taken.contains(&key.as_str()) || keys::is_not_used(&key) {
                true => NoteReason::NotUsed,
                false => NoteReason::UnknownKey(keys::nearest(&key, &self.taken)),
            };
            self.notes.push(PropertyNote {
                line: entry.line,
                key,
                reason,
            });
        }
        self.notes.sort_by_key(|note| note.line);
        self.notes
    }
}

/// Whether a value contains `${provider:...}`.
fn is_provided(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("${") {
        if let Some((inner, _)) = after.split_once('}')
            && let Some((provider, _)) = inner.split_once(':')
            && !provider.is_empty()
            && provider
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        {
            return true;
        }
        rest = after;
    }
    false
}
