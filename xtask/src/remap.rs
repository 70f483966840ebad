//! Removes the paths of the build machine from the panic messages of published wasm.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

/// The environment variable for [`flags`], whose flags contain spaces if a path does.
pub(crate) const VARIABLE: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Adds flags to those for rustc that shorten a crate's path to `regex-lite-0.1.9/src/lib.rs`,
/// independent of cargo's folders.
pub(crate) fn flags(before: &[&str]) -> OsString {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry").join("src")).ok());
    let mut folders: Vec<PathBuf> = registries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.sort();
    let mut flags: Vec<OsString> = before.iter().map(OsString::from).collect();
    for folder in folders {
        let mut flag = OsString::from("--remap-path-prefix=");
        // With a trailing separator, so that the remaining path begins with the crate.
        flag.push(folder.join(""));
        flag.push("=");
        flags.push(flag);
    }
    flags.join(OsStr::new("\u{1f}"))
}
