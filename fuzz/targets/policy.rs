//! Policy document and check; what is done with the bytes is in `gbac_tests::fuzz`.
#![no_main]

use std::path::Path;

use gbac_tests::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(
    init: {
        // libFuzzer reads its folder after this, and finds the vectors in it.
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz/corpus/policy");
        fuzz::write(&fuzz::policy_starts(), &folder).expect("the starts can be written");
    },
    |bytes: &[u8]| fuzz::policy(bytes)
);
