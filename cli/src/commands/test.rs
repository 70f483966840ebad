//! `gbac test`: runs assertion files and bug reports.

use gbac_analysis::check::CheckError;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

use gbac_analysis::check::evaluate;
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_engine::resolve;
use gbac_json::{AssertionTest, PolicySource, assertions_from_json, find_assertions};
use serde_json::json;

use crate::args::{Format, TestArgs};
use crate::input;
use crate::output::{self, Failure, plain, plain_lines};
use crate::secrets::redacted;
use crate::yaml;

/// One test that was run.
struct Run {
    file: String,
    name: String,
    difference: Option<String>,
}

pub(crate) fn run(args: &TestArgs, format: Format) -> Result<ExitCode, Failure> {
    let mut runs = Vec::new();
    // An unreadable file counts as a failed test, and the others still run.
    for path in &args.files {
        let file = path.display().to_string();
        match run_file(path, &file) {
            Ok(of_file) => runs.extend(of_file),
            Err(failure) => {
                runs.push(Run { file, name: "the file".into(), difference: Some(redacted(&failure.to_string())) });
            }
        }
    }
    if let Some(path) = &args.junit {
        std::fs::write(path, junit(&runs)).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    }
    let failed = runs.iter().filter(|run| run.difference.is_some()).count();
    match format {
        Format::Json | Format::Yaml => output::value(
            format,
            &json!({
                "passed": runs.len() - failed,
                "failed": failed,
                "tests": runs.iter().map(|run| json!({
                    "file": run.file, "name": run.name, "passed": run.difference.is_none(), "difference": run.difference,
                })).collect::<Vec<_>>(),
            }),
        )?,
        Format::Text => output::text(&render(&runs, failed))?,
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(output::ERROR) })
}

fn run_file(path: &Path, what: &str) -> Result<Vec<Run>, Failure> {
    let text = input::text(path)?;
    let text = match find_assertions(&text) {
        report if report.len() < text.len() => report.to_owned(),
        _ => yaml::to_json(text, what)?,
    };
    let file = assertions_from_json(&text).map_err(|problems| Failure::problems(what, problems))?;
    if file.tests.is_empty() {
        return Err(Failure::new("no_tests", format!("{what}: no tests in this file; add one, or name another file")));
    }
    let policy = match file.policy {
        PolicySource::Inline(policy) => *policy,
        PolicySource::File(name) => input::policy(&path.parent().unwrap_or(Path::new("")).join(name))?,
    };
    Ok(file.tests.iter().map(|test| run_one(what, &policy, test)).collect())
}

fn run_one(file: &str, policy: &Policy, test: &AssertionTest) -> Run {
    let answered = resolve(policy, &test.check.subject, None).map_err(CheckError::from).and_then(|opened| {
        evaluate(policy, &opened.identity, &test.check, At::IgnoringExpiry).map(|answer| (answer, opened.identity))
    });
    let observed = match &answered {
        Ok((answer, identity)) => Ok((answer, identity.groups())),
        Err(error) => Err(error.code()),
    };
    let name = test.id.as_ref().map_or_else(|| test.name.clone(), |id| format!("{id} {}", test.name));
    Run { file: file.into(), name, difference: test.expect.difference(&observed) }
}

fn render(runs: &[Run], failed: usize) -> String {
    let rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            let result = if run.difference.is_some() { "FAILED" } else { "ok" };
            // The other lines of a difference are printed below the table.
            let (first, _) = parts(run.difference.as_deref().unwrap_or_default());
            vec![result.into(), run.name.clone(), first.into()]
        })
        .collect();
    let mut text = output::table(&["RESULT", "TEST", "DIFFERENCE"], &rows);
    for run in runs {
        if let (_, Some(_)) = parts(run.difference.as_deref().unwrap_or_default()) {
            let _ = writeln!(text, "\n{}", plain_lines(run.difference.as_deref().unwrap_or_default()));
        }
    }
    let _ = writeln!(text, "\n{} passed, {failed} failed", runs.len() - failed);
    text
}

/// The first line, and the rest.
fn parts(difference: &str) -> (&str, Option<&str>) {
    difference.split_once('\n').map_or((difference, None), |(first, rest)| (first, Some(rest)))
}

/// A JUnit report: one suite per file, one case per test.
fn junit(runs: &[Run]) -> String {
    let mut files: Vec<&str> = runs.iter().map(|run| run.file.as_str()).collect();
    files.dedup();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for file in files {
        let suite: Vec<&Run> = runs.iter().filter(|run| run.file == file).collect();
        let failed = suite.iter().filter(|run| run.difference.is_some()).count();
        let _ =
            writeln!(text, "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\">", escape(file), suite.len());
        for run in suite {
            let _ = write!(text, "    <testcase classname=\"{}\" name=\"{}\"", escape(file), name(run));
            match &run.difference {
                None => text.push_str("/>\n"),
                Some(difference) => {
                    let whole: Vec<String> = difference.split('\n').map(escape).collect();
                    let (attribute, whole) = (whole.join("&#10;"), whole.join("\n"));
                    let _ = writeln!(text, "><failure message=\"{attribute}\">{whole}</failure></testcase>");
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// The name of a test as an attribute, with its line breaks.
fn name(run: &Run) -> String {
    run.name.split('\n').map(escape).collect::<Vec<_>>().join("&#10;")
}

/// Escapes one line of XML text; characters that XML 1.0 cannot contain are escaped like in Rust.
fn escape(text: &str) -> String {
    plain(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
