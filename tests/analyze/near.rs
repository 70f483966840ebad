//! Tests of near misses: the rule itself, and the explanations that use it.

use std::collections::BTreeSet;

use gbac_engine::Coded;
use gbac_engine::decide::{At, CandidateStatus, NearMiss, PrincipalMatch, Request, explain};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, Role,
};
use gbac_engine::near::{NameDifference, fold_name, name_difference, prefix_difference};
use gbac_engine::policy::{Change, Policy};
use gbac_json::ExplanationJson;
use gbac_tests::oracle::Facts;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{address, config, once, policy};

const NAMES: &[&str] = &["eng", "Eng", "/eng", "/Eng/", "ENG", "ops", "OPS", "/", "*"];
const RESOURCES: &[&str] = &["t", "T", "/t", "/T/", "to", "/To", "t/", "", "/", "*"];

/// A straightforward implementation of the rule.
fn plain(name: &str) -> String {
    name.trim_matches('/').to_lowercase()
}

fn lower(name: &str) -> String {
    name.to_lowercase()
}

/// The difference between near misses, as the last part of a code.
fn misses(name: &str, other: &str) -> Option<&'static str> {
    let is_near = name != other && !plain(name).is_empty() && plain(name) == plain(other);
    is_near.then(|| {
        if lower(name) == lower(other) {
            "letter_case"
        } else {
            "slashes"
        }
    })
}

fn prefix_misses(prefix: &str, name: &str) -> Option<&'static str> {
    let bare = |name: &str| lower(name.trim_start_matches('/'));
    let is_near = !name.starts_with(prefix)
        && !bare(prefix).is_empty()
        && bare(name).starts_with(&bare(prefix));
    is_near.then(|| {
        if lower(name).starts_with(&lower(prefix)) {
            "letter_case"
        } else {
            "slashes"
        }
    })
}

fn member() -> impl Strategy<Value = Principal> {
    prop_oneof![1 => select(NAMES).prop_map(Principal::user), 3 => select(NAMES).prop_map(Principal::group)]
}

fn acl() -> impl Strategy<Value = Acl> {
    (
        prop_oneof![3 => member(), 2 => select(&["r", "s"][..]).prop_map(Principal::role)],
        (select(RESOURCES), select(PatternType::ALL)),
        prop_oneof![4 => Just(Host::Any), 1 => Just(Host::Address(address(1)))],
        select(&[Operation::Read, Operation::Describe, Operation::Write][..]),
        select(Permission::ALL),
    )
        .prop_map(
            |(principal, (name, pattern_type), host, operation, permission)| Acl {
                resource_type: ResourceType::Topic,
                resource_name: name.into(),
                pattern_type,
                principal,
                host,
                operation,
                permission,
            },
        )
}

fn facts() -> impl Strategy<Value = Facts> {
    let roles = (btree_set(member(), 0..3), btree_set(member(), 0..3));
    (vec(acl(), 0..12), roles).prop_map(|(acls, (r, s))| Facts {
        acls: once(acls),
        roles: vec![
            Role {
                name: "r".into(),
                members: r,
            },
            Role {
                name: "s".into(),
                members: s,
            },
        ],
        superusers: Vec::new(),
    })
}

