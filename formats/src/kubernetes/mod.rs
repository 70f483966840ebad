//! Resources of Kubernetes, as YAML documents or as `kubectl get -o json` prints them: those of the
//! platform's operator, and the users of Strimzi.

pub(crate) mod operator;
mod rules;
pub(crate) mod strimzi;

use gbac_engine::escape::escaped;
use gbac_json::pointer_part;
use serde_json::Value;

use crate::entry::{Entry, Object, names_a_page};
use crate::format::Format;
use crate::import::{Input, Reader, Reading, is_named_like_access};

/// The members of a resource that is read.
const RESOURCE: &[&str] = &["apiVersion", "kind", "metadata", "spec", "status"];

/// What a resource says it is.
#[derive(Clone, Copy)]
struct ResourceKind<'v> {
    api_version: &'v str,
    kind: &'v str,
}

impl<'v> ResourceKind<'v> {
    const NONE: Self = Self {
        api_version: "",
        kind: "",
    };

    /// The kind of an object. Objects in a typed list do not repeat theirs.
    fn from_object(object: &'v Object, of_list: Self) -> Option<Self> {
        let text = |name: &str, of_list: &'v str| match object.get(name) {
            None => Some(of_list),
            Some(value) => value.as_str(),
        };
        let (api_version, kind) = (
            text("apiVersion", of_list.api_version)?,
            text("kind", of_list.kind)?,
        );
        (!api_version.is_empty() && !kind.is_empty()).then_some(Self { api_version, kind })
    }

    /// The kind of the objects in a list: `KafkaUser` in a `KafkaUserList`, any in a `List`.
    fn items(self) -> Self {
        match self.kind.strip_suffix("List") {
            None | Some("") => Self::NONE,
            Some(kind) => Self { kind, ..self },
        }
    }

    fn label(self) -> String {
        format!(
            "`{}` of `{}`",
            escaped(self.kind),
            escaped(self.api_version)
        )
    }
}

/// Reads resources of the operator and of Strimzi.
pub(crate) struct Kubernetes;

impl Reader for Kubernetes {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        match input {
            Input::Value(value) => is_resource(value),
            Input::Stream(_) => true,
            Input::Text(_) => false,
        }
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        match input {
            Input::Value(value) => read_resource(value, "", ResourceKind::NONE, reading),
            Input::Stream(documents) => {
                for (document, number) in documents.iter().zip(1..) {
                    if !document.is_null() {
                        let place = format!("document {number}: ");
                        read_resource(document, &place, ResourceKind::NONE, reading);
                    }
                }
            }
            Input::Text(_) => {}
        }
    }
}

/// A resource, or a list of them.
fn read_resource(value: &Value, place: &str, of_list: ResourceKind<'_>, reading: &mut Reading<'_>) {
    let object = value.as_object();
    let Some((object, kind)) =
        object.and_then(|object| Some((object, ResourceKind::from_object(object, of_list)?)))
    else {
        let message = "not a resource of Kubernetes with `apiVersion` and `kind`";
        return reading.refuse(place, "form_unknown", message);
    };
    if kind.kind == "List" || (kind.kind.ends_with("List") && object.contains_key("items")) {
        return read_list(object, kind, place, reading);
    }
    let (group, version) = kind.api_version.split_once('/').unwrap_or_default();
    let versions = match (group, kind.kind) {
        (operator::API_GROUP, "Group" | "RedpandaRole" | "User") => &operator::API_VERSIONS[..],
        (strimzi::API_GROUP, "KafkaUser") => &strimzi::API_VERSIONS[..],
        _ => return other_resource(value, kind, place, reading),
    };
    if !versions.contains(&version) {
        let message = format!("expected `{group}/` and one of `{}`", versions.join("`, `"));
        return reading.refuse(format!("{place}/apiVersion"), "version_unknown", message);
    }
    let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) else {
        let place = format!("{place}/metadata/name");
        return reading.refuse(place, "missing_member", "expected a string");
    };
    let resource = Entry::new(object, RESOURCE, place, reading);
    if group == strimzi::API_GROUP {
        reading.report.format = Some(Format::Strimzi);
        strimzi::read_user(resource, name, reading);
    } else {
        operator::read_resource(resource, kind.kind, name, reading);
    }
}

fn read_list(object: &Object, kind: ResourceKind<'_>, place: &str, reading: &mut Reading<'_>) {
    let members = ["apiVersion", "kind", "metadata", "items"];
    let mut list = Entry::new(object, &members, place, reading);
    if !object.contains_key("items") {
        list.refuse("items", "missing_member", "expected an array", reading);
    }
    let metadata = list.value("metadata");
    let next = metadata.and_then(|metadata| metadata.get("continue"));
    if next.is_some_and(names_a_page) {
        list.refuse_next_page("metadata", reading);
    }
    for (place, item) in list.elements("items", reading) {
        read_resource(item, &place, kind.items(), reading);
    }
}

/// A resource that is not read. It is only counted if it says nothing about access.
fn other_resource(value: &Value, kind: ResourceKind<'_>, place: &str, reading: &mut Reading<'_>) {
    if is_named_like_access(kind.kind) {
        let message = format!(
            "{} is not a kind that is read, and can be about access",
            kind.label()
        );
        return reading.refuse(place, "kind_unknown", message);
    }
    let group = kind.api_version.split('/').next();
    if ![operator::API_GROUP, strimzi::API_GROUP]
        .map(Some)
        .contains(&group)
    {
        return reading.ignore(kind.label());
    }
    let authorization = value
        .pointer("/spec/kafka/authorization/type")
        .filter(|kind| *kind != "simple");
    if authorization.is_some() {
        let message = format!(
            "expected `simple`; ACLs do not decide alone in this {}",
            kind.label()
        );
        return reading.refuse(
            format!("{place}/spec/kafka/authorization/type"),
            "unknown_value",
            message,
        );
    }
    let found = access_members(value);
    if found.is_empty() {
        reading.ignore(kind.label());
    }
    for pointer in found {
        let message = format!(
            "a {} is not read; state its superusers in a policy document",
            kind.label()
        );
        reading.refuse(format!("{place}{pointer}"), "kind_unknown", message);
    }
}

/// Where a resource states super users or ACLs, as JSON Pointers.
fn access_members(resource: &Value) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![(String::new(), resource)]);
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
                    let pointer = format!("{pointer}/{}", pointer_part(name));
                    match letters.to_ascii_lowercase().as_str() {
                        "superusers" | "acls" if !is_empty(member) => found.push(pointer),
                        _ => open.push((pointer, member)),
                    }
                }
            }
            Value::Array(values) => {
                open.extend(
                    values
                        .iter()
                        .enumerate()
                        .map(|(number, value)| (format!("{pointer}/{number}"), value)),
                );
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a value is a resource of Kubernetes.
pub(crate) fn is_resource(value: &Value) -> bool {
    value.get("apiVersion").is_some() && value.get("kind").is_some()
}
