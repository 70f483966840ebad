//! The messages of `server/proto`, by their compiled descriptors: from and to JSON and bytes
//! (D-95).

use std::sync::LazyLock;

use gbac_api::paths::{PLATFORM_SECURITY_SERVICE, SECURITY_SERVICE};
use gbac_engine::escape::escaped;
use prost::{Message, decode_length_delimiter};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, Kind, MethodDescriptor, ReflectMessage,
    SerializeOptions,
};
use serde_json::Value;

pub(super) use prost_reflect::MessageDescriptor;

static MESSAGES: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let compiled: &[u8] = include_bytes!("../../proto/descriptors.binpb");
    DescriptorPool::decode(compiled).unwrap_or_default()
});

/// How the names of fields are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldNames {
    /// As Connect does.
    LowerCamelCase,
    /// As in the `.proto` files, and in the REST API.
    SnakeCase,
}

/// The method of a path without its leading slash.
pub(super) fn method(service: &str, name: &str) -> Option<MethodDescriptor> {
    let service = if service == SECURITY_SERVICE {
        PLATFORM_SECURITY_SERVICE
    } else {
        service
    };
    MESSAGES
        .get_service_by_name(service)?
        .methods()
        .find(|method| method.name() == name)
}

/// Every method of every service.
#[cfg(any(test, feature = "fuzz"))]
pub(super) fn methods() -> impl Iterator<Item = MethodDescriptor> {
    MESSAGES
        .services()
        .flat_map(|service| service.methods().collect::<Vec<_>>())
}

/// A message that is no part of a method.
pub(super) fn message(name: &str) -> Option<MessageDescriptor> {
    MESSAGES.get_message_by_name(name)
}

/// The number of fields of a binary message; as many members with short names are a message of the
/// maximum size.
const MAX_FIELDS: usize = 100_000;

/// The message whose unknown fields are refused, because a filter without them matches more (D-94).
const FILTER: &str = "Filter";

/// The bytes of a message as JSON, without fields that have their default.
///
/// # Errors
/// They are no such message; the message says why.
pub(super) fn json_of_bytes(
    kind: MessageDescriptor,
    bytes: &[u8],
    names: FieldNames,
) -> Result<Value, String> {
    count_fields(&kind, bytes, MAX_FIELDS)?;
    let message = DynamicMessage::decode(kind, bytes)
        .map_err(|_| "it is not a message of this method".to_owned())?;
    known_filters(&message)?;
    json(&message, names)
}

/// JSON in any of its spellings as JSON with these names.
///
/// # Errors
/// It is no such message; the message says why.
pub(super) fn json_of_json(
    kind: MessageDescriptor,
    value: Value,
    names: FieldNames,
) -> Result<Value, String> {
    known_names(&kind, &value)?;
    let options = DeserializeOptions::new().deny_unknown_fields(false);
    let message = DynamicMessage::deserialize_with_options(kind, value, &options)
        .map_err(|error| error.to_string())?;
    json(&message, names)
}

/// Refuses a message with too many fields before it is decoded: a field of two bytes takes hundreds
/// of bytes then. Entries of lists count, and what they contain does not. Returns how many fields
/// it may have besides.
fn count_fields(
    kind: &MessageDescriptor,
    mut bytes: &[u8],
    mut remaining: usize,
) -> Result<usize, String> {
    while !bytes.is_empty() {
        if remaining == 0 {
            return Err(format!(
                "it has more than {MAX_FIELDS} fields; send several requests"
            ));
        }
        remaining -= 1;
        // What is malformed is refused when it is decoded.
        let Ok(key) = decode_length_delimiter(&mut bytes) else {
            break;
        };
        let Some(length) = content_length(key, &mut bytes) else {
            break;
        };
        let Some((content, rest)) = bytes.split_at_checked(length) else {
            break;
        };
        if let Ok(number) = u32::try_from(key >> 3)
            && let Some(field) = kind.get_field(number)
            && !field.is_list()
            && let Kind::Message(inner) = field.kind()
        {
            remaining = count_fields(&inner, content, remaining)?;
        }
        bytes = rest;
    }
    Ok(remaining)
}

