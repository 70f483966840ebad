//! `--help` of every command: its text, and that each of its examples works.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::program::gbac;
use crate::support::program::{self, program};
use crate::support::service::Service;
use gbac_tests::vectors::root;

fn help(path: &[String]) -> String {
    let mut command = program::command();
    command.args(path).arg("--help");
    program::run(command, Path::new("."), "").done()
}

/// The lines below a heading.
fn section<'a>(text: &'a str, heading: &str) -> impl Iterator<Item = &'a str> {
    let below = text
        .lines()
        .skip_while(move |line| *line != heading)
        .skip(1);
    below.take_while(|line| !line.is_empty())
}

/// The subcommands in a help text. At the top level they are in groups, before the options.
fn below(text: &str) -> Vec<String> {
    let listed: Vec<&str> = if text.contains("\nCommands:\n") {
        section(text, "Commands:").collect()
    } else {
        text.lines()
            .skip_while(|line| *line != "Answer questions:")
            .take_while(|line| *line != "Options:")
            .collect()
    };
    // A name is indented by two spaces; further indented lines continue a description.
    let names = listed
        .into_iter()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Calls `each` with the path and the help of a command and of all its subcommands.
pub(crate) fn visit(path: &mut Vec<String>, each: &mut impl FnMut(&[String], &str)) {
    let text = help(path);
    each(path, &text);
    for name in below(&text) {
        path.push(name);
        visit(path, each);
        path.pop();
    }
}

#[test]
fn every_command_has_help() {
    let top = help(&[]);
    let commands = below(&top);
    assert!(commands.len() >= 13, "{commands:?}");
    insta::assert_snapshot!("gbac", top);
    for command in commands {
        let mut all = String::new();
        visit(&mut vec![command.clone()], &mut |path, text| {
            all.push_str(&format!("$ gbac {} --help\n{text}\n", path.join(" ")));
        });
        insta::assert_snapshot!(command, all);
    }
}

/// A command line of a help text, and the exit code that the comment before it names.
#[derive(Debug)]
struct Example {
    line: String,
    exit: i32,
}

fn examples<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Example> {
    let (mut examples, mut exit) = (Vec::new(), 0);
    for line in lines.map(str::trim) {
        if let Some(comment) = line.strip_prefix('#') {
            let code = comment
                .split_once("(exits with ")
                .and_then(|(_, rest)| rest.strip_suffix(')'));
            exit = code.map_or(0, |code| code.parse().expect("an exit code"));
            continue;
        }
        assert!(line.starts_with("gbac "), "{line}");
        examples.push(Example {
            line: line.to_owned(),
            exit,
        });
        exit = 0;
    }
    examples
}

/// A shell with the built `gbac` in a folder, as the superuser of a service.
fn shell(line: &str, service: &Service, folder: &Path) -> Command {
    let built = gbac().parent().expect("a folder").to_owned();
    let path = format!(
        "{}:{}",
        built.display(),
        std::env::var("PATH").expect("a path")
    );
    let mut command = program("sh");
    command
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .env("XDG_CONFIG_HOME", folder.join("config"));
    command.envs([
        ("GBAC_URL", service.url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "demo"),
    ]);
    command
}

/// Runs an example to its end; a service ends when it listens, and `watch` with Ctrl-C.
fn run(example: &Example, service: &Service, folder: &Path) {
    if example.line.starts_with("gbac serve ") && !example.line.ends_with(" --check-config") {
        let mut command = shell(
            &format!("exec {} --listen 127.0.0.1:0", example.line),
            service,
            folder,
        );
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let lines = BufReader::new(child.stdout.take().expect("a pipe"))
            .lines()
            .map_while(Result::ok);
        let listens = lines
            .into_iter()
            .any(|line| line.starts_with("listening on http://127.0.0.1:"));
        child.kill().and_then(|()| child.wait()).expect("it runs");
        assert!(listens, "{example:?}");
        return;
    }
    if example.line.starts_with("gbac watch") {
        let mut command = shell(&format!("exec {}", example.line), service, folder);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe"))
            .lines()
            .map_while(Result::ok);
        assert!(
            lines.any(|line| line.starts_with("Watching http://127.0.0.1:")),
            "{example:?}"
        );
        let interrupted = program("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill");
        assert!(interrupted.success());
        assert_eq!(
            child.wait().expect("it ends").code(),
            Some(example.exit),
            "{example:?}"
        );
        return;
    }
    let done = shell(&example.line, service, folder)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        done.status.code(),
        Some(example.exit),
        "{example:?}\n{}{}",
        text(&done.stdout),
        text(&done.stderr)
    );
}

