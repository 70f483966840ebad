//! `gbac test`: runs assertion files and bug reports.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_analysis::check::{Answer, Check, CheckError, evaluate};
use gbac_api::paths;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::resolve;
use gbac_json::{AssertionTest, PolicySource, assertions_from_json, find_assertions};
use gbac_words::commands::{cluster, files};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::format::ReportFormat;
use crate::args::policy_source::{self, PolicySourceArgs, PolicyState};
use crate::client::CallError;
use crate::input;
use crate::json_position::line_of;
use crate::output::{self, BAD, Failure, Format, GOOD, plain_lines};
use crate::process::Process;
use crate::render::pipeline_report::{self, Case, Entry, Level};
use crate::render::table::{Cell, table};
use crate::secrets::redacted;
use crate::yaml;

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Assertion files, or bug reports that the simulator created from a failing test.
    #[arg(required_unless_present = "online", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicySourceArgs,
    /// Also write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

/// The results of assertion files.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TestResults<'a> {
    /// The number of tests that passed.
    passed: usize,
    /// The number of tests that failed.
    failed: usize,
    /// The tests, in the order of the files. A file that cannot be read is a failed test.
    tests: Vec<TestResult<'a>>,
}

/// The result of one test.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct TestResult<'a> {
    /// The file.
    file: &'a str,
    /// The name of the test, after its ID if it has one.
    name: &'a str,
    /// Whether it passed.
    passed: bool,
    /// What differs from the expected result; null if it passed.
    difference: Option<&'a str>,
}

/// One test that was run.
struct Run {
    file: String,
    name: String,
    difference: Option<String>,
    /// The line of the test in its file.
    line: usize,
}

impl Run {
    fn result(&self) -> TestResult<'_> {
        let difference = self.difference.as_deref();
        TestResult {
            file: &self.file,
            name: &self.name,
            passed: difference.is_none(),
            difference,
        }
    }
}

