//! `gbac` as a process: hands its arguments, variables, terminal and streams to the library.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use anstream::AutoStream;
use console::Term;
use gbac::Terminal;

/// Uses large pages if the system has them, because a policy of a million ACLs would need 25,000
/// small ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let terminal = Terminal {
        input: io::stdin().is_terminal(),
        output: io::stdout().is_terminal(),
        error: io::stderr().is_terminal(),
        width: Term::stdout()
            .size_checked()
            .map(|(_, columns)| columns.into()),
        interrupts: true,
    };
    // The operating system knows where relative paths start, even in a folder whose path cannot be
    // read.
    let folder = PathBuf::new();
    let (arguments, environment) = (env::args_os().skip(1).collect(), env::vars_os().collect());
    // Prepares a console of Windows for colors.
    let (output, error) = (
        AutoStream::always(io::stdout()),
        AutoStream::always(io::stderr()),
    );
    ExitCode::from(gbac::run(
        arguments,
        environment,
        folder,
        terminal,
        io::stdin(),
        output,
        error,
    ))
}
