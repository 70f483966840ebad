//! The rows of all parts, the promised ratios with their limits, and the tables.

mod promises;

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::files::Part;
use crate::machine::Machine;
use crate::measure::Row;
use crate::report::promises::Bound::{AtLeast, AtMost};
use crate::report::promises::Value::{
    Bytes, BytesEach, BytesPerAcl, Count, Milliseconds, MostMebibytes, Over, OverBeyond, WorstOver,
    WorstP99,
};
use crate::report::promises::{Key, PROMISES, Promise, Value};

pub(crate) use self::promises::ATTACK;

/// A run in its JSON format. Other programs rely on `machine`, `results` and `ratios`.
#[derive(Debug, Serialize)]
pub struct Report {
    machine: Machine,
    /// The versions of the measured programs, by name.
    versions: BTreeMap<String, String>,
    /// Whether it was a short run.
    quick: bool,
    results: Vec<Row>,
    ratios: BTreeMap<&'static str, f64>,
    limits: Vec<Limit>,
}

/// A ratio with its limit.
#[derive(Debug, Serialize)]
struct Limit {
    name: &'static str,
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    /// `None` if this run did not measure it.
    ratio: Option<f64>,
    holds: Option<bool>,
}

impl Report {
    /// Combines the parts of a run.
    #[must_use]
    pub fn new(machine: Machine, quick: bool, parts: Vec<Part>) -> Self {
        let mut results = Vec::new();
        let mut versions = BTreeMap::new();
        for part in parts {
            results.extend(part.results);
            versions.extend(part.versions);
        }
        let limits: Vec<Limit> = PROMISES
            .iter()
            .map(|promise| promise.limit(&results))
            .collect();
        let ratios = limits
            .iter()
            .filter_map(|limit| Some((limit.name, limit.ratio?)))
            .collect();
        Self {
            machine,
            versions,
            quick,
            results,
            ratios,
            limits,
        }
    }

    /// The number of promises that hold, do not hold, and were not measured.
    #[must_use]
    pub fn counts(&self) -> (usize, usize, usize) {
        let (mut hold, mut fail, mut unknown) = (0, 0, 0);
        for limit in &self.limits {
            match limit.holds {
                Some(true) => hold += 1,
                Some(false) => fail += 1,
                None => unknown += 1,
            }
        }
        (hold, fail, unknown)
    }

    /// Removes the promises that this run did not measure, because it measured only a part.
    #[must_use]
    pub fn of_a_part(mut self) -> Self {
        self.limits.retain(|limit| limit.ratio.is_some());
        self
    }

    /// The tables as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n\n", self.machine.line());
        let versions: Vec<String> = self
            .versions
            .iter()
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        let length = if self.quick {
            "A short run (`--quick`)"
        } else {
            "A full run"
        };
        let compared = if versions.is_empty() {
            String::new()
        } else {
            format!(" Compared with: {}.", versions.join(", "))
        };
        writeln!(text, "{length}.{compared}\n").ok();
        let mut rows = vec![["ratio", "what", "measured", "limit", "met"].map(str::to_owned)];
        for limit in &self.limits {
            let bound = match (limit.at_least, limit.at_most) {
                (Some(bound), _) => format!("≥ {}", number(bound)),
                (_, bound) => format!("≤ {}", number(bound.unwrap_or_default())),
            };
            let measured = limit.ratio.map_or_else(|| "–".to_owned(), number);
            let holds = match limit.holds {
                Some(true) => "yes",
                Some(false) => "**no**",
                None => "not measured",
            };
            rows.push([
                format!("`{}`", limit.name),
                limit.what.to_owned(),
                measured,
                bound,
                holds.to_owned(),
            ]);
        }
        text += &table(&rows, &[2, 3]);
        text.push('\n');
        let head = [
            "measurement",
            "ACLs",
            "groups",
            "median",
            "p99",
            "slowest",
            "bytes or number",
            "results compared",
        ];
        let mut rows = vec![head.map(str::to_owned)];
        for row in &self.results {
            let groups = if row.groups == 0 {
                String::new()
            } else {
                row.groups.to_string()
            };
            let [median, p99, max] = [row.ns_median, row.ns_p99, row.ns_max]
                .map(|time| time.map(duration).unwrap_or_default());
            // A row has at most one of both.
            let bytes = row
                .bytes
                .map(|bytes| bytes as f64)
                .or(row.count)
                .map(number)
                .unwrap_or_default();
            let checked = row
                .checked
                .map(|checked| number(checked as f64))
                .unwrap_or_default();
            let acls = if row.acls == 0 {
                String::new()
            } else {
                number(row.acls as f64)
            };
            rows.push([
                format!("`{}`", row.name),
                acls,
                groups,
                median,
                p99,
                max,
                bytes,
                checked,
            ]);
        }
        text + &table(&rows, &[1, 2, 3, 4, 5, 6, 7])
    }
}

