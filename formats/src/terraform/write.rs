//! Resources of the platform's Terraform provider, in HCL.

use std::collections::BTreeSet;
use std::fmt::Write;

use gbac_engine::escape::{escaped, is_hidden};
use gbac_engine::model::{
    Acl, Host, Operation, Permission, Principal, PrincipalType, ResourceType, Role, RoleSpelling,
};
use gbac_engine::policy::Policy;

use crate::export::{Notes, check_host, described};

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
    let denies = of_permission(policy, Permission::Deny, current, notes);
    let allows = of_permission(policy, Permission::Allow, current, notes);
    let mut out = String::new();
    let has_denies = !denies.is_empty();
    if has_denies {
        out.push_str(
            "\n# Allows are created after these.\nresource \"terraform_data\" \"denies\" {\n  depends_on = [\n",
        );
        for deny in &denies {
            let _ = writeln!(out, "    {}.{},", deny.kind, deny.label);
        }
        out.push_str("  ]\n}\n");
    }
    let mut roles = Vec::new();
    for role in policy.roles() {
        roles.extend(of_role(&role, current, notes));
    }
    for mut resource in denies.into_iter().chain(roles).chain(allows) {
        resource.is_after_denies &= has_denies;
        write_resource(&mut out, &resource);
    }
    out
}

fn of_permission(
    policy: &Policy,
    permission: Permission,
    current: Option<&Policy>,
    notes: &mut Notes,
) -> Vec<Resource> {
    let mut resources = Vec::new();
    for acl in policy.acls() {
        if acl.permission == permission {
            resources.extend(resource_of(&acl, current, notes));
        }
    }
    resources
}

/// A role and its members, which name the role's resource, so that the role is created first.
fn of_role(role: &Role, current: Option<&Policy>, notes: &mut Notes) -> Vec<Resource> {
    let name = &role.name;
    let (is_role_held, held) = match current.and_then(|current| current.role(name)) {
        Some(role) => (true, role.members),
        None => (false, BTreeSet::new()),
    };
    let role_label = format!("role__{}", label(name));
    let mut resources = vec![Resource {
        kind: "redpanda_role",
        label: role_label.clone(),
        attributes: vec![
            ("cluster_api_url", value(CLUSTER_URL)),
            ("name", text(name)),
        ],
        is_after_denies: false,
        import: is_role_held.then(|| vec![text(name), text(","), value(CLUSTER_ID)]),
    }];
    let is_importable = !name.contains(':');
    if !is_importable && !role.members.is_disjoint(&held) {
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
            import: (is_importable && held.contains(member)).then(|| {
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
    let mut import = None;
    if is_held && has_comma {
        let message = format!(
            "no import block: {}: the provider splits the ID at commas",
            described(acl)
        );
        notes.push("not_imported", message);
    } else if is_held {
        // The ID of an ACL names the cluster, not its address.
        let mut id = vec![value(CLUSTER_ID)];
        for (_, part) in attributes.iter().skip(1) {
            id.extend([text(","), part.clone()]);
        }
        import = Some(id);
    }
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
    check_host(acl)?;
    if acl.principal.kind() == PrincipalType::Other {
        return Err("the platform has no such principal");
    }
    Ok([
        acl.resource_type.spelling().audit.to_ascii_uppercase(),
        name.to_owned(),
        acl.pattern_type.spelling().audit.to_ascii_uppercase(),
        RoleSpelling::IN_REQUESTS.principal(&acl.principal),
        acl.host.to_string(),
        operation.to_ascii_uppercase(),
        acl.permission.spelling().audit.to_ascii_uppercase(),
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
