//! `gbac policy convert`: a policy document as a script.

use gbac_api::script::{Target, changes, changes_between, script};

use crate::args::policy::{ConvertArgs, TargetArg};
use crate::input;
use crate::output::{self, Failure};

/// Says whether everything is in the script.
pub(super) fn run(args: &ConvertArgs) -> Result<bool, Failure> {
    let after = input::policy(&args.file)?;
    let changes = match &args.from {
        Some(before) => changes_between(&input::policy(before)?, &after),
        None => changes(&after),
    };
    let written = script(
        &changes,
        match args.to {
            TargetArg::Gbac => Target::Gbac,
            TargetArg::Rpk => Target::Platform,
            TargetArg::Curl => Target::Curl,
        },
    );
    match &args.out {
        Some(path) => {
            std::fs::write(path, &written.text).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
        }
        None => output::document(&written.text)?,
    }
    for note in &written.notes {
        output::note(&format!("note: {note}"));
    }
    Ok(written.notes.iter().all(|note| note.code != "not_written"))
}
