//! Tests of the project's rules: one direction of imports, small files with a first line, documents
//! that name existing files.

mod circles;
mod crates;
mod modules;
mod names;
mod promises;
mod sentences;
mod structure;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gbac_tests::vectors::{self, root};

struct Source {
    name: String,
    text: String,
}

impl Source {
    /// The code without its test modules, whose closing brace is in the same column as their
    /// attribute.
    fn code(&self) -> Vec<&str> {
        let mut code = Vec::new();
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            let indent = line.len() - line.trim_start().len();
            let is_module =
                |next: &&str| next.trim_start().starts_with("mod ") && next.ends_with('{');
            if line.trim_start() == "#[cfg(test)]" && lines.peek().is_some_and(is_module) {
                for inside in lines.by_ref() {
                    if inside.trim_end() == format!("{}}}", &line[..indent]) {
                        break;
                    }
                }
            } else {
                code.push(line);
            }
        }
        code
    }

    /// The code's lines without comments.
    fn lines(&self) -> Vec<&str> {
        self.code()
            .into_iter()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect()
    }
}

/// The Rust of the whole workspace.
fn workspace() -> Vec<Source> {
    let packages = crates::all();
    // A crate may be in the folder of another crate.
    let mut folders: Vec<&str> = packages
        .iter()
        .map(|package| package.folder.as_str())
        .collect();
    folders.retain(|folder| {
        !packages
            .iter()
            .any(|other| folder.starts_with(&format!("{}/", other.folder)))
    });
    sources(&folders)
}

fn sources(folders: &[&str]) -> Vec<Source> {
    let mut paths = Vec::new();
    for folder in folders {
        collect(&root().join(folder), &mut paths);
    }
    paths.sort();
    assert!(!paths.is_empty(), "there is code in {folders:?}");
    paths
        .into_iter()
        .map(|path| Source {
            name: path
                .strip_prefix(root())
                .unwrap_or(&path)
                .display()
                .to_string()
                .replace('\\', "/"),
            text: fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        })
        .collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            if path
                .file_name()
                .is_none_or(|name| name != "node_modules" && name != "target")
            {
                collect(&path, paths);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            paths.push(path);
        }
    }
}

fn must_be_empty(rule: &str, found: &[String]) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

/// Whether a file contains tests only.
fn is_test(name: &str) -> bool {
    name.starts_with("tests/") || name.contains("/tests/") || name.ends_with("/tests.rs")
}

#[test]
fn every_file_says_what_it_is_and_is_small() {
    let mut found = Vec::new();
    for source in workspace() {
        if !source.text.starts_with("//! ") {
            found.push(format!("{}: begins without a `//! ` line", source.name));
        }
        let budget = match source.name.rsplit('/').next() {
            Some("lib.rs") => 175,
            Some("main.rs") => 60,
            // Tests stand for themselves: a longer file is not harder to read.
            _ if is_test(&source.name) => 1200,
            _ => 700,
        };
        let lines = source.code().len();
        // Exception: tables of cases.
        if lines > budget && !source.name.starts_with("engine/tests/") {
            found.push(format!(
                "{}: {lines} lines of code, at most {budget}",
                source.name
            ));
        }
    }
    must_be_empty("files", &found);
}

#[test]
fn decisions_that_are_named_exist() {
    let decisions =
        fs::read_to_string(root().join("docs/decisions.md")).expect("docs/decisions.md");
    let mut known = BTreeSet::new();
    known.extend(
        ids(&decisions, "D-", 2)
            .into_iter()
            .filter(|id| decisions.contains(&format!("## {id}"))),
    );
    assert!(
        known.len() >= 30,
        "docs/decisions.md has a heading for each decision"
    );
    let mut found = Vec::new();
    for source in workspace() {
        found.extend(
            ids(&source.text, "D-", 2)
                .into_iter()
                .filter(|id| !known.contains(id))
                .map(|id| format!("{}: {id}", source.name)),
        );
    }
    must_be_empty("decisions that docs/decisions.md does not have", &found);
}

#[test]
fn nothing_is_left_of_a_patch_or_a_merge() {
    fn collect(folder: &Path, found: &mut Vec<String>, seen: &mut usize) {
        // Other tests may remove their folders meanwhile.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                // Not part of the repository, and large.
                if !["node_modules", "target", ".git"]
                    .iter()
                    .any(|known| name == *known)
                {
                    collect(&path, found, seen);
                }
                continue;
            }
            *seen += 1;
            if path
                .extension()
                .is_some_and(|extension| extension == "rej" || extension == "orig")
            {
                found.push(
                    path.strip_prefix(root())
                        .unwrap_or(&path)
                        .display()
                        .to_string(),
                );
            }
        }
    }
    let (mut found, mut seen) = (Vec::new(), 0);
    collect(&root(), &mut found, &mut seen);
    assert!(seen > 500, "{seen} files are the whole repository");
    must_be_empty(
        "rejected or original parts of files; apply or delete them",
        &found,
    );
}

