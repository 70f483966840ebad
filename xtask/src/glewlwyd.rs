//! Finds the identity provider Glewlwyd and sqlite3 for a journey, or installs them with apt.

use crate::apt::apt;
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;
use std::env;
use std::path::Path;

/// The programs, each in the Debian package of its name.
const PROGRAMS: [&str; 2] = ["glewlwyd", "sqlite3"];

/// Sees to it that they are there. Where they cannot be, the journey skips itself; this says so.
pub(crate) fn glewlwyd(workspace: &Workspace, progress: &Progress) {
    let step = progress.quick("glewlwyd");
    if missing().is_empty() {
        step.done("there");
        return;
    }
    if let Some(apt) = may_install().then(|| apt(workspace)).flatten() {
        step.latest(&format!("apt-get install {}", PROGRAMS.join(" ")));
        // What is still missing afterwards says whether it worked.
        apt.install(&PROGRAMS).ok();
    }
    match &missing()[..] {
        [] => step.done("installed"),
        missing => step.done(&format!(
            "its journey is skipped, without {} (Debian: apt install {})",
            missing.join(" and "),
            missing.join(" ")
        )),
    }
}

/// Whether nothing is missing.
pub(crate) fn is_there() -> bool {
    missing().is_empty()
}

fn missing() -> Vec<&'static str> {
    PROGRAMS.into_iter().filter(|program| find(program).is_none()).collect()
}

/// The package starts a server for everybody in the network, with a password that everybody knows. On somebody's own machine
/// that is theirs to choose; a container does not start it, and a machine of CI is thrown away.
fn may_install() -> bool {
    !Path::new("/run/systemd/system").exists() || env::var_os("CI").is_some()
}
