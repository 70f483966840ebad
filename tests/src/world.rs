//! Small policies with few names, so that users, groups, roles, prefixes and hosts collide often.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::{IpAddr, Ipv4Addr};

use gbac_engine::decide::{At, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Dialect, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
    Role,
};
use gbac_engine::policy::{Change, Policy, Settings};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::oracle::{Facts, OracleQuestion, SERVICE};

/// The names of users.
pub(crate) const USERS: &[&str] = &["u", "v", "g", "*"];
const GROUPS: &[&str] = &["g", "h", "/g", "G", "*", "u"];
/// The names of roles.
pub(crate) const ROLES: &[&str] = &["r", "s", "g"];
/// The names of resources.
pub(crate) const NAMES: &[&str] = &[
    "",
    "*",
    "a",
    "b",
    "ab",
    "aa",
    "aba",
    "A",
    "*a",
    "é",
    "é1",
    "kafka-cluster",
];

/// How many cases a property runs, or the measure for it: `GBAC_CASES`, or 5,000.
///
/// # Panics
/// When `GBAC_CASES` is no number.
#[must_use]
pub fn cases() -> u32 {
    std::env::var("GBAC_CASES").map_or(5_000, |text| text.parse().expect("GBAC_CASES is a number"))
}

/// What a property runs with: so many cases, from the seed of `GBAC_SEED` or a new one. The seed is
/// printed where a case fails.
///
/// # Panics
/// When `GBAC_SEED` is no number.
#[must_use]
pub fn config(cases: u32) -> ProptestConfig {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        // The more cases there are, the more of them are left out.
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        ..ProptestConfig::default()
    };
    let seed = match (std::env::var("GBAC_SEED"), config.rng_seed) {
        (Ok(text), _) => text.parse().expect("GBAC_SEED is a number"),
        // That of PROPTEST_RNG_SEED, which `cargo xtask test` sets for properties that do not begin
        // here.
        (_, RngSeed::Fixed(seed)) => seed,
        _ => RandomState::new().build_hasher().finish(),
    };
    println!("GBAC_SEED={seed}");
    ProptestConfig {
        rng_seed: RngSeed::Fixed(seed),
        ..config
    }
}

/// One of two addresses.
pub fn address() -> impl Strategy<Value = IpAddr> {
    select(vec![
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)),
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)),
    ])
}

fn operation() -> impl Strategy<Value = Operation> {
    select(Dialect::Platform.operations())
}

fn resource_type() -> impl Strategy<Value = ResourceType> {
    prop_oneof![8 => Just(ResourceType::Topic), 2 => Just(ResourceType::Group), 1 => Just(ResourceType::Cluster)]
}

/// Any member of a role that a policy may hold.
pub(crate) fn member() -> impl Strategy<Value = Principal> {
    prop_oneof![
        select(USERS).prop_map(Principal::user),
        select(GROUPS).prop_map(Principal::group)
    ]
}

/// Any principal that an ACL of a policy may name.
pub fn principal() -> impl Strategy<Value = Principal> {
    prop_oneof![3 => member(), 2 => select(ROLES).prop_map(Principal::role)]
}

/// The fields of an ACL, in the order of [`Acl`].
pub type AclFields = (
    ResourceType,
    &'static str,
    PatternType,
    Principal,
    Host,
    Operation,
    Permission,
);

/// The ACL with these fields.
#[must_use]
pub fn acl_of(
    (resource_type, name, pattern_type, principal, host, operation, permission): AclFields,
) -> Acl {
    Acl {
        resource_type,
        resource_name: name.into(),
        pattern_type,
        principal,
        host,
        operation,
        permission,
    }
}

/// Any ACL that a policy may hold.
pub fn acl() -> impl Strategy<Value = Acl> {
    (
        resource_type(),
        select(NAMES),
        select(PatternType::ALL),
        principal(),
        prop_oneof![4 => Just(Host::Any), 1 => address().prop_map(Host::Address)],
        operation(),
        prop_oneof![1 => Just(Permission::Deny), 2 => Just(Permission::Allow)],
    )
        .prop_map(acl_of)
}

/// Facts with up to three roles and a dozen ACLs.
pub fn facts() -> impl Strategy<Value = Facts> {
    let role = |name: &'static str| {
        prop_oneof![
            1 => Just(None),
            3 => btree_set(member(), 0..4).prop_map(move |members| Some(Role { name: name.into(), members })),
        ]
    };
    let roles = (role("r"), role("s"), role("g"))
        .prop_map(|(r, s, g)| [r, s, g].into_iter().flatten().collect());
    let superusers = prop_oneof![9 => Just(Vec::new()), 1 => Just(vec![String::from("v")])];
    (vec(acl(), 0..12), roles, superusers).prop_map(|(acls, roles, superusers)| Facts {
        acls,
        roles,
        superusers,
    })
}

/// Any question.
pub fn asked() -> impl Strategy<Value = OracleQuestion> {
    (
        select(USERS),
        vec(select(GROUPS), 0..4),
        operation(),
        resource_type(),
        select(NAMES),
        prop_oneof![1 => Just(None), 2 => address().prop_map(Some)],
    )
        .prop_map(|(user, groups, operation, resource_type, name, host)| {
            let mut asked = OracleQuestion {
                user: user.into(),
                groups: Vec::new(),
                operation,
                resource_type,
                name: name.into(),
                host,
            };
            for group in groups {
                if !asked.groups.iter().any(|known| known == group) {
                    asked.groups.push(group.into());
                }
            }
            asked
        })
}

/// The engine's policy of these facts.
///
/// # Panics
/// When the engine refuses what a policy may hold.
#[must_use]
pub fn policy(facts: &Facts) -> Policy {
    policy_with(Settings::default(), facts)
}

/// The policy of these facts under these settings and the superusers of the facts.
pub(crate) fn policy_with(settings: Settings, facts: &Facts) -> Policy {
    let mut policy = Policy::new(Settings {
        superusers: facts.superusers.iter().cloned().collect(),
        ..settings
    });
    for role in &facts.roles {
        policy
            .apply(Change::CreateRole(role.name.clone()))
            .expect("a new role");
        for member in &role.members {
            policy
                .apply(Change::AddMember {
                    role: role.name.clone(),
                    member: member.clone(),
                })
                .expect("a member of a role that is there");
        }
    }
    for acl in &facts.acls {
        policy
            .apply(Change::AddAcl(acl.clone()))
            .expect("an ACL of the dialect");
    }
    policy
}

/// The engine's identity of a question.
///
/// # Panics
/// Never: a principal of the cases is no group and no role.
#[must_use]
pub fn identity(asked: &OracleQuestion) -> Identity {
    if asked.user.starts_with(SERVICE) {
        let principal = Principal::new(PrincipalType::Other, &asked.user);
        return Identity::of_principal(&principal, &asked.groups)
            .expect("no group and no role")
            .0;
    }
    Identity::new(&asked.user, &asked.groups)
}

/// The engine's request of a question.
#[must_use]
pub fn request(asked: &OracleQuestion) -> Request<'_> {
    Request::new(
        asked.operation,
        asked.resource_type,
        &asked.name,
        At::IgnoringExpiry,
    )
    .with_host(asked.host)
}