/// The code of the only difference that keeps an ACL from matching, if it is a near miss according
/// to the documentation.
fn expected(
    facts: &Facts,
    own: &BTreeSet<Principal>,
    acl: &Acl,
    asked: &str,
    host_known: bool,
) -> Option<String> {
    let near = |principal: &Principal| {
        let same = own.iter().filter(|own| own.kind() == principal.kind());
        // Of several, the smallest difference.
        same.filter_map(|own| misses(own.name(), principal.name()))
            .min()
    };
    let by_principal = match acl.principal.kind() {
        PrincipalType::Role => {
            let role = facts
                .roles
                .iter()
                .find(|role| role.name == acl.principal.name())?;
            if role.members.iter().any(|member| own.contains(member)) {
                None
            } else {
                // The member `User:*` is only the user with that name.
                Some(format!(
                    "member_{}",
                    role.members
                        .iter()
                        .filter(|member| !member.is_everyone())
                        .filter_map(near)
                        .min()?
                ))
            }
        }
        _ if own.contains(&acl.principal) || acl.principal.is_everyone() => None,
        _ => Some(format!("principal_{}", near(&acl.principal)?)),
    };
    let by_name = if acl.covers_name(asked) {
        None
    } else {
        Some(format!(
            "name_{}",
            match acl.pattern_type {
                PatternType::Literal => misses(&acl.resource_name, asked)?,
                PatternType::Prefixed => prefix_misses(&acl.resource_name, asked)?,
            }
        ))
    };
    let answers = |operation: Operation| match acl.permission {
        Permission::Deny => operation == Operation::Read,
        // The request is for reading, to which only read and all apply.
        Permission::Allow => matches!(operation, Operation::Read | Operation::All),
    };
    let by_host = match (&acl.host, host_known, acl.permission) {
        (Host::Any, ..)
        | (Host::Address(_) | Host::Range(_), true, _)
        | (Host::Address(_) | Host::Range(_), false, Permission::Deny) => None,
        (Host::Address(_) | Host::Range(_), false, Permission::Allow) | (Host::Name(_), ..) => {
            Some("host".to_owned())
        }
    };
    let all: Vec<String> = [by_principal, by_name, by_host]
        .into_iter()
        .flatten()
        .collect();
    match <[String; 1]>::try_from(all) {
        Ok([only]) if answers(acl.operation) => Some(only),
        _ => None,
    }
}

fn ask<'a>(name: &'a str, host_known: bool) -> Request<'a> {
    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        name,
        At::IgnoringExpiry,
    );
    if host_known {
        request.with_host(address(1))
    } else {
        request
    }
}

/// Whether an ACL matches a request: it decides, agrees or is overridden.
fn matches(policy: &Policy, identity: &Identity, request: &Request<'_>, acl: &Acl) -> bool {
    let explanation = explain(policy, identity, request);
    let found = explanation
        .candidates
        .iter()
        .find(|candidate| *candidate.acl == *acl);
    found.is_some_and(|found| {
        matches!(
            found.status,
            CandidateStatus::Decides | CandidateStatus::Agrees | CandidateStatus::Overridden
        )
    })
}

