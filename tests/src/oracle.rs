//! The oracle: specification 1.6 and D-20 as loops over all ACLs, independent of the engine's
//! search.

use std::cmp::Ordering;
use std::net::IpAddr;

use gbac_engine::model::{
    Acl, Host, HostRange, KafkaVersion, Operation, PatternType, Permission, PrincipalType,
    ResourceType, Role,
};

/// Everything the oracle looks at, as plain lists.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// ACLs, in any order.
    pub acls: Vec<Acl>,
    /// Roles, in any order.
    pub roles: Vec<Role>,
    /// Superusers.
    pub superusers: Vec<String>,
}

/// A request, as plain values.
#[derive(Debug, Clone)]
pub struct OracleQuestion {
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

/// The answer: outcome, reason, source, group, role, ACL, whether the host was missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `allow` or `deny`.
    pub outcome: &'static str,
    /// The reason's stable name.
    pub reason: &'static str,
    /// The source's stable name.
    pub source: Option<&'static str>,
    /// The group on the way.
    pub group: Option<String>,
    /// The role on the way.
    pub role: Option<String>,
    /// The deciding ACL.
    pub acl: Option<Acl>,
    /// Whether the host could change the answer.
    pub host_unknown: bool,
}

/// One ACL seen through one of the four sources, with everything that D-20 sorts by.
struct Found<'a> {
    way: (usize, &'static str, Option<&'a str>, Option<&'a str>),
    acl: &'a Acl,
}

/// Decides by reading every ACL once for each source.
#[must_use]
pub fn decide(facts: &Facts, asked: &OracleQuestion) -> Verdict {
    decide_in(None, facts, asked)
}

/// The principal type of another kind than users, groups and roles that the cases of Kafka have.
pub const SERVICE: &str = "Service:";

/// As [`decide`], in a version of Kafka: a user that begins with [`SERVICE`] is a principal of that
/// type.
#[must_use]
pub fn decide_in(kafka: Option<KafkaVersion>, facts: &Facts, asked: &OracleQuestion) -> Verdict {
    let other = kafka.is_some() && asked.user.starts_with(SERVICE);
    let ranges = kafka.is_some_and(|version| version >= KafkaVersion::new(4, 4));
    let rules = Rules { other, ranges };
    let none = |outcome, reason, host_unknown| Verdict {
        outcome,
        reason,
        source: None,
        group: None,
        role: None,
        acl: None,
        host_unknown,
    };
    if !other && facts.superusers.contains(&asked.user) {
        return none("allow", "superuser", false);
    }
    let denies = matching(facts, asked, rules, Permission::Deny, true);
    if let Some(first) = denies.first() {
        return verdict(first, asked, "deny", "deny_rule");
    }
    let allows = matching(facts, asked, rules, Permission::Allow, false);
    if let Some(first) = allows.first() {
        return verdict(first, asked, "allow", "allow_rule");
    }
    let might =
        asked.host.is_none() && !matching(facts, asked, rules, Permission::Allow, true).is_empty();
    none("deny", "no_match", might)
}

fn verdict(
    found: &Found<'_>,
    asked: &OracleQuestion,
    outcome: &'static str,
    reason: &'static str,
) -> Verdict {
    let (_, source, group, role) = found.way;
    Verdict {
        outcome,
        reason,
        source: Some(source),
        group: group.map(String::from),
        role: role.map(String::from),
        acl: Some(Acl {
            resource_name: acl_name(found.acl).into(),
            ..found.acl.clone()
        }),
        host_unknown: asked.host.is_none() && found.acl.host != Host::Any,
    }
}

/// What Kafka does that the platform does not.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// The principal is of another type.
    other: bool,
    /// Ranges of hosts match.
    ranges: bool,
}

/// The ACLs of one permission that match, first the one that D-20 reports.
fn matching<'a>(
    facts: &'a Facts,
    asked: &'a OracleQuestion,
    rules: Rules,
    permission: Permission,
    unknown_host_matches: bool,
) -> Vec<Found<'a>> {
    let mut found: Vec<Found<'a>> = Vec::new();
    for way in ways(facts, asked, rules) {
        for acl in &facts.acls {
            if acl.permission == permission
                && principal_matches(acl, &way, asked, rules)
                && acl.resource_type == asked.resource_type
                && name_matches(acl, asked)
                && operation_place(acl, asked.operation).is_some()
                && host_matches(acl, asked.host, rules, unknown_host_matches)
            {
                found.push(Found { way, acl });
            }
        }
    }
    found.sort_by(|a, b| order(a, b, asked));
    found
}

type Way<'a> = (usize, &'static str, Option<&'a str>, Option<&'a str>);

/// User, the user's roles by name, then each group: itself, then its roles by name.
fn ways<'a>(facts: &'a Facts, asked: &'a OracleQuestion, rules: Rules) -> Vec<Way<'a>> {
    let mut ways: Vec<Way<'a>> = vec![(0, "user_acl", None, None)];
    // Only users and groups are members of roles.
    let roles = if rules.other {
        Vec::new()
    } else {
        roles_of(facts, PrincipalType::User, &asked.user)
    };
    for role in roles {
        ways.push((ways.len(), "role_acl", None, Some(role)));
    }
    for group in &asked.groups {
        ways.push((ways.len(), "group_acl", Some(group), None));
        for role in roles_of(facts, PrincipalType::Group, group) {
            ways.push((ways.len(), "group_role_acl", Some(group), Some(role)));
        }
    }
    ways
}

