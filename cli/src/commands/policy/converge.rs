//! `gbac policy diff --converge`: the file with the changes that make one policy decide as another.

use std::path::Path;

use gbac_analysis::Convergence;
use gbac_engine::policy::Policy;
use gbac_words::convergence;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{Failure, sentence};
use crate::process::Process;
use crate::render::proposed_changes;

/// What a file makes of the policy of --to.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct WrittenConvergence {
    /// The file.
    pub(super) file: String,
    /// The number of changes in the file.
    pub(super) changes: usize,
    /// What still differs after the changes, each as a sentence.
    pub(super) left: Vec<String>,
}

/// Writes the changes that make the second policy decide as the first.
pub(super) fn write(
    process: &Process,
    path: &Path,
    from: &Policy,
    to: &Policy,
) -> Result<WrittenConvergence, Failure> {
    let convergence = Convergence::new(from, to);
    let changes = convergence.all();
    proposed_changes::write(process, path, &changes)?;
    let mut left = Vec::new();
    for one in &convergence.left {
        left.push(sentence(&convergence::left(one, ["FROM", "TO"])));
    }
    Ok(WrittenConvergence {
        file: path.display().to_string(),
        changes: changes.len(),
        left,
    })
}
