//! `gbac policy`: validate, lint and compare policy documents, create them from a cluster, convert
//! them to a script.

mod apply;
mod convert;
mod diff;
mod fmt;
mod import;
mod lint;
mod pull;

pub(super) use pull::read_settings;

use std::fmt::Write;
use std::path::PathBuf;

use gbac_json::{Problems, policy_from_json};
use gbac_words::phrases::count;

use crate::args::Format;
use crate::args::output::ReportFormat;
use crate::args::policy::PolicyCommand;
use crate::input;
use crate::output::{self, Failure, contents, plain};
use crate::process::Process;
use crate::report::unsupported;
use crate::results::{ValidatedFile, ValidatedFiles};
use crate::secrets::redacted_problems;

pub(crate) fn run(
    process: &Process,
    command: &PolicyCommand,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<u8, Failure> {
    if let (Some(report), false) = (
        report,
        matches!(command, PolicyCommand::Lint(_) | PolicyCommand::Diff(_)),
    ) {
        return Err(unsupported(report, "this command"));
    }
    let succeeded = match command {
        PolicyCommand::Apply(args) => apply::run(process, args, format)?,
        PolicyCommand::Import(args) => import::run(process, args, format)?,
        PolicyCommand::Pull(args) => pull::run(process, args, format)?,
        PolicyCommand::Convert(args) => convert::run(process, args)?,
        PolicyCommand::Validate { files } => validate(process, files, format)?,
        PolicyCommand::Lint(args) => lint::run(process, args, format, report)?,
        PolicyCommand::Fmt { files, check } => fmt::run(process, files, *check, format)?,
        PolicyCommand::Diff(args) => diff::run(process, args, format, report)? || !args.exit_code,
    };
    Ok(if succeeded {
        output::SUCCESS
    } else {
        output::ERROR
    })
}

/// Reports every problem of every file; returns whether there is none.
fn validate(process: &Process, files: &[PathBuf], format: Format) -> Result<bool, Failure> {
    let mut valid = true;
    let mut rows = Vec::new();
    for path in files {
        let file = path.display().to_string();
        let problems = match policy_from_json(&input::document(process, path)?) {
            Ok(policy) => {
                if format == Format::Text {
                    output::text(
                        process,
                        &format!("{}: valid, {}\n", plain(&file), contents(&policy)),
                    )?;
                }
                Problems::default()
            }
            Err(problems) => redacted_problems(problems),
        };
        valid &= problems.0.is_empty();
        match format {
            Format::Json | Format::Yaml => {
                rows.push(ValidatedFile {
                    file,
                    valid: problems.0.is_empty(),
                    problems,
                });
            }
            Format::Text if problems.0.is_empty() => {}
            Format::Text => {
                let mut text =
                    format!("{}: {}\n", plain(&file), count(problems.0.len(), "problem"));
                for problem in &problems.0 {
                    let _ = writeln!(text, "  {}", plain(&problem.to_string()));
                }
                output::text(process, &text)?;
            }
        }
    }
    if format != Format::Text {
        output::value(process, format, &ValidatedFiles { files: rows })?;
    }
    Ok(valid)
}
