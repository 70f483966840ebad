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
mod profile;
mod progress;
mod query;
mod secrets;
mod usage;
mod yaml;

use std::process::ExitCode;

use args::{Command, TokenCommand};

/// Uses large pages if the system has them, because a policy of a million ACLs would need 25,000 small ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match usage::parse() {
        Ok(cli) => cli,
        Err(exit) => return exit,
    };
    let format = cli.format;
    let result = match cli.command {
        Command::Check(args) => commands::check::run(&args, format),
        Command::WhoCan(args) => commands::who_can::run(&args, format),
        Command::Permissions(args) => commands::permissions::run(&args, format),
        Command::LeastGrant(args) => commands::least_grant::run(&args, format),
        Command::Revoke(args) => commands::revoke::run(&args, format),
        Command::Compare(args) => commands::compare::run(&args, format),
        Command::WhatIf(args) => commands::what_if::run(&args, format),
        Command::Collisions(args) => commands::collisions::run(&args, format),
        Command::Policy { command } => commands::policy::run(&command, format),
        Command::Token { command: TokenCommand::Inspect(args) } => commands::inspect::run(&args, format),
        Command::Doctor(args) => commands::doctor::run(&args, format),
        Command::Test(args) => commands::test::run(&args, format),
        Command::Serve(args) => commands::serve::run(*args),
        Command::Backup(args) => commands::backup::run(&args, format),
        Command::Restore(args) => commands::restore::run(&args, format),
        Command::Export(args) => commands::document::export(&args, format),
        Command::Import(args) => commands::document::import(&args, format),
        Command::Security { connect, command } => commands::security::run(&connect, &command, format),
        Command::Cluster { connect, command } => commands::cluster::run(&connect, &command, format),
        Command::Profile { command } => commands::profile::run(&command, format),
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Admin { connect, command } => commands::cluster::admin(&connect, &command, format),
    };
    result.unwrap_or_else(|failure| failure.report(format))
}
