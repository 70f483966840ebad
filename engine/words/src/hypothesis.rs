//! What a verdict rests on that nobody checked, or that is only tried: in short, and as the condition
//! of the verdict.

use gbac_analysis::HypotheticalChange;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use gbac_engine::policy::Change;
use gbac_engine::{Assumption, Coded};

use crate::rich_text::{RichText, listed};
use crate::{acl, change, decision, sign_in};

/// The verdict on a request that is allowed under hypotheses.
pub const ALLOWED_IF: &str = "Allowed, if…";
/// The answer that counts while nothing is assumed.
pub const WITHOUT: &str = "Without the assumptions";
/// What makes every hypothesis so.
pub const TAKES: &str = "What it takes";
/// What a change of the settings does.
pub const AFFECTS_EVERYONE: &str = "Affects everyone who signs in";
/// What stands where a verdict rests on no hypothesis.
pub const NONE: &str = "None";
/// Why a verdict on names rests on no hypothesis.
pub const ENTERED_BY_HAND: &str = "User and groups are entered by hand.";

/// A token with a link in place of the groups, in short.
pub const GROUPS_UNKNOWN: &str = "Groups unknown";

/// How many groups a condition names.
const NAMED_GROUPS: usize = 3;
/// How many conditions a sentence names.
const NAMED_CONDITIONS: usize = 2;

/// A hypothesis in words.
#[derive(Debug, Clone, PartialEq)]
pub struct HypothesisWords {
    /// In short: `Ignoring expiry`.
    pub short: RichText,
    /// As a condition, after `if`: `the token has not expired`.
    pub condition: RichText,
    /// What makes it so: `Get a new token.`
    pub takes: RichText,
}

impl HypothesisWords {
    fn new(
        short: impl Into<RichText>,
        condition: impl Into<RichText>,
        takes: impl Into<RichText>,
    ) -> Self {
        Self {
            short: short.into(),
            condition: condition.into(),
            takes: takes.into(),
        }
    }
}

/// A fact about a token that was not checked. `entered` is the issuer or the audience that counts
/// in place of the service's.
///
/// ```
/// use gbac_engine::Assumption;
/// use gbac_words::hypothesis::of_token;
///
/// let words = of_token(Assumption::Issuer, Some("https://idp.example"));
/// assert_eq!(words.short.plain(), "Assuming issuer https://idp.example");
/// assert_eq!(words.condition.plain(), "the service accepts the issuer https://idp.example");
/// assert_eq!(words.takes.plain(), "Accept the issuer https://idp.example.");
/// ```
pub fn of_token(assumption: Assumption, entered: Option<&str>) -> HypothesisWords {
    let (noun, short) = match assumption {
        Assumption::Issuer => ("issuer", "Issuer not checked"),
        Assumption::Audience => ("audience", "Audience not checked"),
        Assumption::Expiry => ("expiry", "Ignoring expiry"),
        Assumption::Signature => ("signature", sign_in::SIGNATURE_NOT_VERIFIED),
    };
    match entered {
        Some(entered) => HypothesisWords::new(
            RichText::from(format!("Assuming {noun} ")).code(entered),
            RichText::from(format!("the service accepts the {noun} ")).code(entered),
            RichText::from(format!("Accept the {noun} "))
                .code(entered)
                .text("."),
        ),
        None if assumption == Assumption::Expiry => {
            HypothesisWords::new(short, decision::condition(assumption), "Get a new token.")
        }
        None => HypothesisWords::new(short, decision::condition(assumption), "Verify the token."),
    }
}

/// A claim path in place of the service's.
pub fn claim_path(path: &str) -> HypothesisWords {
    HypothesisWords::new(
        RichText::from("Claim path ").code(path),
        RichText::from("groups are read from ").code(path),
        set("oidc_group_claim_path", path),
    )
}

/// Another way to read nested names than the service's.
pub fn nested_names(nested: NestedGroupBehavior) -> HypothesisWords {
    HypothesisWords::new(
        RichText::from("Nested names ").code(nested.code()),
        RichText::from("the nested group behavior is ").code(nested.code()),
        set("nested_group_behavior", nested.code()),
    )
}

/// A claim or mapping of the user in place of the service's.
pub fn user_claim(mapping: &str) -> HypothesisWords {
    HypothesisWords::new(
        RichText::from("User claim ").code(mapping),
        RichText::from("the user is read from ").code(mapping),
        set("oidc_principal_mapping", mapping),
    )
}

/// What sets a setting.
fn set(setting: &str, value: &str) -> RichText {
    RichText::from("Set ")
        .code(setting)
        .text(" to ")
        .code(value)
        .text(".")
}

