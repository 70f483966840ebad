//! wrk, the load generator of `cargo xtask bench`: found, or installed with apt.

use crate::apt::apt;
use crate::problem::{Problem, Result};
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;

const PROGRAM: &str = "wrk";

/// Installs it if necessary.
pub(crate) fn wrk(workspace: &Workspace, progress: &Progress) -> Result<()> {
    let step = progress.quick(PROGRAM);
    if find(PROGRAM).is_some() {
        step.done("there");
        return Ok(());
    }
    if let Some(apt) = apt(workspace) {
        step.latest(&format!("apt-get install {PROGRAM}"));
        // The check below detects whether it failed.
        apt.install(&[PROGRAM]).ok();
    }
    if find(PROGRAM).is_some() {
        step.done("installed");
        return Ok(());
    }
    step.failed();
    Err(Problem::new("wrk, which sends the requests, is not installed").hint("Debian: apt install wrk"))
}
