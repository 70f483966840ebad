//! `cargo xtask test`: runs the checks in two lanes; a failure stops only the checks that depend on
//! it.

mod checks;
mod context;
mod inputs;
mod passed;
mod report;
mod result_table;
mod runner;
mod settings;
mod tally;
mod times;

use crate::mutants::seed;
use crate::problem::{Problem, Result};
use crate::progress::{Progress, say};
use crate::test::checks::{CHECKS, Check, Form, Lane};
use crate::test::context::Context;
use crate::test::passed::Passed;
use crate::test::report::Report;
use crate::test::result_table::{FAILED, Row, failures, table};
use crate::test::times::Times;
use crate::tools;
use crate::workspace::Workspace;
use std::env;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

pub(crate) use crate::test::context::Options;

/// The variable with the seed of random cases.
const SEED: &str = "GBAC_SEED";
/// The lanes, with their names in the plan.
const LANES: [(Lane, &str); 2] = [
    (Lane::Cargo, "Rust"),
    (Lane::Others, "Node, Java and browsers"),
];

/// One run of the command.
struct Run<'a> {
    context: Context<'a>,
    /// What passed before; `None` where everything runs.
    passed: Option<Passed<'a>>,
    times: Mutex<Times>,
}

/// Prints the names for `--only`.
pub(crate) fn list() {
    for check in CHECKS {
        let form = if matches!(check.form, Form::Long(_)) {
            "; with --long"
        } else {
            ""
        };
        say(&format!("{:<15} {}{form}", check.name, check.title));
    }
}

/// Runs the chosen checks, and returns whether all passed.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<ExitCode> {
    let named = named(&options.only)?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let seed = env::var(SEED).unwrap_or_else(|_| seed().to_string());
    progress.print(&format!(
        "{SEED}={seed} repeats the random cases of the Rust tests"
    ));
    // Named checks always run.
    let passed = if named.is_empty() {
        Passed::new(workspace, settings::inputs(workspace))
    } else {
        None
    };
    let run = Run {
        context: Context::new(workspace, &progress, options, seed),
        passed,
        times: Mutex::new(Times::read(workspace)),
    };
    let chosen = if named.is_empty() {
        run.choose()
    } else {
        named
    };
    let (known, chosen): (Vec<&Check>, Vec<&Check>) = chosen
        .into_iter()
        .partition(|check| run.passed_before(check));
    run.print_plan(&known, &chosen);
    let mut rows = run.lanes(&chosen);
    rows.extend(known.iter().map(|check| Row::skipped(check.name)));
    rows.sort_by_key(|row| CHECKS.iter().position(|check| check.name == row.name));
    let failures = failures(&rows);
    if let Some(problem) = &failures {
        progress.print(&format!("\n{problem}"));
    }
    say(table(&rows).trim_end());
    Ok(if failures.is_none() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The checks with these names, in the order of the table.
fn named(names: &[String]) -> Result<Vec<&'static Check>> {
    if let Some(unknown) = names
        .iter()
        .find(|name| CHECKS.iter().all(|check| check.name != name.as_str()))
    {
        let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        return Err(Problem::new(format!("unknown check `{unknown}`"))
            .hint(format!("the checks are: {}", all.join(", "))));
    }
    Ok(CHECKS
        .iter()
        .filter(|check| names.iter().any(|name| name == check.name))
        .collect())
}

/// Whether a run without names includes the check. `changed` tells whether its own sources have
/// changed since it passed.
fn is_due(check: &Check, long: bool, changed: impl Fn(&Check, &[&str]) -> bool) -> bool {
    match check.form {
        Form::Always => true,
        Form::Long(own) => long || changed(check, own),
        Form::Part => false,
    }
}

/// The name of the record of a check's own sources.
fn own_record(check: &Check) -> String {
    format!("{}.own", check.name)
}