pub(crate) fn run(
    process: &Process,
    args: &TestArgs,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<u8, Failure> {
    let source = &args.policy;
    // GBAC_POLICY is only for files without a policy.
    let given = match source.is_named() {
        true => Some(policy_source::load(process, source)?),
        false => None,
    };
    let policy = given.as_ref().map(|given| &given.policy);
    let state = given.as_ref().and_then(|given| given.state.as_ref());
    let mut runs = Vec::new();
    if args.files.is_empty() {
        let (Some(policy), Some(state)) = (policy, state) else {
            return Err(Failure::usage(cluster::NO_TESTS));
        };
        runs = run_stored(policy, state)?;
    }
    // An unreadable file counts as a failed test, and the others still run.
    for path in &args.files {
        let file = redacted(&path.display().to_string());
        match run_file(process, args, policy, path, &file) {
            Ok(of_file) => runs.extend(of_file),
            Err(failure) => {
                runs.push(Run {
                    file,
                    name: "the file".into(),
                    difference: Some(redacted(&failure.to_string())),
                    line: 1,
                });
            }
        }
    }
    if let Some(path) = &args.junit {
        output::file(process, path, &pipeline_report::junit(&cases(&runs)))?;
    }
    let failed = runs.iter().filter(|run| run.difference.is_some()).count();
    match (report, format) {
        (Some(ReportFormat::Junit), _) => {
            output::document(process, &pipeline_report::junit(&cases(&runs)))?;
        }
        (Some(report), _) => pipeline_report::write(process, report, "test", "", &entries(&runs))?,
        (None, Format::Json | Format::Yaml) => {
            let tests = runs.iter().map(Run::result).collect();
            let results = TestResults {
                passed: runs.len() - failed,
                failed,
                tests,
            };
            policy_source::write_value(process, state, format, results)?;
        }
        (None, Format::Text) => {
            policy_source::write_text(process, state, &render(process, &runs, failed))?;
        }
    }
    Ok(output::exit_code(failed == 0))
}

fn cases(runs: &[Run]) -> Vec<Case> {
    let mut cases = Vec::new();
    for run in runs {
        cases.push(Case {
            file: run.file.clone(),
            name: run.name.clone(),
            failure: run.difference.clone(),
        });
    }
    cases
}

/// The failed tests.
fn entries(runs: &[Run]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for run in runs {
        if let Some(difference) = &run.difference {
            entries.push(Entry {
                level: Level::Error,
                rule: "test_failed".to_owned(),
                title: run.name.clone(),
                message: format!("{}: {difference}", run.name),
                file: run.file.clone(),
                line: run.line,
            });
        }
    }
    entries
}

/// Runs a file on the policy of the flags, or else on its own.
fn run_file(
    process: &Process,
    args: &TestArgs,
    given: Option<&Policy>,
    path: &Path,
    what: &str,
) -> Result<Vec<Run>, Failure> {
    let original = input::text(process, path)?;
    let text = match find_assertions(&original) {
        report if report.len() < original.len() => report.to_owned(),
        _ => yaml::to_json(original.clone(), what)?,
    };
    let file = assertions_from_json(&text).map_err(|problems| Failure::problems(what, problems))?;
    if file.tests.is_empty() {
        return Err(Failure::new("no_tests", files::no_tests(what)));
    }
    let own = match (given, file.policy) {
        (Some(_), _) => None,
        (None, Some(PolicySource::Inline(policy))) => Some(*policy),
        (None, Some(PolicySource::File(name))) => {
            let path = path.parent().unwrap_or(Path::new("")).join(name);
            Some(input::policy(process, &path)?)
        }
        (None, None) if policy_source::is_in_environment(process) => {
            Some(policy_source::load(process, &args.policy)?.policy)
        }
        (None, None) => None,
    };
    let Some(policy) = given.or(own.as_ref()) else {
        return Err(Failure::new("no_policy", files::no_policy(what)));
    };
    Ok(run_all(what, &original, policy, &file.tests))
}

/// Runs the tests that are stored with the service whose policy is in this state.
fn run_stored(policy: &Policy, state: &PolicyState) -> Result<Vec<Run>, Failure> {
    let url = state.client().url();
    let bytes = state.client().download(paths::TESTS)?;
    let text = String::from_utf8(bytes).map_err(|_| CallError::NotJson(paths::TESTS.into()))?;
    let what = format!("{url}{}", paths::TESTS);
    let file =
        assertions_from_json(&text).map_err(|problems| Failure::problems(&what, problems))?;
    if file.tests.is_empty() {
        return Err(Failure::new("no_tests", files::no_stored_tests(url)));
    }
    Ok(run_all(&what, &text, policy, &file.tests))
}

fn run_all(what: &str, text: &str, policy: &Policy, tests: &[AssertionTest]) -> Vec<Run> {
    let mut runs = Vec::new();
    for (place, test) in tests.iter().enumerate() {
        let line = line_of(text, &format!("/tests/{place}")).unwrap_or(1);
        runs.push(run_one(what, policy, test, line));
    }
    runs
}

fn run_one(file: &str, policy: &Policy, test: &AssertionTest, line: usize) -> Run {
    let answered = answer(policy, &test.check);
    let observed = match &answered {
        Ok((answer, identity)) => Ok((answer, identity.groups())),
        Err(error) => Err(error.code()),
    };
    let name = match &test.id {
        Some(id) => format!("{id} {}", test.name),
        None => test.name.clone(),
    };
    Run {
        file: file.into(),
        name,
        difference: test.expect.difference(&observed),
        line,
    }
}

fn answer(policy: &Policy, check: &Check) -> Result<(Answer, Identity), CheckError> {
    let identity = resolve(policy, &check.subject, None)?.identity;
    let answer = evaluate(policy, &identity, check, At::IgnoringExpiry)?;
    Ok((answer, identity))
}

fn render(process: &Process, runs: &[Run], failed: usize) -> String {
    let mut rows = Vec::new();
    for run in runs {
        let result = match run.difference {
            Some(_) => Cell::styled("FAILED", BAD),
            None => Cell::styled("ok", GOOD),
        };
        // The other lines of a difference are printed below the table.
        let difference = run.difference.as_deref().unwrap_or_default();
        let first = difference.split('\n').next().unwrap_or_default();
        rows.push(vec![result, run.name.clone().into(), first.into()]);
    }
    let mut text = table(process, &["RESULT", "TEST", "DIFFERENCE"], rows);
    for run in runs {
        if let Some(difference) = &run.difference
            && difference.contains('\n')
        {
            let _ = writeln!(text, "\n{}", plain_lines(difference));
        }
    }
    let _ = writeln!(text, "\n{} passed, {failed} failed", runs.len() - failed);
    text
}
