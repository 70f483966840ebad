//! Tests of adversarial policies and tokens, and of the limits of names (D-07, D-37).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gbac_engine::decide::{At, Decision, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, MAX_NAME_BYTES, MAX_TOPIC_BYTES, Operation, PatternType, Permission, Principal,
    ResourceType,
};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_engine::{Coded, Subject, resolve};
use gbac_json::{policy_from_json, policy_from_value};
use serde_json::{Value, json};

fn acl(pattern: &str, name: &str, principal: &str, permission: &str) -> Value {
    acl_of("TOPIC", pattern, name, principal, permission)
}

fn acl_of(resource: &str, pattern: &str, name: &str, principal: &str, permission: &str) -> Value {
    json!({
        "resource_type": format!("RESOURCE_TYPE_{resource}"), "resource_name": name,
        "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": "*",
        "operation": "OPERATION_READ", "permission_type": format!("PERMISSION_TYPE_{permission}"),
    })
}

fn policy(acls: &[Value]) -> Policy {
    policy_from_value(&json!({ "version": 1, "acls": acls })).expect("a policy")
}

fn ask(policy: &Policy, groups: &[&str], resource_type: ResourceType, name: &str) -> Decision {
    decide(
        policy,
        &Identity::new("nobody", groups.iter().copied()),
        &Request::new(Operation::Read, resource_type, name, At::IgnoringExpiry),
    )
}

/// The reason and the name of the deciding ACL, such as `allow_rule aaa`.
fn decided(decision: &Decision) -> String {
    let name = decision
        .acl
        .as_ref()
        .map_or("", |acl| acl.resource_name.as_str());
    format!("{} {name}", decision.reason.code())
}

#[test]
fn a_chain_of_prefixes_of_each_other() {
    let a = |length| "a".repeat(length);
    let mut acls = Vec::new();
    for length in 1..=MAX_TOPIC_BYTES {
        let group = if length % 2 == 0 {
            "Group:even"
        } else {
            "Group:odd"
        };
        acls.push(acl("PREFIXED", &a(length), group, "ALLOW"));
        acls.push(acl(
            "PREFIXED",
            &a(length),
            "Group:out",
            if length < 200 { "ALLOW" } else { "DENY" },
        ));
    }
    let mut policy = policy(&acls);
    for length in 1..=MAX_TOPIC_BYTES + 1 {
        let decided_for =
            |groups: &[&str], name: &str| decided(&ask(&policy, groups, ResourceType::Topic, name));
        let shortened = length.min(MAX_TOPIC_BYTES);
        let longest = |remainder| (1..=shortened).rev().find(|length| length % 2 == remainder);
        let allowed = |longest: Option<usize>| {
            longest.map_or("no_match ".into(), |best| format!("allow_rule {}", a(best)))
        };
        assert_eq!(decided_for(&["even"], &a(length)), allowed(longest(0)));
        assert_eq!(decided_for(&["odd"], &a(length)), allowed(longest(1)));
        assert_eq!(
            decided_for(&["odd"], &format!("{}b", a(length))),
            allowed(longest(1))
        );
        // A deny far away in the chain takes precedence, and the longest pattern of its kind is
        // reported.
        let out = if length < 200 {
            "allow_rule"
        } else {
            "deny_rule"
        };
        assert_eq!(
            decided_for(&["odd", "out"], &a(length)),
            match length {
                ..200 => allowed(longest(1)),
                _ => format!("{out} {}", a(shortened)),
            }
        );
        assert_eq!(
            decided_for(&["even", "odd", "out"], &format!("b{}", a(length))),
            "no_match "
        );
    }
    // When the longest patterns are removed, the next shorter one applies.
    for length in (2..=MAX_TOPIC_BYTES).rev() {
        let principal = Principal::group(if length % 2 == 0 { "even" } else { "odd" });
        let removed = policy
            .acls()
            .find(|acl| acl.resource_name.len() == length && acl.principal == principal);
        assert_eq!(
            policy.apply(Change::RemoveAcl(removed.expect("it is there"))),
            Ok(true)
        );
        let remaining = decided(&ask(
            &policy,
            &["even", "odd"],
            ResourceType::Topic,
            &a(MAX_TOPIC_BYTES),
        ));
        // The group precedes the name in the order of D-20.
        let even = (1..length).rev().find(|length| length % 2 == 0);
        assert_eq!(remaining, format!("allow_rule {}", a(even.unwrap_or(1))));
    }
}

