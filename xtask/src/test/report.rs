//! What a check found.

use crate::problem::Problem;
use crate::test::tally::Tally;

/// What a check found; `problem` if it failed.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) tally: Tally,
    /// The names of failed tests.
    pub(crate) failed: Vec<String>,
    pub(crate) problem: Option<Problem>,
}

impl Report {
    /// Adds the report of another run.
    pub(crate) fn add(&mut self, other: Self) {
        self.tally += other.tally;
        self.failed.extend(other.failed);
        self.problem = self.problem.take().or(other.problem);
    }
}
