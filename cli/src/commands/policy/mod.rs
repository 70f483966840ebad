//! `gbac policy`: validate, lint and compare policy documents, create them from a cluster, convert
//! them to a script.

mod apply;
mod converge;
mod convert;
mod diff;
mod fmt;
mod import;
mod lint;
mod pull;
mod what_if;

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use gbac_engine::model::Dialect;
use gbac_json::{Problems, policy_from_json};
use gbac_words::phrases::count;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::format::ReportFormat;
use crate::input;
use crate::output::{self, Failure, Format, contents, plain};
use crate::process::Process;
use crate::render::pipeline_report::unsupported;
use crate::secrets::redacted_problems;
use apply::ApplyArgs;
use convert::ConvertArgs;
#[cfg(all(test, feature = "schema"))]
pub(crate) use diff::ComparedClusters;
use diff::DiffArgs;
#[cfg(all(test, feature = "schema"))]
pub(crate) use fmt::FormattedFiles;
#[cfg(all(test, feature = "schema"))]
pub(crate) use import::ImportedPolicy;
use import::{ImportPolicyArgs, import_about};
#[cfg(all(test, feature = "schema"))]
pub(crate) use lint::Findings;
use lint::LintArgs;
use pull::PullArgs;
pub(super) use pull::read_settings;
use what_if::SettingsWhatIfArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Validate policy documents and report every problem; exits with 1 if there is one.
    Validate {
        /// Policy documents, `-` for standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Find rules that probably don't do what you intended.
    ///
    /// Exits with 1 if a finding has the severity of --fail-on or a higher one. For pipelines,
    /// --format also accepts `sarif`, `junit` and `github` (annotations).
    Lint(Box<LintArgs>),
    /// Make the changes of a file in a running service: all of them or none.
    ///
    /// Shows what is added and removed and who gains and loses access, then asks for confirmation.
    /// If someone else changes the policy in the meantime, nothing is changed. `least-grant`,
    /// `revoke`, `what-if` and `policy lint --out` write such files.
    Apply(Box<ApplyArgs>),
    /// Create a policy document from the output of an existing cluster's tools.
    #[command(long_about = import_about())]
    Import(ImportPolicyArgs),
    /// Create a policy document from a running service or platform, with its documented calls.
    ///
    /// Reads ACLs, roles and members from the Data Plane API, and the settings from the cluster
    /// properties of the Admin API.
    Pull(Box<PullArgs>),
    /// Convert a policy document to a shell script that creates it, or to resources of Terraform or
    /// Kubernetes.
    ///
    /// A script expects an empty cluster, or one with the policy of --from. If the target cannot
    /// express part of the policy, the result has a comment that says so, standard error has a
    /// note, and the exit code is 1.
    Convert(ConvertArgs),
    /// Write policy documents in the canonical form, which makes changes easy to compare.
    ///
    /// Files are changed in place, and standard input is written to standard output.
    Fmt {
        /// Policy documents in JSON, `-` for standard input.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Change nothing, and exit with 1 if a document is not in the canonical form.
        #[arg(long)]
        check: bool,
    },
    /// Compare two policy documents, or the policy of a service with a document: who gains and who
    /// loses access.
    ///
    /// Lists what is added and removed, and the effect on access, which can be none. With --from
    /// and --to, compares two clusters: what each principal can do in only one of them.
    ///
    /// For pipelines, --format also accepts `sarif`, `junit`, `github` (annotations) and `markdown`
    /// (for a pull request).
    Diff(Box<DiffArgs>),
    /// Try other values of the settings that decide access besides ACLs: who is denied or allowed
    /// then.
    ///
    /// The settings are those of brokers (allow.everyone.if.no.acl.found, super.users), of their
    /// GBAC plugin (gbac.groups.claim, gbac.groups.nested, gbac.principal.mapping), and those of the
    /// platform with other names for the same. Nothing is changed.
    ///
    /// With --seen, the requests in these files are decided again with the other values. Without
    /// files and tokens, those of the last audit events of the service; of a document and of a
    /// Kafka cluster, every user and group in ACLs and roles counts.
    WhatIf(Box<SettingsWhatIfArgs>),
}

/// System that a policy is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectArg {
    /// The platform.
    Platform,
    /// Apache Kafka.
    Kafka,
}

impl From<DialectArg> for Dialect {
    fn from(argument: DialectArg) -> Self {
        match argument {
            DialectArg::Platform => Self::Platform,
            DialectArg::Kafka => Self::Kafka,
        }
    }
}

/// The problems of policy documents.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ValidatedFiles {
    /// The documents, in the order of the arguments.
    files: Vec<ValidatedFile>,
}

/// The problems of one policy document.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ValidatedFile {
    /// The file.
    file: String,
    /// Whether it has no problem.
    valid: bool,
    /// Its problems.
    problems: Problems,
}

pub(crate) fn run(
    process: &Process,
    command: &PolicyCommand,
    format: Format,
    report: Option<ReportFormat>,
) -> Result<u8, Failure> {
    let writes_reports = matches!(command, PolicyCommand::Lint(_) | PolicyCommand::Diff(_));
    if let Some(report) = report
        && !writes_reports
    {
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
        PolicyCommand::Diff(args) => diff::run(process, args, format, report)?,
        PolicyCommand::WhatIf(args) => what_if::run(process, args, format)?,
    };
    Ok(output::exit_code(succeeded))
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
