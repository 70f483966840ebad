//! Resources of the platform's Terraform provider, in HCL.

use std::fmt::Write;

use gbac_engine::escape::{escaped, is_hidden};
use gbac_engine::model::{
    Acl, Host, Operation, Permission, Principal, PrincipalType, ResourceType, Role, RoleSpelling,
};
use gbac_engine::policy::Policy;

use crate::export::{Notes, described};

/// The beginning of the file.
pub(super) const HEAD: &str = r#"# Terraform 1.6 or OpenTofu 1.7, with the provider redpanda-data/redpanda 2.1 or later.
terraform {
  required_providers {
    redpanda = {
      source  = "redpanda-data/redpanda"
      version = ">= 2.1"
    }
  }
}

variable "cluster_api_url" {
  description = "The address of the cluster's Data Plane API"
  type        = string
}

variable "cluster_id" {
  description = "The ID of the cluster"
  type        = string
}
"#;

const CLUSTER_URL: &str = "var.cluster_api_url";
const CLUSTER_ID: &str = "var.cluster_id";

/// A string in HCL, or a part of one.
#[derive(Clone)]
enum Part {
    /// A text as it is.
    Text(String),
    /// The value of an expression.
    Value(String),
}

/// One resource.
struct Resource {
    kind: &'static str,
    label: String,
    attributes: Vec<(&'static str, Part)>,
    is_after_denies: bool,
    /// The ID for an import block, if the cluster has the resource.
    import: Option<Vec<Part>>,
}

/// The roles, their members and the ACLs. Terraform creates resources in any order, so the allows
/// depend on the denies: nothing is allowed temporarily that is denied in the end.
pub(super) fn resources(policy: &Policy, current: Option<&Policy>, notes: &mut Notes) -> String {
    notes.of_refusals(policy);
    let [denies, allows] = [Permission::Deny, Permission::Allow].map(|permission| {
        let acls = policy.acls().filter(|acl| acl.permission == permission);
        acls.filter_map(|acl| resource_of(&acl, current, notes))
            .collect::<Vec<Resource>>()
    });
    let mut out = String::new();
    let has_denies = !denies.is_empty();
    if has_denies {
        let names: String = denies
            .iter()
            .map(|deny| format!("    {}.{},\n", deny.kind, deny.label))
            .collect();
        out.push_str(
            "\n# Allows are created after these.\nresource \"terraform_data\" \"denies\" {\n",
        );
        let _ = write!(out, "  depends_on = [\n{names}  ]\n}}\n");
    }
    let roles = policy
        .roles()
        .flat_map(|role| of_role(&role, current, notes))
        .collect::<Vec<Resource>>();
    for mut resource in denies.into_iter().chain(roles).chain(allows) {
        resource.is_after_denies &= has_denies;
        write_resource(&mut out, &resource);
    }
    out
}

/// A role and its members, which name the role's resource, so that the role is created first.
fn of_role(role: &Role, current: Option<&Policy>, notes: &mut Notes) -> Vec<Resource> {
    let name = &role.name;
    let held = current.and_then(|current| current.role(name));
    let role_label = format!("role__{}", label(name));
    let mut resources = vec![Resource {
        kind: "redpanda_role",
        label: role_label.clone(),
        attributes: vec![
            ("cluster_api_url", value(CLUSTER_URL)),
            ("name", text(name)),
        ],
        is_after_denies: false,
        import: held
            .is_some()
            .then(|| vec![text(name), text(","), value(CLUSTER_ID)]),
    }];
    let is_importable = !name.contains(':');
    let is_held = |member: &Principal| {
        held.as_ref()
            .is_some_and(|held| held.members.contains(member))
    };
    if !is_importable && role.members.iter().any(is_held) {
        let message = format!(
            "no import blocks for the members of role `{}`: its name has a colon",
            escaped(name)
        );
        notes.push("not_imported", message);
    }
    for member in &role.members {
        let spelled = member.to_string();
        if !matches!(member.kind(), PrincipalType::User | PrincipalType::Group) {
            let what = format!("`{}` in role `{}`", escaped(&spelled), escaped(name));
            notes.not_written(&what, "the provider assigns users and groups");
            continue;
        }
        resources.push(Resource {
            kind: "redpanda_role_assignment",
            label: format!("member__{}__{}", label(name), labels(member)),
            is_after_denies: false,
            import: (is_importable && is_held(member)).then(|| {
                vec![
                    text(name),
                    text(":"),
                    text(&spelled),
                    text("|"),
                    value(CLUSTER_URL),
                ]
            }),
            attributes: vec![
                ("cluster_api_url", value(CLUSTER_URL)),
                (
                    "role_name",
                    value(&format!("redpanda_role.{role_label}.name")),
                ),
                ("principal", Part::Text(spelled)),
            ],
        });
    }
    resources
}

/// An ACL of the cluster or of the Schema Registry.
fn resource_of(acl: &Acl, current: Option<&Policy>, notes: &mut Notes) -> Option<Resource> {
    let words = match words_of(acl) {
        Ok(words) => words,
        Err(why) => {
            notes.lost_acl(acl, why);
            return None;
        }
    };
    let [kind, name, pattern, principal, host, operation, permission] = words.map(Part::Text);
    let (resource, attributes) = match acl.resource_type {
        ResourceType::Registry | ResourceType::Subject => (
            "redpanda_schema_registry_acl",
            vec![
                ("cluster_id", value(CLUSTER_ID)),
                ("principal", principal),
                ("resource_type", kind),
                ("resource_name", name),
                ("pattern_type", pattern),
                ("host", host),
                ("operation", operation),
                ("permission", permission),
            ],
        ),
        _ => (
            "redpanda_acl",
            vec![
                ("cluster_api_url", value(CLUSTER_URL)),
                ("resource_type", kind),
                ("resource_name", name),
                ("resource_pattern_type", pattern),
                ("principal", principal),
                ("host", host),
                ("operation", operation),
                ("permission_type", permission),
            ],
        ),
    };
    let is_held = current.is_some_and(|current| current.has_acl(acl));
    let has_comma = [acl.resource_name.as_str(), acl.principal.name()]
        .iter()
        .any(|name| name.contains(','));
    if is_held && has_comma {
        let message = format!(
            "no import block: {}: the provider splits the ID at commas",
            described(acl)
        );
        notes.push("not_imported", message);
    }
    let import = (is_held && !has_comma).then(|| {
        // The ID of an ACL names the cluster, not its address.
        let rest = attributes
            .iter()
            .skip(1)
            .flat_map(|(_, part)| [text(","), part.clone()]);
        std::iter::once(value(CLUSTER_ID)).chain(rest).collect()
    });
    Some(Resource {
        kind: resource,
        label: [
            acl.permission.spelling().audit.to_owned(),
            label(acl.operation.spelling().audit),
            label(acl.resource_type.spelling().audit),
            acl.pattern_type.spelling().audit.to_owned(),
            label(&acl.resource_name),
            labels(&acl.principal),
            if acl.host == Host::Any {
                "any".into()
            } else {
                label(&acl.host.to_string())
            },
        ]
        .join("__"),
        attributes,
        is_after_denies: acl.permission == Permission::Allow,
        import,
    })
}

/// The seven fields in the provider's words, in the order of an ACL's ID; or why it has none.
fn words_of(acl: &Acl) -> Result<[String; 7], &'static str> {
    let is_registry = matches!(
        acl.resource_type,
        ResourceType::Registry | ResourceType::Subject
    );
    let name = match acl.resource_type {
        ResourceType::DelegationToken | ResourceType::User => {
            return Err("the platform has no such resource");
        }
        ResourceType::Registry if acl.resource_name.is_empty() => "*",
        ResourceType::Registry => return Err("the Schema Registry has no name"),
        _ => &acl.resource_name,
    };
    let operation = match acl.operation {
        Operation::CreateTokens | Operation::DescribeTokens | Operation::TwoPhaseCommit => {
            return Err("the platform has no such operation");
        }
        Operation::Create | Operation::ClusterAction | Operation::IdempotentWrite
            if is_registry =>
        {
            return Err("the Schema Registry has no such operation");
        }
        operation => operation.spelling().audit,
    };
    if matches!(acl.host, Host::Range(_)) {
        return Err("the platform has no ranges of hosts");
    }
    if acl.principal.kind() == PrincipalType::Other {
        return Err("the platform has no such principal");
    }
    let upper = |word: &str| word.to_ascii_uppercase();
    Ok([
        upper(acl.resource_type.spelling().audit),
        name.to_owned(),
        upper(acl.pattern_type.spelling().audit),
        RoleSpelling::IN_REQUESTS.principal(&acl.principal),
        acl.host.to_string(),
        upper(operation),
        upper(acl.permission.spelling().audit),
    ])
}

