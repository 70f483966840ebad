//! Reports for pipelines, the canonical form, the action and the hooks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::program::gbac;
use crate::support::program::{self, Run, program};
use gbac_tests::vectors::root;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with the examples, and a policy that has findings.
fn examples() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(root().join("examples"))
        .expect("examples")
        .map(|entry| entry.expect("a file"))
    {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
    }
    let text = r#"{
  "version": 1,
  "roles": [
    { "name": "Readers %::error::x" }
  ],
  "acls": []
}
"#;
    fs::write(folder.path().join("odd.json"), text).expect("a file");
    folder
}

fn run(folder: &TempDir, args: &[&str]) -> Run {
    let mut command = program::command();
    command.args(args);
    program::run(command, folder.path(), "")
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

#[test]
fn sarif_has_what_code_scanning_needs() {
    let folder = examples();
    let findings = json(&run(
        &folder,
        &[
            "policy",
            "lint",
            "odd.json",
            "--fail-on",
            "never",
            "-o",
            "json",
        ],
    ));
    let findings = findings["findings"].as_array().expect("findings").clone();
    assert!(!findings.is_empty());
    let log = json(&run(
        &folder,
        &[
            "policy",
            "lint",
            "odd.json",
            "--fail-on",
            "never",
            "-o",
            "sarif",
        ],
    ));
    assert_eq!(log["version"], "2.1.0");
    let tool = &log["runs"][0]["tool"]["driver"];
    assert_eq!(tool["name"], "gbac");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(&findings) {
        assert_eq!(result["ruleId"], finding["code"]);
        let rules = tool["rules"].as_array().expect("rules");
        assert!(
            rules.iter().any(|rule| rule["id"] == finding["code"]),
            "{rules:?}"
        );
        let level = finding["severity"]
            .as_str()
            .expect("a severity")
            .replace("notice", "note");
        assert_eq!(result["level"], json!(level));
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "odd.json");
        assert_eq!(
            location["region"]["startLine"], 4,
            "the line of the role: {location}"
        );
    }
    for (files, rule) in [
        (["before.json", "policy.json"], "loses"),
        (["policy.json", "before.json"], "gains"),
    ] {
        let diff = json(&run(
            &folder,
            &[&["policy", "diff", "-o", "sarif"], &files[..]].concat(),
        ));
        let results = diff["runs"][0]["results"].as_array().expect("results");
        assert!(
            results.iter().any(|result| result["ruleId"] == rule),
            "{rule}: {results:?}"
        );
    }
    let clean = json(&run(&folder, &["test", "assertions.json", "-o", "sarif"]));
    assert_eq!(clean["runs"][0]["results"], json!([]));
}

#[test]
fn annotations_are_one_line_each_and_no_name_begins_another() {
    let folder = examples();
    let lint = run(
        &folder,
        &[
            "policy",
            "lint",
            "odd.json",
            "--fail-on",
            "never",
            "-o",
            "github",
        ],
    )
    .done();
    for line in lint.lines() {
        let is_command = ["::error ", "::warning ", "::notice "]
            .iter()
            .any(|start| line.starts_with(start));
        assert!(
            is_command && line.contains("file=odd.json,line=4,"),
            "{line}"
        );
    }
    assert!(!lint.contains("\n::error::x"), "{lint}");
    let broken = fs::read_to_string(folder.path().join("assertions.json"))
        .expect("a file")
        .replace("\"allow\"", "\"deny\"");
    fs::write(folder.path().join("broken.json"), broken).expect("a file");
    let tests = run(&folder, &["test", "broken.json", "-o", "github"]);
    assert_eq!(tests.exit, 1, "{}", tests.out);
    assert!(
        tests.out.starts_with("::error file=broken.json,line="),
        "{}",
        tests.out
    );
    assert!(
        !tests.out.contains("line=1,"),
        "each test has its line: {}",
        tests.out
    );
}

