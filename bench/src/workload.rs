//! The workload: ACLs, identities and queries of a given size, always the same.

use std::collections::{HashMap, HashSet};

use oorandom::Rand64;
use serde::{Deserialize, Serialize};

use crate::document::{
    Acl, Document, Member, Operation, PatternType, Permission, ResourceType, Role,
};

/// The measured numbers of ACLs.
pub const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// The measured numbers of groups in a token.
pub const GROUPS: [usize; 3] = [1, 10, 200];
/// The number of identities for each number of groups.
pub const IDENTITIES: usize = 200;
/// The number of queries for each number of groups.
pub const QUERIES: usize = 10_000;

/// Another seed changes every result. With this one, between 4 and 7 of 10 queries are allowed at
/// every size: none of the ten ACLs on `*` decides most of them.
const SEED: u128 = 11;
const TEAMS: usize = 20;
const APPS: usize = 20;
const LEAVES: [&str; 8] = [
    "orders", "payments", "events", "clicks", "audit", "metrics", "users", "stock",
];

/// An identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// The user's name.
    pub user: String,
    /// The groups' names, without duplicates.
    pub groups: Vec<String>,
}

/// A query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The index of the identity.
    pub identity: usize,
    /// The operation, never [`Operation::All`].
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name.
    pub name: String,
}

/// Identities with one number of groups, and their queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Questions {
    /// The number of groups of each identity.
    pub groups: usize,
    /// The identities.
    pub identities: Vec<Who>,
    /// The queries.
    pub queries: Vec<Query>,
}

/// Generates a policy of `size` ACLs, of which `everywhere` are on the literal `*`.
///
/// 70% literal and 30% prefixed names (of these, 5% are an organization's, 25% a team's, 70% an
/// application's), 5% denies, topics 70%, consumer groups 20%, transactional IDs 10%; principals:
/// 20% users, 40% groups, 40% roles with 1 to 20 ACLs and 1 to 50 members.
#[must_use]
pub fn document(size: usize, everywhere: usize) -> Document {
    let mut dice = dice(size, 0);
    let people = people(size);
    let (roles, mut principals) = principals(size, people, &mut dice);
    shuffle(&mut principals, &mut dice);
    let mut seen = HashSet::new();
    let mut acls = Vec::with_capacity(size);
    for principal in principals {
        loop {
            let acl = acl(&principal, acls.len() < everywhere, size, &mut dice);
            // A policy is a set, so a duplicate would reduce the number of ACLs.
            if seen.insert(acl.clone()) {
                acls.push(acl);
                break;
            }
        }
    }
    shuffle(&mut acls, &mut dice);
    Document {
        version: 1,
        roles,
        acls,
    }
}

/// Generates the queries for a policy; half of them are for resources on which the identity has an
/// ACL.
#[must_use]
pub fn questions(document: &Document, groups: usize) -> Questions {
    let size = document.acls.len();
    let mut dice = dice(size, groups);
    let people = people(size);
    let mut of_principal: HashMap<&str, Vec<&Acl>> = HashMap::new();
    for acl in &document.acls {
        of_principal.entry(&acl.principal).or_default().push(acl);
    }
    let mut roles_of: HashMap<&str, Vec<&str>> = HashMap::new();
    for role in &document.roles {
        for member in &role.members {
            roles_of
                .entry(&member.principal)
                .or_default()
                .push(&role.name);
        }
    }
    let identities: Vec<Who> = (0..IDENTITIES)
        .map(|_| who(groups, people, &mut dice))
        .collect();
    let aims: Vec<Vec<&Acl>> = identities
        .iter()
        .map(|who| {
            let mut found = Vec::new();
            for member in principals_of(who) {
                found.extend(of_principal.get(member.as_str()).into_iter().flatten());
                for role in roles_of.get(member.as_str()).into_iter().flatten() {
                    found.extend(
                        of_principal
                            .get(format!("Role:{role}").as_str())
                            .into_iter()
                            .flatten(),
                    );
                }
            }
            found
        })
        .collect();
    let queries = (0..QUERIES)
        .map(|place| {
            let identity = place % IDENTITIES;
            let aims = &aims[identity];
            if below(&mut dice, 2) == 0 && !aims.is_empty() {
                aimed(
                    identity,
                    aims[below(&mut dice, aims.len())],
                    size,
                    &mut dice,
                )
            } else {
                let resource_type = resource_type(&mut dice);
                let operation = operation(resource_type, &mut dice);
                Query {
                    identity,
                    operation,
                    resource_type,
                    name: name(size, &mut dice),
                }
            }
        })
        .collect();
    Questions {
        groups,
        identities,
        queries,
    }
}

