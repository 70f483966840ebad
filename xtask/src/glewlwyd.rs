//! Finds the identity provider Glewlwyd and sqlite3 for a browser test, or installs them with apt.

use crate::apt::missing_after_install;
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;
use std::env;
use std::path::Path;

/// The programs, each from the Debian package with the same name.
const PROGRAMS: [&str; 2] = ["glewlwyd", "sqlite3"];

/// Installs the programs if possible. Otherwise, reports that the browser test will be skipped.
pub(crate) fn glewlwyd(workspace: &Workspace, progress: &Progress) {
    let step = progress.quick("glewlwyd");
    let missing = if may_install() {
        missing_after_install(workspace, &step, &PROGRAMS)
    } else {
        missing()
    };
    match &missing[..] {
        [] => step.done("there"),
        missing => step.done(&format!(
            "its journey is skipped, without {} (Debian: apt install {})",
            missing.join(" and "),
            missing.join(" ")
        )),
    }
}

/// Whether both are installed.
pub(crate) fn is_there() -> bool {
    missing().is_empty()
}

fn missing() -> Vec<&'static str> {
    PROGRAMS
        .into_iter()
        .filter(|program| find(program).is_none())
        .collect()
}

/// Whether to install: the package starts a server for the whole network, with a well-known
/// password. That is not acceptable on a user's machine without consent; containers do not start
/// it, and CI machines are discarded.
fn may_install() -> bool {
    !Path::new("/run/systemd/system").exists() || env::var_os("CI").is_some()
}
