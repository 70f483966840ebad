//! The extraction: from a token to principals, step by step.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::provider::object_ids;
use gbac_engine::Coded;
use gbac_engine::groups::{
    ClaimFinding, ClaimSource, DropCode, Element, ElementOutcome, Extraction, Group, MissingReason,
    NestedGroupBehavior, Suggestion,
};
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_engine::token::Header;
use gbac_engine::warning::{Warning, WarningCode};
use gbac_words::phrases::count;
use gbac_words::rich_text::{RichText, listed};

use crate::simulator::claim_sources::{GroupClaim, UserSource};
pub use crate::simulator::extraction_steps::{
    ElementRow, ExtractionInput, ExtractionNote, ExtractionStep, RowOutcome, StepState, Steps,
    Table,
};
use crate::simulator::inputs::{Action, InputEdit, Weight, identity_error, sentence};
use crate::simulator::token::DecodedToken;

/// How many paths are offered as buttons.
const OFFERED_PATHS: usize = 4;
/// How many names a note lists.
const LISTED_NAMES: usize = 4;

/// The steps of a token or of claims.
#[must_use]
pub fn of_token(taken: &ExtractionInput<'_>) -> Steps {
    let extraction = taken.extraction;
    let merged = extraction
        .groups
        .iter()
        .filter(|group| is_merged(group))
        .count();
    let principals = count(extraction.groups.len(), "principal");
    let (path, claim) = (taken.rules.extraction.source.to_string(), claim_step(taken));
    let steps = vec![
        decode_step(taken.read),
        user_step(taken),
        claim.clone(),
        nested_step(taken),
        last_step(extraction, merged),
    ];
    Steps {
        summary: format!(
            "{} in, {principals} out",
            count(extraction.elements.len(), "group")
        ),
        steps,
        user: taken
            .user
            .ok()
            .map(|user| UserSource::from_rule(taken.rules.mapping.as_str(), user)),
        claim: Some(GroupClaim::at_path(
            &path,
            claim.count.clone(),
            claim.state != StepState::Bad,
            taken.read.claims.members(),
        )),
        table: table(taken),
        notes: notes(taken),
    }
}

/// What the steps will say once there is a token.
#[must_use]
pub fn outline() -> Vec<(&'static str, RichText)> {
    vec![
        ("Decode", "Decodes the token without verifying it.".into()),
        (
            "User",
            RichText::new()
                .text("A claim names the user, such as ")
                .code("$.sub")
                .text("."),
        ),
        (
            "Group claim",
            "A claim path selects an array of names or one comma-separated string.".into(),
        ),
        (
            "Nested names",
            RichText::new()
                .code("none")
                .text(" keeps names, ")
                .code("suffix")
                .text(" keeps their last segment."),
        ),
        (
            "Principals",
            RichText::new()
                .text("Each name becomes ")
                .code("Group:<name>")
                .text(", beside the claim element that it came from."),
        ),
    ]
}

/// The steps where the groups were given by hand.
#[must_use]
pub fn by_hand(identity: &Identity) -> Steps {
    let groups = identity.groups();
    let rows = groups.iter().enumerate().map(|(index, name)| ElementRow {
        place: (index + 1).to_string(),
        raw: (name.clone(), String::new()),
        outcome: RowOutcome::Principal(Principal::group(name)),
    });
    let user = ExtractionStep {
        title: "User",
        count: String::new(),
        state: StepState::Done,
        body: vec![
            RichText::new()
                .text("Entered by hand: ")
                .principal(&Principal::user(identity.user())),
        ],
    };
    let body = if groups.is_empty() {
        "No groups. Only ACLs for the user and the user’s roles apply."
    } else {
        "Names entered by hand are used as they are."
    };
    let last = ExtractionStep {
        title: "Principals",
        count: groups.len().to_string(),
        state: StepState::Done,
        body: vec![body.into()],
    };
    Steps {
        summary: format!("{} by hand", count(groups.len(), "group")),
        steps: vec![user, last],
        user: Some(UserSource::by_hand(identity.user())),
        claim: None,
        table: (!groups.is_empty()).then(|| Table {
            source: "by hand".into(),
            numbered: true,
            rows: rows.collect(),
        }),
        notes: Vec::new(),
    }
}

