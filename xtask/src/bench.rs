//! `cargo xtask bench`: builds and runs the measurements, and writes their results.
//!
//! `bench/` defines the measurements, comparisons and limits; this module only runs the steps in
//! order.

use crate::apt::missing_after_install;
use crate::bench_cli;
use crate::bench_kafka;
use crate::bind::{Binder, Speed};
use crate::build_js;
use crate::download_size;
use crate::fingerprint::Fingerprint;
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::{Progress, say};
use crate::tools;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The numbers of ACLs that are measured.
const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The packages that are compared, and the scripts that run them.
const SCRIPTS: &str = "bench/js";

/// The options of the command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Whether the measurements are shorter and less exact.
    pub(crate) quick: bool,
    /// The path of the JSON file; by default in the target folder.
    pub(crate) json: Option<String>,
    /// The largest policy, in ACLs.
    pub(crate) up_to: Option<u64>,
    /// The only part that is measured; all of them without it.
    pub(crate) part: Option<Part>,
    /// Whether only the plugin for Apache Kafka is measured.
    pub(crate) kafka: bool,
    /// Whether only the command line is measured.
    pub(crate) cli: bool,
}

/// A part of the measurements that can run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The cost of an evaluation over HTTP and the effect of attacks.
    Service,
    /// The JavaScript package and what it is compared with, under Node.
    JavaScript,
}

/// A run of the measurements.
struct Run<'a> {
    workspace: &'a Workspace,
    progress: &'a Progress,
    /// The folder of the workload, criterion's samples and the parts of the result.
    folder: PathBuf,
    sizes: Vec<String>,
    quick: bool,
    part: Option<Part>,
}

/// Measures, prints the tables and writes the JSON.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if options.kafka {
        return bench_kafka::run(workspace);
    }
    if options.cli {
        return bench_cli::run(workspace);
    }
    let progress = Progress::new();
    let most = options.up_to.unwrap_or(u64::MAX);
    let sizes: Vec<String> = SIZES
        .iter()
        .filter(|size| **size <= most)
        .map(u64::to_string)
        .collect();
    if sizes.is_empty() {
        return Err(Problem::new("no policy is small enough for `--up-to`")
            .hint("the smallest policy has 1,000 ACLs"));
    }
    // The JavaScript part shares the workload of the complete run.
    let (folder, results) = match options.part {
        None => ("bench", "results.json"),
        Some(Part::Service) => ("bench-service", "results.json"),
        Some(Part::JavaScript) => ("bench", "javascript.json"),
    };
    let folder = workspace.target.join(folder);
    let run = Run {
        workspace,
        progress: &progress,
        folder,
        sizes,
        quick: options.quick,
        part: options.part,
    };
    match options.part {
        None => {
            wrk(workspace, &progress)?;
            run.build_javascript()?;
            run.build_programs(&["--package", "gbac-bench", "--package", "gbac"])?;
            run.measure()?;
        }
        Some(Part::Service) => {
            wrk(workspace, &progress)?;
            run.build_programs(&["--package", "gbac-bench", "--package", "gbac"])?;
            run.clear_parts()?;
            run.measure_cost()?;
            run.measure_attacks()?;
        }
        Some(Part::JavaScript) => {
            run.build_javascript()?;
            run.build_programs(&["--package", "gbac-bench", "--bin", "gbac-bench"])?;
            run.workload()?;
            run.measure_javascript()?;
            run.measure_start()?;
        }
    }

    let json = options
        .json
        .as_ref()
        .map_or_else(|| run.folder.join(results), PathBuf::from);
    // Absolute, because the program that writes it runs in the top folder.
    let json = std::path::absolute(&json).map_err(|error| cannot("find", &json, &error))?;
    let (tables, counts) = run.report(&json)?;
    say(&format!("\n{tables}\n{}\n{counts}", json.display()));
    Ok(())
}

