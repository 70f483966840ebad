//! `cargo xtask dev`: the demonstration, with a console that is rebuilt when its files change.
//!
//! The service keeps running with its state. A server of this program (`dev_server`) in front of it
//! serves the console's files; they are rebuilt when a file changes, and then the page reloads.

use crate::bind::{Binder, Speed};
use crate::console::{self, Build};
use crate::dev_server::{self, Builds, Site};
use crate::page::{self, Names};
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::{Progress, say};
use crate::tools;
use crate::up;
use crate::workspace::Workspace;
use std::collections::BTreeSet;
use std::env;
use std::env::consts::EXE_SUFFIX;
use std::io::{self, BufRead, BufReader};
use std::net::{TcpListener, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The hidden command that serves the page, in a second process of this program.
pub(crate) const SERVER: &str = "dev-server";
/// The address of the page.
const LISTEN: &str = "127.0.0.1:8420";
/// The name of the watcher's package and program.
const WATCH: &str = "xtask-watch";
/// The crates of the console.
const WATCHED: [&str; 4] = ["console", "engine", "api", "formats"];
/// Editors write several files, or one several times. All are complete after a pause of this
/// length.
const QUIET: Duration = Duration::from_millis(80);

/// The work that a changed file requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// Build the page and its styles.
    Page,
    /// Compile, too.
    Program,
}

/// Builds everything once, and becomes `gbac serve --demo` with [`serve`] as the reader of its
/// output.
pub(crate) fn run(workspace: &Workspace, listen: Option<&str>) -> Result<()> {
    let listen = listen.unwrap_or(LISTEN);
    check_loopback(listen)?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    cargo(&workspace.root)
        .args(["build", "--package", WATCH])
        .step(&progress, WATCH, "compiling", "compiled")?;
    let binder = Binder::build(workspace, &progress, Speed::Bind)?;
    make(workspace, &progress, &binder, Work::Program)?;
    up::service(workspace, &progress)?;
    let mut command = Call::new(workspace.gbac(), &workspace.root)
        .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--console"])
        .args([folder(workspace)])
        .into_command();
    command.stdin(Stdio::inherit());
    command.stdout(server(listen)?);
    up::hand_over(&mut command)
}

/// Refuses addresses other than loopback, because the demonstration is only for this machine.
fn check_loopback(listen: &str) -> Result<()> {
    let addresses = listen
        .to_socket_addrs()
        .map_err(|error| Problem::new(format!("cannot listen on `{listen}`: {error}")))?;
    if addresses
        .into_iter()
        .all(|address| address.ip().is_loopback())
    {
        return Ok(());
    }
    Err(
        Problem::new(format!("`{listen}` can be reached from other machines"))
            .hint("use an address such as 127.0.0.1:0"),
    )
}

/// Starts the second process, and returns its input. When the service ends, its output ends, and
/// with it that process.
fn server(listen: &str) -> Result<Stdio> {
    let failed = |error: io::Error| Problem::new(format!("cannot serve the page: {error}"));
    let child = Command::new(env::current_exe().map_err(failed)?)
        .args([SERVER, "--listen", listen])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    child
        .stdin
        .map(Stdio::from)
        .ok_or_else(|| Problem::new("cannot serve the page: no pipe"))
}

/// Runs the second process: forwards the service's output, serves the page, and rebuilds it after
/// edits.
pub(crate) fn serve(workspace: &Workspace, listen: &str) -> Result<()> {
    let mut lines = io::stdin().lock().lines().map_while(io::Result::ok);
    let Some(service) = lines
        .by_ref()
        .find_map(|line| Some(line.strip_prefix("listening on http://")?.trim().to_owned()))
    else {
        return Err(Problem::new("the service ended before it listened"));
    };
    let failed = |error: io::Error| Problem::new(format!("cannot listen on `{listen}`: {error}"));
    let listener = TcpListener::bind(listen).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let site = Arc::new(Site {
        folder: folder(workspace),
        service,
        builds: Builds::new(),
    });
    let shared = Arc::clone(&site);
    thread::spawn(move || dev_server::accept(&listener, &shared));
    let (watcher, changes) = watch(workspace)?;
    let workspace = workspace.clone();
    // The first process has compiled it.
    let binder = Binder::compiled(&workspace);
    thread::spawn(move || follow(&workspace, &binder, &changes, &site.builds));
    say(&format!("listening on http://{address}"));
    // Runs until the service ends.
    lines.for_each(|line| say(&line));
    drop(watcher);
    Ok(())
}

