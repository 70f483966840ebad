//! The sentences of the review: the draft, its effect, and what became of it.

use gbac_analysis::AccessEffect;
use gbac_engine::model::Principal;

use crate::common::added_to_draft;
use crate::phrases::{ago, agree, count, plural};
use crate::rich_text::{RichText, listed};

/// How many of those whom a deny no longer applies to are named.
const NAMED: usize = 8;

pub const EMPTY_DRAFT: &str = "Changes to roles, ACLs, principals and settings are collected in a draft. Review and apply them here.";
pub const REVIEWING_AGAIN: &str = "Reviewing against the current policy";
pub const REVIEW_AGAIN: &str = "Review against the new policy";
pub const POLICY_CHANGED: &str = "Not sent: the policy changed. Review again";
pub const NOT_REVIEWED: &str = "Not sent: the policy was read only now. Review again";
pub const NO_ANSWER: &str = "The service did not answer";
pub const CHECKING: &str = "The service did not answer. Checking whether the changes were applied";
pub const ALL_OR_NONE: &str = "The changes were sent in one request: the service applied all of them, or none. This page looks in the policy as soon as the service answers again. The draft is kept until then.";
pub const SIGN_IN_EXPIRED: &str = "Not applied: your sign-in expired. Sign in again.";
pub const COMPARED_WITH_LAST: &str = "Compared with the last policy that was read.";
pub const COMPARED_SIGNED_OUT: &str =
    "Compared with the last policy that was read. Sign in again to refresh it.";
pub const COMPARED_UNREACHABLE: &str =
    "Compared with the last policy that was read. Can't reach the service.";
pub const REMOVE_OUTDATED: &str =
    "The policy changed after they were added. Remove them to apply the others.";
pub const NEEDS_SERVICE: &str = "This page has no service, so nothing can be applied here. Copy the commands, or save the policy with these changes in ";
pub const REMOVE_FROM_DRAFT: &str = "Remove them from the draft";
pub const EFFECT_ON_GROUPS: &str = "Effect of the settings on groups";
pub const NO_CHANGE_FOR_KNOWN: &str = "No change in effective access for any known user or group.";
pub const LOST_DENIES: &str = "Denies that stop applying, with the reasons";
pub const NOT_RECORDED: &str = "The audit log is off, so this is not recorded.";
pub const UNDO: &str =
    "Undo puts the reverse changes into the draft. Nothing is sent until you apply it.";
pub const SIMULATED_REQUEST: &str = "The request in the simulator";

pub const REASON: &str = "Reason";
pub const REASON_HELP: &str = "Why you make these changes. The audit log keeps it with them.";

pub const STORED_TESTS: &str = "Stored tests";
pub const STORED_TESTS_HELP: &str =
    "Save as test in the simulator adds one. They run against every draft.";
pub const FAILS_WITHOUT: &str = "It fails without this draft, too.";
pub const TESTS_UNREAD: &str = "The stored tests could not be run";
pub const TESTS_SAY: &str =
    "The stored tests say what the policy must allow and deny. With this draft, these fail:";
pub const APPLY_ANYWAY: &str = "Apply anyway";

pub fn tests_pass(tests: usize) -> String {
    match tests {
        1 => "The stored test passes.".to_owned(),
        _ => format!("All {} pass.", count(tests, "test")),
    }
}

/// How many of the stored tests fail with a draft.
pub fn tests_fail(failing: usize, tests: usize) -> String {
    let verb = agree(failing, "fails", "fail");
    format!(
        "{failing} of {} {verb} with this draft",
        count(tests, "stored test")
    )
}

pub fn apply_although(failing: usize) -> String {
    let verb = agree(failing, "fails", "fail");
    format!("Apply although {} {verb}?", count(failing, "test"))
}

/// What a test expects and what comes out; `difference` says more where both outcomes are the same.
pub fn expected_and_found(expected: &str, found: &str, difference: &str) -> String {
    if expected == found {
        return difference.to_owned();
    }
    format!("Expected {expected}, found {found}")
}

pub fn expects(outcome: &str) -> String {
    format!("expects {outcome}")
}

pub fn test_deleted(name: &str) -> String {
    format!("Deleted the test {name}")
}

pub fn delete_test(name: &str) -> String {
    format!("Delete the test {name}")
}

pub fn compared_with(cluster: &str, age_ms: f64) -> RichText {
    RichText::from("Compared with ")
        .code(cluster)
        .text(format!(", read {}.", ago(age_ms)))
}

pub fn all_applied(changes: usize) -> String {
    format!("{} applied", count(changes, "change"))
}

pub fn partly_applied(applied: usize, changes: usize) -> String {
    let changes = count(changes, "change");
    format!("{applied} of {changes} applied. The others stay in the draft.")
}

pub fn outdated(changes: usize) -> String {
    format!("{} can no longer be applied", count(changes, "change"))
}

pub fn changed_by_others(changes: usize) -> String {
    format!("Not sent. Someone else made {}:", count(changes, "change"))
}

pub fn removed_from_draft(changes: usize) -> String {
    format!("{} removed from the draft", count(changes, "change"))
}

