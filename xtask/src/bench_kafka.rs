//! `cargo xtask bench --kafka`: the plugin for Apache Kafka beside Kafka's own authorizer.

use crate::build_kafka::{self, Java};
use crate::problem::{Problem, Result};
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

/// The number of runs, each in a Java process of its own; the table has their medians.
const RUNS: usize = 5;

/// The measurements: the name that the program writes, the description, and the limit.
const ROWS: [(&str, &str, f64); 15] = [
    (
        "cold_1000",
        "one action, never asked before, 1,000 ACLs, divided by Kafka's time",
        0.4,
    ),
    ("cold_100000", "the same, 100,000 ACLs", 0.15),
    (
        "warm_1000",
        "one action from the cache, 1,000 ACLs, divided by Kafka's time",
        0.06,
    ),
    ("warm_100000", "the same, 100,000 ACLs", 0.06),
    (
        "denied_first",
        "one action that is denied and logged, never asked before, 1,000 ACLs, divided by Kafka's time",
        1.0,
    ),
    ("denied_again", "the same, asked before", 1.0),
    (
        "connect_first",
        "first action of a new user with 200 groups, 1,100 ACLs, divided by Kafka's time without groups",
        20.0,
    ),
    (
        "connect_again",
        "the same of a user who was connected before",
        20.0,
    ),
    (
        "many_on_star",
        "one call for 504 topics, 7,000 ACLs on `*`, divided by Kafka's time",
        0.001,
    ),
    (
        "walk_over_java",
        "one walk in the engine, divided by the same index in plain Java",
        5.0,
    ),
    (
        "load_warm",
        "load of 100,000 ACLs, divided by Kafka's time",
        1.5,
    ),
    ("load_cold", "the same in a cold Java process", 3.0),
    (
        "memory_mib",
        "memory of an engine with 100,000 ACLs, in MiB",
        8.0,
    ),
    (
        "bytes_1000",
        "bytes that a decision from the cache allocates, 1,000 ACLs",
        80.0,
    ),
    ("bytes_100000", "the same, 100,000 ACLs", 80.0),
];

/// Measures and prints the table.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let java = Java::find()?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let mut runs = Vec::new();
    for run in 1..=RUNS {
        let results = workspace.target.join("kafka").join("bench.txt");
        let name = format!("run {run} of {RUNS}");
        let calls = build_kafka::benchmark(workspace, &progress, &java, &results)?;
        let step = progress.slow(&name, "the plugin and Kafka's authorizer");
        for call in calls {
            call.succeed(Some(&step))?;
        }
        step.done("measured");
        let text = fs::read_to_string(&results).map_err(|error| {
            Problem::new(format!("cannot read `{}`: {error}", results.display()))
        })?;
        runs.push(parse(&text));
    }
    let table = table(&runs)?;
    say(&format!("\n{table}"));
    Ok(())
}

/// Reads lines of a name and a number.
fn parse(text: &str) -> BTreeMap<String, f64> {
    let row = |line: &str| {
        line.split_once(' ')
            .and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
    };
    text.lines().filter_map(row).collect()
}

/// The medians of all runs, beside their limits.
fn table(runs: &[BTreeMap<String, f64>]) -> Result<String> {
    let mut text = "| what | measured | at most | |\n|---|---:|---:|---|\n".to_owned();
    for (name, description, limit) in ROWS {
        let mut values: Vec<f64> = runs
            .iter()
            .filter_map(|run| run.get(name).copied())
            .collect();
        values.sort_by(f64::total_cmp);
        let Some(median) = values
            .get(values.len() / 2)
            .copied()
            .filter(|_| values.len() == runs.len())
        else {
            return Err(Problem::new(format!("a run did not measure `{name}`")));
        };
        let holds = if median <= limit {
            "holds"
        } else {
            "**does not hold**"
        };
        writeln!(
            text,
            "| {description} | {} | {limit} | {holds} |",
            digits(median)
        )
        .ok();
    }
    Ok(text)
}

/// A number with three significant digits.
pub(crate) fn digits(value: f64) -> String {
    let places = (0..6)
        .find(|places| value >= 100.0 / 10_f64.powi(*places))
        .unwrap_or(6);
    format!("{value:.*}", usize::try_from(places).unwrap_or(6))
}

#[cfg(test)]
mod tests {
    use super::{ROWS, digits, parse, table};

    fn run(value: f64) -> std::collections::BTreeMap<String, f64> {
        ROWS.iter()
            .map(|(name, ..)| ((*name).to_owned(), value))
            .collect()
    }

    #[test]
    fn the_table_has_medians_and_limits() {
        let text = table(&[run(0.5), run(0.0004), run(2.0)]).unwrap();
        assert!(
            text.contains(
                "1,000 ACLs, divided by Kafka's time | 0.500 | 0.4 | **does not hold** |"
            ),
            "{text}"
        );
        assert!(text.contains("plain Java | 0.500 | 5 | holds |"), "{text}");
        let mut incomplete = run(1.0);
        incomplete.remove("load_cold");
        assert!(table(&[run(1.0), incomplete]).is_err());
    }

    #[test]
    fn reads_the_results_of_a_run() {
        let found = parse("cold_1000 0.25\nbad\nmemory_mib 7.5\n");
        assert_eq!(found["cold_1000"], 0.25);
        assert_eq!(found.len(), 2);
        assert_eq!(
            [digits(123.4), digits(7.256), digits(0.0123), digits(0.0)],
            ["123", "7.26", "0.0123", "0.000000"]
        );
    }
}