#[test]
fn one_name_with_a_hundred_thousand_entries() {
    const ENTRIES: usize = 100_000;
    for (pattern, name) in [("LITERAL", "hot"), ("LITERAL", "*"), ("PREFIXED", "h")] {
        let permission = |entry| if entry % 1_000 == 7 { "DENY" } else { "ALLOW" };
        let entry =
            |entry: usize| acl(pattern, name, &format!("Group:g{entry}"), permission(entry));
        let mut policy = policy(&(0..ENTRIES).map(entry).collect::<Vec<_>>());
        assert_eq!(policy.acls().len(), ENTRIES);
        let ask = |policy: &Policy, groups: &[&str]| {
            let decision = ask(policy, groups, ResourceType::Topic, "hot");
            (decision.reason.code(), decision.group)
        };
        let by = |group: &str| Some(group.to_owned());
        assert_eq!(ask(&policy, &["g0"]), ("allow_rule", by("g0")));
        assert_eq!(ask(&policy, &["g99999"]), ("allow_rule", by("g99999")));
        assert_eq!(ask(&policy, &["g99007", "g5"]), ("deny_rule", by("g99007")));
        assert_eq!(
            ask(&policy, &["g100000", "g", "", "hot"]),
            ("no_match", None)
        );
        // An identity with many groups, of which only the last but one is in the policy.
        let many: Vec<String> = (0..10_000)
            .map(|number| format!("x{number}"))
            .chain(["g41".into(), "y".into()])
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(ask(&policy, &many), ("allow_rule", by("g41")));
        let removed = policy
            .acls()
            .find(|acl| acl.principal.name() == "g41")
            .expect("it is there");
        assert_eq!(policy.apply(Change::RemoveAcl(removed.clone())), Ok(true));
        assert_eq!(ask(&policy, &many), ("no_match", None));
        let denied = Acl {
            permission: Permission::Deny,
            ..removed
        };
        assert_eq!(policy.apply(Change::AddAcl(denied)), Ok(true));
        assert_eq!(ask(&policy, &many), ("deny_rule", by("g41")));
    }
}

#[test]
fn fifty_thousand_prefixes_with_one_first_letter() {
    let name = |number: usize| format!("x{number:05}");
    let mut acls: Vec<Value> = (0..50_000)
        .map(|number| acl("PREFIXED", &name(number), "Group:g", "ALLOW"))
        .collect();
    acls.push(acl("PREFIXED", "x4", "Group:g", "ALLOW"));
    acls.push(acl("PREFIXED", "x4999", "Group:h", "DENY"));
    acls.push(acl("PREFIXED", "x", "Group:all", "ALLOW"));
    let policy = policy(&acls);
    let decided =
        |groups: &[&str], name: &str| decided(&ask(&policy, groups, ResourceType::Topic, name));
    for number in (0..50_000).step_by(499).chain([49_999]) {
        let (exact, longer) = (name(number), format!("{}.events", name(number)));
        assert_eq!(decided(&["g"], &exact), format!("allow_rule {exact}"));
        assert_eq!(decided(&["g"], &longer), format!("allow_rule {exact}"));
        let denied = exact.starts_with("x4999");
        assert_eq!(
            decided(&["g", "h"], &longer),
            if denied {
                "deny_rule x4999".into()
            } else {
                format!("allow_rule {exact}")
            }
        );
    }
    assert_eq!(decided(&["g"], "x4"), "allow_rule x4");
    assert_eq!(decided(&["g"], "x4z"), "allow_rule x4");
    assert_eq!(decided(&["g"], "x5"), "no_match ");
    assert_eq!(decided(&["g", "all"], "x99999"), "allow_rule x");
    assert_eq!(decided(&["g", "all"], "y00000"), "no_match ");
}

