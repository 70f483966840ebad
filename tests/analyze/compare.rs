//! Tests of the comparison of two identities' access.

use gbac_analysis::{AccessRegion, Addresses, compare};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, PatternType};
use gbac_tests::oracle::Facts;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{FEW, Question, USERS, allows, config, facts, groups, policy, questions};

/// Whether a region contains a query.
fn is_in(extent: &AccessRegion, question: &Question) -> bool {
    let host = match (question.host, &extent.hosts.addresses) {
        (None, _) => extent.hosts.unknown,
        (Some(host), Addresses::Only(only)) => only.iter().any(|of| of.includes(host)),
        (Some(host), Addresses::AllBut(but)) => !but.iter().any(|of| of.includes(host)),
    };
    host && extent.resource_type == question.resource_type
        && extent.operations.contains(&question.operation)
        && extent.pattern.covers(&question.name)
        && !extent
            .except
            .iter()
            .any(|except| except.covers(&question.name))
}

fn check(
    [first, second]: [(&Facts, &str, &[String]); 2],
    operations: &'static [Operation],
) -> Result<(), TestCaseError> {
    let policies = [policy(first.0), policy(second.0)];
    let identities = [first, second].map(|(_, user, groups)| Identity::new(user, groups));
    let found = compare(
        (&policies[0], &identities[0]),
        (&policies[1], &identities[1]),
    );
    for question in questions(operations) {
        let may =
            [first, second].map(|(facts, user, groups)| allows(facts, user, groups, &question));
        let told = |extents: &[AccessRegion]| {
            extents
                .iter()
                .filter(|extent| is_in(extent, &question))
                .count()
        };
        // Each query is in at most one region.
        prop_assert_eq!(
            told(&found.gains),
            usize::from(!may[0] && may[1]),
            "{:?} {:#?}",
            question,
            found
        );
        prop_assert_eq!(
            told(&found.loses),
            usize::from(may[0] && !may[1]),
            "{:?} {:#?}",
            question,
            found
        );
    }
    let nameless = |extent: &AccessRegion| extent.operations.is_empty();
    prop_assert!(!found.gains.iter().chain(&found.loses).any(nameless));
    Ok(())
}

proptest! {
    #![proptest_config(config(100))]

    /// Two users in one policy.
    #[test]
    fn two_people_differ_as_told(facts in facts(gbac_engine::Dialect::Platform.operations()), users in (select(USERS), select(USERS)), groups in (groups(), groups())) {
        check([(&facts, users.0, &groups.0), (&facts, users.1, &groups.1)], gbac_engine::Dialect::Platform.operations())?;
    }

    /// One user in two policies, with different groups in each.
    #[test]
    fn a_person_before_and_after_differs_as_told(before in facts(FEW), after in facts(FEW), user in select(USERS), groups in (groups(), groups())) {
        check([(&before, user, &groups.0), (&after, user, &groups.1)], FEW)?;
    }
}

#[test]
fn the_same_is_equal_and_a_superuser_may_the_rest() {
    let facts = Facts {
        acls: Vec::new(),
        roles: Vec::new(),
        superusers: vec!["u".into()],
    };
    let policy = policy(&facts);
    let [superuser, other] = ["u", "v"].map(|user| Identity::new(user, [""; 0]));
    assert!(compare((&policy, &superuser), (&policy, &superuser)).is_equal());
    let found = compare((&policy, &other), (&policy, &superuser));
    assert_eq!((found.superusers, found.loses.len()), ([false, true], 0));
    assert!(
        found
            .gains
            .iter()
            .all(|extent| extent.pattern.pattern_type == PatternType::Literal
                && extent.pattern.name == "*")
    );
    assert_eq!(found.gains.len(), 6);
}
