//! Tests that every result of the analysis respects the expiry of an identity.

use gbac_analysis::{
    ReachSubject, compare, least_grant, matrix_cell, matrix_resources, permissions, revoke,
};
use gbac_engine::ClaimSet;
use gbac_engine::decide::{At, Outcome, Reason, Request, decide};
use gbac_engine::identity::{Identity, IdentityRules};
use gbac_engine::model::Operation;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::world::{FEW, USERS, config, facts, groups, policy, question};

const END: f64 = 1_700_000_000.0;

/// An identity with this `exp`.
fn identity(user: &str, groups: &[String], exp: Option<Value>) -> Identity {
    let mut claims = json!({ "sub": user, "groups": groups });
    claims
        .as_object_mut()
        .unwrap()
        .extend(exp.map(|exp| ("exp".to_owned(), exp)));
    let claims = ClaimSet::from(claims.as_object().unwrap().clone()).into();
    Identity::from_unverified(&claims, None, &IdentityRules::default())
        .unwrap()
        .0
}

proptest! {
    #![proptest_config(config(40))]

    /// Matrix cells, permissions, least grants and revocations agree with a decision at the same
    /// instant.
    #[test]
    fn every_outcome_is_that_of_the_decision_at_the_instant(
        facts in facts(FEW),
        user in select(USERS),
        groups in groups(),
        exp in select(vec![None, Some(json!(END)), Some(json!("soon"))]),
        at in select(vec![At::seconds(END - 1.0), At::seconds(END + 1.0), At::seconds(f64::NAN), At::IgnoringExpiry]),
        question in question(FEW),
    ) {
        let policy = policy(&facts);
        let alice = identity(user, &groups, exp);
        let request = Request::new(question.operation, question.resource_type, &question.name, at).with_host(question.host);
        let decision = decide(&policy, &alice, &request);
        let expired = decision.reason == Reason::Expired;
        prop_assert_eq!(expired, alice.is_expired(at));
        prop_assert_eq!(permissions(&policy, &alice).outcome(&request), decision.outcome);

        let least = least_grant(&policy, &alice, &[request]);
        prop_assert_eq!(&least.decisions[0], &decision);
        let revocation = revoke(&policy, &alice, &request);
        prop_assert_eq!(&revocation.decision, &decision);
        if expired {
            prop_assert!(least.memberships_to_add.is_empty() && least.acls.is_empty() && least.denied_by.is_empty());
            prop_assert!(revocation.changes().is_none() && revocation.acls.is_empty() && revocation.memberships_to_leave.is_none());
        }

        let subject = ReachSubject::Identity(alice.clone());
        for (resource_type, pattern) in matrix_resources(&policy, &subject) {
            for operation in FEW {
                let now = matrix_cell(&policy, &subject, (resource_type, &pattern), *operation, question.host, at);
                let ever = matrix_cell(&policy, &subject, (resource_type, &pattern), *operation, question.host, At::IgnoringExpiry);
                if expired {
                    prop_assert_eq!((now.outcome, now.granted_by, now.denied_by), (Outcome::Deny, None, Vec::new()));
                } else {
                    prop_assert_eq!(now, ever);
                }
            }
        }
    }
}

#[test]
fn an_end_is_not_a_difference_between_two_people() {
    let facts = gbac_tests::oracle::Facts {
        acls: Vec::new(),
        roles: Vec::new(),
        superusers: vec!["root".into()],
    };
    let policy = policy(&facts);
    let (expired, root) = (
        identity("root", &[], Some(json!("soon"))),
        Identity::new("root", [""; 0]),
    );
    assert!(compare((&policy, &expired), (&policy, &root)).is_equal());
    let request = Request::new(
        Operation::Read,
        gbac_engine::model::ResourceType::Topic,
        "t",
        At::seconds(END),
    );
    assert_eq!(
        permissions(&policy, &expired).outcome(&request),
        Outcome::Deny
    );
    assert_eq!(
        permissions(&policy, &root).outcome(&request),
        Outcome::Allow
    );
}
