//! `--help` of every command: its text, and that each of its examples works.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::program;
use crate::support::service::Service;
use crate::support::shell::{Shell, copy_files, stated_exit};
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
            exit = stated_exit(comment);
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
        copy_files(&root().join("examples"), folder.path());
        let environment = [
            ("GBAC_URL", service.url.as_str()),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", "demo"),
        ];
        let mut shell = Shell::new(folder.path(), &environment);
        for example in page {
            let done = shell.run(&example.line);
            assert_eq!(done.exit, Some(example.exit), "{example:?}\n{}", done.text);
            ran.insert(example.line.clone());
        }
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

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// docs/commands.md: the commands with their exit codes, and the variables, as help pages say.
fn commands_page() -> String {
    let (mut commands, mut variables) = (String::new(), Vec::new());
    visit(&mut Vec::new(), &mut |path, text| {
        for line in section(text, "Environment:") {
            let (name, meaning) = line.trim().split_once(' ').expect("a meaning");
            let row = format!("| `{name}` | {} |\n", cell(meaning.trim()));
            if !variables.contains(&row) {
                variables.push(row);
            }
        }
        if path.is_empty() || (!below(text).is_empty() && !text.contains("[COMMAND]")) {
            return;
        }
        let about = text.lines().next().unwrap_or_default();
        let codes: BTreeMap<String, String> = exit_codes(text).into_iter().collect();
        let meaning = |code, usual| match codes.get(code) {
            Some(meaning) if meaning != usual => cell(meaning),
            _ => String::new(),
        };
        commands.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            path.join(" "),
            cell(about),
            meaning("0", "Success"),
            meaning("1", "Error"),
            meaning("2", "")
        ));
    });
    let mut page = "\
# Commands

`gbac COMMAND --help` shows every flag with examples, `gbac man DIR` writes the same into manual
pages, and [command-line.md](command-line.md) says what all commands share. The last three columns
are exit codes: where they are empty, 0 means success and 1 an error. 64 always means invalid usage.

| command | what it does | 0 | 1 | 2 |
|---|---|---|---|---|
"
    .to_owned();
    page.push_str(&commands);
    page.push_str(
        "
## Variables

Passwords and tokens are never arguments. Each option of `gbac serve` also has a variable:
`GBAC_SERVE_` and its name, such as `GBAC_SERVE_LISTEN` ([order](service.md#options)).

| variable | meaning |
|---|---|
",
    );
    page.push_str(&variables.concat());
    page
}

#[test]
fn the_reference_of_commands_is_what_help_says() {
    let path = root().join("docs/commands.md");
    let page = commands_page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, &page).expect("the page");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/commands.md is not what help says; `INSTA_UPDATE=always cargo test -p gbac-tests help::` writes it"
    );
}
