//! `cargo xtask bench --cli`: whole processes of the command line beside `true` and `jq`, in pairs.

use crate::bench_kafka::digits;
use crate::problem::{Problem, Result};
use crate::process::cargo;
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The number of pairs of runs; the table has the medians.
const RUNS: usize = 5;
/// The number of checks in the file of `--checks`.
const REQUESTS: usize = 1_000_000;
/// How often the memory of a process is read while it runs.
const SAMPLING: Duration = Duration::from_millis(2);

/// The measurements of one process beside another one.
struct Comparison {
    /// The median time divided by that of the other process.
    ratio: f64,
    /// The largest memory, in MiB.
    memory: f64,
}

/// Measures and prints the table.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let [jq, nothing] = ["jq", "true"].map(find);
    let (jq, nothing) = (jq?, nothing?);
    let step = progress.slow("bench", "compiling");
    cargo(&workspace.root)
        .args(["build", "--release", "--package", "gbac"])
        .succeed(Some(&step))?;
    step.done("compiled");
    let program = workspace
        .target
        .join("release")
        .join(format!("gbac{EXE_SUFFIX}"));
    let files = Files::write(&workspace.target.join("bench-cli"))?;
    let step = progress.slow("bench", "the command line beside jq");
    let check = |policy: &Path, more: &[&str]| {
        let mut call = vec![
            program.clone(),
            "check".into(),
            "--policy".into(),
            policy.to_owned(),
        ];
        call.extend(more.iter().map(PathBuf::from));
        call
    };
    let question = [
        "--user",
        "maya",
        "--group",
        "team-3",
        "--operation",
        "read",
        "--topic",
        "orders-3-0",
    ];
    let requests = files.requests.display().to_string();
    let version = vec![program.clone(), "--version".into()];
    let rows = [
        (
            "`gbac --version`, divided by `true`",
            5.0,
            pair(&version, &[nothing])?.ratio,
        ),
        (
            "`gbac check` on 1,000 ACLs, divided by `gbac --version`",
            2.0,
            pair(&check(&files.small, &question), &version)?.ratio,
        ),
    ];
    let large = pair(
        &check(&files.large, &question),
        &[jq.clone(), ".".into(), files.large.clone()],
    )?;
    let lines = pair(
        &check(&files.large, &["--checks", &requests]),
        &[jq, "-c".into(), ".".into(), files.requests.clone()],
    )?;
    let megabytes = fs::metadata(&program)
        .map_err(|error| cannot("read", &program, &error))?
        .len() as f64
        / f64::from(1 << 20);
    step.done("measured");
    let rows = rows.into_iter().chain([
        (
            "`gbac check` on 100,000 ACLs, divided by `jq .` on the file",
            0.5,
            large.ratio,
        ),
        ("its memory, in MiB", 150.0, large.memory),
        (
            "`gbac check --checks` of 1,000,000 checks, divided by `jq -c .` on the file",
            1.0,
            lines.ratio,
        ),
        (
            "its memory beyond the policy, in MiB",
            100.0,
            (lines.memory - large.memory).max(0.0),
        ),
        ("the release binary, in MiB", 15.0, megabytes),
    ]);
    let mut table = "| what | measured | at most | |\n|---|---:|---:|---|\n".to_owned();
    for (what, limit, measured) in rows {
        let holds = if measured <= limit {
            "holds"
        } else {
            "**does not hold**"
        };
        writeln!(
            table,
            "| {what} | {} | {limit} | {holds} |",
            digits(measured)
        )
        .ok();
    }
    say(&format!("\n{table}"));
    Ok(())
}

/// The policies and the checks.
struct Files {
    small: PathBuf,
    large: PathBuf,
    requests: PathBuf,
}

