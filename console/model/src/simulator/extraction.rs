//! The extraction: from a token to principals, step by step.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::provider::object_ids;
use gbac_engine::groups::{
    ClaimFinding, ClaimSource, Element, ElementOutcome, Extraction, Group, MissingReason,
    Suggestion,
};
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::token::Header;
use gbac_engine::warning::{Warning, WarningCode};
use gbac_words::phrases::count;
use gbac_words::rich_text::RichText;
use gbac_words::{extraction, warning};

use crate::simulator::claim_sources::{GroupClaim, UserSource};
pub use crate::simulator::extraction_steps::{
    ElementRow, ExtractionInput, ExtractionNote, ExtractionStage, ExtractionStep, RowOutcome,
    StepState, Steps, Table,
};
use crate::simulator::inputs::{Action, InputEdit, Weight, identity_error};
use crate::simulator::token::DecodedToken;

/// How many paths are offered as buttons.
const OFFERED_PATHS: usize = 4;
/// How many collisions have a note each.
const LISTED_COLLISIONS: usize = 4;

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
    let collisions = told.iter().map(|group| {
        let words = extraction::collision(group, taken.policy);
        warning_note(
            Some(WarningCode::SuffixCollision),
            extraction::collision_title(group),
            words,
        )
    });
    notes.extend(collisions);
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
    let warnings = taken
        .extraction
        .warnings
        .iter()
        .filter(|warning| !shown.contains(&warning.code));
    notes.extend(warnings.map(|warning| note(warning, source)));
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
    if let Some(note) = notes
        .get_mut(place.unwrap_or(0))
        .filter(|note| note.weight == Weight::Warning)
    {
        note.actions = paths(taken.suggestions);
    }
    if let Some((found, next)) = object_ids(taken.extraction.names(), Some(taken.policy)) {
        let words = RichText::with_hint(&found, &next);
        notes.push(warning_note(None, extraction::OBJECT_IDS, words));
    }
    // What a cluster of today or a check against keys would say to the header (D-19, D-29).
    let of_header = taken.read.header.iter().flat_map(Header::warnings);
    notes.extend(of_header.map(|warning| note(&warning, source)));
    notes.sort_by_key(|note| std::cmp::Reverse(note.weight));
    notes
}

/// A missing claim without a replacement. An object with names as keys is mentioned, because
/// Zitadel sends one.
fn no_names(claims: &gbac_engine::ClaimSet, source: &ClaimSource) -> ExtractionNote {
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
    claims: &'a gbac_engine::ClaimSet,
    userinfo: Option<&'a gbac_engine::ClaimSet>,
) -> Option<&'a gbac_engine::ClaimSet> {
    match source {
        ClaimSource::Token(_) => Some(claims),
        ClaimSource::UserInfo(_) => userinfo,
    }
}
