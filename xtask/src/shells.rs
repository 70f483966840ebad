//! Finds the shells in which completions are tested, or installs them with apt.

use crate::apt::missing_after_install;
use crate::process::find;
use crate::progress::Progress;
use crate::workspace::Workspace;

/// The shells besides bash, each from the Debian package with the same name.
const SHELLS: [&str; 2] = ["zsh", "fish"];

/// Installs the shells if possible. Otherwise, reports that their tests will be skipped.
pub(crate) fn shells(workspace: &Workspace, progress: &Progress) {
    let step = progress.quick("shells");
    match &missing_after_install(workspace, &step, &SHELLS)[..] {
        [] => step.done("zsh and fish are there"),
        missing => step.done(&format!(
            "completions are not tested in {} (Debian: apt install {})",
            missing.join(" and "),
            missing.join(" ")
        )),
    }
}

/// The shells that are installed.
pub(crate) fn installed() -> String {
    SHELLS
        .into_iter()
        .filter(|shell| find(shell).is_some())
        .collect::<Vec<_>>()
        .join(" ")
}
