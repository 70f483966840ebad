//! Which differences are shown.

use gbac_analysis::Breadth;
use gbac_engine::model::Operation;

use super::rows::{ClusterComparison, DifferenceRow, RowAccess};
use super::side::DifferenceSide;

/// How much a difference opens at least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LeastBreadth {
    /// One name, or more.
    #[default]
    Anything,
    /// The names with a prefix, or more.
    Prefix,
    /// Every name of a type, the cluster, or a setting.
    EveryName,
}

impl LeastBreadth {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Anything, Self::EveryName, Self::Prefix];

    /// Its name in the page.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Anything => "anything",
            Self::Prefix => "prefix",
            Self::EveryName => "every",
        }
    }

    /// What the control says.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Anything => "Anything",
            Self::Prefix => "A prefix or more",
            Self::EveryName => "Every name or more",
        }
    }

    /// The one of this name.
    pub fn find(id: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|least| least.id() == id).unwrap_or_default()
    }

    const fn takes(self, breadth: Breadth) -> bool {
        match self {
            Self::Anything => true,
            Self::Prefix => !matches!(breadth, Breadth::OneName),
            Self::EveryName => matches!(breadth, Breadth::EveryName | Breadth::Cluster),
        }
    }
}

/// What is filtered by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DifferenceFilter {
    /// In which cluster.
    pub side: DifferenceSide,
    /// A part of the name of the principal, the resource or the setting, in any letter case.
    pub text: String,
    /// An operation.
    pub operation: Option<Operation>,
    /// How much it opens at least.
    pub least: LeastBreadth,
}

impl DifferenceFilter {
    /// Whether a difference is shown.
    pub fn takes(&self, row: &DifferenceRow) -> bool {
        let is_on_side = self.side == DifferenceSide::All || self.side == row.side;
        let is_of_access = match &row.access {
            // A setting is for everyone, and for every operation.
            RowAccess::Setting { .. } => self.operation.is_none(),
            RowAccess::Region(region, _) => {
                let pattern = &region.pattern;
                let breadth =
                    Breadth::of_names(region.resource_type, pattern.pattern_type, &pattern.name);
                let has_operation = match self.operation {
                    Some(operation) => region.operations.contains(&operation),
                    None => true,
                };
                has_operation && self.least.takes(breadth)
            }
        };
        is_on_side && is_of_access && row.has_text(&self.text)
    }
}

impl ClusterComparison {
    /// The places of the rows that a filter shows.
    pub fn shown(&self, filter: &DifferenceFilter) -> Vec<usize> {
        let mut shown = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            if filter.takes(row) {
                shown.push(place);
            }
        }
        shown
    }

    /// How many rows are on a side.
    pub fn count(&self, side: DifferenceSide) -> usize {
        let filter = DifferenceFilter {
            side,
            ..DifferenceFilter::default()
        };
        self.rows.iter().filter(|row| filter.takes(row)).count()
    }
}
