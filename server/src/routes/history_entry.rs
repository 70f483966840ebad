//! A change that was made, as answers have it.

use gbac_api::history::{HistoryAuthor, HistoryEntry};
use gbac_api::problem::RpcCode;
use gbac_log::{EntryAuthor, LogEntry};

use crate::clock::rfc3339;
use crate::http::problem::Problem;

/// A change that is no longer kept.
pub(super) fn change_gone(number: u64, first: u64) -> Problem {
    gone(format!(
        "change {number} is no longer kept; the oldest one is {first}"
    ))
}

/// A change that is not there any more.
pub(super) fn gone(message: String) -> Problem {
    Problem::with_status(410, RpcCode::NotFound, "change_gone", message)
}

/// An entry of the log as an answer has it.
pub(super) fn history_entry(entry: LogEntry) -> HistoryEntry {
    let EntryAuthor {
        name,
        kind,
        issuer,
        groups,
        sign_in,
    } = entry.author;
    #[expect(clippy::cast_precision_loss, reason = "exact for 285,000 years")]
    let seconds = entry.at as f64 / 1000.0;
    HistoryEntry {
        seq: entry.expected.seq + 1,
        at: rfc3339(seconds),
        author: HistoryAuthor {
            name,
            kind,
            issuer,
            groups,
            sign_in,
        },
        via: entry.via,
        request_id: entry.request_id,
        reason: entry.reason,
        changes: entry.changes,
    }
}
