//! How far long work is: a bar with rate and remaining time on a terminal, plain lines elsewhere, nothing for short work.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Less than this is done before anybody looks.
const SHORT: usize = 200;
/// How often a plain line is written.
const EVERY: Duration = Duration::from_secs(5);

/// The progress of one piece of work, on standard error.
pub(crate) struct Progress {
    what: &'static str,
    total: usize,
    done: usize,
    began: Instant,
    said: Instant,
    bar: Option<ProgressBar>,
    silent: bool,
}

impl Progress {
    /// Begins work on so many of something.
    pub(crate) fn of(total: usize, what: &'static str) -> Self {
        let silent = total < SHORT;
        let bar = (!silent && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let template = "{wide_bar} {human_pos} of {human_len} {msg}, {rate} a second, {eta} left";
            // The template is ours; the default one would do as well.
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // The bar is drawn without it then.
                let _ = write!(out, "{:.0}", state.per_sec());
            }));
            bar.set_message(what);
            bar
        });
        let now = Instant::now();
        Self { what, total, done: 0, began: now, said: now, bar, silent }
    }

    /// One more is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        match &self.bar {
            Some(bar) => bar.inc(1),
            None if !self.silent && (self.said.elapsed() >= EVERY || self.done == self.total) => {
                self.said = Instant::now();
                // A reader that went away has no use for the rest.
                let _ = writeln!(io::stderr(), "{}", line(self.done, self.total, self.what, self.began.elapsed()));
            }
            None => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            // What it came to is said by who began it.
            bar.finish_and_clear();
        }
    }
}

/// How far it is, how fast it goes, and how long it takes yet.
fn line(done: usize, total: usize, what: &str, took: Duration) -> String {
    let rate = done as f64 / took.as_secs_f64().max(0.001);
    let left = (total - done.min(total)) as f64 / rate.max(0.001);
    format!("{done} of {total} {what}, {rate:.0} a second, {left:.0} s left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        assert_eq!(line(250, 1000, "ACLs", Duration::from_secs(5)), "250 of 1000 ACLs, 50 a second, 15 s left");
        assert_eq!(line(0, 10, "ACLs", Duration::ZERO), "0 of 10 ACLs, 0 a second, 10000 s left");
    }
}
