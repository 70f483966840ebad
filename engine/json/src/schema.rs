//! The JSON Schema of what is written (feature `schema`).

use std::borrow::Cow;

use gbac_engine::Coded;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::code::{Code, union};

impl<T: Coded> JsonSchema for Code<T> {
    fn schema_name() -> Cow<'static, str> {
        union::<T>().0.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": union::<T>().1, "enum": T::codes() })
    }
}

/// The settings of a policy, which the schema of policy documents describes.
pub(super) fn settings(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "policy.schema.json#/$defs/settings" })
}
