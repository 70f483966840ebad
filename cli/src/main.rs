//! `gbac`: parses the arguments, runs one command and reports its result.

mod args;
mod audit;
mod client;
mod commands;
mod completion;
mod confirm;
mod credentials;
mod display;
mod help;
mod input;
mod instant;
mod json_lines;
mod lists;
mod output;
mod policy_source;
mod profile;
mod progress;
mod query;
mod report;
mod results;
mod secrets;
mod serve_options;
mod suggest;
mod table;
mod usage;
mod yaml;

use std::process::ExitCode;

use args::output::FormatArg;

/// Uses large pages if the system has them, because a policy of a million ACLs would need 25,000 small ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if completion::complete() {
        return ExitCode::SUCCESS;
    }
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    display::configure(cli.output.format == FormatArg::Wide, cli.output.notes());
    let format = cli.output.format;
    commands::run(cli.command, format).unwrap_or_else(|failure| failure.report(format.into()))
}
