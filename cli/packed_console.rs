//! The table of the console's files that the program includes, and the files of a packed crate:
//! `console/`, whose files `cargo xtask dist` compressed with brotli.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, error, fs, io};

/// The folder in a packed crate.
const FOLDER: &str = "console";

/// The names and the compressed files of a packed crate; `None` in the workspace.
pub(crate) fn files() -> io::Result<Option<Vec<(String, PathBuf)>>> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&manifest).join(FOLDER);
    if !folder.is_dir() {
        return Ok(None);
    }
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        // The names of the files have no folders.
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.push((name, path));
    }
    files.sort();
    Ok(Some(files))
}

/// Writes the table for the program to include.
pub(crate) fn write(files: &[(String, PathBuf)]) -> Result<(), Box<dyn error::Error>> {
    let mut code = String::from("&[\n");
    for (name, path) in files {
        writeln!(code, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("embedded.rs"), code)?;
    Ok(())
}
