//! Imports resources of Kubernetes, as YAML documents or as `kubectl get -o json` prints them:
//! those of the platform's operator, and the users of Strimzi.

use gbac_engine::escape::escaped;
use gbac_engine::model::Principal;
use serde_json::Value;

use super::entry::{Entry, Object};
use super::{Import, ImportedText, Kind, fields, is_named_like_access};
use crate::manifest::{operator, strimzi};
use crate::yaml;

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

impl Import {
    /// A document in YAML, or a stream of resources.
    pub(super) fn read_yaml(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::new(Kind::Operator);
        match serde_saphyr::from_multiple_with_options::<Value>(text, yaml::strict()) {
            Ok(documents) => match documents.as_slice() {
                [document] if !document.as_object().is_some_and(is_resource) => {
                    return self.read_json(document, role);
                }
                documents => {
                    for (place, document) in documents
                        .iter()
                        .enumerate()
                        .filter(|(_, document)| !document.is_null())
                    {
                        let place = format!("document {}: ", place + 1);
                        self.resource_of_kubernetes(
                            document,
                            &place,
                            ResourceKind::NONE,
                            &mut read,
                        );
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
        let mut read = ImportedText::new(Kind::Operator);
        self.resource_of_kubernetes(value, "", ResourceKind::NONE, &mut read);
        read
    }

    /// A resource, or a list of them.
    fn resource_of_kubernetes(
        &mut self,
        value: &Value,
        place: &str,
        of_list: ResourceKind<'_>,
        read: &mut ImportedText,
    ) {
        let object = value.as_object();
        let Some((object, kind)) =
            object.and_then(|object| Some((object, ResourceKind::from_object(object, of_list)?)))
        else {
            read.refuse(
                place,
                "form_unknown",
                "not a resource of Kubernetes with `apiVersion` and `kind`",
            );
            return;
        };
        if kind.kind == "List" || (kind.kind.ends_with("List") && object.contains_key("items")) {
            return self.list_of_kubernetes(object, kind, place, read);
        }
        let (group, version) = kind.api_version.split_once('/').unwrap_or_default();
        let versions = match (group, kind.kind) {
            (operator::API_GROUP, "Group" | "RedpandaRole" | "User") => &operator::API_VERSIONS[..],
            (strimzi::API_GROUP, "KafkaUser") => &strimzi::API_VERSIONS[..],
            _ => return other_resource(value, kind, place, read),
        };
        if !versions.contains(&version) {
            let message = format!("expected `{group}/` and one of `{}`", versions.join("`, `"));
            read.refuse(format!("{place}/apiVersion"), "version_unknown", message);
            return;
        }
        let Some(name) = value.pointer("/metadata/name").and_then(Value::as_str) else {
            read.refuse(
                format!("{place}/metadata/name"),
                "missing_member",
                "expected a string",
            );
            return;
        };
        let resource = Entry::new(object, RESOURCE, place, read);
        if group == strimzi::API_GROUP {
            self.user_of_strimzi(resource, name, read);
        } else {
            self.resource_of_operator(resource, kind.kind, name, read);
        }
    }

    fn list_of_kubernetes(
        &mut self,
        object: &Object,
        kind: ResourceKind<'_>,
        place: &str,
        read: &mut ImportedText,
    ) {
        let mut list = Entry::new(
            object,
            &["apiVersion", "kind", "metadata", "items"],
            place,
            read,
        );
        if !object.contains_key("items") {
            list.refuse("items", "missing_member", "expected an array", read);
        }
        let more = list
            .value("metadata")
            .and_then(|metadata| metadata.get("continue"));
        if more.is_some_and(|more| !more.is_null() && more != "") {
            list.refuse(
                "metadata",
                "list_incomplete",
                "the list has another page, which is missing",
                read,
            );
        }
        for (number, item) in list.list("items", read).iter().enumerate() {
            self.resource_of_kubernetes(
                item,
                &format!("{place}/items/{number}"),
                kind.items(),
                read,
            );
        }
    }

    /// A user of Strimzi. One with a certificate has the certificate's name.
    fn user_of_strimzi(&mut self, mut user: Entry<'_>, name: &str, read: &mut ImportedText) {
        read.kind = Kind::Strimzi;
        let members = ["authentication", "authorization", "quotas", "template"];
        let Some(mut spec) = user.object("spec", &members, read) else {
            return;
        };
        let authentication = spec.value("authentication");
        let principal = match authentication
            .map(|method| method.get("type").and_then(Value::as_str))
        {
            Some(Some("tls" | "tls-external")) => Principal::user(format!("CN={name}")),
            None | Some(Some("scram-sha-512")) => Principal::user(name),
            Some(_) => {
                let message = "expected the `type` `tls`, `tls-external` or `scram-sha-512`, which makes the user's name";
                return spec.refuse("authentication", "unknown_value", message, read);
            }
        };
        self.authorization(&mut spec, &principal, true, read);
    }

    /// A role, a group or a user of the platform's operator.
    fn resource_of_operator(
        &mut self,
        mut resource: Entry<'_>,
        kind: &str,
        name: &str,
        read: &mut ImportedText,
    ) {
        let members: &[&str] = match kind {
            "RedpandaRole" => &["cluster", "principals", "authorization", "internal"],
            "Group" => &["cluster", "authorization"],
            _ => &["cluster", "authentication", "authorization", "template"],
        };
        let place = resource.place_of("metadata/name");
        let mut spec = resource.object("spec", members, read);
        let principal = match kind {
            "RedpandaRole" => {
                let is_internal = spec
                    .as_mut()
                    .is_some_and(|spec| spec.flag("internal", read));
                let role = if is_internal {
                    format!("__{name}")
                } else {
                    name.to_owned()
                };
                if !self.take_role(&role, &place, read) {
                    return;
                }
                if let Some(spec) = &mut spec {
                    self.principals(spec, &role, read);
                }
                Principal::role(&role)
            }
            "Group" => Principal::group(name),
            _ => Principal::user(name),
        };
        if let Some(spec) = &mut spec {
            self.authorization(spec, &principal, false, read);
        }
    }

    /// The members of a role.
    fn principals(&mut self, spec: &mut Entry<'_>, role: &str, read: &mut ImportedText) {
        for (number, member) in spec.list("principals", read).iter().enumerate() {
            let place = spec.place_of(&format!("principals/{number}"));
            match member.as_str() {
                // A name without a type is a user.
                Some(member) if Principal::split(member).is_err() && !member.contains(':') => {
                    self.take_named_member(
                        role,
                        &Principal::user(member).to_string(),
                        &place,
                        read,
                    );
                }
                Some(member) => self.take_named_member(role, member, &place, read),
                None => read.refuse(place, "wrong_type", "expected a string"),
            }
        }
    }

    /// The rules of a resource. Strimzi has other types of authorization, in which they mean
    /// nothing.
    fn authorization(
        &mut self,
        spec: &mut Entry<'_>,
        principal: &Principal,
        is_strimzi: bool,
        read: &mut ImportedText,
    ) {
        let Some(mut authorization) = spec.object("authorization", &["type", "acls"], read) else {
            return;
        };
        let kind = authorization.text("type", read);
        if kind != Some("simple") && (is_strimzi || kind.is_some()) {
            return authorization.refuse("type", "unknown_value", "expected `simple`", read);
        }
        for (number, rule) in authorization.list("acls", read).iter().enumerate() {
            self.rule(
                rule,
                principal,
                is_strimzi,
                &authorization.place_of(&format!("acls/{number}")),
                read,
            );
        }
    }

    /// One rule, an ACL for each of its operations. Strimzi allows if a rule says nothing, and may
    /// name one operation.
    fn rule(
        &mut self,
        rule: &Value,
        principal: &Principal,
        is_strimzi: bool,
        at: &str,
        read: &mut ImportedText,
    ) {
        let members: &[&str] = match is_strimzi {
            true => &["type", "resource", "host", "operation", "operations"],
            false => &["type", "resource", "host", "operations"],
        };
        let Some(mut rule) = Entry::from_value(rule, members, at, "a rule", read) else {
            return;
        };
        if rule.has("operation") && rule.has("operations") {
            return read.refuse(
                at,
                "unknown_member",
                "`operation` and `operations` exclude each other",
            );
        }
        let operations = match rule.value("operation") {
            Some(operation) => std::slice::from_ref(operation),
            None => rule.list("operations", read),
        };
        let permission = rule.text("type", read).or(is_strimzi.then_some("allow"));
        let host = rule.text("host", read).unwrap_or("*");
        let mut resource = rule.object("resource", &["type", "name", "patternType"], read);
        let [kind, name, pattern] = ["type", "name", "patternType"]
            .map(|name| resource.as_mut().and_then(|entry| entry.text(name, read)));
        if !rule.is_whole() || resource.is_some_and(|resource| !resource.is_whole()) {
            return;
        }
        let (Some(permission), Some(kind)) = (permission, kind) else {
            return read.refuse(at, "missing_member", "`type` or `resource.type` is missing");
        };
        if operations.is_empty() {
            return rule.refuse(
                "operations",
                "missing_member",
                "expected a list of operations",
                read,
            );
        }
        let pattern = match pattern {
            Some("prefix") if is_strimzi => "prefixed",
            pattern => pattern.unwrap_or("literal"),
        };
        let (principal, name) = (principal.to_string(), name.unwrap_or_default());
        for (number, operation) in operations.iter().enumerate() {
            let place = rule.place_of(&format!("operations/{number}"));
            match operation.as_str() {
                Some(operation) => {
                    self.take_acl(
                        &fields([kind, name, pattern, &principal, host, operation, permission]),
                        place,
                        read,
                    );
                }
                None => read.refuse(place, "wrong_type", "expected a string"),
            }
        }
    }
}

/// A resource that is not read. It is only counted if it says nothing about access.
fn other_resource(value: &Value, kind: ResourceKind<'_>, place: &str, read: &mut ImportedText) {
    if is_named_like_access(kind.kind) {
        let message = format!(
            "{} is not a kind that is read, and can be about access",
            kind.label()
        );
        return read.refuse(place, "kind_unknown", message);
    }
    let group = kind.api_version.split('/').next();
    if ![operator::API_GROUP, strimzi::API_GROUP]
        .map(Some)
        .contains(&group)
    {
        return read.ignore(kind.label());
    }
    let authorization = value
        .pointer("/spec/kafka/authorization/type")
        .filter(|kind| *kind != "simple");
    if authorization.is_some() {
        let message = format!(
            "expected `simple`; ACLs do not decide alone in this {}",
            kind.label()
        );
        return read.refuse(
            format!("{place}/spec/kafka/authorization/type"),
            "unknown_value",
            message,
        );
    }
    let found = access_members(value);
    if found.is_empty() {
        read.ignore(kind.label());
    }
    for pointer in found {
        let message = format!(
            "a {} is not read; state its superusers in a policy document",
            kind.label()
        );
        read.refuse(format!("{place}{pointer}"), "kind_unknown", message);
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
                    let pointer =
                        format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
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

/// Whether a JSON object is a resource of Kubernetes.
pub(super) fn is_resource(object: &Object) -> bool {
    object.contains_key("apiVersion") && object.contains_key("kind")
}
