//! wrk, the load generator of `cargo xtask bench`: found, or installed through apt.

use crate::apt::apt;
use crate::problem::{Problem, Result};
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;

const PROGRAM: &str = "wrk";

/// Sees to it that it is there.
pub(crate) fn wrk(workspace: &Workspace, progress: &Progress) -> Result<()> {
    let step = progress.quick(PROGRAM);
    if find(PROGRAM).is_some() {
        step.done("there");
        return Ok(());
    }
    if let Some(apt) = apt(workspace) {
        step.latest(&format!("apt-get install {PROGRAM}"));
        // What is still missing afterwards says whether it worked.
        apt.install(&[PROGRAM]).ok();
    }
    if find(PROGRAM).is_some() {
        step.done("installed");
        return Ok(());
    }
    step.failed();
    Err(Problem::new("wrk, which sends the requests, is not installed").hint("Debian: apt install wrk"))
}
