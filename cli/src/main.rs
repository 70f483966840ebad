//! `gbac`: parses the arguments, runs one command and reports its result.

mod args;
mod audit;
mod client;
mod commands;
mod confirm;
mod credentials;
mod help;
mod input;
mod instant;
mod lists;
mod output;
mod policy_source;
mod profile;
mod progress;
mod query;
mod secrets;
mod serve_options;
mod suggest;
mod usage;
mod yaml;

use std::process::ExitCode;

/// Uses large pages if the system has them, because a policy of a million ACLs would need 25,000 small ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    let format = cli.format;
    commands::run(cli.command, format).unwrap_or_else(|failure| failure.report(format))
}
