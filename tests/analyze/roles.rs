//! Tests of the counts and findings of selected roles.

use std::collections::BTreeSet;

use gbac_analysis::{acl_counts, known_names, lint, lint_roles, role_counts};
use gbac_engine::Coded;
use gbac_engine::model::{PatternType, Permission, Principal, PrincipalType, ResourceType};
use proptest::prelude::*;

use super::world::{FEW, ROLES, config, facts, policy};

proptest! {
    #![proptest_config(config(100))]

    /// The counts equal those of the ACLs and members.
    #[test]
    fn roles_are_counted(facts in facts(FEW)) {
        let policy = policy(&facts);
        for counts in role_counts(&policy) {
            let role = policy.role(&counts.name).unwrap();
            let acls = policy.acls_of(&Principal::role(&counts.name));
            let groups = role.members.iter().filter(|member| member.kind() == PrincipalType::Group).count();
            let denies = acls.iter().filter(|acl| acl.permission == Permission::Deny).count();
            prop_assert_eq!((counts.members, counts.groups), (role.members.len(), groups));
            prop_assert_eq!((counts.acls, counts.denies), (acls.len(), denies));
        }
        prop_assert_eq!(role_counts(&policy).len(), policy.role_count());
        let known: Vec<Principal> = policy.known_principals().cloned().chain([Principal::user("stranger")]).collect();
        let expected: Vec<usize> = known.iter().map(|principal| policy.acls_of(principal).len()).collect();
        prop_assert_eq!(acl_counts(&policy, &known), expected);
    }

    /// The findings of selected roles equal those of lint about them.
    #[test]
    fn lint_of_some_roles_is_lint_of_all_but_for_the_rest(facts in facts(FEW)) {
        let policy = policy(&facts);
        let of_others = [
            "principal_letter_case",
            "principal_slashes",
            "consumer_group_missing",
            "schema_reader_without_configs",
        ];
        for wanted in [&ROLES[..1], ROLES] {
            let is_about = |principal: &Principal| {
                principal.kind() == PrincipalType::Role && wanted.contains(&principal.name())
            };
            let all: Vec<_> = lint(&policy)
                .into_iter()
                .filter(|finding| !of_others.contains(&finding.code.code()))
                .filter(|finding| match finding.acls.first() {
                    Some(acl) => is_about(&acl.principal),
                    None => finding.principals.first().is_some_and(is_about),
                })
                .collect();
            prop_assert_eq!(lint_roles(&policy, wanted.iter().copied()), all);
        }
    }

    /// Known names are the literal ones, without duplicates.
    #[test]
    fn names_are_known_from_literal_acls(facts in facts(FEW)) {
        let policy = policy(&facts);
        for resource_type in [ResourceType::Topic, ResourceType::Registry] {
            let literal: BTreeSet<String> = policy
                .acls()
                .filter(|acl| acl.resource_type == resource_type && acl.pattern_type == PatternType::Literal)
                .map(|acl| acl.resource_name)
                .filter(|name| name != "*")
                .collect();
            prop_assert_eq!(known_names(&policy, resource_type), literal.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
