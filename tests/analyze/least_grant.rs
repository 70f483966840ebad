//! Tests of the smallest grant that allows a denied request.

use std::collections::BTreeSet;

use gbac_analysis::{MAX_CANDIDATES, least_grant};
use gbac_engine::decide::{At, Outcome, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::{Change, Policy};
use gbac_tests::oracle::Facts;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    FEW, GROUPS, Question, ROLES, USERS, acl, allows, config, facts, groups, once, policy,
    question, roles, verdict,
};

fn with(facts: &Facts, user: &str, groups: &[String], set: &[Principal]) -> (Facts, Vec<String>) {
    let mut facts = facts.clone();
    let mut groups = groups.to_vec();
    for principal in set {
        match principal.kind() {
            PrincipalType::Group => groups.push(principal.name().into()),
            _ => {
                for role in facts
                    .roles
                    .iter_mut()
                    .filter(|role| role.name == principal.name())
                {
                    role.members.insert(Principal::user(user));
                }
            }
        }
    }
    (facts, groups)
}

fn check_least_grant(
    facts: &Facts,
    user: &str,
    groups: &[String],
    questions: &[Question],
) -> Result<usize, TestCaseError> {
    let policy = policy(facts);
    let requests: Vec<Request<'_>> = questions.iter().map(Question::request).collect();
    let identity = Identity::new(user, groups);
    let found = least_grant(&policy, &identity, &requests);
    let all = |facts: &Facts, groups: &[String]| {
        questions
            .iter()
            .all(|question| allows(facts, user, groups, question))
    };
    if all(facts, groups) {
        prop_assert!(
            found.memberships_to_add.is_empty()
                && found.acls.is_empty()
                && found.denied_by.is_empty()
        );
        return Ok(0);
    }
    let denying: BTreeSet<&Acl> = found.denied_by.iter().map(|by| &by.acl).collect();
    let by_oracle: BTreeSet<&Acl> = facts
        .acls
        .iter()
        .filter(|acl| acl.permission == Permission::Deny)
        .filter(|acl| {
            let only = Facts {
                acls: vec![(*acl).clone()],
                ..facts.clone()
            };
            questions
                .iter()
                .any(|question| verdict(&only, user, groups, question).reason == "deny_rule")
        })
        .collect();
    prop_assert_eq!(&denying, &by_oracle);
    // Tries every set of groups and roles, by size: the sets of the first size with a result must
    // equal the returned ones.
    let mut candidates: Vec<Principal> = GROUPS
        .iter()
        .filter(|group| !groups.iter().any(|has| has == *group))
        .map(|group| Principal::group(*group))
        .collect();
    candidates.extend(facts.roles.iter().map(|role| Principal::role(&role.name)));
    let mut by_size: Vec<BTreeSet<Vec<Principal>>> = vec![BTreeSet::new(); candidates.len() + 1];
    for chosen in 0_usize..1 << candidates.len() {
        let set: Vec<Principal> = candidates
            .iter()
            .enumerate()
            .filter(|(place, _)| chosen >> place & 1 == 1)
            .map(|(_, one)| one.clone())
            .collect();
        let (facts, groups) = with(facts, user, groups, &set);
        if all(&facts, &groups) {
            by_size[set.len()].insert(set);
        }
    }
    let smallest = by_size
        .into_iter()
        .find(|sets| !sets.is_empty())
        .unwrap_or_default();
    prop_assert_eq!(
        found
            .memberships_to_add
            .iter()
            .cloned()
            .collect::<BTreeSet<_>>(),
        smallest.clone()
    );
    prop_assert_eq!(found.memberships_to_add.len(), smallest.len());
    prop_assert!(found.complete);
    // The new ACLs allow the requests, and each of them is necessary.
    if denying.is_empty() && (user != "*" || !groups.is_empty()) {
        let mut granted = facts.clone();
        granted.acls.extend(found.acls.iter().cloned());
        prop_assert!(all(&granted, groups), "{:?}", found.acls);
    } else {
        prop_assert!(found.acls.is_empty());
    }
    Ok(found.memberships_to_add.first().map_or(0, Vec::len))
}

proptest! {
    #![proptest_config(config(20))]

    /// The returned sets allow the requests, no smaller one does, and none of that size is missing.
    #[test]
    fn the_least_grant_is_the_least(
        facts in facts(gbac_engine::Dialect::Platform.operations()),
        user in select(USERS),
        groups in groups(),
        questions in vec(question(gbac_engine::Dialect::Platform.operations()), 1..4),
    ) {
        check_least_grant(&facts, user, &groups, &questions)?;
    }

    /// The same for several requests, for which one group or role is seldom enough.
    #[test]
    fn the_least_grant_of_several_is_the_least(
        owners in vec(prop_oneof![select(GROUPS).prop_map(Principal::group), select(ROLES).prop_map(Principal::role)], 3..8),
        roles in roles(),
        denies in vec(acl(FEW), 0..2),
    ) {
        let names = ["a", "b", "ab"];
        let mut acls = denies;
        for (owner, name) in owners.iter().zip(names.iter().cycle()) {
            acls.push(Acl {
                resource_type: ResourceType::Topic,
                resource_name: (*name).into(),
                pattern_type: PatternType::Literal,
                principal: owner.clone(),
                host: Host::Any,
                operation: Operation::Read,
                permission: Permission::Allow,
            });
        }
        let facts = Facts { acls: once(acls), roles, superusers: Vec::new() };
        let questions: Vec<Question> = names
            .map(|name| Question { operation: Operation::Read, resource_type: ResourceType::Topic, name: name.into(), host: None })
            .to_vec();
        check_least_grant(&facts, "w", &[], &questions)?;
    }
}

#[test]
fn where_there_are_too_many_candidates_it_says_so_and_tells_a_set_that_allows() {
    let count = MAX_CANDIDATES + 4;
    let mut policy = Policy::default();
    let topics: Vec<String> = (0..count).map(|place| format!("t{place}")).collect();
    // One group for each topic, and one for the first half of them.
    let mut grant = |group: &str, topic: &str| {
        policy
            .apply(Change::AddAcl(read(topic, Principal::group(group))))
            .unwrap();
    };
    for topic in &topics {
        grant(&format!("g-{topic}"), topic);
    }
    topics[..count / 2]
        .iter()
        .for_each(|topic| grant("half", topic));
    let requests: Vec<Request<'_>> = topics
        .iter()
        .map(|topic| {
            Request::new(
                Operation::Read,
                ResourceType::Topic,
                topic,
                At::IgnoringExpiry,
            )
        })
        .collect();
    let enough = count / 2 + 1;
    let few = least_grant(&policy, &Identity::new("w", [""; 0]), &requests[..4]);
    assert!(
        few.complete && few.memberships_to_add == [vec![Principal::group("half")]],
        "{:?}",
        few.memberships_to_add
    );
    let many = least_grant(&policy, &Identity::new("w", [""; 0]), &requests);
    assert!(!many.complete);
    assert_eq!(
        many.memberships_to_add.iter().map(Vec::len).max(),
        Some(enough)
    );
    for set in &many.memberships_to_add {
        let identity = Identity::new("w", set.iter().map(|principal| principal.name()));
        assert!(
            requests
                .iter()
                .all(|request| decide(&policy, &identity, request).outcome == Outcome::Allow)
        );
    }
    assert_eq!(many.acls.len(), count);
}

fn read(topic: &str, principal: Principal) -> Acl {
    Acl {
        resource_type: ResourceType::Topic,
        resource_name: topic.into(),
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation: Operation::Read,
        permission: Permission::Allow,
    }
}
