//! The extraction: from a token to principals, step by step.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::provider::object_ids;
use gbac_engine::groups::{
    ClaimFinding, ClaimSource, Element, ElementOutcome, Extraction, Group, MissingReason,
    Suggestion, suggest_paths,
};
use gbac_engine::identity::{Identity, IdentityRules};
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_engine::token::Header;
use gbac_engine::warning::{Warning, WarningCode};
use gbac_engine::{ClaimSet, ResolveError};
use gbac_words::phrases::count;
use gbac_words::rich_text::RichText;
use gbac_words::{extraction, warning};
use serde_json::Value;

use crate::simulator::inputs::{Action, InputEdit, Weight, identity_error};
use crate::simulator::token::DecodedToken;

/// How many paths are offered as buttons.
const OFFERED_PATHS: usize = 4;
/// How many collisions have a note each.
const LISTED_COLLISIONS: usize = 4;

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Well.
    Done,
    /// With something to look at.
    Warn,
    /// Not at all.
    Bad,
}

/// The steps, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionStage {
    /// Decoding the token.
    Decode,
    /// Reading the user.
    User,
    /// Finding the claim with the groups.
    GroupClaim,
    /// Reading names that are paths.
    NestedNames,
    /// The principals that names became.
    Principals,
}

impl ExtractionStage {
    /// Every value.
    pub const ALL: [Self; 5] = [
        Self::Decode,
        Self::User,
        Self::GroupClaim,
        Self::NestedNames,
        Self::Principals,
    ];

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Decode => "Decode",
            Self::User => "User",
            Self::GroupClaim => "Group claim",
            Self::NestedNames => "Nested names",
            Self::Principals => "Principals",
        }
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionStep {
    /// Which.
    pub stage: ExtractionStage,
    /// What it came to, as a count.
    pub count: String,
    /// How it went.
    pub state: StepState,
    /// What happened.
    pub body: Vec<RichText>,
}

/// One element of the claim and the principal that it became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementRow {
    /// Its number, or its whole place where there are several lists.
    pub place: String,
    /// As the token has it: before what is marked, and what is marked.
    pub raw: (String, String),
    /// What became of it.
    pub outcome: RowOutcome,
}

/// What became of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowOutcome {
    /// A principal of its own.
    Principal(Principal),
    /// A principal that another name became too.
    Merged(Principal),
    /// A principal that the same name has given before.
    Repeated(Principal),
    /// Nothing, and why.
    Dropped(&'static str),
}

/// The table of the last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What its elements are elements of.
    pub source: String,
    /// Whether places are numbers only.
    pub numbered: bool,
    /// Its rows, in the token's order.
    pub rows: Vec<ElementRow>,
}

/// Something to know, as a banner or a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionNote {
    /// The engine's code; none for what only the page says.
    pub code: Option<WarningCode>,
    /// How much it matters.
    pub weight: Weight,
    /// In a few words; a remark has none.
    pub title: String,
    /// The whole.
    pub words: RichText,
    /// What can be done at once.
    pub actions: Vec<Action>,
}

impl ExtractionNote {
    /// Whether the provider left the groups out, so that nobody knows them.
    pub fn is_overage(&self) -> bool {
        self.code == Some(WarningCode::GroupOverage)
    }
}

/// The extraction, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// What went in and came out.
    pub summary: String,
    /// The steps, in order.
    pub steps: Vec<ExtractionStep>,
    /// The user, where the claims name one.
    pub user: Option<UserSource>,
    /// The claim that groups are read from; none by hand.
    pub claim: Option<GroupClaim>,
    /// The table of the last step, where there are elements.
    pub table: Option<Table>,
    /// What to know, weightiest first.
    pub notes: Vec<ExtractionNote>,
}

/// How many other claims are offered.
const OFFERED: usize = 4;

/// Where the user comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSource {
    /// The rule that read it: `$.sub`.
    pub rule: String,
    /// Its claim path, where the rule takes a claim as it is.
    pub path: Option<String>,
    /// The principal.
    pub principal: Principal,
}