proptest! {
    #![proptest_config(config(10))]

    /// The rule agrees with the straightforward implementation, and is symmetric.
    #[test]
    fn near_is_the_same_in_both_directions(name in "[aAbßÉé/ ]{0,5}", other in "[aAbßÉé/ ]{0,5}", keep in any::<bool>()) {
        let other = if keep { format!("/{}", name.to_uppercase().replace("SS", "ß")) } else { other };
        prop_assert_eq!(name_difference(&name, &other), name_difference(&other, &name));
        let same = |a: &str, b: &str| lower(a) == lower(b);
        let [bare, bare_other] = [&name, &other].map(|name| name.trim_matches('/'));
        let expected = match (same(&name, &other), bare == bare_other) {
            _ if name == other || bare.is_empty() || !same(bare, bare_other) => None,
            (true, _) => Some(NameDifference::LetterCase),
            (false, true) => Some(NameDifference::Slashes),
            (false, false) => Some(NameDifference::Both),
        };
        prop_assert_eq!(name_difference(&name, &other), expected);
        prop_assert_eq!(expected.is_some(), name != other && fold_name(&name) == fold_name(&other) && !fold_name(&name).is_empty());
        // A prefix that nearly matches a name matches it once both have the same spelling.
        let alike = |name: &str| lower(name.trim_start_matches('/'));
        let near = prefix_difference(&name, &other);
        prop_assert_eq!(near.is_some(), prefix_misses(&name, &other).is_some());
        prop_assert!(near.is_none() || alike(&other).starts_with(&alike(&name)) && !other.starts_with(&name));
    }

    /// The explanation contains exactly the ACLs with a single near miss, and each of them matches
    /// once only that difference is changed.
    #[test]
    fn near_misses_come_true(
        facts in facts(),
        user in select(NAMES),
        groups in btree_set(select(NAMES), 0..3),
        asked in select(RESOURCES),
        host_known in any::<bool>(),
    ) {
        let policy = policy(&facts);
        let identity = Identity::new(user, groups.iter().copied());
        let own: BTreeSet<Principal> =
            groups.iter().map(Principal::group).chain([Principal::user(user)]).collect();
        let request = ask(asked, host_known);
        let explanation = explain(&policy, &identity, &request);
        let mut told = BTreeSet::new();
        for candidate in &explanation.candidates {
            let CandidateStatus::Near(near) = candidate.status else { continue };
            let acl = (*candidate.acl).clone();
            prop_assert!(told.insert((acl.clone(), near.code().to_owned())));
            let comes_true = match (near, &candidate.principal) {
                (NearMiss::Host, _) => matches(&policy, &identity, &ask(asked, true), &acl),
                (NearMiss::NameLetterCase | NearMiss::NameSlashes, _) => {
                    matches(&policy, &identity, &ask(&acl.resource_name, host_known), &acl)
                }
                (
                    NearMiss::PrincipalLetterCase | NearMiss::PrincipalSlashes,
                    PrincipalMatch::LetterCase(own) | PrincipalMatch::Slashes(own),
                ) => {
                    let acl = Acl { principal: own.clone(), ..acl.clone() };
                    let mut changed = policy.clone();
                    changed.apply(Change::AddAcl(acl.clone())).unwrap();
                    matches(&changed, &identity, &request, &acl)
                }
                (
                    NearMiss::MemberLetterCase | NearMiss::MemberSlashes,
                    PrincipalMatch::MemberLetterCase(member) | PrincipalMatch::MemberSlashes(member),
                ) => {
                    let role = acl.principal.name().to_owned();
                    prop_assert!(policy.role(&role).unwrap().members.contains(&member.member));
                    let mut changed = policy.clone();
                    changed.apply(Change::AddMember { role, member: member.own.clone() }).unwrap();
                    matches(&changed, &identity, &request, &acl)
                }
                other => panic!("{other:?}"),
            };
            prop_assert!(comes_true, "{candidate:?}");
        }
        let expected: BTreeSet<(Acl, String)> = facts
            .acls
            .iter()
            .filter_map(|acl| Some((acl.clone(), expected(&facts, &own, acl, asked, host_known)?)))
            .collect();
        prop_assert_eq!(told, expected);
    }
}

#[test]
fn a_role_whose_member_is_written_otherwise_is_a_near_miss() {
    let acl = Acl {
        resource_type: ResourceType::Topic,
        resource_name: "orders".into(),
        pattern_type: PatternType::Literal,
        principal: Principal::role("readers"),
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    };
    let told = |member: &str, group: &str| {
        let facts = Facts {
            acls: vec![acl.clone()],
            roles: vec![Role {
                name: "readers".into(),
                members: [Principal::group(member)].into(),
            }],
            superusers: Vec::new(),
        };
        let identity = Identity::new("alice", [group]);
        let explanation = explain(&policy(&facts), &identity, &ask("orders", false));
        let json = serde_json::to_value(ExplanationJson::from(&explanation)).unwrap();
        let part = |name| {
            json["candidates"]
                .get(0)?
                .get(name)?
                .as_str()
                .map(str::to_owned)
        };
        ["near_miss", "principal_match", "own_principal", "member"]
            .map(|name| part(name).unwrap_or_else(|| "-".into()))
    };
    let near = "member_letter_case";
    assert_eq!(
        told("engineering", "Engineering"),
        [near, near, "Group:Engineering", "Group:engineering"]
    );
    let near = "member_slashes";
    assert_eq!(
        told("/engineering", "engineering"),
        [near, near, "Group:engineering", "Group:/engineering"]
    );
    assert_eq!(told("engineers", "engineering"), ["-"; 4]);
    assert_eq!(
        told("engineering", "engineering"),
        ["-", "matches", "-", "-"]
    );
}
