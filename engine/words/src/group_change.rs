//! What other settings do to the names in tokens and to their groups.

use gbac_analysis::{AccessEffect, GroupChange, GroupEffect};
use gbac_engine::model::Principal;

use crate::phrases::{agree, count, list_up_to, thousands};
use crate::rich_text::RichText;

/// How many names and roles of each kind a summary names.
const NAMES: usize = 2;

/// What a name in a token becomes, for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupOutcome {
    /// This group.
    Group(String),
    /// No group: nothing is left of the name.
    Nothing,
    /// It is not read: the claim path does not lead there.
    NotRead,
    /// Nobody can tell: names are read elsewhere.
    Unknown,
}

/// Why a member of a role is not renamed, whose group becomes one with another.
pub const MERGES: &str = "becomes the same as another group";
/// Why a member of a role is not renamed, whose name becomes no group.
pub const NO_NAME: &str = "has no name to rename to";

/// Why users with a name in their token gain or lose access, as a sentence without the final
/// period; the outcomes are those before and after.
pub fn because(
    change: &GroupChange,
    [today, then]: &[GroupOutcome; 2],
    effect: AccessEffect,
) -> RichText {
    let is_gain = matches!(
        effect,
        AccessEffect::Gains | AccessEffect::CanGain | AccessEffect::StillDenied
    );
    match (then, today) {
        (GroupOutcome::Group(group), _) if is_gain => {
            with_roles(becomes(group), ", a member of ", &change.roles_gained)
        }
        _ => with_roles(
            loss(today, then, is_gain),
            ", which is in ",
            &change.roles_lost,
        ),
    }
}

fn loss(today: &GroupOutcome, then: &GroupOutcome, is_gain: bool) -> RichText {
    let words = RichText::new();
    match (then, today) {
        // Nobody gains by a name that is no group any more, but where it was denied.
        (GroupOutcome::Nothing | GroupOutcome::NotRead, GroupOutcome::Group(group)) if is_gain => {
            words
                .text("a deny for ")
                .principal(&Principal::group(group))
                .text(" no longer applies")
        }
        (GroupOutcome::Nothing, _) => words.text("the name no longer produces a group"),
        (GroupOutcome::NotRead, _) => words.text("the name is no longer read"),
        (GroupOutcome::Unknown, _) => words.text("the policy changes"),
        (GroupOutcome::Group(_), GroupOutcome::Group(group)) => words
            .text("is no longer ")
            .principal(&Principal::group(group)),
        (GroupOutcome::Group(group), _) => becomes(group),
    }
}

fn becomes(group: &str) -> RichText {
    RichText::new()
        .text("becomes ")
        .principal(&Principal::group(group))
}

/// Names the roles after the words that lead to them, if there are any.
fn with_roles(words: RichText, lead: &'static str, roles: &[String]) -> RichText {
    let mut words = words;
    for (place, name) in roles.iter().enumerate() {
        words = words
            .text(if place == 0 { lead } else { ", " })
            .principal(&Principal::role(name));
    }
    words
}

/// What happens to a name in a token.
pub const fn effect(effect: GroupEffect) -> &'static str {
    match effect {
        GroupEffect::Renamed => "produces another group",
        GroupEffect::Dropped => "no longer produces a group",
        GroupEffect::NotRead => "is no longer read",
        GroupEffect::Added => "now produces a group",
        GroupEffect::MoreNames => "paths that end with this name now produce it too",
        GroupEffect::FewerNames => "paths that end with this name no longer produce it",
        GroupEffect::Unknown => "unknown: groups are read from another claim",
        GroupEffect::Unchanged => "unchanged",
    }
}

/// What happens to a name, and to the memberships in roles that it gives.
pub fn summary(change: &GroupChange) -> String {
    let mut parts = Vec::new();
    if !change.collides_with.is_empty() {
        let names = list_up_to(&change.collides_with, NAMES);
        parts.push(format!("merges with {names}"));
    }
    if parts.is_empty() || change.effect != GroupEffect::Unchanged {
        parts.push(effect(change.effect).to_owned());
    }
    if !change.roles_lost.is_empty() {
        parts.push(format!("leaves {}", list_up_to(&change.roles_lost, NAMES)));
    }
    if !change.roles_gained.is_empty() {
        let roles = list_up_to(&change.roles_gained, NAMES);
        parts.push(format!("joins {roles}"));
    }
    list_up_to(&parts, usize::MAX)
}

