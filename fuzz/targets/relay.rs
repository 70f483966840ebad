//! Requests and responses of the relay; what is done with the bytes is in `gbac_server::fuzz`.
#![no_main]

use gbac_server::fuzz::{relay, relay_starts};
use gbac_tests::fuzz::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer reads the folder after this, and finds the starts in it.
    init: write("relay", &relay_starts()),
    |bytes: &[u8]| relay(bytes)
);
