//! The package for Debian and its descendants.

use crate::dist::{Dist, VERSION};
use crate::problem::{Problem, Result};
use crate::process::find;
use crate::tools;

/// Writes the package of the released program.
pub(crate) fn package(dist: &Dist<'_>) -> Result<()> {
    if find("dpkg-deb").is_none() {
        return Err(Problem::new(
            "the Debian package needs dpkg-deb, which is not installed",
        ));
    }
    let program = dist.program()?;
    let step = dist.progress.slow("deb", "packing");
    tools::node(&dist.workspace.root)?
        .args(["packaging/deb.mjs"])
        .args([&program.folder, &dist.folder.join("deb")])
        .args([VERSION])
        .args(&dist.repository)
        .succeed(Some(&step))?;
    step.done("packed");
    Ok(())
}