fn roles_of<'a>(facts: &'a Facts, kind: PrincipalType, name: &str) -> Vec<&'a str> {
    let mut names: Vec<&str> = facts
        .roles
        .iter()
        .filter(|role| {
            role.members
                .iter()
                .any(|member| member.kind() == kind && member.name() == name)
        })
        .map(|role| role.name.as_str())
        .collect();
    names.sort_unstable();
    names
}

fn principal_matches(acl: &Acl, way: &Way<'_>, asked: &OracleQuestion, rules: Rules) -> bool {
    let (kind, name) = (acl.principal.kind(), acl.principal.name());
    match way {
        (_, _, _, Some(role)) => kind == PrincipalType::Role && name == *role,
        (_, _, Some(group), None) => kind == PrincipalType::Group && name == *group,
        (_, _, None, None) if kind == PrincipalType::User => {
            (!rules.other && name == asked.user) || name == "*"
        }
        (_, _, None, None) => rules.other && kind == PrincipalType::Other && name == asked.user,
    }
}

/// The cluster has one name, and an empty one means the same (D-37).
fn resource_name(resource_type: ResourceType, name: &str) -> &str {
    if resource_type == ResourceType::Cluster && name.is_empty() {
        "kafka-cluster"
    } else {
        name
    }
}

fn asked_name(asked: &OracleQuestion) -> &str {
    resource_name(asked.resource_type, &asked.name)
}

fn acl_name(acl: &Acl) -> &str {
    resource_name(acl.resource_type, &acl.resource_name)
}

fn name_matches(acl: &Acl, asked: &OracleQuestion) -> bool {
    let (pattern, name) = (acl_name(acl), asked_name(asked));
    match acl.pattern_type {
        PatternType::Literal => pattern == name || pattern == "*",
        PatternType::Prefixed => name.as_bytes().starts_with(pattern.as_bytes()),
    }
}

/// The place of the ACL's operation in D-02's order, exact first and `ALL` last.
fn operation_place(acl: &Acl, asked: Operation) -> Option<usize> {
    use Operation::{All, Alter, AlterConfigs, Delete, Describe, DescribeConfigs, Read, Write};
    let order: &[Operation] = match (acl.permission, asked) {
        (Permission::Allow, Describe) => &[Describe, Read, Write, Delete, Alter, All],
        (Permission::Allow, DescribeConfigs) => &[DescribeConfigs, AlterConfigs, All],
        (_, other) => {
            return if acl.operation == other {
                Some(0)
            } else {
                (acl.operation == All).then_some(1)
            };
        }
    };
    order
        .iter()
        .position(|operation| *operation == acl.operation)
}

fn host_matches(acl: &Acl, host: Option<IpAddr>, rules: Rules, unknown_matches: bool) -> bool {
    match (&acl.host, host) {
        (Host::Any, _) => true,
        // Also not with an unknown host: no client has a name.
        (Host::Name(_), _) => false,
        (Host::Range(_), _) if !rules.ranges => false,
        (Host::Range(range), Some(asked)) => in_range(*range, asked),
        (Host::Range(_), None) => unknown_matches,
        (Host::Address(of_acl), Some(asked)) => *of_acl == asked,
        (Host::Address(_), None) => unknown_matches,
    }
}

/// Bit by bit, as text says it.
fn in_range(range: HostRange, address: IpAddr) -> bool {
    let text = range.to_string();
    let (own, prefix) = text.split_once('/').expect("an address and a prefix");
    let bits = |address: IpAddr| match address {
        IpAddr::V4(address) => address
            .octets()
            .iter()
            .map(|byte| format!("{byte:08b}"))
            .collect::<String>(),
        IpAddr::V6(address) => address
            .octets()
            .iter()
            .map(|byte| format!("{byte:08b}"))
            .collect(),
    };
    let (own, address) = (bits(own.parse().expect("an address")), bits(address));
    let prefix: usize = prefix.parse().expect("a number");
    // Kafka counts 0.0.0.0 in no range.
    let is_client = address != "0".repeat(32);
    is_client && own.len() == address.len() && own[..prefix] == address[..prefix]
}

/// One address before ranges, the smallest first, and any host last.
fn host_order(host: &Host) -> (u8, i32) {
    match host {
        Host::Address(_) => (0, 0),
        Host::Range(range) => {
            let text = range.to_string();
            let all = if text.contains(':') { 128 } else { 32 };
            let prefix: i32 = text
                .rsplit('/')
                .next()
                .and_then(|prefix| prefix.parse().ok())
                .expect("a prefix");
            (1, all - prefix)
        }
        Host::Any => (2, 0),
        Host::Name(name) => unreachable!("{} matches nobody", name.as_str()),
    }
}

fn order(a: &Found<'_>, b: &Found<'_>, asked: &OracleQuestion) -> Ordering {
    let key = |found: &Found<'_>| {
        let acl = found.acl;
        let pattern = match acl.pattern_type {
            PatternType::Literal if acl_name(acl) == asked_name(asked) => (0, 0),
            PatternType::Prefixed => (1, usize::MAX - acl.resource_name.len()),
            PatternType::Literal => (2, 0),
        };
        let everyone = acl.principal.name() == "*"
            && acl.principal.kind() == PrincipalType::User
            && asked.user != "*";
        (
            found.way.0,
            pattern,
            everyone,
            host_order(&acl.host),
            operation_place(acl, asked.operation),
            acl.host.clone(),
        )
    };
    key(a).cmp(&key(b))
}
