//! Writes the JSON of a response as a message, one entry of a list at a time, because the messages
//! of a long list take many times its size (D-128).

use std::borrow::Cow;
use std::fmt;

use prost::{Message, encode_length_delimiter};
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, SerializeOptions};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// How the messages of a call are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Json,
    Binary,
}

/// The wire type of texts and messages.
const DELIMITED: usize = 2;

/// Writes JSON of a handler as a message, without fields that have their default; JSON as Connect
/// has it.
///
/// # Errors
/// It is no such message.
pub(super) fn write_message(
    kind: MessageDescriptor,
    json: &[u8],
    codec: Codec,
    out: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_slice(json);
    MessageWriter { kind, codec, out }.deserialize(&mut json)?;
    json.end()
}

/// Writes a message.
struct MessageWriter<'o> {
    kind: MessageDescriptor,
    codec: Codec,
    out: &'o mut Vec<u8>,
}

/// Writes the messages of a list.
struct ListWriter<'w, 'o> {
    message: &'w mut MessageWriter<'o>,
    field: &'w FieldDescriptor,
    entry: MessageDescriptor,
}

impl MessageWriter<'_> {
    /// Begins a field in JSON.
    fn name(&mut self, field: &FieldDescriptor) {
        self.separate(b'{');
        self.out.push(b'"');
        self.out.extend(field.json_name().as_bytes());
        self.out.extend(b"\":");
    }

    /// Separates a part from the one before it, if there is one behind this bracket.
    fn separate(&mut self, bracket: u8) {
        if self.out.last() != Some(&bracket) {
            self.out.push(b',');
        }
    }

    /// Writes a field that contains a message, in binary.
    fn delimited(
        &mut self,
        field: &FieldDescriptor,
        content: &[u8],
    ) -> Result<(), prost::EncodeError> {
        let number = usize::try_from(field.number()).unwrap_or_default();
        // Keys and lengths are written alike.
        encode_length_delimiter(number << 3 | DELIMITED, self.out)?;
        encode_length_delimiter(content.len(), self.out)?;
        self.out.extend(content);
        Ok(())
    }

    /// Writes a field whose value is complete.
    fn value<E: Error>(&mut self, name: &str, value: Value) -> Result<(), E> {
        let one = Map::from_iter([(name.to_owned(), value)]);
        let one = DynamicMessage::deserialize(self.kind.clone(), Value::Object(one))
            .map_err(E::custom)?;
        match self.codec {
            Codec::Binary => one.encode(self.out).map_err(E::custom),
            Codec::Json => {
                let text = json::<E>(&one)?;
                // Without its braces; nothing is left of a default.
                if let [_, fields @ .., _] = text.as_slice()
                    && !fields.is_empty()
                {
                    self.separate(b'{');
                    self.out.extend(fields);
                }
                Ok(())
            }
        }
    }
}

fn json<E: Error>(message: &DynamicMessage) -> Result<Vec<u8>, E> {
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::new(&mut text);
    message
        .serialize_with_options(&mut serializer, &SerializeOptions::new())
        .map_err(E::custom)?;
    Ok(text)
}

impl<'de> DeserializeSeed<'de> for MessageWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MessageWriter<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<(), A::Error> {
        if self.codec == Codec::Json {
            self.out.push(b'{');
        }
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            let field = self
                .kind
                .get_field_by_name(&name)
                .ok_or_else(|| A::Error::custom("an unknown field"))?;
            match field.kind() {
                Kind::Message(entry) if field.is_list() => {
                    fields.next_value_seed(ListWriter {
                        message: &mut self,
                        field: &field,
                        entry,
                    })?;
                }
                Kind::Message(kind) if !kind.full_name().starts_with("google.") => {
                    let (codec, mut inner) = (self.codec, Vec::new());
                    fields.next_value_seed(MessageWriter {
                        kind,
                        codec,
                        out: &mut inner,
                    })?;
                    if codec == Codec::Binary {
                        self.delimited(&field, &inner).map_err(A::Error::custom)?;
                    } else {
                        self.name(&field);
                        self.out.extend(inner);
                    }
                }
                _ => {
                    let value = fields.next_value()?;
                    self.value(&name, value)?;
                }
            }
        }
        if self.codec == Codec::Json {
            self.out.push(b'}');
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for ListWriter<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListWriter<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut is_empty = true;
        while let Some(entry) = entries.next_element_seed(self.entry.clone())? {
            if self.message.codec == Codec::Binary {
                self.message
                    .delimited(self.field, &entry.encode_to_vec())
                    .map_err(A::Error::custom)?;
                continue;
            }
            if is_empty {
                self.message.name(self.field);
                self.message.out.push(b'[');
                is_empty = false;
            }
            self.message.separate(b'[');
            self.message.out.extend(json::<A::Error>(&entry)?);
        }
        if !is_empty {
            self.message.out.push(b']');
        }
        Ok(())
    }
}
