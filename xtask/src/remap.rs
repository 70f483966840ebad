//! Published wasm names no folder of the machine that built it: panics carry the paths of the crates that they come from.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

/// The variable of the environment for [`flags`], whose flags hold spaces where a path does.
pub(crate) const VARIABLE: &str = "CARGO_ENCODED_RUSTFLAGS";

/// Flags for rustc that leave a crate's path `regex-lite-0.1.9/src/lib.rs`, wherever cargo keeps what it downloads.
pub(crate) fn flags() -> OsString {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry").join("src")).ok());
    let mut folders: Vec<PathBuf> = registries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let mut flags = OsString::new();
    for folder in folders {
        if !flags.is_empty() {
            flags.push("\u{1f}");
        }
        flags.push("--remap-path-prefix=");
        // With a separator at its end: what is left begins with the crate.
        flags.push(folder.join(""));
        flags.push("=");
    }
    flags
}
