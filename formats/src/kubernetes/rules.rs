//! What the resources of Kubernetes have in common: those of the platform's operator and the users
//! of Strimzi.

use std::collections::BTreeMap;

use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::Policy;
use serde::Serialize;
use serde_json::Value;

use crate::entry::Entry;
use crate::export::Notes;
use crate::import::Reading;

/// The longest name of an object (RFC 1123), in bytes.
const MAX_OBJECT_NAME: usize = 253;

/// The name of an object, and its labels.
#[derive(Serialize)]
pub(super) struct Metadata<'a> {
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<BTreeMap<&'static str, &'a str>>,
}

/// The rules of a resource.
#[derive(Serialize)]
pub(super) struct Authorization<'a> {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) acls: Vec<Rule<'a>>,
}

/// A rule: the ACLs that differ by operation only.
#[derive(Serialize)]
pub(super) struct Rule<'a> {
    #[serde(rename = "type")]
    pub(super) permission: &'static str,
    pub(super) resource: RuleResource<'a>,
    pub(super) host: String,
    pub(super) operations: Vec<String>,
}

/// The resource of a rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleResource<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pattern_type: Option<&'static str>,
}

/// The rules of a resource. Strimzi has other types of authorization, in which they mean
/// nothing.
pub(super) fn read_authorization(
    spec: &mut Entry<'_>,
    principal: &Principal,
    is_strimzi: bool,
    reading: &mut Reading<'_>,
) {
    let Some(mut authorization) = spec.object("authorization", &["type", "acls"], reading) else {
        return;
    };
    let kind = authorization.text("type", reading);
    if kind != Some("simple") && (is_strimzi || kind.is_some()) {
        return authorization.refuse("type", "unknown_value", "expected `simple`", reading);
    }
    for (place, rule) in authorization.elements("acls", reading) {
        read_rule(rule, principal, is_strimzi, &place, reading);
    }
}

/// One rule, an ACL for each of its operations. Strimzi allows if a rule says nothing, and may
/// name one operation.
fn read_rule(
    rule: &Value,
    principal: &Principal,
    is_strimzi: bool,
    at: &str,
    reading: &mut Reading<'_>,
) {
    let members: &[&str] = match is_strimzi {
        true => &["type", "resource", "host", "operation", "operations"],
        false => &["type", "resource", "host", "operations"],
    };
    let Some(mut rule) = Entry::from_value(rule, members, at, "a rule", reading) else {
        return;
    };
    if rule.has("operation") && rule.has("operations") {
        let message = "`operation` and `operations` exclude each other";
        return reading.refuse(at, "unknown_member", message);
    }
    let operations = match rule.value("operation") {
        Some(operation) => std::slice::from_ref(operation),
        None => rule.list("operations", reading),
    };
    let permission = rule.text("type", reading).or(is_strimzi.then_some("allow"));
    let host = rule.text("host", reading).unwrap_or("*");
    let mut resource = rule.object("resource", &["type", "name", "patternType"], reading);
    let [kind, name, pattern] = ["type", "name", "patternType"].map(|name| {
        resource
            .as_mut()
            .and_then(|entry| entry.text(name, reading))
    });
    if !rule.is_whole() || resource.is_some_and(|resource| !resource.is_whole()) {
        return;
    }
    let (Some(permission), Some(kind)) = (permission, kind) else {
        return reading.refuse(at, "missing_member", "`type` or `resource.type` is missing");
    };
    if operations.is_empty() {
        let message = "expected a list of operations";
        return rule.refuse("operations", "missing_member", message, reading);
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
                let words = [kind, name, pattern, &principal, host, operation, permission];
                reading.acl(words, place);
            }
            None => reading.refuse(place, "wrong_type", "expected a string"),
        }
    }
}

/// The ACLs of each principal, of which a resource owns all.
pub(super) fn acls_by_principal(policy: &Policy) -> BTreeMap<Principal, Vec<Acl>> {
    let mut of_principal: BTreeMap<Principal, Vec<Acl>> = BTreeMap::new();
    for acl in policy.acls() {
        of_principal
            .entry(acl.principal.clone())
            .or_default()
            .push(acl);
    }
    of_principal
}

/// Appends a resource as a YAML document.
pub(super) fn push_document(
    out: &mut String,
    resource: &impl Serialize,
    what: &str,
    notes: &mut Notes,
) {
    match serde_saphyr::to_string(resource) {
        Ok(text) => {
            out.push_str("---\n");
            out.push_str(text.trim_end());
            out.push('\n');
        }
        Err(error) => notes.not_written(what, &error.to_string()),
    }
}

/// Whether an object in Kubernetes can have this name: a DNS subdomain (RFC 1123).
pub(super) fn is_object_name(name: &str) -> bool {
    let is_edge = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().copied().is_some_and(is_edge)
            && bytes.last().copied().is_some_and(is_edge)
            && bytes.iter().all(|byte| is_edge(*byte) || *byte == b'-')
    };
    name.len() <= MAX_OBJECT_NAME && name.split('.').all(is_label)
}