pub fn applied(user: Option<&str>, cluster: Option<&str>, at: &str) -> RichText {
    let mut words = RichText::from("Applied");
    if let Some(user) = user {
        words = words.text(" by ").principal(&Principal::user(user));
    }
    if let Some(cluster) = cluster {
        words = words.text(" to ").code(cluster);
    }
    words.text(format!(", {at}."))
}

pub fn tests_passed(passed: usize, tests: usize) -> String {
    format!("{passed} of {} passed.", count(tests, "test"))
}

pub fn not_undoable(changes: usize) -> String {
    format!("{} can no longer be undone", count(changes, "change"))
}

/// What an undo put into the draft, and what it could not.
pub fn undo_added(added: usize, lost: usize) -> String {
    match lost {
        0 => added_to_draft(added),
        lost => format!("{}. {}", added_to_draft(added), not_undoable(lost)),
    }
}

pub fn verdicts(before: &str, now: &str) -> String {
    format!("Before: {before}. Now: {now}.")
}

/// The verdicts on the request in the simulator.
pub fn simulated_request(before: &str, after: &str) -> String {
    format!("{SIMULATED_REQUEST}: {before}. With this draft: {after}.")
}

/// How much is gained or lost, without its number, which stands beside it. Nothing that is known,
/// beside something that is not, is no zero.
pub fn gained_or_lost(
    verb: &str,
    operations: usize,
    principals: usize,
    is_unknown: bool,
) -> String {
    if operations == 0 && is_unknown {
        return format!("operations {verb}: none that is known");
    }
    let of = plural(operations, "operation");
    format!("{of} {verb} by {}", count(principals, "principal"))
}

pub fn no_effect(changes: usize) -> String {
    let verb = agree(changes, "has", "have");
    format!("{} {verb} no effect.", count(changes, "change"))
}

pub fn changed_settings(names: &[&str]) -> RichText {
    RichText::from("Changed settings: ")
        .code(names.join(", "))
        .text(". They take effect at the next sign-in.")
}

pub fn users_not_named(users: usize) -> String {
    let users = count(users, "known user");
    format!("Users are named by another claim. Tokens may no longer name {users}.")
}

/// What happens to everyone with some roles.
pub fn holders_of(roles: usize, what: &str) -> String {
    match roles {
        1 => format!("everyone with this role {what}"),
        _ => format!("everyone with one of these roles: {what}"),
    }
}

/// Why an effect depends on the other ACLs of a user.
pub const fn through_others(effect: AccessEffect) -> Option<&'static str> {
    match effect {
        AccessEffect::CanGain => Some("a deny is removed; other ACLs of the same user allow it"),
        AccessEffect::CanLose => {
            Some("a new deny overrides what other ACLs of the same user allow")
        }
        AccessEffect::Gains | AccessEffect::Loses | AccessEffect::StillDenied => None,
    }
}

/// A deny of `denied` that was removed, and whom it applied to.
pub fn deny_removed(denied: &Principal, holders: &[Principal]) -> RichText {
    let removed = RichText::from("removed from ");
    match holders.first() == Some(denied) {
        true => removed.then(principals(holders)),
        false => removed
            .principal(denied)
            .text(", for ")
            .then(principals(holders)),
    }
}

/// Users or groups that no longer have a role, which is denied something.
pub fn leave_role(holders: &[Principal], role: &str) -> RichText {
    let verb = agree(holders.len(), "leaves", "leave");
    principals(holders).text(format!(" {verb} ")).resource(role)
}

/// Names in tokens that become another group, or none, than the one that a deny is for.
pub fn deny_misses(names: &[Principal], group: Option<&str>, denied: &Principal) -> RichText {
    let number = names.len();
    let name = |name: &Principal| RichText::new().resource(name.name());
    let names = listed(names.iter().map(name).collect(), NAMED);
    match group {
        Some(group) => names
            .text(agree(number, " becomes ", " become "))
            .principal(&Principal::group(group))
            .text("; the deny is for ")
            .principal(denied),
        None => names.text(agree(
            number,
            " no longer produces a group",
            " no longer produce a group",
        )),
    }
}

fn principals(principals: &[Principal]) -> RichText {
    let name = |principal: &Principal| RichText::new().principal(principal);
    listed(principals.iter().map(name).collect(), NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted_once() {
        assert_eq!(
            partly_applied(1, 3),
            "1 of 3 changes applied. The others stay in the draft."
        );
        assert_eq!(
            undo_added(2, 1),
            "2 changes added to the draft. 1 change can no longer be undone"
        );
    }

    #[test]
    fn a_deny_names_whom_it_misses() {
        let [eng, ops] = ["eng", "ops"].map(Principal::group);
        assert_eq!(
            deny_removed(&eng, std::slice::from_ref(&eng)).plain(),
            "removed from Group:eng"
        );
        assert_eq!(
            deny_removed(&Principal::role("r"), &[eng.clone(), ops.clone()]).plain(),
            "removed from Role:r, for Group:eng and Group:ops"
        );
        assert_eq!(
            deny_misses(&[ops], None, &eng).plain(),
            "ops no longer produces a group"
        );
    }
}