impl Promise {
    fn limit(&self, rows: &[Row]) -> Limit {
        let ratio = self.value.measured(rows).filter(|ratio| ratio.is_finite());
        let (at_least, at_most) = match self.bound {
            AtLeast(bound) => (Some(bound), None),
            AtMost(bound) => (None, Some(bound)),
        };
        let holds = ratio.map(|ratio| match self.bound {
            AtLeast(bound) => ratio >= bound,
            AtMost(bound) => ratio <= bound,
        });
        Limit {
            name: self.name,
            what: self.what,
            at_least,
            at_most,
            ratio,
            holds,
        }
    }
}

impl Value {
    /// The number; `None` unless all of its rows were measured.
    fn measured(&self, rows: &[Row]) -> Option<f64> {
        match self {
            Over(above, below) => Some(median(rows, above)? / median(rows, below)?),
            OverBeyond(above, below, spared) => {
                Some((median(rows, above)? - spared) / median(rows, below)?)
            }
            WorstOver(shapes, below) => {
                let slowest: Option<Vec<f64>> =
                    shapes.iter().map(|key| find(rows, key)?.ns_max).collect();
                Some(slowest?.into_iter().fold(0.0, f64::max) / median(rows, below)?)
            }
            Milliseconds(key) => Some(median(rows, key)? / 1e6),
            Bytes(key) => bytes(rows, key),
            BytesEach(held, names) => {
                Some((bytes(rows, held)? - bytes(rows, names)?) / held.1 as f64)
            }
            BytesPerAcl(held) => Some(bytes(rows, held)? / held.1 as f64),
            Count(key) => find(rows, key)?.count,
            WorstP99(begin) => largest(rows, begin, |row| Some(row.ns_p99? / 1e6)),
            MostMebibytes(begin) => largest(rows, begin, |row| {
                Some(row.bytes? as f64 / f64::from(1 << 20))
            }),
        }
    }
}

fn find<'r>(rows: &'r [Row], key: &Key) -> Option<&'r Row> {
    rows.iter()
        .find(|row| (row.name.as_str(), row.acls, row.groups) == *key)
}

fn median(rows: &[Row], key: &Key) -> Option<f64> {
    find(rows, key)?.ns_median
}

fn bytes(rows: &[Row], key: &Key) -> Option<f64> {
    Some(find(rows, key)?.bytes? as f64)
}

/// The largest value of the rows with this name prefix; `None` if there are no such rows, or one
/// has no value.
fn largest(rows: &[Row], begin: &str, figure: fn(&Row) -> Option<f64>) -> Option<f64> {
    let figures: Option<Vec<f64>> = rows
        .iter()
        .filter(|row| row.name.starts_with(begin))
        .map(figure)
        .collect();
    figures?.into_iter().reduce(f64::max)
}

/// A Markdown table that is also readable as text; `right` are the columns with numbers.
fn table<const N: usize>(rows: &[[String; N]], right: &[usize]) -> String {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let space = " ".repeat(widths[column] - cell.chars().count());
            text += &if right.contains(&column) {
                format!("| {space}{cell} ")
            } else {
                format!("| {cell}{space} ")
            };
        }
        text += "|\n";
        if place == 0 {
            for (column, width) in widths.iter().enumerate() {
                let end = if right.contains(&column) { ':' } else { '-' };
                write!(text, "|{}{end}", "-".repeat(width + 1)).ok();
            }
            text += "|\n";
        }
    }
    text
}

