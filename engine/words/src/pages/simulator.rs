//! The sentences of the simulator.

use gbac_engine::Coded;
use gbac_engine::decide::Outcome;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, Principal, ResourceType};
use gbac_engine::policy::Policy;

use crate::escape::plain;
use crate::extraction::kept_names;
use crate::hypothesis;
use crate::phrases::{agree, count, list};
use crate::rich_text::{RichText, listed};

pub const TOKEN_STAYS: &str = "The token stays in this tab and is never sent or stored.";
pub const FIXES_BY_OPENING: &str = "Fixes by what they open";
pub const SUBJECT_MISSING: &str = "Paste a token or enter a user first.";
pub const FIX_SIGN_IN: &str = "Fix it first. ACLs are not evaluated.";

// The token and how it is read.
pub const CLAIM_PATH_MISSING: &str = "Enter a claim path, such as $.groups.";
pub const MAPPING_MISSING: &str = "Enter a principal mapping, such as $.sub.";
pub const COMMA_IN_GROUP: &str = "One group per line: a comma becomes part of the name.";
pub const TOKEN_EXAMPLE: &str = "Paste an access token: eyJhbGciOi…";
/// What the tokens that can be pressed are of: of users of the demo, or examples.
pub const fn people(is_example: bool) -> &'static str {
    if is_example {
        "Example tokens"
    } else {
        "Demo users"
    }
}

pub const USERINFO_REQUIRED: &str =
    "The settings read groups from it. Paste the response of the provider's user-info endpoint.";
pub const GROUPS_AFTER_EXTRACTION: &str =
    "The groups as ACLs and roles name them. Settings do not change them.";
pub const DEFAULT_SETTINGS: &str = "Defaults: the service has not been read yet.";
pub const SETTINGS_NOT_SAVED: &str = "Not saved. The service keeps its own settings.";
pub const RESET_SETTINGS: &str = "Reset to the service's settings";
pub const TOKEN_PARTS: &str = "header and payload, as received";
pub const PRESS_CLAIM: &str =
    "Press a claim to read groups from it. The service keeps its own settings.";

// Verification.
pub const KEYS_ARE_SMALLER: &str = "A key set (JWKS) is smaller.";
pub const PROVIDER_KEYS_COUNT: &str = "Tokens of the service's issuer are verified with the keys that \
    the service has of its provider. Keys that you enter here count in their place.";
pub const PASTE_KEYS: &str =
    "Paste or drop the public keys from the provider's jwks_uri. The token is never sent.";

// The path.
pub const TOKEN_TO_VERDICT: &str = "Path from the token to the verdict";

// The request and the verdict.
pub const CLUSTER_NAME_FIXED: &str = "A cluster has only this name.";
pub const REGISTRY_NAMELESS: &str = "The Schema Registry has no name.";
pub const PASTE_TOKEN: &str = "Paste a token to see the verdict.";
pub const LOADING_EVALUATION: &str =
    "Loading the evaluation. If the service does not answer, this is tried again.";
pub const CANDIDATES: &str =
    "The ACLs that can matter for this request, in evaluation order, with what matched";

// Fixes.
pub const TOKEN_REFUSED: &str = "The service refuses this token at sign-in, so no ACL is evaluated and no change of the policy helps.";
pub const GROUPS_THAT_ALLOW: &str = "Any one of these groups would allow it:";
pub const READING_AUDIT_LOG: &str = "Reading the audit log.";
pub const FIX_IN_DRAFT: &str = "The draft has this already";
pub const FIX_ON_OTHER_NAMES: &str = "The draft has the fix on these names now";
pub const GROUPS_CHANGE: &str =
    "The changed setting gives users other groups; the review compares them.";
pub const DRAFT_WITHOUT_FINDINGS: &str = "No findings in the draft.";

// Hypothetical changes.
pub const CHANGES_REMOVED: &str = "All hypothetical changes removed.";
pub const COMPLETE_CHECK_TO_TRY: &str = "Complete the check to see the verdict with the changes.";
pub const ADD_CHANGE: &str =
    "Add a change to see its effect on the verdict and on everything else this user can access.";
pub const NAME_OF_CHECK: &str = "Leave empty to use the resource of the check";
pub const GROUPS_IN_PROVIDER: &str =
    "Change a user's groups in the identity provider. Drafts can't include them.";
pub const COMPARED_VERDICTS: &str = "Verdict, today and with the changes";
pub const SIGN_IN_FAILS: &str = "Sign-in fails with this token.";
pub const ACCESS_CHANGE: &str = "Change in effective access of this user";
pub const SMALLEST_CHANGE: &str = "Smallest change that allows or denies the request";