impl UserSource {
    /// A user that a rule read.
    #[must_use]
    pub fn from_rule(rule: &str, user: &str) -> Self {
        // A rule with an expression takes a part of the claim only.
        let path = (!rule.contains('/')).then(|| rule.to_owned());
        Self {
            rule: rule.to_owned(),
            path,
            principal: Principal::user(user),
        }
    }

    /// A user that was entered by hand.
    #[must_use]
    pub fn by_hand(user: &str) -> Self {
        Self {
            rule: "by hand".into(),
            path: None,
            principal: Principal::user(user),
        }
    }
}

/// The claim that groups are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupClaim {
    /// Its path: `$.groups`.
    pub path: String,
    /// What was found there: `3 names`.
    pub found: String,
    /// Whether there is a list of names.
    pub is_there: bool,
    /// The paths of other claims that hold names, the likeliest first.
    pub others: Vec<String>,
}

impl GroupClaim {
    /// The claim at a path, and the others of the token that could take its place.
    #[must_use]
    pub fn at_path(path: &str, found: String, is_there: bool, claims: &ClaimSet) -> Self {
        let others = suggest_paths(claims)
            .into_iter()
            .map(|suggestion| suggestion.path);
        let others = others.filter(|other| other != path).take(OFFERED).collect();
        Self {
            path: path.to_owned(),
            found,
            is_there,
            others,
        }
    }
}

/// What the steps are made from.
pub struct ExtractionInput<'a> {
    /// The token or claims.
    pub read: &'a DecodedToken,
    /// The rules in force.
    pub rules: &'a IdentityRules,
    /// What extraction gave.
    pub extraction: &'a Extraction,
    /// The user, or why there is none.
    pub user: Result<&'a str, &'a ResolveError>,
    /// Paths that hold names, where the claim does not.
    pub suggestions: &'a [Suggestion],
    /// The policy, for what a merged group is granted.
    pub policy: &'a Policy,
}

