//! Every vector through the Rust API and through the command line; the JavaScript door has its own run over the same files.

use std::collections::BTreeMap;
use std::process::Command;

use gbac_engine::check::{ask, open};
use gbac_tests::vectors::{all, gbac};

#[test]
fn every_vector_holds_through_the_rust_api() {
    let mut failures = Vec::new();
    let mut ids = BTreeMap::new();
    for file in all() {
        for test in &file.tests {
            let id = test.id.as_deref().unwrap_or_else(|| panic!("{}: `{}` has no id", file.path.display(), test.name));
            assert!(!test.spec.is_empty(), "{id} names no clause");
            if let Some(other) = ids.insert(id.to_owned(), file.path.clone()) {
                panic!("{id} is in {} and in {}", other.display(), file.path.display());
            }
            let opened = open(&file.policy, &test.check.who, None);
            let answer = opened.and_then(|opened| {
                ask(&file.policy, &opened.identity, &test.check).map(|answer| (answer, opened.identity))
            });
            let observed = match &answer {
                Ok((answer, identity)) => Ok((answer, identity.groups())),
                Err(error) => Err(error.code()),
            };
            if let Some(difference) = test.expect.difference(&observed) {
                failures.push(format!("{id} {}: {difference}", test.name));
            }
        }
    }
    assert!(ids.len() >= 150, "only {} vectors", ids.len());
    assert!(failures.is_empty(), "{} of {} vectors:\n{}", failures.len(), ids.len(), failures.join("\n"));
}

#[test]
fn every_vector_holds_through_the_command_line() {
    for file in all() {
        let run = Command::new(gbac()).arg("test").arg(&file.path).output().expect("gbac runs");
        assert!(
            run.status.success(),
            "gbac test {}:\n{}{}",
            file.path.display(),
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr)
        );
        let counted = format!("{} passed", file.tests.len());
        assert!(String::from_utf8_lossy(&run.stdout).contains(&counted), "{}: {counted}", file.path.display());
    }
}
