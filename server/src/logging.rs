//! Log output: one event per line on standard error, with a level for each logger that can change at run time.
//!
//! Values may come from requests, so control and bidirectional characters are escaped.

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

/// The loggers and their levels. A logger is the target of its events; events with other targets belong to `main`.
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
/// The levels by their numbers in [`LOGGERS`].
const LEVELS: [Level; 5] = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE];

fn logger(name: &str) -> Option<&'static AtomicU8> {
    LOGGERS.iter().find(|(known, _)| *known == name).map(|(_, level)| level)
}

/// The names of the loggers, sorted.
pub(crate) fn names() -> impl ExactSizeIterator<Item = &'static str> {
    let mut names: Vec<&str> = LOGGERS.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.into_iter()
}

/// The level of a logger, or `None` if there is no such logger. It writes events of this level and more severe ones.
pub(crate) fn level(name: &str) -> Option<Level> {
    LEVELS.get(usize::from(logger(name)?.load(Relaxed))).copied()
}

/// Sets the level of a logger. Returns whether the logger exists.
pub(crate) fn set_level(name: &str, level: Level) -> bool {
    let place = LEVELS.iter().position(|known| *known == level).and_then(|place| u8::try_from(place).ok());
    let (Some(logger), Some(place)) = (logger(name), place) else { return false };
    logger.store(place, Relaxed);
    true
}

fn is_enabled(event: &Metadata<'_>) -> bool {
    let level = level(event.target()).or_else(|| level("main")).unwrap_or(Level::INFO);
    // Of other crates, only warnings and errors are of interest.
    let ours = event.target().starts_with("gbac") || logger(event.target()).is_some();
    *event.level() <= if ours { level } else { level.min(Level::WARN) }
}

/// Installs the log output for this process.
pub(crate) fn install() {
    let subscriber = tracing_subscriber::registry().with(StderrLines);
    // A program that embeds the service may have installed its own subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// The layer that writes the lines.
struct StderrLines;

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for StderrLines {
    fn register_callsite(&self, event: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        // Levels change at run time, so each event is checked when it occurs.
        if event.is_event() {
            tracing::subscriber::Interest::sometimes()
        } else {
            tracing::subscriber::Interest::never()
        }
    }

    fn enabled(&self, event: &Metadata<'_>, _: Context<'_, S>) -> bool {
        is_enabled(event)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::TRACE)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let meta = event.metadata();
        let logger = logger(meta.target()).map_or("main", |_| meta.target());
        let mut line = LogLine { text: format!("{} {} {logger}", clock::rfc3339(clock::system()), meta.level()) };
        event.record(&mut line);
        line.text.push('\n');
        // Standard error may be closed.
        let _ = io::stderr().lock().write_all(line.text.as_bytes());
    }
}

/// A line: the message, then `name=value` pairs.
struct LogLine {
    text: String,
}

impl LogLine {
    fn add(&mut self, field: &Field, value: &str) {
        let escaped = escaped(value);
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.text, " {}", escaped_message(value)),
            name if value.contains([' ', '"', '=']) || value.is_empty() => write!(self.text, " {name}=\"{escaped}\""),
            name => write!(self.text, " {name}={escaped}"),
        };
    }
}

impl Visit for LogLine {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, &format!("{value:?}"));
    }
}

/// A message with control characters escaped and quotes unchanged.
fn escaped_message(message: &str) -> String {
    escaped(message).replace("\\\"", "\"").replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_changes_for_one_logger() {
        assert_eq!(names().collect::<Vec<_>>(), ["audit", "main", "oidc", "request", "security", "store", "upstream"]);
        assert!(!set_level("nothing", Level::DEBUG) && level("nothing").is_none());
        assert_eq!(level("upstream"), Some(Level::INFO));
        assert!(set_level("upstream", Level::TRACE));
        assert_eq!((level("upstream"), level("store")), (Some(Level::TRACE), Some(Level::INFO)));
        assert!(set_level("upstream", Level::INFO));
    }

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        let text = escaped_message("it's \"x\"\n2027-01-01 ERROR \u{1b}[31m \u{202e} ü \\");
        assert_eq!(text, "it's \"x\"\\n2027-01-01 ERROR \\u{1b}[31m \\u{202e} ü \\\\");
    }
}
