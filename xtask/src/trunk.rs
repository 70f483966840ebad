//! Compares the console's page with that of Trunk, if a matching Trunk is installed.

use crate::console::Build;
use crate::page::INDEX;
use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::tools::{self, TRUNK, WASM_BINDGEN};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Trunk and the wasm-bindgen that it calls.
pub(crate) struct Trunk {
    trunk: PathBuf,
    wasm_bindgen: PathBuf,
}

impl Trunk {
    /// Finds both in the required versions, on `PATH` or in the cache of xtask; otherwise, a
    /// sentence about the missing one.
    pub(crate) fn find(workspace: &Workspace) -> std::result::Result<Self, String> {
        let find = |package, program, version| {
            tools::installed(workspace, package, program, version).ok_or_else(|| {
                format!("not compared with Trunk: {program} {version} is not installed")
            })
        };
        Ok(Self {
            trunk: find("trunk", "trunk", TRUNK)?,
            wasm_bindgen: find("wasm-bindgen-cli", "wasm-bindgen", WASM_BINDGEN)?,
        })
    }

    /// The call that builds the console like `up`, into a separate folder and without the network.
    pub(crate) fn build(&self, workspace: &Workspace) -> Call {
        let folders: Vec<PathBuf> = self
            .wasm_bindgen
            .parent()
            .map(Path::to_owned)
            .into_iter()
            .collect();
        let call = Call::new(&self.trunk, &workspace.root)
            .args(["build", "--offline", "--skip-version-check", "--color", "never"])
            .args(["--cargo-profile", Build::Development.profile(), "--dist"])
            .args([dist(workspace)])
            .env("CARGO_TERM_COLOR", "never")
            // Trunk requires `true` or `false` in NO_COLOR, and uses RUST_LOG as its own verbosity.
            .without_env("NO_COLOR")
            .without_env("RUST_LOG");
        Build::Development.prepare(call).path(&folders)
    }
}

/// The folder of Trunk's page.
fn dist(workspace: &Workspace) -> PathBuf {
    workspace.notes().join("trunk")
}

/// Returns an error with the files in which Trunk's page differs from that in `dist/`, apart from
/// the hashes in names.
pub(crate) fn compare(workspace: &Workspace) -> Result<()> {
    let read = |folder: PathBuf| {
        files(&folder)
            .map_err(|error| Problem::new(format!("cannot read `{}`: {error}", folder.display())))
    };
    let (ours, trunks) = (read(workspace.root.join("dist"))?, read(dist(workspace))?);
    let differ = differences(&ours, &trunks);
    if differ.is_empty() {
        return Ok(());
    }
    Err(Problem::new(format!(
        "Trunk makes another page; it differs in: {}",
        differ.join(", ")
    ))
    .hint(
        "xtask/src/page.rs makes the page of `up`, Trunk.toml and console/index.html that of Trunk",
    ))
}

/// The names of files that only one side has, or with different contents.
fn differences<'f>(
    ours: &'f BTreeMap<String, Vec<u8>>,
    trunks: &'f BTreeMap<String, Vec<u8>>,
) -> Vec<&'f str> {
    let mut names: Vec<&str> = ours
        .keys()
        .chain(trunks.keys())
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| ours.get(*name) != trunks.get(*name));
    names
}

/// The files of a folder, without the hashes in their names and in the page's references.
fn files(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let content = fs::read(entry.path())?;
        let content = if name == INDEX {
            without_hashes(&String::from_utf8_lossy(&content)).into_bytes()
        } else {
            content
        };
        files.insert(without_hashes(&name), content);
    }
    Ok(files)
}

/// Replaces the hexadecimal digits after a `-` with `HASH` if there are at least eight and no other
/// letter.
fn without_hashes(text: &str) -> String {
    let mut parts = text.split('-');
    let mut normalized = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        let rest = &part[digits..];
        normalized.push('-');
        if digits >= 8 && !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            normalized.push_str("HASH");
            normalized.push_str(rest);
        } else {
            normalized.push_str(part);
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::{differences, without_hashes};
    use std::collections::BTreeMap;

    #[test]
    fn hashes_of_any_length_are_left_out() {
        assert_eq!(without_hashes("look-0123456789abcdef.css"), "look-HASH.css");
        assert_eq!(
            without_hashes("'/gbac-console-123456789abcdef_bg.wasm' a-b"),
            "'/gbac-console-HASH_bg.wasm' a-b"
        );
        assert_eq!(
            without_hashes("a-facade.js b-deadbeefs"),
            "a-facade.js b-deadbeefs"
        );
    }

    #[test]
    fn every_file_that_differs_is_named() {
        let files = |files: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            files
                .iter()
                .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
                .collect()
        };
        let ours = files(&[("a.css", "1"), ("b.css", "1"), ("index.html", "x")]);
        assert!(differences(&ours, &ours).is_empty());
        let trunks = files(&[("a.css", "2"), ("c.css", "1"), ("index.html", "x")]);
        assert_eq!(differences(&ours, &trunks), ["a.css", "b.css", "c.css"]);
    }
}
