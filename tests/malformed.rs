//! Tests of malformed command lines, generated from a seed: each ends with a documented exit code
//! and a message, allows nothing, and repeats no secret.

use std::collections::BTreeMap;
use std::thread;

use crate::support::program::{self, Nobody, Run};
use gbac_tests::folder::Folder;
use gbac_tests::samples::{POLICY, TOKEN};
use serde_json::json;

fn run_with(folder: &Folder, args: &[String], stdin: &str) -> Run {
    let mut command = program::command();
    command.args(args);
    program::run(command, folder.path(), stdin)
}

fn own(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("malformed-{test}"));
    folder.file("policy.json", POLICY);
    folder
}

/// The placeholder in a command line for an address without a listener.
const NOBODY: &str = "<nobody>";

/// Pseudorandom numbers from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// Valid command lines; none of them allows anything.
const LINES: &[&[&str]] = &[
    &[
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--operation",
        "read",
        "--topic",
        "x",
    ],
    &["check", "--policy", "policy.json", "--checks", "none.jsonl"],
    &[
        "who-can",
        "--policy",
        "policy.json",
        "--operation",
        "read",
        "--topic",
        "x",
    ],
    &[
        "permissions",
        "--policy",
        "policy.json",
        "--principal",
        "Group:none",
    ],
    &[
        "least-grant",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--operation",
        "read",
        "--topic",
        "x",
    ],
    &[
        "revoke",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--operation",
        "read",
        "--topic",
        "x",
    ],
    &[
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--other-user",
        "v",
    ],
    &[
        "what-if",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--add-to-group",
        "none",
    ],
    &["collisions", "--policy", "policy.json", "--name", "x"],
    &["policy", "validate", "policy.json"],
    &["policy", "lint", "policy.json"],
    &[
        "policy",
        "diff",
        "policy.json",
        "policy.json",
        "--exit-code",
    ],
    &["policy", "convert", "policy.json", "--to", "gbac"],
    &["policy", "import", "policy.json"],
    &[
        "token",
        "inspect",
        "--claims",
        "claims.json",
        "--claim-path",
        "$.groups",
        "--nested",
        "none",
    ],
    &["doctor", "--claims", "claims.json", "--expect-group", "x"],
    &["test", "tests.json"],
    &[
        "security",
        "acl",
        "create",
        "--allow-principal",
        "Group:x",
        "--operation",
        "read",
        "--topic",
        "x",
        "--url",
        NOBODY,
    ],
    &[
        "security",
        "role",
        "assign",
        "r",
        "--principal",
        "Group:x",
        "--url",
        NOBODY,
    ],
    &["cluster", "config", "set", "a=b", "--url", NOBODY],
    &["import", "policy.json", "--no-confirm", "--url", NOBODY],
    &["export", "--url", NOBODY],
    &["profile", "list"],
    &["completions", "bash"],
    &[
        "policy",
        "apply",
        "--changes",
        "changes.json",
        "--dry-run",
        "--url",
        NOBODY,
    ],
    &["policy", "fmt", "--check", "policy.json"],
    &["policy", "lint", "policy.json", "-o", "sarif"],
    &[
        "policy",
        "diff",
        "policy.json",
        "policy.json",
        "-o",
        "markdown",
        "--no-color",
    ],
    &["test", "tests.json", "-o", "junit", "-q"],
    &[
        "watch",
        "--principal",
        "Group:x",
        "--topic",
        "x",
        "--url",
        NOBODY,
    ],
    &["export", "-v", "--tls-ca", "policy.json", "--url", NOBODY],
    &[
        "security",
        "acl",
        "list",
        "--insecure",
        "--tls-cert",
        "policy.json",
        "--tls-key",
        "not.json",
        "--url",
        NOBODY,
    ],
];

const WORDS: &[&str] = &[
    "",
    " ",
    "-",
    "--",
    "---",
    "=",
    ",",
    "a,,b",
    "\"",
    "\"a,b",
    "'",
    "\\",
    "\n",
    "\u{0}x",
    "\u{202e}x",
    "é",
    "日本",
    "👩\u{1f3fd}",
    "*",
    "Group:",
    "Group:eng",
    "group:eng",
    "User:Group:x",
    "../../etc/passwd",
    "missing.json",
    ".",
    "/",
    "policy.jsonx",
    "not.json",
    "0",
    "-1",
    "99999999999999999999",
    "1e400",
    "nan",
    "true",
    "null",
    "{}",
    "[]",
    "{\"version\":1}",
    "$",
    "$.",
    "$[",
    "$..",
    "%00",
    "%",
    "http://",
    "http://me:hunter2@example.com",
    "https://me:hunter2 @x",
    "file:///etc/passwd",
    "10.0.0.0/8",
    "::1%eth0",
    "localhost",
    "--no-such-flag",
    "--policy",
    "--format",
    "--format=xml",
    "-f",
    "-d",
    "-x",
    "--help=yes",
    "--user",
    "--dry-run",
    "--at",
    "--token-file",
];

