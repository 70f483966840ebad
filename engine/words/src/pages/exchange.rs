//! The sentences of the page for imports and exports.

use crate::common;
use crate::phrases::{count, thousands};
use crate::rich_text::RichText;

pub const PURPOSE: &str =
    "Export the policy as a document or script. Imported changes go to your draft.";
pub const IMPORTED_TEXT: &str = "Policy document, list of ACLs or roles";
pub const IDENTICAL: &str = "The import is identical to the current policy.";
pub const KEEPS_SETTINGS: &str =
    "The document has different settings. Keep and add does not change settings.";
pub const SKIPPED_MAY_DENY: &str = "A skipped entry can be one that denies.";

pub fn paste_or_drop(formats: &str) -> String {
    format!("Paste text or drop a file: {formats}.")
}

/// What the command of a large import does, if it only adds.
pub const COMMAND_ADDS: &str = "It adds what is missing. Without --merge, the policy becomes what the file contains: the command shows what changes, and asks before it removes anything.";
/// What the command of a large import does, if it replaces the policy.
pub const COMMAND_REPLACES: &str = "The policy becomes what the file contains. The command shows what changes, and asks before it removes anything.";

/// A file over the limit in bytes, which only the command line imports.
pub fn too_large(file: &str, limit: f64) -> RichText {
    common::file_too_large(file, limit)
        .text(" This page can't read it. Import it with the command line:")
}

pub fn entries_not_read(entries: usize) -> String {
    format!("{} could not be read", count(entries, "entry"))
}

pub fn compared(changes: &str) -> String {
    format!("Compared with the current policy: {changes}.")
}

pub fn draft_limit(changes: usize) -> String {
    let changes = thousands(changes);
    format!("A draft holds up to {changes} changes. Import more with the command line:")
}

pub fn rows_not_applied(rows: usize) -> String {
    format!("{} may not be applied", count(rows, "row"))
}

pub fn more_comments(comments: usize) -> String {
    format!("and {} more, as comments in the text", thousands(comments))
}

pub fn lines_not_shown(left_out: usize, lines: usize) -> String {
    format!(
        "{} of {} are not shown, but are saved and copied.",
        count(left_out, "line"),
        thousands(lines)
    )
}
