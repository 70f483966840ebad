//! Progress on standard error: a line for each finished step, and on a terminal a live line.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How wide the live line may be.
const WIDTH: usize = 79;

/// The lines of one run; shared by the threads that work at the same time.
pub(crate) struct Progress {
    live: bool,
    running: Mutex<Vec<Running>>,
}

/// A step under way.
struct Running {
    name: String,
    latest: String,
}

/// A step; it ends with [`Step::done`] or [`Step::failed`].
pub(crate) struct Step<'a> {
    progress: &'a Progress,
    name: String,
    started: Instant,
}

impl Progress {
    /// Lines for this run; live ones only where standard error is a terminal.
    pub(crate) fn new() -> Self {
        Self { live: io::stderr().is_terminal(), running: Mutex::new(Vec::new()) }
    }

    /// Starts a step that is usually over at once.
    pub(crate) fn quick(&self, name: &str) -> Step<'_> {
        self.running().push(Running { name: name.to_owned(), latest: String::new() });
        Step { progress: self, name: name.to_owned(), started: Instant::now() }
    }

    /// Starts a step that takes a while, and says what it is about to do.
    pub(crate) fn slow(&self, name: &str, what: &str) -> Step<'_> {
        let step = self.quick(name);
        if self.live {
            step.latest(what);
        } else {
            self.print(&format!("  {name:<15} {what} ..."));
        }
        step
    }

    /// Prints a line of its own.
    pub(crate) fn print(&self, line: &str) {
        let running = self.running();
        self.clear();
        eprintln!("{line}");
        self.draw(&running);
    }

    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wipes the live line.
    fn clear(&self) {
        if self.live {
            eprint!("\r{:WIDTH$}\r", "");
        }
    }

    /// Draws the live line: the names of what runs, and the newest thing that the last of them said.
    fn draw(&self, running: &[Running]) {
        if !self.live || running.is_empty() {
            return;
        }
        let names: Vec<&str> = running.iter().map(|step| step.name.as_str()).collect();
        let latest = running.iter().rev().map(|step| step.latest.trim()).find(|text| !text.is_empty());
        let line = format!("  ... {}: {}", names.join(", "), latest.unwrap_or(""));
        let line: String = line.chars().filter(|c| !c.is_control()).take(WIDTH - 1).collect();
        eprint!("{line}");
        io::stderr().flush().ok();
    }
}

/// Prints a result on standard output. Nobody reading it, as after `| head`, is no fault.
pub(crate) fn say(text: &str) {
    writeln!(io::stdout(), "{text}").ok();
}

impl Step<'_> {
    /// Shows the newest line of the program that this step runs, on a terminal only.
    pub(crate) fn latest(&self, line: &str) {
        if !self.progress.live {
            return;
        }
        let mut running = self.progress.running();
        if let Some(step) = running.iter_mut().find(|step| step.name == self.name) {
            line.clone_into(&mut step.latest);
        }
        self.progress.clear();
        self.progress.draw(&running);
    }

    /// Ends the step well.
    pub(crate) fn done(self, what: &str) {
        self.end(what);
    }

    /// Ends the step with a problem; the problem itself is printed by whoever stops.
    pub(crate) fn failed(self) {
        self.end("FAILED");
    }

    fn end(self, what: &str) {
        self.progress.running().retain(|step| step.name != self.name);
        let seconds = self.started.elapsed().as_secs_f64();
        self.progress.print(&format!("  {:<15} {what:<54} {seconds:>6.1} s", self.name));
    }
}
