//! The page that compares two clusters: what differs in effect, by principal, and what makes one
//! decide as the other.

mod address;
mod converge;
mod document;
mod filter;
mod report;
mod rows;
mod side;
#[cfg(test)]
mod tests;

pub use address::ComparisonView;
pub use converge::{ConvergeDirection, ConvergeObstacle, ConvergePlan, PlanOf, changes_file, plan};
pub use document::{ComparedDocument, DocumentProblem};
pub use filter::{DifferenceFilter, LeastBreadth};
pub use report::{REPORT_FILE, ReportOf, report};
pub use rows::{
    CellOutcome, ClusterComparison, DifferenceCell, DifferenceRow, RowAccess, RowGroup,
};
pub use side::{ClusterSide, DifferenceSide, SideSource};

/// The most rows that are shown at once; more are in pages.
pub const UNPAGED: usize = 1000;
/// How many rows a page has.
pub const PAGE: usize = crate::roles::PAGE;