impl Run<'_> {
    /// Builds the JavaScript package first, so that nothing is compiled during the measurements.
    fn build_javascript(&self) -> Result<()> {
        tools::rust(self.workspace, self.progress)?;
        let binder = Binder::build(self.workspace, self.progress, Speed::Compile)?;
        let wasm_opt = tools::wasm_opt(self.workspace, self.progress)?;
        tools::npm_ci(self.workspace, self.progress, SCRIPTS)?;
        let modules = build_js::build(self.workspace, self.progress, &binder, &wasm_opt)?;
        let parts = self.clear_parts()?;
        let bytes = download_size::engine_brotli(&modules);
        let wasm = format!(
            "{{ \"results\": [{{ \"name\": \"wasm_brotli\", \"acls\": 0, \"groups\": 0, \"bytes\": {bytes} }}] }}\n"
        );
        fs::write(parts.join("wasm.json"), wasm).map_err(|error| cannot("write", &parts, &error))
    }

    /// Builds programs in Rust.
    fn build_programs(&self, selected: &[&str]) -> Result<()> {
        let build = cargo(&self.workspace.root)
            .args(["build", "--release"])
            .args(selected);
        self.step("bench", "compiling", build)
    }

    /// Removes the results of earlier runs.
    fn clear_parts(&self) -> Result<PathBuf> {
        let parts = self.folder.join("parts");
        match fs::remove_dir_all(&parts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => fs::create_dir_all(&parts),
        }
        .map_err(|error| cannot("write", &parts, &error))?;
        Ok(parts)
    }

    /// Measures the cost of an evaluation over HTTP.
    fn measure_cost(&self) -> Result<()> {
        let call = Call::new(self.program("gbac-bench-service"), &self.workspace.root);
        let call = call
            .args([&self.folder, &self.program("gbac")])
            .args(["--cost"]);
        self.step(
            "evaluation",
            "the cost of an evaluation over HTTP",
            self.length(call),
        )
    }

    /// Measures how long other clients wait during attacks, and the memory of the service.
    fn measure_attacks(&self) -> Result<()> {
        let call = Call::new(self.program("gbac-bench-service"), &self.workspace.root);
        let call = call
            .args([&self.folder, &self.program("gbac")])
            .args(["--attacks"]);
        self.step(
            "attacks",
            "a client of the service during attacks",
            self.length(call),
        )
    }

    /// Runs one program after the other, so that they do not affect each other.
    fn measure(&self) -> Result<()> {
        self.workload()?;
        self.step(
            "native",
            "the engine in Rust",
            self.bench("native", &self.sizes),
        )?;
        let memory = Call::new(self.program("gbac-bench-memory"), &self.workspace.root);
        self.step(
            "memory",
            "bytes that a policy holds",
            memory.args([&self.folder]).args(&self.sizes),
        )?;
        self.measure_javascript()?;
        let service = Call::new(self.program("gbac-bench-service"), &self.workspace.root);
        let service = service
            .args([&self.folder, &self.program("gbac")])
            .args(self.sizes.last());
        self.step(
            "service",
            "the service over HTTP, with its store on this disk",
            self.length(service),
        )?;
        self.measure_cost()?;
        self.measure_attacks()?;
        self.measure_start()
    }

    /// Measures the engine under Node, and what it is compared with.
    fn measure_javascript(&self) -> Result<()> {
        for size in &self.sizes {
            let call = self
                .script("main.mjs", &["--expose-gc", "--max-old-space-size=12288"])?
                .args([size]);
            self.step(
                &format!("node {size}"),
                "the engine in wasm, and what it is compared with",
                self.length(call),
            )?;
        }
        Ok(())
    }

    /// Measures the start of Node.
    fn measure_start(&self) -> Result<()> {
        let call = self.script("cold_start.mjs", &[])?;
        self.step(
            "cold start",
            "a fresh Node to its first decision",
            self.length(call),
        )
    }

    /// Generates the policies and queries, unless an earlier run did: the plain loop that computes
    /// the results takes minutes for a million ACLs.
    fn workload(&self) -> Result<()> {
        let mut fingerprint = Fingerprint::new();
        for file in ["workload.rs", "document.rs", "files.rs", "reference.rs"] {
            let path = format!("bench/src/{file}");
            fingerprint = fingerprint
                .path(&self.workspace.root, &path)
                .map_err(|error| cannot("read", &self.workspace.root.join(&path), &error))?;
        }
        let fingerprint = fingerprint.finish();
        let note = |size: &String| self.folder.join(size).join("made-by");
        let is_missing = |size: &&String| {
            fs::read_to_string(note(size)).map_or(true, |noted| noted != fingerprint)
        };
        let missing: Vec<String> = self.sizes.iter().filter(is_missing).cloned().collect();
        if missing.is_empty() {
            self.progress.quick("workload").done("unchanged");
            return Ok(());
        }
        let what = "policies, questions, the plain loop's answers";
        self.step("workload", what, self.bench("generate", &missing))?;
        for size in &missing {
            fs::write(note(size), &fingerprint)
                .map_err(|error| cannot("write", &note(size), &error))?;
        }
        Ok(())
    }

    /// The tables as Markdown, and the number of limits that hold.
    fn report(&self, json: &Path) -> Result<(String, String)> {
        let tables = self.folder.join("tables.md");
        let version = |call: Call| {
            call.args(["--version"])
                .first_line()
                .unwrap_or_else(|| "unknown".to_owned())
        };
        let rust = version(Call::new("rustc", &self.workspace.root));
        let node = version(tools::node(&self.workspace.root)?);
        let words: Vec<OsString> = vec![
            json.into(),
            (&tables).into(),
            rust.into(),
            node.trim_start_matches('v').into(),
        ];
        let lines = self
            .bench(
                if self.part.is_some() {
                    "report-part"
                } else {
                    "report"
                },
                &words,
            )
            .succeed(None)?;
        let text = fs::read_to_string(&tables).map_err(|error| cannot("read", &tables, &error))?;
        Ok((text, lines.last().cloned().unwrap_or_default()))
    }

    fn step(&self, name: &str, what: &str, call: Call) -> Result<()> {
        call.step(self.progress, name, what, what)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.workspace
            .target
            .join("release")
            .join(format!("{name}{EXE_SUFFIX}"))
    }

    /// A command of `gbac-bench` with its arguments.
    fn bench<A: AsRef<std::ffi::OsStr>>(&self, command: &str, words: &[A]) -> Call {
        let call = Call::new(self.program("gbac-bench"), &self.workspace.root);
        self.length(call.args([command]).args([&self.folder]).args(words))
    }

    fn script(&self, file: &str, options: &[&str]) -> Result<Call> {
        let scripts = self.workspace.root.join(SCRIPTS);
        Ok(tools::node(&scripts)?
            .args(options)
            .args([scripts.join(file)])
            .args([&self.folder]))
    }

    fn length(&self, call: Call) -> Call {
        if self.quick {
            call.args(["--quick"])
        } else {
            call
        }
    }
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("cannot {what} `{}`: {error}", path.display()))
}

/// Finds wrk, the load generator, or installs it with apt.
fn wrk(workspace: &Workspace, progress: &Progress) -> Result<()> {
    let step = progress.quick("wrk");
    if missing_after_install(workspace, &step, &["wrk"]).is_empty() {
        step.done("there");
        return Ok(());
    }
    Err(
        Problem::new("wrk, which sends the requests, is not installed")
            .hint("Debian: apt install wrk"),
    )
}
