//! The engine against the naive oracle, in worlds where names collide.

use gbac_engine::decide::decide;
use gbac_engine::policy::Change;
use gbac_tests::oracle;
use gbac_tests::world::{acl, asked, cases, facts, identity, policy, request, verdict};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Every member of the decision is the oracle's.
    #[test]
    fn decides_as_the_oracle(facts in facts(), asked in asked()) {
        let found = decide(&policy(&facts), &identity(&asked), &request(&asked));
        prop_assert_eq!(verdict(&found), oracle::decide(&facts, &asked));
        let implied = found.acl.as_ref().map(|acl| acl.operation).filter(|operation| *operation != asked.operation);
        prop_assert_eq!(found.implied_by, implied);
    }

    /// A policy that was changed step by step decides as the oracle does on what is left.
    #[test]
    fn changes_in_place_decide_as_the_oracle(start in facts(), added in vec(acl(), 0..6), removed in vec(any::<prop::sample::Index>(), 0..6), asked in asked()) {
        let mut facts = start;
        let mut policy = policy(&facts);
        for acl in added {
            policy.apply(Change::AddAcl(acl.clone())).unwrap();
            facts.acls.push(acl);
        }
        for index in removed {
            if facts.acls.is_empty() { break; }
            let acl = facts.acls[index.index(facts.acls.len())].clone();
            policy.apply(Change::RemoveAcl(acl.clone())).unwrap();
            facts.acls.retain(|known| *known != acl);
        }
        if let Some(role) = facts.roles.pop() {
            policy.apply(Change::DeleteRole { name: role.name.clone(), delete_acls: true }).unwrap();
            facts.acls.retain(|acl| acl.principal != gbac_engine::model::Principal::role(&role.name));
        }
        let found = decide(&policy, &identity(&asked), &request(&asked));
        prop_assert_eq!(verdict(&found), oracle::decide(&facts, &asked));
    }
}
