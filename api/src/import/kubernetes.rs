//! Imports resources of Kubernetes, as YAML documents or as `kubectl get -o json` prints them: those of the platform's operator,
//! and the users of Strimzi.

use gbac_engine::model::Principal;
use serde_json::{Map, Value};

use super::{Import, ImportedText, Kind, fields};
use crate::manifest::{operator, strimzi};
use crate::yaml;

impl Import {
    /// A document in YAML, or a stream of resources.
    pub(super) fn read_yaml(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::of(Kind::Operator);
        match serde_saphyr::from_multiple_with_options::<Value>(text, yaml::strict()) {
            Ok(documents) => match documents.as_slice() {
                [document] if !document.as_object().is_some_and(is_resource) => return self.read_json(document, role),
                documents => {
                    for (place, document) in documents.iter().enumerate().filter(|(_, document)| !document.is_null()) {
                        let place = format!("document {}: ", place + 1);
                        if document.as_object().is_some_and(is_resource) {
                            self.resource_of_kubernetes(document, &place, "", &mut read);
                        } else {
                            read.refuse(place.trim_end_matches(": "), "form_unknown", "not a resource of Kubernetes");
                        }
                    }
                }
            },
            Err(error) => {
                read.kind = Kind::Unknown;
                let (place, message) = yaml::fault(&error);
                read.refuse(place, "yaml_syntax", message);
            }
        }
        read
    }

    pub(super) fn read_kubectl(&mut self, value: &Value) -> ImportedText {
        let mut read = ImportedText::of(Kind::Operator);
        self.resource_of_kubernetes(value, "", "", &mut read);
        read
    }

    /// A resource, or a list of them. Those of other APIs are skipped.
    fn resource_of_kubernetes(&mut self, value: &Value, document: &str, at: &str, read: &mut ImportedText) {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("kind");
        if let ("List", Some(items)) = (kind, value.get("items").and_then(Value::as_array)) {
            for (place, item) in items.iter().enumerate() {
                self.resource_of_kubernetes(item, document, &format!("{at}/items/{place}"), read);
            }
            return;
        }
        let (group, version) = text("apiVersion").split_once('/').unwrap_or_default();
        let place = |pointer: &str| format!("{document}{at}{pointer}");
        let (versions, is_strimzi) = match (group, kind) {
            (operator::API_GROUP, "Group" | "RedpandaRole" | "User") => (&operator::API_VERSIONS[..], false),
            (strimzi::API_GROUP, "KafkaUser") => (&strimzi::API_VERSIONS[..], true),
            _ => return,
        };
        if !versions.contains(&version) {
            let versions = versions.join("`, `");
            read.refuse(
                place("/apiVersion"),
                "version_unknown",
                format!("expected `{group}/` and one of `{versions}`"),
            );
            return;
        }
        let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) else {
            read.refuse(place("/metadata/name"), "missing_member", "expected a string");
            return;
        };
        if is_strimzi {
            self.user_of_strimzi(value, name, place, read);
        } else {
            self.resource_of_operator(value, kind, name, place, read);
        }
    }

    /// A user of Strimzi. One with a certificate has the certificate's name.
    fn user_of_strimzi(&mut self, user: &Value, name: &str, place: impl Fn(&str) -> String, read: &mut ImportedText) {
        read.kind = Kind::Strimzi;
        let text = |pointer: &str| user.pointer(pointer).and_then(Value::as_str);
        let principal = match text("/spec/authentication/type") {
            Some("tls" | "tls-external") => Principal::user(format!("CN={name}")),
            _ => Principal::user(name),
        };
        if user.pointer("/spec/authorization").is_some() && text("/spec/authorization/type") != Some("simple") {
            return read.refuse(place("/spec/authorization/type"), "unknown_value", "expected `simple`");
        }
        for (number, rule) in list(user, "/spec/authorization/acls").iter().enumerate() {
            self.rule(rule, &principal, true, &place(&format!("/spec/authorization/acls/{number}")), read);
        }
    }

    /// A role, a group or a user of the platform's operator.
    fn resource_of_operator(
        &mut self,
        value: &Value,
        kind: &str,
        name: &str,
        place: impl Fn(&str) -> String,
        read: &mut ImportedText,
    ) {
        let principal = match kind {
            "RedpandaRole" => {
                let is_internal = value.pointer("/spec/internal").and_then(Value::as_bool) == Some(true);
                let role = if is_internal { format!("__{name}") } else { name.to_owned() };
                if !self.take_role(&role, &place("/metadata/name"), read) {
                    return;
                }
                for (number, member) in list(value, "/spec/principals").iter().enumerate() {
                    let place = place(&format!("/spec/principals/{number}"));
                    match member.as_str() {
                        // A name without a type is a user.
                        Some(member) if Principal::split(member).is_err() && !member.contains(':') => {
                            self.take_named_member(&role, &Principal::user(member).to_string(), &place, read);
                        }
                        Some(member) => self.take_named_member(&role, member, &place, read),
                        None => read.refuse(place, "wrong_type", "expected a string"),
                    }
                }
                Principal::role(&role)
            }
            "Group" => Principal::group(name),
            _ => Principal::user(name),
        };
        for (number, rule) in list(value, "/spec/authorization/acls").iter().enumerate() {
            self.rule(rule, &principal, false, &place(&format!("/spec/authorization/acls/{number}")), read);
        }
    }

    /// One rule, an ACL for each of its operations. Strimzi allows if a rule says nothing, and may name one operation.
    fn rule(&mut self, rule: &Value, principal: &Principal, is_strimzi: bool, at: &str, read: &mut ImportedText) {
        let text = |pointer: &str| rule.pointer(pointer).and_then(Value::as_str);
        let operations = match rule.get("operation") {
            Some(_) if is_strimzi && rule.get("operations").is_some() => {
                return read.refuse(at, "unknown_member", "`operation` and `operations` exclude each other");
            }
            Some(operation) if is_strimzi => std::slice::from_ref(operation),
            _ => list(rule, "/operations"),
        };
        let permission = if is_strimzi && rule.get("type").is_none() { Some("allow") } else { text("/type") };
        let (Some(permission), Some(kind)) = (permission, text("/resource/type")) else {
            return read.refuse(at, "missing_member", "`type` or `resource.type` is missing or not a string");
        };
        if operations.is_empty() {
            return read.refuse(format!("{at}/operations"), "missing_member", "expected a list of operations");
        }
        let name = text("/resource/name").unwrap_or_default();
        let pattern = match text("/resource/patternType") {
            Some("prefix") if is_strimzi => "prefixed",
            pattern => pattern.unwrap_or("literal"),
        };
        let (principal, host) = (principal.to_string(), text("/host").unwrap_or("*"));
        for (number, operation) in operations.iter().enumerate() {
            let place = format!("{at}/operations/{number}");
            match operation.as_str() {
                Some(operation) => {
                    self.take_acl(&fields([kind, name, pattern, &principal, host, operation, permission]), place, read);
                }
                None => read.refuse(place, "wrong_type", "expected a string"),
            }
        }
    }
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a JSON object is a resource of Kubernetes.
pub(super) fn is_resource(object: &Map<String, Value>) -> bool {
    object.contains_key("apiVersion") && object.contains_key("kind")
}