fn malformed(numbers: &mut Numbers) -> Vec<String> {
    let mut line = own(LINES[numbers.below(LINES.len())]);
    for _ in 0..=numbers.below(3) {
        let place = numbers.below(line.len());
        match numbers.below(9) {
            0 => line[place] = numbers.pick(WORDS).to_owned(),
            1 => line.insert(place, numbers.pick(WORDS).to_owned()),
            2 => line.push(numbers.pick(WORDS).to_owned()),
            3 => drop(line.remove(place)),
            // A typo: a letter doubled, missing, or in another case.
            4 => {
                let twice = numbers.below(line[place].chars().count().max(1));
                let letters = line[place].chars().enumerate();
                line[place] = letters
                    .flat_map(|(at, c)| std::iter::repeat_n(c, if at == twice { 2 } else { 1 }))
                    .collect();
            }
            5 => {
                line[place] = line[place]
                    .chars()
                    .filter(|_| numbers.below(6) > 0)
                    .collect();
            }
            6 => line[place] = line[place].to_uppercase(),
            7 => line[place] = TOKEN.to_owned(),
            _ => {
                let again = line[place].clone();
                line.insert(place, again);
            }
        }
        if line.is_empty() {
            line.push(numbers.pick(WORDS).to_owned());
        }
    }
    // Arguments cannot contain a NUL.
    line.iter().map(|word| word.replace('\u{0}', "")).collect()
}

#[test]
fn two_thousand_malformed_command_lines() {
    const LINES_EACH: usize = 1000;
    let (folder, nobody) = (folder("lines"), Nobody::there());
    let check = json!({ "identity": { "user": "u" }, "operation": "read", "resource_type": "topic", "resource_name": "x" });
    folder.file("none.jsonl", &format!("{{}}\nx\n{check}\n"));
    folder.file("claims.json", r#"{ "sub": "u", "groups": ["none"] }"#);
    folder.file("not.json", "hello");
    folder.file(
        "changes.json",
        r#"[{ "change": "create_role", "role": "x" }]"#,
    );
    folder.file(
        "tests.json",
        r#"{ "version": 1, "policy": { "version": 1 }, "tests": [] }"#,
    );
    let judge_all = |seed| {
        let (mut numbers, mut counts, mut faults) = (Numbers(seed), BTreeMap::new(), Vec::new());
        for _ in 0..LINES_EACH {
            let line = malformed(&mut numbers);
            // A started service would not end.
            if line.iter().any(|word| word == "serve") {
                continue;
            }
            let there: Vec<String> = line
                .iter()
                .map(|word| word.replace(NOBODY, &nobody.url()))
                .collect();
            let done = run_with(&folder, &there, "");
            *counts.entry(done.exit).or_insert(0) += 1;
            if let Err(fault) = judge(&line, &done) {
                faults.push(format!(
                    "{fault}: {line:?}: exit code {}\n{}{}",
                    done.exit, done.out, done.err
                ));
            }
        }
        (counts, faults)
    };
    let both = thread::scope(|scope| {
        [1, 2]
            .map(|seed| scope.spawn(move || judge_all(seed)))
            .map(|thread| thread.join().expect("an end"))
    });
    let faults: Vec<&String> = both.iter().flat_map(|(_, faults)| faults).collect();
    let first: Vec<&str> = faults.iter().take(12).map(|fault| fault.as_str()).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        first.join("\n")
    );
    let count = |exit: i32| {
        both.iter()
            .filter_map(|(counts, _)| counts.get(&exit))
            .sum::<usize>()
    };
    assert!(
        count(1) > 100 && count(64) > 800,
        "{} errors, {} of wrong usage",
        count(1),
        count(64)
    );
}

/// The fault of a finished command line.
fn judge(line: &[String], done: &Run) -> Result<(), &'static str> {
    let told = format!("{}{}", done.out, done.err);
    let holds = |words: &[&str]| line.iter().any(|word| words.contains(&word.as_str()));
    if told.contains("panicked") || told.contains("os error") {
        return Err("it tells of its insides");
    }
    // The result of a query about a topic contains its name.
    let secrets = [TOKEN, &TOKEN[..20], "c2VjcmV0", "hunter2"];
    if secrets
        .iter()
        .take(if [0, 2].contains(&done.exit) { 3 } else { 4 })
        .any(|secret| told.contains(secret))
    {
        return Err("it repeats a secret");
    }
    if done.out.starts_with("Allowed") || done.out.contains("\"outcome\":\"allow\"") {
        return Err("it allows");
    }
    match done.exit {
        // The command line was still valid; for `check`, that means an allow, unless it prints one
        // result per line.
        0 if line[0] == "check" && !holds(&["--help", "-h", "--checks", "--version", "-V"]) => {
            Err("it allows by its exit code")
        }
        0 => Ok(()),
        2 if line[0] == "check" => Ok(()),
        1 | 64 if tells_what_to_do(done) => Ok(()),
        1 | 64 => Err("it does not say what to do"),
        _ => Err("the exit code is none that is documented"),
    }
}

/// Whether standard error contains an error and the recommended correction, without control
/// characters.
fn tells_what_to_do(done: &Run) -> bool {
    let error_output = done.err.trim_end();
    if error_output.chars().any(|c| c.is_control() && c != '\n')
        || error_output.contains('\u{202e}')
    {
        return false;
    }
    let Some(error) = error_output
        .lines()
        .rfind(|line| line.starts_with("error: "))
    else {
        // A report of findings, differences or lines needs no further message, and neither does the
        // help of a command without arguments.
        return if done.exit == 1 {
            !done.out.is_empty()
        } else {
            error_output.contains("Usage:")
        };
    };
    let helps = [
        "; ",
        "see --help",
        "such as",
        "one of",
        "write ",
        "name ",
        "must ",
        "pass ",
    ];
    // The problems of a document follow the line, each with the recommended correction.
    error.ends_with(':') || helps.iter().any(|help| error.contains(help))
}