// Two users.
pub const OTHER_TOKEN: &str = "Access token of the other user";
pub const OTHER_NAME: &str = "Name of the other user";
pub const ENTER_OTHER: &str = "Enter the other user.";
pub const TOKEN_WITHOUT_USER: &str = "One of the tokens names no user, so sign-in fails.";
pub const FIX_BOTH_SIGN_INS: &str = "Fix sign-in for both users first.";

// Whole requests.
pub const API_REQUESTS: &str = "API requests and the checks they require";
pub const WITHOUT_CHANGES: &str = "The changes that are tried are not part of it.";
pub const REQUIRED_CHECKS: &str = "Checks required by the request";

// Tests and sharing.
pub const SAVED_TESTS: &str = "Checks with expected results";
pub const LINK_OR_FILE: &str = "A link to this check, or a file";
pub const COMPARISON: &str = "Differences between two users";
pub const TEST_EXAMPLE: &str = "maya can’t write to payments";
pub const TESTS_WITH_CHANGES: &str = "Tests include the hypothetical changes.";
pub const TEST_CONTENT: &str =
    "Tests contain a user, groups and an outcome, never the token. Export them to keep them.";
pub const TEST_STORED: &str =
    "Review runs it against every draft, and `gbac test --online` against the policy.";
pub const SAVE_WITH_ASSUMPTIONS: &str = "Save with these assumptions?";
pub const TEST_NOT_MADE: &str = "This check can't be saved";
pub const TEST_NOT_STORED: &str = "The test was not stored";
pub const DOWNLOAD_TEST: &str = "Download it as a file";
pub const STORING_NEEDS_SUPERUSER: &str = "Only a superuser can store a test with this service.";
pub const TESTS_OF_SERVICE_ONLY: &str = "This service stores only tests of its own policy.";
pub const TEST_NOT_SAVED: &str = "Not saved: can't reach the service. Try again.";
pub const LINKED_CHECK: &str = "A check from a link";
pub const LINKED_CHECK_CONTENT: &str = "It contains the user, groups, request and assumptions, without the token or its expiry. It is evaluated with this policy.";
pub const LINK_UNREADABLE: &str = "The link could not be read";
pub const COPY_LINK_AGAIN: &str = "It may be incomplete. Copy it again.";
pub const CHECK_IS_SMALLER: &str = "A saved check is smaller.";
pub const CHECK_TO_SHARE: &str = "Enter a user and complete the check first.";
pub const LINK_TOO_LONG: &str =
    "This user has too many groups for a link. Save the check as a file.";
pub const LINK_REFUSED: &str = "This link can't be opened";
pub const LINK_CONTENT: &str = "The link contains the user, groups and request after the #, which browsers do not send. It does not contain the token.";
pub const OPEN_CHECK_FILE: &str = "Open a check from a file";
pub const CHECK_FILE_CONTENT: &str =
    "A file has the same content. `gbac check --checks` evaluates it too.";

// Troubleshooting.
pub const TROUBLESHOOTING_NEEDS_TOKEN: &str = "Troubleshooting needs a token.";
pub const EXPECTED_GROUPS: &str = "Groups you expected, one per line";
pub const EXPECTED_GROUPS_SEARCHED: &str = "Each is searched for in the groups that were read.";
pub const TOKEN_RULES: &str = "Rules for reading the token";
/// The choice of the rules of the platform, of which `rpk` is the command line (D-29).
pub const RULES_OF_PLATFORM: &str = "Brokers managed with rpk";
pub const SAME_ON_PLATFORM: &str = "Brokers managed with rpk read the same groups from this token.";
pub const NAMES_KEPT: &str = "none keeps full names. suffix keeps what follows the last slash.";
pub const RESPONSE_RECEIVED: &str = "Response received. See the step Principals.";
pub const SEND_TOKEN: &str = "Send the token and compare";
pub const COMPARED_SETTINGS: &str = "Settings of this page and of the service";
pub const SETTINGS_DIFFER: &str = "This page uses different settings than the service.";

/// The purpose of the page, with what its verdicts rest on.
pub fn purpose(policy: Option<&Policy>) -> String {
    let size = policy.map_or_else(String::new, |policy| {
        let (acls, roles) = (policy.acl_count(), policy.role_count());
        format!(" on {} and {}", count(acls, "ACL"), count(roles, "role"))
    });
    format!("What a token is allowed to do, and why, evaluated in this browser{size}.")
}

