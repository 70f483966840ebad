//! Builds the plugin for Apache Kafka into `target/kafka`, and tests it, where Java and Maven are
//! installed.

use crate::build_abi;
use crate::fingerprint::Fingerprint;
use crate::problem::{Problem, Result};
use crate::process::{Call, find};
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the Maven module.
const MODULE: &str = "kafka";

/// The file for Kafka's `libs` folder.
const JAR: &str = "gbac-kafka.jar";

/// The oldest Java that compiles it.
const OLDEST_JAVA: u32 = 17;

/// The newest supported version of Kafka.
pub(crate) const NEWEST: &str = "4.4.0";

/// The other supported versions, beginning with the oldest.
pub(crate) const OLDER: [&str; 6] = ["3.9.0", "3.9.2", "4.0.2", "4.1.2", "4.2.1", "4.3.1"];

/// `cargo xtask build-kafka`.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let java = Java::find()?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let jar = build(workspace, &progress, &java)?;
    let bytes = fs::metadata(&jar)
        .map_err(|error| cannot("read", &jar, &error))?
        .len();
    say(&format!("{}: {bytes} bytes", jar.display()));
    Ok(())
}

/// The installed Java compiler and Maven.
pub(crate) struct Java {
    java: PathBuf,
    maven: PathBuf,
}

impl Java {
    /// Finds both, in `JAVA_HOME` or in `PATH`.
    ///
    /// # Errors
    /// One line names everything that is missing, or what is too old.
    pub(crate) fn find() -> Result<Self> {
        let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin"));
        let program = |name: &str| {
            let own = home
                .as_ref()
                .map(|bin| bin.join(format!("{name}{}", env::consts::EXE_SUFFIX)));
            own.filter(|file| file.is_file()).or_else(|| find(name))
        };
        let found = [
            ("javac", program("javac")),
            ("java", program("java")),
            ("mvn", find("mvn")),
        ];
        let missing: Vec<&str> = found
            .iter()
            .filter(|(_, file)| file.is_none())
            .map(|(name, _)| *name)
            .collect();
        let [(_, Some(javac)), (_, Some(java)), (_, Some(maven))] = found else {
            return Err(Problem::new(format!(
                "the plugin for Kafka needs a JDK {OLDEST_JAVA} or later and Maven; not installed: {}",
                missing.join(", ")
            )));
        };
        let version = Call::new(javac, Path::new("."))
            .args(["-version"])
            .first_line()
            .unwrap_or_default();
        if major(&version).is_none_or(|major| major < OLDEST_JAVA) {
            return Err(Problem::new(format!(
                "the plugin for Kafka needs a JDK {OLDEST_JAVA} or later, and the installed one is `{version}`"
            )));
        }
        Ok(Self { java, maven })
    }

    /// The program that runs Java.
    pub(crate) fn program(&self) -> &Path {
        &self.java
    }

    /// A call of Maven in a folder.
    pub(crate) fn maven(&self, folder: &Path) -> Call {
        Call::new(&self.maven, folder).args(["--batch-mode", "--no-transfer-progress"])
    }

    /// A call of Maven for the module, with the names of its folders.
    fn module(&self, workspace: &Workspace, wasm: &Path) -> Call {
        let setting = |name: &str, path: &Path| {
            let mut text = std::ffi::OsString::from(format!("-D{name}="));
            text.push(path);
            text
        };
        self.maven(&workspace.root.join(MODULE)).args([
            setting("wasm.file", wasm),
            setting("build.folder", &folder(workspace).join("maven")),
        ])
    }
}

/// The first number of `javac 17.0.15`.
fn major(version: &str) -> Option<u32> {
    version
        .strip_prefix("javac ")?
        .split(['.', '-', ' '])
        .next()?
        .parse()
        .ok()
}

/// The folder of everything that is built here.
fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("kafka")
}

/// Builds the jar; returns its file.
pub(crate) fn build(workspace: &Workspace, progress: &Progress, java: &Java) -> Result<PathBuf> {
    let wasm = build_abi::build(workspace, progress)?;
    let jar = folder(workspace).join(JAR);
    let note = folder(workspace).join("built-from");
    let fingerprint = Fingerprint::new()
        .path(&workspace.root, MODULE)
        .and_then(|print| Ok(print.bytes(&fs::read(&wasm)?).finish()))
        .map_err(|error| cannot("read", &wasm, &error))?;
    if jar.is_file() && fs::read_to_string(&note).is_ok_and(|noted| noted == fingerprint) {
        progress.quick("build-kafka").done("unchanged");
        return Ok(jar);
    }
    let step = progress.slow("build-kafka", JAR);
    java.module(workspace, &wasm)
        .args(["--quiet", "-Dmaven.test.skip=true", "clean", "package"])
        .succeed(Some(&step))?;
    let packed = folder(workspace).join("maven").join(JAR);
    let script = workspace.root.join(MODULE).join("MethodSizes.java");
    Call::new(&java.java, &workspace.root)
        .args([&script, &packed])
        .succeed(Some(&step))?;
    fs::copy(&packed, &jar)
        .and_then(|_| fs::write(&note, &fingerprint))
        .map_err(|error| cannot("write", &jar, &error))?;
    step.done(JAR);
    Ok(jar)
}

/// The tests, one call for each of these versions of Kafka. The first one also compiles.
///
/// # Errors
/// The jar cannot be built.
pub(crate) fn tests(
    workspace: &Workspace,
    progress: &Progress,
    java: &Java,
    versions: &[&'static str],
) -> Result<Vec<(&'static str, Call)>> {
    let jar = build(workspace, progress, java)?;
    let wasm = build_abi::build(workspace, progress)?;
    let mut calls = Vec::new();
    for version in versions {
        let goal = if calls.is_empty() {
            "test"
        } else {
            "surefire:test"
        };
        let call = java
            .module(workspace, &wasm)
            .args([goal])
            .args([format!("-Dkafka.version={version}")]);
        calls.push((*version, call.env("GBAC_KAFKA_JAR", &jar)));
    }
    Ok(calls)
}

/// The calls that run the benchmark once, with the newest version of Kafka, and write its results.
///
/// # Errors
/// The jar cannot be built.
pub(crate) fn benchmark(
    workspace: &Workspace,
    progress: &Progress,
    java: &Java,
    results: &Path,
) -> Result<[Call; 2]> {
    build(workspace, progress, java)?;
    let wasm = build_abi::build(workspace, progress)?;
    let measure = java
        .module(workspace, &wasm)
        .args(["surefire:test", "-Dtest=Benchmark"])
        .args([format!("-Dkafka.version={NEWEST}")])
        .env("GBAC_BENCH", results);
    Ok([
        java.module(workspace, &wasm)
            .args(["--quiet", "test-compile"]),
        measure,
    ])
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot {what} `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn reads_versions_of_java() {
        assert_eq!(major("javac 17.0.15"), Some(17));
        assert_eq!(major("javac 25"), Some(25));
        assert_eq!(major("javac 26-ea"), Some(26));
        assert_eq!(major("javac 1.8.0_392"), Some(1));
        assert_eq!(major("command not found"), None);
    }
}
