//! The oracle: specification 1.6 and D-20 as loops over all ACLs, independent of the engine's search.

use std::cmp::Ordering;
use std::net::IpAddr;

use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, PrincipalType, ResourceType, Role};

/// The input of the oracle, as plain lists.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// ACLs, in any order.
    pub acls: Vec<Acl>,
    /// Roles, in any order.
    pub roles: Vec<Role>,
    /// Superusers.
    pub superusers: Vec<String>,
}

/// A query, as plain values.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The user.
    pub user: String,
    /// The groups, in the token's order.
    pub groups: Vec<String>,
    /// The operation.
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name.
    pub name: String,
    /// The client's address.
    pub host: Option<IpAddr>,
}

/// The decision: outcome, reason, source, group, role, ACL, and whether the host was needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `allow` or `deny`.
    pub outcome: &'static str,
    /// The reason's stable name.
    pub reason: &'static str,
    /// The source's stable name.
    pub source: Option<&'static str>,
    /// The group on the access path.
    pub group: Option<String>,
    /// The role on the access path.
    pub role: Option<String>,
    /// The deciding ACL.
    pub acl: Option<Acl>,
    /// Whether the host could change the decision.
    pub host_unknown: bool,
}

/// One ACL through one of the four sources, with the sort keys of D-20.
struct Candidate<'a> {
    path: (usize, &'static str, Option<&'a str>, Option<&'a str>),
    acl: &'a Acl,
}

/// Decides by checking every ACL for every access path.
#[must_use]
pub fn decide(facts: &Facts, asked: &Asked) -> Verdict {
    let none = |outcome, reason, host_unknown| Verdict {
        outcome,
        reason,
        source: None,
        group: None,
        role: None,
        acl: None,
        host_unknown,
    };
    if facts.superusers.contains(&asked.user) {
        return none("allow", "superuser", false);
    }
    let denies = matching(facts, asked, Permission::Deny, true);
    if let Some(first) = denies.first() {
        return verdict(first, asked, "deny", "deny_rule");
    }
    let allows = matching(facts, asked, Permission::Allow, false);
    if let Some(first) = allows.first() {
        return verdict(first, asked, "allow", "allow_rule");
    }
    let might = asked.host.is_none() && !matching(facts, asked, Permission::Allow, true).is_empty();
    none("deny", "no_match", might)
}

fn verdict(found: &Candidate<'_>, asked: &Asked, outcome: &'static str, reason: &'static str) -> Verdict {
    let (_, source, group, role) = found.path;
    Verdict {
        outcome,
        reason,
        source: Some(source),
        group: group.map(String::from),
        role: role.map(String::from),
        acl: Some(Acl { resource_name: acl_name(found.acl).into(), ..found.acl.clone() }),
        host_unknown: asked.host.is_none() && found.acl.host != Host::Any,
    }
}

/// The matching ACLs of one permission; the first one is reported (D-20).
fn matching<'a>(
    facts: &'a Facts,
    asked: &'a Asked,
    permission: Permission,
    unknown_host_matches: bool,
) -> Vec<Candidate<'a>> {
    let mut found: Vec<Candidate<'a>> = Vec::new();
    for path in paths(facts, asked) {
        for acl in &facts.acls {
            if acl.permission == permission
                && principal_matches(acl, &path, asked)
                && acl.resource_type == asked.resource_type
                && name_matches(acl, asked)
                && operation_place(acl, asked.operation).is_some()
                && host_matches(acl, asked.host, unknown_host_matches)
            {
                found.push(Candidate { path, acl });
            }
        }
    }
    found.sort_by(|a, b| order(a, b, asked));
    found
}

type Path<'a> = (usize, &'static str, Option<&'a str>, Option<&'a str>);

