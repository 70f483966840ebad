//! Token text and extraction; what is done with the bytes is in `gbac_tests::fuzz`.
#![no_main]

use gbac_tests::fuzz::{token, token_starts, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer reads the folder after this, and finds the starts in it.
    init: write("token", &token_starts()),
    |bytes: &[u8]| token(bytes)
);
