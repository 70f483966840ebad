//! `cargo xtask`: from a clone to a running page, to tested code, to published files.
//!
//! The only place that knows how tools are installed. Plain std, because a newcomer waits for this to compile first.

mod apt;
mod args;
mod bench;
mod browser;
mod build_js;
mod console;
mod fingerprint;
mod glewlwyd;
mod pages;
mod problem;
mod process;
mod progress;
mod remap;
mod sizes;
mod split;
mod tally;
mod test;
mod tools;
mod up;
mod version;
mod workspace;

use args::Command;
use std::process::ExitCode;
use workspace::Workspace;

fn main() -> ExitCode {
    match args::parse(std::env::args().skip(1)).and_then(run) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("\n{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> problem::Result<ExitCode> {
    let workspace = Workspace::locate()?;
    match command {
        Command::Help => progress::say(args::HELP),
        Command::Up { listen, open } => up::run(&workspace, listen.as_deref(), open)?,
        Command::OpenWhenReady => up::open_when_ready()?,
        Command::Test { only, long } => return test::run(&workspace, &only, long),
        Command::ListTests => test::list(),
        Command::BuildConsole => sizes::build_console(&workspace)?,
        Command::BuildJs => build_js::run(&workspace)?,
        Command::Bench(options) => bench::run(&workspace, &options)?,
        Command::Sizes { write } => sizes::run(&workspace, write)?,
        Command::Pages { write } => pages::run(&workspace, write)?,
    }
    Ok(ExitCode::SUCCESS)
}
