//! Runs the fuzz targets on their initial inputs, and on truncated and changed ones.

use gbac_tests::fuzz;

/// Runs the target on every initial input, truncated and with one byte changed, too.
fn each(starts: &[Vec<u8>], least: usize, target: fn(&[u8])) {
    assert!(starts.len() >= least, "{} starts", starts.len());
    for (number, start) in starts.iter().enumerate() {
        target(start);
        target(&start[..start.len() * (number % 7) / 7]);
        let mut changed = start.clone();
        let from = number * 31 % changed.len();
        let to = number * 17 % changed.len();
        changed[to] = changed[from];
        target(&changed);
    }
}

#[test]
fn the_token_target_holds_on_its_starts() {
    each(&fuzz::token_starts(), 100, fuzz::token);
}

#[test]
fn the_policy_target_holds_on_its_starts() {
    each(&fuzz::policy_starts(), 150, fuzz::policy);
}

#[test]
fn the_importers_target_holds_on_its_starts() {
    each(&fuzz::importers_starts(), 25, fuzz::importers);
}
