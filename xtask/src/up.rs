//! `cargo xtask up`: from a new clone to a page in the browser.

use crate::bind::{Binder, Bundler, Speed};
use crate::console::{self, Build};
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::Progress;
use crate::tools;
use crate::workspace::Workspace;
use std::env;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The hidden command that opens the page, in a second process of this program.
pub(crate) const OPENER: &str = "open-when-ready";

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
    progress.print(&format!(
        "\n  {}    (Ctrl-C ends it)\n",
        call.command_line()
    ));
    let mut command = call.into_command();
    command.stdin(Stdio::inherit());
    if open && has_desktop() {
        command.stdout(opener()?);
    }
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

/// Whether this machine has a screen.
fn has_desktop() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let screen =
        cfg!(windows) || cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY");
    screen && !set("CI") && io::stdout().is_terminal()
}

/// Starts a second process of this program, which forwards the service's output and opens the URL
/// in the first line that contains it. It is the reader instead of the parent, so that the service
/// gets the terminal's signals itself.
fn opener() -> Result<Stdio> {
    let failed = |error: io::Error| Problem::new(format!("cannot open a browser: {error}"));
    let mut command = Command::new(env::current_exe().map_err(failed)?);
    command.arg(OPENER).stdin(Stdio::piped());
    #[cfg(unix)]
    {
        // Ctrl-C is for the service, whose last output still needs a reader.
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    let child = command.spawn().map_err(failed)?;
    child
        .stdin
        .map(Stdio::from)
        .ok_or_else(|| Problem::new("cannot open a browser: no pipe"))
}

/// Runs the second process: copies standard input to standard output, line by line.
pub(crate) fn open_when_ready() -> Result<()> {
    let mut opened = false;
    for line in io::stdin().lock().lines() {
        let line = line
            .map_err(|error| Problem::new(format!("cannot read the service's output: {error}")))?;
        writeln!(io::stdout(), "{line}").ok();
        if let (false, Some(address)) = (opened, address_in(&line)) {
            opened = true;
            let (program, args): (&str, &[&str]) = if cfg!(windows) {
                ("rundll32", &["url.dll,FileProtocolHandler"])
            } else if cfg!(target_os = "macos") {
                ("open", &[])
            } else {
                ("xdg-open", &[])
            };
            // A missing browser is not an error, because the URL was printed.
            let quiet = Command::new(program)
                .args(args)
                .arg(address)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            quiet.ok();
        }
    }
    Ok(())
}

/// The URL in the service's ready line.
fn address_in(line: &str) -> Option<&str> {
    let address = line.strip_prefix("listening on ")?.trim();
    address.starts_with("http").then_some(address)
}

#[cfg(test)]
mod tests {
    use super::address_in;

    #[test]
    fn reads_the_address_from_the_ready_line_only() {
        assert_eq!(
            address_in("listening on http://127.0.0.1:8420"),
            Some("http://127.0.0.1:8420")
        );
        assert_eq!(
            address_in("listening on http://[::1]:8420\r"),
            Some("http://[::1]:8420")
        );
        assert_eq!(address_in("listening on nothing"), None);
        assert_eq!(address_in("GET http://127.0.0.1:8420"), None);
    }
}
