//! The steps of an extraction, as they are shown.

use gbac_engine::ResolveError;
use gbac_engine::groups::{Extraction, Suggestion};
use gbac_engine::identity::IdentityRules;
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_engine::warning::WarningCode;
use gbac_words::rich_text::RichText;

use crate::simulator::claim_sources::{GroupClaim, UserSource};
use crate::simulator::inputs::{Action, Weight};
use crate::simulator::token::DecodedToken;

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
#[derive(Debug, Clone, PartialEq)]
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
#[derive(Debug, Clone, PartialEq)]
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

/// The extraction, ready to be shown.
#[derive(Debug, Clone, PartialEq, Default)]
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
