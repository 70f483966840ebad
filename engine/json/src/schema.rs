//! The JSON Schema of what is written (feature `schema`).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::code::{Code, InUnion, Union};
use super::tables::ProblemCode;

impl<T: InUnion> JsonSchema for Code<T> {
    fn schema_name() -> Cow<'static, str> {
        T::union().name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let Union { docs, names, .. } = T::union();
        let description: Vec<&str> = docs.iter().map(|line| line.trim()).collect();
        json_schema!({ "type": "string", "description": description.join("\n"), "enum": names })
    }
}

impl JsonSchema for ProblemCode {
    fn schema_name() -> Cow<'static, str> {
        Code::<Self>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Code::<Self>::json_schema(generator)
    }
}

/// The settings of a policy, which the schema of policy documents describes.
pub(super) fn settings(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": "policy.schema.json#/$defs/settings" })
}