/// The user and the groups as principals.
fn principals_of(who: &Who) -> impl Iterator<Item = String> {
    let groups = who.groups.iter().map(|group| format!("Group:{group}"));
    std::iter::once(format!("User:{}", who.user)).chain(groups)
}

fn dice(size: usize, stream: usize) -> Rand64 {
    Rand64::new(SEED + ((size as u128) << 64) + ((stream as u128) << 40))
}

/// A random number below `bound`, which must not be 0.
pub(crate) fn below(dice: &mut Rand64, bound: usize) -> usize {
    usize::try_from(dice.rand_range(0..bound as u64)).unwrap_or_default()
}

fn shuffle<T>(items: &mut [T], dice: &mut Rand64) {
    for place in (1..items.len()).rev() {
        items.swap(place, below(dice, place + 1));
    }
}

/// The number of users and of groups.
fn people(size: usize) -> usize {
    (size / 20).max(250)
}

/// The roles, and the principal of every ACL.
fn principals(size: usize, people: usize, dice: &mut Rand64) -> (Vec<Role>, Vec<String>) {
    let mut principals = Vec::with_capacity(size);
    for _ in 0..size / 5 {
        principals.push(format!("User:{}", user(people, dice)));
    }
    for _ in 0..size * 2 / 5 {
        principals.push(format!("Group:{}", group(people, dice)));
    }
    let mut roles = Vec::new();
    while principals.len() < size {
        let name = format!("role-{}", roles.len());
        let acls = (1 + below(dice, 20)).min(size - principals.len());
        principals.extend(std::iter::repeat_n(format!("Role:{name}"), acls));
        let mut members: Vec<String> = (0..1 + below(dice, 50))
            .map(|_| match below(dice, 2) {
                0 => format!("User:{}", user(people, dice)),
                _ => format!("Group:{}", group(people, dice)),
            })
            .collect();
        members.sort();
        members.dedup();
        roles.push(Role {
            name,
            members: members
                .into_iter()
                .map(|principal| Member { principal })
                .collect(),
        });
    }
    (roles, principals)
}

fn user(people: usize, dice: &mut Rand64) -> String {
    format!("user-{}@example.com", below(dice, people))
}

fn group(people: usize, dice: &mut Rand64) -> String {
    format!("group-{}", below(dice, people))
}

