//! Changes of a policy that a command found: as commands of this program, and as a file for `gbac
//! policy apply`.

use std::fmt::Write;
use std::path::Path;

use gbac_engine::policy::Change;
use gbac_formats::script::{ScriptTarget, steps};
use gbac_json::{ChangeJson, ProblemCode, Problems};
use gbac_words::commands::policy;
use serde_json::json;

use crate::output::{self, Failure, sentence};
use crate::process::Process;

/// The commands that make the changes, each on a line of its own; empty without changes.
pub(super) fn as_commands(title: &str, changes: &[Change]) -> String {
    let steps = steps(changes, ScriptTarget::Gbac);
    let commands = steps.iter().flat_map(|step| &step.commands);
    let lines = commands.fold(String::new(), |mut text, command| {
        let _ = writeln!(text, "  {command}");
        text
    });
    if lines.is_empty() {
        lines
    } else {
        format!("{title}\n{lines}")
    }
}

/// The problems of a list of changes; those about the kind of a change list the possible ones.
pub(super) fn with_kinds(Problems(mut problems): Problems, kinds: &[&str]) -> Problems {
    let list = policy::change_kinds(kinds);
    for problem in &mut problems {
        let is_missing =
            problem.code == ProblemCode::MissingMember && problem.message.starts_with("`change`");
        if is_missing || problem.path.ends_with("/change") {
            problem.message.push_str(&list);
        }
    }
    Problems(problems)
}

/// Says on standard error what a file has, and how to review it; nothing about a file without
/// changes.
pub(super) fn announce(process: &Process, path: &Path, changes: &[Change], what: &str) {
    if !changes.is_empty() {
        let written = policy::changes_written(&path.display().to_string(), what);
        output::note(process, &format!("note: {}", sentence(&written)));
    }
}

/// Writes the changes as the JSON array that `gbac policy apply` and `gbac what-if` read.
pub(super) fn write(process: &Process, path: &Path, changes: &[Change]) -> Result<(), Failure> {
    let values: Vec<ChangeJson> = changes.iter().map(ChangeJson::from).collect();
    output::file(process, path, &format!("{}\n", json!(values)))?;
    if changes.is_empty() {
        let written = policy::no_changes_written(&path.display().to_string());
        output::note(process, &format!("note: {}", sentence(&written)));
    }
    Ok(())
}
