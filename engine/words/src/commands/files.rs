//! Files that commands read and write: audit logs, tokens, lists of checks, manual pages.

use gbac_engine::model::Principal;
use gbac_engine::token::Header;

use crate::phrases::count;
use crate::rich_text::RichText;

pub const COMPARE_WITH_COPIES: &str =
    "compare the files with copies of events or hashes that are kept elsewhere";
pub const LAST_LINE_INCOMPLETE: &str =
    "the last line is incomplete: it is being written, or the service was killed";

/// An audit log without a gap; `first` and `last` are the numbers of its events.
pub fn log_intact(log: &str, files: usize, events: u64, first: u64, last: u64) -> String {
    let files = count(files, "file");
    let events = match events {
        0 => "no events".to_owned(),
        1 => format!("1 event ({first})"),
        events => format!("{events} events ({first} to {last})"),
    };
    format!("{log}: intact, {events} in {files}")
}

pub fn events_without_link(events: u64) -> String {
    format!("{events} older events have no link, because an older version wrote them")
}

pub fn log_excerpt(first: u64) -> String {
    format!("event {first} continues events that are not in these files")
}

pub fn not_utf8(error: std::str::Utf8Error) -> String {
    format!("the line is not UTF-8: {error}")
}

pub fn no_script(shell: &str) -> String {
    format!("there is no script for {shell}")
}

pub fn pages_written(pages: usize, folder: &str) -> RichText {
    RichText::from(format!("Wrote {} to ", count(pages, "page")))
        .code(folder)
        .text(".")
}

pub const EXPIRY_UNREADABLE: &str = "`exp` or `nbf` is not a time, so the token counts as expired";
pub const NEVER_EXPIRES: &str = "never: the token has no `exp`";

/// A user-info document that no setting reads.
pub fn userinfo_not_read(file: &str) -> RichText {
    RichText::new().code(file).text(
        " is not read: only the mapping of an SSO connection reads a user-info document; pass it with --sso FILE",
    )
}

/// The parts of a token; claims alone have no header.
pub fn decoded(header: Option<&Header>, claims: usize) -> RichText {
    let claims = count(claims, "claim");
    let Some(header) = header else {
        return claims.into();
    };
    let mut words = RichText::from("compact JWS, ").code(header.alg());
    if let Some(key) = header.kid() {
        words = words.text(", key ").code(key);
    }
    if let Some(kind) = header.typ() {
        words = words.text(", typ ").code(kind);
    }
    words.text(format!(", {claims}"))
}

/// The user of a token, and the claim that names it.
pub fn user_from(user: &str, mapping: &str) -> RichText {
    RichText::new()
        .principal(&Principal::user(user))
        .text(" from ")
        .code(mapping)
}

pub fn not_a_string(file: &str, member: &str) -> String {
    format!("{file}: `{member}` is not a string; write one")
}

pub fn no_tests(file: &str) -> String {
    format!("{file}: no tests in this file; add one, or name another file")
}

pub fn no_policy(file: &str) -> String {
    format!(
        "{file}: no policy in this file; name a document with --policy or GBAC_POLICY, or ask a service with --online"
    )
}

pub fn no_stored_tests(url: &str) -> String {
    format!("{url} has no stored tests; save one in its simulator, or name a file")
}