fn who(groups: usize, people: usize, dice: &mut Rand64) -> Who {
    let user = user(people, dice);
    let mut names: Vec<String> = Vec::new();
    while names.len() < groups {
        let name = group(people, dice);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Who {
        user,
        groups: names,
    }
}

fn acl(principal: &str, everywhere: bool, size: usize, dice: &mut Rand64) -> Acl {
    let resource_type = resource_type(dice);
    let (resource_pattern_type, resource_name) = if everywhere {
        (PatternType::Literal, "*".to_owned())
    } else if below(dice, 100) < 70 {
        (PatternType::Literal, name(size, dice))
    } else {
        (PatternType::Prefixed, prefix(size, dice))
    };
    let operations = resource_type.operations();
    let operation = operations[below(dice, operations.len())];
    let permission_type = if below(dice, 100) < 5 {
        Permission::Deny
    } else {
        Permission::Allow
    };
    Acl {
        resource_type,
        resource_name,
        resource_pattern_type,
        principal: principal.to_owned(),
        host: "*".to_owned(),
        operation,
        permission_type,
    }
}

fn resource_type(dice: &mut Rand64) -> ResourceType {
    match below(dice, 100) {
        0..70 => ResourceType::Topic,
        70..90 => ResourceType::Group,
        _ => ResourceType::TransactionalId,
    }
}

/// A random operation of a request.
fn operation(resource_type: ResourceType, dice: &mut Rand64) -> Operation {
    let operations = resource_type.operations();
    operations[1 + below(dice, operations.len() - 1)]
}

/// A random organization, one for every 500 ACLs.
fn organisation(size: usize, dice: &mut Rand64) -> String {
    format!("org{}.", below(dice, (size / 500).max(20)))
}

fn prefix(size: usize, dice: &mut Rand64) -> String {
    let mut text = organisation(size, dice);
    let level = below(dice, 100);
    if level >= 5 {
        text += &format!("team{}.", below(dice, TEAMS));
    }
    if level >= 30 {
        text += &format!("app{}.", below(dice, APPS));
    }
    text
}

fn name(size: usize, dice: &mut Rand64) -> String {
    let organisation = organisation(size, dice);
    let (team, app) = (below(dice, TEAMS), below(dice, APPS));
    format!("{organisation}team{team}.app{app}.{}", leaf(dice))
}

fn leaf(dice: &mut Rand64) -> String {
    format!("{}-{}", LEAVES[below(dice, LEAVES.len())], below(dice, 4))
}

/// A query for a resource that the ACL covers, mostly with its own operation.
fn aimed(identity: usize, acl: &Acl, size: usize, dice: &mut Rand64) -> Query {
    let name = match (acl.resource_pattern_type, acl.resource_name.as_str()) {
        (PatternType::Literal, "*") => name(size, dice),
        (PatternType::Literal, name) => name.to_owned(),
        (PatternType::Prefixed, prefix) => match prefix.matches('.').count() {
            1 => format!(
                "{prefix}team{}.app{}.{}",
                below(dice, TEAMS),
                below(dice, APPS),
                leaf(dice)
            ),
            2 => format!("{prefix}app{}.{}", below(dice, APPS), leaf(dice)),
            _ => format!("{prefix}{}", leaf(dice)),
        },
    };
    let keep = acl.operation != Operation::All && below(dice, 4) > 0;
    let operation = if keep {
        acl.operation
    } else {
        operation(acl.resource_type, dice)
    };
    Query {
        identity,
        operation,
        resource_type: acl.resource_type,
        name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(document: &Document, is: impl Fn(&Acl) -> bool) -> f64 {
        document.acls.iter().filter(|acl| is(acl)).count() as f64 / document.acls.len() as f64
    }

    #[test]
    fn the_shares_are_those_that_are_promised() {
        let document = document(10_000, 10);
        assert_eq!(document.acls.len(), 10_000);
        let near = |share: f64, expected: f64| {
            assert!((share - expected).abs() < 0.02, "{share}, not {expected}");
        };
        near(
            share(&document, |acl| {
                acl.resource_pattern_type == PatternType::Literal
            }),
            0.7,
        );
        near(
            share(&document, |acl| acl.permission_type == Permission::Deny),
            0.05,
        );
        near(
            share(&document, |acl| acl.resource_type == ResourceType::Topic),
            0.7,
        );
        near(
            share(&document, |acl| acl.resource_type == ResourceType::Group),
            0.2,
        );
        near(
            share(&document, |acl| acl.principal.starts_with("User:")),
            0.2,
        );
        near(
            share(&document, |acl| acl.principal.starts_with("Role:")),
            0.4,
        );
        assert_eq!(
            document
                .acls
                .iter()
                .filter(|acl| acl.resource_name == "*")
                .count(),
            10
        );
        let organisations = |acl: &Acl| {
            acl.resource_name.ends_with('.') && acl.resource_name.matches('.').count() == 1
        };
        near(share(&document, organisations), 0.3 * 0.05);
        assert!(
            document
                .roles
                .iter()
                .all(|role| (1..=50).contains(&role.members.len()))
        );
    }

    #[test]
    fn the_workload_is_always_the_same() {
        let (first, again) = (document(1_000, 10), document(1_000, 10));
        assert_eq!(first, again);
        assert_eq!(questions(&first, 10), questions(&again, 10));
        // If the numbers below change, earlier measurements are incomparable.
        let text = serde_json::to_vec(&first).unwrap();
        let sum = text
            .iter()
            .fold(0u32, |sum, byte| sum.rotate_left(5) ^ u32::from(*byte));
        assert_eq!((text.len(), sum), (286_465, 1_828_130_044));
    }

    #[test]
    fn every_identity_has_its_groups_once() {
        let document = document(1_000, 10);
        for groups in GROUPS {
            let questions = questions(&document, groups);
            assert_eq!(
                (questions.identities.len(), questions.queries.len()),
                (IDENTITIES, QUERIES)
            );
            for who in &questions.identities {
                assert_eq!(who.groups.iter().collect::<HashSet<_>>().len(), groups);
            }
        }
    }
}
