//! Reads the vectors: the assertion files in `tests/vectors`, with the clauses that each test
//! covers.

use std::fs;
use std::path::{Path, PathBuf};

use gbac_engine::policy::Policy;
use gbac_json::{AssertionTest, PolicySource, assertions_from_json};

/// One file of vectors.
pub struct VectorFile {
    /// The path.
    pub path: PathBuf,
    /// The policy.
    pub policy: Policy,
    /// The tests.
    pub tests: Vec<AssertionTest>,
}

/// The repository's root.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// Reads every vector file, sorted by name.
///
/// # Panics
/// If a file cannot be read or is malformed; the message contains its name and every problem.
#[must_use]
pub fn all() -> Vec<VectorFile> {
    let folder = root().join("tests/vectors");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    paths.sort();
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> VectorFile {
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = assertions_from_json(&text)
        .unwrap_or_else(|problems| panic!("{}:\n{problems}", path.display()));
    match file.policy {
        Some(PolicySource::Inline(policy)) => VectorFile {
            path,
            policy: *policy,
            tests: file.tests,
        },
        other => panic!(
            "{}: vectors hold their policy, not {other:?}",
            path.display()
        ),
    }
}
