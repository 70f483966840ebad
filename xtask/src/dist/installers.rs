//! The installer and the formula of Homebrew, for the archives in the folder.

use crate::dist::{Dist, VERSION};
use crate::problem::{Problem, Result};
use crate::tools;

/// Writes both, with the sums of the archives.
pub(crate) fn write(dist: &Dist<'_>) -> Result<()> {
    let Some(repository) = &dist.repository else {
        return Err(Problem::new(
            "the installer and the formula need `--repository`, from which they download",
        ));
    };
    tools::node(&dist.workspace.root)?
        .args(["packaging/install.mjs"])
        .args([&dist.folder])
        .args([VERSION, repository])
        .succeed(None)
        .map(drop)
}
