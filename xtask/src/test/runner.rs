//! The test runners: how each names its tests, counts them, and runs one alone.

use crate::mutants::escaped;
use crate::process::Call;
use crate::test::tally::Tally;

/// A program that runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// `cargo test`, also with wasm-bindgen's runner.
    Cargo,
    /// `node --test`.
    Node,
    /// Maven's Surefire.
    Maven,
    /// `go test -v`.
    Go,
}

impl Runner {
    /// The number of tests in its output.
    pub(crate) fn count(self, lines: &[String]) -> Tally {
        match self {
            Self::Cargo => Tally::of_cargo(lines),
            Self::Node => Tally::of_node(lines),
            Self::Maven => Tally::of_maven(lines),
            Self::Go => Tally::of_go(lines),
        }
    }

    /// The names of the failed tests in its output, each once.
    pub(crate) fn failed(self, lines: &[String]) -> Vec<String> {
        let mut names = Vec::new();
        for line in self.summary(lines) {
            if let Some(name) = self.failed_name(line)
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }

    /// The lines that name every failed test: Node repeats them at its end, after the names of
    /// passed parts.
    fn summary(self, lines: &[String]) -> &[String] {
        let start = match self {
            Self::Node => lines
                .iter()
                .position(|line| line.starts_with("✖ failing tests:"))
                .unwrap_or(lines.len()),
            _ => 0,
        };
        &lines[start..]
    }

    fn failed_name(self, line: &str) -> Option<String> {
        let name = match self {
            Self::Cargo => {
                let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
                result.starts_with("FAIL").then_some(name)?
            }
            Self::Node => {
                let (name, time) = line.strip_prefix("✖ ")?.rsplit_once(" (")?;
                time.ends_with("ms)").then_some(name)?
            }
            Self::Maven => {
                let (test, rest) = line
                    .strip_prefix("[ERROR] ")?
                    .split_once(" -- Time elapsed: ")?;
                if !rest.contains("<<<") {
                    return None;
                }
                let (class, method) = test.rsplit_once('.')?;
                return Some(format!("{}#{method}", class.rsplit('.').next()?));
            }
            Self::Go => {
                line.trim_start()
                    .strip_prefix("--- FAIL: ")?
                    .rsplit_once(" (")?
                    .0
            }
        };
        Some(name.to_owned())
    }

    /// The call with only the tests that this name selects; without a name, with all.
    pub(crate) fn select(self, call: Call, name: Option<&str>) -> Call {
        let Some(name) = name else { return call };
        match self {
            Self::Cargo => call.args([name]),
            Self::Node => call.args([format!("--test-name-pattern={}", escaped(name))]),
            Self::Maven => call.args([
                format!("-Dtest={name}"),
                "-Dsurefire.failIfNoSpecifiedTests=false".to_owned(),
            ]),
            Self::Go => call.args(["-run", name]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Runner;

    fn failed(runner: Runner, output: &str) -> Vec<String> {
        let lines: Vec<String> = output.lines().map(str::to_owned).collect();
        runner.failed(&lines)
    }

    #[test]
    fn names_every_failed_test_once() {
        let cargo = "test a::b ... ok\ntest a::c ... FAILED\ntest src/lib.rs - x (line 3) ... FAILED\nfailures:\n    a::c";
        assert_eq!(
            failed(Runner::Cargo, cargo),
            ["a::c", "src/lib.rs - x (line 3)"]
        );
        let node = "✖ a part (2.1ms)\n✔ b (1ms)\nℹ fail 1\n\n✖ failing tests:\n\ntest at a.mjs:1:1\n✖ a part (of two) (2.1ms)\n  Error: ✖";
        assert_eq!(failed(Runner::Node, node), ["a part (of two)"]);
        let maven = "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 1 s <<< FAILURE! -- in gbac.kafka.RoleTest\n\
            [ERROR] gbac.kafka.RoleTest.aChange -- Time elapsed: 0.1 s <<< FAILURE!\n[ERROR]   RoleTest.aChange:12";
        assert_eq!(failed(Runner::Maven, maven), ["RoleTest#aChange"]);
        let go = "=== RUN   TestA\n--- FAIL: TestA (0.10s)\n    --- FAIL: TestA/one (0.00s)\n--- PASS: TestB (0.00s)";
        assert_eq!(failed(Runner::Go, go), ["TestA", "TestA/one"]);
    }
}
