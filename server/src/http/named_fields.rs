//! A deserializer that fills structs by field name only. By default, serde also fills them from
//! lists, by position.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A JSON value whose objects are not accepted as lists.
pub(super) struct NamedFields(pub(super) Value);

impl<'de> Deserializer<'de> for NamedFields {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Self)))
            }
            Value::Object(members) => visitor.visit_map(MapDeserializer::new(
                members.into_iter().map(|(name, value)| (name, Self(value))),
            )),
            scalar => scalar.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &"an object")),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for NamedFields {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use gbac_api::roles::UpdateRole;
    use gbac_api::security::{RoleMembers, WithRole};
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
        T::deserialize(NamedFields(value.clone())).map_err(|error| error.to_string())
    }

    #[test]
    fn lists_are_rejected_in_place_of_objects_at_any_depth() {
        for value in [
            json!([[]]),
            json!({ "add": [["User:a"]] }),
            json!({ "remove": [{ "principal": "x" }, []] }),
        ] {
            assert_eq!(
                read::<UpdateRole>(&value).unwrap_err(),
                "invalid type: sequence, expected an object",
                "{value}"
            );
        }
        for value in [
            json!({ "role": ["x", []] }),
            json!({ "role": { "members": [{ "user": ["a"] }] } }),
        ] {
            assert!(
                read::<WithRole>(&value)
                    .unwrap_err()
                    .contains("expected an object"),
                "{value}"
            );
        }
        let whole = json!({ "roleName": "r", "members": [{ "user": { "name": "a" } }, { "group": null }], "more": [[1]] });
        assert_eq!(
            read::<RoleMembers>(&whole),
            serde_json::from_value(whole.clone()).map_err(|error| error.to_string())
        );
    }
}
