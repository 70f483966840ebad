//! The final table of `cargo xtask test`.

use crate::problem::Problem;
use crate::tally::Tally;
use std::fmt::Write;

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
    pub(crate) fn is_ok(&self) -> bool {
        self.result != FAILED
    }
}

/// The final table, with the sum in a separate last line.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = "\ncheck           result   passed  failed  ignored   seconds\n".to_owned();
    let mut sum = Tally::default();
    for Row { name, tally, result, seconds } in rows {
        let Tally { passed, failed, ignored } = tally;
        writeln!(text, "{name:<15} {result:<7} {passed:>7} {failed:>7} {ignored:>8} {seconds:>9.1}").ok();
        sum += *tally;
    }
    writeln!(text, "\n{} passed, {} failed", sum.passed, sum.failed).ok();
    text
}

/// The failed checks as an error.
pub(crate) fn failures(rows: &[Row]) -> Option<Problem> {
    let failed: Vec<&str> = rows.iter().filter(|row| !row.is_ok()).map(|row| row.name).collect();
    let problem = Problem::new(format!("{} of {} checks failed", failed.len(), rows.len()))
        .hint(format!("`cargo xtask test --only {}` runs them again", failed.join(",")));
    (!failed.is_empty()).then_some(problem)
}

#[cfg(test)]
mod tests {
    use super::{FAILED, Row, failures, table};
    use crate::tally::Tally;

    fn row(name: &'static str, failed: u64) -> Row {
        let result = if failed == 0 { "ok" } else { FAILED };
        Row { name, tally: Tally { passed: 2, failed, ignored: 0 }, result, seconds: 1.25 }
    }

    #[test]
    fn one_failed_check_fails_the_run() {
        assert!(failures(&[row("fmt", 0), row("js", 0)]).is_none());
        let problem = failures(&[row("fmt", 0), row("js", 3)]).unwrap().to_string();
        assert!(problem.contains("1 of 2 checks failed"), "{problem}");
        assert!(problem.contains("--only js"), "{problem}");
    }

    #[test]
    fn the_sum_is_the_last_line() {
        let text = table(&[row("fmt", 0), row("js", 3)]);
        assert!(text.contains("js              FAILED        2       3        0       1.2"), "{text}");
        assert!(text.ends_with("\n\n4 passed, 3 failed\n"), "{text}");
    }
}
