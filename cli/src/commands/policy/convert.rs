//! `gbac policy convert`: a policy document as a script, or as resources of another tool.

use gbac_formats::export::{Export, Exported};

use crate::args::policy::ConvertArgs;
use crate::input;
use crate::output::{self, Failure, plain};
use crate::process::Process;

/// Returns whether the result expresses the whole policy.
pub(super) fn run(process: &Process, args: &ConvertArgs) -> Result<bool, Failure> {
    let policy = input::policy(process, &args.file)?;
    let current = args
        .from
        .as_ref()
        .map(|current| input::policy(process, current))
        .transpose()?;
    let Exported { text, notes } = args.to.write(&Export {
        policy: &policy,
        current: current.as_ref(),
        changes: None,
        cluster: args.cluster_name.as_deref(),
    });
    match &args.out {
        Some(path) => {
            output::file(process, path, &text)?;
            let (file, title) = (plain(&path.display().to_string()), args.to.title);
            let next = args
                .to
                .next
                .map_or(String::new(), |next| format!("; {next}"));
            output::note(process, &format!("note: {file}: {title}{next}"));
        }
        None => output::document(process, &text)?,
    }
    // What is missing makes the exit code, so even --quiet shows it.
    let (missing, other): (Vec<_>, Vec<_>) =
        notes.iter().partition(|note| note.code == "not_written");
    for note in &missing {
        output::problem(process, &format!("warning: {note}"));
    }
    for note in other {
        output::note(process, &format!("note: {note}"));
    }
    Ok(missing.is_empty())
}
