//! Small policies for the analysis, every request that they distinguish, and the oracle's answers.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use gbac_analysis::Scope;
use gbac_engine::decide::{At, Request};
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, Role,
};
use gbac_engine::policy::Policy;
use gbac_tests::oracle::{self, Facts, OracleQuestion};
use gbac_tests::world;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) const USERS: &[&str] = &["u", "v", "*"];
pub(crate) const GROUPS: &[&str] = &["g", "h", "u"];
pub(crate) const ROLES: &[&str] = &["r", "s"];
/// A user without ACLs and roles.
pub(crate) const NOBODY: &str = "nobody";
pub(crate) const FEW: &[Operation] = &[
    Operation::All,
    Operation::Read,
    Operation::Describe,
    Operation::Write,
];

pub(crate) fn address(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
}

/// Unknown, two in ACLs, and one in no ACL.
pub(crate) fn hosts() -> [Option<IpAddr>; 4] {
    [None, Some(address(1)), Some(address(2)), Some(address(3))]
}

/// The names and prefixes of ACLs.
const ACL_NAMES: &[&str] = &["", "*", "a", "b", "ab", "aa", "aba", "ba"];

/// A name in each possible region of these ACLs: every name of up to three of two letters, one
/// below the longest prefix, the asterisk, a name that starts with it, and names with another
/// letter, if ACLs contain both letters.
pub(crate) fn names() -> Vec<String> {
    let mut names = vec![
        String::new(),
        "*".into(),
        "*a".into(),
        "abaa".into(),
        "c".into(),
        "ac".into(),
    ];
    let mut longer = vec![String::new()];
    for _ in 0..3 {
        longer = longer
            .iter()
            .flat_map(|name| ["a", "b"].map(|letter| format!("{name}{letter}")))
            .collect();
        names.extend(longer.iter().cloned());
    }
    names
}

/// Otherwise, the analysis could find a difference without a query for it.
#[test]
fn every_region_has_a_name() {
    for acl in ACL_NAMES {
        assert!(names().iter().any(|name| name == acl), "literal {acl:?}");
        let narrower: Vec<&&str> = ACL_NAMES
            .iter()
            .filter(|other| *other != acl && other.starts_with(acl))
            .collect();
        // The literal `*` matches every name.
        let is_literal = |name: &str| name != "*" && ACL_NAMES.contains(&name);
        let is_in = |name: &String| {
            name.starts_with(acl)
                && !is_literal(name)
                && !narrower.iter().any(|other| name.starts_with(**other))
        };
        assert!(names().iter().any(is_in), "prefix {acl:?}");
    }
}

pub(crate) fn member() -> impl Strategy<Value = Principal> {
    prop_oneof![
        select(USERS).prop_map(Principal::user),
        select(GROUPS).prop_map(Principal::group)
    ]
}

pub(crate) fn acl(operations: &'static [Operation]) -> impl Strategy<Value = Acl> {
    (
        prop_oneof![5 => Just(ResourceType::Topic), 1 => Just(ResourceType::Registry)],
        select(ACL_NAMES),
        select(PatternType::ALL),
        prop_oneof![3 => member(), 2 => select(ROLES).prop_map(Principal::role)],
        prop_oneof![4 => Just(Host::Any), 1 => select(vec![1, 2]).prop_map(|last| Host::Address(address(last)))],
        select(operations),
        prop_oneof![2 => Just(Permission::Deny), 3 => Just(Permission::Allow)],
    )
        .prop_map(world::acl_of)
}

pub(crate) fn roles() -> impl Strategy<Value = Vec<Role>> {
    let role = |name: &'static str| {
        prop_oneof![
            1 => Just(None),
            4 => btree_set(member(), 0..3).prop_map(move |members| Some(Role { name: name.into(), members })),
        ]
    };
    (role("r"), role("s")).prop_map(|(r, s)| [r, s].into_iter().flatten().collect())
}

