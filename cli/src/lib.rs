//! The command line `gbac` as a function, so that a test runs a command without a process.

mod args;
mod browser;
mod client;
mod commands;
mod confirm;
mod help;
mod input;
mod json_position;
mod output;
mod process;
mod progress;
mod render;
#[cfg(all(test, feature = "schema"))]
mod schema;
mod secrets;
mod serve_options;
mod suggest;
mod usage;
mod yaml;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;

use args::format::FormatArg;
use process::Process;
pub use process::Terminal;

/// Parses the arguments, which do not include the name of the program, runs one command and returns
/// its exit code.
///
/// Relative paths start from the folder; an empty one is that of the process. `serve` takes the
/// process for itself: its signals, its log and its streams.
pub fn run(
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    folder: PathBuf,
    terminal: Terminal,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    error: impl Write + Send + 'static,
) -> u8 {
    let (input, output, error) = (Box::new(input), Box::new(output), Box::new(error));
    let mut process = Process::new(
        arguments,
        environment,
        folder,
        terminal,
        input,
        output,
        error,
    );
    if commands::completions::complete(&process) {
        return output::SUCCESS;
    }
    let cli = match usage::parse(&process) {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    process.notes = cli.output.notes();
    if cli.output.format == FormatArg::Wide {
        process.width = None;
    }
    let format = cli.output.format;
    commands::run(&process, cli.command, format)
        .unwrap_or_else(|failure| failure.report(&process, format.into()))
}
