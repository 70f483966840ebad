//! The address of the page: its sides and its filters.

use gbac_api::encode::component;

use super::filter::{DifferenceFilter, LeastBreadth};
use super::side::{DifferenceSide, SideSource};
use crate::address::{COMPARE, value};

/// What the page shows, as far as an address says it; a document is not part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonView {
    /// Where A and B come from.
    pub sources: [SideSource; 2],
    /// What is shown of their differences.
    pub filter: DifferenceFilter,
}

impl Default for ComparisonView {
    fn default() -> Self {
        Self {
            sources: [SideSource::Document, SideSource::Cluster],
            filter: DifferenceFilter::default(),
        }
    }
}

impl ComparisonView {
    /// Reads the query of an address, without the `?`; what is not known there is as at first.
    #[must_use]
    pub fn at(query: &str) -> Self {
        let first = Self::default().sources;
        let read = |name: &str| value(query, name).unwrap_or_default();
        let [a, b] = first;
        Self {
            sources: [
                SideSource::find(&read("a")).unwrap_or(a),
                SideSource::find(&read("b")).unwrap_or(b),
            ],
            filter: DifferenceFilter {
                side: DifferenceSide::find(&read("only")),
                text: read("find"),
                operation: read("operation").parse().ok(),
                least: LeastBreadth::find(&read("opens")),
            },
        }
    }

    /// Whether an address says where a side comes from.
    #[must_use]
    pub fn has_sources(query: &str) -> bool {
        value(query, "a").or_else(|| value(query, "b")).is_some()
    }

    /// The same with the cluster of the console by its name, so that it stays that cluster's when
    /// another one is opened.
    #[must_use]
    pub fn named(mut self, open: Option<&str>) -> Self {
        if let Some(open) = open {
            for source in &mut self.sources {
                if *source == SideSource::Cluster {
                    *source = SideSource::Other(open.to_owned());
                }
            }
        }
        self
    }

    /// The address of the page as it is.
    #[must_use]
    pub fn address(&self) -> String {
        let first = Self::default();
        let mut pairs = Vec::new();
        for ((name, source), usual) in ["a", "b"]
            .into_iter()
            .zip(&self.sources)
            .zip(&first.sources)
        {
            if source != usual {
                pairs.push(format!("{name}={}", component(&source.id())));
            }
        }
        let filter = &self.filter;
        if filter.side != first.filter.side {
            pairs.push(format!("only={}", filter.side.id()));
        }
        if !filter.text.is_empty() {
            pairs.push(format!("find={}", component(&filter.text)));
        }
        if let Some(operation) = filter.operation {
            pairs.push(format!("operation={}", operation.spelling().cli));
        }
        if filter.least != first.filter.least {
            pairs.push(format!("opens={}", filter.least.id()));
        }
        match pairs.is_empty() {
            true => COMPARE.to_owned(),
            false => format!("{COMPARE}?{}", pairs.join("&")),
        }
    }
}
