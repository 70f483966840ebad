//! The sentences of the audit page.

use crate::phrases::{agree, count};

pub const PURPOSE: &str = "Changes, sign-ins, requests and decisions since the service started, with the ACL that decided.";
pub const NOT_AVAILABLE: &str = "No audit events are available";
pub const NOT_RECORDED: &str = "New events are not recorded.";
pub const NO_LONGER_RECORDED: &str =
    "New events are not recorded. The events below were recorded earlier.";
pub const TURN_ON_IN_SETTINGS: &str = "Turn on the audit log in the settings";
pub const NO_EVENTS: &str = "No events were recorded since the service started.";
pub const NO_MATCHES: &str = "No events match the filter";
pub const NOTHING_ADDED: &str = "Nothing was added.";
pub const NOTHING_REMOVED: &str = "Nothing was removed.";

pub fn exported(file: &str, events: usize) -> String {
    let events = count(events, "event");
    format!("{file} saved with {events}, the oldest first.")
}

pub fn without_filter(events: usize) -> String {
    let verb = agree(events, "is", "are");
    format!("There {verb} {} without it.", count(events, "event"))
}

pub fn other_types(events: usize) -> String {
    let events = count(events, "event");
    format!("{events} of other event types not shown.")
}

pub fn evidence_of_change(when: &str) -> String {
    format!("Evidence of the change of {when}")
}

pub fn json_of_event(when: &str) -> String {
    format!("JSON of the event of {when}")
}

pub fn check_decision(when: &str) -> String {
    format!("Check in simulator: the decision of {when}")
}

pub fn more_values(number: usize) -> String {
    format!("and {}; the JSON has all", count(number, "more value"))
}
