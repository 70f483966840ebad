//! `gbac completions`: the completions of a shell.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::help;
use crate::output::{self, Failure};

pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    // A buffer, because the generator panics if writing fails.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::command(), "gbac", &mut script);
    output::document(&String::from_utf8_lossy(&script)).map(|()| ExitCode::SUCCESS)
}
