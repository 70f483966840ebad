//! Tests of the fixes of a denied request, and of the part of a policy in which they are tried.

use std::collections::BTreeSet;

use gbac_analysis::{
    AccessFix, Breadth, FixKind, HypotheticalChange, Opening, access_fixes, diff, least_grant,
    policy_excerpt,
};
use gbac_engine::decide::{At, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, ResourceType, Role, check_role_name,
};
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_tests::oracle::Facts;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    FEW, ROLES, USERS, acl, allows, config, facts, groups, member, once, policy, question, verdict,
};

/// A change of a small world.
#[derive(Debug, Clone)]
enum Edit {
    Add(Acl),
    Remove(prop::sample::Index),
    Join(&'static str, Principal),
    Leave(&'static str, prop::sample::Index),
    Create(&'static str),
    Delete(&'static str, bool),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => acl(FEW).prop_map(Edit::Add),
        3 => any::<prop::sample::Index>().prop_map(Edit::Remove),
        2 => (select(ROLES), member()).prop_map(|(role, member)| Edit::Join(role, member)),
        2 => (select(ROLES), any::<prop::sample::Index>()).prop_map(|(role, index)| Edit::Leave(role, index)),
        1 => select(ROLES).prop_map(Edit::Create),
        1 => (select(ROLES), any::<bool>()).prop_map(|(role, acls)| Edit::Delete(role, acls)),
    ]
}

/// The changes that edits of a world make.
fn changes(facts: &Facts, edits: &[Edit]) -> Vec<Change> {
    let mut changes = Vec::new();
    for edit in edits {
        match edit {
            Edit::Add(acl) => changes.push(Change::AddAcl(acl.clone())),
            Edit::Remove(index) if !facts.acls.is_empty() => {
                changes.push(Change::RemoveAcl(
                    facts.acls[index.index(facts.acls.len())].clone(),
                ));
            }
            Edit::Remove(_) => {}
            Edit::Join(role, member) => {
                changes.push(Change::AddMember {
                    role: (*role).into(),
                    member: member.clone(),
                });
            }
            Edit::Leave(name, index) => {
                let role = facts
                    .roles
                    .iter()
                    .find(|role| role.name == *name)
                    .filter(|role| !role.members.is_empty());
                if let Some(role) = role {
                    let member = role
                        .members
                        .iter()
                        .nth(index.index(role.members.len()))
                        .unwrap()
                        .clone();
                    changes.push(Change::RemoveMember {
                        role: (*name).into(),
                        member,
                    });
                }
            }
            Edit::Create(name) => changes.push(Change::CreateRole((*name).into())),
            Edit::Delete(name, acls) => {
                changes.push(Change::DeleteRole {
                    name: (*name).into(),
                    delete_acls: *acls,
                });
            }
        }
    }
    changes
}

fn after(policy: &Policy, changes: &[Change]) -> Policy {
    let mut after = policy.clone();
    apply_each(&mut after, changes);
    after
}

/// The differences that changes make, without the example of each.
fn differences(policy: &Policy, changes: &[Change]) -> Vec<String> {
    let found = diff(policy, &after(policy, changes));
    let all = found.differences.into_iter().chain(found.roles);
    all.map(|mut difference| {
        difference.counterexample = None;
        format!("{difference:?}")
    })
    .collect()
}

/// A world with the changes of a fix, and the user's groups with it.
fn fixed(facts: &Facts, groups: &[String], fix: &AccessFix) -> (Facts, Vec<String>) {
    let (mut facts, mut groups) = (facts.clone(), groups.to_vec());
    for change in fix.changes() {
        match change {
            HypotheticalChange::Join(name) => groups.push(name.clone()),
            HypotheticalChange::Leave(name) => groups.retain(|group| group != name),
            HypotheticalChange::Policy(Change::AddAcl(acl)) => facts.acls.push(acl.clone()),
            HypotheticalChange::Policy(Change::RemoveAcl(acl)) => {
                facts.acls.retain(|other| other != acl);
            }
            HypotheticalChange::Policy(Change::CreateRole(name)) => {
                facts.roles.push(Role {
                    name: name.clone(),
                    members: BTreeSet::new(),
                });
            }
            HypotheticalChange::Policy(Change::AddMember { role, member }) => {
                let role = facts
                    .roles
                    .iter_mut()
                    .find(|other| other.name == *role)
                    .expect("the role exists");
                assert!(role.members.insert(member.clone()), "it was a member");
            }
            HypotheticalChange::Policy(Change::RemoveMember { role, member }) => {
                let role = facts
                    .roles
                    .iter_mut()
                    .find(|other| other.name == *role)
                    .expect("the role exists");
                assert!(role.members.remove(member), "it was no member");
            }
            HypotheticalChange::Policy(other) => panic!("no fix makes {other:?}"),
        }
    }
    facts.acls = once(facts.acls);
    (facts, groups)
}

/// What gets rid of a deny.
const REMOVALS: [FixKind; 4] = [
    FixKind::RemoveDenies,
    FixKind::LeaveRole,
    FixKind::NarrowDenies,
    FixKind::LeaveGroups,
];

proptest! {
    #![proptest_config(config(5))]

    /// Every fix allows the request; while a deny decides, each begins with getting rid of it.
    #[test]
    fn every_fix_allows_the_request(
        facts in facts(FEW),
        user in select(USERS),
        groups in groups(),
        question in question(FEW),
    ) {
        let policy = policy(&facts);
        let identity = Identity::new(user, &groups);
        let found = access_fixes(&policy, &identity, &question.request(), |_, _| true);
        let before = verdict(&facts, user, &groups, &question);
        prop_assert_eq!(found.denied_by.is_empty(), before.reason != "deny_rule");
        prop_assert!(before.outcome == "deny" || found.fixes.is_empty());
        for fix in &found.fixes {
            prop_assert!(fix.steps.iter().all(|step| !step.changes.is_empty()));
            let (facts, groups) = fixed(&facts, &groups, fix);
            prop_assert!(allows(&facts, user, &groups, &question), "{fix:?}");
            let removes = fix.steps.first().is_some_and(|step| REMOVALS.contains(&step.kind));
            prop_assert_eq!(removes, before.reason == "deny_rule", "{:?}", fix);
        }
        // Nothing is listed twice.
        let all: Vec<String> = found.fixes.iter().map(|fix| format!("{fix:?}")).collect();
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    /// What a fix does to everyone is found in the part of the policy as in the whole.
    #[test]
    fn the_effect_of_a_fix_is_found_in_the_excerpt(
        facts in facts(FEW),
        user in select(USERS),
        groups in groups(),
        question in question(FEW),
    ) {
        let policy = policy(&facts);
        let found = access_fixes(&policy, &Identity::new(user, &groups), &question.request(), |_, _| true);
        for fix in &found.fixes {
            let changes = fix.policy_changes();
            let part = policy_excerpt(&policy, &changes, &[]);
            prop_assert_eq!(differences(&part, &changes), differences(&policy, &changes), "{:?}", fix);
        }
    }

    /// So is what any changes do, and what an identity is allowed.
    #[test]
    fn the_excerpt_decides_what_changes_do(
        facts in facts(FEW),
        edits in vec(edit(), 1..4),
        user in select(USERS),
        groups in groups(),
        questions in vec(question(FEW), 1..8),
    ) {
        let policy = policy(&facts);
        let changes = changes(&facts, &edits);
        let members: Vec<Principal> =
            std::iter::once(Principal::user(user)).chain(groups.iter().map(Principal::group)).collect();
        let part = policy_excerpt(&policy, &changes, &members);
        prop_assert_eq!(differences(&part, &changes), differences(&policy, &changes), "{:?}", changes);
        let identity = Identity::new(user, &groups);
        let (after_part, after_whole) = (after(&part, &changes), after(&policy, &changes));
        for question in &questions {
            let request = question.request();
            let of = |policy: &Policy| decide(policy, &identity, &request);
            prop_assert_eq!(of(&part), of(&policy));
            prop_assert_eq!(of(&after_part), of(&after_whole));
        }
    }
}

fn acl_of(principal: &str, permission: Permission, operation: Operation, name: &str) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: name.into(),
        pattern_type: if name.ends_with('-') {
            PatternType::Prefixed
        } else {
            PatternType::Literal
        },
        principal: Principal::parse(principal).unwrap(),
        host: Host::Any,
        operation,
        permission,
    }
}

fn world(roles: &[(&str, &[&str])], acls: &[(&str, Permission, Operation, &str)]) -> Policy {
    let mut policy = Policy::default();
    for (name, members) in roles {
        policy.apply(Change::CreateRole((*name).into())).unwrap();
        for member in *members {
            let member = Principal::parse(member).unwrap();
            policy
                .apply(Change::AddMember {
                    role: (*name).into(),
                    member,
                })
                .unwrap();
        }
    }
    for (principal, permission, operation, name) in acls {
        policy
            .apply(Change::AddAcl(acl_of(
                principal,
                *permission,
                *operation,
                name,
            )))
            .unwrap();
    }
    policy
}

fn kinds(policy: &Policy, groups: &[&str], name: &str) -> Vec<Vec<FixKind>> {
    let request = Request::new(
        Operation::Write,
        ResourceType::Topic,
        name,
        At::IgnoringExpiry,
    );
    let identity = Identity::new("maya", groups.iter().copied());
    let found = access_fixes(policy, &identity, &request, |_, _| true);
    found
        .fixes
        .iter()
        .map(|fix| fix.steps.iter().map(|step| step.kind).collect())
        .collect()
}

#[test]
fn groups_and_roles_come_before_the_provider_and_the_user() {
    use Permission::Allow;
    let policy = world(
        &[
            ("Writers", &["Group:orders-writers"]),
            ("Analysts", &["Group:data"]),
        ],
        &[
            ("Role:Writers", Allow, Operation::Write, "orders-"),
            ("Role:Analysts", Allow, Operation::Read, "events-"),
        ],
    );
    let found = kinds(&policy, &["unknown", "data"], "orders-eu");
    assert_eq!(
        found,
        [
            vec![FixKind::AssignGroup],
            vec![FixKind::AssignGroup],
            vec![FixKind::ExtendRole],
            vec![FixKind::CreateRole],
            vec![FixKind::CreateRole],
            vec![FixKind::JoinGroup],
            vec![FixKind::AssignUser],
            vec![FixKind::GrantUser],
        ]
    );
    // A group that shares a word with the resource, or with a member of the role, comes first.
    let request = Request::new(
        Operation::Write,
        ResourceType::Topic,
        "orders-eu",
        At::IgnoringExpiry,
    );
    for related in ["/eu/checkout", "order-writers"] {
        let found = access_fixes(
            &policy,
            &Identity::new("maya", ["data", "ops", related]),
            &request,
            |_, _| true,
        );
        let member = Principal::group(related);
        assert_eq!(
            found.fixes[0].policy_changes(),
            [Change::AddMember {
                role: "Writers".into(),
                member
            }]
        );
    }
    // Otherwise, the order is that of the identity.
    let identity = Identity::new("maya", ["data", "unknown"]);
    let found = access_fixes(&policy, &identity, &request, |_, _| true);
    assert_eq!(
        found.fixes[0].policy_changes(),
        [Change::AddMember {
            role: "Writers".into(),
            member: Principal::group("data")
        }]
    );
    let created = found
        .fixes
        .iter()
        .find(|fix| fix.steps[0].kind == FixKind::CreateRole)
        .unwrap();
    assert_eq!(
        created.policy_changes()[0],
        Change::CreateRole("OrdersEuWriters".into())
    );
    // A name that is taken gets a number, and so does one that ACLs without a role wait for.
    let taken = access_fixes(&policy, &identity, &request, |name, _| {
        name != "OrdersEuWriters"
    });
    let created = taken
        .fixes
        .iter()
        .find(|fix| fix.steps[0].kind == FixKind::CreateRole)
        .unwrap();
    assert_eq!(
        created.policy_changes()[0],
        Change::CreateRole("OrdersEuWriters2".into())
    );
    // Who has no groups is not kept from a fix.
    assert_eq!(kinds(&policy, &[], "x"), [vec![FixKind::GrantUser]]);
}

/// A group that the policy spells in another way than the token is added as the token spells it.
#[test]
fn another_spelling_of_a_group_is_the_first_fix() {
    use Permission::Allow;
    let policy = world(
        &[("Writers", &["Group:Orders", "User:orders"])],
        &[
            ("Role:Writers", Allow, Operation::Write, "orders-"),
            ("Group:/data/", Allow, Operation::Write, "events-"),
        ],
    );
    let first = |name: &str| {
        let request = Request::new(
            Operation::Write,
            ResourceType::Topic,
            name,
            At::IgnoringExpiry,
        );
        let identity = Identity::new("maya", ["aaa", "orders", "Data"]);
        let fixes = access_fixes(&policy, &identity, &request, |_, _| true).fixes;
        assert_eq!(fixes[0].steps[0].kind, FixKind::SpellGroup, "{fixes:?}");
        let changes = fixes[0].policy_changes();
        let same = fixes.iter().filter(|fix| fix.policy_changes() == changes);
        assert_eq!(same.count(), 1, "it is listed once");
        changes
    };
    let member = Principal::group("orders");
    let role = "Writers".to_owned();
    assert_eq!(first("orders-eu"), [Change::AddMember { role, member }]);
    let [Change::AddAcl(acl)] = &first("events-eu")[..] else {
        panic!("an ACL")
    };
    assert_eq!(
        (&acl.principal, acl.resource_name.as_str()),
        (&Principal::group("Data"), "events-")
    );
}

/// What opens every topic comes after what opens one, also for one user.
#[test]
fn fixes_that_open_everything_come_last() {
    let policy = world(
        &[("Responders", &["Group:oncall"]), ("Orders", &[])],
        &[
            ("Role:Responders", Permission::Allow, Operation::Read, "*"),
            ("Role:Orders", Permission::Allow, Operation::Read, "orders"),
        ],
    );
    let identity = Identity::new("ana", ["contractors"]);
    let request = Request::new(
        Operation::Read,
        ResourceType::Topic,
        "orders",
        At::IgnoringExpiry,
    );
    let fixes = access_fixes(&policy, &identity, &request, |_, _| true).fixes;
    let are_wide: Vec<bool> = fixes
        .iter()
        .map(|fix| fix.opening(&policy).is_wide())
        .collect();
    let broad = are_wide
        .iter()
        .position(|is_wide| *is_wide)
        .expect("a role with every topic is offered");
    assert!(
        are_wide[broad..].iter().all(|is_wide| *is_wide),
        "{fixes:?}"
    );
    let joins = |fix: &AccessFix, name: &str| {
        fix.policy_changes()
            .iter()
            .any(|change| matches!(change, Change::AddMember { role, .. } if role == name))
    };
    assert!(joins(&fixes[0], "Orders"), "{fixes:?}");
    assert!(
        fixes[..broad]
            .iter()
            .any(|fix| fix.steps[0].kind == FixKind::GrantUser),
        "an ACL for one user on one topic opens less: {fixes:?}"
    );
    // The same among the smallest grants.
    let least = least_grant(&policy, &identity, &[request]);
    let last = least.memberships_to_add.last().expect("memberships");
    assert!(
        [Principal::group("oncall"), Principal::role("Responders")].contains(&last[0]),
        "{:?}",
        least.memberships_to_add
    );
    assert_eq!(least.memberships_to_add[0], [Principal::role("Orders")]);
    let mut breadths = least.openings.iter().map(Opening::breadth);
    assert_eq!(breadths.next(), Some(Some(Breadth::OneName)));
    assert_eq!(breadths.next_back(), Some(Some(Breadth::EveryName)));
}

#[test]
fn a_deny_is_removed_narrowed_or_left() {
    use Permission::{Allow, Deny};
    let policy = world(
        &[
            ("Writers", &["Group:eng"]),
            ("Suspended", &["Group:contractors"]),
        ],
        &[
            ("Role:Writers", Allow, Operation::Write, "orders-"),
            ("Role:Suspended", Deny, Operation::All, "orders-"),
            ("Group:audit", Deny, Operation::Write, "orders-eu"),
        ],
    );
    assert_eq!(
        kinds(&policy, &["eng", "contractors"], "orders-eu"),
        [
            vec![FixKind::RemoveDenies],
            vec![FixKind::LeaveRole],
            vec![FixKind::NarrowDenies],
            vec![FixKind::LeaveGroups],
        ]
    );
    // Two denies, of which one is of a group: its role can't be left, but both groups can.
    assert_eq!(
        kinds(&policy, &["eng", "contractors", "audit"], "orders-eu"),
        [
            vec![FixKind::RemoveDenies],
            vec![FixKind::NarrowDenies],
            vec![FixKind::LeaveGroups]
        ]
    );
    // Nothing allows it without the deny: the fix has a second step.
    let both = kinds(&policy, &["audit"], "orders-eu");
    assert!(
        both.contains(&vec![FixKind::RemoveDenies, FixKind::AssignGroup]),
        "{both:?}"
    );
    assert!(both.iter().all(|kinds| kinds.len() == 2), "{both:?}");
}

#[test]
fn superusers_and_what_is_allowed_or_expired_need_no_fix() {
    let policy = world(
        &[],
        &[("Group:eng", Permission::Allow, Operation::Write, "a")],
    );
    assert!(kinds(&policy, &["eng"], "a").is_empty());
    let claims =
        gbac_engine::token::UnverifiedClaims::parse(r#"{ "sub": "maya", "exp": 1 }"#).unwrap();
    let (expired, _) =
        Identity::from_unverified(&claims, None, &policy.settings().identity_rules()).unwrap();
    let request = Request::new(Operation::Write, ResourceType::Topic, "b", At::seconds(2.0));
    let found = access_fixes(&policy, &expired, &request, |_, _| true);
    assert_eq!(
        (found.decision.reason, found.fixes.len()),
        (Reason::Expired, 0)
    );
    assert_eq!(found.decision.outcome, Outcome::Deny);
}

#[test]
fn names_that_no_role_can_have_give_a_role_another_name() {
    let policy = Policy::default();
    for (resource_type, name) in [
        (ResourceType::Cluster, ""),
        (ResourceType::Subject, "--"),
        (ResourceType::Subject, &*"\u{1F600},=".repeat(20)),
    ] {
        let request = Request::new(Operation::Alter, resource_type, name, At::IgnoringExpiry);
        let found = access_fixes(
            &policy,
            &Identity::new("maya", ["eng"]),
            &request,
            |_, _| true,
        );
        let created = found
            .fixes
            .iter()
            .filter(|fix| fix.steps[0].kind == FixKind::CreateRole);
        for fix in created.clone() {
            let Some(Change::CreateRole(name)) = fix.policy_changes().into_iter().next() else {
                panic!("{fix:?}")
            };
            check_role_name(&name).unwrap();
        }
        assert_eq!(created.count(), 1, "{name:?}");
    }
}
