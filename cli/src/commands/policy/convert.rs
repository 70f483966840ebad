//! `gbac policy convert`: a policy document as a script.

use gbac_api::script::{ScriptTarget, changes, changes_between, script};

use crate::args::policy::{ConvertArgs, TargetArg};
use crate::input;
use crate::output::{self, Failure};

/// Returns whether the script expresses the whole policy.
pub(super) fn run(args: &ConvertArgs) -> Result<bool, Failure> {
    let after = input::policy(&args.file)?;
    let changes = match &args.from {
        Some(before) => changes_between(&input::policy(before)?, &after),
        None => changes(&after),
    };
    let script = script(
        &changes,
        match args.to {
            TargetArg::Gbac => ScriptTarget::Gbac,
            TargetArg::Rpk => ScriptTarget::Platform,
            TargetArg::Curl => ScriptTarget::Curl,
        },
    );
    match &args.out {
        Some(path) => {
            std::fs::write(path, &script.text).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
        }
        None => output::document(&script.text)?,
    }
    for note in &script.notes {
        output::note(&format!("note: {note}"));
    }
    Ok(script.notes.iter().all(|note| note.code != "not_written"))
}