/// The settings that groups are read with.
pub fn extraction_settings(
    is_sso: bool,
    claim_path: &str,
    nested: NestedGroupBehavior,
) -> RichText {
    RichText::from(if is_sso { "SSO attribute " } else { "" })
        .code(claim_path)
        .text(format!(", {} (", kept_names(nested)))
        .code(nested.code())
        .text(")")
}

pub fn groups_read_from(claim_path: &str) -> String {
    format!("Groups are read from {}", plain(claim_path))
}

pub fn keys_address(discovery: &str) -> RichText {
    RichText::from("The provider names its jwks_uri at ")
        .code(discovery)
        .text(". Open it to copy the keys.")
}

pub const fn path_help(is_refused: bool) -> &'static str {
    match is_refused {
        true => "The path is the one of an accepted token.",
        false => "Press an arrow to remove that step and see the verdict without it.",
    }
}

/// Groups of a path that are not shown.
pub fn more_groups_in_token(groups: usize) -> String {
    format!("{}.", count(groups, "more group"))
}

pub fn enter_resource(kind: ResourceType) -> String {
    format!("Enter a {}.", kind.noun())
}

pub const TO_VERDICT: &str = "To the verdict: ";

pub fn hidden_candidates(number: usize, are_for_other_resources: bool) -> String {
    let remark = match are_for_other_resources {
        true => " for other resources",
        false => "",
    };
    format!("{}{remark} hidden.", count(number, "ACL"))
}

pub fn changes_in_draft(number: usize) -> String {
    format!(
        "{} in the draft. Nothing is applied yet.",
        count(number, "change")
    )
}

pub fn verdicts_of_request(now: &str, with_draft: &str) -> String {
    format!("This request: {now}. With the draft: {with_draft}.")
}

/// The other checks of a token that fail at sign-in.
pub fn failed_checks(names: &[&str]) -> String {
    let fail = agree(names.len(), "fails", "fail");
    format!(
        "{} {fail} too: {}.",
        count(names.len(), "other check"),
        list(names)
    )
}

pub fn copy_request(fix: usize) -> String {
    format!("Copy request for fix {fix}")
}

pub fn remove_fix(fix: usize) -> String {
    format!("Remove fix {fix} from the draft")
}

pub fn add_fix(fix: usize) -> String {
    format!("Add to draft: fix {fix}")
}

/// Groups of which no ACL is about the requested resource.
pub fn groups_without_acl(groups: usize, noun: &str) -> String {
    format!(
        "{} without an ACL on this {noun}.",
        count(groups, "more group")
    )
}

/// Groups beyond those that are offered.
pub fn more_groups(groups: usize) -> String {
    format!("{} would allow it.", count(groups, "more group"))
}

/// What the names of a fix are chosen for.
pub fn allow_on(operation: Operation) -> String {
    format!("Allow {} on", operation.spelling().label)
}

/// What opens the principals that a fix affects, or only what it changes for one.
pub const fn see_affected(lists_principals: bool) -> &'static str {
    if lists_principals {
        "See who"
    } else {
        "See what"
    }
}

/// The same, for whom a fix has to be named.
pub fn affected_by(fix: usize) -> String {
    format!(" is affected by fix {fix}")
}

pub const fn added_to_what_if(changes: usize) -> &'static str {
    match changes {
        0 => "This change is already included.",
        _ => "Added to What if.",
    }
}

/// The number of hypothetical changes, or what they are for.
pub fn hypothetical_changes(number: usize) -> String {
    match number {
        0 => "Effect of hypothetical changes".into(),
        _ => format!("{} tried", count(number, "change")),
    }
}

/// The change of the setting for nested names; none where a mapping of SSO connections is in force.
pub fn nested_change(change: Option<[NestedGroupBehavior; 2]>) -> String {
    match change.map(|change| change.map(kept_names)) {
        Some([before, after]) => format!("From {before} to {after}."),
        None => "The mapping of an SSO connection keeps names as they are.".into(),
    }
}

pub fn access_change_of(user: &Principal) -> RichText {
    RichText::from("Change in effective access of ").principal(user)
}

pub fn acls_only_of(user: &Principal, number: usize) -> RichText {
    RichText::from(format!("{} that apply only to ", count(number, "ACL"))).principal(user)
}

pub fn fields_to_fill_in(fields: &[String]) -> String {
    format!("To see the required checks, fill in {}.", list(fields))
}

