//! Events that are shown as one row.

use gbac_words::escape::plain;
use gbac_words::phrases::{count, timestamp};

use super::{EventKind, EventRow};

/// An event, and the equal ones directly before it, or the other changes of the same request.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedEvent {
    /// The newest event; of several changes, all of them.
    pub row: EventRow,
    /// The number of equal events.
    pub times: usize,
    /// The number of changes of the request.
    pub changes: usize,
    /// The time of the oldest one.
    pub since: String,
}

/// Rows, newest first, of which allowed sign-ins and requests that say the same are one, until
/// there is a change or a refusal: a page that reads again and again signs in each time. The
/// changes of one request are one row. All others stay single.
pub fn fold_repeats(rows: Vec<EventRow>) -> Vec<RepeatedEvent> {
    let mut folded: Vec<RepeatedEvent> = Vec::new();
    for row in rows {
        if let Some(last) = folded
            .last_mut()
            .filter(|last| is_same_request(&last.row, &row))
        {
            last.changes += 1;
            join(&mut last.row, row, last.changes);
            continue;
        }
        let may_pass = |folded: &&mut RepeatedEvent| {
            folded.row.event.is_allowed && folded.row.event.kind != EventKind::Change
        };
        let mut newer = folded.iter_mut().rev().take_while(may_pass);
        match newer.find(|newer| newer.row.event.says_the_same(&row.event)) {
            Some(last) => {
                last.times += row.event.times;
                last.since = timestamp(row.event.since_ms / 1000.0);
            }
            None => {
                let since = timestamp(row.event.since_ms / 1000.0);
                folded.push(RepeatedEvent {
                    since,
                    times: row.event.times,
                    changes: 1,
                    row,
                });
            }
        }
    }
    folded
}

/// Whether two events are changes of one request, with the same outcome.
fn is_same_request(newer: &EventRow, older: &EventRow) -> bool {
    let parts = |row: &EventRow| {
        (
            row.event.kind,
            row.event.is_allowed,
            row.event.user.clone(),
            row.event.request_id.clone(),
        )
    };
    newer.event.kind == EventKind::Change
        && !newer.event.request_id.is_empty()
        && parts(newer) == parts(older)
}

/// Adds an earlier change of the same request.
fn join(row: &mut EventRow, older: EventRow, changes: usize) {
    row.changed.precede(older.changed);
    row.event.since_ms = older.event.since_ms;
    row.raw = format!("{}\n{}", older.raw, row.raw);
    let who = if row.event.user.is_empty() {
        "the service".to_owned()
    } else if row.event.is_anonymous() {
        "somebody who had not signed in".to_owned()
    } else {
        plain(&row.event.user)
    };
    let what = match row.changed.only_role() {
        Some(role) => format!("changed the role {}", plain(role)),
        None => "changed the policy".to_owned(),
    };
    let summary = match row.changed.counts().words() {
        words if words.is_empty() => format!("{}.", count(changes, "change")),
        words => words,
    };
    row.event.what = format!("{who} {what}. {summary}");
}