/// Starts the watcher, which ends when its input is dropped. The channel receives the paths of
/// changed files.
fn watch(workspace: &Workspace) -> Result<(Child, Receiver<PathBuf>)> {
    let program = workspace
        .target
        .join("debug")
        .join(format!("{WATCH}{EXE_SUFFIX}"));
    let failed =
        |error: io::Error| Problem::new(format!("cannot run `{}`: {error}", program.display()));
    let root = workspace.root.canonicalize().map_err(failed)?;
    let mut child = Command::new(&program)
        .args(WATCHED.map(|folder| root.join(folder)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let output = child
        .stdout
        .take()
        .ok_or_else(|| Problem::new("cannot read the watcher's output"))?;
    let mut lines = BufReader::new(output).lines().map_while(io::Result::ok);
    if lines.next().is_none() {
        return Err(Problem::new("the watcher ended; its output is above"));
    }
    let (sender, changes) = mpsc::channel();
    thread::spawn(move || lines.try_for_each(|line| sender.send(PathBuf::from(line))));
    Ok((child, changes))
}

/// Rebuilds the console when files change.
fn follow(workspace: &Workspace, binder: &Binder, changes: &Receiver<PathBuf>, builds: &Builds) {
    let progress = Progress::new();
    let root = workspace
        .root
        .canonicalize()
        .unwrap_or_else(|_| workspace.root.clone());
    while let Some(paths) = batch(changes) {
        let changed: BTreeSet<(Work, &Path)> = paths
            .iter()
            .filter_map(|path| path.strip_prefix(&root).ok())
            .filter_map(|path| Some((work(path)?, path)))
            .collect();
        let Some((work, path)) = changed.last() else {
            continue;
        };
        progress.print(&format!("\n{} changed", path.display()));
        match make(workspace, &progress, binder, *work) {
            Ok(()) => builds.add(),
            Err(problem) => progress.print(&format!("{problem}")),
        }
        if changed.iter().any(|(_, path)| !path.starts_with("console")) {
            progress.print(
                "  the service runs on with what it was compiled from; start `cargo xtask dev` again for a new one",
            );
        }
    }
}

/// The next changed paths, until a pause; `None` when the watcher has ended.
fn batch(changes: &Receiver<PathBuf>) -> Option<BTreeSet<PathBuf>> {
    let mut paths = BTreeSet::from([changes.recv().ok()?]);
    while let Ok(path) = changes.recv_timeout(QUIET) {
        paths.insert(path);
    }
    Some(paths)
}

/// The work that a file requires, by its path from the top folder; `None` if it is not part of the
/// console.
fn work(path: &Path) -> Option<Work> {
    let name = path.file_name()?.to_string_lossy();
    if name.starts_with('.') || name.starts_with('#') || name.ends_with('~') {
        return None;
    }
    if path.starts_with("console/style") || path == Path::new("console/index.html") {
        return Some(Work::Page);
    }
    let is_of = |folder: &str| {
        path.starts_with(format!("{folder}/src")) || path == Path::new(folder).join("Cargo.toml")
    };
    WATCHED.into_iter().any(is_of).then_some(Work::Program)
}

/// Compiles and binds the console if necessary, and writes the page into its folder.
fn make(workspace: &Workspace, progress: &Progress, binder: &Binder, work: Work) -> Result<()> {
    if work == Work::Program {
        console::compile(workspace, progress, Build::Live)?;
    }
    let step = progress.quick("page");
    let mut program = match work {
        Work::Program => console::bind(workspace, binder, Build::Live, &step)?,
        Work::Page => console::bound(workspace, Build::Live)?,
    };
    program.head = format!("<script src=\"/{}\"></script>\n", dev_server::RELOAD);
    let files = page::build(&workspace.root.join("console"), Names::Plain, program)?;
    page::write(&folder(workspace), &files)
        .map_err(|error| Problem::new(format!("cannot write the page: {error}")))?;
    step.done("ready");
    Ok(())
}

/// The folder of the page and its files.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.notes().join("dev")
}

#[cfg(test)]
mod tests {
    use super::{Work, batch, check_loopback, work};
    use std::path::{Path, PathBuf};
    use std::sync::mpsc;

    #[test]
    fn a_changed_file_asks_for_no_more_than_it_has_to() {
        let check = |path: &str, expected| assert_eq!(work(Path::new(path)), expected, "{path}");
        check("console/style/look.css", Some(Work::Page));
        check("console/index.html", Some(Work::Page));
        check("console/src/pages/roles/mod.rs", Some(Work::Program));
        check("console/Cargo.toml", Some(Work::Program));
        check("engine/src/decide.rs", Some(Work::Program));
        check("api/src/lib.rs", Some(Work::Program));
        check("formats/src/lib.rs", Some(Work::Program));
        for path in [
            "console/src/.mod.rs.swp",
            "console/src/mod.rs~",
            "console/src/.#mod.rs",
            "engine/wasm/src/lib.rs",
        ] {
            check(path, None);
        }
        check("console/tests/colours.rs", None);
    }

    #[test]
    fn changes_without_a_pause_are_one_batch() {
        let (sender, changes) = mpsc::channel();
        for path in ["b.rs", "a.rs", "b.rs"] {
            sender.send(PathBuf::from(path)).unwrap();
        }
        drop(sender);
        let paths: Vec<PathBuf> = batch(&changes).unwrap().into_iter().collect();
        assert_eq!(paths, ["a.rs", "b.rs"].map(PathBuf::from));
        assert!(batch(&changes).is_none());
    }

    #[test]
    fn only_this_machine_is_served() {
        assert!(check_loopback("127.0.0.1:0").is_ok());
        assert!(check_loopback("[::1]:0").is_ok());
        assert!(
            check_loopback("0.0.0.0:0")
                .unwrap_err()
                .message()
                .contains("from other machines")
        );
        assert!(check_loopback("nowhere").is_err());
    }
}