fn write_resource(out: &mut String, resource: &Resource) {
    let Resource {
        kind,
        label,
        attributes,
        is_after_denies,
        import,
    } = resource;
    let _ = write!(out, "\nresource \"{kind}\" \"{label}\" {{\n");
    // Aligned as `terraform fmt` does.
    let depends = is_after_denies.then_some("depends_on");
    let width = attributes
        .iter()
        .map(|(name, _)| *name)
        .chain(depends)
        .map(str::len)
        .max()
        .unwrap_or_default();
    for (name, part) in attributes {
        let _ = match part {
            Part::Text(words) => writeln!(out, "  {name:width$} = \"{}\"", quoted(words)),
            Part::Value(expression) => writeln!(out, "  {name:width$} = {expression}"),
        };
    }
    if let Some(depends) = depends {
        let _ = writeln!(out, "  {depends:width$} = [terraform_data.denies]");
    }
    out.push_str("}\n");
    if let Some(parts) = import {
        let id: String = parts
            .iter()
            .map(|part| match part {
                Part::Text(words) => quoted(words),
                Part::Value(expression) => format!("${{{expression}}}"),
            })
            .collect();
        let _ = write!(
            out,
            "\nimport {{\n  to = {kind}.{label}\n  id = \"{id}\"\n}}\n"
        );
    }
}

fn text(words: &str) -> Part {
    Part::Text(words.into())
}

fn value(expression: &str) -> Part {
    Part::Value(expression.into())
}

/// The content of a quoted template: without interpolation, and without characters that cannot be
/// seen.
fn quoted(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut characters = words.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '$' | '%' if characters.peek() == Some(&'{') => out.extend([character, character]),
            _ if is_hidden(character) && u32::from(character) > 0xffff => {
                let _ = write!(out, "\\U{:08x}", u32::from(character));
            }
            _ if is_hidden(character) => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}

/// A text as a part of a label, in which `__` separates the parts. Different texts have different
/// labels, so that a resource keeps its label when others come and go.
fn label(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for character in words.chars() {
        if character.is_ascii_alphanumeric() || character == '-' {
            out.push(character);
        } else {
            let _ = write!(out, "_{:x}_", u32::from(character));
        }
    }
    out
}

/// A principal as two parts of a label.
fn labels(principal: &Principal) -> String {
    format!("{}__{}", principal.kind().prefix(), label(principal.name()))
}
