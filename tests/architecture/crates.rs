//! Reads the crates of the workspace from their manifests.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gbac_tests::vectors::root;

/// A crate with the data of its manifest.
pub(crate) struct Package {
    /// Its folder below the root of the repository.
    pub(crate) folder: String,
    /// Its name with underscores, as in source code.
    pub(crate) name: String,
    /// Its dependencies in this workspace, except those for tests, with underscores.
    pub(crate) dependencies: Vec<String>,
    /// The root files of its libraries, programs, tests and examples below the root of the
    /// repository.
    pub(crate) roots: Vec<String>,
}

impl Package {
    /// Its library, if it has one.
    pub(crate) fn library(&self) -> Option<&str> {
        self.roots
            .iter()
            .map(String::as_str)
            .find(|root| root.ends_with("src/lib.rs"))
    }
}

/// Every crate of the workspace, and the fuzz targets, which are a separate workspace.
pub(crate) fn all() -> Vec<Package> {
    let manifest = text(&root().join("Cargo.toml"));
    let members = manifest
        .split_once("members = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .expect("members")
        .0;
    let quoted = members.split('"').skip(1).step_by(2).map(str::to_owned);
    let packages: Vec<Package> = quoted.chain(["fuzz".to_owned()]).map(package).collect();
    assert!(packages.len() >= 11, "the workspace has crates");
    packages
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn package(folder: String) -> Package {
    let manifest = text(&root().join(&folder).join("Cargo.toml"));
    let sections = sections(&manifest);
    let value = |line: &str| line.split('"').nth(1).map(|name| name.replace('-', "_"));
    let name = sections["[package]"]
        .iter()
        .find(|line| line.starts_with("name = "))
        .and_then(|line| value(line));
    let dependencies = sections
        .iter()
        .filter(|(section, _)| section.ends_with("dependencies]") && !section.contains("dev-"))
        .flat_map(|(_, lines)| lines)
        .filter(|line| line.starts_with("gbac"))
        .map(|line| {
            line.split(['.', ' ', '='])
                .next()
                .unwrap_or_default()
                .replace('-', "_")
        })
        .collect();
    let named = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("path = \"")?.strip_suffix('"'));
    let mut roots: Vec<PathBuf> = named
        .chain(["src/lib.rs", "src/main.rs", "build.rs"])
        .map(|path| root().join(&folder).join(path))
        .collect();
    for automatic in ["src/bin", "tests", "examples", "benches"] {
        for entry in fs::read_dir(root().join(&folder).join(automatic))
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = entry.path();
            roots.push(if path.is_dir() {
                path.join("main.rs")
            } else {
                path
            });
        }
    }
    roots.retain(|path| {
        path.is_file() && path.extension().is_some_and(|extension| extension == "rs")
    });
    let mut roots: Vec<String> = roots.iter().map(|path| below_root(path)).collect();
    roots.sort();
    roots.dedup();
    assert!(!roots.is_empty(), "{folder} has code");
    Package {
        name: name.unwrap_or_else(|| panic!("{folder}: a name")),
        dependencies,
        roots,
        folder,
    }
}

/// The lines of each section of a manifest.
fn sections(manifest: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            current = line.trim();
        }
        sections.entry(current).or_default().push(line);
    }
    sections
}

/// A path below the root of the repository, with slashes.
pub(crate) fn below_root(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
        .replace('\\', "/")
}