impl Run<'_> {
    /// The checks of a run without names.
    fn choose(&self) -> Vec<&'static Check> {
        let changed = |check: &Check, own: &[&str]| {
            self.passed
                .as_ref()
                .is_some_and(|passed| passed.has_changed(&own_record(check), own))
        };
        CHECKS
            .iter()
            .filter(|check| is_due(check, self.context.long, changed))
            .collect()
    }

    /// Whether the check passed with the same inputs, in this form.
    fn passed_before(&self, check: &Check) -> bool {
        self.passed
            .as_ref()
            .is_some_and(|passed| passed.is_known(&self.record(check), check.inputs))
    }

    /// The name of the check's record: a check of both forms has one for each.
    fn record(&self, check: &Check) -> String {
        let is_longer = self.context.long && check.form == Form::Always;
        format!("{}{}", check.name, if is_longer { ".long" } else { "" })
    }

    /// Prints what runs, with the seconds that it took the last time.
    fn print_plan(&self, known: &[&Check], chosen: &[&Check]) {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        for check in known {
            self.context.progress.print(&format!(
                "{}: skipped; it passed here, and its inputs are the same",
                check.name
            ));
        }
        self.context
            .progress
            .print("plan, with the seconds of the last run on this machine:");
        for (lane, title) in LANES {
            let mut parts = Vec::new();
            let mut sum = 0.0;
            for check in chosen.iter().filter(|check| check.lane == lane) {
                match times.expected(&self.record(check)) {
                    Some(seconds) => {
                        sum += seconds;
                        parts.push(format!("{} {seconds:.0}", check.name));
                    }
                    None => parts.push(format!("{} ?", check.name)),
                }
            }
            if !parts.is_empty() {
                self.context
                    .progress
                    .print(&format!("  {title}: {} = {sum:.0}", parts.join(", ")));
            }
        }
    }

    /// Runs the lanes beside each other, and meanwhile installs what is missing.
    fn lanes(&self, checks: &[&'static Check]) -> Vec<Row> {
        thread::scope(|scope| {
            scope.spawn(|| {
                for need in checks.iter().flat_map(|check| check.needs) {
                    // The check that needs it reports a failure.
                    self.context.install(*need).ok();
                }
            });
            let lanes = LANES.map(|(lane, _)| {
                scope.spawn(move || {
                    let lane = checks.iter().filter(|check| check.lane == lane);
                    lane.map(|check| self.run_and_record(check))
                        .collect::<Vec<Row>>()
                })
            });
            lanes
                .into_iter()
                .flat_map(|lane| lane.join().expect("a lane of checks does not panic"))
                .collect()
        })
    }

    fn run_and_record(&self, check: &Check) -> Row {
        let name = self.record(check);
        let mut records = vec![(name.clone(), check.inputs)];
        if let Form::Long(own) = check.form {
            records.push((own_record(check), own));
        }
        // Computed before the run, which may not check later changes.
        let mut states = Vec::new();
        if let Some(passed) = &self.passed {
            for (record, inputs) in &records {
                states.push((record, passed.state(record, inputs)));
                passed.remove(record);
            }
        }
        let row = self.run_one(check);
        self.times
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .note(&name, row.seconds);
        if let (true, Some(passed)) = (row.is_ok(), &self.passed) {
            for (record, state) in states {
                if let Ok(state) = state {
                    passed.add(record, &state);
                }
            }
        }
        row
    }

    fn run_one(&self, check: &Check) -> Row {
        let progress = self.context.progress;
        progress.print(&format!("\n{}: {}", check.name, check.title));
        let started = Instant::now();
        let mut report = self.report(check).unwrap_or_else(|problem| Report {
            problem: Some(problem),
            ..Report::default()
        });
        let result = if report.problem.is_none() {
            "ok"
        } else {
            FAILED
        };
        if let Some(problem) = report.problem {
            // A check that stopped early counts as one failure.
            report.tally.failed = report.tally.failed.max(1);
            progress.print(&format!("{problem}"));
        }
        let row = Row {
            name: check.name,
            tally: report.tally,
            result,
            seconds: started.elapsed().as_secs_f64(),
        };
        progress.print(&format!("\n{row}"));
        for name in report.failed {
            progress.print(&format!(
                "  alone: cargo xtask test --only {} --test {}",
                check.name,
                quoted(&name)
            ));
        }
        row
    }

    fn report(&self, check: &Check) -> Result<Report> {
        for need in check.needs {
            self.context.install(*need)?;
        }
        (check.run)(&self.context, check)
    }
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "_-:./#".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{is_due, named, quoted};
    use crate::test::checks::{CHECKS, Form};
    use std::fs;
    use std::path::{Path, PathBuf};

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap()
            .to_owned()
    }

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        named(&only)
            .unwrap()
            .iter()
            .map(|check| check.name)
            .collect()
    }

    #[test]
    fn runs_in_its_own_order() {
        assert_eq!(names(&["e2e", "fmt"]), ["fmt", "e2e"]);
        assert!(named(&["fmtt".to_owned()]).is_err());
    }

    #[test]
    fn the_long_form_has_everything_and_the_ordinary_one_what_is_due() {
        for check in CHECKS {
            let is_part = check.form == Form::Part;
            assert_eq!(
                is_due(check, true, |_, _| false),
                !is_part,
                "{}",
                check.name
            );
            assert_eq!(
                is_due(check, false, |_, _| true),
                !is_part,
                "{}",
                check.name
            );
            assert_eq!(
                is_due(check, false, |_, _| false),
                check.form == Form::Always,
                "{}",
                check.name
            );
        }
    }

    /// The checks that a workflow names after a word.
    fn checks_of(workflow: &str, word: &str) -> Vec<String> {
        let text = fs::read_to_string(root().join(".github/workflows").join(workflow)).unwrap();
        let mut found = Vec::new();
        for line in text.lines() {
            let Some((_, rest)) = line.split_once(word) else {
                continue;
            };
            let list = rest.split(['"', ' ', '}']).next().unwrap_or_default();
            if !list.starts_with("${{") {
                found.extend(list.split(',').map(str::to_owned));
            }
        }
        found
    }

    /// The hosted workflows run the same checks as this command.
    #[test]
    fn the_hosted_workflows_run_every_check() {
        let mut every = checks_of("ci.yml", "checks: \"");
        every.extend(checks_of("ci.yml", "--only "));
        let nightly = checks_of("nightly.yml", "test --long --only ");
        for check in CHECKS {
            let due = |long| is_due(check, long, |_, _| false);
            assert!(
                due(true) || every.iter().any(|name| name == check.name),
                "no workflow runs `{}`",
                check.name
            );
            assert!(
                !due(false) || every.iter().any(|name| name == check.name),
                "ci.yml does not run `{}`",
                check.name
            );
            assert!(
                !due(true) || nightly.iter().any(|name| name == check.name),
                "nightly.yml lacks `{}`",
                check.name
            );
        }
        for name in every.iter().chain(&nightly) {
            assert!(
                CHECKS.iter().any(|check| check.name == name),
                "there is no check `{name}`"
            );
        }
    }

    /// A tag can be moved, a commit cannot.
    #[test]
    fn actions_of_workflows_are_pinned_by_commit() {
        let mut count = 0;
        for entry in fs::read_dir(root().join(".github/workflows")).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            for action in text.lines().filter_map(|line| {
                line.trim_start()
                    .trim_start_matches("- ")
                    .strip_prefix("uses: ")
            }) {
                let commit = action.split_once('@').unwrap().1.split(' ').next().unwrap();
                let is_commit =
                    commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && action.contains(" # v"), "{action}");
                count += 1;
            }
        }
        assert!(count > 10, "{count} actions");
    }

    /// A missing input would make a check skip itself after every change.
    #[test]
    fn every_input_is_there() {
        for check in CHECKS {
            let own = if let Form::Long(own) = check.form {
                own
            } else {
                &[]
            };
            for input in check.inputs.iter().chain(own) {
                assert!(root().join(input).exists(), "{}: {input}", check.name);
            }
            // Otherwise a change of its own sources would not run it again.
            for input in own {
                let holds = |folder: &&str| *folder == "." || Path::new(input).starts_with(folder);
                assert!(check.inputs.iter().any(holds), "{}: {input}", check.name);
            }
            assert!(!check.inputs.is_empty(), "{}", check.name);
        }
    }

    #[test]
    fn a_name_is_one_word_for_a_shell() {
        assert_eq!(quoted("a::b"), "a::b");
        assert_eq!(quoted("RoleTest#aChange"), "RoleTest#aChange");
        assert_eq!(quoted("a user's role"), r"'a user'\''s role'");
    }
}
