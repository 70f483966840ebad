//! Log lines: one a line, on standard error, with a level for each logger that can be changed while the service runs.
//!
//! What a line says may come from outside, so that control and direction characters are written escaped.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use gbac_engine::escape::escaped;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::clock;

/// The loggers; each is the target of its events. What has another target belongs to the first.
static LOGGERS: [(&str, AtomicU8); 7] = [
    ("main", AtomicU8::new(INFO)),
    ("audit", AtomicU8::new(INFO)),
    ("oidc", AtomicU8::new(INFO)),
    ("request", AtomicU8::new(INFO)),
    ("security", AtomicU8::new(INFO)),
    ("store", AtomicU8::new(INFO)),
    ("upstream", AtomicU8::new(INFO)),
];

const INFO: u8 = 2;
/// By number, the quietest first.
const LEVEL: [Level; 5] = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];

fn logger(name: &str) -> Option<&'static AtomicU8> {
    LOGGERS.iter().find(|(known, _)| *known == name).map(|(_, level)| level)
}

/// The names of the loggers, in order.
pub(crate) fn names() -> impl ExactSizeIterator<Item = &'static str> {
    let mut names: Vec<&str> = LOGGERS.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.into_iter()
}

/// What a logger writes now: this level and what is graver; `None` when there is no such logger.
pub(crate) fn level(name: &str) -> Option<Level> {
    LEVEL.get(usize::from(logger(name)?.load(Relaxed))).copied()
}

/// Changes what a logger writes; says whether there is one.
pub(crate) fn set_level(name: &str, level: Level) -> bool {
    let place = LEVEL.iter().position(|known| *known == level).and_then(|place| u8::try_from(place).ok());
    let (Some(logger), Some(place)) = (logger(name), place) else { return false };
    logger.store(place, Relaxed);
    true
}

fn is_written(event: &Metadata<'_>) -> bool {
    let level = level(event.target()).or_else(|| level("main")).unwrap_or(Level::INFO);
    // What other crates have to say matters only when something is wrong.
    let ours = event.target().starts_with("gbac") || logger(event.target()).is_some();
    *event.level() <= if ours { level } else { level.min(Level::WARN) }
}

/// Writes the lines of this process from now on; once.
pub(crate) fn install() {
    let lines = tracing_subscriber::registry().with(Lines);
    // Whoever embeds the service may have a log of their own already.
    let _ = tracing::subscriber::set_global_default(lines);
}

struct Lines;

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Lines {
    fn register_callsite(&self, event: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // Levels change while the service runs, so each event is asked about when it comes.
        if event.is_event() {
            tracing::subscriber::Interest::sometimes()
        } else {
            tracing::subscriber::Interest::never()
        }
    }

    fn enabled(&self, event: &Metadata<'_>, _: Context<'_, S>) -> bool {
        is_written(event)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let meta = event.metadata();
        let logger = logger(meta.target()).map_or("main", |_| meta.target());
        let mut line = Line { text: format!("{} {} {logger}", clock::rfc3339(clock::system()), meta.level()) };
        event.record(&mut line);
        line.text.push('\n');
        // Nobody may be reading.
        let _ = io::stderr().lock().write_all(line.text.as_bytes());
    }
}

/// One line: the message, then `name=value`.
struct Line {
    text: String,
}

impl Line {
    fn add(&mut self, field: &Field, value: &str) {
        let escaped = escaped(value);
        // Writing to a text does not fail.
        let _ = match field.name() {
            "message" => write!(self.text, " {}", plain(value)),
            name if value.contains([' ', '"', '=']) || value.is_empty() => write!(self.text, " {name}=\"{escaped}\""),
            name => write!(self.text, " {name}={escaped}"),
        };
    }
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"));
    }
}

/// A message, with quotes as they are and what is no plain character escaped.
fn plain(message: &str) -> String {
    escaped(message).replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_change_for_one_logger() {
        assert_eq!(names().collect::<Vec<_>>(), ["audit", "main", "oidc", "request", "security", "store", "upstream"]);
        assert!(!set_level("nothing", Level::DEBUG) && level("nothing").is_none());
        assert_eq!(level("upstream"), Some(Level::INFO));
        assert!(set_level("upstream", Level::TRACE));
        assert_eq!((level("upstream"), level("store")), (Some(Level::TRACE), Some(Level::INFO)));
        assert!(set_level("upstream", Level::INFO));
    }

    #[test]
    fn nothing_from_outside_begins_a_line_or_turns_it_round() {
        let text = plain("it's \"x\"\n2027-01-01 ERROR \u{1b}[31m \u{202e} ü \\");
        assert_eq!(text, "it's \"x\"\\n2027-01-01 ERROR \\u{1b}[31m \\u{202e} ü \\\\");
    }
}
