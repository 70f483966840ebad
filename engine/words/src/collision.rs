//! Names that become the same group, in sentences.

use gbac_analysis::{CollidingName, Collision, CollisionReason, Gain};
use gbac_engine::model::Principal;

use crate::phrases::count;
use crate::rich_text::{RichText, listed};

/// Why names become the same group, with code in backticks.
pub const fn cause(reason: CollisionReason) -> &'static str {
    match reason {
        CollisionReason::Suffix => "`suffix` keeps only the last segment of these names",
        CollisionReason::Comma => "the claim is one string, which is split at commas",
    }
}

/// Where a name is from.
pub const fn origin(name: &CollidingName) -> &'static str {
    match (name.in_token, name.named_by_policy) {
        (true, true) => "in the token and in the policy",
        (true, false) => "in the token",
        (false, _) => "in the policy",
    }
}

/// The names of a collision, and why they become one group.
pub fn sentence(collision: &Collision) -> RichText {
    let name = |name: &CollidingName| {
        let origin = origin(name);
        RichText::new()
            .code(&name.name)
            .quiet(format!(" ({origin})"))
    };
    let names = collision.names.iter().map(name).collect();
    listed(names, usize::MAX)
        .text(" become this group: ")
        .then(RichText::message(cause(collision.reason)))
        .text(".")
}

/// What a user gains by one of the names. What is gained follows, unless it is nothing.
pub fn gain(gain: &Gain) -> RichText {
    let user = RichText::new().text("A user with only ").code(&gain.name);
    if gain.regions.is_empty() {
        user.text(" gains no access.")
    } else {
        user.text(" gains:")
    }
}

/// A name in a token that becomes a group of the policy, as intended.
pub fn matched(name: &str, group: &str) -> RichText {
    RichText::new()
        .code(name)
        .text(" becomes ")
        .principal(&Principal::group(group))
        .text(", which the policy names.")
}

/// The number of collisions among the known groups, and the names of a token where there is one.
pub fn total(collisions: usize, known: usize, of_token: bool) -> String {
    let names = if of_token {
        "the names in the token and "
    } else {
        ""
    };
    let known = count(known, "known group");
    match collisions {
        0 => format!("No collisions among {names}{known}."),
        _ => format!("{} among {names}{known}.", count(collisions, "collision")),
    }
}
