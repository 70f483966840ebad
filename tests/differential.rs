//! Compares the engine with the oracle, in small policies whose names collide.

use gbac_tests::kafka::{kafka_asked, kafka_facts, kafka_policy, version};
use gbac_tests::oracle;
use gbac_tests::session::Session;
use gbac_tests::world::{asked, cases, config, facts, identity, policy};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(cases()))]

    /// Every member of the decision equals the oracle's.
    #[test]
    fn decides_as_the_oracle(facts in facts(), asked in asked()) {
        let policy = policy(&facts);
        let difference = Session::open(&policy, identity(&asked)).difference(&policy, &asked, &oracle::decide(&facts, &asked));
        prop_assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }

    /// The same in Kafka, whose values, principals and hosts the platform does not have.
    #[test]
    fn decides_as_the_oracle_in_kafka(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let policy = kafka_policy(version, &facts);
        let expected = oracle::decide_in(Some(version), &facts, &asked);
        let session = &mut Session::open(&policy, identity(&asked));
        let difference = session.difference(&policy, &asked, &expected);
        let difference = difference.or_else(|| session.explained_difference(&policy, &asked, &expected));
        prop_assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}
