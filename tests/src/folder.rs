//! A temporary folder for a test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Makes names unique, because the tests of one process run concurrently.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A temporary folder of one test: created for its first file, removed when the test ends.
pub struct Folder(PathBuf);

impl Folder {
    /// Creates a folder with a unique name.
    #[must_use]
    pub fn new(test: &str) -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("gbac-{}-{number}-{test}", std::process::id())))
    }

    /// The path, which may not exist yet.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path as text.
    ///
    /// # Panics
    /// If the path of the temporary folder is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.to_str().expect("a text")
    }

    /// Writes a file into the folder.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        fs::create_dir_all(&self.0).expect("a temporary folder");
        let path = self.0.join(name);
        fs::write(&path, text).expect("a temporary file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The operating system removes what remains.
        let _ = fs::remove_dir_all(&self.0);
    }
}
