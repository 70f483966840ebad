//! Resources of the platform's Kubernetes operator, as YAML documents.
//!
//! A resource owns all ACLs of its principal: what it leaves out is deleted. If one ACL of a
//! principal cannot be written, its resource is left out, so that no deny is lost.

use std::collections::{BTreeMap, BTreeSet};

use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, CLUSTER_NAME, Operation, PatternType, Principal, PrincipalType, ResourceType, check_member,
};
use gbac_engine::policy::Policy;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::rules::{
    Authorization, Metadata, Rule, RuleResource, acls_by_principal, is_object_name, push_document,
    read_authorization,
};
use crate::entry::Entry;
use crate::export::{Export, Exported, Notes, PROPERTIES, Replaces, Writer, check_host, described};
use crate::import::Reading;
use crate::quote::comment;
use crate::script::word;

/// The beginning of the file.
const HEAD: &str = "\
# Resources of the Kubernetes operator, version 26.1 or later. Each owns all ACLs of its principal: the operator deletes the others.
";

/// The API of the resources.
pub(super) const API_GROUP: &str = "cluster.redpanda.com";
/// Its versions, the one that is written first.
pub(super) const API_VERSIONS: [&str; 1] = ["v1alpha2"];
/// The most rules of a resource, and the most members of a role.
const MAX_ENTRIES: usize = 1024;

/// A role, a group or a user of the platform's operator.
pub(super) fn read_resource(
    mut resource: Entry<'_>,
    kind: &str,
    name: &str,
    reading: &mut Reading<'_>,
) {
    let members: &[&str] = match kind {
        "RedpandaRole" => &["cluster", "principals", "authorization", "internal"],
        "Group" => &["cluster", "authorization"],
        _ => &["cluster", "authentication", "authorization", "template"],
    };
    let place = resource.place_of("metadata/name");
    let mut spec = resource.object("spec", members, reading);
    let principal = match kind {
        "RedpandaRole" => {
            let is_internal = spec
                .as_mut()
                .is_some_and(|spec| spec.flag("internal", reading));
            let role = if is_internal {
                format!("__{name}")
            } else {
                name.to_owned()
            };
            if !reading.role(&role, &place) {
                return;
            }
            if let Some(spec) = &mut spec {
                read_principals(spec, &role, reading);
            }
            Principal::role(&role)
        }
        "Group" => Principal::group(name),
        _ => Principal::user(name),
    };
    if let Some(spec) = &mut spec {
        read_authorization(spec, &principal, false, reading);
    }
}

/// The members of a role.
fn read_principals(spec: &mut Entry<'_>, role: &str, reading: &mut Reading<'_>) {
    for (place, member) in spec.elements("principals", reading) {
        match member.as_str() {
            // A name without a type is a user.
            Some(name) if Principal::split(name).is_err() && !name.contains(':') => {
                reading.member(role, &Principal::user(name).to_string(), &place);
            }
            Some(member) => reading.member(role, member, &place),
            None => reading.refuse(place, "wrong_type", "expected a string"),
        }
    }
}

pub(crate) struct Operator;

impl Writer for Operator {
    fn write(&self, export: &Export<'_>) -> Exported {
        let mut notes = Notes::default();
        let cluster = export.cluster.unwrap_or_default();
        let body = resources(export.policy, cluster, &mut notes);
        notes.of_settings(export.policy, PROPERTIES);
        notes.of_leftovers(export, Replaces::AclsAndMembers);
        notes.within(HEAD, &body)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource<'a> {
    api_version: String,
    kind: &'static str,
    metadata: Metadata<'a>,
    spec: Spec<'a>,
}

#[derive(Serialize)]
struct Spec<'a> {
    cluster: Cluster<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    principals: Vec<String>,
    authorization: Authorization<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cluster<'a> {
    cluster_ref: Reference<'a>,
}

#[derive(Serialize)]
struct Reference<'a> {
    name: &'a str,
}

/// The roles, groups and users, each with all of its ACLs.
fn resources(policy: &Policy, cluster: &str, notes: &mut Notes) -> String {
    notes.of_refusals(policy);
    let mut names: BTreeSet<String> = policy
        .role_names()
        .filter(|name| is_object_name(name))
        .map(str::to_owned)
        .collect();
    let mut out = String::new();
    let mut of_principal = acls_by_principal(policy);
    for role in policy.roles() {
        let acls = of_principal
            .remove(&Principal::role(&role.name))
            .unwrap_or_default();
        let members = role.members.iter().map(Principal::to_string).collect();
        let what = format!("role `{}`", escaped(&role.name));
        let name = if is_object_name(&role.name) {
            role.name.clone()
        } else {
            let name = object_name(&role.name, &mut names);
            let said = format!("{what} becomes the role `{name}`: Kubernetes has no such name");
            out.push_str(&comment(&said));
            notes.push("renamed", said);
            name
        };
        let object = Object {
            kind: "RedpandaRole",
            name: &name,
            cluster,
            members,
            acls: &acls,
        };
        push(&mut out, object, &what, notes);
    }
    for (principal, acls) in &of_principal {
        let what = format!("the ACLs of `{}`", escaped(&principal.to_string()));
        let kind = match principal.kind() {
            PrincipalType::Group => "Group",
            PrincipalType::User => "User",
            PrincipalType::Role => {
                notes.not_written(&what, "the role does not exist");
                continue;
            }
            PrincipalType::Other => {
                notes.not_written(&what, "the platform has no such principal");
                continue;
            }
        };
        if is_object_name(principal.name()) {
            let object = Object {
                kind,
                name: principal.name(),
                cluster,
                members: Vec::new(),
                acls,
            };
            push(&mut out, object, &what, notes);
        } else if let Err(error) = check_member(principal) {
            let why = format!("Kubernetes has no such name, and as a member of a role: {error}");
            notes.not_written(&what, &why);
        } else {
            let name = object_name(&principal.to_string(), &mut names);
            let said = format!(
                "{what} become those of the role `{name}` with this member: Kubernetes has no such name"
            );
            out.push_str(&comment(&said));
            notes.push("as_role", said);
            let object = Object {
                kind: "RedpandaRole",
                name: &name,
                cluster,
                members: vec![principal.to_string()],
                acls,
            };
            push(&mut out, object, &what, notes);
        }
    }
    out
}

