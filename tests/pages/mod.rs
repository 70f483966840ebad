//! Runs every command of every page of the documentation, in order, in a fresh folder for each
//! page, and compares what it prints with what the page shows. CONTRIBUTING.md describes how a page
//! shows commands, outputs and files.

mod links;
mod markdown;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use gbac_tests::vectors::root;

use crate::support::shell::{Shell, copy_files};
use markdown::{Command, Step};

/// What a page shows in place of what differs from run to run.
const ANYTHING: char = '…';

/// Fewer commands mean that the pages were not read.
const MINIMUM: usize = 40;

/// What the run of a page found.
#[derive(Debug, Default)]
struct Ran {
    commands: usize,
    /// The blocks that nobody can run here, each with its place and the reason.
    outside: Vec<String>,
    problems: Vec<String>,
}

/// The pages, as paths from the root of the repository.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = ["README.md", "examples/README.md", "www/README.md"]
        .map(str::to_owned)
        .into();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("a file");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(path.display().to_string());
            }
        }
    }
    pages.sort();
    pages
}

/// Whether an output is what a page shows; `…` stands for any text.
fn is_shown(shown: &str, output: &str) -> bool {
    let mut parts = shown.split(ANYTHING);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = output.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// An output without blanks at the ends of its lines.
fn trimmed(output: &str) -> String {
    let mut text = String::new();
    for line in output.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// Runs a command, and returns what it printed, or the problem.
fn run(shell: &mut Shell, command: &Command) -> Result<String, String> {
    let done = shell.run(&command.text);
    let output = trimmed(&done.text);
    if done.exit != Some(command.exit) {
        return Err(format!(
            "exits with {:?}, and the page says {}\n{output}",
            done.exit, command.exit
        ));
    }
    match &command.output {
        Some(shown) if !is_shown(shown, &output) => Err(format!("prints\n{output}")),
        _ => Ok(output),
    }
}

/// Runs the commands of a block, and returns the problem.
fn run_block(
    shell: &mut Shell,
    page: &str,
    commands: &[Command],
    shown: Option<&(usize, String)>,
) -> Option<String> {
    let mut printed = Vec::new();
    for command in commands {
        match run(shell, command) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => printed.push(text),
            Err(problem) => {
                return Some(format!(
                    "{page}:{}: `{}` {problem}",
                    command.line, command.text
                ));
            }
        }
    }
    let printed = trimmed(&printed.join("\n"));
    let (line, shown) = shown?;
    let problem = format!("{page}:{line}: the commands above print\n{printed}");
    (!is_shown(shown, &printed)).then_some(problem)
}

/// Runs a page in a folder of its own, which has a copy of the examples.
fn run_page(page: &str) -> Ran {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    let folder = tempfile::tempdir().expect("a folder");
    let examples = root().join("examples");
    copy_files(&examples, &folder.path().join("examples"));
    if page == "examples/README.md" {
        copy_files(&examples, folder.path());
    }
    let mut shell = Shell::new(folder.path(), &[]);
    let mut ran = Ran::default();
    for step in markdown::steps(&text) {
        match step {
            Step::File { name, text } => write_file(folder.path(), &name, &text),
            Step::Outside { line, reason } => ran.outside.push(format!("{page}:{line}: {reason}")),
            Step::Unclear { line, problem } => {
                ran.problems.push(format!("{page}:{line}: {problem}"));
            }
            Step::Commands { commands, output } => {
                ran.commands += commands.len();
                let problem = run_block(&mut shell, page, &commands, output.as_ref());
                ran.problems.extend(problem);
            }
        }
    }
    ran
}

fn write_file(folder: &Path, name: &str, text: &str) {
    assert!(!name.starts_with('/') && !name.contains(".."), "{name}");
    let path = folder.join(name);
    let parent = path.parent().expect("a folder");
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .expect("a file");
}

#[test]
fn every_command_of_every_page_works() {
    let pages = pages();
    let mut all = Ran::default();
    thread::scope(|scope| {
        let running: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(move || run_page(page)))
            .collect();
        for page in running {
            let ran = page.join().expect("a page");
            all.commands += ran.commands;
            all.outside.extend(ran.outside);
            all.problems.extend(ran.problems);
        }
    });
    println!(
        "{} pages, {} commands, and {} blocks outside this machine:\n{}",
        pages.len(),
        all.commands,
        all.outside.len(),
        all.outside.join("\n")
    );
    assert!(all.problems.is_empty(), "{}", all.problems.join("\n\n"));
    assert!(all.commands >= MINIMUM, "only {} commands", all.commands);
}

#[test]
fn anything_stands_for_what_differs() {
    for (shown, output, expected) in [
        ("a", "a", true),
        ("a", "ab", false),
        ("a…", "abc", true),
        ("a…c…e", "a\nbcd\ne", true),
        ("a…c", "abd", false),
        ("a…x…c", "abc", false),
        ("…", "", true),
    ] {
        assert_eq!(is_shown(shown, output), expected, "{shown} {output}");
    }
}
