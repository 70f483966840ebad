//! `cargo xtask up`: from a new clone to a page in the browser.

use crate::bind::{Binder, Bundler, Speed};
use crate::console::{self, Build};
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::Progress;
use crate::tools;
use crate::workspace::Workspace;
use std::process::{Command, Stdio};
use std::thread;

/// Installs missing tools, builds changed code, and becomes `gbac serve --demo`.
pub(crate) fn run(workspace: &Workspace, listen: Option<&str>, open: bool) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    console(workspace, &progress)?;
    // After the console, because the service embeds it.
    service(workspace, &progress)?;
    serve(workspace, &progress, listen, open)
}

/// Builds the console unless it is unchanged, and concurrently the program that binds it, so that
/// no core waits for one long crate.
pub(crate) fn console(workspace: &Workspace, progress: &Progress) -> Result<()> {
    if console::is_fresh(workspace, Build::Development) {
        progress.quick("console").done("unchanged");
        return Ok(());
    }
    let (binder, compiled) = thread::scope(|scope| {
        let binder = scope.spawn(|| Binder::build(workspace, progress, Speed::Compile));
        let compiled = console::compile(workspace, progress, Build::Development);
        (join(binder), compiled)
    });
    let tools = Bundler {
        binder: binder?,
        wasm_opt: None,
        wasm_split: None,
    };
    console::bundle(workspace, progress, compiled?, &tools)
}

/// The result of a thread; a panic becomes an error.
pub(crate) fn join<T>(thread: thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread
        .join()
        .unwrap_or_else(|_| Err(Problem::new("a thread of xtask panicked")))
}

/// Builds `gbac` with the console.
pub(crate) fn service(workspace: &Workspace, progress: &Progress) -> Result<()> {
    cargo(&workspace.root)
        .args(["build", "--package", "gbac", "--features", "embed-console"])
        .step(progress, "service", "compiling gbac", "gbac is ready")
}

/// Becomes `gbac serve --demo`, or waits for it if a process cannot become another. Ctrl-C and
/// signals reach it directly.
fn serve(
    workspace: &Workspace,
    progress: &Progress,
    listen: Option<&str>,
    open: bool,
) -> Result<()> {
    let mut call = Call::new(workspace.gbac(), &workspace.root).args(["serve", "--demo"]);
    if let Some(address) = listen {
        call = call.args(["--listen", address]);
    }
    if open {
        call = call.args(["--open"]);
    }
    progress.print(&format!(
        "\n  {}    (Ctrl-C ends it)\n",
        call.command_line()
    ));
    let mut command = call.into_command();
    command.stdin(Stdio::inherit());
    hand_over(&mut command)
}

/// Becomes the command, or waits for it.
#[cfg(unix)]
pub(crate) fn hand_over(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(Problem::new(format!(
        "cannot start gbac: {}",
        command.exec()
    )))
}

/// Becomes the command, or waits for it.
#[cfg(not(unix))]
pub(crate) fn hand_over(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|error| Problem::new(format!("cannot start gbac: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Problem::new(format!("gbac ended with {status}")))
    }
}