/// The steps of a token or of claims.
pub fn of_token(taken: &ExtractionInput<'_>) -> Steps {
    let extraction = taken.extraction;
    let merged = extraction
        .groups
        .iter()
        .filter(|group| is_merged(group))
        .count();
    let (path, claim) = (taken.rules.extraction.source.to_string(), claim_step(taken));
    let steps = vec![
        decode_step(taken.read),
        user_step(taken),
        claim.clone(),
        nested_step(taken),
        last_step(extraction, merged),
    ];
    Steps {
        summary: extraction::summary(extraction),
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
pub fn outline() -> [(ExtractionStage, RichText); 5] {
    ExtractionStage::ALL.map(|stage| {
        let words = match stage {
            ExtractionStage::Decode => extraction::DECODING,
            ExtractionStage::User => extraction::USER,
            ExtractionStage::GroupClaim => extraction::GROUP_CLAIM,
            ExtractionStage::NestedNames => extraction::NESTED_NAMES,
            ExtractionStage::Principals => extraction::PRINCIPALS,
        };
        (stage, RichText::message(words))
    })
}

/// The steps where the groups were given by hand.
pub fn by_hand(identity: &Identity) -> Steps {
    let groups = identity.groups();
    let rows = groups.iter().enumerate().map(|(index, name)| ElementRow {
        place: (index + 1).to_string(),
        raw: (name.clone(), String::new()),
        outcome: RowOutcome::Principal(Principal::group(name)),
    });
    let user = ExtractionStep {
        stage: ExtractionStage::User,
        count: String::new(),
        state: StepState::Done,
        body: vec![
            RichText::new()
                .text("Entered by hand: ")
                .principal(&Principal::user(identity.user())),
        ],
    };
    let body = match groups.is_empty() {
        true => extraction::NO_GROUPS_BY_HAND,
        false => extraction::NAMES_BY_HAND,
    };
    let last = ExtractionStep {
        stage: ExtractionStage::Principals,
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
    let mut body = vec![match &read.header {
        Some(header) => extraction::header(header),
        None => extraction::CLAIMS_AS_JSON.into(),
    }];
    body.extend(read.left_out.iter().cloned());
    ExtractionStep {
        stage: ExtractionStage::Decode,
        count: count(read.claims.members().len(), "claim"),
        state: StepState::Done,
        body,
    }
}

fn user_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    let (state, body) = match taken.user {
        Ok(user) => (
            StepState::Done,
            extraction::user(&taken.rules.mapping, user),
        ),
        Err(error) => (StepState::Bad, identity_error(error)),
    };
    ExtractionStep {
        stage: ExtractionStage::User,
        count: String::new(),
        state,
        body: vec![body],
    }
}

fn claim_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    let (state, names) = match &taken.extraction.claim {
        ClaimFinding::Array { len: 0, .. } => (StepState::Warn, 0),
        ClaimFinding::Array { len, .. } => (StepState::Done, *len),
        ClaimFinding::CommaList { parts, .. } => (StepState::Done, *parts),
        ClaimFinding::Union { .. } => (StepState::Done, taken.extraction.elements.len()),
        ClaimFinding::Missing { .. }
        | ClaimFinding::WrongType { .. }
        | ClaimFinding::NotString { .. }
        | ClaimFinding::TooMany
        | ClaimFinding::NoUserInfo => (StepState::Bad, 0),
    };
    ExtractionStep {
        stage: ExtractionStage::GroupClaim,
        count: count(names, "name"),
        state,
        body: vec![extraction::claim(
            &taken.rules.extraction.source,
            taken.extraction,
        )],
    }
}

fn nested_step(taken: &ExtractionInput<'_>) -> ExtractionStep {
    ExtractionStep {
        stage: ExtractionStage::NestedNames,
        count: String::new(),
        state: StepState::Done,
        body: vec![extraction::nested(taken.rules.extraction.nested)],
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
        (StepState::Bad, vec![extraction::NO_GROUPS.into()])
    } else if merged > 0 || dropped {
        (StepState::Warn, Vec::new())
    } else {
        (StepState::Done, Vec::new())
    };
    ExtractionStep {
        stage: ExtractionStage::Principals,
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
        ElementOutcome::Dropped { code } => (RowOutcome::Dropped(extraction::dropped(*code)), 0),
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

fn notes(taken: &ExtractionInput<'_>) -> Vec<ExtractionNote> {
    let source = &taken.rules.extraction.source;
    let merged: Vec<&Group> = taken
        .extraction
        .groups
        .iter()
        .filter(|group| is_merged(group))
        .collect();
    let mut notes: Vec<ExtractionNote> = Vec::new();
    let (told, more) = merged.split_at(merged.len().min(LISTED_COLLISIONS));
    for group in told {
        notes.push(warning_note(
            Some(WarningCode::SuffixCollision),
            extraction::collision_title(group),
            extraction::collision(group, taken.policy),
        ));
    }
    if !more.is_empty() {
        let (title, words) = extraction::more_collisions(more);
        notes.push(warning_note(
            Some(WarningCode::SuffixCollision),
            title,
            words,
        ));
    }
    // The collisions are shown above, and the step shows that the claim is missing.
    let shown = [WarningCode::SuffixCollision, WarningCode::ClaimMissing];
    for warning in &taken.extraction.warnings {
        if !shown.contains(&warning.code) {
            notes.push(note(warning, source));
        }
    }
    if matches!(
        taken.extraction.claim,
        ClaimFinding::Missing {
            reason: MissingReason::Absent
        }
    ) && taken.suggestions.is_empty()
    {
        notes.push(no_names(taken.read.claims.members(), source));
    }
    // Once, where the names are spoken of.
    let place = notes
        .iter()
        .position(|note| note.code == Some(WarningCode::NearClaim));
    if let Some(note) = notes.get_mut(place.unwrap_or_default())
        && note.weight == Weight::Warning
    {
        note.actions = paths(taken.suggestions);
    }
    if let Some((found, next)) = object_ids(taken.extraction.names(), Some(taken.policy)) {
        let words = RichText::with_hint(&found, &next);
        notes.push(warning_note(None, extraction::OBJECT_IDS, words));
    }
    if let Some(warning) = taken.rules.mapping.platform_warning() {
        notes.push(note(&warning, source));
    }
    // What a cluster of today or a check against keys would say to the header (D-19, D-29).
    for warning in taken.read.header.iter().flat_map(Header::warnings) {
        notes.push(note(&warning, source));
    }
    notes.sort_by_key(|note| std::cmp::Reverse(note.weight));
    notes
}

/// A missing claim without a replacement. An object with names as keys is mentioned, because
/// Zitadel sends one.
fn no_names(claims: &ClaimSet, source: &ClaimSource) -> ExtractionNote {
    let keyed = claims.members().iter().find(|(name, value)| {
        let name = name.to_ascii_lowercase();
        (name.contains("group") || name.contains("role"))
            && matches!(value, Value::Object(names) if !names.is_empty())
    });
    let words = extraction::no_names(keyed.map(|(name, _)| name.as_str()));
    let (title, _) = warning::meaning(WarningCode::ClaimMissing, source);
    warning_note(Some(WarningCode::ClaimMissing), title, words)
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

fn note(warning: &Warning, source: &ClaimSource) -> ExtractionNote {
    let (title, advice) = warning::meaning(warning.code, source);
    let words = RichText::with_hint(&warning.message, advice);
    let note = warning_note(Some(warning.code), title, words);
    match title {
        "" => ExtractionNote {
            weight: Weight::Info,
            ..note
        },
        _ => note,
    }
}

fn warning_note(
    code: Option<WarningCode>,
    title: impl Into<String>,
    words: RichText,
) -> ExtractionNote {
    ExtractionNote {
        code,
        weight: Weight::Warning,
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
        let mut origins = BTreeMap::new();
        for group in &extraction.groups {
            let mut places = vec![group.location.clone()];
            places.extend(group.duplicates.iter().map(|(_, place)| place.clone()));
            origins.insert(group.name.clone(), places);
        }
        Self(origins)
    }

    /// Whether no group came from claims.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The places that a group came from; none where it was given by hand.
    pub fn places(&self, group: &str) -> &[String] {
        self.0.get(group).map_or(&[], Vec::as_slice)
    }
}

/// The document that a rule reads.
pub fn document<'a>(
    source: &ClaimSource,
    claims: &'a ClaimSet,
    userinfo: Option<&'a ClaimSet>,
) -> Option<&'a ClaimSet> {
    match source {
        ClaimSource::Token(_) => Some(claims),
        ClaimSource::UserInfo(_) => userinfo,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_claims_with_names_are_offered() {
        let claims =
            json!({ "sub": "maya", "groups": ["a"], "realm_access": { "roles": ["x"] }, "exp": 1 });
        let serde_json::Value::Object(members) = claims else {
            panic!("an object")
        };
        let claims = ClaimSet::from(members);
        let found = GroupClaim::at_path("$.groups", "1 name".into(), true, &claims);
        assert_eq!(found.others, ["$.realm_access.roles"]);
        assert!(
            GroupClaim::at_path("$.realm_access.roles", String::new(), true, &claims)
                .others
                .contains(&"$.groups".into())
        );
    }

    #[test]
    fn only_a_whole_claim_can_be_pressed() {
        assert_eq!(
            UserSource::from_rule("$.sub", "maya").path.as_deref(),
            Some("$.sub")
        );
        assert_eq!(
            UserSource::from_rule("$.email/([^@]+)@.*/$1/", "maya").path,
            None
        );
        let by_hand = UserSource::by_hand("maya");
        assert_eq!(
            (by_hand.path, by_hand.principal),
            (None, Principal::user("maya"))
        );
    }
}
