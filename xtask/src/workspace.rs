//! Paths of the checkout, cargo's target folder and the cache of tools.

use crate::problem::{Problem, Result};
use std::env;
use std::path::{Path, PathBuf};

/// The folders that tasks read and write.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The top folder of the checkout.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, also if `CARGO_TARGET_DIR` or a configuration file sets it.
    pub(crate) target: PathBuf,
    /// The folder of tools, shared by all checkouts of a user.
    pub(crate) cache: PathBuf,
}

impl Workspace {
    /// Finds the folders of this run.
    pub(crate) fn locate() -> Result<Self> {
        // `cargo run` sets the variable each time, so that a checkout can be moved with its target
        // folder.
        let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let manifest = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = manifest
            .parent()
            .map(Path::to_owned)
            .ok_or_else(|| Problem::new(format!("`{}` is in no workspace", manifest.display())))?;
        let exe = env::current_exe().ok();
        let target = exe
            .as_deref()
            .and_then(target_of)
            .or_else(|| env::var_os("CARGO_TARGET_DIR").map(|dir| root.join(dir)))
            .unwrap_or_else(|| root.join("target"));
        let cache = cache_folder(|name| env::var_os(name).map(PathBuf::from)).ok_or_else(|| {
            Problem::new("no folder for the tools: neither a home folder nor `GBAC_CACHE` is set")
                .hint("set GBAC_CACHE to a folder that may be written")
        })?;
        Ok(Self {
            root,
            target,
            cache,
        })
    }

    /// The built `gbac`, development profile.
    pub(crate) fn gbac(&self) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("gbac{}", env::consts::EXE_SUFFIX))
    }

    /// The folder of records that tasks keep between runs.
    pub(crate) fn notes(&self) -> PathBuf {
        self.target.join("xtask")
    }
}

/// The target folder, which contains this program and which Cargo marks with `.rustc_info.json`.
fn target_of(exe: &Path) -> Option<PathBuf> {
    exe.ancestors()
        .skip(1)
        .find(|dir| dir.join(".rustc_info.json").is_file())
        .map(Path::to_owned)
}

/// `GBAC_CACHE`, or the operating system's cache folder; `var` reads an environment variable.
fn cache_folder(var: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(dir) = var("GBAC_CACHE") {
        return Some(dir);
    }
    let base = if cfg!(windows) {
        var("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        var("HOME").map(|home| home.join("Library/Caches"))
    } else {
        // The XDG Base Directory Specification requires ignoring relative paths.
        var("XDG_CACHE_HOME")
            .filter(|dir| dir.is_absolute())
            .or_else(|| var("HOME").map(|home| home.join(".cache")))
    };
    base.map(|dir| dir.join("gbac"))
}

#[cfg(test)]
mod tests {
    use super::{cache_folder, target_of};
    use std::path::{Path, PathBuf};

    #[test]
    fn the_cache_can_be_moved() {
        let moved =
            cache_folder(|name| (name == "GBAC_CACHE").then(|| PathBuf::from("/elsewhere")));
        assert_eq!(moved.as_deref(), Some(Path::new("/elsewhere")));
        assert_eq!(cache_folder(|_| None), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_cache_follows_the_xdg_specification() {
        let with = |xdg: &'static str| {
            cache_folder(move |name| match name {
                "XDG_CACHE_HOME" => Some(PathBuf::from(xdg)),
                "HOME" => Some(PathBuf::from("/ada")),
                _ => None,
            })
        };
        assert_eq!(
            with("/var/cache/ada"),
            Some(PathBuf::from("/var/cache/ada/gbac"))
        );
        assert_eq!(with("relative"), Some(PathBuf::from("/ada/.cache/gbac")));
    }

    #[test]
    fn this_test_lies_below_the_target_folder() {
        let exe = std::env::current_exe().unwrap();
        let target = target_of(&exe).unwrap();
        assert!(exe.starts_with(&target));
        assert!(target.join("debug").is_dir());
    }
}
