//! The extraction, from a token to principals, step by step.

use gbac_engine::Coded;
use gbac_engine::groups::{
    ClaimFinding, ClaimSource, DropCode, Extraction, Group, NestedGroupBehavior, described,
};
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_engine::token::Header;
use gbac_engine::warning::WarningCode;

use crate::phrases::count;
use crate::rich_text::{RichText, listed};

/// What decoding a token does.
pub const DECODING: &str = "Decodes the token without verifying it.";
/// Where the user comes from.
pub const USER: &str = "A claim names the user, such as `$.sub`.";
/// Where groups come from.
pub const GROUP_CLAIM: &str =
    "A claim path selects an array of names or one comma-separated string.";
/// What becomes of names that are paths.
pub const NESTED_NAMES: &str = "`none` keeps names, `suffix` keeps their last segment.";
/// What becomes of names.
pub const PRINCIPALS: &str =
    "Each name becomes `Group:<name>`, beside the claim element that it came from.";
/// Claims without a token around them.
pub const CLAIMS_AS_JSON: &str = "Claims entered as JSON, without a signature";
/// Groups that were not read from a token.
pub const NAMES_BY_HAND: &str = "Names entered by hand are used as they are.";
/// A user without groups, as entered.
pub const NO_GROUPS_BY_HAND: &str = "No groups. Only ACLs for the user and the user’s roles apply.";
/// A token without groups.
pub const NO_GROUPS: &str = "None. Only ACLs for the user and the user’s roles apply.";

/// Groups that look like object IDs of Entra ID.
pub const OBJECT_IDS: &str = "The groups are object IDs";

/// A JSON list in place of a token.
pub const JSON_LIST: &str = "this is a JSON list";
/// What to do about a JSON list in place of a token.
pub const JSON_LIST_HINT: &str = "paste the claims as an object, or a token";

/// How many names a sentence lists.
const NAMES: usize = 4;

/// The header of a decoded token.
pub fn header(header: &Header) -> RichText {
    let words = RichText::from("Compact JWS, ").code(header.alg());
    match header.kid() {
        Some(kid) => words.text(", key ").code(kid),
        None => words.text(", no key ID"),
    }
}

/// How many names the token has, and how many groups the user gets from them.
pub fn summary(extraction: &Extraction) -> String {
    let groups = count(extraction.groups.len(), "group");
    let names = count(extraction.elements.len(), "name");
    format!("{names} in the token, {groups} of the user")
}

/// What becomes of nested names with a setting.
pub const fn kept_names(nested: NestedGroupBehavior) -> &'static str {
    match nested {
        NestedGroupBehavior::None => "full names",
        NestedGroupBehavior::Suffix => "names after the last slash",
    }
}

/// The user that a mapping gives. Without an expression, the value is the claim's own.
pub fn user(mapping: &PrincipalMapping, user: &str) -> RichText {
    let verb = match mapping.as_str().contains('/') {
        true => " gives ",
        false => " is ",
    };
    RichText::new()
        .code(mapping.as_str())
        .text(verb)
        .code(user)
        .text(", so ")
        .principal(&Principal::user(user))
}

/// The value at the claim path.
pub fn claim(source: &ClaimSource, extraction: &Extraction) -> RichText {
    let path = RichText::new().code(source.to_string());
    match &extraction.claim {
        ClaimFinding::Array { len: 0, .. } => path.text(" found: an empty array"),
        ClaimFinding::Array { .. } => path.text(" found: an array of strings"),
        ClaimFinding::CommaList { .. } => path.text(" found: one string, split at its commas"),
        ClaimFinding::Union { nodes } => {
            path.text(format!(" selects {}, combined", count(*nodes, "value")))
        }
        ClaimFinding::Missing { .. } => extraction
            .warnings
            .iter()
            .find(|warning| warning.code == WarningCode::ClaimMissing)
            .map_or_else(
                || path.text(" is not there"),
                |warning| RichText::with_hint(&warning.message, ""),
            ),
        ClaimFinding::WrongType { location, found } => RichText::new()
            .code(location)
            .text(format!(" is {}, not a list of names", described(found))),
        ClaimFinding::NotString { location, found } => RichText::new().code(location).text(
            format!(" is {}, so the whole claim is discarded", described(found)),
        ),
        ClaimFinding::TooMany => path.text(" selects too many values, so the claim is discarded"),
        ClaimFinding::NoUserInfo => {
            path.text(" reads the user-info document. Paste it below the token.")
        }
    }
}