/// Copies the examples into a folder.
fn copy_examples(to: &Path) {
    for entry in fs::read_dir(root().join("examples"))
        .expect("examples")
        .map(|entry| entry.expect("a file"))
    {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

#[test]
fn every_example_of_every_help_page_works() {
    let mut pages = Vec::new();
    visit(&mut Vec::new(), &mut |path, text| {
        let examples = examples(section(text, "Examples:"));
        assert!((1..=3).contains(&examples.len()), "{path:?}: {examples:?}");
        for heading in ["Exit codes:", "Options:"] {
            assert!(
                section(text, heading).count() > 0,
                "{path:?} has no section {heading}"
            );
        }
        let name = format!("gbac {}", path.join(" "));
        let about = |example: &Example| path.is_empty() || example.line.starts_with(&name);
        assert!(
            examples.iter().any(about),
            "no example is of `{name}`: {examples:?}"
        );
        pages.push(examples);
    });
    let start = program::run(program::command(), Path::new("."), "");
    assert_eq!(start.exit, 64);
    pages.push(examples(section(&start.err, "To begin:")));
    let lines: BTreeSet<&str> = pages
        .iter()
        .flatten()
        .map(|example| example.line.as_str())
        .collect();
    assert!(lines.len() >= 80, "only {} examples", lines.len());
    let mut ran = BTreeSet::new();
    for page in &pages {
        if page.iter().all(|example| ran.contains(&example.line)) {
            continue;
        }
        // The examples of a page run one after the other, on a policy that no other page changed.
        let service = Service::start();
        let folder = tempfile::tempdir().expect("a folder");
        copy_examples(folder.path());
        for example in page {
            run(example, &service, folder.path());
            ran.insert(example.line.clone());
        }
    }
}

#[test]
fn every_command_in_the_readme_of_the_examples_works() {
    let readme = fs::read_to_string(root().join("examples/README.md")).expect("a README");
    let blocks = readme
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split_once("\n```").expect("an end").0);
    let examples = examples(blocks.flat_map(str::lines).filter(|line| !line.is_empty()));
    assert_eq!(examples.len(), 10);
    let service = Service::start();
    let folder = tempfile::tempdir().expect("a folder");
    copy_examples(folder.path());
    for example in &examples {
        run(example, &service, folder.path());
    }
}

/// The codes and their meanings in a help text.
fn exit_codes(help: &str) -> Vec<(String, String)> {
    let lines =
        section(help, "Exit codes:").map(|line| line.trim().split_once(' ').expect("a meaning"));
    lines
        .map(|(code, meaning)| (code.to_owned(), meaning.trim().to_owned()))
        .collect()
}

#[test]
fn the_table_of_exit_codes_is_what_help_says() {
    let document = fs::read_to_string(root().join("docs/command-line.md")).expect("the document");
    let table = document
        .split_once("| command | 0 | 1 | 2 |\n")
        .expect("a table")
        .1;
    let mut documented = BTreeMap::new();
    for row in table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'))
    {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let codes = ["0", "1", "2"]
            .iter()
            .zip(&cells[1..])
            .filter(|(_, meaning)| !meaning.is_empty());
        let mut codes: Vec<(String, String)> = codes
            .map(|(code, meaning)| ((*code).to_owned(), (*meaning).to_owned()))
            .collect();
        codes.push(("64".to_owned(), "Invalid usage".to_owned()));
        let commands = cells[0]
            .split(", ")
            .map(|command| command.trim_matches('`').to_owned());
        documented.extend(commands.map(|command| (command, codes.clone())));
    }
    let of_others = documented.remove("every other command").expect("a row");
    visit(&mut Vec::new(), &mut |path, text| {
        if !path.is_empty() {
            let codes = documented
                .remove(&path.join(" "))
                .unwrap_or_else(|| of_others.clone());
            assert_eq!(exit_codes(text), codes, "{path:?}");
        }
    });
    assert!(documented.is_empty(), "no such command: {documented:?}");
}
