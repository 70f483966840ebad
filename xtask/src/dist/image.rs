//! The folder that the container image is built from.

use crate::dist::files::{copy, list, write};
use crate::dist::targets::Target;
use crate::dist::{Dist, VERSION};
use crate::problem::{Problem, Result};
use std::env::consts::ARCH;

/// Writes the Dockerfile, the recipes and the static program of this machine's architecture.
pub(crate) fn context(dist: &Dist<'_>) -> Result<()> {
    let (triple, architecture) = match ARCH {
        "x86_64" => ("x86_64-unknown-linux-musl", "amd64"),
        "aarch64" => ("aarch64-unknown-linux-musl", "arm64"),
        other => return Err(Problem::new(format!("no image is built for `{other}`"))),
    };
    let program = dist
        .for_target(Target::find(dist.workspace, Some(triple))?)
        .program()?;
    let folder = dist.folder.join("oci");
    copy(&program.file, &folder.join(architecture).join("gbac"))?;
    copy(
        &dist.workspace.root.join("LICENSE"),
        &folder.join("LICENSE"),
    )?;
    // A file, because archives leave out empty folders.
    write(&folder.join("data/version"), &format!("{VERSION}\n"))?;
    for file in list(&dist.workspace.root.join("packaging/container"))? {
        if let Some(name) = file.file_name() {
            copy(&file, &folder.join(name))?;
        }
    }
    Ok(())
}
