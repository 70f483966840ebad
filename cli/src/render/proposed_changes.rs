//! Changes of a policy that a command found: as commands of this program, and as a file for `gbac
//! policy apply`.

use std::fmt::Write;
use std::path::Path;

use gbac_engine::policy::Change;
use gbac_formats::script::{ScriptTarget, steps};
use gbac_json::{ChangeJson, ProblemCode, Problems};
use gbac_words::commands::policy;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::args::policy_source::PolicySourceArgs;
use crate::output::{self, Failure, sentence};
use crate::process::Process;

/// The long help of `--changes`.
pub(crate) const CHANGES_HELP: &str = r#"File with the changes, a JSON array, `-` for standard input, as `least-grant --out`, `revoke --out`, `what-if --out` and `policy lint --out` write it. An array with two changes:
[{ "change": "add_member", "role": "PaymentsWriters", "principal": "Group:analytics" },
 { "change": "remove_acl", "acl": { "principal": "Group:engineering",
   "permission_type": "PERMISSION_TYPE_ALLOW", "operation": "OPERATION_READ", "host": "*",
   "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-",
   "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED" } }]"#;

/// The commands that make the changes, each on a line of its own; empty without changes.
pub(crate) fn as_commands(title: &str, changes: &[Change]) -> String {
    let mut lines = String::new();
    for step in steps(changes, ScriptTarget::Gbac) {
        for command in step.commands {
            let _ = writeln!(lines, "  {command}");
        }
    }
    if lines.is_empty() {
        lines
    } else {
        format!("{title}\n{lines}")
    }
}

/// The problems of a list of changes; those about the kind of a change list the possible ones.
pub(crate) fn with_kinds(Problems(mut problems): Problems, kinds: &[&str]) -> Problems {
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
pub(crate) fn announce(
    process: &Process,
    path: &Path,
    changes: &[Change],
    what: &str,
    source: &PolicySourceArgs,
) {
    if !changes.is_empty() {
        let written =
            policy::changes_written(&path.display().to_string(), what, &source.target_flags());
        output::note(process, &format!("note: {}", sentence(&written)));
    }
}

/// Refuses to replace a file that is no list, such as the policy itself.
fn refuse_other_file(process: &Process, path: &Path) -> Result<(), Failure> {
    let place = process.path(path);
    // A pipe or a terminal has nothing to lose.
    if !place.is_file() {
        return Ok(());
    }
    let file = path.display().to_string();
    let text = std::fs::read(place).map_err(|error| Failure::io(&file, &error))?;
    let is_list = serde_json::from_slice::<Vec<IgnoredAny>>(&text).is_ok();
    if text.is_empty() || is_list {
        return Ok(());
    }
    Err(Failure::usage(sentence(&policy::not_a_list_of_changes(
        &file,
    ))))
}

/// Writes the changes as the JSON array that `gbac policy apply` and `gbac what-if` read.
pub(crate) fn write(process: &Process, path: &Path, changes: &[Change]) -> Result<(), Failure> {
    refuse_other_file(process, path)?;
    let values: Vec<ChangeJson> = changes.iter().map(ChangeJson::from).collect();
    output::file(process, path, &format!("{}\n", json!(values)))?;
    if changes.is_empty() {
        let written = policy::no_changes_written(&path.display().to_string());
        output::note(process, &format!("note: {}", sentence(&written)));
    }
    Ok(())
}
