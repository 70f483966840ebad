//! A cache of checks that passed, to skip those whose inputs are unchanged.

use crate::fingerprint::Fingerprint;
use crate::workspace::Workspace;
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

/// The inputs of every check: its build and its runner.
const ALWAYS: [&str; 8] = [
    ".cargo/config.toml",
    "Cargo.lock",
    "Cargo.toml",
    "clippy.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "xtask",
    "Trunk.toml",
];

/// The records of one run of `cargo xtask test`.
pub(crate) struct Passed<'a> {
    workspace: &'a Workspace,
    /// The inputs other than files: the options of the run, the tools, and the variables that tests
    /// read.
    settings: Vec<String>,
}

impl<'a> Passed<'a> {
    /// The records for a run with these settings; `None` in CI, where everything runs.
    pub(crate) fn new(workspace: &'a Workspace, mut settings: Vec<String>) -> Option<Self> {
        let is_set =
            |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
        if is_set("CI") {
            return None;
        }
        let mut variables: Vec<String> = env::vars_os()
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                name.starts_with("GBAC_")
                    || name.starts_with("RUST")
                    || name.starts_with("PROPTEST_")
            })
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
            .collect();
        variables.sort();
        settings.extend(variables);
        Some(Self {
            workspace,
            settings,
        })
    }

    /// Whether the check passed with the current contents of these files and folders. Unreadable
    /// files count as changed.
    pub(crate) fn is_known(&self, check: &str, inputs: &[&str]) -> bool {
        let noted = fs::read_to_string(self.note(check));
        noted.is_ok_and(|noted| self.state(check, inputs).is_ok_and(|state| noted == state))
    }

    /// Whether the check passed here, and with other contents of these files and folders.
    pub(crate) fn has_changed(&self, check: &str, inputs: &[&str]) -> bool {
        self.note(check).is_file() && !self.is_known(check, inputs)
    }

    /// A hash of the current contents, for [`Passed::add`] after the check has passed.
    pub(crate) fn state(&self, check: &str, inputs: &[&str]) -> io::Result<String> {
        let mut state = Fingerprint::new().word(check);
        for setting in &self.settings {
            state = state.word(setting);
        }
        for path in ALWAYS.iter().chain(inputs) {
            state = state.path(&self.workspace.root, path)?;
        }
        Ok(state.finish())
    }

    /// Records that the check passed. If that fails, the check only runs again.
    pub(crate) fn add(&self, check: &str, state: &str) {
        let note = self.note(check);
        note.parent().map(fs::create_dir_all);
        fs::write(note, state).ok();
    }

    /// Removes the record of the check.
    pub(crate) fn remove(&self, check: &str) {
        fs::remove_file(self.note(check)).ok();
    }

    fn note(&self, check: &str) -> PathBuf {
        self.workspace.notes().join("passed").join(check)
    }
}

#[cfg(test)]
mod tests {
    use super::Passed;
    use crate::workspace::Workspace;
    use std::fs;

    #[test]
    fn a_check_is_known_until_something_changes() {
        let root = std::env::current_exe().unwrap().with_file_name("passed");
        fs::remove_dir_all(&root).ok();
        fs::create_dir_all(root.join("engine")).unwrap();
        fs::write(root.join("engine/lib.rs"), "one").unwrap();
        fs::write(root.join("Cargo.lock"), "one").unwrap();
        let workspace = Workspace {
            root: root.clone(),
            target: root.join("target"),
            cache: root.join("cache"),
        };
        let with = |word: &str| Passed {
            workspace: &workspace,
            settings: vec![word.to_owned()],
        };
        let passed = with("short");
        assert!(!passed.is_known("js", &["engine"]));
        let state = passed.state("js", &["engine"]).unwrap();
        passed.add("js", &state);
        assert!(passed.is_known("js", &["engine"]));
        assert!(!passed.is_known("size", &["engine"]), "another check");
        assert!(!with("long").is_known("js", &["engine"]), "another run");
        fs::write(root.join("engine/lib.rs"), "two").unwrap();
        assert!(!passed.is_known("js", &["engine"]), "an input");
        assert!(passed.has_changed("js", &["engine"]));
        assert!(!passed.has_changed("size", &["engine"]), "it never passed");
        fs::write(root.join("engine/lib.rs"), "one").unwrap();
        assert!(passed.is_known("js", &["engine"]));
        fs::write(root.join("Cargo.lock"), "two").unwrap();
        assert!(
            !passed.is_known("js", &["engine"]),
            "what decides every check"
        );
        fs::write(root.join("Cargo.lock"), "one").unwrap();
        passed.remove("js");
        assert!(!passed.is_known("js", &["engine"]));
    }
}
