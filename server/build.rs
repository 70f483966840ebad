//! Embeds the console's files when `dist/` is there; `cargo xtask up` puts it there. Without it the service still builds.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, error, fs, io};

fn main() -> Result<(), Box<dyn error::Error>> {
    let dist = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("../dist");
    // While there is no such folder Cargo runs this each time, which is how its coming is noticed.
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        collect(&dist, "", &mut files)?;
        files.sort();
    }
    // What is compiled in is a copy: the console may be built anew meanwhile, and its files go and come.
    let files = copy(files, &out.join("console")).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(Vec::new()),
        _ => Err(error),
    })?;
    let mut code = String::from("/// The console's files: path from the root, content.\n");
    code.push_str("pub(super) static EMBEDDED: &[(&str, &[u8])] = &[\n");
    for (name, path) in &files {
        writeln!(code, "    ({name:?}, include_bytes!({path:?})),")?;
    }
    code.push_str("];\n");
    fs::write(out.join("embedded.rs"), code)?;
    Ok(())
}

/// Copies files into a folder, under numbers; the copies.
fn copy(files: Vec<(String, PathBuf)>, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    fs::create_dir_all(folder)?;
    let copy = |(at, (name, path)): (usize, (String, PathBuf))| {
        let copied = folder.join(at.to_string());
        fs::write(&copied, fs::read(path)?)?;
        Ok((name, copied))
    };
    files.into_iter().enumerate().map(copy).collect()
}

/// Lists the files of a folder and of those in it, but none whose name begins with a dot.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<(), Box<dyn error::Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| format!("{name:?} is not UTF-8"))?;
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