/// User, the user's roles by name, then each group: itself, then its roles by name.
fn paths<'a>(facts: &'a Facts, asked: &'a Asked) -> Vec<Path<'a>> {
    let mut paths: Vec<Path<'a>> = vec![(0, "user_acl", None, None)];
    for role in roles_of(facts, PrincipalType::User, &asked.user) {
        paths.push((paths.len(), "role_acl", None, Some(role)));
    }
    for group in &asked.groups {
        paths.push((paths.len(), "group_acl", Some(group), None));
        for role in roles_of(facts, PrincipalType::Group, group) {
            paths.push((paths.len(), "group_role_acl", Some(group), Some(role)));
        }
    }
    paths
}

fn roles_of<'a>(facts: &'a Facts, kind: PrincipalType, name: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = facts
        .roles
        .iter()
        .filter(|role| role.members.iter().any(|member| member.kind() == kind && member.name() == name))
        .map(|role| role.name.as_str())
        .collect();
    names.sort_unstable();
    names
}

fn principal_matches(acl: &Acl, path: &Path<'_>, asked: &Asked) -> bool {
    let (kind, name) = (acl.principal.kind(), acl.principal.name());
    match path {
        (_, _, _, Some(role)) => kind == PrincipalType::Role && name == *role,
        (_, _, Some(group), None) => kind == PrincipalType::Group && name == *group,
        (_, _, None, None) => kind == PrincipalType::User && (name == asked.user || name == "*"),
    }
}

/// The cluster has one name, and an empty name is equivalent (D-37).
fn resource_name(resource_type: ResourceType, name: &str) -> &str {
    if resource_type == ResourceType::Cluster && name.is_empty() { "kafka-cluster" } else { name }
}

fn asked_name(asked: &Asked) -> &str {
    resource_name(asked.resource_type, &asked.name)
}

fn acl_name(acl: &Acl) -> &str {
    resource_name(acl.resource_type, &acl.resource_name)
}

fn name_matches(acl: &Acl, asked: &Asked) -> bool {
    let (pattern, name) = (acl_name(acl), asked_name(asked));
    match acl.pattern_type {
        PatternType::Literal => pattern == name || pattern == "*",
        PatternType::Prefixed => name.as_bytes().starts_with(pattern.as_bytes()),
    }
}

/// The position of the ACL's operation in D-02's order, exact first and `ALL` last.
fn operation_place(acl: &Acl, asked: Operation) -> Option<usize> {
    use Operation::{All, Alter, AlterConfigs, Delete, Describe, DescribeConfigs, Read, Write};
    let order: &[Operation] = match (acl.permission, asked) {
        (Permission::Allow, Describe) => &[Describe, Read, Write, Delete, Alter, All],
        (Permission::Allow, DescribeConfigs) => &[DescribeConfigs, AlterConfigs, All],
        (_, other) => return if acl.operation == other { Some(0) } else { (acl.operation == All).then_some(1) },
    };
    order.iter().position(|operation| *operation == acl.operation)
}

fn host_matches(acl: &Acl, host: Option<IpAddr>, unknown_matches: bool) -> bool {
    match (acl.host, host) {
        (Host::Any, _) => true,
        (Host::Address(of_acl), Some(asked)) => of_acl == asked,
        (Host::Address(_), None) => unknown_matches,
    }
}

fn order(a: &Candidate<'_>, b: &Candidate<'_>, asked: &Asked) -> Ordering {
    let key = |found: &Candidate<'_>| {
        let acl = found.acl;
        let pattern = match acl.pattern_type {
            PatternType::Literal if acl_name(acl) == asked_name(asked) => (0, 0),
            PatternType::Prefixed => (1, usize::MAX - acl.resource_name.len()),
            PatternType::Literal => (2, 0),
        };
        let everyone = acl.principal.name() == "*" && acl.principal.kind() == PrincipalType::User && asked.user != "*";
        let any_host = acl.host == Host::Any;
        (found.path.0, pattern, everyone, any_host, operation_place(acl, asked.operation), acl.host)
    };
    key(a).cmp(&key(b))
}