/// Groups that deny a request, of a user whose groups are unknown: as the condition under which it
/// is allowed.
///
/// ```
/// use gbac_words::hypothesis::in_none_of;
/// let condition = |groups: &[&str]| in_none_of(groups.iter().copied()).plain();
/// assert_eq!(condition(&["contractors"]), "the user is not in Group:contractors");
/// assert_eq!(
///     condition(&["a", "b", "c", "d", "e"]),
///     "the user is in none of: Group:a, Group:b, Group:c and 2 more",
/// );
/// ```
pub fn in_none_of<'a>(groups: impl IntoIterator<Item = &'a str>) -> RichText {
    let mut names = Vec::new();
    for group in groups {
        names.push(RichText::new().principal(&Principal::group(group)));
    }
    let words = match names.len() {
        1 => "the user is not in ",
        _ => "the user is in none of: ",
    };
    RichText::from(words).then(listed(names, NAMED_GROUPS))
}

/// A change that is tried.
///
/// ```
/// use gbac_analysis::HypotheticalChange;
/// use gbac_words::hypothesis::tried;
///
/// let words = tried(&HypotheticalChange::Leave("eng".into()));
/// assert_eq!(words.short.plain(), "Without Group:eng");
/// assert_eq!(words.condition.plain(), "the user is not in Group:eng");
/// assert_eq!(words.takes.plain(), "Remove the user from Group:eng in the identity provider.");
/// ```
pub fn tried(trial: &HypotheticalChange) -> HypothesisWords {
    match trial {
        HypotheticalChange::Leave(group) => {
            let group = Principal::group(group);
            HypothesisWords::new(
                RichText::from("Without ").principal(&group),
                RichText::from("the user is not in ").principal(&group),
                in_provider("Remove the user from ", &group),
            )
        }
        HypotheticalChange::Join(group) => {
            let group = Principal::group(group);
            HypothesisWords::new(
                RichText::from("With ").principal(&group),
                RichText::from("the user is in ").principal(&group),
                in_provider("Add the user to ", &group),
            )
        }
        HypotheticalChange::Policy(Change::RemoveMember { role, member }) => membership(
            "Without ",
            member,
            " is not in ",
            role,
            ["Remove ", " from "],
        ),
        HypotheticalChange::Policy(Change::AddMember { role, member }) => {
            membership("With ", member, " is in ", role, ["Add ", " to "])
        }
        HypotheticalChange::Policy(Change::RemoveAcl(removed)) => HypothesisWords::new(
            RichText::from("Without ").then(acl::sentence(removed)),
            RichText::from("the ACL ")
                .then(acl::sentence(removed))
                .text(" is removed"),
            RichText::from("Remove the ACL ")
                .then(acl::sentence(removed))
                .text("."),
        ),
        HypotheticalChange::Policy(Change::AddAcl(added)) => HypothesisWords::new(
            RichText::from("With ").then(acl::sentence(added)),
            RichText::from("the ACL ")
                .then(acl::sentence(added))
                .text(" is added"),
            RichText::from("Add the ACL ")
                .then(acl::sentence(added))
                .text("."),
        ),
        HypotheticalChange::Policy(other) => {
            let words = change::sentence(other);
            let condition = RichText::from("this change is made: ").then(words.clone());
            let takes = words.clone().text(".");
            HypothesisWords::new(words, condition, takes)
        }
    }
}

fn in_provider(words: &str, group: &Principal) -> RichText {
    RichText::from(words)
        .principal(group)
        .text(" in the identity provider.")
}

fn membership(
    short: &str,
    member: &Principal,
    condition: &str,
    role: &str,
    [verb, between]: [&str; 2],
) -> HypothesisWords {
    let role = Principal::role(role);
    HypothesisWords::new(
        RichText::from(short)
            .principal(member)
            .text(" → ")
            .principal(&role),
        RichText::new()
            .principal(member)
            .text(condition)
            .principal(&role),
        RichText::from(verb)
            .principal(member)
            .text(between)
            .principal(&role)
            .text("."),
    )
}

/// Conditions in a list that names the first of them: `a, b and 3 more`.
pub fn conditions(conditions: Vec<RichText>) -> RichText {
    listed(conditions, NAMED_CONDITIONS)
}

/// A sentence that holds under conditions.
pub fn if_all(sentence: RichText, all: Vec<RichText>) -> RichText {
    sentence.text(", if ").then(conditions(all))
}

/// What an answer still rests on, as a sentence.
pub fn if_they_hold(all: Vec<RichText>) -> RichText {
    RichText::from("If ").then(conditions(all)).text(".")
}

/// The sentence of a verdict that rests on no hypothesis about its token.
pub fn checked(key_id: Option<&str>) -> RichText {
    let words = RichText::from("Signature verified");
    let words = match key_id {
        Some(key_id) => words.text(" with key ").code(key_id),
        None => words,
    };
    words.text("; issuer, audience and expiry checked.")
}

/// The label of a button that takes a hypothesis back.
pub fn remove(short: &RichText) -> String {
    format!("Remove the assumption: {}", short.plain())
}

/// The label of a button that adds what makes a hypothesis so to the draft.
pub fn add_to_draft(takes: &RichText) -> String {
    format!("Add to draft: {}", takes.plain())
}

/// The label of a button that restores a hypothesis which was taken back.
pub fn restore(short: &RichText) -> String {
    format!("Restore the assumption: {}", short.plain())
}
