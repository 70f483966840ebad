//! Finds the test files for Node.

use crate::problem::{Problem, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The files `*.test.js` and `*.test.mjs` directly in a folder.
pub(crate) fn files(root: &Path, folder: &str) -> Result<Vec<PathBuf>> {
    let dir = root.join(folder);
    let is_test = |path: &PathBuf| {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        name.ends_with(".test.mjs") || name.ends_with(".test.js")
    };
    let entries = fs::read_dir(&dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_test).collect();
    files.sort();
    if files.is_empty() {
        return Err(Problem::new(format!(
            "there are no files `{folder}/*.test.mjs`"
        )));
    }
    Ok(files)
}
