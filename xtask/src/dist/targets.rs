//! The platforms that a release is built for: one table for archives, packages of npm, the installer
//! and the workflow.

use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::workspace::Workspace;

/// A platform.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The name that Rust uses.
    pub(crate) triple: &'static str,
    /// The name in packages of npm, `gbac-<npm>`.
    pub(crate) npm: &'static str,
    /// The hosted machine that builds it in the workflow. The oldest Linux, because a program needs
    /// the C library of its machine, or a later one.
    pub(crate) runner: &'static str,
}

/// All platforms.
pub(crate) const TARGETS: [Target; 7] = [
    Target {
        triple: "x86_64-unknown-linux-gnu",
        npm: "linux-x64-gnu",
        runner: "ubuntu-22.04",
    },
    Target {
        triple: "x86_64-unknown-linux-musl",
        npm: "linux-x64-musl",
        runner: "ubuntu-22.04",
    },
    Target {
        triple: "aarch64-unknown-linux-gnu",
        npm: "linux-arm64-gnu",
        runner: "ubuntu-22.04-arm",
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        npm: "linux-arm64-musl",
        runner: "ubuntu-22.04-arm",
    },
    Target {
        triple: "x86_64-apple-darwin",
        npm: "darwin-x64",
        runner: "macos-15-intel",
    },
    Target {
        triple: "aarch64-apple-darwin",
        npm: "darwin-arm64",
        runner: "macos-15",
    },
    Target {
        triple: "x86_64-pc-windows-msvc",
        npm: "win32-x64",
        runner: "windows-2025",
    },
];

impl Target {
    /// The platform with this name, or that of this machine.
    pub(crate) fn find(workspace: &Workspace, triple: Option<&str>) -> Result<&'static Self> {
        let host = host(workspace)?;
        let wanted = triple.unwrap_or(&host);
        TARGETS
            .iter()
            .find(|target| target.triple == wanted)
            .ok_or_else(|| {
                let all: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
                Problem::new(format!("no release is built for `{wanted}`"))
                    .hint(format!("`--target` takes: {}", all.join(", ")))
            })
    }

    /// The name of its program.
    pub(crate) fn program(&self) -> &'static str {
        if self.triple.contains("windows") {
            "gbac.exe"
        } else {
            "gbac"
        }
    }

    /// The name of its archive.
    pub(crate) fn archive(&self) -> String {
        format!("gbac-{}.tar.gz", self.triple)
    }
}

/// The platform of this machine's compiler.
pub(crate) fn host(workspace: &Workspace) -> Result<String> {
    let lines = Call::new("rustc", &workspace.root)
        .args(["-vV"])
        .succeed(None)?;
    lines
        .iter()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| Problem::new("`rustc -vV` does not name its host"))
}

#[cfg(test)]
mod tests {
    use super::TARGETS;

    #[test]
    fn the_launcher_names_the_package_of_every_platform() {
        let launcher = include_str!("../../../npm/gbac/package.json");
        for target in TARGETS {
            let package = format!("\"gbac-{}\": ", target.npm);
            assert!(launcher.contains(&package), "{package}");
        }
        assert_eq!(launcher.matches("    \"gbac-").count(), TARGETS.len());
    }

    #[test]
    fn the_workflow_builds_every_platform() {
        let workflow = include_str!("../../../.github/workflows/release.yml");
        for target in &TARGETS {
            let row = format!(
                "{{ runner: {}, target: {}, parts: ",
                target.runner, target.triple
            );
            assert!(workflow.contains(&row), "{row}");
        }
        assert_eq!(workflow.matches(", target: ").count(), TARGETS.len());
    }
}
