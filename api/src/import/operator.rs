//! Imports resources of the platform's Kubernetes operator, as YAML documents or as `kubectl get -o json` prints them.

use gbac_engine::model::Principal;
use serde_json::{Map, Value};

use super::{Import, ImportedText, Kind, fields};
use crate::manifest::operator::API_VERSION;
use crate::yaml::strict;

impl Import {
    /// A document in YAML, or a stream of resources.
    pub(super) fn read_yaml(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::of(Kind::Operator);
        match serde_saphyr::from_multiple_with_options::<Value>(text, strict()) {
            Ok(documents) => match documents.as_slice() {
                [document] if !document.as_object().is_some_and(is_resource) => return self.read_json(document, role),
                documents => {
                    for (place, document) in documents.iter().enumerate().filter(|(_, document)| !document.is_null()) {
                        let place = format!("document {}: ", place + 1);
                        if document.as_object().is_some_and(is_resource) {
                            self.resource_of_operator(document, &place, "", &mut read);
                        } else {
                            read.refuse(place.trim_end_matches(": "), "form_unknown", "not a resource of Kubernetes");
                        }
                    }
                }
            },
            Err(error) => {
                read.kind = Kind::Unknown;
                let place = error.location().map(|at| format!("line {}, column {}", at.line(), at.column()));
                let message = error.without_snippet().to_string();
                let first = message.lines().next().unwrap_or_default();
                let advice = "correct the YAML, or write the document as JSON";
                read.refuse(place.unwrap_or_default(), "yaml_syntax", format!("{first}; {advice}"));
            }
        }
        read
    }

    pub(super) fn read_kubectl(&mut self, value: &Value) -> ImportedText {
        let mut read = ImportedText::of(Kind::Operator);
        self.resource_of_operator(value, "", "", &mut read);
        read
    }

    /// A resource, or a list of them. Those of other APIs are skipped.
    fn resource_of_operator(&mut self, value: &Value, document: &str, at: &str, read: &mut ImportedText) {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = text("kind");
        if let ("List", Some(items)) = (kind, value.get("items").and_then(Value::as_array)) {
            for (place, item) in items.iter().enumerate() {
                self.resource_of_operator(item, document, &format!("{at}/items/{place}"), read);
            }
            return;
        }
        let (group, version) = text("apiVersion").split_once('/').unwrap_or_default();
        if API_VERSION.split_once('/').is_none_or(|(ours, _)| ours != group) || !is_of_ours(kind) {
            return;
        }
        let place = |pointer: &str| format!("{document}{at}{pointer}");
        if !API_VERSION.ends_with(version) {
            read.refuse(place("/apiVersion"), "version_unknown", format!("expected `{API_VERSION}`"));
            return;
        }
        let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) else {
            read.refuse(place("/metadata/name"), "missing_member", "expected a string");
            return;
        };
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
            self.rule(rule, &principal, &place(&format!("/spec/authorization/acls/{number}")), read);
        }
    }

    /// One rule, an ACL for each of its operations.
    fn rule(&mut self, rule: &Value, principal: &Principal, at: &str, read: &mut ImportedText) {
        let text = |pointer: &str| rule.pointer(pointer).and_then(Value::as_str);
        let operations = list(rule, "/operations");
        let (Some(permission), Some(kind)) = (text("/type"), text("/resource/type")) else {
            return read.refuse(at, "missing_member", "`type` or `resource.type` is missing or not a string");
        };
        if operations.is_empty() {
            return read.refuse(format!("{at}/operations"), "missing_member", "expected a list of operations");
        }
        let name = text("/resource/name").unwrap_or_default();
        let pattern = text("/resource/patternType").unwrap_or("literal");
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

/// Whether a kind says something about permissions.
fn is_of_ours(kind: &str) -> bool {
    matches!(kind, "Group" | "RedpandaRole" | "User")
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a JSON object is a resource of Kubernetes.
pub(super) fn is_resource(object: &Map<String, Value>) -> bool {
    object.contains_key("apiVersion") && object.contains_key("kind")
}
