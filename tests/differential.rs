//! Compares the engine with the oracle, in small policies whose names collide.

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
}
