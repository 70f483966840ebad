//! `gbac completions`: the completion script of a shell.

use clap_complete::Shell;

use crate::completion;
use crate::output::{self, Failure};
use crate::process::Process;

pub(crate) fn run(process: &Process, shell: Shell) -> Result<u8, Failure> {
    output::document(process, &completion::script(&shell.to_string())?).map(|()| output::SUCCESS)
}