/// What a resource is made from.
struct Object<'a> {
    kind: &'static str,
    name: &'a str,
    cluster: &'a str,
    members: Vec<String>,
    acls: &'a [Acl],
}

/// Appends a resource, unless a part of it cannot be written.
fn push(out: &mut String, object: Object<'_>, what: &str, notes: &mut Notes) {
    let Object {
        kind,
        name,
        cluster,
        members,
        acls,
    } = object;
    let rules = match rules(acls, notes) {
        Ok(rules) if rules.len() <= MAX_ENTRIES && members.len() <= MAX_ENTRIES => rules,
        Ok(_) => {
            notes.not_written(
                what,
                &format!("a resource has at most {MAX_ENTRIES} rules and members"),
            );
            return;
        }
        Err((acl, why)) => {
            let first = described(acl);
            notes.not_written(
                what,
                &format!("{first}: {why}; a resource without this ACL would delete it"),
            );
            return;
        }
    };
    let authorization = Authorization {
        kind: (kind == "User").then_some("simple"),
        acls: rules,
    };
    let spec = Spec {
        cluster: Cluster {
            cluster_ref: Reference { name: cluster },
        },
        principals: members,
        authorization,
    };
    let api_version = format!("{API_GROUP}/{}", API_VERSIONS[0]);
    let resource = Resource {
        api_version,
        kind,
        metadata: Metadata { name, labels: None },
        spec,
    };
    push_document(out, &resource, what, notes);
}

/// The ACLs as rules: those that differ by operation are one, the denies first.
fn rules<'a>(acls: &'a [Acl], notes: &mut Notes) -> Result<Vec<Rule<'a>>, (&'a Acl, &'static str)> {
    let mut rules: BTreeMap<_, BTreeSet<Operation>> = BTreeMap::new();
    for acl in acls {
        let (kind, name) = resource_of(acl).map_err(|why| (acl, why))?;
        check_host(acl).map_err(|why| (acl, why))?;
        let operations = match acl.operation {
            Operation::All => operations(acl.resource_type),
            operation => vec![operation],
        };
        if !operations
            .iter()
            .all(|operation| self::operations(acl.resource_type).contains(operation))
        {
            notes.lost_acl(
                acl,
                "the operation has no effect on such a resource, and the operator refuses it",
            );
            continue;
        }
        rules
            .entry((acl.permission, kind, name, acl.pattern_type, &acl.host))
            .or_default()
            .extend(operations);
    }
    let rules =
        rules.into_iter().map(
            |((permission, kind, name, pattern, host), operations)| Rule {
                permission: permission.spelling().cli,
                resource: RuleResource {
                    kind,
                    name: Some(name),
                    pattern_type: Some(pattern.spelling().cli),
                },
                host: host.to_string(),
                operations: operations.into_iter().map(word).collect(),
            },
        );
    Ok(rules.collect())
}

/// The type of the resource and its name, as the operator spells them.
fn resource_of(acl: &Acl) -> Result<(&'static str, &str), &'static str> {
    let (name, pattern) = (acl.resource_name.as_str(), acl.pattern_type);
    match acl.resource_type {
        ResourceType::Topic => Ok(("topic", name)),
        ResourceType::Group => Ok(("group", name)),
        ResourceType::TransactionalId => Ok(("transactionalId", name)),
        ResourceType::Subject => Ok(("subject", name)),
        ResourceType::Cluster if name == CLUSTER_NAME && pattern == PatternType::Literal => {
            Ok(("cluster", ""))
        }
        ResourceType::Registry if name.is_empty() && pattern == PatternType::Literal => {
            Ok(("registry", ""))
        }
        ResourceType::Cluster | ResourceType::Registry => {
            Err("the operator takes neither a name nor a prefix here")
        }
        ResourceType::DelegationToken | ResourceType::User => {
            Err("the platform has no such resource")
        }
    }
}

/// The operations that the operator takes for a type of resource: it has no `All`.
fn operations(resource_type: ResourceType) -> Vec<Operation> {
    let mut operations = resource_type.operations().to_vec();
    if resource_type == ResourceType::Registry {
        operations.extend([Operation::Write, Operation::Delete]);
    }
    operations
}

/// A new name for an object, similar to this text. It depends on the text alone, as long as no
/// object has it.
fn object_name(text: &str, taken: &mut BTreeSet<String>) -> String {
    const MAX_READABLE: usize = 100;
    let words = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut readable = words
        .map(str::to_ascii_lowercase)
        .collect::<Vec<_>>()
        .join("-");
    readable.truncate(MAX_READABLE);
    let first = format!("{readable}-{:.8x}", Sha256::digest(text));
    let first = first.trim_start_matches('-').to_owned();
    let others = (2_usize..).map(|number| format!("{first}-{number}"));
    let name = std::iter::once(first.clone())
        .chain(others)
        .find(|name| !taken.contains(name))
        .unwrap_or(first);
    taken.insert(name.clone());
    name
}
