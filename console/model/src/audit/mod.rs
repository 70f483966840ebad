//! Audit events as rows of a table, and the filter in the address.

mod changed;
mod export;
mod filter;
mod fold;
mod simulated;

use gbac_engine::escape::is_hidden;
use gbac_words::audit_event::{AuditEvent, EventKind};
use serde_json::Value;

pub use self::changed::{ChangedValue, ChangedValues};
pub use self::export::{EVENTS_FILE, export_events};
pub use self::filter::{AuditFilter, LIMITS};
pub use self::fold::{RepeatedEvent, fold_repeats};
pub use self::simulated::SimulatedCheck;
use crate::simulator::fixes::SeenEvent;

/// An event as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// The event as it is read.
    pub event: AuditEvent,
    /// What a change removed and added.
    pub changed: ChangedValues,
    /// A denied decision as a check for the simulator, if the event says enough.
    pub simulated: Option<SimulatedCheck>,
    /// The event itself, over several lines.
    pub raw: String,
}

/// Reads events, newest first. Events of no class that is known here are left out.
pub fn read_events(events: &[Value]) -> Vec<EventRow> {
    let mut rows: Vec<EventRow> = events.iter().filter_map(EventRow::read).collect();
    let simulated: Vec<_> = rows
        .iter()
        .enumerate()
        .map(|(place, row)| simulated::check(row, rows.get(place..)?))
        .collect();
    for (row, simulated) in rows.iter_mut().zip(simulated) {
        row.simulated = simulated;
    }
    rows
}

impl SeenEvent for EventRow {
    fn user(&self) -> &str {
        &self.event.user
    }

    fn groups(&self) -> &[String] {
        &self.event.groups
    }

    fn since_ms(&self) -> f64 {
        self.event.since_ms
    }
}

impl EventRow {
    /// Reads an event; none when it is of no class that is known here.
    pub fn read(json: &Value) -> Option<Self> {
        let event = AuditEvent::read(json)?;
        let changed = match event.kind {
            EventKind::Change => ChangedValues::from_event(json),
            EventKind::SignIn | EventKind::Access | EventKind::Decision => ChangedValues::default(),
        };
        Some(Self {
            event,
            changed,
            simulated: None,
            raw: pretty(json),
        })
    }
}

/// An event as JSON over several lines. Hidden characters are escaped, as JSON escapes control
/// characters.
fn pretty(event: &Value) -> String {
    let text = serde_json::to_string_pretty(event).unwrap_or_default();
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_hidden(character) {
            escaped.extend(
                character
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .map(|unit| format!("\\u{unit:04x}")),
            );
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
