//! The packages for npm: the launcher, the program of this platform, and the engine.

use crate::bind::{Binder, Speed};
use crate::build_js;
use crate::dist::Dist;
use crate::dist::binary::console;
use crate::dist::files::{list, size};
use crate::problem::{Problem, Result};
use crate::tools;
use std::ffi::OsString;

/// The largest package of a platform, in bytes.
const LIMIT: u64 = 10_000_000;

/// Packs the package of the platform. A workflow does this on a machine of each.
pub(crate) fn platform(dist: &Dist<'_>) -> Result<()> {
    let program = dist.program()?;
    let words = ["--platform", dist.target.npm, "--binary"].map(OsString::from);
    pack(
        dist,
        "platform",
        &[&words[..], &[program.file.into()]].concat(),
    )?;
    for file in list(&dist.folder.join("npm"))? {
        let bytes = size(&file)?;
        if file.to_string_lossy().contains(dist.target.npm) && bytes > LIMIT {
            return Err(Problem::new(format!(
                "`{}` has {bytes} bytes, more than {LIMIT}",
                file.display()
            )));
        }
    }
    Ok(())
}

/// Packs what is the same on every platform.
pub(crate) fn portable(dist: &Dist<'_>) -> Result<()> {
    let page = console(dist)?;
    pack(dist, "launcher", &["--console".into(), page.into()])?;
    let (workspace, progress) = (dist.workspace, dist.progress);
    let binder = Binder::build(workspace, progress, Speed::Compile)?;
    let wasm_opt = tools::wasm_opt(workspace, progress)?;
    build_js::build(workspace, progress, &binder, &wasm_opt)?;
    tools::npm_ci(workspace, progress, "www")?;
    pack(dist, "engine", &[])
}

fn pack(dist: &Dist<'_>, kind: &str, words: &[OsString]) -> Result<()> {
    let step = dist.progress.slow("npm", kind);
    let mut call = tools::node(&dist.workspace.root)?
        .args(["npm/pack.mjs", kind, "--out"])
        .args([dist.folder.join("npm")])
        .args(words);
    if let Some(repository) = &dist.repository {
        call = call.args(["--repository", repository]);
    }
    call.succeed(Some(&step))?;
    step.done(&format!("{kind} is packed"));
    Ok(())
}
