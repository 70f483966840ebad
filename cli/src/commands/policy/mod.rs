//! `gbac policy`: validate, lint and compare policy documents, create them from a cluster, convert them to a script.

mod convert;
mod import;
mod pull;

pub(super) use pull::read_settings;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gbac_analysis::{Diff, Finding, Relation, Severity, diff};
use gbac_console_model::phrases::{count, list};
use gbac_engine::policy::StatedSettings;
use gbac_json::{DiffJson, FindingJson, Problems, lint_from_json, lint_in_dialect, policy_from_json};
use serde_json::{Value, json};

use super::differences;
use crate::args::Format;
use crate::args::policy::{DialectArg, FailOn, PolicyCommand};
use crate::input;
use crate::output::{self, Failure, contents, plain};
use crate::policy_source::{self, PolicyText};
use crate::secrets::redacted_problems;

pub(crate) fn run(command: &PolicyCommand, format: Format) -> Result<ExitCode, Failure> {
    let succeeded = match command {
        PolicyCommand::Import(args) => import::run(args, format)?,
        PolicyCommand::Pull(args) => pull::run(args, format)?,
        PolicyCommand::Convert(args) => convert::run(args)?,
        PolicyCommand::Validate { files } => validate(files, format)?,
        PolicyCommand::Lint { file, source, fail_on, dialect } => {
            lint(policy_source::read(source, file.as_deref())?, *fail_on, *dialect, format)?
        }
        PolicyCommand::Diff { before, after, exit_code } => compare(before, after, format)? || !exit_code,
    };
    Ok(if succeeded { ExitCode::SUCCESS } else { ExitCode::from(output::ERROR) })
}

/// Reports every problem of every file; returns whether there is none.
fn validate(files: &[PathBuf], format: Format) -> Result<bool, Failure> {
    let mut valid = true;
    let mut rows: Vec<Value> = Vec::new();
    for path in files {
        let file = path.display().to_string();
        let problems = match policy_from_json(&input::document(path)?) {
            Ok(policy) => {
                if format == Format::Text {
                    output::text(&format!("{}: valid, {}\n", plain(&file), contents(&policy)))?;
                }
                Problems::default()
            }
            Err(problems) => redacted_problems(problems),
        };
        valid &= problems.0.is_empty();
        match format {
            Format::Json | Format::Yaml => {
                rows.push(json!({ "file": file, "valid": problems.0.is_empty(), "problems": problems }));
            }
            Format::Text if problems.0.is_empty() => {}
            Format::Text => {
                let mut text = format!("{}: {}\n", plain(&file), count(problems.0.len(), "problem"));
                for problem in &problems.0 {
                    let _ = writeln!(text, "  {}", plain(&problem.to_string()));
                }
                output::text(&text)?;
            }
        }
    }
    if format != Format::Text {
        output::value(format, &json!({ "files": rows }))?;
    }
    Ok(valid)
}

/// Reports the findings; returns whether none is as severe as `fail_on`.
fn lint(document: PolicyText, fail_on: FailOn, dialect: Option<DialectArg>, format: Format) -> Result<bool, Failure> {
    let PolicyText { text, name, state } = document;
    let findings = dialect
        .map_or_else(|| lint_from_json(&text), |dialect| lint_in_dialect(&text, dialect.into()))
        .map_err(|problems| Failure::problems(&name, problems))?;
    match format {
        Format::Json | Format::Yaml => {
            let findings: Vec<FindingJson> = findings.iter().map(FindingJson::from).collect();
            policy_source::write_value(state.as_ref(), format, json!({ "findings": findings }))?;
        }
        Format::Text => policy_source::write_text(state.as_ref(), &render_findings(&findings))?,
    }
    let least = match fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Notice => Some(Severity::Notice),
        FailOn::Never => None,
    };
    // Severities are ordered from the most severe.
    Ok(!least.is_some_and(|least| findings.iter().any(|finding| finding.severity <= least)))
}

fn render_findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "No findings.\n".into();
    }
    let mut text = String::new();
    for finding in findings {
        let places = if finding.places.is_empty() { String::new() } else { format!(" at {}", list(&finding.places)) };
        let _ = writeln!(text, "{} {}: {}{places}", finding.severity.code(), finding.code, plain(&finding.message));
        let _ = writeln!(text, "  {}", plain(&finding.hint));
    }
    let number = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts: Vec<String> = Severity::ALL
        .iter()
        .map(|severity| (number(*severity), severity.code()))
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| count(number, noun))
        .collect();
    let _ = writeln!(text, "\n{}", list(&counts));
    text
}

/// The settings that differ only because the new policy does not state them (D-43).
fn unstated(changed: &Diff, stated: StatedSettings) -> Vec<&'static str> {
    let is_stated = |name: &str| match name {
        "oidc_group_claim_path" => stated.claim_path,
        "nested_group_behavior" => stated.nested,
        "oidc_principal_mapping" => stated.principal_mapping,
        "superusers" => stated.superusers,
        "access" => stated.access,
        _ => true,
    };
    changed.settings.iter().copied().filter(|name| !is_stated(name)).collect()
}

/// Reports who gains and loses access; returns whether nothing changes.
fn compare(before: &Path, after: &Path, format: Format) -> Result<bool, Failure> {
    let (earlier, later) = (input::policy(before)?, input::policy(after)?);
    let changed = diff(&earlier, &later);
    let unstated = unstated(&changed, later.settings().states());
    if !unstated.is_empty() {
        let (file, names) = (after.display(), unstated.join("`, `"));
        output::note(&format!(
            "note: {file} does not state `{names}`, so the comparison uses the default; a service that imports it keeps its own"
        ));
    }
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(DiffJson::from(&changed)))?,
        Format::Text => output::text(&differences::render(&changed))?,
    }
    Ok(changed.relation == Relation::Equal)
}