fn decode_step(read: &DecodedToken) -> ExtractionStep {
    let mut body = Vec::new();
    match &read.header {
        Some(header) => {
            let words = RichText::new().text("Compact JWS, ").code(header.alg());
            body.push(match header.kid() {
                Some(kid) => words.text(", key ").code(kid),
                None => words.text(", no key ID"),
            });
        }
        None => body.push("Claims entered as JSON, without a signature".into()),
    }
    body.extend(read.left_out.iter().cloned());
    ExtractionStep {
        title: "Decode",
        count: count(read.claims.members().len(), "claim"),
        state: StepState::Done,
        body,
    }
}

fn user_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    let mapping = taken.rules.mapping.as_str();
    let (state, body) = match taken.user {
        Ok(user) => {
            let principal = Principal::user(user);
            // The claim is shown as it is where the rule takes it whole; a rule with an expression
            // speaks for itself.
            let words = RichText::new()
                .code(mapping)
                .text(if mapping.contains('/') {
                    " gives "
                } else {
                    " is "
                });
            (
                StepState::Done,
                words.code(user).text(", so ").principal(&principal),
            )
        }
        Err(error) => (StepState::Bad, identity_error(error)),
    };
    ExtractionStep {
        title: "User",
        count: String::new(),
        state,
        body: vec![body],
    }
}

fn claim_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    let source = &taken.rules.extraction.source;
    let path = source.to_string();
    let names = |number: usize| count(number, "name");
    let (state, words, number) = match &taken.extraction.claim {
        ClaimFinding::Array { len: 0, .. } => (
            StepState::Warn,
            RichText::new().code(path).text(" found: an empty array"),
            names(0),
        ),
        ClaimFinding::Array { len, .. } => (
            StepState::Done,
            RichText::new()
                .code(path)
                .text(" found: an array of strings"),
            names(*len),
        ),
        ClaimFinding::CommaList { parts, .. } => {
            let words = RichText::new()
                .code(path)
                .text(" found: one string, split at its commas");
            (StepState::Done, words, names(*parts))
        }
        ClaimFinding::Union { nodes } => {
            let words = RichText::new()
                .code(path)
                .text(format!(" selects {}, combined", count(*nodes, "value")));
            (
                StepState::Done,
                words,
                names(taken.extraction.elements.len()),
            )
        }
        ClaimFinding::Missing { .. } => {
            let missing = taken
                .extraction
                .warnings
                .iter()
                .find(|warning| warning.code == WarningCode::ClaimMissing);
            let words = missing.map_or_else(
                || RichText::new().code(path).text(" is not there"),
                |warning| sentence(&warning.message, ""),
            );
            (StepState::Bad, words, names(0))
        }
        ClaimFinding::WrongType { location, found } => {
            let words = RichText::new()
                .code(location.clone())
                .text(format!(" is {found}, not a list of names"));
            (StepState::Bad, words, names(0))
        }
        ClaimFinding::NotString { location, found } => {
            let words = RichText::new()
                .code(location.clone())
                .text(format!(" is {found}, so the whole claim is discarded"));
            (StepState::Bad, words, names(0))
        }
        ClaimFinding::TooMany => (
            StepState::Bad,
            RichText::new()
                .code(path)
                .text(" selects too many values, so the claim is discarded"),
            names(0),
        ),
        ClaimFinding::NoUserInfo => {
            let words = RichText::new()
                .code(path)
                .text(" reads the user-info document. Paste it below the token.");
            (StepState::Bad, words, names(0))
        }
    };
    ExtractionStep {
        title: "Group claim",
        count: number,
        state,
        body: vec![words],
    }
}

fn nested_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    let nested = taken.rules.extraction.nested;
    let words = RichText::new().code(nested.code());
    let words = match nested {
        NestedGroupBehavior::None => words.text(" keeps names as they are"),
        NestedGroupBehavior::Suffix => words.text(" keeps what follows the last ").code("/"),
    };
    ExtractionStep {
        title: "Nested names",
        count: String::new(),
        state: StepState::Done,
        body: vec![words],
    }
}

