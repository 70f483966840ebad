//! `cargo xtask sbom`: runs `xtask/sbom`, which creates the software bill of materials in
//! CycloneDX.

use crate::problem::Result;
use crate::process::cargo;
use crate::progress::{Progress, say};
use crate::workspace::Workspace;

/// Writes it into the target folder.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    let file = workspace.target.join("sbom.cdx.json");
    let step = progress.slow("sbom", "the lock files");
    let call = cargo(&workspace.root).args(["run", "--quiet", "--package", "xtask-sbom", "--"]);
    match call.args([&workspace.root, &file]).succeed(Some(&step)) {
        Ok(lines) => {
            step.done(lines.last().map_or("written", String::as_str));
            say(&file.display().to_string());
            Ok(())
        }
        Err(problem) => {
            step.failed();
            Err(problem)
        }
    }
}