impl Files {
    fn write(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|error| cannot("create", folder, &error))?;
        let files = Self {
            small: folder.join("1000.json"),
            large: folder.join("100000.json"),
            requests: folder.join("checks.jsonl"),
        };
        write_lines(&files.small, policy(1_000))?;
        write_lines(&files.large, policy(100_000))?;
        write_lines(&files.requests, (0..REQUESTS).map(|number| {
            format!(
                r#"{{"id": {number}, "identity": {{"user": "user-{}", "groups": ["team-{}"]}}, "operation": "OPERATION_READ", "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-{}-0"}}"#,
                number % 1_000,
                number % 997,
                number % 100_000,
            )
        }))?;
        Ok(files)
    }
}

/// The lines of a policy with as many ACLs, a third of them for prefixes.
fn policy(acls: usize) -> impl Iterator<Item = String> {
    let row = move |number: usize| {
        let pattern = if number.is_multiple_of(3) {
            "PREFIXED"
        } else {
            "LITERAL"
        };
        let end = if number + 1 == acls { "" } else { "," };
        format!(
            r#"{{"resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-{number}-{}", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_{pattern}", "principal": "Group:team-{}", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW"}}{end}"#,
            number % 7,
            number % 997,
        )
    };
    let (head, tail) = (r#"{"version": 1, "acls": ["#.to_owned(), "]}".to_owned());
    std::iter::once(head)
        .chain((0..acls).map(row))
        .chain(std::iter::once(tail))
}

fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> Result<()> {
    let failed = |error: std::io::Error| cannot("write", path, &error);
    let mut file = BufWriter::new(fs::File::create(path).map_err(failed)?);
    for line in lines {
        writeln!(file, "{line}").map_err(failed)?;
    }
    file.flush().map_err(failed)
}

/// Runs two processes in turns.
fn pair(measured: &[PathBuf], other: &[PathBuf]) -> Result<Comparison> {
    let (mut times, mut others, mut memory) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..RUNS {
        let (time, mebibytes) = process(measured)?;
        times.push(time);
        memory = memory.max(mebibytes);
        others.push(process(other)?.0);
    }
    Ok(Comparison {
        ratio: median(times) / median(others),
        memory,
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The seconds and the largest memory of a process, in MiB. A denied check is a result, too.
fn process(call: &[PathBuf]) -> Result<(f64, f64)> {
    let [program, arguments @ ..] = call else {
        return Err(Problem::new("a call without a program"));
    };
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| cannot("start", program, &error))?;
    let status = format!("/proc/{}/status", child.id());
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let sampler = std::thread::spawn(move || {
        let mut largest = 0.0_f64;
        loop {
            largest = fs::read_to_string(&status)
                .ok()
                .and_then(|text| high_water(&text))
                .unwrap_or_default()
                .max(largest);
            if stopped.recv_timeout(SAMPLING) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                return largest;
            }
        }
    });
    let ended = child
        .wait()
        .map_err(|error| cannot("wait for", program, &error))?;
    let seconds = start.elapsed().as_secs_f64();
    drop(stop);
    let memory = sampler.join().unwrap_or_default();
    match ended.code() {
        Some(0 | 2) => Ok((seconds, memory)),
        code => Err(Problem::new(format!(
            "`{}` ended with {code:?}",
            program.display()
        ))),
    }
}

/// The largest resident memory in the status of a process, in MiB.
fn high_water(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .strip_suffix(" kB")?
        .parse::<f64>()
        .ok()
        .map(|kib| kib / 1024.0)
}

/// A program of the system.
fn find(name: &str) -> Result<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Problem::new(format!("`{name}` is not installed"))
                .hint(format!("install it, such as with `apt-get install {name}`"))
        })
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot {what} `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{high_water, median, policy};

    #[test]
    fn the_memory_is_read_from_the_status() {
        assert_eq!(
            high_water("Name:\tgbac\nVmHWM:\t   62464 kB\nVmRSS:\t 1 kB\n"),
            Some(61.0)
        );
        assert_eq!(high_water("Name:\tgbac\n"), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
    }

    #[test]
    fn a_policy_has_its_acls() {
        let lines: Vec<String> = policy(3).collect();
        assert_eq!(lines.len(), 5);
        assert!(
            lines[1].ends_with("},") && lines[3].ends_with('}'),
            "{lines:?}"
        );
    }
}
