//! Installs packages that only tests need with apt, if this user is allowed to.

use crate::problem::Result;
use crate::process::{Call, find};
use crate::progress::Step;
use crate::workspace::Workspace;
use std::path::PathBuf;

/// apt-get, with the prefix that this user needs.
pub(crate) struct Apt {
    /// `sudo -n`, or empty for root.
    prefix: Vec<&'static str>,
    dir: PathBuf,
}

/// Finds apt-get, if this user is root or has sudo without a password.
pub(crate) fn apt(workspace: &Workspace) -> Option<Apt> {
    find("apt-get")?;
    let dir = workspace.root.clone();
    let id = Call::new("id", &dir).args(["-u"]).first_line()?;
    if id.trim() == "0" {
        return Some(Apt {
            prefix: Vec::new(),
            dir,
        });
    }
    let may = find("sudo").is_some()
        && Call::new("sudo", &dir)
            .args(["-n", "true"])
            .finish(None)
            .is_ok_and(|ended| ended.success);
    may.then(|| Apt {
        prefix: vec!["sudo", "-n"],
        dir,
    })
}

/// The programs that are missing, after an attempt to install those, each from the package with the
/// same name.
pub(crate) fn missing_after_install<'a>(
    workspace: &Workspace,
    step: &Step<'_>,
    programs: &[&'a str],
) -> Vec<&'a str> {
    let missing = || {
        programs
            .iter()
            .copied()
            .filter(|program| find(program).is_none())
            .collect::<Vec<_>>()
    };
    let wanted = missing();
    if wanted.is_empty() {
        return wanted;
    }
    if let Some(apt) = apt(workspace) {
        step.latest(&format!("apt-get install {}", wanted.join(" ")));
        // What is missing afterwards tells whether it failed.
        apt.install(&wanted).ok();
    }
    missing()
}

impl Apt {
    /// Installs packages with their dependencies, without recommended packages.
    pub(crate) fn install(&self, packages: &[&str]) -> Result<()> {
        // A new machine has no package lists, and an old list may contain removed versions.
        self.run(&["update"])?;
        let install = ["install", "-y", "--no-install-recommends"];
        self.run(&[&install, packages].concat())
    }

    fn run(&self, args: &[&str]) -> Result<()> {
        let env = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let words: Vec<&str> = self
            .prefix
            .iter()
            .copied()
            .chain(env)
            .chain(args.iter().copied())
            .collect();
        let (program, rest) = words.split_first().unwrap_or((&"env", &[]));
        Call::new(program, &self.dir)
            .args(rest)
            .succeed(None)
            .map(|_| ())
    }
}
