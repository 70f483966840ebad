//! Sentences that several pages or commands share.

use crate::phrases::{capitalized, count, thousands};
use crate::rich_text::RichText;

/// States that ACLs are not evaluated, for a superuser or a sign-in that fails. Part of a sentence.
pub const ACLS_NOT_EVALUATED: &str = "ACLs are not evaluated";

/// The sentences about superusers.
pub const SUPERUSERS_ALLOWED: &str = "Superusers are allowed everything. ACLs are not evaluated.";

/// A comparison of two policies, or of two users, that gives everyone the same access.
pub const NO_CHANGE_IN_ACCESS: &str = "No change in effective access.";

/// A comparison of two users without a difference.
pub const IDENTICAL_PERMISSIONS: &str = "Both have identical permissions.";

/// What needs the policy, before it is known.
pub const POLICY_NOT_READ: &str = "The policy has not been read yet.";

/// What needs a subject and a request, before both are entered.
pub const COMPLETE_CHECK_FIRST: &str = "Complete the check first.";

/// The purpose of the search.
pub const SEARCH_OR_ASK: &str = "Search or ask a question";

/// The number of changes that a draft got.
pub fn added_to_draft(changes: usize) -> String {
    format!("{} added to the draft", count(changes, "change"))
}

/// What adds so many changes to the draft.
pub fn add_to_draft(changes: usize) -> String {
    format!("Add {} to the draft", count(changes, "change"))
}

/// A file over its limit in bytes.
pub fn file_too_large(name: &str, limit: f64) -> RichText {
    let megabytes = limit / 1_000_000.0;
    RichText::new()
        .code(name)
        .text(format!(" is larger than {megabytes} MB."))
}

/// A file that could not be read, with the reason.
pub fn file_not_read(name: &str, reason: RichText) -> RichText {
    let has_period = reason.plain().ends_with('.');
    RichText::new()
        .code(name)
        .text(" could not be read: ")
        .then(reason)
        .text(if has_period { "" } else { "." })
}

/// A file that could not be saved, with the reason.
pub fn file_not_saved(name: &str, reason: &str) -> String {
    format!("{name} was not saved: {reason}")
}

/// A lint without a finding.
pub const NO_FINDINGS: &str = "No findings.";

/// Names that all become different groups.
pub const NO_COLLISIONS: &str = "No collisions.";

/// A request that needs no grant.
pub const ALREADY_ALLOWED: &str = "Already allowed.";

/// A request that needs no removal.
pub const ALREADY_DENIED: &str = "Already denied.";

/// Changes that a policy has already.
pub const NOTHING_TO_CHANGE: &str = "Nothing to change.";

/// What a request or a command left as it was.
pub const NOTHING_CHANGED: &str = "Nothing was changed.";

/// The field for groups of the identity provider.
pub const GROUPS_BY_LINE: &str = "IdP groups, one per line";

/// A search text that is no regular expression.
pub const SEARCHED_AS_TEXT: &str = "Not a regular expression, so searched as plain text";

/// The state of the audit log: decisions and changes are recorded.
pub const AUDIT_LOG_IS_ON: &str = "The audit log is on";

/// The state of the audit log: nothing is recorded.
pub const AUDIT_LOG_IS_OFF: &str = "The audit log is off";

/// A deletion that is confirmed next.
pub const DELETION_GOES_TO_DRAFT: &str =
    "The deletion goes to your draft. Nothing is deleted before you apply it.";

/// What the user may not read.
pub fn read_forbidden(what: &str) -> String {
    format!("You don't have permission to read {what}")
}

/// What could not be read.
pub fn read_failed(what: &str) -> String {
    capitalized(&format!("{what} could not be read"))
}

/// A search without results.
pub fn no_results(search: &str) -> RichText {
    RichText::new()
        .text("No results for ")
        .code(search)
        .text(".")
}

/// The rows of a list that are shown, from 1, and the number of all.
///
/// ```
/// use gbac_words::common::rows;
/// assert_eq!(rows(1, 100, 2_000), "Rows 1 to 100 of 2,000");
/// ```
pub fn rows(first: usize, last: usize, all: usize) -> String {
    let [first, last, all] = [first, last, all].map(thousands);
    format!("Rows {first} to {last} of {all}")
}

/// How many of a list are left out.
pub fn not_shown(number: usize, noun: &str) -> String {
    format!("{} not shown.", count(number, noun))
}

/// The size of a policy: `2 ACLs and 1 role`.
pub fn acls_and_roles(acls: usize, roles: usize) -> String {
    format!("{} and {}", count(acls, "ACL"), count(roles, "role"))
}

/// What to do about a part of the console that could not be loaded.
pub const RELOAD_CONSOLE: &str = "The service may be unreachable, or was updated after you opened this tab. Reloading the console keeps the draft and clears other input.";
/// The title of what a cluster lacks.
pub const CLUSTER_GAPS: &str = "What this cluster does not have";
/// The state of a draft.
pub const DRAFT_NOT_APPLIED: &str = "Not applied yet.";
/// What a discarded draft leaves.
pub const SERVICE_UNCHANGED: &str = "The service is not changed.";
/// An unknown address.
pub const PAGE_MISSING: &str = "This page does not exist in this version.";
/// The sign-in with the identity provider.
pub const OPENS_PROVIDER: &str = "Opens the identity provider of this service in this window.";
/// The other way to sign in.
pub const OR_LOCAL_ACCOUNT: &str = "or with a local account";
/// What somebody without access to the policy does.
pub const SUPERUSER_READS_POLICY: &str = "Sign in as a superuser to read roles and ACLs.";
/// A page whose content is not known yet.
pub const SHOWN_WHEN_REACHABLE: &str = "This page is shown when the service is reachable.";

/// A part of the console that could not be loaded.
pub fn not_loaded(part: &str) -> String {
    format!("{part} could not be loaded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_end_in_one_period() {
        let said = |reason: &str| file_not_read("a.json", reason.into()).plain();
        assert_eq!(said("no UTF-8"), "a.json could not be read: no UTF-8.");
        assert_eq!(
            said("It is empty."),
            "a.json could not be read: It is empty."
        );
    }
}