/// Formats a number: three significant digits below a thousand, thousands with commas above.
fn number(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.3}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
    }
    if value < 1_000.0 {
        return format!("{value:.1}").trim_end_matches(".0").to_owned();
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a time.
fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ..1e3 => format!("{nanoseconds:.0} ns"),
        ..1e6 => format!("{:.2} µs", nanoseconds / 1e3),
        ..1e9 => format!("{:.2} ms", nanoseconds / 1e6),
        _ => format!("{:.2} s", nanoseconds / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::promises::*;
    use super::*;

    fn row(name: &str, acls: usize, groups: usize, median: f64) -> Row {
        Row {
            ns_median: Some(median),
            ..Row::new(name, acls, groups)
        }
    }

    fn machine() -> Machine {
        Machine {
            cpu: "c".into(),
            cores: 2,
            memory_bytes: 1,
            os: "o".into(),
            rust: "r".into(),
            node: "n".into(),
            load: "0".into(),
        }
    }

    #[test]
    fn a_ratio_is_held_to_its_limit_from_both_sides() {
        let rows = vec![
            row("js_loop", K, 10, 60_000.0),
            row("wasm_check", K, 10, 1_000.0),
            row("native_check", K, 10, 100.0),
            row("native_check", M, 10, 301.0),
        ];
        let report = Report::new(
            machine(),
            true,
            vec![Part {
                results: rows,
                versions: Vec::new(),
            }],
        );
        assert_eq!(report.ratios.get("js_loop_1k"), Some(&60.0));
        assert_eq!(report.ratios.get("growth_native"), Some(&3.01));
        assert_eq!(report.ratios.get("js_loop_1m"), None);
        assert_eq!(report.ratios.get("js_check_over_native"), Some(&9.0));
        assert_eq!(report.counts(), (1, 2, PROMISES.len() - 3));
        let tables = report.markdown();
        let line = |name: &str| -> Vec<String> {
            let line = tables
                .lines()
                .find(|line| line.contains(name))
                .unwrap_or_default();
            line.split('|')
                .skip(3)
                .map(|cell| cell.trim().to_owned())
                .collect()
        };
        assert_eq!(line("`js_loop_1k`"), ["60", "≥ 60", "yes", ""]);
        assert_eq!(line("`growth_native`"), ["3.01", "≤ 3", "**no**", ""]);
        assert_eq!(line("`js_loop_1m`"), ["–", "≥ 28,000", "not measured", ""]);
    }

    #[test]
    fn the_worst_of_all_shapes_counts_and_names_are_not_counted() {
        let slowest = |name: &str, acls, max| Row {
            ns_max: Some(max),
            ..Row::new(name, acls, 200)
        };
        let bytes = |name: &str, bytes| Row {
            bytes: Some(bytes),
            ..Row::new(name, M, 0)
        };
        let rows = vec![
            row("native_check", M, 10, 100.0),
            slowest("native_worst_hot", M, 500.0),
            slowest("native_worst_prefixes", 50_000, 2_000.0),
            slowest("native_worst_shared", K, 300.0),
            bytes("memory", 100 * M as u64),
            bytes("memory_of_names", 20 * M as u64),
        ];
        assert_eq!(WorstOver(WORST, ORDINARY).measured(&rows), Some(20.0));
        assert_eq!(WorstOver(WORST, ORDINARY).measured(&rows[..3]), None);
        assert_eq!(
            BytesEach(("memory", M, 0), ("memory_of_names", M, 0)).measured(&rows),
            Some(80.0)
        );
    }

    #[test]
    fn the_worst_attack_counts() {
        let attack = |name: &str, p99, bytes| Row {
            ns_p99: p99,
            bytes: Some(bytes),
            ..Row::new(name, 0, 0)
        };
        let mut rows = vec![
            attack("attack_a", Some(3e6), 1 << 20),
            attack("attack_b", Some(2e6), 3 << 20),
        ];
        rows.push(row("health_cpu", 10 * K, 0, 1.0));
        let worst = |rows: &[Row]| {
            (
                WorstP99(ATTACK).measured(rows),
                MostMebibytes(ATTACK).measured(rows),
            )
        };
        assert_eq!(worst(&rows), (Some(3.0), Some(3.0)));
        assert_eq!(worst(&rows[2..]), (None, None));
        rows[0].ns_p99 = None;
        assert_eq!(
            worst(&rows),
            (None, Some(3.0)),
            "an attack without a figure is not passed over"
        );
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(
            [0.125, 3.0, 14.06, 8_000.0, 1_234_567.0].map(number),
            ["0.125", "3", "14.1", "8,000", "1,234,567"]
        );
        assert_eq!(
            [262.4, 2_870.0, 24e6, 1.16e9].map(duration),
            ["262 ns", "2.87 µs", "24.00 ms", "1.16 s"]
        );
    }
}
