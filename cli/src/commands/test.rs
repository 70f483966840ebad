//! `gbac test`: runs assertion files and bug reports.

use gbac_analysis::check::CheckError;
use gbac_words::commands::files;
use std::fmt::Write;
use std::path::Path;

use gbac_analysis::check::evaluate;
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_engine::resolve;
use gbac_json::{AssertionTest, PolicySource, assertions_from_json, find_assertions};

use crate::args::output::ReportFormat;
use crate::args::{Format, TestArgs};
use crate::input;
use crate::json_lines::line_of;
use crate::output::{self, BAD, Failure, GOOD, plain_lines};
use crate::process::Process;
use crate::report::{self, Case, Entry, Level};
use crate::results::{TestResult, TestResults};
use crate::secrets::redacted;
use crate::table::{Cell, table};
use crate::yaml;

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
    let mut runs = Vec::new();
    // An unreadable file counts as a failed test, and the others still run.
    for path in &args.files {
        let file = redacted(&path.display().to_string());
        match run_file(process, path, &file) {
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
        output::file(process, path, &report::junit(&cases(&runs)))?;
    }
    let failed = runs.iter().filter(|run| run.difference.is_some()).count();
    match (report, format) {
        (Some(ReportFormat::Junit), _) => output::document(process, &report::junit(&cases(&runs)))?,
        (Some(report), _) => report::write(process, report, "test", "", &entries(&runs))?,
        (None, Format::Json | Format::Yaml) => {
            let tests = runs.iter().map(Run::result).collect();
            output::value(
                process,
                format,
                &TestResults {
                    passed: runs.len() - failed,
                    failed,
                    tests,
                },
            )?;
        }
        (None, Format::Text) => output::text(process, &render(process, &runs, failed))?,
    }
    Ok(if failed == 0 {
        output::SUCCESS
    } else {
        output::ERROR
    })
}

fn cases(runs: &[Run]) -> Vec<Case> {
    let case = |run: &Run| Case {
        file: run.file.clone(),
        name: run.name.clone(),
        failure: run.difference.clone(),
    };
    runs.iter().map(case).collect()
}

/// The failed tests.
fn entries(runs: &[Run]) -> Vec<Entry> {
    let entry = |run: &Run| {
        let message = format!("{}: {}", run.name, run.difference.as_deref()?);
        let (level, rule, title) = (Level::Error, "test_failed".to_owned(), run.name.clone());
        Some(Entry {
            level,
            rule,
            title,
            message,
            file: run.file.clone(),
            line: run.line,
        })
    };
    runs.iter().filter_map(entry).collect()
}

fn run_file(process: &Process, path: &Path, what: &str) -> Result<Vec<Run>, Failure> {
    let original = input::text(process, path)?;
    let text = match find_assertions(&original) {
        report if report.len() < original.len() => report.to_owned(),
        _ => yaml::to_json(original.clone(), what)?,
    };
    let file = assertions_from_json(&text).map_err(|problems| Failure::problems(what, problems))?;
    if file.tests.is_empty() {
        return Err(Failure::new("no_tests", files::no_tests(what)));
    }
    let policy = match file.policy {
        PolicySource::Inline(policy) => *policy,
        PolicySource::File(name) => {
            input::policy(process, &path.parent().unwrap_or(Path::new("")).join(name))?
        }
    };
    let line = |place: usize| line_of(&original, &format!("/tests/{place}")).unwrap_or(1);
    Ok(file
        .tests
        .iter()
        .enumerate()
        .map(|(place, test)| run_one(what, &policy, test, line(place)))
        .collect())
}

fn run_one(file: &str, policy: &Policy, test: &AssertionTest, line: usize) -> Run {
    let answered = resolve(policy, &test.check.subject, None)
        .map_err(CheckError::from)
        .and_then(|opened| {
            evaluate(policy, &opened.identity, &test.check, At::IgnoringExpiry)
                .map(|answer| (answer, opened.identity))
        });
    let observed = match &answered {
        Ok((answer, identity)) => Ok((answer, identity.groups())),
        Err(error) => Err(error.code()),
    };
    let name = test
        .id
        .as_ref()
        .map_or_else(|| test.name.clone(), |id| format!("{id} {}", test.name));
    Run {
        file: file.into(),
        name,
        difference: test.expect.difference(&observed),
        line,
    }
}

fn render(process: &Process, runs: &[Run], failed: usize) -> String {
    let rows: Vec<Vec<Cell>> = runs
        .iter()
        .map(|run| {
            let result = match run.difference {
                Some(_) => Cell::styled("FAILED", BAD),
                None => Cell::styled("ok", GOOD),
            };
            // The other lines of a difference are printed below the table.
            let (first, _) = parts(run.difference.as_deref().unwrap_or_default());
            vec![result, run.name.clone().into(), first.into()]
        })
        .collect();
    let mut text = table(process, &["RESULT", "TEST", "DIFFERENCE"], rows);
    for run in runs {
        if let (_, Some(_)) = parts(run.difference.as_deref().unwrap_or_default()) {
            let _ = writeln!(
                text,
                "\n{}",
                plain_lines(run.difference.as_deref().unwrap_or_default())
            );
        }
    }
    let _ = writeln!(text, "\n{} passed, {failed} failed", runs.len() - failed);
    text
}

/// The first line, and the rest.
fn parts(difference: &str) -> (&str, Option<&str>) {
    difference
        .split_once('\n')
        .map_or((difference, None), |(first, rest)| (first, Some(rest)))
}
