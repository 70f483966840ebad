//! `xtask-watch FOLDER...`: prints the path of every changed file in the folders, one per line,
//! until its input ends.
//!
//! A separate program, so that `cargo xtask` compiles in seconds and this one only for `cargo xtask
//! dev`.

use notify::{Event, RecursiveMode, Watcher};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

fn main() -> ExitCode {
    match watch() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn watch() -> notify::Result<()> {
    let (sender, events) = mpsc::channel::<notify::Result<Event>>();
    let mut watcher = notify::recommended_watcher(sender)?;
    for folder in std::env::args_os().skip(1) {
        watcher.watch(Path::new(&folder), RecursiveMode::Recursive)?;
    }
    // The input ends with the parent process. Then this drops the watcher, which ends the loop
    // below.
    thread::spawn(move || {
        io::stdin().read_to_end(&mut Vec::new()).ok();
        drop(watcher);
    });
    // An empty line means that later changes are reported.
    let mut output = io::stdout();
    writeln!(output)?;
    for event in events {
        let event = event?;
        if event.kind.is_access() {
            continue;
        }
        for path in event.paths {
            writeln!(output, "{}", path.display())?;
        }
    }
    Ok(())
}
