//! Properties that hold for every policy: order, monotonicity, combination, explanation, round
//! trips.

use gbac_engine::decide::{CandidateStatus, Outcome, PreparedIdentity, Reason, decide, explain};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Dialect, Operation, Permission, Principal};
use gbac_engine::policy::Change;
use gbac_json::{policy_from_json, policy_from_value, policy_to_text};
use gbac_tests::kafka::{kafka_asked, kafka_facts, kafka_policy, platform, version};
use gbac_tests::oracle::OracleQuestion;
use gbac_tests::world::{acl, asked, cases, config, facts, identity, policy, request};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(cases() / 5))]

    /// The order of ACLs, roles and duplicates never matters.
    #[test]
    fn order_does_not_matter(facts in facts(), asked in asked()) {
        let mut other = facts.clone();
        other.acls.reverse();
        other.acls.extend(facts.acls.iter().cloned());
        other.roles.reverse();
        let ask = |facts| decide(&policy(facts), &identity(&asked), &request(&asked));
        prop_assert_eq!(ask(&facts), ask(&other));
    }

    /// The order of groups never changes the outcome or the reason.
    #[test]
    fn group_order_does_not_change_the_outcome(facts in facts(), asked in asked()) {
        let reversed = OracleQuestion { groups: asked.groups.iter().rev().cloned().collect(), ..asked.clone() };
        let policy = policy(&facts);
        let (one, two) = (
            decide(&policy, &identity(&asked), &request(&asked)),
            decide(&policy, &identity(&reversed), &request(&reversed)),
        );
        prop_assert_eq!((one.outcome, one.reason), (two.outcome, two.reason));
    }

    /// A further deny never allows; a further allow never lifts a deny by rule.
    #[test]
    fn rules_are_monotone(facts in facts(), acl in acl(), asked in asked()) {
        let mut policy = policy(&facts);
        let before = decide(&policy, &identity(&asked), &request(&asked));
        policy.apply(Change::AddAcl(acl.clone())).unwrap();
        let after = decide(&policy, &identity(&asked), &request(&asked));
        match acl.permission {
            Permission::Deny => prop_assert!(before.outcome == Outcome::Allow || after.outcome == Outcome::Deny),
            Permission::Allow if before.reason == Reason::DenyRule => prop_assert_eq!(before, after),
            Permission::Allow => prop_assert!(before.outcome == Outcome::Deny || after.outcome == Outcome::Allow),
        }
    }

    /// Without any deny, several groups permit what one of them permits (specification 1.5).
    #[test]
    fn groups_combine(mut facts in facts(), asked in asked()) {
        facts.acls.retain(|acl| acl.permission == Permission::Allow);
        let policy = policy(&facts);
        let all = decide(&policy, &identity(&asked), &request(&asked)).outcome;
        let alone = |groups: &[String]| decide(&policy, &Identity::new(&asked.user, groups), &request(&asked)).outcome;
        let any = alone(&[]) == Outcome::Allow
            || asked.groups.iter().any(|group| alone(std::slice::from_ref(group)) == Outcome::Allow);
        prop_assert_eq!(all == Outcome::Allow, any);
    }

    /// ACLs of a principal that the identity does not have change nothing.
    #[test]
    fn strangers_do_not_matter(facts in facts(), acl in acl(), asked in asked()) {
        let mut policy = policy(&facts);
        let before = decide(&policy, &identity(&asked), &request(&asked));
        let stranger = gbac_engine::model::Acl { principal: Principal::group("stranger"), ..acl };
        policy.apply(Change::AddAcl(stranger)).unwrap();
        prop_assert_eq!(before, decide(&policy, &identity(&asked), &request(&asked)));
    }

    /// The explanation's decision is the decision, and its matches are real and complete.
    #[test]
    fn the_explanation_agrees_with_the_decision(facts in facts(), asked in asked()) {
        let policy = policy(&facts);
        let (identity, request) = (identity(&asked), request(&asked));
        let decision = decide(&policy, &identity, &request);
        let explanation = explain(&policy, &identity, &request);
        prop_assert_eq!(&explanation.decision, &decision);
        let deciding: Vec<_> =
            explanation.candidates.iter().filter(|candidate| candidate.status == CandidateStatus::Decides).collect();
        prop_assert_eq!(deciding.first().map(|candidate| &*candidate.acl), decision.acl.as_ref());
        prop_assert!(deciding.len() <= 1);
        for candidate in &explanation.candidates {
            prop_assert!(policy.has_acl(&candidate.acl));
            // A candidate matches exactly when it alone, with no other ACL in the policy, would
            // decide.
            let alone = gbac_tests::oracle::Facts { acls: vec![(*candidate.acl).clone()], roles: facts.roles.clone(), superusers: vec![] };
            let decides_alone = gbac_tests::oracle::decide(&alone, &asked).acl.is_some();
            let matches = matches!(
                candidate.status,
                CandidateStatus::Decides | CandidateStatus::Agrees | CandidateStatus::Overridden | CandidateStatus::NotReached
            );
            prop_assert_eq!(matches, decides_alone, "{:?}", candidate);
        }
        // Of the same permission, ACLs that match come first.
        for pair in explanation.candidates.windows(2) {
            let is_match = |candidate: &gbac_engine::decide::Candidate| candidate.status != CandidateStatus::NoMatch;
            let swapped = pair[0].acl.permission == pair[1].acl.permission && !is_match(&pair[0]) && is_match(&pair[1]);
            prop_assert!(!swapped, "{:?}", pair);
        }
        for acl in policy.acls() {
            let alone = gbac_tests::oracle::Facts { acls: vec![acl.clone()], roles: facts.roles.clone(), superusers: vec![] };
            if gbac_tests::oracle::decide(&alone, &asked).acl.is_some() {
                prop_assert!(explanation.candidates.iter().any(|candidate| *candidate.acl == acl));
            }
        }
    }

    /// A shorter explanation has the same order, counts the rest, and leaves out what matters
    /// least.
    #[test]
    fn a_shorter_explanation_keeps_what_matters(facts in facts(), asked in asked(), limit in 0_usize..20) {
        let whole = explain(&policy(&facts), &identity(&asked), &request(&asked));
        let short = whole.clone().shortened(limit);
        prop_assert_eq!(short.candidates.len(), whole.candidates.len().min(limit));
        prop_assert_eq!(short.candidates.len() + short.omitted, whole.candidates.len());
        let relevance = |candidate: &gbac_engine::decide::Candidate| (candidate.status, !candidate.is_on_resource());
        let (mut kept, mut worst_kept, mut best_omitted) = (short.candidates.iter().peekable(), None, None);
        for candidate in &whole.candidates {
            if kept.next_if_eq(&candidate).is_some() {
                worst_kept = worst_kept.max(Some(relevance(candidate)));
            } else {
                best_omitted = Some(best_omitted.map_or(relevance(candidate), |best| relevance(candidate).min(best)));
            }
        }
        prop_assert!(kept.next().is_none(), "the order is another");
        if let (Some(worst), Some(best)) = (worst_kept, best_omitted) {
            prop_assert!(worst <= best, "{:?} is kept and {:?} is not", worst, best);
        }
    }

    /// Without the deciding ACL another one of the same kind decides, or the reason is another one.
    #[test]
    fn the_deciding_acl_decides(facts in facts(), asked in asked()) {
        let mut policy = policy(&facts);
        let (identity, request) = (identity(&asked), request(&asked));
        let before = decide(&policy, &identity, &request);
        if let Some(acl) = before.acl.clone() {
            let others = explain(&policy, &identity, &request)
                .candidates
                .iter()
                .filter(|candidate| candidate.status == CandidateStatus::Agrees)
                .count();
            policy.apply(Change::RemoveAcl(acl)).unwrap();
            let after = decide(&policy, &identity, &request);
            prop_assert_eq!(after.reason == before.reason, others > 0);
        }
    }

    /// What is found for all operations in one walk is what is found for each, and any ACL on the
    /// resource is one that covers it.
    #[test]
    fn one_walk_finds_what_each_operation_does(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        for (policy, dialect) in [(kafka_policy(version, &facts), Dialect::Kafka), (policy(&platform(&facts)), Dialect::Platform)] {
            let mut open = PreparedIdentity::new(&policy, identity(&asked));
            let access = open.access(&policy, &request(&asked));
            let allowed = |operation: &Operation| {
                let asked = OracleQuestion { operation: *operation, ..asked.clone() };
                open.outcome(&policy, &request(&asked)) == Outcome::Allow
            };
            let each: Vec<Operation> = dialect.operations().iter().copied().filter(allowed).collect();
            prop_assert_eq!(access.operations().collect::<Vec<_>>(), each);
            let covers = |acl: gbac_engine::model::Acl| acl.resource_type == asked.resource_type && acl.covers_name(request(&asked).resource_name);
            prop_assert_eq!(access.has_acls(), policy.acls().any(covers));
        }
    }

    /// A policy of Kafka survives its document, and each dialect refuses what only the other has.
    #[test]
    fn a_policy_of_kafka_survives_its_document(version in version(), mut facts in kafka_facts(), asked in kafka_asked()) {
        facts.acls.retain(|acl| !acl.resource_name.is_empty());
        let written = kafka_policy(version, &facts);
        let text = policy_to_text(&written);
        let read = policy_from_json(&text).unwrap();
        prop_assert_eq!(&read, &written);
        prop_assert_eq!(decide(&read, &identity(&asked), &request(&asked)), decide(&written, &identity(&asked), &request(&asked)));
        let only_kafka = facts.acls.len() != platform(&facts).acls.len();
        let mut document = serde_json::from_str::<serde_json::Value>(&text).unwrap();
        let settings = document["settings"].as_object_mut().unwrap();
        settings.remove("kafka_version");
        settings.remove("dialect");
        prop_assert_eq!(policy_from_value(&document).is_err(), only_kafka);
        prop_assert_eq!(policy_from_json(&document.to_string()).is_err(), only_kafka);
    }

    /// A policy and the document that it is written as decide alike.
    #[test]
    fn a_policy_survives_its_document(mut facts in facts(), asked in asked()) {
        // A document holds no empty resource name, so that these ACLs cannot come back.
        facts.acls.retain(|acl| !acl.resource_name.is_empty());
        let policy = policy(&facts);
        let read = policy_from_json(&policy_to_text(&policy)).unwrap();
        prop_assert_eq!(&read, &policy);
        prop_assert_eq!(
            decide(&read, &identity(&asked), &request(&asked)),
            decide(&policy, &identity(&asked), &request(&asked))
        );
    }
}
