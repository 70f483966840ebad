//! Tests of `xtask-watch`: it reports edits, and ends with its input.

use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A new folder for a test, with a source file in a subfolder.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(folder.join("src/pages")).unwrap();
    fs::write(folder.join("src/pages/roles.rs"), "one").unwrap();
    folder.canonicalize().unwrap()
}

/// The program, when it watches, and its later output.
fn watch(folder: &PathBuf) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask-watch"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "");
    (child, lines)
}

#[test]
fn tells_of_edits_new_files_and_new_folders() {
    let folder = folder("edits");
    let (mut child, mut lines) = watch(&folder);
    let mut is_told = |file: &str| lines.any(|line| Path::new(&line.unwrap()) == folder.join(file));
    fs::write(folder.join("src/pages/roles.rs"), "two").unwrap();
    assert!(is_told("src/pages/roles.rs"));
    // Like editors: writes a new file, then renames it.
    fs::write(folder.join("src/new"), "three").unwrap();
    fs::rename(folder.join("src/new"), folder.join("src/pages/roles.rs")).unwrap();
    assert!(is_told("src/pages/roles.rs"));
    fs::create_dir(folder.join("src/later")).unwrap();
    assert!(is_told("src/later"));
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn ends_with_its_input() {
    let (mut child, mut lines) = watch(&folder("end"));
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(lines.next().is_none());
}

#[test]
fn a_folder_that_is_not_there_is_a_fault() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask-watch"))
        .arg("/no/such/folder")
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(!output.stderr.is_empty());
}
