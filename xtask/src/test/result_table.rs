//! The final table of `cargo xtask test`.

use crate::problem::Problem;
use crate::test::tally::Tally;
use std::fmt::{self, Write};

/// The result of a failed check.
pub(crate) const FAILED: &str = "FAILED";

/// A row of the final table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) tally: Tally,
    pub(crate) result: &'static str,
    pub(crate) seconds: f64,
}

impl Row {
    /// The row of a check that passed before.
    pub(crate) fn skipped(name: &'static str) -> Self {
        Self {
            name,
            tally: Tally::default(),
            result: "skipped",
            seconds: 0.0,
        }
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.result != FAILED
    }
}

/// The final table, with the sum in a separate last line.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = "\ncheck           result   passed  failed  skipped   seconds\n".to_owned();
    let mut sum = Tally::default();
    for row in rows {
        writeln!(text, "{row}").ok();
        sum += row.tally;
    }
    writeln!(
        text,
        "\n{} passed, {} failed, {} skipped",
        sum.passed, sum.failed, sum.skipped
    )
    .ok();
    text
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            tally:
                Tally {
                    passed,
                    failed,
                    skipped,
                },
            result,
            seconds,
        } = self;
        write!(
            f,
            "{name:<15} {result:<7} {passed:>7} {failed:>7} {skipped:>8} {seconds:>9.1}"
        )
    }
}

/// The failed checks as an error.
pub(crate) fn failures(rows: &[Row]) -> Option<Problem> {
    let failed: Vec<&str> = rows
        .iter()
        .filter(|row| !row.is_ok())
        .map(|row| row.name)
        .collect();
    let problem =
        Problem::new(format!("{} of {} checks failed", failed.len(), rows.len())).hint(format!(
            "`cargo xtask test --only {}` runs them again",
            failed.join(",")
        ));
    (!failed.is_empty()).then_some(problem)
}

#[cfg(test)]
mod tests {
    use super::{FAILED, Row, failures, table};
    use crate::test::tally::Tally;

    fn row(name: &'static str, failed: u64) -> Row {
        let result = if failed == 0 { "ok" } else { FAILED };
        Row {
            name,
            tally: Tally {
                passed: 2,
                failed,
                skipped: 0,
            },
            result,
            seconds: 1.25,
        }
    }

    #[test]
    fn one_failed_check_fails_the_run() {
        assert!(failures(&[row("fmt", 0), row("js", 0)]).is_none());
        let problem = failures(&[row("fmt", 0), row("js", 3)])
            .unwrap()
            .to_string();
        assert!(problem.contains("1 of 2 checks failed"), "{problem}");
        assert!(problem.contains("--only js"), "{problem}");
    }

    #[test]
    fn the_sum_is_the_last_line() {
        let text = table(&[row("fmt", 0), row("js", 3)]);
        assert!(
            text.contains("js              FAILED        2       3        0       1.2"),
            "{text}"
        );
        assert!(
            text.ends_with("\n\n4 passed, 3 failed, 0 skipped\n"),
            "{text}"
        );
    }
}
