//! `cargo xtask mutants`: applies mutations to the decision code, one at a time, and lists those
//! that no test catches.

use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::progress::{Progress, say};
use crate::tools;
use crate::up;
use crate::workspace::Workspace;
use oorandom::Rand64;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The folders of `engine/src` that are mutated.
const FOLDERS: [&str; 6] = [
    "claim_path",
    "decide",
    "groups",
    "policy",
    "token",
    "verify",
];
/// Modules of `tests/` that use the mutated code only through programs. All other tests of the
/// engine and of that crate run for each mutant.
const SKIPPED: [&str; 19] = [
    "architecture",
    "backup",
    "bad_requests",
    "cli",
    "crash",
    "denial_of_service",
    "documents",
    "full_disk",
    "fuzz",
    "help",
    "import_export",
    "malformed",
    "ocsf",
    "online",
    "pages",
    "profiles",
    "serve",
    "simulate",
    "usage",
];
/// The number of random cases of a test; more would catch hardly any other mutant.
const CASES: &str = "5000";
/// The least seconds after which the tests of a mutant count as hanging. On a busy machine, a
/// multiple of the time that they took without a mutation can be too short.
const HANGING_S: &str = "300";
/// The page with the survivors that no result depends on.
const PAGE: &str = "docs/mutants.md";
/// The percentage of compiling mutants that must be caught.
const CAUGHT_PERCENT: usize = 97;

/// The options of the command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The number of randomly selected mutants; all if absent.
    pub(crate) sample: Option<usize>,
    /// The seed of the selection, for repeating it.
    pub(crate) seed: Option<u64>,
}

/// Runs the mutants and prints those that no test caught.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let program = tools::cargo_mutants(workspace, &progress)?;
    // Tests of processes run a program that is built from unchanged code; all others run the
    // command line with the mutated code.
    up::service(workspace, &progress)?;
    let mut call = call(workspace, &program);
    if let Some(count) = options.sample {
        let all = self::call(workspace, &program)
            .args(["--list", "--colors", "never"])
            .succeed(None)?;
        let seed = options.seed.unwrap_or_else(seed);
        let chosen = sample(all, count, seed);
        say(&format!("--sample {count} --seed {seed}"));
        for name in &chosen {
            call = call.args(["--re", &format!("^{}$", escaped(name))]);
        }
    }
    let output = workspace.notes().join("mutants");
    let folder = output.join("mutants.out");
    // Removes the results of earlier runs.
    fs::remove_dir_all(&folder).ok();
    let step = progress.slow("mutants", "each is compiled and tested");
    let ended = call
        .args(["--minimum-test-timeout", HANGING_S, "--output"])
        .args([&output])
        // A separate target folder, so that later runs find the dependencies compiled.
        .env("CARGO_TARGET_DIR", workspace.target.join("mutants"))
        .env("GBAC_BIN", workspace.gbac())
        // Arguments for `cargo test`, then for the tests.
        .args(["--", "--tests", "--"])
        .args(SKIPPED.iter().flat_map(|module| ["--skip".to_owned(), format!("{module}::")]))
        .env("GBAC_CASES", CASES)
        .finish(Some(&step))?;
    let lines = |name: &str| names(&folder.join(name));
    let explained = explained(&fs::read_to_string(workspace.root.join(PAGE)).unwrap_or_default());
    let (known, missed): (Vec<String>, Vec<String>) = lines("missed.txt")
        .into_iter()
        .partition(|name| explained.contains(&without_place(name)));
    let hanging = lines("timeout.txt").len();
    // Tests that hang do not pass.
    let caught = lines("caught.txt").len() + hanging;
    let viable = caught + missed.len() + known.len();
    if viable == 0 {
        ended.into_result()?;
        return Err(Problem::new("no mutant compiled"));
    }
    step.done(&format!(
        "{caught} of {viable} caught, {hanging} of them because the tests hang; {PAGE} explains {} of the others",
        known.len()
    ));
    for name in &missed {
        say(name);
    }
    judge(caught, viable).map_err(|problem| {
        problem.hint(format!(
            "write tests for those above; the logs are in {}",
            folder.display()
        ))
    })
}

