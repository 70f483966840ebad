//! `gbac policy lint`: findings as text, JSON or a report, and their fixes as changes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use gbac_analysis::{Finding, Severity, neutral_fixes};
use gbac_engine::Coded;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Change;
use gbac_json::{ChangeJson, FindingJson, lint_from_json, lint_in_dialect, policy_from_json};
use gbac_words::commands::policy as words;
use gbac_words::phrases::{count, list};
use gbac_words::{breadth, common};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::DialectArg;
use crate::args::format::ReportFormat;
use crate::args::policy_source::{self, PolicySourceArgs, PolicyText};
use crate::json_position::line_of;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::pipeline_report::{self, Entry, Level};
use crate::render::proposed_changes;

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE", conflicts_with_all = ["policy_file", "online"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    source: PolicySourceArgs,
    /// Lowest severity that makes the command exit with 1.
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    fail_on: FailOn,
    /// System that the policy is for, whatever the document says. With `kafka`, also list the ACLs
    /// that begin to match when the GBAC plugin is installed.
    #[arg(long, value_enum)]
    dialect: Option<DialectArg>,
    /// Write the fixes without a change in effective access to this file, for `gbac policy apply`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Lowest severity that makes the command exit with 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A rule can give access that nobody intended.
    Error,
    /// A rule has no effect, or not the intended one.
    Warning,
    /// A rule is redundant or incomplete.
    Notice,
    /// Findings never change the exit code.
    Never,
}

/// The findings of a policy.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    /// The findings.
    findings: Vec<FindingJson>,
}

/// Reports the findings; returns whether none is as severe as `fail_on`.
pub(super) fn run(
    process: &Process,
    args: &LintArgs,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<bool, Failure> {
    let PolicyText { text, name, state } =
        policy_source::read(process, &args.source, args.file.as_deref())?;
    let findings = match args.dialect {
        Some(dialect) => lint_in_dialect(&text, dialect.into()),
        None => lint_from_json(&text),
    };
    let findings = findings.map_err(|problems| Failure::problems(&name, problems))?;
    match (report, format) {
        (Some(report), _) => {
            let document: Value = serde_json::from_str(&text).unwrap_or_default();
            let mut entries = Vec::new();
            for finding in &findings {
                entries.push(entry(finding, &name, &text, &document));
            }
            pipeline_report::write(process, report, "policy lint", &name, &entries)?;
        }
        (None, Format::Json | Format::Yaml) => {
            let findings = findings.iter().map(FindingJson::from).collect();
            policy_source::write_value(process, state.as_ref(), format, Findings { findings })?;
        }
        (None, Format::Text) => {
            policy_source::write_text(process, state.as_ref(), &render_findings(&findings))?;
        }
    }
    if let Some(path) = &args.out {
        write_fixes(process, (path, &args.source), &text, &name, &findings)?;
    }
    let least = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Notice => Severity::Notice,
        FailOn::Never => return Ok(true),
    };
    // Severities are ordered from the most severe.
    Ok(findings.iter().all(|finding| finding.severity > least))
}

/// Writes the fixes that leave all effective access unchanged; a person decides about the others.
fn write_fixes(
    process: &Process,
    (path, source): (&Path, &PolicySourceArgs),
    text: &str,
    name: &str,
    findings: &[Finding],
) -> Result<(), Failure> {
    let policy = policy_from_json(text).map_err(|problems| Failure::problems(name, problems))?;
    let (all, fixed) = neutral_fixes(&policy, findings);
    proposed_changes::write(process, path, &all)?;
    let file = path.display().to_string();
    let fixed = words::findings_fixed(fixed, findings.len(), &file, &source.target_flags());
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
    let place = match finding.places.first() {
        Some(place) => Some(place.clone()),
        None => place(finding, document),
    };
    let line = place.and_then(|place| line_of(text, &place)).unwrap_or(1);
    let message = format!("{}; {}", finding.message, finding.hint);
    let title = match finding.principals.first() {
        Some(principal) => principal.to_string(),
        None => String::new(),
    };
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
    if let Some(acl) = finding.acls.first() {
        let change = json!(ChangeJson::from(&Change::AddAcl(acl.clone())));
        let whole = change.get("acl")?;
        // A document can omit members.
        return position(document, "acls", |entry| {
            entry
                .iter()
                .all(|(name, value)| whole.get(name) == Some(value))
        });
    }
    let first = finding.principals.first()?;
    let (list, member, name) = match first.kind() {
        PrincipalType::Role => ("roles", "name", first.name().to_owned()),
        _ => ("acls", "principal", first.to_string()),
    };
    position(document, list, |entry| {
        entry.get(member) == Some(&json!(name))
    })
}

fn position(
    document: &Value,
    list: &str,
    is_it: impl Fn(&Map<String, Value>) -> bool,
) -> Option<String> {
    for (place, entry) in document.get(list)?.as_array()?.iter().enumerate() {
        if entry.as_object().is_some_and(&is_it) {
            return Some(format!("/{list}/{place}"));
        }
    }
    None
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
        if let Some(opens) = breadth::opens(&finding.opening()) {
            let _ = writeln!(text, "  {}", sentence(&opens));
        }
    }
    let mut counts = Vec::new();
    for severity in Severity::ALL.iter().copied() {
        let of_severity = findings.iter().filter(|one| one.severity == severity);
        match of_severity.count() {
            0 => {}
            number => counts.push(count(number, severity.code())),
        }
    }
    let _ = writeln!(text, "\n{}", list(&counts));
    text
}