/// Every `<prefix><digits>` of a text with exactly so many digits.
fn ids(text: &str, prefix: &str, digits: usize) -> BTreeSet<String> {
    text.match_indices(prefix)
        .filter_map(|(place, _)| {
            let number: String = text[place + prefix.len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            (number.len() == digits).then(|| format!("{prefix}{number}"))
        })
        .collect()
}

#[test]
fn the_specification_is_covered() {
    let page =
        fs::read_to_string(root().join("docs/spec-coverage.md")).expect("docs/spec-coverage.md");
    let mut vectors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in vectors::all() {
        for test in file.tests {
            vectors.insert(test.id.expect("every vector has an id"), test.spec);
        }
    }
    let tests = test_names();
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for line in page
        .lines()
        .filter(|line| line.starts_with("| S-") || line.starts_with("| D-"))
    {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [id, _, status, covered] = cells[..] else {
            found.push(format!("four columns: {line}"));
            continue;
        };
        known.insert(id.to_owned());
        let names: Vec<&str> = covered.split('`').skip(1).step_by(2).collect();
        if status == "covered" && names.is_empty() {
            found.push(format!("{id}: covered by nothing"));
        }
        if !["covered", "planned", "outside"].contains(&status) {
            found.push(format!("{id}: unknown status `{status}`"));
        }
        for name in names {
            if !vectors.contains_key(name) && !tests.contains(name) {
                found.push(format!("{id}: there is no vector or test `{name}`"));
            }
        }
    }
    for (vector, clauses) in &vectors {
        for clause in clauses.iter().filter(|clause| !known.contains(*clause)) {
            found.push(format!(
                "vector {vector}: `{clause}` is not in docs/spec-coverage.md"
            ));
        }
    }
    let decisions =
        fs::read_to_string(root().join("docs/decisions.md")).expect("docs/decisions.md");
    let headings = decisions
        .lines()
        .filter_map(|line| line.strip_prefix("## D-")?.split(' ').next());
    found.extend(
        headings
            .map(|number| format!("D-{number}"))
            .filter(|id| !known.contains(id))
            .map(|id| format!("{id}: this decision has no row")),
    );
    must_be_empty("docs/spec-coverage.md", &found);
}

/// Names of Rust and Java test functions, and titles of JavaScript tests.
fn test_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for source in workspace() {
        for line in source.text.lines() {
            let line = line.trim_start().trim_start_matches("async ");
            if let Some(rest) = line.strip_prefix("fn ") {
                names.insert(
                    rest.chars()
                        .take_while(|c| c.is_alphanumeric() || *c == '_')
                        .collect(),
                );
            }
        }
    }
    for folder in [
        "www/test",
        "npm/test",
        "packaging/test",
        "tests/clients/node",
        "tests/e2e",
        "tests/e2e/long",
        "tests/kafka",
    ] {
        for entry in fs::read_dir(root().join(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            for opening in ["test('", "journey('"] {
                for (place, _) in text.match_indices(opening) {
                    names.extend(
                        text[place + opening.len()..]
                            .split('\'')
                            .next()
                            .map(String::from),
                    );
                }
            }
        }
    }
    java_tests(&root().join("kafka/src/test/java"), &mut names);
    names
}

/// Names of the methods of Java tests: of a line `void name() {` after `@Test`.
fn java_tests(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            java_tests(&path, names);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "java")
        {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let methods = text
                .split("@Test")
                .skip(1)
                .filter_map(|rest| rest.split_once("void ")?.1.split('(').next());
            names.extend(methods.map(str::to_owned));
        }
    }
}

/// The Rust and JavaScript of the tests that start programs.
fn tests() -> Vec<Source> {
    fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .flatten()
        {
            let path = entry.path();
            let named = |names: &[&str]| {
                path.file_name()
                    .is_some_and(|name| names.iter().any(|known| name == *known))
            };
            if path.is_dir() && !named(&["node_modules"]) {
                collect(&path, paths);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "rs" || extension == "mjs")
            {
                paths.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    for folder in ["tests", "www/test", "npm/test", "packaging/test"] {
        collect(&root().join(folder), &mut paths);
    }
    assert!(paths.len() > 50, "{paths:?}");
    let read = |path: PathBuf| Source {
        name: path
            .strip_prefix(root())
            .unwrap_or(&path)
            .display()
            .to_string()
            .replace('\\', "/"),
        text: fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
    };
    paths.into_iter().map(read).collect()
}

/// The file in which a documented address stands for that of a service on a free port.
const DOCUMENTED: &str = "tests/support/shell.rs";

#[test]
fn tests_depend_on_nothing_else_that_runs_here() {
    let start = concat!("Command", "::new(");
    let mut found = Vec::new();
    for source in tests() {
        if source.text.contains(start) && source.name != "tests/support/program.rs" {
            found.push(format!(
                "{}: starts a program with the environment of who runs the tests",
                source.name
            ));
        }
        if source.text.contains(concat!("thread", "::sleep")) {
            found.push(format!(
                "{}: waits for a time instead of a condition",
                source.name
            ));
        }
        for loopback in ["127.0.0.1:", "localhost:", "[::1]:"] {
            for (place, _) in source.text.match_indices(loopback) {
                let port = &source.text[place + loopback.len()..];
                let fixed =
                    port.starts_with(|c: char| c.is_ascii_digit()) && !port.starts_with('0');
                if fixed && source.name != DOCUMENTED {
                    found.push(format!("{}: names a port of {loopback}", source.name));
                }
            }
        }
    }
    must_be_empty("tests", &found);
}
