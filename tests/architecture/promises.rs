//! Tests that every promise in SECURITY.md names its tests, and that they exist.

use std::fs;

use gbac_tests::vectors::root;

/// The promises, each with the cell of its tests.
fn promises(page: &str) -> Vec<(&str, &str)> {
    let section = page
        .split("\n## Promises\n")
        .nth(1)
        .unwrap_or_default()
        .split("\n## ")
        .next()
        .unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let mut cells = line
            .strip_prefix("| ")?
            .trim_end_matches('|')
            .splitn(2, " | ");
        Some((cells.next()?.trim(), cells.next()?.trim()))
    });
    rows.filter(|(promise, _)| *promise != "promise" && !promise.starts_with("--"))
        .collect()
}

/// The texts in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Whether a file has a test with this name: a Rust test function, a method in Java, or a
/// JavaScript test with this title.
fn has_test(file: &str, text: &str, name: &str) -> bool {
    if file.ends_with(".mjs") {
        return ["test", "journey"]
            .iter()
            .any(|call| text.contains(&format!("{call}('{name}'")));
    }
    if file.ends_with(".java") {
        return text.contains(&format!("@Test\n    void {name}("));
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_function = |line: &&str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('('))
    };
    lines.iter().position(is_function).is_some_and(|place| {
        let mut attributes = lines[..place]
            .iter()
            .rev()
            .take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        attributes.any(|line| line.starts_with("#[test") || line.starts_with("#[tokio::test"))
    })
}

/// The errors in a promise's tests.
fn faults(promise: &str, tests: &str) -> Vec<String> {
    let words = quoted(tests);
    if words.is_empty() || !words[0].contains('/') {
        return vec![format!("`{promise}` names no file with a test")];
    }
    let (mut faults, mut file, mut count) = (Vec::new(), "", 0);
    for word in words {
        if [".rs", ".mjs", ".java"]
            .iter()
            .any(|end| word.ends_with(end))
        {
            (file, count) = (word, 0);
            if !root().join(file).is_file() {
                faults.push(format!("`{promise}`: there is no file `{file}`"));
            }
            continue;
        }
        count += 1;
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        if !has_test(file, &text, word) {
            faults.push(format!("`{promise}`: `{file}` has no test `{word}`"));
        }
    }
    if count == 0 {
        faults.push(format!("`{promise}`: `{file}` without the name of a test"));
    }
    faults
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("SECURITY.md")).unwrap();
    let promises = promises(&page);
    assert!(promises.len() >= 30, "{} promises", promises.len());
    let faults: Vec<String> = promises
        .iter()
        .flat_map(|(promise, tests)| faults(promise, tests))
        .collect();
    super::must_be_empty("SECURITY.md", &faults);
}

#[test]
fn a_promise_without_its_test_is_found() {
    let file = "tests/architecture/promises.rs";
    for (tests, is_good) in [
        (
            "`tests/architecture/promises.rs` `a_promise_without_its_test_is_found`",
            true,
        ),
        (
            "`tests/architecture/promises.rs` `a_promise_without_its_test_is_found`, `every_promise_names_tests_that_exist`",
            true,
        ),
        ("`tests/architecture/promises.rs` `has_test`", false),
        ("`tests/architecture/promises.rs` `a_promise`", false),
        ("`tests/architecture/promises.rs`", false),
        ("`tests/none.rs` `a`", false),
        ("`a`", false),
        ("", false),
    ] {
        assert_eq!(faults("x", tests).is_empty(), is_good, "{tests}");
    }
    assert!(root().join(file).is_file());
    assert!(
        has_test("A.java", "    @Test\n    void bC() {", "bC")
            && !has_test("A.java", "    void bC() {", "bC")
    );
    assert!(
        has_test("a.mjs", "journey('b c', x)", "b c")
            && !has_test("a.mjs", "journey('b cd', x)", "b c")
    );
}
