//! Progress on standard error: a line for each finished step, and on a terminal a live line.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The width of the live line.
const WIDTH: usize = 79;

/// The lines of one run, shared by concurrent threads.
pub(crate) struct Progress {
    live: bool,
    running: Mutex<Vec<Running>>,
}

/// A running step.
struct Running {
    name: String,
    latest: String,
}

/// A step. It ends when it is dropped: successfully with [`Step::done`], and without it failed.
#[must_use]
pub(crate) struct Step<'a> {
    progress: &'a Progress,
    name: String,
    started: Instant,
    result: String,
}

impl Progress {
    /// Creates the progress of this run; live lines appear only if standard error is a terminal.
    pub(crate) fn new() -> Self {
        Self {
            live: io::stderr().is_terminal(),
            running: Mutex::new(Vec::new()),
        }
    }

    /// Starts a step that is usually short.
    pub(crate) fn quick(&self, name: &str) -> Step<'_> {
        self.running().push(Running {
            name: name.to_owned(),
            latest: String::new(),
        });
        Step {
            progress: self,
            name: name.to_owned(),
            started: Instant::now(),
            result: "FAILED".to_owned(),
        }
    }

    /// Starts a step that takes a while, and prints what it does.
    pub(crate) fn slow(&self, name: &str, what: &str) -> Step<'_> {
        let step = self.quick(name);
        if self.live {
            step.latest(what);
        } else {
            self.print(&format!("  {name:<15} {what} ..."));
        }
        step
    }

    /// Prints a separate line.
    pub(crate) fn print(&self, line: &str) {
        let running = self.running();
        self.clear();
        eprintln!("{line}");
        self.draw(&running);
    }

    fn running(&self) -> MutexGuard<'_, Vec<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Clears the live line.
    fn clear(&self) {
        if self.live {
            eprint!("\r{:WIDTH$}\r", "");
        }
    }

    /// Draws the live line: the names of the running steps, and the newest output of the last one.
    fn draw(&self, running: &[Running]) {
        if !self.live || running.is_empty() {
            return;
        }
        let names: Vec<&str> = running.iter().map(|step| step.name.as_str()).collect();
        let latest = running
            .iter()
            .rev()
            .map(|step| step.latest.trim())
            .find(|text| !text.is_empty());
        let line = format!("  ... {}: {}", names.join(", "), latest.unwrap_or(""));
        let line: String = line
            .chars()
            .filter(|c| !c.is_control())
            .take(WIDTH - 1)
            .collect();
        eprint!("{line}");
        io::stderr().flush().ok();
    }
}

/// Prints a result to standard output. A closed pipe, as after `| head`, is not an error.
pub(crate) fn say(text: &str) {
    writeln!(io::stdout(), "{text}").ok();
}

impl Step<'_> {
    /// Shows the newest output line of the step's program, only on a terminal.
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

    /// Ends the step successfully.
    pub(crate) fn done(mut self, what: &str) {
        what.clone_into(&mut self.result);
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        self.progress
            .running()
            .retain(|step| step.name != self.name);
        let seconds = self.started.elapsed().as_secs_f64();
        self.progress.print(&format!(
            "  {:<15} {:<54} {seconds:>6.1} s",
            self.name, self.result
        ));
    }
}
