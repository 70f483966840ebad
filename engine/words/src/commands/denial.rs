//! Denials in the logs of brokers: `doctor denial`.

use gbac_analysis::denial::{LineFault, LoggedDenial, MAX_LINE};
use gbac_engine::decide::{At, Request};
use gbac_engine::model::Principal;

use crate::phrases::{count, list_up_to, thousands};
use crate::request;
use crate::rich_text::RichText;

/// How many names a sentence lists.
const NAMES: usize = 4;

pub const GROUPS_UNKNOWN: &str = "The line has no groups, as in Kafka's own form, so the verdict is that of the user alone. Pass the groups with --group, or the user's token with --token-file.";
pub const HOST_UNKNOWN: &str = "The line has no address of the client, so ACLs limited to one host do not allow, but still deny.";
pub const NAME_INEXACT: &str =
    "The log escaped or shortened a name of this line, so the real name can be another.";
pub const TOKEN_OF_OTHER: &str =
    "The token of --token-file is another user's, so its groups are not used.";
pub const ALLOWED_NOW: &str =
    "The policy allows it: it was changed since, or the broker had other groups, roles or ACLs.";
pub const NO_POLICY: &str = "Name the policy with --policy FILE or --online to find out why.";
pub const NO_DENIAL: &str = "No line is a denial.";
pub const FIXES: &str = "Any one of these allows it:";
pub const NOT_IN_FILE: &str = "These are not in the file, because a person decides about them:";

/// A denied request, and how often it was denied.
pub fn denied(denial: &LoggedDenial, lines: u64, first: u64, left_out: u64) -> RichText {
    let asked = &denial.question;
    let on = Request::new(
        asked.operation,
        asked.resource_type,
        &asked.resource_name,
        At::IgnoringExpiry,
    );
    let mut text = RichText::new()
        .principal(&asked.principal)
        .text(format!(": {} on ", asked.operation.spelling().label))
        .then(request::resource(&on));
    if let Some(host) = asked.host {
        text = text.text(format!(" from {host}"));
    }
    if let Some(api) = &denial.api {
        text = text.text(" for ").code(api);
    }
    let times = match (lines, left_out) {
        (1, 0) => format!(", line {first}"),
        (lines, 0) => format!(", {} from line {first} on", counted(lines, "line")),
        (lines, left_out) => format!(
            ", {} from line {first} on, which {} {} more",
            counted(lines, "line"),
            if lines == 1 { "counts" } else { "count" },
            thousands(usize::try_from(left_out).unwrap_or(usize::MAX))
        ),
    };
    text.text(times)
}

fn counted(number: u64, noun: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// Why the broker denied it, as its log says.
pub fn logged_reason(reason: Option<&str>, acl: Option<&str>) -> Option<RichText> {
    let text = RichText::from("The log says: ");
    match (reason, acl) {
        (Some(reason), Some(acl)) => Some(text.code(reason).text(", ").code(acl)),
        (Some(only), None) | (None, Some(only)) => Some(text.code(only)),
        (None, None) => None,
    }
}

pub fn groups_omitted(omitted: u64) -> String {
    format!(
        "The line leaves out {}, so the verdict can differ. Pass all groups with --group, or the user's token with --token-file.",
        counted(omitted, "group")
    )
}

/// The flag for the groups of one user, with lines of several.
pub fn groups_of_several(principals: &[&Principal]) -> String {
    let names: Vec<String> = principals.iter().map(ToString::to_string).collect();
    format!(
        "--group is for the lines of one user, and these are of {}; pass only the lines of one",
        list_up_to(&names, NAMES)
    )
}

/// Denials that are counted only.
pub fn not_answered(lines: u64) -> String {
    format!(
        "Not answered: {} of other denials. Select lines with `grep`.",
        counted(lines, "line")
    )
}

pub fn allowed_lines(lines: u64) -> String {
    format!(
        "Not answered: {} of allowed requests.",
        counted(lines, "line")
    )
}

pub fn not_understood(lines: u64) -> String {
    format!("Not understood: {}.", counted(lines, "line"))
}

/// A line that is not understood.
pub fn unread_line(line: u64, fault: &LineFault, text: &str) -> RichText {
    RichText::from(format!("line {line}: "))
        .then(fault_words(fault))
        .text(": ")
        .code(text)
}

/// Why a line is not understood.
pub fn fault_words(fault: &LineFault) -> RichText {
    let words = RichText::new();
    match fault {
        LineFault::Other => words.text("not a line of an authorizer's log"),
        LineFault::TooLong => words.text(format!("longer than {} KiB", MAX_LINE >> 10)),
        LineFault::NotText => words.text("not UTF-8"),
        LineFault::Missing(part) => words.text(format!("the {part} is missing")),
        LineFault::Twice(part) => words.text(format!(
            "the {part} appears twice, so a name can pretend to be another part"
        )),
        LineFault::Unknown(part, value) => words
            .text(format!("the {part} "))
            .code(value)
            .text(" is not known"),
        LineFault::NotJson(why) if why.is_empty() => words.text("not a JSON object"),
        LineFault::NotJson(why) => words.text("not JSON: ").then(RichText::message(why)),
    }
}

/// What the file of changes does, after its name.
pub fn allowed_by_file(allowed: usize, denials: usize) -> String {
    format!(
        "changes that allow {} of {}",
        thousands(allowed),
        count(denials, "denial")
    )
}
