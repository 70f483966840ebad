//! A hash of file contents, to skip work whose inputs are unchanged.
//!
//! It uses contents instead of modification times, so that a checkout or a `touch` causes no build.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Folders that never affect a build.
const SKIPPED: [&str; 4] = ["target", "node_modules", "dist", "pkg"];

/// Hashes the inputs of a task.
pub(crate) struct Fingerprint {
    hasher: DefaultHasher,
}

impl Fingerprint {
    /// An empty fingerprint.
    pub(crate) fn new() -> Self {
        Self {
            hasher: DefaultHasher::new(),
        }
    }

    /// Adds a word, such as a profile or a tool's version.
    pub(crate) fn word(mut self, word: &str) -> Self {
        word.hash(&mut self.hasher);
        self
    }

    /// Adds bytes.
    pub(crate) fn bytes(mut self, bytes: &[u8]) -> Self {
        bytes.hash(&mut self.hasher);
        self
    }

    /// Adds a file, or every file below a folder, with its content and its path relative to `root`.
    /// A missing path is part of the fingerprint, too: creating it later changes the hash.
    pub(crate) fn path(mut self, root: &Path, relative: &str) -> io::Result<Self> {
        let mut files = Vec::new();
        collect(&root.join(relative), &mut files)?;
        files.sort();
        files.len().hash(&mut self.hasher);
        for file in files {
            file.strip_prefix(root)
                .unwrap_or(&file)
                .hash(&mut self.hasher);
            fs::read(&file)?.hash(&mut self.hasher);
        }
        Ok(self)
    }

    /// The hash as 16 hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

/// Lists the files at or below `path`, without hidden files and skipped folders.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_file() {
        files.push(path.to_owned());
    } else if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                collect(&entry.path(), files)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// A new folder for this test, below the target folder.
    fn folder(name: &str) -> PathBuf {
        let exe = std::env::current_exe().unwrap();
        let path = exe.parent().unwrap().join(format!("fingerprint-{name}"));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(path.join("src/inner")).unwrap();
        fs::write(path.join("src/lib.rs"), "one").unwrap();
        fs::write(path.join("src/inner/mod.rs"), "two").unwrap();
        path
    }

    fn hash(root: &Path) -> String {
        Fingerprint::new()
            .word("dev")
            .path(root, "src")
            .unwrap()
            .finish()
    }

    #[test]
    fn follows_content_and_names() {
        let root = folder("content");
        let first = hash(&root);
        assert_eq!(first, hash(&root));

        fs::write(root.join("src/lib.rs"), "one").unwrap();
        assert_eq!(first, hash(&root), "the same content written again");

        fs::write(root.join("src/inner/mod.rs"), "two!").unwrap();
        let changed = hash(&root);
        assert_ne!(first, changed);

        fs::rename(
            root.join("src/inner/mod.rs"),
            root.join("src/inner/other.rs"),
        )
        .unwrap();
        assert_ne!(changed, hash(&root));
    }

    #[test]
    fn leaves_out_hidden_files_and_build_folders() {
        let root = folder("hidden");
        let first = hash(&root);
        fs::write(root.join("src/.lib.rs.swp"), "editor").unwrap();
        fs::create_dir_all(root.join("src/target")).unwrap();
        fs::write(root.join("src/target/out"), "binary").unwrap();
        assert_eq!(first, hash(&root));
    }

    #[test]
    fn words_and_missing_paths_count() {
        let root = folder("words");
        let dev = Fingerprint::new().word("dev").finish();
        let wasm = Fingerprint::new().word("wasm").finish();
        assert_ne!(dev, wasm);

        let before = Fingerprint::new().path(&root, "later").unwrap().finish();
        fs::write(root.join("later"), "").unwrap();
        assert_ne!(
            before,
            Fingerprint::new().path(&root, "later").unwrap().finish()
        );
    }
}