/// The outcome of a request with so many checks, of which so many are denied.
pub fn request_outcome(outcome: Outcome, checks: usize, denied: usize) -> String {
    match (outcome, checks) {
        (Outcome::Allow, 0) => "Allowed: no permission is required.".into(),
        (Outcome::Allow, _) => format!("Allowed: {}.", count(checks, "check")),
        (Outcome::Deny, _) => format!(
            "Denied: {denied} of {} not allowed.",
            count(checks, "check")
        ),
    }
}

/// What the outcome of a request rests on.
pub fn request_assumes(outcome: Outcome, conditions: Vec<RichText>) -> RichText {
    match outcome {
        Outcome::Allow => hypothesis::if_all("The request is allowed".into(), conditions).text("."),
        Outcome::Deny => assumed(conditions),
    }
}

/// What an answer rests on.
pub fn assumed(conditions: Vec<RichText>) -> RichText {
    RichText::from("Assumed: ")
        .then(hypothesis::conditions(conditions))
        .text(".")
}

/// What a link says that this version does not know.
pub fn unknown_in_link(name: &str) -> RichText {
    RichText::from("It says ")
        .code(name)
        .text(", which this version does not know. Without it, the verdict could be another one. Open the link with the version that made it.")
}

pub fn link_assumptions(conditions: Vec<RichText>) -> RichText {
    RichText::from("It contains the assumptions: ")
        .then(hypothesis::conditions(conditions))
        .text(".")
}

pub fn test_results(tests: usize, failing: usize) -> String {
    match failing {
        0 => format!("{} {}", count(tests, "test"), agree(tests, "holds", "hold")),
        _ => format!(
            "{failing} of {} {}",
            count(tests, "test"),
            agree(failing, "fails", "fail")
        ),
    }
}

pub fn test_saved(file: &str) -> String {
    format!("Saved as {file} with the policy, user and groups, without the token.")
}

pub fn test_stored(number: usize, is_new: bool) -> String {
    if is_new {
        format!("Saved as test {number} of this service")
    } else {
        format!("This is test {number} of this service already")
    }
}

/// What becomes of assumptions in a test: those in its names, those that the policy has to have, and
/// those that it does not check.
///
/// ```
/// use gbac_words::pages::simulator::test_assumptions;
///
/// let words = test_assumptions([vec!["a".into()], vec!["b".into(), "c".into()], vec![]]);
/// assert_eq!(words.plain(), "The test takes for granted that a, and passes only if b and c.");
/// ```
pub fn test_assumptions([names, policy, unchecked]: [Vec<RichText>; 3]) -> RichText {
    let mut words = RichText::from("The test ");
    let mut joined = "";
    for (verb, conditions) in [
        ("takes for granted that ", names),
        ("passes only if ", policy),
        ("does not check that ", unchecked),
    ] {
        if !conditions.is_empty() {
            words = words.text(joined).text(verb);
            words = words.then(listed(conditions, usize::MAX));
            joined = ", and ";
        }
    }
    words.text(".")
}

/// A downloaded test, with the policy of this service or cluster, and with the changes of it that
/// are tried.
pub fn test_downloaded(file: &str, cluster: &str, has_changes: bool) -> RichText {
    let changes = match has_changes {
        true => " with the changes that are tried; ",
        false => "; ",
    };
    RichText::new()
        .code(file)
        .text(" contains the test and the policy of ")
        .code(cluster)
        .text(changes)
        .code(format!("gbac test {file}"))
        .text(" runs it.")
}

pub fn saved_without_token(file: &str) -> String {
    format!("Saved as {file}. No token is in it.")
}

pub fn tests_read(file: &str, tests: usize) -> String {
    format!(
        "{} read from {file}. Its policy is not used.",
        count(tests, "test")
    )
}

pub fn check_read(file: &str) -> String {
    format!("{file} was read. It is evaluated with this policy.")
}

pub fn token_goes_to(service: &str) -> RichText {
    RichText::from("This sends the token to ")
        .code(service)
        .text(", in one request (ResolveOidcIdentity).")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_agree_with_counts() {
        assert_eq!(
            failed_checks(&["expiry"]),
            "1 other check fails too: expiry."
        );
        assert_eq!(
            failed_checks(&["issuer", "expiry"]),
            "2 other checks fail too: issuer and expiry."
        );
        assert_eq!(test_results(1, 0), "1 test holds");
        assert_eq!(test_results(2, 0), "2 tests hold");
        assert_eq!(test_results(2, 1), "1 of 2 tests fails");
        assert_eq!(test_results(3, 2), "2 of 3 tests fail");
    }
}
