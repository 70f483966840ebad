//! A cluster of Apache Kafka from Maven's jars, for the demonstration and for tests.

use crate::build_abi;
use crate::build_kafka::{self, Java};
use crate::fingerprint::Fingerprint;
use crate::guard::Guard;
use crate::problem::{Problem, Result};
use crate::process::{Call, find};
use crate::progress::{Progress, Step};
use crate::tools;
use crate::up;
use crate::workspace::Workspace;
use std::env;
use std::fs;
use std::path::{self, Path, PathBuf};
use std::process::Stdio;

/// The folder of the demonstration and of the tests.
const FOLDER: &str = "tests/kafka";
/// The list of Kafka's jars.
const JARS: &str = "pom.xml";
/// Kafka's clients in C, for Python, in the version that the tests were written for.
const LIBRDKAFKA: &str = "confluent-kafka==2.16.1";

/// The files that a cluster runs from.
pub(crate) struct Cluster {
    java: PathBuf,
    jars: PathBuf,
    plugin: PathBuf,
    python: Option<PathBuf>,
}

impl Cluster {
    /// Downloads the jars of the newest Kafka once, and builds the plugin.
    pub(crate) fn prepare(workspace: &Workspace, progress: &Progress, java: &Java) -> Result<Self> {
        Self::of_version(workspace, progress, java, build_kafka::NEWEST)
    }

    /// The same with a version of Kafka.
    pub(crate) fn of_version(
        workspace: &Workspace,
        progress: &Progress,
        java: &Java,
        version: &str,
    ) -> Result<Self> {
        let plugin = build_kafka::build(workspace, progress, java)?;
        Ok(Self {
            java: java.program().to_owned(),
            jars: jars(workspace, progress, java, version)?,
            plugin,
            python: None,
        })
    }

    /// Adds librdkafka. Where Python is missing, one line says so; hosted workflows have it.
    pub(crate) fn with_librdkafka(
        mut self,
        workspace: &Workspace,
        progress: &Progress,
    ) -> Result<Self> {
        self.python = match find("python3") {
            Some(python) => Some(build_abi::environment(
                workspace,
                progress,
                &python,
                LIBRDKAFKA,
                "confluent_kafka",
            )?),
            None => {
                let missing = "python3 is not installed, so librdkafka is not tested";
                if env::var_os("CI").is_some() {
                    return Err(Problem::new(missing));
                }
                progress.print(missing);
                None
            }
        };
        Ok(self)
    }

    /// Names everything for a program.
    pub(crate) fn set(&self, call: Call) -> Call {
        let call = call
            .env("GBAC_JAVA", &self.java)
            .env("GBAC_KAFKA_LIBS", &self.jars)
            .env("GBAC_KAFKA_PLUGIN", &self.plugin);
        self.python
            .iter()
            .fold(call, |call, python| call.env("GBAC_KAFKA_PYTHON", python))
    }
}

/// `cargo xtask kafka`: becomes the demonstration. Ctrl-C and signals reach it directly.
pub(crate) fn run(workspace: &Workspace, policy: Option<&str>) -> Result<()> {
    let java = Java::find()?;
    let policy = policy
        .map(path::absolute)
        .transpose()
        .map_err(|error| Problem::new(format!("--policy: {error}")))?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let cluster = Cluster::prepare(workspace, &progress, &java)?;
    up::console(workspace, &progress)?;
    // After the console, because the service embeds it.
    up::service(workspace, &progress)?;
    let demo = workspace.root.join(FOLDER).join("demo.mjs");
    let call = cluster
        .set(tools::node(&workspace.root)?.args([demo]).args(policy))
        .env("GBAC_BIN", workspace.gbac());
    progress.print("\n  starting a controller, a broker and the service    (Ctrl-C ends them)\n");
    let mut command = call.into_command();
    command.stdin(Stdio::inherit());
    up::hand_over(&mut command)
}

/// The folder of Kafka's jars in the cache; its name depends on their version and on their list.
pub(crate) fn jars(
    workspace: &Workspace,
    progress: &Progress,
    java: &Java,
    version: &str,
) -> Result<PathBuf> {
    let folder = workspace.root.join(FOLDER);
    let list = Fingerprint::new()
        .path(&folder, JARS)
        .map_err(|error| Problem::new(format!("cannot read `{FOLDER}/{JARS}`: {error}")))?
        .finish();
    let jars = workspace.cache.join(format!("kafka-{version}-{list}"));
    let step = progress.slow("kafka", "the jars of Apache Kafka, once");
    let _guard = Guard::wait(&jars.with_extension("lock"), &step)?;
    if !jars.is_dir() {
        download(&folder, &jars, java, version, &step)?;
    }
    step.done("the jars of Apache Kafka are there");
    Ok(jars)
}

/// Copies the jars into a folder, which appears when it is complete.
fn download(folder: &Path, jars: &Path, java: &Java, version: &str, step: &Step<'_>) -> Result<()> {
    let part = jars.with_extension("part");
    fs::remove_dir_all(&part).ok();
    java.maven(folder)
        .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
        .args([format!("-Dkafka.version={version}")])
        .args([format!("-DoutputDirectory={}", part.display())])
        .succeed(Some(step))
        .map_err(|problem| problem.hint("check the network, then run the same command again"))?;
    fs::rename(&part, jars)
        .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", jars.display())))
}