/// Names that differ only in their last or only in their first bytes: a hash or comparison of one
/// end would treat them as equal.
#[test]
fn long_names_that_differ_at_one_end() {
    let end = |number: usize| format!("{}{number:05}", "n".repeat(MAX_NAME_BYTES - 5));
    let start = |number: usize| format!("{number:05}{}", "n".repeat(MAX_NAME_BYTES - 5));
    let acls: Vec<Value> = (0..1_000)
        .flat_map(|number| {
            [
                acl_of(
                    "SUBJECT",
                    "LITERAL",
                    &end(number),
                    &format!("Group:g{number}"),
                    "ALLOW",
                ),
                acl_of(
                    "SUBJECT",
                    "LITERAL",
                    &start(number),
                    &format!("Group:g{number}"),
                    "DENY",
                ),
            ]
        })
        .collect();
    let policy = policy(&acls);
    for number in (0..1_000).step_by(37) {
        let group = format!("g{number}");
        let decided = |name: &str| {
            ask(&policy, &[&group], ResourceType::Subject, name)
                .reason
                .code()
        };
        assert_eq!(decided(&end(number)), "allow_rule");
        assert_eq!(decided(&start(number)), "deny_rule");
        assert_eq!(decided(&end(number + 1)), "no_match");
        assert_eq!(decided(&start(number + 1)), "no_match");
        assert_eq!(decided(&end(number)[1..]), "no_match");
    }
}

#[test]
fn names_of_resources_end_at_their_limits() {
    let of = |resource_type, resource_name: String| Acl {
        resource_type,
        resource_name,
        pattern_type: PatternType::Literal,
        principal: Principal::group("g"),
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    };
    let codes = |acl: Acl| {
        acl.check_create()
            .iter()
            .map(|error| (error.code(), error.hint()))
            .collect::<Vec<_>>()
    };
    let too_long =
        |limit: usize| vec![("resource_name_too_long", format!("at most {limit} bytes"))];
    assert_eq!((MAX_TOPIC_BYTES, MAX_NAME_BYTES), (249, 4096));
    assert_eq!(codes(of(ResourceType::Topic, "t".repeat(249))), []);
    assert_eq!(
        codes(of(ResourceType::Topic, "t".repeat(250))),
        too_long(249)
    );
    for other in [
        ResourceType::Group,
        ResourceType::TransactionalId,
        ResourceType::Subject,
    ] {
        assert_eq!(codes(of(other, "s".repeat(4096))), []);
        assert_eq!(codes(of(other, "s".repeat(4097))), too_long(4096));
        // The limit counts bytes, not characters.
        assert_eq!(codes(of(other, "é".repeat(2048))), []);
        assert_eq!(codes(of(other, "é".repeat(2049))), too_long(4096));
    }
    for (resource, limit) in [
        ("TOPIC", 249),
        ("GROUP", 4096),
        ("TRANSACTIONAL_ID", 4096),
        ("SUBJECT", 4096),
    ] {
        for pattern in ["LITERAL", "PREFIXED"] {
            let load = |length: usize| {
                let acl = acl_of(resource, pattern, &"n".repeat(length), "Group:g", "ALLOW");
                policy_from_value(&json!({ "version": 1, "acls": [acl] }))
                    .map_err(|problems| problems.0)
            };
            assert_eq!(load(limit).map(|policy| policy.acls().len()), Ok(1));
            let problems = load(limit + 1).expect_err("too long");
            assert_eq!(problems.len(), 1);
            assert_eq!(
                (problems[0].path.as_str(), problems[0].code.as_str()),
                ("/acls/0/resource_name", "resource_name_too_long")
            );
            assert!(
                problems[0].message.contains(&format!("{limit} bytes")),
                "{}",
                problems[0].message
            );
        }
    }
    // Checks have no such limit (D-27): only prefixes and `*` match longer names.
    let policy = policy(&[acl("PREFIXED", &"t".repeat(249), "Group:g", "ALLOW")]);
    assert_eq!(
        ask(&policy, &["g"], ResourceType::Topic, &"t".repeat(1 << 20))
            .reason
            .code(),
        "allow_rule"
    );
}

#[test]
fn long_names_of_groups_work_everywhere() {
    for name in [
        "g".repeat(1_000),
        "é".repeat(1_000),
        "\u{1f600}".repeat(1_000),
        "/a".repeat(5_000),
    ] {
        let principal = Principal::parse(&format!("Group:{name}")).expect("a principal");
        assert_eq!(principal.check_create(), Ok(()));
        let document = json!({
            "version": 1,
            "roles": [{ "name": "r", "members": [{ "principal": format!("Group:{name}") }] }],
            "acls": [
                acl("LITERAL", "own", &format!("Group:{name}"), "ALLOW"),
                acl("LITERAL", "of-role", "Role:r", "ALLOW"),
            ],
        });
        let policy = policy_from_json(&document.to_string()).expect("a policy");
        let who = Subject::Claims {
            claims: gbac_engine::ClaimSet::parse(
                &json!({ "sub": "u", "groups": [name] }).to_string(),
            )
            .unwrap(),
            userinfo: None,
        };
        let opened = resolve(&policy, &who, None).expect("an identity");
        assert_eq!(opened.identity.groups(), [name.as_str()]);
        for topic in ["own", "of-role"] {
            let request = Request::new(
                Operation::Read,
                ResourceType::Topic,
                topic,
                At::IgnoringExpiry,
            );
            let decision = decide(&policy, &opened.identity, &request);
            assert_eq!(
                (decision.reason.code(), decision.group.as_deref()),
                ("allow_rule", Some(name.as_str()))
            );
        }
        // A name with one character less is another group.
        let shorter: String = name.chars().skip(1).collect();
        assert_eq!(
            ask(&policy, &[&shorter], ResourceType::Topic, "own")
                .reason
                .code(),
            "no_match"
        );
    }
}