fn last_step(extraction: &Extraction, merged: usize) -> ExtractionStep {
    let mut number = extraction.groups.len().to_string();
    if merged > 0 {
        number.push_str(&format!(
            ", {} merged",
            if merged == 1 {
                "one".into()
            } else {
                merged.to_string()
            }
        ));
    }
    let dropped = extraction
        .elements
        .iter()
        .any(|element| matches!(element.outcome, ElementOutcome::Dropped { .. }));
    let (state, body) = if extraction.groups.is_empty() {
        (
            StepState::Bad,
            vec!["None. Only ACLs for the user and the user’s roles apply.".into()],
        )
    } else if merged > 0 || dropped {
        (StepState::Warn, Vec::new())
    } else {
        (StepState::Done, Vec::new())
    };
    ExtractionStep {
        title: "Principals",
        count: number,
        state,
        body,
    }
}

/// Whether two different names of the token became this group.
fn is_merged(group: &Group) -> bool {
    group.duplicates.iter().any(|(raw, _)| *raw != group.raw)
}

fn table(taken: &ExtractionInput<'_>) -> Option<Table> {
    let extraction = taken.extraction;
    if extraction.elements.is_empty() {
        return None;
    }
    let merged: BTreeSet<&str> = extraction
        .groups
        .iter()
        .filter(|group| is_merged(group))
        .map(|group| group.name.as_str())
        .collect();
    let numbered = matches!(
        extraction.claim,
        ClaimFinding::Array { .. }
            | ClaimFinding::CommaList { .. }
            | ClaimFinding::NotString { .. }
    ) && taken.rules.extraction.source.path().is_singular();
    let rows = extraction
        .elements
        .iter()
        .map(|element| row(element, &merged, numbered))
        .collect();
    Some(Table {
        source: taken.rules.extraction.source.to_string(),
        numbered,
        rows,
    })
}

fn row(element: &Element, merged: &BTreeSet<&str>, numbered: bool) -> ElementRow {
    let place = match element.location.rsplit_once('[') {
        Some((_, index)) if numbered => index.trim_end_matches(']').to_owned(),
        _ => element.location.clone(),
    };
    let (outcome, marked) = match &element.outcome {
        ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group }
            if merged.contains(group.as_str()) =>
        {
            (RowOutcome::Merged(Principal::group(group)), group.len())
        }
        ElementOutcome::Kept { group } => (RowOutcome::Principal(Principal::group(group)), 0),
        ElementOutcome::Duplicate { group } => (RowOutcome::Repeated(Principal::group(group)), 0),
        ElementOutcome::Dropped { code } => (RowOutcome::Dropped(dropped(*code)), 0),
    };
    let (before, mark) = element
        .raw
        .split_at_checked(element.raw.len() - marked.min(element.raw.len()))
        .unwrap_or((&element.raw, ""));
    ElementRow {
        place,
        raw: (before.into(), mark.into()),
        outcome,
    }
}

/// Why an element gave nothing, in the table's words.
fn dropped(code: DropCode) -> &'static str {
    match code {
        DropCode::EmptyName | DropCode::EmptyPart => "dropped: empty",
        DropCode::SuffixEmpty => "dropped: nothing after the last slash",
        DropCode::ElementNotString => "dropped: not a string",
        DropCode::ClaimDiscarded | DropCode::ClaimWrongType => "discarded with the claim",
    }
}

fn notes(taken: &ExtractionInput<'_>) -> Vec<ExtractionNote> {
    let merged: Vec<&Group> = taken
        .extraction
        .groups
        .iter()
        .filter(|group| is_merged(group))
        .collect();
    let mut notes: Vec<ExtractionNote> = Vec::new();
    for group in merged.iter().take(LISTED_NAMES) {
        notes.push(collision(group, taken.policy));
    }
    if merged.len() > LISTED_NAMES {
        let names = merged
            .iter()
            .skip(LISTED_NAMES)
            .map(|group| RichText::new().principal(&Principal::group(&group.name)));
        notes.push(ExtractionNote {
            code: Some(WarningCode::SuffixCollision),
            weight: Weight::Warning,
            title: format!("{} more names merged", merged.len() - LISTED_NAMES),
            words: listed(names.collect(), 2 * LISTED_NAMES),
            actions: Vec::new(),
        });
    }
    // The collisions are shown above, and the step shows that the claim is missing.
    let told = [WarningCode::SuffixCollision, WarningCode::ClaimMissing];
    let warnings = taken
        .extraction
        .warnings
        .iter()
        .filter(|warning| !told.contains(&warning.code));
    notes.extend(warnings.map(|warning| note(warning, taken)));
    if matches!(
        taken.extraction.claim,
        ClaimFinding::Missing {
            reason: MissingReason::Absent
        }
    ) && taken.suggestions.is_empty()
    {
        notes.push(no_names(taken.read.claims.members()));
    }
    // Once, where the names are spoken of.
    let place = notes
        .iter()
        .position(|note| note.code == Some(WarningCode::NearClaim));
    if let Some(note) = notes
        .get_mut(place.unwrap_or(0))
        .filter(|note| note.weight == Weight::Warning)
    {
        note.actions = paths(taken.suggestions);
    }
    if let Some((found, next)) = object_ids(taken.extraction.names(), Some(taken.policy)) {
        let title = "The groups are object IDs".to_owned();
        let words = sentence(&found, &next);
        notes.push(ExtractionNote {
            code: None,
            weight: Weight::Warning,
            title,
            words,
            actions: Vec::new(),
        });
    }
    notes.extend(taken.read.header.iter().flat_map(header_notes));
    notes.sort_by_key(|note| std::cmp::Reverse(note.weight));
    notes
}