/// What becomes of names that are paths, by the nested group behavior.
pub fn nested(behavior: NestedGroupBehavior) -> RichText {
    let words = RichText::new().code(behavior.code());
    match behavior {
        NestedGroupBehavior::None => words.text(" keeps names as they are"),
        NestedGroupBehavior::Suffix => words.text(" keeps what follows the last ").code("/"),
    }
}

/// Why an element of the claim gave no group.
pub const fn dropped(code: DropCode) -> &'static str {
    match code {
        DropCode::EmptyName | DropCode::EmptyPart => "dropped: empty",
        DropCode::SuffixEmpty => "dropped: nothing after the last slash",
        DropCode::ElementNotString => "dropped: not a string",
        DropCode::ClaimDiscarded | DropCode::ClaimWrongType => "discarded with the claim",
    }
}

/// A missing claim without a replacement. `keyed` is a claim that is an object with names as its
/// keys, as Zitadel sends.
pub fn no_names(keyed: Option<&str>) -> RichText {
    match keyed {
        Some(name) => RichText::new().code(name).text(
            " is an object with names as its keys, and a claim path selects values only. Configure the identity provider to add an array of names.",
        ),
        None => "Configure the identity provider to add the groups to the access token as an array of names.".into(),
    }
}

/// Names of the token that became one group.
pub fn collision_title(group: &Group) -> String {
    let groups = match raw_names(group).len() {
        2 => "Two groups".into(),
        3 => "Three groups".into(),
        number => format!("{number} groups"),
    };
    format!("{groups} become {}", Principal::group(&group.name))
}

/// The names of the token that became one group, and what that group is granted (D-10).
pub fn collision(group: &Group, policy: &Policy) -> RichText {
    let names = raw_names(group);
    let either = match names.len() {
        2 => "either one",
        _ => "any one",
    };
    let principal = Principal::group(&group.name);
    let roles: Vec<Principal> = policy.roles_of(&principal).map(Principal::role).collect();
    let direct = policy.acls_of(&principal).len();
    let through: usize = roles.iter().map(|role| policy.acls_of(role).len()).sum();
    let gets = match (direct, roles.len()) {
        (0, 0) => "It has no ACLs yet.".into(),
        (0, roles) => format!(
            "Members of {either} get {} with {}.",
            count(roles, "role"),
            count(through, "ACL")
        ),
        (direct, 0) => format!("Members of {either} get {}.", count(direct, "ACL")),
        (direct, roles) => format!(
            "Members of {either} get {}, and {} with {through} more.",
            count(direct, "ACL"),
            count(roles, "role")
        ),
    };
    let names = names.into_iter().map(|name| RichText::new().code(name));
    listed(names.collect(), NAMES)
        .text(" end in the same segment. ")
        .text(gets)
}

/// The different names of the token that became this group.
fn raw_names(group: &Group) -> Vec<&str> {
    let mut names: Vec<&str> = vec![&group.raw];
    for (name, _) in &group.duplicates {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// Groups that are collisions too, without what they are granted.
pub fn more_collisions(groups: &[&Group]) -> (String, RichText) {
    let names = groups
        .iter()
        .map(|group| RichText::new().principal(&Principal::group(&group.name)));
    (
        format!("{} more names merged", groups.len()),
        listed(names.collect(), 2 * NAMES),
    )
}
