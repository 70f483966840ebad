//! Log output: one event per line on standard error, as text or JSON, with a level for each logger
//! that can change at run time.
//!
//! Values may come from requests, so control and bidirectional characters are escaped in text.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use gbac_engine::escape::{escaped, visible_json};
use serde_json::{Map, Value};
use thiserror::Error;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::clock;

/// The loggers and their levels. A logger is the target of its events; events with other targets
/// belong to `main`.
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
/// The levels by their numbers in [`LOGGERS`], with their names, the most severe first.
pub(crate) const LEVEL_NAMES: [(&str, Level); 5] = [
    ("error", Level::ERROR),
    ("warn", Level::WARN),
    ("info", Level::INFO),
    ("debug", Level::DEBUG),
    ("trace", Level::TRACE),
];

/// The form of the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Time, level, logger and message, then `name=value` pairs.
    #[default]
    Text,
    /// A JSON object with `time`, `level`, `logger`, `message`, and the other values by their
    /// names.
    Json,
}

/// How a service logs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogOptions {
    /// The form of the lines.
    pub format: LogFormat,
    /// The level at the start: of all loggers, such as `debug`, or of one, such as `oidc=debug`;
    /// later ones override earlier ones. Without any, every logger writes `info`.
    pub levels: Vec<String>,
}

/// A level that does not exist, or one of a logger that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{}` is not a log level", escaped(.0))]
pub struct LogLevelError(String);

impl LogLevelError {
    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        let levels = LEVEL_NAMES.map(|(name, _)| name).join(", ");
        let loggers = names().collect::<Vec<_>>().join(", ");
        format!("use one of {levels}, for one logger as in `oidc=debug`; the loggers are {loggers}")
    }
}

impl LogOptions {
    /// The levels of loggers; one without a name is of all.
    pub(crate) fn levels(&self) -> Result<Vec<(Option<&str>, Level)>, LogLevelError> {
        self.levels
            .iter()
            .map(|text| parse_level(text).ok_or_else(|| LogLevelError(text.clone())))
            .collect()
    }
}

fn parse_level(text: &str) -> Option<(Option<&str>, Level)> {
    let (name, level) = match text.split_once('=') {
        Some((name, level)) => (Some(name), level),
        None => (None, text),
    };
    let (_, level) = LEVEL_NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(level))?;
    if let Some(name) = name {
        logger(name)?;
    }
    Some((name, *level))
}

fn logger(name: &str) -> Option<&'static AtomicU8> {
    let (_, level) = LOGGERS.iter().find(|(known, _)| *known == name)?;
    Some(level)
}

/// The names of the loggers, sorted.
pub(crate) fn names() -> impl ExactSizeIterator<Item = &'static str> {
    let mut names: Vec<&str> = LOGGERS.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.into_iter()
}

/// The level of a logger, or `None` if there is no such logger. It writes events of this level and
/// more severe ones.
pub(crate) fn level(name: &str) -> Option<Level> {
    let (_, level) = LEVEL_NAMES.get(usize::from(logger(name)?.load(Relaxed)))?;
    Some(*level)
}

/// Sets the level of a logger. Returns whether the logger exists.
pub(crate) fn set_level(name: &str, level: Level) -> bool {
    let place = LEVEL_NAMES.iter().position(|(_, known)| *known == level);
    match (logger(name), place.map(u8::try_from)) {
        (Some(logger), Some(Ok(place))) => {
            logger.store(place, Relaxed);
            true
        }
        _ => false,
    }
}

fn is_enabled(event: &Metadata<'_>) -> bool {
    let level = level(event.target())
        .or_else(|| level("main"))
        .unwrap_or(Level::INFO);
    // Of other crates, only warnings and errors are of interest.
    let ours = event.target().starts_with("gbac") || logger(event.target()).is_some();
    *event.level() <= if ours { level } else { level.min(Level::WARN) }
}

/// Installs the log output for this process.
pub(crate) fn install(options: &LogOptions) -> Result<(), LogLevelError> {
    for (name, level) in options.levels()? {
        for logger in names() {
            if name.is_none() || name == Some(logger) {
                set_level(logger, level);
            }
        }
    }
    let subscriber = tracing_subscriber::registry().with(StderrLines {
        format: options.format,
    });
    // A program that embeds the service may have installed its own subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// The layer that writes the lines.
struct StderrLines {
    format: LogFormat,
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for StderrLines {
    fn register_callsite(
        &self,
        event: &'static Metadata<'static>,
    ) -> tracing::subscriber::Interest {
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
        let logger = match logger(meta.target()) {
            Some(_) => meta.target(),
            None => "main",
        };
        let (time, level) = (clock::rfc3339(clock::system()), meta.level());
        let text = match self.format {
            LogFormat::Text => {
                let mut line = LogLine {
                    text: format!("{time} {level} {logger}"),
                };
                event.record(&mut line);
                line.text + "\n"
            }
            LogFormat::Json => {
                let mut line = JsonLine(Map::new());
                for (name, value) in [
                    ("time", time.as_str()),
                    ("level", level.as_str()),
                    ("logger", logger),
                ] {
                    line.0.insert(name.into(), value.into());
                }
                event.record(&mut line);
                visible_json(&Value::Object(line.0).to_string()) + "\n"
            }
        };
        // Standard error may be closed.
        let _ = io::stderr().lock().write_all(text.as_bytes());
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
            name if value.contains([' ', '"', '=']) || value.is_empty() => {
                write!(self.text, " {name}=\"{escaped}\"")
            }
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

/// A line: an object.
struct JsonLine(Map<String, Value>);

impl Visit for JsonLine {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().into(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0
            .insert(field.name().into(), format!("{value:?}").into());
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
        assert_eq!(
            names().collect::<Vec<_>>(),
            [
                "audit", "main", "oidc", "request", "security", "store", "upstream"
            ]
        );
        assert!(!set_level("nothing", Level::DEBUG) && level("nothing").is_none());
        assert_eq!(level("upstream"), Some(Level::INFO));
        assert!(set_level("upstream", Level::TRACE));
        assert_eq!(
            (level("upstream"), level("store")),
            (Some(Level::TRACE), Some(Level::INFO))
        );
        assert!(set_level("upstream", Level::INFO));
    }

    #[test]
    fn levels_of_a_start_are_of_all_loggers_or_of_one() {
        let levels = |texts: &[&str]| LogOptions {
            levels: texts.iter().map(|text| (*text).into()).collect(),
            ..LogOptions::default()
        };
        assert_eq!(
            levels(&["warn", "oidc=TRACE"]).levels().unwrap(),
            [(None, Level::WARN), (Some("oidc"), Level::TRACE)]
        );
        for wrong in ["loud", "nothing=info", "oidc=", ""] {
            let error = levels(&[wrong]).levels().unwrap_err();
            assert!(
                error.to_string().contains(&format!("`{wrong}`"))
                    && error.hint().contains("security"),
                "{error}"
            );
        }
    }

    #[test]
    fn control_and_bidirectional_characters_are_escaped() {
        let text = escaped_message("it's \"x\"\n2027-01-01 ERROR \u{1b}[31m \u{202e} ü \\");
        assert_eq!(
            text,
            "it's \"x\"\\n2027-01-01 ERROR \\u{1b}[31m \\u{202e} ü \\\\"
        );
    }
}
