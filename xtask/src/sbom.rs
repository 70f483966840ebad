//! `cargo xtask sbom`: the software bills of materials in CycloneDX, by cargo-cyclonedx and npm.

use crate::fingerprint::collect;
use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use std::fs;
use std::io;
use std::path::Path;

/// The shipped crates: the program, the console in it, and the modules of the JavaScript package and
/// of the plugin for Kafka.
const CRATES: [&str; 4] = ["gbac", "gbac-console", "gbac-wasm", "gbac-abi"];
/// The folders with packages of npm.
const PACKAGES: [&str; 5] = [
    "www",
    "tests/clients/node",
    "tests/e2e",
    "bench/js",
    "xtask/tools",
];
/// How the names of the documents end.
const ENDING: &str = ".cdx.json";

/// Writes them into a folder of the target folder.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    let cyclonedx = tools::cargo_cyclonedx(workspace, &progress)?;
    let folder = workspace.target.join("sbom");
    let step = progress.slow("sbom", "the lock files");
    Call::new(cyclonedx, &workspace.root)
        .args(["cyclonedx", "--quiet", "--format", "json"])
        .args(["--spec-version", "1.5", "--all-features", "--target", "all"])
        .succeed(Some(&step))?;
    let crates = take_documents(&workspace.root, &folder)
        .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", folder.display())))?;
    if crates != CRATES.len() {
        return Err(Problem::new(
            "cargo-cyclonedx did not describe every shipped crate",
        ));
    }
    for package in PACKAGES {
        let name = format!("npm-{}{ENDING}", package.replace('/', "-"));
        tools::npm(&workspace.root.join(package))?
            .args(["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"])
            // Only errors, because its output is the document.
            .args(["--loglevel", "error"])
            .finish_into(&folder.join(name))?
            .into_result()?;
    }
    step.done("written");
    say(&folder.display().to_string());
    Ok(())
}

/// Moves the documents of the shipped crates into a folder, without the paths of this machine, and
/// returns their number. cargo-cyclonedx writes one for each crate, beside its `Cargo.toml`.
fn take_documents(root: &Path, folder: &Path) -> io::Result<usize> {
    fs::create_dir_all(folder)?;
    let mut files = Vec::new();
    collect(root, &mut files)?;
    let mut taken = 0;
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some(package) = name.strip_suffix(ENDING) else {
            continue;
        };
        if CRATES.contains(&package) {
            let text = fs::read_to_string(&file)?;
            let text = text.replace(&format!("file://{}", root.display()), "file://");
            fs::write(folder.join(&*name), text)?;
            taken += 1;
        }
        fs::remove_file(&file)?;
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::take_documents;
    use std::fs;

    #[test]
    fn only_documents_of_shipped_crates_are_taken() {
        let root = std::env::current_exe().unwrap().with_file_name("sbom");
        fs::remove_dir_all(&root).ok();
        let folder = root.join("target/sbom");
        for (place, name) in [("cli", "gbac"), ("tests", "gbac-tests")] {
            fs::create_dir_all(root.join(place)).unwrap();
            let text = format!("path+file://{}/{place}#{name}@0.1.0", root.display());
            fs::write(root.join(place).join(format!("{name}.cdx.json")), text).unwrap();
        }
        assert_eq!(take_documents(&root, &folder).unwrap(), 1);
        assert_eq!(
            fs::read_to_string(folder.join("gbac.cdx.json")).unwrap(),
            "path+file:///cli#gbac@0.1.0"
        );
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert!(!root.join("cli/gbac.cdx.json").exists());
        assert!(!root.join("tests/gbac-tests.cdx.json").exists());
    }
}
