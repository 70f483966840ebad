//! `gbac completions`: the completion script of a shell.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::completion;
use crate::output::{self, Failure};

pub(crate) fn run(shell: Shell) -> Result<ExitCode, Failure> {
    output::document(&completion::script(&shell.to_string())?).map(|()| ExitCode::SUCCESS)
}
