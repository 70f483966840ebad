//! The rows of all parts, the promised ratios with their limits, and the tables.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::files::Part;
use crate::machine::Machine;
use crate::measure::Row;

/// The limit of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

/// The row of a number: name, ACLs, groups.
type Key = (&'static str, usize, usize);

/// A promised number.
struct Promise {
    name: &'static str,
    what: &'static str,
    bound: Bound,
    value: Value,
}

/// The computation of a number from rows.
enum Value {
    /// A median divided by a median.
    Over(Key, Key),
    /// The slowest single call of several rows, divided by a median.
    WorstOver(&'static [Key], Key),
    /// A median minus the given nanoseconds, which a call across the language boundary may cost,
    /// divided by a median.
    OverBeyond(Key, Key, f64),
    /// A median in milliseconds.
    Milliseconds(Key),
    /// A number of bytes.
    Bytes(Key),
    /// Bytes for each ACL, without those of the names.
    BytesEach(Key, Key),
    /// Bytes for each ACL.
    BytesPerAcl(Key),
    /// A count.
    Count(Key),
    /// The longest 99th percentile of the rows with this name prefix, in milliseconds.
    WorstP99(&'static str),
    /// The most memory of the rows with this name prefix, in MiB.
    MostMebibytes(&'static str),
}

use Value::{
    Bytes, BytesEach, BytesPerAcl, Count, Milliseconds, MostMebibytes, Over, OverBeyond, WorstOver,
    WorstP99,
};

/// The name prefix of the rows about attacks.
pub(crate) const ATTACK: &str = "attack_";

const fn check(acls: usize) -> Key {
    ("wasm_check", acls, 10)
}

/// Another engine with ten groups, divided by the engine's check in wasm.
const fn peer(
    name: &'static str,
    what: &'static str,
    peer: &'static str,
    acls: usize,
    at_least: f64,
) -> Promise {
    Promise {
        name,
        what,
        bound: AtLeast(at_least),
        value: Over((peer, acls, 10), check(acls)),
    }
}

/// A handwritten implementation divided by a call of the engine, with ten groups.
const fn beside(
    name: &'static str,
    what: &'static str,
    peer: &'static str,
    ours: &'static str,
    acls: usize,
    at_least: f64,
) -> Promise {
    Promise {
        name,
        what,
        bound: AtLeast(at_least),
        value: Over((peer, acls, 10), (ours, acls, 10)),
    }
}

/// A rate divided by another, which equals the inverse ratio of their times.
const fn rate(
    name: &'static str,
    what: &'static str,
    at_least: f64,
    under: Key,
    of: Key,
) -> Promise {
    Promise {
        name,
        what,
        bound: AtLeast(at_least),
        value: Over(under, of),
    }
}

const fn service(name: &'static str) -> Key {
    (name, 0, 0)
}

const fn at_most(name: &'static str, what: &'static str, limit: f64, value: Value) -> Promise {
    Promise {
        name,
        what,
        bound: AtMost(limit),
        value,
    }
}

const EVALUATION: Key = ("evaluation_cpu", 10 * K, 20);
const ORDINARY: Key = ("native_check", M, 10);
const WORST: &[Key] = &[
    ("native_worst_hot", M, 200),
    ("native_worst_prefixes", 50_000, 200),
    ("native_worst_shared", K, 200),
];
const K: usize = 1_000;
const M: usize = 1_000_000;

const PROMISES: [Promise; 65] = [
    peer(
        "cedar_wasm_1k",
        "Cedar (wasm), 1k ACLs",
        "cedar_wasm",
        K,
        8_000.0,
    ),
    peer(
        "cedar_wasm_10k",
        "Cedar (wasm), 10k",
        "cedar_wasm",
        10 * K,
        80_000.0,
    ),
    peer("casbin_1k", "Casbin, 1k", "casbin", K, 8_000.0),
    peer("casbin_10k", "Casbin, 10k", "casbin", 10 * K, 60_000.0),
    peer(
        "casl_1k",
        "CASL, ability built beforehand, 1k",
        "casl",
        K,
        10.0,
    ),
    peer(
        "casl_100k_g10",
        "CASL, 100k, 10 groups",
        "casl",
        100 * K,
        80.0,
    ),
    Promise {
        name: "casl_100k_g200",
        what: "CASL, 100k, 200 groups",
        bound: AtLeast(1_500.0),
        value: Over(("casl", 100 * K, 200), ("wasm_check", 100 * K, 200)),
    },
    peer(
        "js_loop_1k",
        "plain JavaScript loop, 1k",
        "js_loop",
        K,
        60.0,
    ),
    peer(
        "js_loop_100k",
        "plain JavaScript loop, 100k",
        "js_loop",
        100 * K,
        3_500.0,
    ),
    peer(
        "js_loop_1m",
        "plain JavaScript loop, 1M",
        "js_loop",
        M,
        28_000.0,
    ),
    peer(
        "js_indexed_1k",
        "JavaScript with a map of names, 1k",
        "js_indexed",
        K,
        8.0,
    ),
    peer(
        "js_indexed_10k",
        "JavaScript with a map of names, 10k",
        "js_indexed",
        10 * K,
        8.0,
    ),
    peer(
        "js_indexed_100k",
        "JavaScript with a map of names, 100k",
        "js_indexed",
        100 * K,
        12.0,
    ),
    peer(
        "js_indexed_1m",
        "JavaScript with a map of names, 1M",
        "js_indexed",
        M,
        20.0,
    ),
    peer(
        "js_remembered_1k",
        "JavaScript with a map that caches names, 1k",
        "js_remembered",
        K,
        1.0,
    ),
    peer(
        "js_remembered_10k",
        "JavaScript with a map that caches names, 10k",
        "js_remembered",
        10 * K,
        1.0,
    ),
    peer(
        "js_remembered_100k",
        "JavaScript with a map that caches names, 100k",
        "js_remembered",
        100 * K,
        1.0,
    ),
    peer(
        "js_remembered_1m",
        "JavaScript with a map that caches names, 1M",
        "js_remembered",
        M,
        1.0,
    ),
    beside(
        "js_can_1k",
        "the same compared with `identity.can`, 1k",
        "js_remembered",
        "wasm_can",
        K,
        1.0,
    ),
    beside(
        "js_can_10k",
        "the same compared with `identity.can`, 10k",
        "js_remembered",
        "wasm_can",
        10 * K,
        1.0,
    ),
    beside(
        "js_can_100k",
        "the same compared with `identity.can`, 100k",
        "js_remembered",
        "wasm_can",
        100 * K,
        1.0,
    ),
    beside(
        "js_can_1m",
        "the same compared with `identity.can`, 1M",
        "js_remembered",
        "wasm_can",
        M,
        1.0,
    ),
    beside(
        "js_filter_1k",
        "the same compared with `filter` of 1,000 names, 1k",
        "js_remembered_filter",
        "wasm_filter",
        K,
        2.0,
    ),
    beside(
        "js_filter_10k",
        "the same compared with `filter` of 1,000 names, 10k",
        "js_remembered_filter",
        "wasm_filter",
        10 * K,
        2.0,
    ),
    beside(
        "js_filter_100k",
        "the same compared with `filter` of 1,000 names, 100k",
        "js_remembered_filter",
        "wasm_filter",
        100 * K,
        2.0,
    ),
    beside(
        "js_filter_1m",
        "the same compared with `filter` of 1,000 names, 1M",
        "js_remembered_filter",
        "wasm_filter",
        M,
        2.0,
    ),
    beside(
        "js_many_1k",
        "the same compared with `checkMany` of 1,000 requests, 1k",
        "js_remembered_many",
        "wasm_check_many",
        K,
        2.0,
    ),
    beside(
        "js_many_10k",
        "the same compared with `checkMany` of 1,000 requests, 10k",
        "js_remembered_many",
        "wasm_check_many",
        10 * K,
        2.0,
    ),
    beside(
        "js_many_100k",
        "the same compared with `checkMany` of 1,000 requests, 100k",
        "js_remembered_many",
        "wasm_check_many",
        100 * K,
        2.0,
    ),
    beside(
        "js_many_1m",
        "the same compared with `checkMany` of 1,000 requests, 1M",
        "js_remembered_many",
        "wasm_check_many",
        M,
        2.0,
    ),
    at_most(
        "js_many_over_can",
        "`checkMany` of 1,000 requests over as many calls of `identity.can`, 1k",
        1.0,
        Over(("wasm_check_many", K, 10), ("wasm_can_each", K, 10)),
    ),
    at_most(
        "js_start_over_empty",
        "a whole Node process with one decision over an empty one, 1k",
        2.0,
        Over(("js_process", K, 10), ("js_process_empty", K, 10)),
    ),
    at_most(
        "js_entry_brotli_bytes",
        "the default JavaScript entry with its module after brotli, in bytes",
        166_000.0,
        Bytes(("js_entry_brotli", 0, 0)),
    ),
    at_most(
        "growth_native",
        "a check at 1M ACLs over one at 1k, native",
        3.0,
        Over(ORDINARY, ("native_check", K, 10)),
    ),
    at_most(
        "growth_wasm",
        "a check at 1M ACLs over one at 1k, wasm",
        2.5,
        Over(check(M), ("wasm_check_beside", K, 10)),
    ),
    at_most(
        "groups_200_over_1",
        "200 groups over 1 group, identity opened, 1M, native",
        1.4,
        Over(("native_check", M, 200), ("native_check", M, 1)),
    ),
    at_most(
        "worst_over_median",
        "worst single decision over the ordinary median",
        20.0,
        WorstOver(WORST, ORDINARY),
    ),
    at_most(
        "provenance_over_decision",
        "decision with its ACL, group and role over the outcome only, 1M, native",
        1.5,
        Over(("native_decide", M, 10), ORDINARY),
    ),
    at_most(
        "open_200_over_check",
        "opening an identity with 200 groups over a check, 1M, native",
        150.0,
        Over(("native_open", M, 200), ORDINARY),
    ),
    at_most(
        "apply_over_check",
        "one ACL added or removed over a check, 1M, native",
        100.0,
        Over(("native_apply", M, 0), ORDINARY),
    ),
    at_most(
        "load_over_parse",
        "loading 1M ACLs over parsing them into plain structs",
        3.0,
        Over(("native_load", M, 0), ("serde_json_parse", M, 0)),
    ),
    at_most(
        "bytes_per_acl",
        "bytes for each of 1M ACLs, without the names",
        90.0,
        BytesEach(("memory", M, 0), ("memory_of_names", M, 0)),
    ),
    at_most(
        "wasm_brotli_bytes",
        "the wasm module after brotli, in bytes",
        150_000.0,
        Bytes(("wasm_brotli", 0, 0)),
    ),
    at_most(
        "cold_start_vs_cedar",
        "start of Node to the first decision over Cedar's, 1k",
        0.125,
        Over(("cold_start", K, 10), ("cold_start_cedar", K, 10)),
    ),
    at_most(
        "js_first_decision_ms",
        "instantiating the module to the first decision in Node, 1k, in milliseconds",
        15.0,
        Milliseconds(("js_first_decision", K, 10)),
    ),
    at_most(
        "js_check_over_native",
        "`identity.check` with the name as a string, less 100 ns, over a native check, 1k",
        1.5,
        OverBeyond(check(K), ("native_check", K, 10), 100.0),
    ),
    at_most(
        "who_can_ms",
        "who can, 100k, native, in milliseconds",
        5.0,
        Milliseconds(("who_can", 100 * K, 0)),
    ),
    at_most(
        "permissions_ms",
        "permissions of a user with 10 groups, 100k, native, in milliseconds",
        5.0,
        Milliseconds(("permissions", 100 * K, 10)),
    ),
    at_most(
        "diff_ms",
        "diff of two 100k policies, 100 ACLs apart, in milliseconds",
        100.0,
        Milliseconds(("diff", 100 * K, 0)),
    ),
    at_most(
        "lint_ms",
        "lint of 100k ACLs, in milliseconds",
        500.0,
        Milliseconds(("lint", 100 * K, 0)),
    ),
    rate(
        "service_role_over_healthz",
        "reads of one role over those of a fixed text, per second",
        0.5,
        service("service_healthz"),
        service("service_role"),
    ),
    rate(
        "service_resolve_over_healthz",
        "ResolveOidcIdentity over a fixed text, per second",
        0.5,
        service("service_healthz"),
        service("service_resolve"),
    ),
    rate(
        "service_write_over_commit",
        "ACLs that one writer creates over bare commits of the store, per second",
        0.5,
        service("redb_commit"),
        service("service_create_acl"),
    ),
    rate(
        "service_64_writers_over_one",
        "ACLs that 64 writers create over those of one, per second",
        3.0,
        service("service_create_acl"),
        service("service_create_acl_64"),
    ),
    Promise {
        name: "service_writes_per_commit",
        what: "writes that share a commit, 64 writers",
        bound: AtLeast(8.0),
        value: Count(service("service_writes_per_commit")),
    },
    at_most(
        "service_start_over_load",
        "start of the service with 1M ACLs over reading and parsing the document",
        4.0,
        Over(("service_start", M, 0), ("read_and_parse", M, 0)),
    ),
    at_most(
        "service_bytes_per_acl",
        "memory of the service for each of 1M ACLs, in bytes",
        400.0,
        BytesPerAcl(("service_memory", M, 0)),
    ),
    at_most(
        "evaluation_cpu_over_health",
        "CPU time of an evaluation with 20 groups over that of a fixed text",
        2.5,
        Over(EVALUATION, ("health_cpu", 10 * K, 0)),
    ),
    rate(
        "evaluation_over_health",
        "evaluations with 20 groups over a fixed text, per second",
        0.5,
        ("health_time", 10 * K, 0),
        ("evaluation_time", 10 * K, 20),
    ),
    at_most(
        "batch_question_over_single",
        "CPU time of one evaluation in a batch of 100 over that of one alone",
        0.1,
        Over(("batch_question_cpu", 10 * K, 20), EVALUATION),
    ),
    at_most(
        "evaluation_audited_over_not",
        "CPU time of an evaluation with auditing over one without",
        2.0,
        Over(("evaluation_audited_cpu", 10 * K, 20), EVALUATION),
    ),
    at_most(
        "evaluation_p99_beside_batches",
        "p99 of evaluations while batches of 100 with 200 groups run, over that without them",
        3.0,
        Over(
            ("evaluation_beside_batches_p99", 10 * K, 20),
            ("evaluation_p99", 10 * K, 20),
        ),
    ),
    at_most(
        "evaluation_p99_beside_readers",
        "p99 of evaluations while 8 clients read 200,000 ACLs, over that without them",
        10.0,
        Over(
            ("evaluation_beside_readers_p99", 200 * K, 0),
            ("evaluation_alone_p99", 200 * K, 0),
        ),
    ),
    at_most(
        "attacked_p99_ms",
        "p99 of a client while another address attacks, the longest of all attacks, in milliseconds",
        250.0,
        WorstP99(ATTACK),
    ),
    at_most(
        "attacked_memory_mib",
        "most memory of the service during an attack, in MiB",
        256.0,
        MostMebibytes(ATTACK),
    ),
];

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
        let count = |holds| {
            self.limits
                .iter()
                .filter(|limit| limit.holds == holds)
                .count()
        };
        (count(Some(true)), count(Some(false)), count(None))
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
            let holds = limit
                .holds
                .map_or("not measured", |holds| if holds { "yes" } else { "**no**" });
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
        let ratio = self.value.of(rows).filter(|ratio| ratio.is_finite());
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
    fn of(&self, rows: &[Row]) -> Option<f64> {
        let find = |key: &Key| {
            rows.iter()
                .find(|row| (row.name.as_str(), row.acls, row.groups) == *key)
        };
        let median = |key: &Key| find(key)?.ns_median;
        let bytes = |key: &Key| Some(find(key)?.bytes? as f64);
        match self {
            Over(above, below) => Some(median(above)? / median(below)?),
            OverBeyond(above, below, spared) => Some((median(above)? - spared) / median(below)?),
            WorstOver(shapes, below) => {
                let slowest: Option<Vec<f64>> =
                    shapes.iter().map(|key| find(key)?.ns_max).collect();
                Some(slowest?.into_iter().fold(0.0, f64::max) / median(below)?)
            }
            Milliseconds(key) => Some(median(key)? / 1e6),
            Bytes(key) => bytes(key),
            BytesEach(held, names) => Some((bytes(held)? - bytes(names)?) / held.1 as f64),
            BytesPerAcl(held) => Some(bytes(held)? / held.1 as f64),
            Count(key) => find(key)?.count,
            WorstP99(begin) => largest(rows, begin, |row| Some(row.ns_p99? / 1e6)),
            MostMebibytes(begin) => largest(rows, begin, |row| {
                Some(row.bytes? as f64 / f64::from(1 << 20))
            }),
        }
    }
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
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
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
        assert_eq!(WorstOver(WORST, ORDINARY).of(&rows), Some(20.0));
        assert_eq!(WorstOver(WORST, ORDINARY).of(&rows[..3]), None);
        assert_eq!(
            BytesEach(("memory", M, 0), ("memory_of_names", M, 0)).of(&rows),
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
        let worst = |rows: &[Row]| (WorstP99(ATTACK).of(rows), MostMebibytes(ATTACK).of(rows));
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
