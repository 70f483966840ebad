//! Backups; what is done with the bytes is in `gbac_server::fuzz`.
#![no_main]

use gbac_server::fuzz::{backup, backup_starts};
use gbac_tests::fuzz::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    // libFuzzer reads the folder after this, and finds the starts in it.
    init: write("backup", &backup_starts()),
    |bytes: &[u8]| backup(bytes)
);