/// A missing claim without a replacement. An object with names as keys is mentioned, because
/// Zitadel sends one.
fn no_names(claims: &gbac_engine::ClaimSet) -> ExtractionNote {
    let sounds = |name: &str| {
        ["group", "role"]
            .iter()
            .any(|word| name.to_ascii_lowercase().contains(word))
    };
    let keyed = gbac_json::claims_to_object(claims)
        .iter()
        .find(|(name, value)| {
            sounds(name) && value.as_object().is_some_and(|names| !names.is_empty())
        });
    let words = match keyed {
        Some((name, _)) => RichText::new().code(name).text(
            " is an object with names as its keys, and a claim path selects values only. Configure the identity provider to add an array of names.",
        ),
        None => "Configure the identity provider to add the groups to the access token as an array of names.".into(),
    };
    ExtractionNote {
        code: Some(WarningCode::ClaimMissing),
        weight: Weight::Warning,
        title: "No claim contains group names".into(),
        words,
        actions: Vec::new(),
    }
}

/// What a cluster of today or a check against keys would say to the header (D-19, D-29).
fn header_notes(header: &Header) -> Vec<ExtractionNote> {
    let notes = header.warnings().into_iter();
    notes
        .map(|note| {
            let of_today = note.code.is_of_platform();
            let title = if of_today {
                ""
            } else {
                "The service refuses this token"
            };
            ExtractionNote {
                code: Some(note.code),
                weight: if of_today {
                    Weight::Info
                } else {
                    Weight::Warning
                },
                title: title.into(),
                words: sentence(&note.message, ""),
                actions: Vec::new(),
            }
        })
        .collect()
}

fn paths(suggestions: &[Suggestion]) -> Vec<Action> {
    suggestions
        .iter()
        .take(OFFERED_PATHS)
        .map(|suggestion| Action {
            label: format!("Try {}", suggestion.path),
            change: InputEdit::TryClaimPath(suggestion.path.clone()),
        })
        .collect()
}

/// Two or more names that became one group, and what that group is granted (D-10).
fn collision(group: &Group, policy: &Policy) -> ExtractionNote {
    let mut raws: Vec<&str> = vec![&group.raw];
    for (raw, _) in &group.duplicates {
        if !raws.contains(&raw.as_str()) {
            raws.push(raw);
        }
    }
    let principal = Principal::group(&group.name);
    let roles: Vec<Principal> = policy.roles_of(&principal).map(Principal::role).collect();
    let direct = policy.acls_of(&principal).len();
    let through: usize = roles.iter().map(|role| policy.acls_of(role).len()).sum();
    let either = if raws.len() == 2 {
        "either one"
    } else {
        "any one"
    };
    let gets = match (direct, roles.len()) {
        (0, 0) => "It has no ACLs yet.".into(),
        (0, roles) => format!(
            "Members of {either} get {} with {}.",
            count(roles, "role"),
            count(through, "ACL")
        ),
        (direct, 0) => format!("Members of {either} get {}.", count(direct, "ACL")),
        (direct, roles) => {
            let acls = count(direct, "ACL");
            format!(
                "Members of {either} get {acls}, and {} with {through} more.",
                count(roles, "role")
            )
        }
    };
    let number = raws.len();
    let shown = listed(
        raws.into_iter()
            .map(|raw| RichText::new().code(raw))
            .collect(),
        LISTED_NAMES,
    );
    let title = match number {
        2 => "Two groups".into(),
        3 => "Three groups".into(),
        number => format!("{number} groups"),
    };
    ExtractionNote {
        code: Some(WarningCode::SuffixCollision),
        weight: Weight::Warning,
        title: format!("{title} become {principal}"),
        words: shown.text(" end in the same segment. ").text(gets),
        actions: Vec::new(),
    }
}

