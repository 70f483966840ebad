//! The smallest changes that allow a denied request, or deny an allowed one.

use gbac_engine::model::{Acl, Principal};

use crate::acl;
use crate::common::ACLS_NOT_EVALUATED;
use crate::fix::DENY_ON_PURPOSE;
use crate::phrases::{agree, count};
use crate::rich_text::{RichText, listed};

/// Requests that are all allowed.
pub const ALL_GRANTED: &str = "All required permissions are granted.";
/// A token that has expired.
pub const TOKEN_EXPIRED: &str =
    "The token has expired. Get a new token. No change of the policy helps.";
/// A request that a deny blocks.
pub const BLOCKED: &str = "A deny rule blocks this. Remove it first.";
/// The title of changes that take a user out of a group or role that is denied.
pub const LEAVE: &str = "Remove the path to the deny";
/// What such changes leave.
pub const DENIES_STAY: &str = "The denies still apply to everyone else. The user may have the same role through another group.";
/// ACLs that allow a request to a user alone.
pub const FOR_USER_ONLY: &str = "The narrowest change: only for this user and this request.";
/// What changes of an allowed request do.
pub const TO_DENY: &str = "Changes that would deny it.";

/// How many names a sentence lists.
const NAMES: usize = 4;

/// What changes of denied requests do.
pub const fn to_allow(requests: usize) -> &'static str {
    agree(
        requests,
        "Changes that would allow it.",
        "Changes that would allow all of it.",
    )
}

/// Sets of memberships that allow a request. The search is complete, or it stopped at its limit.
pub fn memberships(sets: &[Vec<Principal>], is_complete: bool) -> String {
    let is_single = sets.iter().all(|set| set.len() == 1);
    let title = match (is_single, sets.len()) {
        (true, 1) => "Existing membership that would allow it.",
        (true, _) => "Existing memberships that would allow it; one is enough.",
        (false, 1) => "Existing memberships that would allow it together.",
        (false, _) => "Sets of existing memberships that would allow it; one set is enough.",
    };
    match is_complete {
        true => title.to_owned(),
        false => format!("{title} Not every combination of groups and roles was checked."),
    }
}

/// Denies that block a request.
pub fn denies(number: usize) -> String {
    format!(
        "{} {} this. Remove {} first. {DENY_ON_PURPOSE}",
        count(number, "deny"),
        agree(number, "blocks", "block"),
        agree(number, "it", "them")
    )
}

/// A superuser, whom no ACL denies anything.
pub fn superuser(user: &Principal) -> RichText {
    RichText::new().principal(user).text(format!(
        " is a superuser, so {ACLS_NOT_EVALUATED}. To remove access, remove the user from the superusers."
    ))
}

/// The ACLs to remove, so that a request is denied.
pub fn removals(acls: usize) -> String {
    match acls {
        1 => "The only ACL that allows it. Everyone else who uses it loses access too.".into(),
        acls => {
            format!("The smallest set: {acls} ACLs. Everyone else who uses them loses access too.")
        }
    }
}

/// The groups and roles that a user leaves, so that a request is denied.
pub fn leaving(user: &Principal, memberships: &[Principal]) -> RichText {
    let names = memberships
        .iter()
        .map(|principal| RichText::new().principal(principal));
    RichText::from("The policy does not change, and ")
        .principal(user)
        .text(" leaves ")
        .then(listed(names.collect(), NAMES))
        .text(".")
}

/// The deny that blocks a request and nothing else.
pub fn one_deny(deny: &Acl) -> RichText {
    RichText::from("Changes nothing else, and overrides every allow: ")
        .then(acl::sentence(deny))
        .text(".")
}
