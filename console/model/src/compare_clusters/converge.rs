//! What makes one cluster decide as the other, for the differences that are selected.

use std::collections::BTreeSet;

use gbac_analysis::{AccessRegion, ChosenDifferences, Convergence, Diff, Scope};
use gbac_engine::policy::{Change, Policy};
use gbac_json::ChangeJson;
use gbac_words::pages::compare_clusters as words;
use gbac_words::rich_text::RichText;
use gbac_words::{change, convergence};

use super::rows::{ClusterComparison, RowAccess, side_of};
use super::side::{ClusterSide, SideSource};
use crate::exchange::MOST;

/// Which side changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConvergeDirection {
    /// B becomes as A.
    #[default]
    BToA,
    /// A becomes as B.
    AToB,
}

impl ConvergeDirection {
    /// The side that changes.
    pub const fn changes(self) -> ClusterSide {
        match self {
            Self::BToA => ClusterSide::B,
            Self::AToB => ClusterSide::A,
        }
    }

    /// The side that stays.
    pub const fn follows(self) -> ClusterSide {
        match self {
            Self::BToA => ClusterSide::A,
            Self::AToB => ClusterSide::B,
        }
    }
}

/// The changes for the selected differences.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConvergePlan {
    /// The changes as a policy is given them.
    pub changes: Vec<Change>,
    /// The same in words, each of one ACL, role, member or setting.
    pub sentences: Vec<RichText>,
    /// How many differences that are not selected disappear, too.
    pub also: usize,
    /// How many of the selected differences stay.
    pub stay: usize,
    /// What never becomes equal, and why.
    pub left: Vec<RichText>,
}

impl ConvergePlan {
    /// The changes for the draft of this policy, whose settings are stated whole.
    pub fn for_draft(&self, policy: &Policy) -> Vec<Change> {
        let mut changes = self.changes.clone();
        for change in &mut changes {
            if let Change::Settings(settings) = change {
                **settings = settings.filled_from(policy.settings());
            }
        }
        changes
    }
}

/// Why the changes cannot join the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConvergeObstacle {
    /// Nothing is selected.
    NothingSelected,
    /// The side that changes is a document.
    Document(ClusterSide),
    /// The side that changes is another cluster than that of the console, by its name.
    OtherCluster(ClusterSide, String),
    /// The draft has changes already, and the side that changes is without them.
    HasDraft(ClusterSide, usize),
    /// A draft holds fewer changes.
    TooMany(usize),
}

impl ConvergeObstacle {
    /// The obstacle, if there is one; `draft` is how many changes the draft has.
    pub fn find(
        plan: &ConvergePlan,
        selected: usize,
        direction: ConvergeDirection,
        sources: &[SideSource; 2],
        draft: usize,
    ) -> Option<Self> {
        let side = direction.changes();
        match sources.get(side.index()) {
            _ if selected == 0 => Some(Self::NothingSelected),
            None | Some(SideSource::Document) => Some(Self::Document(side)),
            Some(SideSource::Other(name)) => Some(Self::OtherCluster(side, name.clone())),
            Some(SideSource::Cluster) if draft > 0 => Some(Self::HasDraft(side, draft)),
            _ if plan.changes.len() > MOST => Some(Self::TooMany(plan.changes.len())),
            _ => None,
        }
    }

    /// The reason, with the way out.
    pub fn reason(&self) -> String {
        match self {
            Self::NothingSelected => words::NOTHING_SELECTED.to_owned(),
            Self::Document(side) => words::is_document(side.letter()),
            Self::OtherCluster(side, name) => words::is_other_cluster(side.letter(), name),
            Self::HasDraft(side, changes) => words::has_draft(side.letter(), *changes),
            Self::TooMany(changes) => words::too_many(*changes, MOST),
        }
    }

    /// Whether the changes can be saved as a file instead.
    pub const fn offers_file(&self) -> bool {
        matches!(self, Self::Document(_) | Self::TooMany(_))
    }
}

/// Which differences converge.
#[derive(Debug, Clone, Copy)]
pub struct PlanOf<'a> {
    /// A and B.
    pub policies: [&'a Policy; 2],
    /// How they differ.
    pub comparison: &'a ClusterComparison,
    /// Which side changes.
    pub direction: ConvergeDirection,
    /// The places of the selected rows.
    pub selected: &'a BTreeSet<usize>,
}

/// The changes for the selected differences.
pub fn plan(of: PlanOf<'_>) -> ConvergePlan {
    let [a, b] = of.policies;
    let (from, to) = match of.direction {
        ConvergeDirection::BToA => (a, b),
        ConvergeDirection::AToB => (b, a),
    };
    let whole = Convergence::new(from, to);
    let mut all: Vec<(Scope, AccessRegion)> = Vec::new();
    let (mut chosen, mut settings) = (BTreeSet::new(), Vec::new());
    for (place, row) in of.comparison.rows.iter().enumerate() {
        let is_selected = of.selected.contains(&place);
        match (&row.holder, &row.access) {
            (Some(holder), RowAccess::Region(region, _)) => {
                if is_selected {
                    chosen.insert(all.len());
                }
                all.push((holder.clone(), region.clone()));
            }
            (_, RowAccess::Setting { name, .. }) if is_selected => settings.push(*name),
            _ => {}
        }
    }
    let sides = [of.direction.follows(), of.direction.changes()].map(ClusterSide::letter);
    let mut left = Vec::new();
    for one in &whole.left {
        left.push(convergence::left(one, sides).text("."));
    }
    if of.selected.is_empty() {
        return ConvergePlan {
            left,
            ..ConvergePlan::default()
        };
    }
    let part = whole.for_differences(
        [from, to],
        ChosenDifferences {
            all: &all,
            chosen: &chosen,
            settings: &settings,
        },
    );
    let mut sentences = Vec::new();
    for place in &part.places {
        if let Some(one) = whole.changes.get(*place) {
            sentences.push(said(one));
        }
    }
    let (mut also, mut stay) = (0, 0);
    for (place, (scope, region)) in all.iter().enumerate() {
        let is_there = remains(&part.remaining, scope, region);
        also += usize::from(!is_there && !chosen.contains(&place));
        stay += usize::from(is_there && chosen.contains(&place));
    }
    for row in &of.comparison.rows {
        if let RowAccess::Setting { name, .. } = &row.access {
            let is_there = part.remaining.settings.contains(name);
            also += usize::from(!is_there && !settings.contains(name));
            stay += usize::from(is_there && settings.contains(name));
        }
    }
    ConvergePlan {
        changes: whole.at(&part.places),
        sentences,
        also,
        stay,
        left,
    }
}

/// A change in words; of a setting, its name.
fn said(of: &Change) -> RichText {
    match of {
        Change::Settings(_) => {
            let name = gbac_analysis::setting_of(of).unwrap_or_default();
            RichText::from("Change the setting ").code(name)
        }
        of => change::sentence(of),
    }
}

/// Whether some of a difference is still there.
fn remains(remaining: &Diff, scope: &Scope, region: &AccessRegion) -> bool {
    for difference in &remaining.differences {
        if difference.scope != *scope || side_of(difference.effect).is_none() {
            continue;
        }
        for other in &difference.regions {
            if region.contains(other) || other.contains(region) {
                return true;
            }
        }
    }
    false
}

/// The changes as the file that `gbac policy apply --changes` reads.
pub fn changes_file(changes: &[Change]) -> String {
    let values: Vec<ChangeJson> = changes.iter().map(ChangeJson::from).collect();
    let mut text = serde_json::to_string_pretty(&values).unwrap_or_default();
    text.push('\n');
    text
}
