//! `gbac policy convert`: a policy document as a script, or as resources of another tool.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gbac_formats::export::{Export, Exported};
use gbac_formats::table::OutputFormat;
use gbac_words::commands::policy as words;

use crate::input;
use crate::output::{self, Failure, plain};
use crate::process::Process;

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the result.
    #[arg(long, value_name = "FORMAT", value_parser = output_format(), default_value = "gbac")]
    to: &'static OutputFormat,
    /// Policy document of the cluster today. A script then makes only the changes, and Terraform
    /// imports what is there.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = cluster_name_help())]
    cluster_name: Option<String>,
    /// Write the result to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Returns whether the result expresses the whole policy.
pub(super) fn run(process: &Process, args: &ConvertArgs) -> Result<bool, Failure> {
    let policy = input::policy(process, &args.file)?;
    let current = match &args.from {
        Some(current) => Some(input::policy(process, current)?),
        None => None,
    };
    let Exported { text, notes } = args.to.write(&Export {
        policy: &policy,
        current: current.as_ref(),
        changes: None,
        cluster: args.cluster_name.as_deref(),
    });
    match &args.out {
        Some(path) => {
            output::file(process, path, &text)?;
            let (file, title) = (plain(&path.display().to_string()), args.to.title);
            let next = match args.to.next {
                Some(next) => format!("; {next}"),
                None => String::new(),
            };
            output::note(process, &format!("note: {file}: {title}{next}"));
        }
        None => output::document(process, &text)?,
    }
    // What is missing makes the exit code, so even --quiet shows it.
    let (missing, other): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| note.code == "not_written");
    for note in &missing {
        output::problem(process, &format!("warning: {note}"));
    }
    for note in other {
        output::note(process, &format!("note: {note}"));
    }
    Ok(missing.is_empty())
}

/// The values of `--to`.
fn output_format() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let values = OutputFormat::converted().map(|format| {
        let about = format.about.trim_end_matches('.');
        PossibleValue::new(format.word).help(about)
    });
    PossibleValuesParser::new(values).try_map(|word| OutputFormat::find(&word).ok_or("unknown"))
}

fn cluster_name_help() -> String {
    let mut defaults = Vec::new();
    for format in OutputFormat::all() {
        if let Some(cluster) = format.cluster {
            defaults.push(format!("{cluster} for `--to {}`", format.word));
        }
    }
    words::cluster_name(&defaults.join(", "))
}
