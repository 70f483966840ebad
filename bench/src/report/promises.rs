//! The promised numbers, each with its limit and the rows that it is computed from.

/// The limit of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

/// The row of a number: name, ACLs, groups.
pub(super) type Key = (&'static str, usize, usize);

/// A promised number.
pub(super) struct Promise {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) bound: Bound,
    pub(super) value: Value,
}

/// The computation of a number from rows.
pub(super) enum Value {
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

pub(super) const EVALUATION: Key = ("evaluation_cpu", 10 * K, 20);
pub(super) const ORDINARY: Key = ("native_check", M, 10);
pub(super) const WORST: &[Key] = &[
    ("native_worst_hot", M, 200),
    ("native_worst_prefixes", 50_000, 200),
    ("native_worst_shared", K, 200),
];
pub(super) const K: usize = 1_000;
pub(super) const M: usize = 1_000_000;

pub(super) const PROMISES: [Promise; 65] = [
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
        172_000.0,
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
