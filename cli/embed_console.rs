//! Embeds the console's files from `dist/`, which `cargo xtask up` creates, as brotli compresses
//! them. Without that folder, the program builds without console.

use std::path::{Path, PathBuf};
use std::{env, error, fs, io};

use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;

use crate::packed_console;

/// Writes the files and a table of them, for the program to include.
pub(crate) fn write() -> Result<(), Box<dyn error::Error>> {
    let dist = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../dist");
    // As long as the folder does not exist, Cargo runs this script at every build and so notices
    // when it is created.
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed=embed_console.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        collect(&dist, "", &mut files)?;
        files.sort();
    }
    // A release is compressed once and downloaded often.
    let quality = if env::var("PROFILE")? == "release" {
        11
    } else {
        5
    };
    // Embeds compressed copies; a build of the console may replace the files in the meantime.
    let files =
        compress(files, &out.join("console"), quality).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(Vec::new()),
            _ => Err(error),
        })?;
    packed_console::write(&files)
}

/// Compresses files into a folder, with numbers as names. Returns the compressed files.
fn compress(
    files: Vec<(String, PathBuf)>,
    folder: &Path,
    quality: i32,
) -> io::Result<Vec<(String, PathBuf)>> {
    fs::create_dir_all(folder)?;
    let compress = |(at, (name, path)): (usize, (String, PathBuf))| {
        let content = fs::read(path)?;
        let parameters = BrotliEncoderParams {
            quality,
            size_hint: content.len(),
            ..BrotliEncoderParams::default()
        };
        let mut compressed = Vec::new();
        BrotliCompress(&mut content.as_slice(), &mut compressed, &parameters)?;
        let path = folder.join(at.to_string());
        fs::write(&path, compressed)?;
        Ok((name, path))
    };
    files.into_iter().enumerate().map(compress).collect()
}

/// Lists the files of a folder and its subfolders, except those whose names begin with a dot.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn error::Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry
            .file_name()
            .into_string()
            .map_err(|name| format!("{name:?} is not UTF-8"))?;
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{prefix}{name}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