pub(crate) fn facts(operations: &'static [Operation]) -> impl Strategy<Value = Facts> {
    let superusers = prop_oneof![6 => Just(Vec::new()), 1 => select(USERS).prop_map(|user| vec![user.to_owned()])];
    (vec(acl(operations), 0..10), roles(), superusers).prop_map(|(acls, roles, superusers)| Facts {
        acls: once(acls),
        roles,
        superusers,
    })
}

pub(crate) fn once(acls: Vec<Acl>) -> Vec<Acl> {
    acls.into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

pub(crate) fn groups() -> impl Strategy<Value = Vec<String>> {
    btree_set(select(GROUPS), 0..3)
        .prop_map(|groups| groups.into_iter().map(String::from).collect())
}

/// A query without an identity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question {
    pub(crate) operation: Operation,
    pub(crate) resource_type: ResourceType,
    pub(crate) name: String,
    pub(crate) host: Option<IpAddr>,
}

impl Question {
    pub(crate) fn request(&self) -> Request<'_> {
        Request::new(
            self.operation,
            self.resource_type,
            &self.name,
            At::IgnoringExpiry,
        )
        .with_host(self.host)
    }
}

pub(crate) fn questions(operations: &[Operation]) -> Vec<Question> {
    let mut questions = Vec::new();
    for resource_type in [ResourceType::Topic, ResourceType::Registry] {
        for name in names() {
            for operation in operations {
                for host in hosts() {
                    questions.push(Question {
                        operation: *operation,
                        resource_type,
                        name: name.clone(),
                        host,
                    });
                }
            }
        }
    }
    questions
}

pub(crate) fn question(operations: &'static [Operation]) -> impl Strategy<Value = Question> {
    let resource_type =
        prop_oneof![5 => Just(ResourceType::Topic), 1 => Just(ResourceType::Registry)];
    (
        select(operations),
        resource_type,
        select(names()),
        select(hosts().to_vec()),
    )
        .prop_map(|(operation, resource_type, name, host)| Question {
            operation,
            resource_type,
            name,
            host,
        })
}

/// The oracle's complete decision.
pub(crate) fn verdict(
    facts: &Facts,
    user: &str,
    groups: &[String],
    question: &Question,
) -> oracle::Verdict {
    oracle::decide(
        facts,
        &OracleQuestion {
            user: user.into(),
            groups: groups.to_vec(),
            operation: question.operation,
            resource_type: question.resource_type,
            name: question.name.clone(),
            host: question.host,
        },
    )
}

pub(crate) fn allows(facts: &Facts, user: &str, groups: &[String], question: &Question) -> bool {
    verdict(facts, user, groups, question).outcome == "allow"
}

/// An identity with only this principal; for a role, a member of only it.
pub(crate) fn alone(facts: &Facts, holder: &Scope) -> (Facts, String, Vec<String>) {
    let mut facts = facts.clone();
    let (mut user, mut groups) = (NOBODY.to_owned(), Vec::new());
    if let Scope::One(principal) = holder {
        match principal.kind() {
            PrincipalType::User | PrincipalType::Other => user = principal.name().into(),
            PrincipalType::Group => groups.push(principal.name().into()),
            PrincipalType::Role => {
                for role in facts
                    .roles
                    .iter_mut()
                    .filter(|role| role.name == principal.name())
                {
                    role.members.insert(Principal::user(NOBODY));
                }
            }
        }
    }
    (facts, user, groups)
}

pub(crate) fn holders() -> Vec<Scope> {
    let one = |principal| Scope::One(principal);
    let users = USERS
        .iter()
        .chain(&["w"])
        .map(|user| one(Principal::user(*user)));
    let groups = GROUPS
        .iter()
        .chain(&["x"])
        .map(|group| one(Principal::group(*group)));
    let roles = ROLES.iter().map(|role| one(Principal::role(*role)));
    std::iter::once(Scope::Everyone)
        .chain(users)
        .chain(groups)
        .chain(roles)
        .collect()
}

pub(crate) fn policy(facts: &Facts) -> Policy {
    world::policy(facts)
}

/// A fraction of the usual number of cases, for slow properties, with a minimum.
pub(crate) fn config(divisor: u32) -> ProptestConfig {
    world::config((world::cases() / divisor).max(50))
}
