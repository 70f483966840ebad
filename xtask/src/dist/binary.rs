//! The program with the console inside, and its archive.

use crate::bind::{Binder, Speed};
use crate::console;
use crate::dist::Dist;
use crate::dist::files::{pack, size};
use crate::dist::targets::host;
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo, find};
use crate::tools;
use std::path::PathBuf;

/// The largest program, in bytes. The goal is 18 MiB.
const LIMIT: u64 = 20 << 20;

/// The released program, and the folder with it that is packed.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) folder: PathBuf,
}

/// Builds the console as it is published, into `dist/`.
pub(crate) fn console(dist: &Dist<'_>) -> Result<PathBuf> {
    let Dist {
        workspace,
        progress,
        ..
    } = dist;
    tools::rust(workspace, progress)?;
    let binder = Binder::build(workspace, progress, Speed::Compile)?;
    console::publish(workspace, progress, binder)?;
    Ok(workspace.root.join("dist"))
}

/// Builds the program, and writes the folder with everything that belongs to it.
pub(crate) fn build(dist: &Dist<'_>) -> Result<Program> {
    console(dist)?;
    let file = compile(dist)?;
    let folder = dist
        .work("bin")
        .join(format!("gbac-{}", dist.target.triple));
    tools::node(&dist.workspace.root)?
        .args(["packaging/program.mjs"])
        .args([&file, &folder])
        .succeed(None)?;
    let file = folder.join(dist.target.program());
    Ok(Program { file, folder })
}
/// Packs it, and compares its size with the limit.
pub(crate) fn archive(dist: &Dist<'_>) -> Result<()> {
    let program = dist.program()?;
    let archive = dist.folder.join("bin").join(dist.target.archive());
    pack(&program.folder, &archive)?;
    let bytes = size(&program.file)?;
    if bytes > LIMIT {
        return Err(
            Problem::new(format!("the program has {bytes} bytes, more than {LIMIT}"))
                .hint("compile crates that do not decide with `opt-level = \"s\"`, in Cargo.toml"),
        );
    }
    Ok(())
}

fn compile(dist: &Dist<'_>) -> Result<PathBuf> {
    let Dist {
        workspace,
        progress,
        target,
        ..
    } = dist;
    let mut call = cargo(&workspace.root).args(["build", "--locked", "--release"]);
    call = call.args(["--package", "gbac", "--features", "embed-console"]);
    let mut folder = workspace.target.clone();
    if host(workspace)? != target.triple {
        add_target(dist)?;
        call = call.args(["--target", target.triple]);
        folder.push(target.triple);
    }
    let what = format!("compiling gbac for {}", target.triple);
    call.step(progress, "program", &what, "gbac is ready")?;
    Ok(folder.join("release").join(target.program()))
}

/// Adds the standard library of another platform than this machine's, and looks for its C compiler.
fn add_target(dist: &Dist<'_>) -> Result<()> {
    let triple = dist.target.triple;
    if triple.ends_with("musl") && find("musl-gcc").is_none() {
        return Err(Problem::new(format!("{triple} needs musl-gcc"))
            .hint("`apt-get install musl-tools` installs it"));
    }
    Call::new("rustup", &dist.workspace.root)
        .args(["target", "add", triple])
        .succeed(None)
        .map(drop)
}
