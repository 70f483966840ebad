//! Tests of compared identities, hypothetical changes and the gains of collisions, against the
//! oracle.

use std::collections::BTreeSet;

use gbac_analysis::{
    CollisionReason, HypotheticalChange, HypotheticalChanges, collision_gains, compare,
    compare_identities, groups_between,
};
use gbac_analysis::{
    check::{Answer, Check, Query},
    what_if,
};
use gbac_engine::Subject;
use gbac_engine::decide::{At, Outcome};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{acl_from_value, hypothetical_changes_from_json};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::world::{FEW, USERS, config, facts, groups, policy};

/// The ACLs that apply to an identity, by checking all of them.
fn reaching(policy: &Policy, identity: &Identity) -> BTreeSet<Acl> {
    let mut held: BTreeSet<Principal> = identity.groups().iter().map(Principal::group).collect();
    held.insert(Principal::user(identity.user()));
    // Roles cannot be members of roles, so one pass is enough.
    for role in policy.roles() {
        if role.members.iter().any(|member| held.contains(member)) {
            held.insert(Principal::role(&role.name));
        }
    }
    policy
        .acls()
        .filter(|acl| acl.principal.is_everyone() || held.contains(&acl.principal))
        .collect()
}

proptest! {
    #![proptest_config(config(20))]

    /// The groups and ACLs of only one identity are exact; the other test covers the permissions.
    #[test]
    fn people_differ_in_what_each_holds(facts in facts(FEW), users in (select(USERS), select(USERS)), groups in (groups(), groups())) {
        let policy = policy(&facts);
        let (first, second) = (Identity::new(users.0, &groups.0), Identity::new(users.1, &groups.1));
        let found = compare_identities(&policy, &first, &second);
        let [ones, others] = [&first, &second].map(|identity| reaching(&policy, identity));
        prop_assert_eq!(found.acls_first.iter().cloned().collect::<BTreeSet<_>>(), ones.difference(&others).cloned().collect());
        prop_assert_eq!(found.acls_second.iter().cloned().collect::<BTreeSet<_>>(), others.difference(&ones).cloned().collect());
        let names = |identity: &Identity| identity.groups().iter().cloned().collect::<BTreeSet<_>>();
        let both: BTreeSet<String> = names(&first).intersection(&names(&second)).cloned().collect();
        prop_assert_eq!(found.groups_both.iter().cloned().collect::<BTreeSet<_>>(), both);
        prop_assert_eq!(groups_between(&first, &second), (found.groups_second, found.groups_first));
        prop_assert_eq!(found.comparison, compare((&policy, &first), (&policy, &second)));
    }
}

fn allow(principal: &str, name: &str) -> Acl {
    let acl = json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW",
    });
    acl_from_value(&acl).unwrap()
}

fn world() -> Policy {
    let mut policy = Policy::default();
    for change in [
        Change::CreateRole("readers".into()),
        Change::AddAcl(allow("Role:readers", "orders")),
        Change::AddAcl(allow("Group:payments", "payments")),
    ] {
        assert!(policy.apply(change).unwrap());
    }
    policy
}

fn read(name: &str) -> Check {
    let question = Query::Access {
        operation: Operation::Read,
        resource_type: ResourceType::Topic,
        resource_name: name.into(),
    };
    Check {
        id: None,
        subject: Subject::Names {
            user: String::new(),
            groups: Vec::new(),
        },
        query: question,
        host: None,
        at: None,
    }
}

#[test]
fn trials_take_each_other_back_and_settings_replace() {
    let mut trials = HypotheticalChanges::default();
    assert!(
        trials.add(HypotheticalChange::Join("a".into()))
            && !trials.add(HypotheticalChange::Join("a".into()))
    );
    assert!(trials.add(HypotheticalChange::Leave("a".into())));
    let member = || ("readers".to_owned(), Principal::group("g"));
    let (role, group) = member();
    trials.add(HypotheticalChange::Policy(Change::AddMember {
        role,
        member: group,
    }));
    let (role, group) = member();
    trials.add(HypotheticalChange::Policy(Change::RemoveMember {
        role,
        member: group,
    }));
    trials.add(HypotheticalChange::Policy(Change::RemoveAcl(allow(
        "Group:a", "x",
    ))));
    trials.add(HypotheticalChange::Policy(Change::AddAcl(allow(
        "Group:a", "x",
    ))));
    assert_eq!(trials, HypotheticalChanges::default());
    for nested in ["suffix", "none"] {
        let text = format!(
            r#"[{{ "change": "settings", "settings": {{ "nested_group_behavior": "{nested}" }} }}]"#
        );
        trials.extend(
            hypothetical_changes_from_json(&text)
                .unwrap()
                .as_slice()
                .iter()
                .cloned(),
        );
    }
    assert_eq!(trials.changes().count(), 1);
    trials.remove(7);
    trials.remove(0);
    assert!(trials.as_slice().is_empty());
}