/// How many names become the same group as others; nothing if none does.
pub fn merging(names: usize) -> Option<String> {
    counted(
        names,
        "name produces a group that others also produce",
        "names produce a group that others also produce",
    )
}

/// How many names become no group; nothing if none does.
pub fn dropped(names: usize) -> Option<String> {
    counted(
        names,
        "name no longer produces a group",
        "names no longer produce a group",
    )
}

/// How many members of roles are groups that no token will produce; nothing if none is.
pub fn unmatched_members(members: usize) -> Option<String> {
    counted(
        members,
        "role member will no longer match any user",
        "role members will no longer match any user",
    )
}

/// For how many groups nobody can tell whether tokens still contain them, because they are read
/// from another claim; nothing if there is none.
pub fn unknown(groups: usize) -> Option<String> {
    (groups > 0).then(|| format!("unknown for {}", count(groups, "group")))
}

/// What tokens settled of the groups that would be unknown without them.
///
/// ```
/// use gbac_words::group_change::settled;
/// assert_eq!(settled(1, 5, 2), "1 token read. It settles 5 groups; 2 remain unknown.");
/// assert_eq!(settled(2, 1, 0), "2 tokens read. They settle 1 group; none remains unknown.");
/// ```
pub fn settled(tokens: usize, groups: usize, unknown: usize) -> String {
    let rest = match unknown {
        0 => "none remains unknown".to_owned(),
        _ => format!(
            "{} {} unknown",
            thousands(unknown),
            agree(unknown, "remains", "remain")
        ),
    };
    format!(
        "{} read. {} {}; {rest}.",
        count(tokens, "token"),
        agree(tokens, "It settles", "They settle"),
        count(groups, "group")
    )
}

/// In place of a name of no letters, such as between two commas.
pub const EMPTY_NAME: &str = "an empty name";

/// Beside a name that no token contains, and the policy does.
pub const KNOWN: &str = "known";

/// The field for tokens of several kinds of users.
pub const TOKENS: &str = "Tokens, one of each kind of user";

/// What becomes of them.
pub const TOKENS_STAY: &str = "Paste or drop them. Tokens stay in this tab.";

/// Why one of several tokens is not read; `place` counts from 0.
pub fn wrong_token(place: usize, tokens: usize, problem: &str) -> String {
    match tokens {
        1 => problem.to_owned(),
        _ => format!("Token {}: {problem}", place + 1),
    }
}

/// Why some tokens are not read.
pub fn too_many_tokens(most: usize) -> String {
    format!("Only the first {most} tokens are read. Remove the others.")
}

/// Which tokens contain a name, where others differ; they count from 0.
///
/// ```
/// assert_eq!(gbac_words::group_change::in_tokens(&[0]), "in token 1");
/// assert_eq!(gbac_words::group_change::in_tokens(&[0, 2]), "in tokens 1 and 3");
/// ```
pub fn in_tokens(tokens: &[usize]) -> String {
    let numbers: Vec<String> = tokens.iter().map(|token| (token + 1).to_string()).collect();
    format!(
        "in {} {}",
        agree(tokens.len(), "token", "tokens"),
        list_up_to(&numbers, usize::MAX)
    )
}

/// What makes it known.
pub const UNKNOWN_UNTIL_TOKEN: &str =
    "Groups are read from another claim. A token that has it shows which groups remain.";

fn counted(number: usize, one: &str, many: &str) -> Option<String> {
    (number > 0).then(|| format!("{} {}", thousands(number), agree(number, one, many)))
}

/// The warning before such a change.
pub const CHANGES_PERMISSIONS: &str = "This change affects who has which permissions";

/// The table of the names and their groups.
pub const NAMES_AND_GROUPS: &str = "Names in tokens and the groups that they become";

/// The table of gains and losses.
pub const GAINED_AND_LOST: &str = "Access gained and lost by the change";

/// How many names are left out of the table.
pub fn names_not_shown(names: usize) -> String {
    format!(
        "{} {} not shown: they stay the same, or come after these.",
        thousands(names),
        agree(names, "other name", "other names")
    )
}
