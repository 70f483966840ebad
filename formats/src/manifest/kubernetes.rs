//! What the resources of Kubernetes have in common: those of the platform's operator and the users
//! of Strimzi.

use std::collections::BTreeMap;

use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::Policy;
use serde::Serialize;

use super::Notes;

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
    pub(super) operations: Vec<&'static str>,
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
