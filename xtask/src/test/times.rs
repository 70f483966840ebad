//! How long each check took on this machine, for the plan of the next run.

use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The seconds of the last run of each check.
pub(crate) struct Times {
    file: PathBuf,
    seconds: BTreeMap<String, f64>,
}

impl Times {
    /// Those of the last run; none where there was no run, or where its file cannot be read.
    pub(crate) fn read(workspace: &Workspace) -> Self {
        let file = workspace.notes().join("times");
        let text = fs::read_to_string(&file).unwrap_or_default();
        let line = |line: &str| {
            let (name, seconds) = line.split_once(' ')?;
            Some((name.to_owned(), seconds.parse().ok()?))
        };
        Self {
            file,
            seconds: text.lines().filter_map(line).collect(),
        }
    }

    /// The expected seconds of a check.
    pub(crate) fn expected(&self, check: &str) -> Option<f64> {
        self.seconds.get(check).copied()
    }

    /// Records the seconds of a check. A failure to write costs only the expectation.
    pub(crate) fn note(&mut self, check: &str, seconds: f64) {
        self.seconds.insert(check.to_owned(), seconds);
        let mut text = String::new();
        for (name, seconds) in &self.seconds {
            writeln!(text, "{name} {seconds:.0}").ok();
        }
        self.file.parent().map(fs::create_dir_all);
        fs::write(&self.file, text).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::Times;
    use crate::workspace::Workspace;
    use std::fs;

    #[test]
    fn the_next_run_knows_the_last_one() {
        let root = std::env::current_exe().unwrap().with_file_name("times");
        fs::remove_dir_all(&root).ok();
        let workspace = Workspace {
            root: root.clone(),
            target: root.join("target"),
            cache: root.join("cache"),
        };
        let mut times = Times::read(&workspace);
        assert_eq!(times.expected("native"), None);
        times.note("native", 12.4);
        times.note("js", 3.0);
        assert_eq!(Times::read(&workspace).expected("native"), Some(12.0));
        assert_eq!(Times::read(&workspace).expected("js"), Some(3.0));
    }
}
