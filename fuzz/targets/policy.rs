//! Policy document and check; what is done with the bytes is in `gbac_tests::fuzz`.
#![no_main]

use gbac_tests::fuzz::{policy, policy_starts, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer reads the folder after this, and finds the starts in it.
    init: write("policy", &policy_starts()),
    |bytes: &[u8]| policy(bytes)
);