/// A call of cargo-mutants for the mutated folders.
fn call(workspace: &Workspace, program: &Path) -> Call {
    let files = FOLDERS
        .iter()
        .flat_map(|folder| ["--file".to_owned(), format!("engine/src/{folder}/**")]);
    Call::new(program, &workspace.root)
        .args(["mutants", "--package", "gbac-engine", "--test-package", "gbac-engine,gbac-analysis,gbac-json,gbac-tests"])
        .args(files)
        // cargo-mutants expects the environment of a cargo subcommand.
        .env("CARGO", env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Selects `count` of the names by the seed.
fn sample(mut names: Vec<String>, count: usize, seed: u64) -> Vec<String> {
    let mut random = Rand64::new(seed.into());
    names.sort();
    // For each place, one of the names that are left.
    for place in 0..count.min(names.len()) {
        let other = random.rand_range(place as u64..names.len() as u64);
        names.swap(place, other as usize);
    }
    names.truncate(count);
    names
}

/// A new seed for each run.
pub(crate) fn seed() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// A regular expression, for Rust and for JavaScript, that matches only this name.
pub(crate) fn escaped(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if r"\.+*?()|[]{}^$#&-~/".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The survivors that the page explains, each as its file and its change.
fn explained(page: &str) -> BTreeSet<String> {
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.filter_map(|(name, _)| name.split_once("`: `"))
        .map(|(file, change)| format!("{file}: {change}"))
        .collect()
}

/// A mutant's file and change, without the line and column: `a.rs:1:2: change` becomes `a.rs:
/// change`.
fn without_place(name: &str) -> String {
    let (place, change) = name.split_once(": ").unwrap_or((name, ""));
    format!("{}: {change}", place.split(':').next().unwrap_or(place))
}

fn names(file: &PathBuf) -> Vec<String> {
    fs::read_to_string(file)
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Returns an error if too few were caught.
fn judge(caught: usize, viable: usize) -> Result<()> {
    if caught * 100 >= viable * CAUGHT_PERCENT {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{caught} of {viable} mutants were caught, and at least {CAUGHT_PERCENT}% must be"
    )))
}

#[cfg(test)]
mod tests {
    use super::{FOLDERS, PAGE, SKIPPED, escaped, explained, judge, sample, without_place};
    use std::path::Path;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_seed_chooses_the_same_ones_whatever_the_order() {
        let all = names(&["a", "b", "c", "d", "e", "f", "g", "h"]);
        let reversed: Vec<String> = all.iter().rev().cloned().collect();
        let chosen = sample(all.clone(), 3, 7);
        assert_eq!(chosen.len(), 3);
        assert_eq!(chosen, sample(reversed, 3, 7));
        assert!((0..20).any(|seed| sample(all.clone(), 3, seed) != chosen));
        let mut every = sample(all.clone(), 100, 1);
        every.sort();
        assert_eq!(every, all);
    }

    #[test]
    fn a_name_means_only_itself() {
        assert_eq!(
            escaped("src/a.rs:1: f -> bool with (x|y)"),
            r"src\/a\.rs:1: f \-> bool with \(x\|y\)"
        );
    }

    #[test]
    fn the_page_explains_survivors_in_the_folders() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let explained = explained(&std::fs::read_to_string(root.join(PAGE)).unwrap());
        assert!(!explained.is_empty());
        for name in &explained {
            let file = name.split(':').next().unwrap();
            let folder = file
                .strip_prefix("engine/src/")
                .and_then(|file| file.split('/').next());
            assert!(
                root.join(file).is_file() && folder.is_some_and(|folder| FOLDERS.contains(&folder)),
                "{name}"
            );
        }
        assert_eq!(
            without_place("engine/src/a.rs:1:22: replace a: b with c"),
            "engine/src/a.rs: replace a: b with c"
        );
    }

    #[test]
    fn three_in_a_hundred_may_be_missed() {
        assert!(judge(97, 100).is_ok());
        assert!(judge(32, 32).is_ok());
        assert_eq!(
            judge(28, 32).unwrap_err().message(),
            "28 of 32 mutants were caught, and at least 97% must be"
        );
    }

    #[test]
    fn the_folders_and_modules_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for folder in FOLDERS {
            assert!(root.join("engine/src").join(folder).is_dir(), "{folder}");
        }
        let tests = std::fs::read_to_string(root.join("tests/main.rs")).unwrap();
        for module in SKIPPED {
            assert!(tests.contains(&format!("mod {module};")), "{module}");
        }
    }
}
