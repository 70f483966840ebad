//! Reports for pipelines: SARIF 2.1.0, JUnit and the annotations of GitHub.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::is_separator;

use clap::ValueEnum;
use gbac_api::encode::component;
use serde_json::{Value, json};

use crate::args::format::{FormatArg, ReportFormat};
use crate::output::{self, Failure, plain};
use crate::process::Process;

/// How severe a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Notice,
}

impl Level {
    const fn in_sarif(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "note",
        }
    }

    const fn in_github(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// One result: a finding, a failed test, or a difference.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) level: Level,
    /// The stable code of its kind.
    pub(crate) rule: String,
    /// What it is about, in a few words.
    pub(crate) title: String,
    pub(crate) message: String,
    pub(crate) file: String,
    /// The line, from 1.
    pub(crate) line: usize,
}

/// One test case of a JUnit report.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) name: String,
    /// Why it failed.
    pub(crate) failure: Option<String>,
}

/// Writes results. In JUnit, each is a failed test, and a file without results is a test that
/// passed.
pub(crate) fn write(
    process: &Process,
    format: ReportFormat,
    command: &str,
    file: &str,
    entries: &[Entry],
) -> Result<(), Failure> {
    let text = match format {
        ReportFormat::Sarif => sarif(entries),
        ReportFormat::Github => github(entries),
        ReportFormat::Junit => {
            let mut cases: Vec<Case> = entries.iter().map(Case::from).collect();
            if cases.is_empty() {
                cases.push(Case {
                    file: file.to_owned(),
                    name: command.to_owned(),
                    failure: None,
                });
            }
            junit(&cases)
        }
        ReportFormat::Markdown => return Err(unsupported(format, command)),
    };
    output::document(process, &text)
}

/// The formats of findings and results.
const RESULT_FORMATS: &[ReportFormat] = &[
    ReportFormat::Sarif,
    ReportFormat::Junit,
    ReportFormat::Github,
];

/// The commands that write reports, with their formats.
pub(crate) const WRITERS: [(&[&str], &[ReportFormat]); 3] = [
    (&["policy", "lint"], RESULT_FORMATS),
    (
        &["policy", "diff"],
        &[
            ReportFormat::Sarif,
            ReportFormat::Junit,
            ReportFormat::Github,
            ReportFormat::Markdown,
        ],
    ),
    (&["test"], RESULT_FORMATS),
];

/// The error of a format that a command does not write.
pub(crate) fn unsupported(format: ReportFormat, command: &str) -> Failure {
    let name = FormatArg::from(format)
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned());
    let writers: Vec<String> = WRITERS
        .iter()
        .filter(|(_, formats)| formats.contains(&format))
        .map(|(path, _)| format!("`{}`", path.join(" ")))
        .collect();
    let writers = writers.join(", ");
    Failure::usage(format!(
        "--format {name}: only {writers} can write it, not `{command}`; use text, wide, json or yaml"
    ))
}

impl From<&Entry> for Case {
    fn from(entry: &Entry) -> Self {
        let name = format!("{} {}", entry.rule, entry.title);
        Self {
            file: entry.file.clone(),
            name,
            failure: Some(entry.message.clone()),
        }
    }
}

fn sarif(entries: &[Entry]) -> String {
    let rules: BTreeSet<&str> = entries.iter().map(|entry| entry.rule.as_str()).collect();
    let rules: Vec<Value> = rules
        .into_iter()
        .map(|rule| json!({ "id": rule }))
        .collect();
    let results: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let location =
                json!({ "artifactLocation": { "uri": uri(&entry.file) }, "region": { "startLine": entry.line } });
            json!({ "ruleId": entry.rule, "level": entry.level.in_sarif(), "message": { "text": entry.message },
                "locations": [{ "physicalLocation": location }] })
        })
        .collect();
    let driver = json!({ "name": "gbac", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let log = json!({ "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }] });
    format!("{log:#}\n")
}

/// A path as a URI reference (RFC 3986): relative paths stay relative.
fn uri(path: &str) -> String {
    let parts = path.trim_start_matches("./").split(is_separator);
    parts.map(component).collect::<Vec<_>>().join("/")
}

/// Workflow commands of GitHub, one line for each result.
fn github(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let title = github_property(&plain(&format!("{} {}", entry.rule, entry.title)));
        let file = github_property(&plain(&entry.file));
        let message = github_data(&output::plain_lines(&entry.message));
        let _ = writeln!(
            text,
            "::{} file={file},line={},title={title}::{message}",
            entry.level.in_github(),
            entry.line
        );
    }
    text
}

/// A message of a workflow command.
fn github_data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// A property of a workflow command.
fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A JUnit report: one suite per file, one case per test.
pub(crate) fn junit(cases: &[Case]) -> String {
    let mut files: Vec<&str> = cases.iter().map(|case| case.file.as_str()).collect();
    files.dedup();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for file in files {
        let suite: Vec<&Case> = cases.iter().filter(|case| case.file == file).collect();
        let failed = suite.iter().filter(|case| case.failure.is_some()).count();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\">",
            escape(file),
            suite.len()
        );
        for case in suite {
            let name: Vec<String> = case.name.split('\n').map(escape).collect();
            let _ = write!(
                text,
                "    <testcase classname=\"{}\" name=\"{}\"",
                escape(file),
                name.join("&#10;")
            );
            match &case.failure {
                None => text.push_str("/>\n"),
                Some(failure) => {
                    let whole: Vec<String> = failure.split('\n').map(escape).collect();
                    let (attribute, whole) = (whole.join("&#10;"), whole.join("\n"));
                    let _ = writeln!(
                        text,
                        "><failure message=\"{attribute}\">{whole}</failure></testcase>"
                    );
                }
            }
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

/// Escapes one line of XML text; characters that XML 1.0 cannot contain are escaped like in Rust.
fn escape(text: &str) -> String {
    plain(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_end_an_annotation_or_begin_another_one() {
        let entry = Entry {
            level: Level::Warning,
            rule: "x".into(),
            title: "Group:a,b::c".into(),
            message: "50%\n::error::y\u{1b}".into(),
            file: "a, b/c.json".into(),
            line: 3,
        };
        assert_eq!(
            github(&[entry]),
            "::warning file=a%2C b/c.json,line=3,title=x Group%3Aa%2Cb%3A%3Ac::50%25%0A::error::y\\u{1b}\n"
        );
        assert_eq!(uri("./a b/\u{e9}.json"), "a%20b/%C3%A9.json");
    }
}
