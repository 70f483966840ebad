//! `xtask-sbom FOLDER FILE`: writes the software bill of materials of the repository in this
//! folder, in CycloneDX 1.5.
//!
//! A separate program, so that `cargo xtask` compiles in seconds and needs only the standard
//! library.

mod bom;
mod crates;
mod packages;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bom::Bom;

/// An error with a message for people.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = words.as_slice() else {
        return Err("xtask-sbom FOLDER FILE".into());
    };
    let bom = of_repository(Path::new(folder))?;
    fs::write(file, bom.to_json()?).map_err(|error| format!("cannot write `{file}`: {error}"))?;
    println!("{} components", bom.len());
    Ok(())
}

/// The bill of materials of a repository's lock files.
fn of_repository(root: &Path) -> Result<Bom> {
    let mut bom = crates::read(root)?;
    for lock in packages::LOCKS {
        packages::read(root, lock, &mut bom)?;
    }
    Ok(bom)
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file))
        .map_err(|error| format!("cannot read `{file}`: {error}").into())
}
