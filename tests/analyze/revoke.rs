//! Tests of the smallest change that denies an allowed request.

use std::collections::BTreeSet;

use gbac_analysis::{Revocation, revoke};
use gbac_engine::decide::{Outcome, Reason};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Operation, Permission, Principal};
use gbac_tests::oracle::Facts;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    FEW, Question, USERS, allows, config, facts, groups, policy, question, verdict,
};

/// A removable row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Acl(Acl),
    Member(String, Principal),
}

fn without(facts: &Facts, rows: &[Row]) -> Facts {
    let mut facts = facts.clone();
    for row in rows {
        match row {
            Row::Acl(acl) => facts.acls.retain(|known| known != acl),
            Row::Member(role, member) => {
                for role in facts.roles.iter_mut().filter(|known| known.name == *role) {
                    role.members.remove(member);
                }
            }
        }
    }
    facts
}

/// Every row whose removal could matter: allows, and memberships of the user.
fn rows(facts: &Facts, user: &str, groups: &[String]) -> Vec<Row> {
    let held: BTreeSet<Principal> = groups
        .iter()
        .map(Principal::group)
        .chain([Principal::user(user)])
        .collect();
    let allows = facts
        .acls
        .iter()
        .filter(|acl| acl.permission == Permission::Allow)
        .cloned()
        .map(Row::Acl);
    let members = facts.roles.iter().flat_map(|role| {
        role.members
            .iter()
            .filter(|member| held.contains(member))
            .map(|member| Row::Member(role.name.clone(), member.clone()))
    });
    allows.chain(members).collect()
}

/// The rows of the smallest change: for each role, the fewer ones.
fn least(found: &Revocation) -> Vec<Row> {
    let mut rows: Vec<Row> = found.acls.iter().cloned().map(Row::Acl).collect();
    for grant in &found.roles {
        if grant.members.len() < grant.acls.len() {
            rows.extend(
                grant
                    .members
                    .iter()
                    .map(|member| Row::Member(grant.role.clone(), member.clone())),
            );
        } else {
            rows.extend(grant.acls.iter().cloned().map(Row::Acl));
        }
    }
    rows
}

/// The principals of a user after leaving these groups and roles.
fn left(facts: &Facts, user: &str, groups: &[String], leave: &[Principal]) -> (Facts, Vec<String>) {
    let mut facts = facts.clone();
    for role in &mut facts.roles {
        if leave.contains(&Principal::role(&role.name)) {
            role.members.remove(&Principal::user(user));
        }
    }
    let groups = groups
        .iter()
        .filter(|group| !leave.contains(&Principal::group(group.as_str())))
        .cloned()
        .collect();
    (facts, groups)
}

fn check(
    facts: &Facts,
    user: &str,
    groups: &[String],
    question: &Question,
) -> Result<(), TestCaseError> {
    let found = revoke(
        &policy(facts),
        &Identity::new(user, groups),
        &question.request(),
    );
    let may = |facts: &Facts, groups: &[String]| allows(facts, user, groups, question);
    if verdict(facts, user, groups, question).reason != "allow_rule" {
        prop_assert!(
            found.acls.is_empty()
                && found.roles.is_empty()
                && found.memberships_to_leave.is_none()
                && found.deny.is_none()
        );
        prop_assert_eq!(found.change_count(), None);
        return Ok(());
    }
    // Removing the returned rows denies it; no smaller set does.
    let told = least(&found);
    prop_assert_eq!(found.change_count(), Some(told.len()));
    prop_assert!(!may(&without(facts, &told), groups), "{:#?}", found);
    let all = rows(facts, user, groups);
    prop_assume!(all.len() <= 12);
    for chosen in 0_usize..1 << all.len() {
        if (chosen.count_ones() as usize) < told.len() {
            let some: Vec<Row> = (all.iter().enumerate())
                .filter(|(place, _)| chosen >> place & 1 == 1)
                .map(|(_, row)| row.clone())
                .collect();
            prop_assert!(
                may(&without(facts, &some), groups),
                "{some:?} is less than {found:#?}"
            );
        }
    }
    // For a role, removing the memberships or the ACLs is equivalent.
    let only_acls: Vec<Row> = found
        .acls
        .iter()
        .chain(found.roles.iter().flat_map(|grant| &grant.acls))
        .cloned()
        .map(Row::Acl)
        .collect();
    prop_assert!(!may(&without(facts, &only_acls), groups));
    let ends = found.roles.iter().flat_map(|grant| {
        grant
            .members
            .iter()
            .map(|member| Row::Member(grant.role.clone(), member.clone()))
    });
    let members: Vec<Row> = found
        .acls
        .iter()
        .cloned()
        .map(Row::Acl)
        .chain(ends)
        .collect();
    prop_assert!(!may(&without(facts, &members), groups));
    // The user must leave exactly these, and each is necessary.
    let roles = facts
        .roles
        .iter()
        .filter(|role| role.members.contains(&Principal::user(user)));
    let everything: Vec<Principal> = groups
        .iter()
        .map(Principal::group)
        .chain(roles.map(|role| Principal::role(&role.name)))
        .collect();
    let denied = |leave: &[Principal]| {
        let (facts, groups) = left(facts, user, groups, leave);
        !may(&facts, &groups)
    };
    prop_assert_eq!(found.memberships_to_leave.is_some(), denied(&everything));
    if let Some(leave) = &found.memberships_to_leave {
        prop_assert!(denied(leave));
        for place in 0..leave.len() {
            let mut fewer = leave.clone();
            fewer.remove(place);
            prop_assert!(!denied(&fewer), "{} is not needed", leave[place]);
        }
    }
    // One deny is enough.
    if let Some(deny) = &found.deny {
        let mut facts = facts.clone();
        facts.acls.push(deny.clone());
        prop_assert!(!may(&facts, groups), "{deny:?}");
    } else {
        prop_assert!(user == "*" && groups.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(10))]

    #[test]
    fn the_least_that_goes_is_the_least(facts in facts(FEW), user in select(USERS), groups in groups(), question in question(FEW)) {
        check(&facts, user, &groups, &question)?;
    }

    #[test]
    fn every_operation_is_taken_away(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups(), question in question(gbac_engine::Dialect::Platform.operations())) {
        check(&facts, user, &groups, &question)?;
    }
}

#[test]
fn from_a_superuser_no_row_takes_anything() {
    let facts = Facts {
        acls: Vec::new(),
        roles: Vec::new(),
        superusers: vec!["u".into()],
    };
    let question = Question {
        operation: Operation::Read,
        resource_type: gbac_engine::model::ResourceType::Topic,
        name: "a".into(),
        host: None,
    };
    let found = revoke(
        &policy(&facts),
        &Identity::new("u", ["g"]),
        &question.request(),
    );
    assert_eq!(
        (found.decision.outcome, found.decision.reason),
        (Outcome::Allow, Reason::Superuser)
    );
    assert_eq!(
        (found.change_count(), found.deny, found.memberships_to_leave),
        (None, None, None)
    );
}