#[test]
fn ten_thousand_groups_in_one_token() {
    let name = |number: usize| format!("/organisation/department/team-{number:05}");
    let groups: Vec<String> = (0..10_000).map(name).collect();
    let policy = policy(&[
        acl("LITERAL", "first", &format!("Group:{}", name(0)), "ALLOW"),
        acl(
            "LITERAL",
            "last",
            &format!("Group:{}", name(9_999)),
            "ALLOW",
        ),
        acl("LITERAL", "mixed", &format!("Group:{}", name(3)), "ALLOW"),
        acl(
            "LITERAL",
            "mixed",
            &format!("Group:{}", name(9_998)),
            "DENY",
        ),
        acl(
            "LITERAL",
            "none",
            &format!("Group:{}", name(10_000)),
            "ALLOW",
        ),
    ]);
    for claim in [json!(groups), json!(groups.join(", "))] {
        let payload = json!({ "sub": "u", "groups": claim }).to_string();
        let token = format!(
            "eyJhbGciOiJSUzI1NiJ9.{}.c2ln",
            URL_SAFE_NO_PAD.encode(payload)
        );
        let opened = resolve(
            &policy,
            &Subject::UnverifiedToken {
                token,
                userinfo: None,
            },
            None,
        )
        .expect("an identity");
        assert_eq!(opened.identity.groups(), groups);
        let decided = |topic| {
            let decision = decide(
                &policy,
                &opened.identity,
                &Request::new(
                    Operation::Read,
                    ResourceType::Topic,
                    topic,
                    At::IgnoringExpiry,
                ),
            );
            (decision.reason.code(), decision.group)
        };
        assert_eq!(decided("first"), ("allow_rule", Some(name(0))));
        assert_eq!(decided("last"), ("allow_rule", Some(name(9_999))));
        assert_eq!(decided("mixed"), ("deny_rule", Some(name(9_998))));
        assert_eq!(decided("none"), ("no_match", None));
    }
}

#[test]
fn a_role_with_ten_thousand_members_and_a_member_of_ten_thousand_roles() {
    let mut policy = Policy::new(Settings::default());
    let role = |number: usize| format!("role-{number:05}");
    for number in 0..10_000 {
        policy
            .apply(Change::CreateRole(role(number)))
            .expect("a new role");
    }
    let member = |role: String, name: String| Change::AddMember {
        role,
        member: Principal::group(name),
    };
    for number in 0..10_000 {
        assert_eq!(
            policy.apply(member(role(number), "in-all".into())),
            Ok(true)
        );
        assert_eq!(
            policy.apply(member(role(77), format!("g{number}"))),
            Ok(true)
        );
    }
    for number in [77, 9_999] {
        let of_role = policy_from_value(&json!({
            "version": 1, "acls": [acl("PREFIXED", "t", &format!("Role:{}", role(number)), "ALLOW")],
        }));
        for acl in of_role.expect("a policy").acls() {
            policy
                .apply(Change::AddAcl(acl.clone()))
                .expect("adding works");
        }
    }
    let decided =
        |policy: &Policy, group: &str| ask(policy, &[group], ResourceType::Topic, "t1").role;
    assert_eq!(decided(&policy, "in-all"), Some(role(77)));
    assert_eq!(decided(&policy, "g9999"), Some(role(77)));
    assert_eq!(decided(&policy, "g10000"), None);
    assert_eq!(
        policy.apply(Change::DeleteRole {
            name: role(77),
            delete_acls: false
        }),
        Ok(true)
    );
    assert_eq!(decided(&policy, "in-all"), Some(role(9_999)));
    assert_eq!(decided(&policy, "g9999"), None);
}
