//! `gbac policy lint`: findings as text, JSON or a report, and their fixes as changes.

use gbac_words::common;
use std::fmt::Write;
use std::path::Path;

use gbac_analysis::{Finding, Severity, neutral_fixes};
use gbac_engine::Coded;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Change;
use gbac_json::{ChangeJson, FindingJson, lint_from_json, lint_in_dialect, policy_from_json};
use gbac_words::commands::policy as words;
use gbac_words::phrases::{count, list};
use serde_json::{Value, json};

use crate::args::Format;
use crate::args::output::ReportFormat;
use crate::args::policy::{FailOn, LintArgs};
use crate::commands::changes;
use crate::json_lines::line_of;
use crate::output::{self, Failure, plain, sentence};
use crate::policy_source::{self, PolicyText};
use crate::process::Process;
use crate::report::{self, Entry, Level};
use crate::results::Findings;

/// Reports the findings; returns whether none is as severe as `fail_on`.
pub(super) fn run(
    process: &Process,
    args: &LintArgs,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<bool, Failure> {
    let PolicyText { text, name, state } =
        policy_source::read(process, &args.source, args.file.as_deref())?;
    let findings = args
        .dialect
        .map_or_else(
            || lint_from_json(&text),
            |dialect| lint_in_dialect(&text, dialect.into()),
        )
        .map_err(|problems| Failure::problems(&name, problems))?;
    match (report, format) {
        (Some(report), _) => {
            let document: Value = serde_json::from_str(&text).unwrap_or_default();
            let entries: Vec<Entry> = findings
                .iter()
                .map(|finding| entry(finding, &name, &text, &document))
                .collect();
            report::write(process, report, "policy lint", &name, &entries)?;
        }
        (None, Format::Json | Format::Yaml) => {
            let findings = findings.iter().map(FindingJson::from).collect();
            policy_source::write_value(process, state.as_ref(), format, Findings { findings })?;
        }
        (None, Format::Text) => {
            policy_source::write_text(process, state.as_ref(), &render_findings(&findings))?;
        }
    }
    if let Some(path) = &args.fix {
        write_fixes(process, path, &text, &name, &findings)?;
    }
    let least = match args.fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Notice => Some(Severity::Notice),
        FailOn::Never => None,
    };
    // Severities are ordered from the most severe.
    Ok(!least.is_some_and(|least| findings.iter().any(|finding| finding.severity <= least)))
}

/// Writes the fixes that leave all effective access unchanged; a person decides about the others.
fn write_fixes(
    process: &Process,
    path: &Path,
    text: &str,
    name: &str,
    findings: &[Finding],
) -> Result<(), Failure> {
    let policy = policy_from_json(text).map_err(|problems| Failure::problems(name, problems))?;
    let (all, fixed) = neutral_fixes(&policy, findings);
    changes::write(process, path, &all)?;
    let file = path.display().to_string();
    let fixed = words::findings_fixed(fixed, findings.len(), &file);
    output::note(process, &format!("note: {}", sentence(&fixed)));
    Ok(())
}

/// A finding in a report, with the line of its first place.
fn entry(finding: &Finding, file: &str, text: &str, document: &Value) -> Entry {
    let level = match finding.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        Severity::Notice => Level::Notice,
    };
    let place = finding
        .places
        .first()
        .cloned()
        .or_else(|| place(finding, document));
    let line = place.and_then(|place| line_of(text, &place)).unwrap_or(1);
    let message = format!("{}; {}", finding.message, finding.hint);
    let title = finding
        .principals
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    Entry {
        level,
        rule: finding.code.code().into(),
        title,
        message,
        file: file.to_owned(),
        line,
    }
}

/// Where the first ACL or role of a finding is in a document.
fn place(finding: &Finding, document: &Value) -> Option<String> {
    let position = |list: &str, is_it: &dyn Fn(&Value) -> bool| {
        let place = document.get(list)?.as_array()?.iter().position(is_it)?;
        Some(format!("/{list}/{place}"))
    };
    if let Some(acl) = finding.acls.first() {
        let change = json!(ChangeJson::from(&Change::AddAcl(acl.clone())));
        let whole = change.get("acl")?;
        // A document can omit members.
        let is_it = |one: &Value| {
            one.as_object().is_some_and(|one| {
                one.iter()
                    .all(|(name, value)| whole.get(name) == Some(value))
            })
        };
        return position("acls", &is_it);
    }
    let member =
        |one: &Value, name: &str, text: &str| one.get(name).and_then(Value::as_str) == Some(text);
    let first = finding.principals.first()?;
    if first.kind() == PrincipalType::Role {
        return position("roles", &|one| member(one, "name", first.name()));
    }
    position("acls", &|one| member(one, "principal", &first.to_string()))
}

fn render_findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return format!("{}\n", common::NO_FINDINGS);
    }
    let mut text = String::new();
    for finding in findings {
        let places = if finding.places.is_empty() {
            String::new()
        } else {
            format!(" at {}", list(&finding.places))
        };
        let _ = writeln!(
            text,
            "{} {}: {}{places}",
            finding.severity.code(),
            finding.code.code(),
            plain(&finding.message)
        );
        let _ = writeln!(text, "  {}", plain(&finding.hint));
    }
    let number = |severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let counts: Vec<String> = Severity::ALL
        .iter()
        .map(|severity| (number(*severity), severity.code()))
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(number, noun))
        .collect();
    let _ = writeln!(text, "\n{}", list(&counts));
    text
}
