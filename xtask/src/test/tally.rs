//! Counts of tests, parsed from the output of test runners.

use std::ops::AddAssign;

/// The number of tests that passed, failed and were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
}

impl Tally {
    /// Sums the lines `test result: ok. 3 passed; 0 failed; 1 ignored; ..` of cargo test and of
    /// wasm-bindgen's runner.
    pub(crate) fn of_cargo(lines: &[String]) -> Self {
        let mut sum = Self::default();
        for line in lines {
            let Some((_, counts)) = line.split_once("test result: ") else {
                continue;
            };
            sum += Self {
                passed: count_before(counts, " passed"),
                failed: count_before(counts, " failed"),
                skipped: count_before(counts, " ignored"),
            };
        }
        sum
    }

    /// Sums the lines `[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0` of Maven, without
    /// those of each class.
    pub(crate) fn of_maven(lines: &[String]) -> Self {
        let mut sum = Self::default();
        for line in lines {
            if !line.contains("Tests run: ") || line.contains("Time elapsed") {
                continue;
            }
            let failed = count_after(line, "Failures: ") + count_after(line, "Errors: ");
            let skipped = count_after(line, "Skipped: ");
            sum += Self {
                passed: count_after(line, "Tests run: ").saturating_sub(failed + skipped),
                failed,
                skipped,
            };
        }
        sum
    }

    /// Counts the lines `--- PASS: TestName (0.00s)` of `go test -v`, also those of parts of tests.
    /// A package that does not compile counts as failed.
    pub(crate) fn of_go(lines: &[String]) -> Self {
        let mut sum = Self::default();
        for line in lines {
            let line = line.trim_start();
            if line.starts_with("--- PASS: ") {
                sum.passed += 1;
            } else if line.starts_with("--- FAIL: ") || line.ends_with("[build failed]") {
                sum.failed += 1;
            } else if line.starts_with("--- SKIP: ") {
                sum.skipped += 1;
            }
        }
        sum
    }

    /// Sums the last lines of `node --test`: `# pass 3` (tap) or `ℹ pass 3` (spec), and so on. A
    /// canceled test counts as failed, because it did not finish.
    pub(crate) fn of_node(lines: &[String]) -> Self {
        let mut sum = Self::default();
        for line in lines {
            let Some(rest) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) else {
                continue;
            };
            let Some((word, count)) = rest.split_once(' ') else {
                continue;
            };
            let Ok(count) = count.trim().parse::<u64>() else {
                continue;
            };
            match word {
                "pass" => sum.passed += count,
                "fail" | "cancelled" => sum.failed += count,
                "skipped" | "todo" => sum.skipped += count,
                _ => {}
            }
        }
        sum
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The number directly before `word`; 0 if there is none.
fn count_before(text: &str, word: &str) -> u64 {
    text.split_once(word)
        .and_then(|(before, _)| before.split_whitespace().last())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

/// The number directly after `word`; 0 if there is none.
fn count_after(text: &str, word: &str) -> u64 {
    text.split_once(word)
        .and_then(|(_, after)| after.split([',', ' ']).next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn sums_every_binary_of_cargo_test() {
        let output = lines(
            "running 2 tests\n\
             test a ... ok\n\
             test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             test result: FAILED. 1210 passed; 3 failed; 1 ignored; 0 measured; 9 filtered out; finished in 1.20s\n\
             error: 1 target failed:",
        );
        assert_eq!(
            Tally::of_cargo(&output),
            Tally {
                passed: 1212,
                failed: 3,
                skipped: 1
            }
        );
    }

    #[test]
    fn a_test_name_that_looks_like_a_result_does_not_count() {
        let output = lines("test reads_4_passed ... ok\nassertion failed: 9 passed; 2 failed");
        assert_eq!(Tally::of_cargo(&output), Tally::default());
    }

    #[test]
    fn reads_both_reporters_of_node() {
        let tap = lines(
            "# tests 5\n# suites 0\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 2\n# todo 0\n# duration_ms 80.2",
        );
        let spec =
            lines("ℹ tests 5\nℹ pass 3\nℹ fail 1\nℹ cancelled 1\nℹ skipped 2\nℹ duration_ms 80.2");
        let expected = Tally {
            passed: 3,
            failed: 2,
            skipped: 2,
        };
        assert_eq!(Tally::of_node(&tap), expected);
        assert_eq!(Tally::of_node(&spec), expected);
    }

    #[test]
    fn sums_the_last_line_of_maven() {
        let output = lines(
            "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.104 s -- in gbac.kafka.RoleTest\n\
             [INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n\
             [ERROR] Tests run: 9, Failures: 1, Errors: 2, Skipped: 1",
        );
        assert_eq!(
            Tally::of_maven(&output),
            Tally {
                passed: 8,
                failed: 3,
                skipped: 1
            }
        );
    }

    #[test]
    fn counts_the_parts_of_tests_of_go() {
        let output = lines(
            "=== RUN   TestMethods\n\
             --- FAIL: TestMethods (0.10s)\n    --- PASS: TestMethods/HTTP/1.1 (0.04s)\n        --- SKIP: TestMethods/a (0.00s)\n\
             FAIL\tgbac.test/clients [build failed]\nok  \tgbac.test/clients/generate\t0.010s",
        );
        assert_eq!(
            Tally::of_go(&output),
            Tally {
                passed: 1,
                failed: 2,
                skipped: 1
            }
        );
    }

    #[test]
    fn a_crashed_runner_counts_nothing() {
        assert_eq!(
            Tally::of_cargo(&lines("error: could not compile")),
            Tally::default()
        );
        assert_eq!(Tally::of_node(&[]), Tally::default());
    }
}
