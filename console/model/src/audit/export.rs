//! Events as a file.

use serde_json::Value;

use super::EventRow;

/// The name of the file.
pub const EVENTS_FILE: &str = "audit-events.jsonl";

/// Writes the events as JSON Lines, one for each event, the oldest first.
pub fn export_events(rows: &[EventRow]) -> String {
    let events = rows
        .iter()
        .rev()
        .filter_map(|row| serde_json::from_str::<Value>(&row.raw).ok());
    events.map(|event| format!("{event}\n")).collect()
}
