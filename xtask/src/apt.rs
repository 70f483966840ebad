//! Installs packages that only tests need with apt, where this user may.

use crate::problem::Result;
use crate::process::{Call, find};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// apt-get, and how this user may call it.
pub(crate) struct Apt {
    /// `sudo -n` in front, or nothing for root.
    prefix: Vec<&'static str>,
    dir: PathBuf,
}

/// apt-get where it is there and this user is root or has sudo without a password.
pub(crate) fn apt(workspace: &Workspace) -> Option<Apt> {
    find("apt-get")?;
    let dir = workspace.root.clone();
    let id = Call::new("id", &dir).args(["-u"]).first_line()?;
    if id.trim() == "0" {
        return Some(Apt { prefix: Vec::new(), dir });
    }
    let may = find("sudo").is_some()
        && Call::new("sudo", &dir).args(["-n", "true"]).finish(None).is_ok_and(|ended| ended.success);
    may.then(|| Apt { prefix: vec!["sudo", "-n"], dir })
}

impl Apt {
    /// Installs packages with what they need and nothing that they only recommend.
    pub(crate) fn install(&self, packages: &[&str]) -> Result<()> {
        // A new machine has no package lists; an old list may name versions that are gone.
        self.run(&["update"])?;
        let install = ["install", "-y", "--no-install-recommends"];
        self.run(&[&install, packages].concat())
    }

    fn run(&self, args: &[&str]) -> Result<()> {
        let env = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let words: Vec<&str> = self.prefix.iter().copied().chain(env).chain(args.iter().copied()).collect();
        let (program, rest) = words.split_first().unwrap_or((&"env", &[]));
        Call::new(program, &self.dir).args(rest).succeed(None).map(|_| ())
    }
}
