//! `gbac policy`: is a document right, what is odd in it, what differs between two; one from a cluster, one as a script.

mod convert;
mod import;
mod pull;

pub(super) use pull::settings as settings_of;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gbac_analysis::{Diff, Finding, Relation, Severity, diff};
use gbac_engine::policy::StatedSettings;
use gbac_json::{DiffJson, FindingJson, Problems, lint_from_json, policy_from_json};
use serde_json::{Value, json};

use super::differences;
use crate::args::Format;
use crate::args::policy::{FailOn, PolicyCommand};
use crate::input;
use crate::output::{self, Failure, counted, plain};
use crate::secrets::scrubbed_problems;

pub(crate) fn run(command: &PolicyCommand, format: Format) -> Result<ExitCode, Failure> {
    let holds = match command {
        PolicyCommand::Import(args) => import::run(args, format)?,
        PolicyCommand::Pull(args) => pull::run(args, format)?,
        PolicyCommand::Convert(args) => convert::run(args)?,
        PolicyCommand::Validate { files } => validate(files, format)?,
        PolicyCommand::Lint { file, fail_on } => lint(file, *fail_on, format)?,
        PolicyCommand::Diff { before, after, exit_code } => compare(before, after, format)? || !exit_code,
    };
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::from(output::ERROR) })
}

/// Every problem of every file; says whether there is none.
fn validate(files: &[PathBuf], format: Format) -> Result<bool, Failure> {
    let mut right = true;
    let mut rows: Vec<Value> = Vec::new();
    for path in files {
        let file = path.display().to_string();
        let problems = match policy_from_json(&input::document(path)?) {
            Ok(policy) => {
                if format == Format::Text {
                    let (acls, roles) = (counted(policy.acl_count(), "ACL"), counted(policy.role_count(), "role"));
                    output::text(&format!("{}: valid, {acls} and {roles}\n", plain(&file)))?;
                }
                Problems::default()
            }
            Err(problems) => scrubbed_problems(problems),
        };
        right &= problems.0.is_empty();
        match format {
            Format::Json | Format::Yaml => {
                rows.push(json!({ "file": file, "valid": problems.0.is_empty(), "problems": problems }));
            }
            Format::Text if problems.0.is_empty() => {}
            Format::Text => {
                let mut text = format!("{}: {}\n", plain(&file), counted(problems.0.len(), "problem"));
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
    Ok(right)
}

/// What is odd; says whether nothing is as grave as it may not be.
fn lint(path: &Path, fail_on: FailOn, format: Format) -> Result<bool, Failure> {
    let file = path.display().to_string();
    let findings = lint_from_json(&input::document(path)?).map_err(|problems| Failure::problems(&file, problems))?;
    match format {
        Format::Json | Format::Yaml => {
            let findings: Vec<FindingJson> = findings.iter().map(FindingJson::from).collect();
            output::value(format, &json!({ "findings": findings }))?;
        }
        Format::Text => output::text(&lint_words(&findings))?,
    }
    let least = match fail_on {
        FailOn::Error => Some(Severity::Error),
        FailOn::Warning => Some(Severity::Warning),
        FailOn::Notice => Some(Severity::Notice),
        FailOn::Never => None,
    };
    // The gravest is the least.
    Ok(!least.is_some_and(|least| findings.iter().any(|finding| finding.severity <= least)))
}

fn lint_words(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "Nothing is odd.\n".into();
    }
    let mut text = String::new();
    for finding in findings {
        let places =
            if finding.places.is_empty() { String::new() } else { format!(" at {}", finding.places.join(", ")) };
        let _ = writeln!(text, "{} {}: {}{places}", finding.severity.code(), finding.code, plain(&finding.message));
        let _ = writeln!(text, "  {}", plain(&finding.hint));
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let counts: Vec<String> = Severity::ALL
        .iter()
        .map(|severity| (count(*severity), severity.code()))
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| counted(count, word))
        .collect();
    let _ = writeln!(text, "\n{}", counts.join(", "));
    text
}

/// The settings that differ because the later policy does not state them (D-43).
fn unstated(changed: &Diff, stated: StatedSettings) -> Vec<&'static str> {
    let is_stated = |name: &str| match name {
        "oidc_group_claim_path" => stated.claim_path,
        "nested_group_behavior" => stated.nested,
        "oidc_principal_mapping" => stated.principal_mapping,
        "superusers" => stated.superusers,
        _ => true,
    };
    changed.settings.iter().copied().filter(|name| !is_stated(name)).collect()
}

/// Who gains and loses what; says whether nobody does.
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
        Format::Text => output::text(&differences::words(&changed))?,
    }
    Ok(changed.relation == Relation::Equal)
}
