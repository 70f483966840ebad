//! Folders, copies and archives that do not depend on the machine.

use crate::problem::{Problem, Result};
use crate::process::{Call, find};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Creates an empty folder.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(failed(folder, &error));
        }
        _ => {}
    }
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))
}

/// Copies a file, and creates the folder of the copy.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| failed(from, &error))
}

/// Writes a file, and creates its folder.
pub(crate) fn write(file: &Path, content: &str) -> Result<()> {
    create_parent(file)?;
    fs::write(file, content).map_err(|error| failed(file, &error))
}

pub(crate) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|error| failed(file, &error))
}

/// The size of a file, in bytes.
pub(crate) fn size(file: &Path) -> Result<u64> {
    fs::metadata(file)
        .map(|meta| meta.len())
        .map_err(|error| failed(file, &error))
}

/// The files of a folder, sorted.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        files.push(entry.map_err(|error| failed(folder, &error))?.path());
    }
    files.sort();
    Ok(files)
}

/// Packs a folder as `name.tar.gz`: the same bytes for the same files, on every machine.
pub(crate) fn pack(folder: &Path, archive: &Path) -> Result<()> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(Problem::new(format!("`{}` has no name", folder.display())));
    };
    create_parent(archive)?;
    let owner = ["--owner=0", "--group=0", "--numeric-owner"];
    Call::new(gnu_tar()?, parent)
        .args(["--format=ustar", "--sort=name", "--mtime=@315532800"])
        .args(owner)
        .args(["--mode=go-w", "--use-compress-program=gzip -9n", "-cf"])
        .args([archive])
        .args([name])
        .succeed(None)
        .map(drop)
}

/// GNU tar, which macOS has under another name, if at all.
fn gnu_tar() -> Result<PathBuf> {
    for program in ["tar", "gtar"].into_iter().filter_map(find) {
        let version = Call::new(&program, Path::new("."))
            .args(["--version"])
            .first_line();
        if version.is_some_and(|version| version.contains("GNU tar")) {
            return Ok(program);
        }
    }
    Err(Problem::new("GNU tar is not on PATH")
        .hint("on macOS, `brew install gnu-tar` installs it as gtar"))
}

fn create_parent(file: &Path) -> Result<()> {
    let parent = file.parent().unwrap_or(file);
    fs::create_dir_all(parent).map_err(|error| failed(parent, &error))
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!(
        "cannot copy or write `{}`: {error}",
        path.display()
    ))
}
