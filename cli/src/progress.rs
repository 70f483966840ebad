//! Progress of long operations, on standard error: a bar, or a line that moves while one request
//! runs. Nothing is shown in the first second, without a terminal, and with `--quiet`.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gbac_words::phrases::{count, duration};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::process::{Notes, Process};

/// Operations that take less time show no progress.
const DELAY: Duration = Duration::from_secs(1);
/// Interval between two pictures of a waiting line.
const TICK: Duration = Duration::from_millis(120);
/// Steps between two looks at the clock.
const STEPS: u64 = 16;

/// Whether progress is shown.
fn is_shown(process: &Process) -> bool {
    process.notes != Notes::Quiet && process.terminal.error
}

/// The progress of an operation of several steps.
pub(crate) struct Progress {
    total: Option<usize>,
    noun: &'static str,
    done: u64,
    started: Instant,
    is_shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts an operation with `total` steps.
    pub(crate) fn new(process: &Process, total: usize, noun: &'static str) -> Self {
        Self::start(process, Some(total), noun)
    }

    /// Starts an operation with an unknown number of steps that writes a result after each of them.
    /// Nothing is shown if the results go to a terminal.
    pub(crate) fn of_results(process: &Process, noun: &'static str) -> Self {
        let mut progress = Self::start(process, None, noun);
        progress.is_shown &= !process.terminal.output;
        progress
    }

    fn start(process: &Process, total: Option<usize>, noun: &'static str) -> Self {
        Self {
            total,
            noun,
            done: 0,
            started: Instant::now(),
            is_shown: is_shown(process),
            bar: None,
        }
    }

    /// Completes one step.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        if !self.is_shown {
            return;
        }
        match &self.bar {
            Some(bar) => bar.inc(1),
            // A look at the clock takes longer than a step of a requests file.
            None if self.total.is_none() && !self.done.is_multiple_of(STEPS) => {}
            None if self.started.elapsed() >= DELAY => self.bar = Some(self.bar()),
            None => {}
        }
    }

    fn bar(&self) -> ProgressBar {
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(self.total.map(|total| total as u64), target);
        let template = match self.total {
            Some(_) => "{wide_bar} {human_pos} of {msg}, {rate} per second, {left} left",
            None => "{spinner} {human_pos} {msg}, {rate} per second",
        };
        let message = self.total.map_or_else(
            || format!("{}s", self.noun),
            |total| count(total, self.noun),
        );
        bar.with_style(style(template))
            .with_message(message)
            .with_elapsed(self.started.elapsed())
            .with_position(self.done)
    }
}

fn style(template: &str) -> ProgressStyle {
    // The templates are valid; the default is only a fallback. A write error leaves a part of the
    // line empty.
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = write!(out, "{:.0}", state.per_sec());
    });
    style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
        let _ = out.write_str(&duration(state.eta().as_secs_f64()));
    })
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            // The command reports the result.
            bar.finish_and_clear();
        }
    }
}

/// A line that moves until this value is dropped.
pub(crate) struct Waiting {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Waits for one operation, such as `Replacing the policy`.
    pub(crate) fn for_operation(process: &Process, what: String) -> Self {
        let thread = is_shown(process).then(|| {
            let (end, ended) = mpsc::channel();
            let show = move || {
                if ended.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
                let bar = bar
                    .with_style(style("{spinner} {msg} ({elapsed})"))
                    .with_message(what)
                    .with_elapsed(DELAY);
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    bar.tick();
                }
                bar.finish_and_clear();
            };
            (end, thread::spawn(show))
        });
        Self { thread }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.thread.take() {
            drop(end);
            // The thread does not panic, and shows nothing of importance.
            let _ = thread.join();
        }
    }
}
