//! Users of Strimzi, as YAML documents.
//!
//! A user owns all ACLs of its principal in Kafka: what it leaves out is deleted. If one of them
//! cannot be written, the user is left out, so that no deny is lost.

use std::collections::BTreeMap;

use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, CLUSTER_NAME, Operation, PatternType, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use serde::Serialize;
use serde_json::Value;

use super::rules::{
    Authorization, Metadata, Rule, RuleResource, acls_by_principal, is_object_name, push_document,
    read_authorization,
};
use crate::entry::Entry;
use crate::export::{Export, Exported, Notes, Replaces, Writer, described};
use crate::import::Reading;
use crate::script::word;

/// The beginning of the file.
const HEAD: &str = "\
# Users of Strimzi 0.33 or later. Each owns all ACLs of its principal: the User Operator deletes the others.
";

/// The API of the resources.
pub(super) const API_GROUP: &str = "kafka.strimzi.io";
/// Its versions, the one that is written first.
pub(super) const API_VERSIONS: [&str; 4] = ["v1beta2", "v1", "v1beta1", "v1alpha1"];
/// The beginning of the name of a user with a certificate.
const CERTIFICATE: &str = "CN=";

/// A user of Strimzi. One with a certificate has the certificate's name.
pub(super) fn read_user(mut user: Entry<'_>, name: &str, reading: &mut Reading<'_>) {
    let members = ["authentication", "authorization", "quotas", "template"];
    let Some(mut spec) = user.object("spec", &members, reading) else {
        return;
    };
    let authentication = spec.value("authentication");
    let method = authentication.map(|method| method.get("type").and_then(Value::as_str));
    let principal = match method {
        Some(Some("tls" | "tls-external")) => Principal::user(format!("{CERTIFICATE}{name}")),
        None | Some(Some("scram-sha-512")) => Principal::user(name),
        Some(_) => {
            let message = "expected the `type` `tls`, `tls-external` or `scram-sha-512`, which makes the user's name";
            return spec.refuse("authentication", "unknown_value", message, reading);
        }
    };
    read_authorization(&mut spec, &principal, true, reading);
}

pub(crate) struct Strimzi;

impl Writer for Strimzi {
    fn write(&self, export: &Export<'_>) -> Exported {
        let mut notes = Notes::default();
        let cluster = export.cluster.unwrap_or_default();
        let body = resources(export.policy, cluster, &mut notes);
        let message = "without the settings, which are properties of the brokers";
        notes.of_settings(export.policy, message);
        notes.of_leftovers(export, Replaces::Acls);
        notes.within(HEAD, &body)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct User<'a> {
    api_version: String,
    kind: &'static str,
    metadata: Metadata<'a>,
    spec: Spec<'a>,
}

#[derive(Serialize)]
struct Spec<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    authentication: Option<Kind>,
    authorization: Authorization<'a>,
}

#[derive(Serialize)]
struct Kind {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// The users, each with all of its ACLs.
fn resources(policy: &Policy, cluster: &str, notes: &mut Notes) -> String {
    notes.of_refusals(policy);
    notes.of_roles(policy, "Strimzi has no roles");
    let mut out = String::new();
    for (principal, acls) in &acls_by_principal(policy) {
        let what = format!("the ACLs of `{}`", escaped(&principal.to_string()));
        match user(principal, acls, cluster, notes) {
            Ok(Some(user)) => push_document(&mut out, &user, &what, notes),
            Ok(None) => {}
            Err(why) => notes.not_written(&what, &why),
        }
    }
    out
}

/// A user with its ACLs; `None` if Kafka has none of them.
fn user<'a>(
    principal: &'a Principal,
    acls: &'a [Acl],
    cluster: &'a str,
    notes: &mut Notes,
) -> Result<Option<User<'a>>, String> {
    if principal.kind() != PrincipalType::User {
        return Err("Strimzi has ACLs of users only".into());
    }
    let (name, authentication) = match principal.name().strip_prefix(CERTIFICATE) {
        Some(name) => (
            name,
            Some(Kind {
                kind: "tls-external",
            }),
        ),
        None => (principal.name(), None),
    };
    if !is_object_name(name) {
        return Err("Kubernetes has no such name".into());
    }
    let mut rules: BTreeMap<_, Vec<Operation>> = BTreeMap::new();
    for acl in acls {
        if matches!(
            acl.resource_type,
            ResourceType::Subject | ResourceType::Registry
        ) {
            notes.lost_acl(acl, "Kafka has no ACLs for the Schema Registry");
            continue;
        }
        let resource = resource_of(acl).map_err(|why| {
            format!(
                "{}: {why}; a user without this ACL would delete it",
                described(acl)
            )
        })?;
        rules
            .entry((acl.permission, resource, &acl.host))
            .or_default()
            .push(acl.operation);
    }
    if rules.is_empty() {
        return Ok(None);
    }
    let acls = rules
        .into_iter()
        .map(
            |((permission, (kind, name, pattern), host), operations)| Rule {
                permission: permission.spelling().cli,
                resource: RuleResource {
                    kind,
                    name,
                    pattern_type: name.and(Some(pattern)),
                },
                host: host.to_string(),
                operations: operations.into_iter().map(word).collect(),
            },
        )
        .collect();
    let metadata = Metadata {
        name,
        labels: Some(BTreeMap::from([("strimzi.io/cluster", cluster)])),
    };
    let spec = Spec {
        authentication,
        authorization: Authorization {
            kind: Some("simple"),
            acls,
        },
    };
    let api_version = format!("{API_GROUP}/{}", API_VERSIONS[0]);
    Ok(Some(User {
        api_version,
        kind: "KafkaUser",
        metadata,
        spec,
    }))
}

/// The type, the name and the pattern of the resource, as Strimzi spells them.
fn resource_of(acl: &Acl) -> Result<(&'static str, Option<&str>, &'static str), &'static str> {
    let pattern = match acl.pattern_type {
        PatternType::Literal => "literal",
        PatternType::Prefixed => "prefix",
    };
    let name = acl.resource_name.as_str();
    match acl.resource_type {
        ResourceType::Topic => Ok(("topic", Some(name), pattern)),
        ResourceType::Group => Ok(("group", Some(name), pattern)),
        ResourceType::TransactionalId => Ok(("transactionalId", Some(name), pattern)),
        ResourceType::Cluster if name == CLUSTER_NAME && pattern == "literal" => {
            Ok(("cluster", None, pattern))
        }
        ResourceType::Cluster => Err("Strimzi takes neither a name nor a prefix here"),
        ResourceType::DelegationToken
        | ResourceType::User
        | ResourceType::Subject
        | ResourceType::Registry => Err("Strimzi has no such resource"),
    }
}