/// The length of the content behind a key, whose own bytes are read.
fn content_length(key: usize, bytes: &mut &[u8]) -> Option<usize> {
    match key & 7 {
        0 => decode_length_delimiter(bytes).map(|_| 0).ok(),
        1 => Some(8),
        2 => decode_length_delimiter(bytes).ok(),
        5 => Some(4),
        _ => None,
    }
}

/// Refuses unknown fields of filters in a binary message.
fn known_filters(message: &DynamicMessage) -> Result<(), String> {
    message.fields().try_for_each(|(_, value)| {
        let Some(inner) = value.as_message() else {
            return Ok(());
        };
        match inner.unknown_fields().next() {
            Some(unknown) if inner.descriptor().name() == FILTER => Err(format!(
                "the filter has the unknown field {}",
                unknown.number()
            )),
            _ => known_filters(inner),
        }
    })
}

/// Refuses unknown fields of filters in JSON, and unknown names of enumerations everywhere:
/// `prost-reflect` would ignore both.
fn known_names(kind: &MessageDescriptor, value: &Value) -> Result<(), String> {
    let Value::Object(fields) = value else {
        return Ok(());
    };
    for (name, value) in fields {
        let by_json_name = kind.get_field_by_json_name(name);
        let Some(field) = by_json_name.or_else(|| kind.get_field_by_name(name)) else {
            if kind.name() == FILTER {
                let name = escaped(name);
                return Err(format!("the filter has the unknown field `{name}`"));
            }
            continue;
        };
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            match (field.kind(), value) {
                (Kind::Message(kind), value) => known_names(&kind, value)?,
                (Kind::Enum(kind), Value::String(word))
                    if kind.get_value_by_name(word).is_none() =>
                {
                    let word = escaped(word);
                    return Err(format!("`{word}` is no value of `{}`", field.name()));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// The bytes of a message that this service writes; `None` if the JSON is no such message.
pub(super) fn bytes_of_json(kind: MessageDescriptor, value: Value) -> Option<Vec<u8>> {
    let message = DynamicMessage::deserialize(kind, value).ok()?;
    Some(message.encode_to_vec())
}

fn json(message: &DynamicMessage, names: FieldNames) -> Result<Value, String> {
    let options = SerializeOptions::new().use_proto_field_name(names == FieldNames::SnakeCase);
    let written = message.serialize_with_options(serde_json::value::Serializer, &options);
    written.map_err(|_| "it has no form in JSON".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_messages_are_compiled() {
        for name in ["CreateRole", "ResolveOidcIdentity", "RevokeOidcSessions"] {
            assert!(method(SECURITY_SERVICE, name).is_some(), "{name}");
        }
        assert!(method("redpanda.api.dataplane.v1.ACLService", "DeleteACLs").is_some());
        assert!(
            method(
                "redpanda.api.console.v1alpha1.SecurityService",
                "UpdateRoleMembership"
            )
            .is_some()
        );
        assert!(method(PLATFORM_SECURITY_SERVICE, "CreateScramCredential").is_none());
    }

    #[test]
    fn the_compiled_messages_are_those_of_the_files() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/proto");
        let files = [
            "google/rpc/error_details.proto",
            "google/rpc/status.proto",
            "redpanda/api/console/v1alpha1/security.proto",
            "redpanda/api/dataplane/v1/acl.proto",
            "redpanda/api/dataplane/v1/security.proto",
            "redpanda/core/admin/v2/security.proto",
        ];
        let mut compiled = protox::compile(files, [folder]).unwrap();
        for file in &mut compiled.file {
            file.source_code_info = None;
        }
        let compiled = compiled.encode_to_vec();
        let path = format!("{folder}/descriptors.binpb");
        if std::env::var_os("GBAC_WRITE_DESCRIPTORS").is_some() {
            std::fs::write(&path, &compiled).unwrap();
        }
        let written = std::fs::read(&path).unwrap();
        assert!(
            written == compiled,
            "proto/descriptors.binpb is older than the .proto files; run this test with GBAC_WRITE_DESCRIPTORS=1 and again without"
        );
    }

    #[test]
    fn messages_are_json_in_either_spelling() {
        let kind = || {
            method("redpanda.api.dataplane.v1.ACLService", "CreateACL")
                .unwrap()
                .input()
        };
        let camel = json!({ "resourceType": 2, "resource_name": "t", "operation": "OPERATION_READ", "new": [1] });
        let snake = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "t", "operation": "OPERATION_READ" });
        assert_eq!(
            json_of_json(kind(), camel, FieldNames::SnakeCase).unwrap(),
            snake
        );
        let bytes = bytes_of_json(kind(), snake.clone()).unwrap();
        assert_eq!(bytes, b"\x08\x02\x12\x01t\x30\x03");
        assert_eq!(
            json_of_bytes(kind(), &bytes, FieldNames::SnakeCase).unwrap(),
            snake
        );
        assert!(
            json_of_bytes(kind(), b"\x12\x05t", FieldNames::SnakeCase).is_err(),
            "truncated"
        );
        assert!(
            bytes_of_json(kind(), json!({ "new": 1 })).is_none(),
            "this service writes no unknown field"
        );
    }

    #[test]
    fn a_message_with_too_many_fields_is_refused_before_it_is_decoded() {
        let of = |service: &str, name: &str| method(service, name).unwrap().input();
        let add = || of(PLATFORM_SECURITY_SERVICE, "AddRoleMembers");
        let refused =
            |kind, bytes: &[u8]| json_of_bytes(kind, bytes, FieldNames::SnakeCase).unwrap_err();
        for entry in [
            &b"\x12\x00"[..],
            b"\x12\x02\x0a\x00",
            b"\x08\x01",
            b"\x4d\0\0\0\0",
            b"\x49\0\0\0\0\0\0\0\0",
        ] {
            assert!(
                refused(add(), &entry.repeat(MAX_FIELDS + 1)).contains("more than 100000 fields"),
                "{entry:?}"
            );
        }
        assert!(
            json_of_bytes(
                add(),
                &b"\x12\x00".repeat(MAX_FIELDS),
                FieldNames::SnakeCase
            )
            .is_ok()
        );
        let entries = b"\x1a\x00".repeat(MAX_FIELDS);
        let mut wrapped = b"\x0a\xc0\x9a\x0c".to_vec();
        wrapped.extend(entries);
        let kind = of(
            "redpanda.api.console.v1alpha1.SecurityService",
            "UpdateRoleMembership",
        );
        assert!(
            refused(kind, &wrapped).contains("fields"),
            "inside the request"
        );
        assert!(
            !refused(add(), b"\x12\x05").contains("fields"),
            "what is truncated is not decoded either"
        );
    }

    #[test]
    fn a_filter_with_an_unknown_field_is_refused_at_any_depth() {
        let of = |service: &str, name: &str| method(service, name).unwrap().input();
        let acls = || of("redpanda.api.dataplane.v1.ACLService", "DeleteACLs");
        let wrapped = || of("redpanda.api.console.v1alpha1.SecurityService", "ListRoles");
        let names = FieldNames::SnakeCase;
        assert!(
            json_of_json(
                acls(),
                json!({ "filter": { "resourceName": "t" }, "later": 1 }),
                names
            )
            .is_ok()
        );
        for (kind, value) in [
            (acls(), json!({ "filter": { "resourcName": "t" } })),
            (
                acls(),
                json!({ "filter": { "operation": "OPERATION_REED" } }),
            ),
            (
                wrapped(),
                json!({ "request": { "filter": { "nameprefix": "t" } } }),
            ),
        ] {
            assert!(json_of_json(kind, value.clone(), names).is_err(), "{value}");
        }
        assert!(
            json_of_bytes(acls(), b"\x0a\x03\x12\x01t\x4a\x00", names).is_ok(),
            "field 9 beside the filter"
        );
        assert!(
            json_of_bytes(acls(), b"\x0a\x02\x48\x01", names).is_err(),
            "field 9 of the filter"
        );
        assert!(json_of_bytes(wrapped(), b"\x0a\x04\x0a\x02\x48\x01", names).is_err());
    }
}
