//! Arguments that cannot be read: help where it was asked for, else one line that names the flag.

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::args::{Cli, Format};
use crate::output::{self, Failure};
use crate::secrets::{refuse_tokens, scrubbed};

/// Reads the arguments. A token in the place of a name is refused before anything repeats it.
pub(crate) fn parse() -> Result<Cli, ExitCode> {
    refuse_tokens(&arguments()).map_err(|failure| failure.report(requested_format()))?;
    Cli::try_parse().map_err(|error| refuse(&error))
}

fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Answers to `--help` and the like as they are, and wrong usage in one line.
fn refuse(error: &clap::Error) -> ExitCode {
    let helps = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if helps || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nothing can be done about a terminal that is gone.
        let _ = error.print();
        return if helps { ExitCode::SUCCESS } else { ExitCode::from(output::WRONG_USAGE) };
    }
    let text = scrubbed(&error.render().to_string());
    let said = text.split("\n\nUsage:").next().unwrap_or_default().trim_start_matches("error: ");
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let lines = lines.join("; ").replace(":; ", ": ");
    let lines = lines.trim_end_matches("; For more information, try '--help'.");
    Failure::usage(format!("{lines}; see --help")).report(requested_format())
}

/// The form that the arguments ask for, as far as they can be read at all.
fn requested_format() -> Format {
    let words = arguments();
    let after =
        words.iter().zip(words.iter().skip(1)).find(|(flag, _)| *flag == "--format").map(|(_, word)| word.as_str());
    match after.or_else(|| words.iter().find_map(|word| word.strip_prefix("--format="))) {
        Some("json") => Format::Json,
        Some("yaml") => Format::Yaml,
        _ => Format::Text,
    }
}
