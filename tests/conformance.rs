//! Tests of every vector through the Rust API and the command line; JavaScript runs the same files
//! in `www/test`.

use gbac_analysis::check::CheckError;
use std::collections::BTreeMap;
use std::path::Path;

use crate::support::program;
use gbac_analysis::check::evaluate;
use gbac_engine::decide::At;
use gbac_engine::resolve;
use gbac_tests::vectors::all;
use serde_json::Value;

#[test]
fn every_vector_holds_through_the_rust_api() {
    let mut failures = Vec::new();
    let mut ids = BTreeMap::new();
    for file in all() {
        for test in &file.tests {
            let id = test
                .id
                .as_deref()
                .unwrap_or_else(|| panic!("{}: `{}` has no id", file.path.display(), test.name));
            assert!(!test.spec.is_empty(), "{id} names no clause");
            if let Some(other) = ids.insert(id.to_owned(), file.path.clone()) {
                panic!(
                    "{id} is in {} and in {}",
                    other.display(),
                    file.path.display()
                );
            }
            let opened = resolve(&file.policy, &test.check.subject, None);
            let answer = opened.map_err(CheckError::from).and_then(|opened| {
                evaluate(
                    &file.policy,
                    &opened.identity,
                    &test.check,
                    At::IgnoringExpiry,
                )
                .map(|answer| (answer, opened.identity))
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
    assert!(
        failures.is_empty(),
        "{} of {} vectors:\n{}",
        failures.len(),
        ids.len(),
        failures.join("\n")
    );
}

#[test]
fn every_vector_holds_through_the_command_line() {
    for file in all() {
        let mut command = program::command();
        command.arg("test").arg(&file.path);
        let run = program::run(command, Path::new("."), "");
        assert_eq!(
            run.exit,
            0,
            "gbac test {}:\n{}{}",
            file.path.display(),
            run.out,
            run.err
        );
        let counted = format!("{} passed", file.tests.len());
        assert!(
            run.out.contains(&counted),
            "{}: {counted}",
            file.path.display()
        );
    }
}

/// The checks of the file, one per line: with another reader than that of assertion files, and
/// another writer.
#[test]
fn every_vector_holds_through_a_file_of_checks() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut failures = Vec::new();
    for file in all() {
        let text = std::fs::read_to_string(&file.path).expect("a vector file");
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        let tests = whole["tests"].as_array().expect("tests");
        let lines: Vec<String> = tests.iter().map(|test| test["check"].to_string()).collect();
        let (policy, checks) = (
            folder.path().join("policy.json"),
            folder.path().join("checks.jsonl"),
        );
        std::fs::write(&policy, whole["policy"].to_string()).expect("a file");
        std::fs::write(&checks, lines.join("\n")).expect("a file");
        let mut command = program::command();
        command
            .arg("check")
            .arg("--policy")
            .arg(&policy)
            .arg("--checks")
            .arg(&checks);
        let answers = program::run(command, folder.path(), "").out;
        assert_eq!(
            answers.lines().count(),
            tests.len(),
            "{}",
            file.path.display()
        );
        for (test, answer) in tests.iter().zip(answers.lines()) {
            let answer: Value = serde_json::from_str(answer).expect("JSON");
            for (name, wanted) in test["expect"].as_object().expect("what is expected") {
                // Responses do not contain groups; the other interfaces compare them.
                let found = match name.as_str() {
                    "groups" => continue,
                    "error" => &answer["error"]["code"],
                    name => &answer[name],
                };
                if found != wanted {
                    failures.push(format!(
                        "{}: {name} is {found}, expected {wanted}",
                        test["id"]
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
