//! `gbac completions`: the completions of a shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::output::{self, Failure};

pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    // A buffer, because the generator panics if writing fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "gbac", &mut script);
    output::document(&String::from_utf8_lossy(&script)).map(|()| ExitCode::SUCCESS)
}