#[test]
fn junit_has_a_case_for_each_finding_and_a_passed_one_without() {
    let folder = examples();
    let lint = run(
        &folder,
        &[
            "policy",
            "lint",
            "odd.json",
            "--fail-on",
            "never",
            "-o",
            "junit",
        ],
    )
    .done();
    assert!(
        lint.starts_with("<?xml") && lint.contains("<failure message="),
        "{lint}"
    );
    let same = run(
        &folder,
        &[
            "policy",
            "diff",
            "policy.json",
            "policy.json",
            "-o",
            "junit",
        ],
    )
    .done();
    assert!(
        same.contains("tests=\"1\" failures=\"0\"") && same.contains("name=\"policy diff\"/>"),
        "{same}"
    );
    let tests = run(&folder, &["test", "assertions.json", "-o", "junit"]).done();
    run(
        &folder,
        &["test", "assertions.json", "--junit", "report.xml"],
    )
    .done();
    assert_eq!(
        fs::read_to_string(folder.path().join("report.xml")).expect("a file"),
        tests
    );
}

#[test]
fn markdown_counts_who_gains_who_loses_and_what_is_new() {
    let folder = examples();
    let mut numbers = Vec::new();
    for files in [
        ["before.json", "policy.json"],
        ["policy.json", "before.json"],
    ] {
        let diff = [&["policy", "diff"], &files[..]].concat();
        let text = run(&folder, &[&diff[..], &["-o", "markdown"]].concat()).done();
        let value = json(&run(&folder, &[&diff[..], &["-o", "json"]].concat()));
        let all = ["differences", "roles"]
            .map(|list| value[list].as_array().cloned().unwrap_or_default())
            .concat();
        for (label, effects) in [
            ("gain access", ["gains", "can_gain"]),
            ("lose access", ["loses", "can_lose"]),
        ] {
            let having = all
                .iter()
                .filter(|one| effects.contains(&one["effect"].as_str().expect("an effect")));
            let names: BTreeSet<String> = having
                .map(|one| one["principal"].to_string())
                .filter(|name| name != "\"User:*\"")
                .collect();
            let number = names.len();
            assert!(
                text.contains(&format!("| {label} | {number} |")),
                "{label}: {number}\n{text}"
            );
            numbers.push(number);
        }
        let is_new = text.contains("| are new | 1 | `Group:contractors` |");
        assert_eq!(is_new, files[0] == "before.json", "{text}");
        assert_eq!(
            text.contains("| are no longer named | 1 | `Group:contractors` |"),
            !is_new,
            "{text}"
        );
    }
    assert!(
        numbers[0] == numbers[3] && numbers[1] == numbers[2] && numbers[1] > 0,
        "{numbers:?}"
    );
    let equal = run(
        &folder,
        &[
            "policy",
            "diff",
            "policy.json",
            "policy.json",
            "-o",
            "markdown",
        ],
    )
    .done();
    assert!(
        equal.contains("| gain access | 0 |  |")
            && equal.contains("No change in effective access."),
        "{equal}"
    );
}

#[test]
fn a_command_that_writes_no_report_says_which_do() {
    let folder = examples();
    for args in [
        &["version", "-o", "sarif"][..],
        &["policy", "validate", "policy.json", "-o", "junit"],
        &["policy", "lint", "policy.json", "-o", "markdown"],
        &["test", "assertions.json", "-o", "markdown"],
    ] {
        let refused = run(&folder, args).failed(64);
        assert!(refused.contains("can write it"), "{args:?}: {refused}");
    }
}

#[test]
fn the_canonical_form_is_the_same_policy_and_stays_as_it_is() {
    let folder = examples();
    let before = fs::read_to_string(folder.path().join("policy.json")).expect("a file");
    assert_eq!(
        run(&folder, &["policy", "fmt", "--check", "policy.json"]).exit,
        1
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("policy.json")).expect("a file"),
        before,
        "--check changes nothing"
    );
    fs::copy(
        folder.path().join("policy.json"),
        folder.path().join("original.json"),
    )
    .expect("a copy");
    assert_eq!(
        run(&folder, &["policy", "fmt", "policy.json"]).done(),
        "Formatted: policy.json\n"
    );
    assert_eq!(
        run(
            &folder,
            &[
                "policy",
                "diff",
                "original.json",
                "policy.json",
                "--exit-code"
            ]
        )
        .exit,
        0
    );
    assert_eq!(run(&folder, &["policy", "fmt", "policy.json"]).done(), "");
    assert_eq!(
        run(&folder, &["policy", "fmt", "--check", "policy.json"]).done(),
        ""
    );
    let canonical = fs::read_to_string(folder.path().join("policy.json")).expect("a file");
    let mut command = program::command();
    command.args(["policy", "fmt", "-"]);
    assert_eq!(
        program::run(command, folder.path(), &before).done(),
        canonical
    );
    fs::write(
        folder.path().join("policy.yaml"),
        "version: 1 # a comment\n",
    )
    .expect("a file");
    assert!(
        run(&folder, &["policy", "fmt", "policy.yaml"])
            .failed(1)
            .contains("comments")
    );
    fs::write(folder.path().join("bad.json"), "{ \"version\": 9 }").expect("a file");
    assert!(
        run(&folder, &["policy", "fmt", "bad.json"])
            .failed(1)
            .contains("bad.json")
    );
}

