//! Imported files; what is done with the bytes is in `gbac_tests::fuzz`.
#![no_main]

use gbac_tests::fuzz::{importers, importers_starts, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer reads the folder after this, and finds the starts in it.
    init: write("importers", &importers_starts()),
    |bytes: &[u8]| importers(bytes)
);
