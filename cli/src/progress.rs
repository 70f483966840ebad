//! Progress of long operations: a bar with rate and remaining time on a terminal, lines of text elsewhere, nothing for short
//! ones.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use gbac_console_model::phrases::{count, duration, thousands};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Operations with fewer steps show no progress.
const MIN_STEPS: usize = 200;
/// Interval between lines of text.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// The progress of one operation, on standard error.
pub(crate) struct Progress {
    noun: &'static str,
    total: usize,
    done: usize,
    started: Instant,
    last_line: Instant,
    bar: Option<ProgressBar>,
    silent: bool,
}

impl Progress {
    /// Starts an operation with `total` steps.
    pub(crate) fn new(total: usize, noun: &'static str) -> Self {
        let silent = total < MIN_STEPS;
        let bar = (!silent && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{wide_bar} {human_pos} of {msg}, {rate} per second, {left} left";
            // The template is valid; the default is only a fallback.
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            // A write error leaves a part of the bar empty.
            let style = style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = write!(out, "{:.0}", state.per_sec());
            });
            bar.set_style(style.with_key("left", |state: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = out.write_str(&duration(state.eta().as_secs_f64()));
            }));
            bar.set_message(count(total, noun));
            bar
        });
        let now = Instant::now();
        Self { noun, total, done: 0, started: now, last_line: now, bar, silent }
    }

    /// Completes one step.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if !self.silent && (self.last_line.elapsed() >= LINE_INTERVAL || self.done == self.total) => {
                self.last_line = Instant::now();
                // A closed standard error is ignored.
                let _ = writeln!(io::stderr(), "{}", line(self.done, self.total, self.noun, self.started.elapsed()));
            }
            None => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            // The command reports the result.
            bar.finish_and_clear();
        }
    }
}

/// Steps done, rate and remaining time as a line of text.
fn line(done: usize, total: usize, noun: &str, elapsed: Duration) -> String {
    let rate = done as f64 / elapsed.as_secs_f64().max(0.001);
    let left = (total - done.min(total)) as f64 / rate.max(0.001);
    format!("{} of {}, {rate:.0} per second, {} left", thousands(done), count(total, noun), duration(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        assert_eq!(line(250, 1000, "ACL", Duration::from_secs(5)), "250 of 1,000 ACLs, 50 per second, 15 s left");
        assert_eq!(line(0, 10, "ACL", Duration::ZERO), "0 of 10 ACLs, 0 per second, 2 h left");
    }
}
