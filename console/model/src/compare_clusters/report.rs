//! The differences as a text to keep or to send.

use gbac_analysis::Scope;
use gbac_engine::policy::Policy;
use gbac_words::escape::plain;
use gbac_words::pages::compare_clusters as words;
use gbac_words::{breadth, hosts};

use super::rows::{ClusterComparison, DifferenceCell, DifferenceRow, RowAccess};

/// The name of the file.
pub const REPORT_FILE: &str = "comparison.txt";

/// What is reported.
#[derive(Debug, Clone, Copy)]
pub struct ReportOf<'a> {
    /// What A and B are.
    pub names: [&'a str; 2],
    /// Their policies.
    pub policies: [&'a Policy; 2],
    /// How they differ.
    pub comparison: &'a ClusterComparison,
    /// The places of the rows that the filters show.
    pub shown: &'a [usize],
    /// How many permissions are the same, if it is known.
    pub same: Option<usize>,
    /// When it is made.
    pub at: &'a str,
}

/// The differences that the filters show, by principal.
#[must_use]
pub fn report(of: ReportOf<'_>) -> String {
    let names = of.names.map(plain);
    let mut text = words::report_head([&names[0], &names[1]], of.at);
    let differences = words::differences(of.shown.len(), of.comparison.rows.len());
    text.push_str(&match of.same {
        Some(same) => format!("{differences}, {}\n", words::same(same)),
        None => format!("{differences}\n"),
    });
    for note in &of.comparison.notes {
        text.push_str(&format!("Note: {}\n", note.plain()));
    }
    for group in of.comparison.groups(of.shown) {
        let who = match &group.holder {
            Some(Scope::Everyone) | None => "Everyone".to_owned(),
            Some(holder) => plain(&holder.to_string()),
        };
        text.push_str(&format!("\n{who}\n"));
        for place in group.rows {
            if let Some(row) = of.comparison.rows.get(place) {
                text.push_str(&lines(row, of.policies));
            }
        }
    }
    text
}

/// A row: what it is about, and what A and B do there.
fn lines(row: &DifferenceRow, policies: [&Policy; 2]) -> String {
    let (what, [a, b]) = match &row.access {
        RowAccess::Setting { name, values } => {
            let values = values.clone().map(|value| match value.is_empty() {
                true => "none".to_owned(),
                false => plain(&value),
            });
            ((*name).to_owned(), values)
        }
        RowAccess::Region(region, _) => {
            let names = breadth::opening(&row.opening()).plain();
            let mut what = format!("{}, {names}", row.operations());
            for except in &region.except {
                what.push_str(&format!(", except {}", plain(&except.name)));
            }
            if let Some(limit) = hosts::limit(&region.hosts) {
                what.push_str(&format!(", {}", limit.plain()));
            }
            let cells = row.cells(policies);
            (what, cells.map(|cells| cells.map(said)).unwrap_or_default())
        }
    };
    format!("  {what}\n    A: {a}\n    B: {b}\n")
}

fn said(cell: DifferenceCell) -> String {
    let word = cell.outcome.label();
    match cell.through {
        Some(through) => format!("{word}, {}", through.plain()),
        None => word.to_owned(),
    }
}