fn note(warning: &Warning, taken: &ExtractionInput<'_>) -> ExtractionNote {
    let (weight, title, more) = match warning.code {
        WarningCode::GroupOverage => {
            let more = "In Entra ID, this happens above 200 groups. Configure the token to contain only the groups assigned to the application.";
            (
                Weight::Warning,
                "The token has a link instead of the groups",
                more,
            )
        }
        WarningCode::IdToken => (
            Weight::Warning,
            "This looks like an ID token",
            "Copy the access token of the same sign-in. Both are in the token response, as `id_token` and `access_token`.",
        ),
        WarningCode::ClaimWrongType => (Weight::Warning, "The claim is not a list of names", ""),
        WarningCode::ElementNotString => (
            Weight::Warning,
            "The list contains values that are not names",
            "",
        ),
        WarningCode::TooManyNodes => (Weight::Warning, "The claim is too large", ""),
        WarningCode::NearClaim => {
            let title = match taken.rules.extraction.source {
                ClaimSource::Token(_) => "Another claim contains names",
                ClaimSource::UserInfo(_) => {
                    "Another member of the user-info document contains names"
                }
            };
            (Weight::Warning, title, "")
        }
        WarningCode::SuffixEmpty => (Weight::Warning, "Nothing follows the last slash", ""),
        WarningCode::EdgeWhitespace => (Weight::Warning, "A space is part of a name", ""),
        WarningCode::EmptyName
        | WarningCode::EmptyPart
        | WarningCode::DuplicateGroup
        | WarningCode::PlatformPath
        | WarningCode::PlatformEmptyPart => (Weight::Info, "", ""),
        // What is shown elsewhere: about the token, its header and its expiry, and the notes above.
        WarningCode::BlanksRemoved
        | WarningCode::ClaimMissing
        | WarningCode::ExpiryUnreadable
        | WarningCode::InvisibleRemoved
        | WarningCode::KidMissing
        | WarningCode::PlatformAlg
        | WarningCode::PlatformTyp
        | WarningCode::SuffixCollision
        | WarningCode::SurroundingTextRemoved
        | WarningCode::TokenResponse
        | WarningCode::TypRefused => (Weight::Warning, "Check this", ""),
    };
    let mut words = sentence(&warning.message, "");
    if !more.is_empty() {
        words = words.text(" ").then(RichText::message(more));
    }
    ExtractionNote {
        code: Some(warning.code),
        weight,
        title: title.into(),
        words,
        actions: Vec::new(),
    }
}

/// Where each group came from: its name, and the places in the claims or the lines by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origins(BTreeMap<String, Vec<String>>);

impl Origins {
    /// The origins of extracted groups.
    #[must_use]
    pub fn from_extraction(extraction: &Extraction) -> Self {
        let places = |group: &Group| {
            std::iter::once(&group.location)
                .chain(group.duplicates.iter().map(|(_, place)| place))
                .cloned()
                .collect()
        };
        Self(
            extraction
                .groups
                .iter()
                .map(|group| (group.name.clone(), places(group)))
                .collect(),
        )
    }

    /// Whether no group came from claims.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The places that a group came from; none where it was given by hand.
    #[must_use]
    pub fn places(&self, group: &str) -> &[String] {
        self.0.get(group).map_or(&[], Vec::as_slice)
    }
}

/// The document that a rule reads.
#[must_use]
pub fn document<'a>(
    source: &ClaimSource,
    claims: &'a gbac_engine::ClaimSet,
    userinfo: Option<&'a gbac_engine::ClaimSet>,
) -> Option<&'a gbac_engine::ClaimSet> {
    match source {
        ClaimSource::Token(_) => Some(claims),
        ClaimSource::UserInfo(_) => userinfo,
    }
}