/// A shell with the built `gbac` in the path.
fn shell(folder: &Path) -> Command {
    let built = gbac().parent().expect("a folder").to_owned();
    let path = format!(
        "{}:{}",
        built.display(),
        std::env::var("PATH").expect("a path")
    );
    let mut command = program("sh");
    command.current_dir(folder).env("PATH", path);
    command
}

#[test]
fn the_action_runs_its_script_with_every_input_and_fails_with_a_check() {
    let folder = examples();
    let action = root().join(".github/actions/policy");
    let yaml = fs::read_to_string(action.join("action.yml")).expect("an action");
    let script = fs::read_to_string(action.join("check.sh")).expect("a script");
    assert!(
        yaml.contains("run: sh \"$GITHUB_ACTION_PATH/check.sh\""),
        "{yaml}"
    );
    let variables = yaml
        .lines()
        .filter_map(|line| line.trim().strip_prefix("GBAC_ACTION_")?.split_once(": "));
    let variables: Vec<(&str, &str)> = variables.collect();
    assert_eq!(variables.len(), 4);
    for (name, value) in variables {
        assert!(script.contains(&format!("GBAC_ACTION_{name}")), "{name}");
        let input = value
            .trim_start_matches("${{ inputs.")
            .trim_end_matches(" }}");
        assert!(yaml.contains(&format!("\n  {input}:\n")), "{input}");
    }
    let check = |environment: &[(&str, &str)]| {
        let mut command = shell(folder.path());
        command
            .arg(action.join("check.sh"))
            .envs(environment.iter().copied());
        command.env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        program::run_program(command, folder.path())
    };
    let good = [
        ("GBAC_ACTION_POLICY", "policy.json"),
        ("GBAC_ACTION_BEFORE", "before.json"),
        ("GBAC_ACTION_TESTS", "assertions.json"),
    ];
    let done = check(&good);
    assert_eq!(done.exit, 0, "{}{}", done.out, done.err);
    let summary = fs::read_to_string(folder.path().join("summary.md")).expect("a summary");
    assert!(summary.starts_with("### Access changes\n"), "{summary}");
    let strict = check(&[
        ("GBAC_ACTION_POLICY", "odd.json"),
        ("GBAC_ACTION_FAIL_ON", "notice"),
    ]);
    assert!(
        strict.exit == 1 && strict.out.contains("file=odd.json,line=4"),
        "{}{}",
        strict.out,
        strict.err
    );
    let missing = check(&[
        ("GBAC_ACTION_POLICY", "policy.json"),
        ("GBAC_ACTION_TESTS", "missing.json"),
    ]);
    assert_eq!(missing.exit, 1, "{}{}", missing.out, missing.err);
    assert_ne!(check(&[]).exit, 0, "a policy is required");
}

#[test]
fn every_hook_runs_on_the_files_that_it_names() {
    let folder = examples();
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("hooks");
    let members = |name: &str| -> Vec<String> {
        let start = format!("  {name}: ");
        hooks
            .lines()
            .filter_map(|line| line.strip_prefix(start.as_str()))
            .map(str::to_owned)
            .collect()
    };
    let (entries, files) = (members("entry"), members("files"));
    assert!(entries.len() == 3 && files.len() == 3, "{hooks}");
    for (entry, pattern) in entries.iter().zip(&files) {
        let pattern = regex_lite::Regex::new(pattern).expect("a pattern");
        let names = [
            "policy.json",
            "assertions.json",
            "a/policy.json",
            "a/assertions.json",
        ];
        let names: Vec<&str> = names
            .into_iter()
            .filter(|name| pattern.is_match(name))
            .collect();
        assert_eq!(names.len(), 2, "{entry}");
        let mut command = shell(folder.path());
        command.args(["-c", &format!("{entry} {}", names[0])]);
        let done = program::run_program(command, folder.path());
        assert_eq!(done.exit, 0, "{entry}: {}{}", done.out, done.err);
    }
}
