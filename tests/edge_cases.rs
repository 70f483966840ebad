//! Tests of cases that random policies and vectors do not reach; each catches a mutation that
//! survived.

use std::collections::BTreeSet;
use std::net::IpAddr;

use gbac_analysis::{Relation, diff};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, ResourceType, Role,
};
use gbac_tests::oracle::{self, Facts, OracleQuestion};
use gbac_tests::session::Session;
use gbac_tests::world::{identity, policy};
use serde_json::{Value, json};

fn acl(name: String, principal: Principal) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: name,
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    }
}

/// Among so many names, some have equal 32-bit hashes: ten pairs are expected, and the probability
/// of none is 1 in 30,000.
#[test]
fn names_with_equal_hashes_are_kept_apart() {
    let names = 0..300_000;
    let acls: BTreeSet<Acl> = names
        .map(|number| acl(format!("topic-{number}"), Principal::user("u")))
        .collect();
    let facts = Facts {
        acls: acls.iter().cloned().collect(),
        roles: Vec::new(),
        superusers: Vec::new(),
    };
    assert!(policy(&facts).acls().eq(acls));
}

/// More principals than the capacity that is reserved for an identity, which counts only roles of
/// groups.
#[test]
fn a_user_with_many_roles_has_all_of_them() {
    let names: Vec<String> = (0..100).map(|number| format!("role-{number}")).collect();
    let role = |name: &String| Role {
        name: name.as_str().into(),
        members: BTreeSet::from([Principal::user("u")]),
    };
    let acls = names
        .iter()
        .map(|name| acl(name.clone(), Principal::role(name.as_str())))
        .collect();
    let facts = Facts {
        acls,
        roles: names.iter().map(role).collect(),
        superusers: Vec::new(),
    };
    let policy = policy(&facts);
    for name in names {
        let asked = OracleQuestion {
            user: "u".into(),
            groups: Vec::new(),
            operation: Operation::Read,
            resource_type: ResourceType::Topic,
            name,
            host: None,
        };
        let expected = oracle::decide(&facts, &asked);
        assert!(expected.acl.is_some(), "{asked:?}");
        let difference =
            Session::open(&policy, identity(&asked)).difference(&policy, &asked, &expected);
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

/// Only a character directly after a dotted name requires brackets, and one that closes or quotes
/// something does not. RFC 9535, `singular-query-segments`: queries that are compared have no
/// blanks in their brackets, other queries may.
#[test]
fn a_compared_query_has_no_blanks_in_its_brackets() {
    let parse = |path: &str| path.parse::<ClaimPath>();
    for path in [
        "$.g[?@[ 'a']=='b']",
        "$.g[?@['a' ]=='b']",
        "$.g[?@[ 'a' ]=='b']",
        "$.g[?@['a' ]['c']=='b']",
    ] {
        assert_eq!(parse(path).expect_err(path).code(), "bad_filter", "{path}");
    }
    for path in [
        "$.g[?@['a']=='b']",
        "$[ 'g' ][?@['a']=='b']",
        "$.g[ ?@['a']=='b' ]",
        "$.g[?@[ 'a' ]]",
    ] {
        assert!(parse(path).is_ok(), "{path}");
    }
}

#[test]
fn a_path_that_goes_on_after_its_end_says_what_is_wrong() {
    let code = |path: &str| path.parse::<ClaimPath>().expect_err(path).code();
    for path in [
        "$.a]",
        "$.a)",
        "$.a,",
        "$.a'",
        "$.a\"",
        "$.a[0]b",
        "$.a[0]]",
        "$.a['b']c",
    ] {
        assert_ne!(code(path), code("$.a/b"), "{path}");
    }
    for path in ["$.a#", "$.a/b", "$.a b"] {
        assert_eq!(code(path), code("$.a/b"), "{path}");
    }
}

/// Documents that were not parsed from a text can be deeper than parsed ones. The limit keeps the
/// evaluation on the stack.
#[test]
fn a_document_is_searched_down_to_a_depth_and_not_below() {
    let nested = |levels: usize| (0..levels).fold(json!(0), |value, _| json!({ "a": value }));
    let select = |path: &str, document: &Value| {
        let path: ClaimPath = path.parse().expect(path);
        path.select(document).map(|nodes| nodes.len())
    };
    let compared = |levels: usize| json!({ "groups": [nested(levels)], "other": nested(levels) });
    assert_eq!(select("$.groups[?@ == $.other]", &compared(192)), Ok(1));
    let error = select("$.groups[?@ == $.other]", &compared(193)).expect_err("too deep");
    assert!(error.hint().contains("step by step"), "{}", error.hint());
}

/// Results for patterns with many ACLs are cached for users with many groups: one result for each
/// of several patterns, and for more patterns than the cache keeps.
#[test]
fn cached_results_of_many_patterns_are_kept_apart() {
    let groups: Vec<String> = (0..100).map(|number| format!("group-{number}")).collect();
    let operation = |topic: usize| {
        if topic.is_multiple_of(3) {
            Operation::Write
        } else {
            Operation::Read
        }
    };
    let of = |topic: usize, group: &String| Acl {
        operation: operation(topic),
        permission: if topic.is_multiple_of(5) {
            Permission::Deny
        } else {
            Permission::Allow
        },
        ..acl(format!("topic-{topic}"), Principal::group(group.as_str()))
    };
    let acls = (0..70)
        .flat_map(|topic| groups.iter().map(move |group| of(topic, group)))
        .collect();
    let facts = Facts {
        acls,
        roles: Vec::new(),
        superusers: Vec::new(),
    };
    let policy = policy(&facts);
    let asked = |topic: usize| OracleQuestion {
        user: "u".into(),
        groups: groups.clone(),
        operation: Operation::Read,
        resource_type: ResourceType::Topic,
        name: format!("topic-{topic}"),
        host: None,
    };
    let mut session = Session::open(&policy, identity(&asked(0)));
    for topic in (0..70).chain((0..70).rev()) {
        let asked = asked(topic);
        let difference = session.difference(&policy, &asked, &oracle::decide(&facts, &asked));
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

/// A cached result does not depend on the host, so it is not used where an ACL of the pattern is
/// for one host.
#[test]
fn many_acls_of_one_pattern_depend_on_the_host() {
    let groups: Vec<String> = (0..100).map(|number| format!("group-{number}")).collect();
    let address = |last: u8| IpAddr::from([10, 0, 0, last]);
    let deny = Acl {
        host: Host::Address(address(1)),
        permission: Permission::Deny,
        ..acl("topic".into(), Principal::group("group-50"))
    };
    let allows = groups
        .iter()
        .map(|group| acl("topic".into(), Principal::group(group.as_str())));
    let facts = Facts {
        acls: allows.chain([deny]).collect(),
        roles: Vec::new(),
        superusers: Vec::new(),
    };
    let policy = policy(&facts);
    let asked = |host: Option<IpAddr>| OracleQuestion {
        user: "u".into(),
        groups: groups.clone(),
        operation: Operation::Read,
        resource_type: ResourceType::Topic,
        name: "topic".into(),
        host,
    };
    let mut session = Session::open(&policy, identity(&asked(None)));
    for host in [Some(address(2)), Some(address(1)), None, Some(address(2))] {
        let asked = asked(host);
        let difference = session.difference(&policy, &asked, &oracle::decide(&facts, &asked));
        assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

/// The order in which ACLs were added does not show: not in a comparison, for which the patterns
/// have other numbers then.
#[test]
fn policies_that_were_made_in_another_order_are_equal() {
    let all: Vec<Acl> = (0..40)
        .map(|number| {
            acl(
                format!("topic-{}", number % 10),
                Principal::group(format!("group-{number}")),
            )
        })
        .collect();
    let of = |acls: Vec<Acl>| {
        policy(&Facts {
            acls,
            roles: Vec::new(),
            superusers: Vec::new(),
        })
    };
    let reversed = of(all.iter().rev().cloned().collect());
    let found = diff(&of(all.clone()), &reversed);
    assert_eq!(
        (found.relation, found.differences),
        (Relation::Equal, Vec::new())
    );
    let found = diff(&of(all.into_iter().skip(1).collect()), &reversed);
    assert_eq!(
        (found.relation, found.differences.len()),
        (Relation::Wider, 1)
    );
}