#[test]
fn what_does_nothing_is_named() {
    let trials = hypothetical_changes_from_json(
        r#"[{ "change": "add_to_group", "group": "ops" }, { "change": "remove_from_group", "group": "nobody" },
            { "change": "add_member", "role": "nowhere", "principal": "Group:ops" }, { "change": "create_role", "role": "readers" }]"#,
    )
    .unwrap();
    let who = Subject::Names {
        user: "alice".into(),
        groups: vec!["ops".into()],
    };
    let found = what_if(&world(), &who, &trials, None, None, At::IgnoringExpiry).unwrap();
    let idle: Vec<(&str, String)> = found
        .no_ops
        .iter()
        .map(|idle| (idle.code(), idle.to_string()))
        .collect();
    assert_eq!(
        idle.iter().map(|(code, _)| *code).collect::<Vec<_>>(),
        ["role_unknown", "role_exists", "no_change", "no_change"],
        "{idle:?}"
    );
    assert!(
        found.comparison.is_equal()
            && found.groups == (vec![], vec![])
            && found.decisions.is_none()
    );
}

#[test]
fn changes_of_policy_groups_and_settings_are_tried_together() {
    let policy = world();
    let who = Subject::Claims {
        claims: gbac_engine::ClaimSet::parse(r#"{ "sub": "alice", "groups": ["/eng/payments"] }"#)
            .unwrap(),
        userinfo: None,
    };
    let trials = hypothetical_changes_from_json(
        r#"[{ "change": "settings", "settings": { "nested_group_behavior": "suffix" } },
            { "change": "add_to_group", "group": "ops" }, { "change": "add_member", "role": "readers", "principal": "Group:ops" }]"#,
    )
    .unwrap();
    let found = what_if(
        &policy,
        &who,
        &trials,
        Some(&read("orders")),
        None,
        At::IgnoringExpiry,
    )
    .unwrap();
    assert_eq!(
        found.groups,
        (
            vec!["payments".into(), "ops".into()],
            vec!["/eng/payments".into()]
        )
    );
    assert_eq!(
        found
            .comparison
            .gains
            .iter()
            .map(|extent| extent.pattern.name.as_str())
            .collect::<Vec<_>>(),
        ["orders", "payments"]
    );
    assert_eq!(
        found.decisions.unwrap().each_ref().map(Answer::outcome),
        [Outcome::Deny, Outcome::Allow]
    );
    assert_eq!(policy.role_names().count(), 1, "the policy is as it was");
    // With a claim that the token lacks, sign-in fails.
    let nobody = hypothetical_changes_from_json(
        r#"[{ "change": "settings", "settings": { "oidc_principal_mapping": "$.email" } }]"#,
    );
    assert!(
        what_if(
            &policy,
            &who,
            &nobody.unwrap(),
            None,
            None,
            At::IgnoringExpiry
        )
        .is_err()
    );
}

#[test]
fn what_is_no_change_is_refused_with_its_place() {
    for (text, place, code) in [
        ("{}", "", "wrong_type"),
        (r#"[{ "change": "add_to_group" }]"#, "/0", "missing_member"),
        (
            r#"[{ "change": "add_to_group", "group": "" }]"#,
            "/0/group",
            "empty_name",
        ),
        (
            r#"[{ "change": "remove_from_group", "group": "a", "role": "b" }]"#,
            "/0",
            "unknown_member",
        ),
        (
            r#"[{ "change": "create_role", "role": "a" }, { "change": "fly" }]"#,
            "/1/change",
            "unknown_value",
        ),
    ] {
        let problems = hypothetical_changes_from_json(text).unwrap_err().0;
        assert!(
            problems
                .iter()
                .any(|problem| problem.path.starts_with(place) && problem.code.as_str() == code),
            "{text}: {problems:?}"
        );
    }
}

#[test]
fn what_merged_names_gain_is_what_the_group_may() {
    let policy = world();
    let found = collision_gains(
        &policy,
        NestedGroupBehavior::Suffix,
        &["/z/payments", "/a/b", "/c/b"],
        9,
    );
    let told: Vec<(&str, usize)> = found
        .collisions
        .iter()
        .map(|(collision, gains)| (collision.group.as_str(), gains.len()))
        .collect();
    assert_eq!((told, found.omitted), (vec![("b", 2), ("payments", 1)], 0));
    let (_, gains) = &found.collisions[1];
    assert_eq!(
        (
            gains[0].name.as_str(),
            gains[0].regions[0].pattern.name.as_str()
        ),
        ("/z/payments", "payments")
    );
    assert!(
        found.collisions[0]
            .1
            .iter()
            .all(|gain| gain.regions.is_empty())
    );
    let less = collision_gains(
        &policy,
        NestedGroupBehavior::Suffix,
        &["/z/payments", "/a/b", "/c/b"],
        1,
    );
    assert_eq!((less.collisions.len(), less.omitted), (1, 1));
    // Splitting produces every part, so the name's own access stays.
    let comma = collision_gains(&policy, NestedGroupBehavior::None, &["payments,ops"], 9);
    assert_eq!(comma.collisions[0].0.reason, CollisionReason::Comma);
    assert_eq!(comma.collisions[0].1[0].regions[0].pattern.name, "payments");
}
