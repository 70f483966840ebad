//! Fixes of how groups get from the token to the user.

use gbac_engine::decide::{Decision, Outcome, Request};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use gbac_engine::warning::WarningCode;

use crate::escape::plain;
use crate::fix::{NAMES, NEXT_SIGN_IN};
use crate::phrases::{agree, count, list_up_to};
use crate::request;
use crate::rich_text::{RichText, listed};

/// A token without groups.
pub const NO_GROUPS: &str = "The token has no groups";
/// Groups that stand in the user-info document.
pub const PASTE_USER_INFO: &str = "Paste the user-info document";

/// What makes a token contain groups, by the warning that says why it has none.
pub const fn title(code: WarningCode) -> &'static str {
    match code {
        WarningCode::IdToken => "Use the access token of the same sign-in",
        WarningCode::NearClaim => "Correct the claim path",
        WarningCode::ClaimWrongType
        | WarningCode::ElementNotString
        | WarningCode::EncodedList
        | WarningCode::ListInName
        | WarningCode::NameSplit
        | WarningCode::TooManyNodes => "Have the identity provider send a list of group names",
        WarningCode::BlanksRemoved
        | WarningCode::ClaimMissing
        | WarningCode::DuplicateGroup
        | WarningCode::EdgeWhitespace
        | WarningCode::EmptyName
        | WarningCode::EmptyPart
        | WarningCode::ExpiryUnreadable
        | WarningCode::GroupOverage
        | WarningCode::GroupPrefix
        | WarningCode::HiddenCharacter
        | WarningCode::InvisibleRemoved
        | WarningCode::KidMissing
        | WarningCode::PlatformAlg
        | WarningCode::PlatformEmptyPart
        | WarningCode::PlatformMapping
        | WarningCode::PlatformPath
        | WarningCode::PlatformTyp
        | WarningCode::SuffixCollision
        | WarningCode::SuffixEmpty
        | WarningCode::SurroundingTextRemoved
        | WarningCode::TokenResponse
        | WarningCode::TypRefused => "Have the identity provider send the groups in the token",
    }
}

/// What groups in the token change. Each of `joins` is a group that allows the request.
///
/// ```
/// use gbac_words::token_fix::effect;
/// let any = effect(&["/eng/payments", "payments"]).plain();
/// assert_eq!(any, "Allowed once the token has any one of Group:/eng/payments and Group:payments.");
/// ```
pub fn effect(joins: &[&str]) -> RichText {
    let has = match joins {
        [] => return "Until then, no group of this user counts.".into(),
        [_] => "Allowed once the token has ",
        _ => "Allowed once the token has any one of ",
    };
    RichText::from(has).then(groups(joins)).text(".")
}

/// The request to the administrator of the identity provider for groups in the token. `found` is
/// what the token has instead.
pub fn provider_request(
    code: WarningCode,
    found: &RichText,
    user: &str,
    request: &Request<'_>,
    joins: &[&str],
) -> String {
    let mut lines = vec![
        "Have the access tokens of this application contain the user's groups, as a list of names."
            .to_owned(),
        format!("Found: {}", found.plain()),
        format!(
            "Reason: without groups, the user {} is denied the request \"{}\".",
            plain(user),
            request::short(request).plain()
        ),
    ];
    if !joins.is_empty() {
        let names: Vec<String> = joins.iter().map(|name| plain(name)).collect();
        let groups = agree(joins.len(), "this group", "one of these groups");
        lines.push(format!(
            "The user has to be a member of {groups}: {}.",
            list_up_to(&names, NAMES)
        ));
    }
    if code == WarningCode::GroupOverage {
        lines.push("In Entra ID: in the token configuration, set the groups claim to the groups assigned to the application, assign the group to the application, and send names, not object IDs.".to_owned());
    }
    lines.push(NEXT_SIGN_IN.to_owned());
    lines.join("\n")
}

/// The setting of another claim path.
pub fn other_path(path: &str) -> RichText {
    RichText::from("Read groups from ").code(path)
}

/// The groups that a token has with another claim path, and whether they allow the request.
pub fn about_other_path(names: &[&str], outcome: Outcome) -> RichText {
    let then = match outcome {
        Outcome::Allow => ". This request is allowed then.",
        Outcome::Deny => ". This request stays denied until one of them is allowed it.",
    };
    let number = count(names.len(), "group");
    RichText::from(format!("1 change. The token then has {number}: "))
        .then(groups(names))
        .text(then)
}

/// The setting of this nested group behavior.
pub fn nested(behavior: NestedGroupBehavior) -> RichText {
    match behavior {
        NestedGroupBehavior::Suffix => {
            RichText::message("Read the last part of group paths (`suffix`)")
        }
        NestedGroupBehavior::None => RichText::message("Read group paths in full (`none`)"),
    }
}

/// What another nested group behavior changes: the name that becomes the deciding group, and the
/// decision.
pub fn about_nested(renamed: Option<(&str, &str)>, then: &Decision) -> RichText {
    let words = RichText::from("1 change.");
    let words = match renamed {
        Some((name, group)) => {
            let words = words
                .text(" ")
                .code(name)
                .text(" becomes ")
                .principal(&Principal::group(group));
            match &then.role {
                Some(role) => words
                    .text(", a member of ")
                    .principal(&Principal::role(role))
                    .text("."),
                None => words.text("."),
            }
        }
        None => words,
    };
    words.text(" It applies to every token, from the next sign-in.")
}

/// A group that the token has under another name, because of the nested group behavior.
pub fn under_another_name(group: &str, name: &str, behavior: NestedGroupBehavior) -> RichText {
    let reading = match behavior {
        NestedGroupBehavior::None => ". Groups are read with `none`, as full paths.",
        NestedGroupBehavior::Suffix => {
            ". Groups are read with `suffix`, so only the last part counts."
        }
    };
    RichText::from("The user has ")
        .principal(&Principal::group(group))
        .text(" in the token as ")
        .code(name)
        .then(RichText::message(reading))
}

fn groups(names: &[&str]) -> RichText {
    let names = names
        .iter()
        .map(|name| RichText::new().principal(&Principal::group(*name)));
    listed(names.collect(), NAMES)
}
