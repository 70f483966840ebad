//! `cargo xtask test`: runs every check in order; a failure stops only the checks that depend on it.

use crate::bind::{Binder, Speed};
use crate::browser::{self, Browser};
use crate::clients::{self, Go};
use crate::console::{self, Build};
use crate::download_size::{self, Size};
use crate::kafka::{self, Cluster};
use crate::mutants::seed;
use crate::passed::Passed;
use crate::problem::{Problem, Result};
use crate::process::{Call, Ended, cargo, without_noise};
use crate::progress::{Progress, say};
use crate::result_table::{FAILED, Row, failures, table};
use crate::tally::Tally;
use crate::tools::{self, WASM_TARGET};
use crate::trunk::{self, Trunk};
use crate::workspace::Workspace;
use crate::{build_abi, build_js, build_kafka, deny, fuzz, glewlwyd, node_tests, settings, shells, up};
use std::env;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;

/// One check: its name for `--only`, its title, the files and folders that affect its result, and its function.
struct Check {
    name: &'static str,
    title: &'static str,
    /// If empty, it always runs.
    inputs: &'static [&'static str],
    run: fn(&Context<'_>, &Check) -> Result<Report>,
}

/// The checks that only the long form runs, unless `--only` names them.
const LONG: [&str; 1] = ["fuzz"];
/// Parts of other checks, which run only if `--only` names them.
const PARTS: [&str; 1] = ["portable"];
/// The variables of the long form: the numbers of cases, of ACLs of an exhaustive policy, of kills of the service, of requests
/// during each attack, and that the JavaScript package is tested in every toolchain.
const LONG_ENV: [(&str, &str); 5] = [
    ("GBAC_CASES", "2000000"),
    ("GBAC_ACLS", "3"),
    ("GBAC_KILLS", "200"),
    ("GBAC_MATRIX", "long"),
    ("GBAC_REQUESTS", "300"),
];
/// The variable with the seed of random cases, and proptest's own one.
const SEED: &str = "GBAC_SEED";
const PROPTEST_SEED: &str = "PROPTEST_RNG_SEED";
/// The inputs of the lints. The README is part of a crate's documentation.
const RUST: &[&str] = &["api", "bench", "cli", "console", "engine", "fuzz", "server", "tests", "README.md"];
/// The inputs of the plugin for Apache Kafka.
const KAFKA: &[&str] = &["engine", "kafka", "tests", "cli", "server", "api", "console/model"];
/// The inputs of the clients of the platform's services.
const CLIENTS: &[&str] =
    &["engine", "tests/clients", "tests/e2e", "cli", "server", "api", "console/model", "README.md"];
/// The inputs of the console.
const CONSOLE: &[&str] = &["api", "console", "engine", "tests"];
/// The inputs of the JavaScript package and its tests.
const PACKAGE: &[&str] = &["api", "cli", "console/model", "engine", "server", "tests", "www", "docs", "README.md"];
/// The inputs of the TypeScript declarations and of the schema of the command line.
const TYPES: &[&str] = &["api", "cli", "console/model", "docs", "engine", "server", "www"];
/// The inputs of tests that read documents, examples and everything else.
const ALL: &[&str] = &["."];

/// All checks, fast ones first.
const CHECKS: &[Check] = &[
    Check { name: "fmt", title: "rustfmt has nothing to change", inputs: RUST, run: fmt },
    Check { name: "clippy", title: "clippy, natively", inputs: RUST, run: clippy },
    Check { name: "clippy-wasm", title: "clippy, for the browser", inputs: RUST, run: clippy_wasm },
    Check {
        name: "deny",
        title: "licenses, sources and bans of dependencies, where cargo-deny is installed",
        inputs: ALL,
        run: dependencies,
    },
    Check { name: "native", title: "Rust tests", inputs: ALL, run: native },
    // Separate from the other crates, because of its features.
    Check { name: "watch", title: "the watcher of `cargo xtask dev`", inputs: &["xtask"], run: watch },
    Check {
        name: "console-native",
        title: "what the console's pages show, natively",
        inputs: CONSOLE,
        run: console_native,
    },
    // Separate from the other crates, because no program has its feature.
    Check { name: "types", title: "the declarations and the schema match the Rust types", inputs: TYPES, run: types },
    Check { name: "js", title: "the wasm engine under Node", inputs: PACKAGE, run: js },
    Check { name: "abi", title: "the WebAssembly ABI, from Node and from Python", inputs: RUST, run: abi },
    Check {
        name: "kafka",
        title: "the plugin for Apache Kafka, where Java and Maven are installed",
        inputs: KAFKA,
        run: kafka_plugin,
    },
    Check {
        name: "clients",
        title: "the service and its clients: generated ones in Node and in Go, curl, and an identity provider",
        inputs: CLIENTS,
        run: clients,
    },
    Check { name: "agreement", title: "every interface returns the same outcome", inputs: PACKAGE, run: agreement },
    Check { name: "size", title: "the size of the engine, and its growth", inputs: PACKAGE, run: size },
    Check { name: "package", title: "the packed package in Node and in Chromium", inputs: PACKAGE, run: package },
    Check {
        name: "matrix",
        title: "the packed package in bundlers, frameworks and test runners; in all of them with --long",
        inputs: PACKAGE,
        run: matrix,
    },
    Check {
        name: "trunk",
        title: "Trunk builds the same page, where it is installed",
        inputs: CONSOLE,
        run: trunk_page,
    },
    Check { name: "browser", title: "wasm tests in headless Chromium", inputs: CONSOLE, run: browser_wasm },
    Check {
        name: "e2e",
        title: "journeys in Chromium on the published console; with --long, all of them, also on the console of `up`",
        inputs: ALL,
        run: e2e,
    },
    Check {
        name: "portable",
        title: "Rust tests for every operating system; part of `native`, runs only when named",
        inputs: RUST,
        run: portable,
    },
    Check { name: "fuzz", title: "fuzz targets, for a fixed time; with --long only", inputs: &[], run: fuzz },
];

/// The report of a test runner; `problem` if it failed.
struct Report {
    tally: Tally,
    problem: Option<Problem>,
}

impl Report {
    /// Adds the report of another run.
    fn add(&mut self, other: Self) -> &Self {
        self.tally += other.tally;
        self.problem = self.problem.take().or(other.problem);
        self
    }
}

/// Builds that several checks share.
struct Context<'a> {
    workspace: &'a Workspace,
    progress: &'a Progress,
    long: bool,
    /// The seed of random cases, for tests without an own seed.
    seed: String,
    binder: OnceLock<Result<Binder>>,
    js: OnceLock<Result<Vec<Size>>>,
    console: OnceLock<Result<()>>,
    service: OnceLock<Result<()>>,
    browser: OnceLock<Result<Browser>>,
}

/// Prints the names for `--only`.
pub(crate) fn list() {
    for check in CHECKS {
        say(&format!("{:<15} {}", check.name, check.title));
    }
}

/// Runs the checks in `only`, or all, optionally in their long form, and returns whether all passed.
pub(crate) fn run(workspace: &Workspace, only: &[String], long: bool) -> Result<ExitCode> {
    let checks = select(only, long)?;
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let seed = env::var(SEED).unwrap_or_else(|_| seed().to_string());
    progress.print(&format!("{SEED}={seed} repeats the random cases of the Rust tests"));
    let context = Context::new(workspace, &progress, long, seed);
    // Named checks always run.
    let passed = if only.is_empty() { Passed::new(workspace, settings::of(workspace, long)) } else { None };
    let rows: Vec<Row> = checks.iter().map(|check| run_or_skip(&context, check, passed.as_ref())).collect();
    let failures = failures(&rows);
    if let Some(problem) = &failures {
        progress.print(&format!("\n{problem}"));
    }
    say(table(&rows).trim_end());
    Ok(if failures.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The checks with these names, in the order of the table; without names, all checks of this form.
fn select(only: &[String], long: bool) -> Result<Vec<&'static Check>> {
    if let Some(unknown) = only.iter().find(|name| CHECKS.iter().all(|check| check.name != name.as_str())) {
        let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        return Err(
            Problem::new(format!("unknown check `{unknown}`")).hint(format!("the checks are: {}", names.join(", ")))
        );
    }
    let is_selected = |check: &&Check| match only {
        [] => !PARTS.contains(&check.name) && (long || !LONG.contains(&check.name)),
        only => only.iter().any(|name| name == check.name),
    };
    Ok(CHECKS.iter().filter(is_selected).collect())
}

/// Runs a check, unless it passed with the same inputs.
fn run_or_skip(context: &Context<'_>, check: &'static Check, passed: Option<&Passed<'_>>) -> Row {
    let Some(passed) = passed.filter(|_| !check.inputs.is_empty()) else { return run_one(context, check) };
    if passed.is_known(check.name, check.inputs) {
        context.progress.print(&format!("\n{}: skipped; it passed here, and its inputs are the same", check.name));
        return Row { name: check.name, tally: Tally::default(), result: "skipped", seconds: 0.0 };
    }
    // Computed before the run, which may not check later changes.
    let state = passed.state(check.name, check.inputs);
    passed.remove(check.name);
    let row = run_one(context, check);
    if let (true, Ok(state)) = (row.is_ok(), state) {
        passed.add(check.name, &state);
    }
    row
}

fn run_one(context: &Context<'_>, check: &'static Check) -> Row {
    context.progress.print(&format!("\n{}: {}", check.name, check.title));
    let started = Instant::now();
    let (mut tally, problem) = match (check.run)(context, check) {
        Ok(report) => (report.tally, report.problem),
        Err(problem) => (Tally::default(), Some(problem)),
    };
    let seconds = started.elapsed().as_secs_f64();
    let result = if problem.is_none() { "ok" } else { FAILED };
    if let Some(problem) = problem {
        // A check that stopped early counts as one failure.
        tally.failed = tally.failed.max(1);
        context.progress.print(&format!("{problem}"));
    }
    Row { name: check.name, tally, result, seconds }
}

fn fmt(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root).args(["fmt", "--all", "--", "--check", "-l", "--color", "never"]);
    let mut report = context.run_once(check, call)?;
    report.problem = report.problem.map(|problem| problem.hint("`cargo fmt --all` formats these files"));
    Ok(report)
}

fn clippy(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root)
        .args(["clippy", "--workspace", "--exclude", "gbac-wasm", "--exclude", "gbac-console"])
        .args(["--all-targets", "--all-features", "--", "-D", "warnings"]);
    context.run_once(check, call)
}

/// Lints the crates that run in a page and the engine, in the profile of the console's build, so that their macros compile
/// once.
fn clippy_wasm(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root)
        .args(["clippy", "--target", WASM_TARGET, "--profile", Build::Development.profile()])
        .args(["--package", "gbac-wasm", "--package", "gbac-console", "--all-targets", "--all-features"])
        .args(["--", "-D", "warnings"]);
    context.run_once(check, call)
}

fn dependencies(context: &Context<'_>, check: &Check) -> Result<Report> {
    match deny::call(context.workspace) {
        Ok(call) => context.run_once(check, call),
        Err(missing) => {
            context.progress.print(&missing);
            Ok(Report { tally: Tally::default(), problem: None })
        }
    }
}

fn native(context: &Context<'_>, check: &Check) -> Result<Report> {
    // The service embeds the console. Without it, only `e2e` fails.
    context.console().ok();
    context.service()?;
    shells::shells(context.workspace, context.progress);
    let call = cargo(&context.workspace.root).args([
        "test",
        "--workspace",
        "--exclude",
        "gbac-wasm",
        "--exclude",
        "gbac-console",
        "--exclude",
        "gbac-console-model",
        // Their features of dependencies would cause another build of the service.
        "--exclude",
        "xtask-bind",
        "--exclude",
        "xtask-watch",
        "--no-fail-fast",
    ]);
    context.tests(check, call, Tally::of_cargo)
}

/// Tests the libraries and the command line, without tests that start Unix programs or need Node or a browser.
fn portable(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.service()?;
    let others = ["gbac-bench", "gbac-console", "gbac-server", "gbac-tests", "gbac-wasm", "xtask-bind", "xtask-watch"];
    let call = cargo(&context.workspace.root)
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(others.into_iter().flat_map(|package| ["--exclude", package]));
    context.tests(check, call, Tally::of_cargo)
}

fn watch(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root).args(["test", "--package", "xtask-watch"]);
    context.tests(check, call, Tally::of_cargo)
}

fn console_native(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call =
        cargo(&context.workspace.root).args(["test", "--package", "gbac-console", "--package", "gbac-console-model"]);
    context.tests(check, call, Tally::of_cargo)
}

fn types(context: &Context<'_>, check: &Check) -> Result<Report> {
    let [declarations, schema] = build_js::types_tests(context.workspace);
    let mut report = context.tests(check, declarations, Tally::of_cargo)?;
    report.add(context.tests(check, schema, Tally::of_cargo)?);
    Ok(report)
}

fn js(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    context.service()?;
    tools::npm_ci(context.workspace, context.progress, "www")?;
    context.node_tests(check, "www/test", |call| call)
}

fn abi(context: &Context<'_>, check: &Check) -> Result<Report> {
    let prepared = build_abi::prepare(context.workspace, context.progress)?;
    context.node_tests(check, "tests/abi", |call| prepared.set(call))
}

/// Tests the plugin with several versions of Kafka, and in clusters. Where Java or Maven is missing, one line says so; hosted workflows have them.
fn kafka_plugin(context: &Context<'_>, check: &Check) -> Result<Report> {
    let java = match build_kafka::Java::find() {
        Ok(java) => java,
        Err(missing) if env::var_os("CI").is_some() => return Err(missing),
        Err(missing) => {
            context.progress.print(missing.message());
            return Ok(Report { tally: Tally::default(), problem: None });
        }
    };
    context.service()?;
    let mut report = Report { tally: Tally::default(), problem: None };
    for (version, call) in build_kafka::tests(context.workspace, context.progress, &java, context.long)? {
        context.progress.print(&format!("with Kafka {version}"));
        if report.add(context.tests(check, call, Tally::of_maven)?).problem.is_some() {
            return Ok(report);
        }
    }
    let mut cluster = Cluster::prepare(context.workspace, context.progress, &java)?;
    if context.long {
        tools::npm_ci(context.workspace, context.progress, "tests/e2e")?;
        cluster = cluster.with_librdkafka(context.workspace, context.progress)?;
    }
    let folders = if context.long { &kafka::TESTS[..] } else { &kafka::TESTS[..1] };
    for folder in folders {
        context.progress.print(&format!("a cluster: {folder}"));
        // One cluster at a time.
        let set = |call| cluster.set(call).args(["--test-concurrency=1"]);
        if report.add(context.node_tests(check, folder, set)?).problem.is_some() {
            break;
        }
    }
    Ok(report)
}

/// Calls the built service with clients that are generated from its messages: those for Node, and those in Go. Where Go is missing,
/// one line says so; hosted workflows have it.
fn clients(context: &Context<'_>, check: &Check) -> Result<Report> {
    let go = match Go::find(context.workspace) {
        Err(missing) if env::var_os("CI").is_some() => return Err(missing),
        found => found,
    };
    context.service()?;
    // The identity provider is one of the packages of `tests/e2e`.
    tools::npm_ci(context.workspace, context.progress, "tests/e2e")?;
    tools::npm_ci(context.workspace, context.progress, clients::NODE)?;
    let mut report = context.node_tests(check, clients::NODE, |call| call)?;
    match go {
        Ok(go) if report.problem.is_none() => {
            report.add(context.tests(check, go.tests(), Tally::of_go)?);
        }
        Ok(_) => {}
        Err(missing) => context.progress.print(missing.message()),
    }
    Ok(report)
}

/// Tests that the package, the command line and a service give equal results.
fn agreement(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    context.service()?;
    context.node_tests(check, "tests/agreement", |call| call)
}

/// Tests the packed package, installed in a folder outside of the repository.
fn package(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    let browser = context.browser()?;
    for folder in ["www", "tests/e2e"] {
        tools::npm_ci(context.workspace, context.progress, folder)?;
    }
    context.node_tests(check, "www/test/homes", |call| call.env("GBAC_CHROMIUM", &browser.chromium))
}

/// Tests the packed package, installed in an empty folder for each toolchain.
fn matrix(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    let browser = context.browser()?;
    for folder in ["www", "tests/e2e"] {
        tools::npm_ci(context.workspace, context.progress, folder)?;
    }
    context.node_tests(check, "www/matrix", |call| call.env("GBAC_CHROMIUM", &browser.chromium))
}

fn size(context: &Context<'_>, _: &Check) -> Result<Report> {
    let sizes = context.js()?;
    context.progress.print(&download_size::table(&sizes));
    download_size::check(context.workspace, &sizes)?;
    Ok(Report { tally: Tally::default(), problem: None })
}

/// Runs the tests for the browser, by convention each crate's `tests/browser.rs`.
fn browser_wasm(context: &Context<'_>, check: &Check) -> Result<Report> {
    let root = &context.workspace.root;
    let crates = [("engine/wasm", "gbac-wasm"), ("console", "gbac-console")];
    let packages = crates
        .iter()
        .filter(|(folder, _)| root.join(folder).join("tests/browser.rs").is_file())
        .flat_map(|(_, package)| ["--package", package]);
    let browser = context.browser()?;
    let binder = context.binder()?;
    tools::npm_ci(context.workspace, context.progress, "tests/e2e")?;
    let runner = root.join("xtask/tools/browser-tests.mjs");
    let call = cargo(root)
        .args(["test", "--target", WASM_TARGET, "--profile", Build::Development.profile()])
        .args(["--config", &format!("target.{WASM_TARGET}.runner=['node', '{}']", runner.display())])
        .args(packages)
        .args(["--all-features", "--test", "browser", "--no-fail-fast"])
        .env("GBAC_BIND", &binder.program)
        .env("GBAC_CHROMIUM", &browser.chromium);
    context.tests(check, call, Tally::of_cargo)
}

/// Compares the pages of `up` and `trunk build`, file by file.
fn trunk_page(context: &Context<'_>, check: &Check) -> Result<Report> {
    let passed = Report { tally: Tally::default(), problem: None };
    let trunk = match Trunk::find(context.workspace) {
        Ok(trunk) => trunk,
        Err(missing) => {
            context.progress.print(&missing);
            return Ok(passed);
        }
    };
    context.console()?;
    context.logged(check, trunk.build(context.workspace))?.into_result()?;
    trunk::compare(context.workspace)?;
    Ok(passed)
}

fn e2e(context: &Context<'_>, check: &Check) -> Result<Report> {
    let browser = context.browser()?;
    if context.long {
        glewlwyd::glewlwyd(context.workspace, context.progress);
    }
    context.console()?;
    context.service()?;
    context.logged(check, clients::platform_double(context.workspace))?.into_result()?;
    tools::npm_ci(context.workspace, context.progress, "tests/e2e")?;
    let run = || {
        let call = tools::node(&context.workspace.root)?
            .args(["tests/e2e/run.mjs", "--test-reporter=spec"])
            .args(context.long.then_some("--long"))
            .env("GBAC_CHROMIUM", &browser.chromium)
            .env("GBAC_CONSOLE", context.workspace.root.join("dist"));
        context.tests(check, call, Tally::of_node)
    };
    let mut report = run()?;
    if !context.long || report.problem.is_some() {
        return Ok(report);
    }
    up::console(context.workspace, context.progress)?;
    report.add(run()?);
    Ok(report)
}

/// Runs each target on inputs from the vectors and from earlier runs; libFuzzer reports the failing input.
fn fuzz(context: &Context<'_>, check: &Check) -> Result<Report> {
    let mut tally = Tally::default();
    for target in fuzz::TARGETS {
        let call = fuzz::call(context.workspace, target);
        match context.logged(check, call)?.into_result() {
            Ok(lines) => {
                let units = lines.iter().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
                context.progress.print(&format!(
                    "{target}: {} inputs in {} s",
                    units.unwrap_or("?").trim(),
                    fuzz::SECONDS
                ));
                tally.passed += 1;
            }
            Err(problem) => {
                let hint = format!("the input is in target/fuzz; `cargo run --release --bin {target} FILE` in fuzz/");
                tally.failed += 1;
                return Ok(Report { tally, problem: Some(problem.hint(hint)) });
            }
        }
    }
    Ok(Report { tally, problem: None })
}

impl<'a> Context<'a> {
    fn new(workspace: &'a Workspace, progress: &'a Progress, long: bool, seed: String) -> Self {
        Self {
            workspace,
            progress,
            long,
            seed,
            binder: OnceLock::new(),
            js: OnceLock::new(),
            console: OnceLock::new(),
            service: OnceLock::new(),
            browser: OnceLock::new(),
        }
    }

    /// The program that binds wasm to JavaScript.
    fn binder(&self) -> Result<Binder> {
        self.binder.get_or_init(|| Binder::build(self.workspace, self.progress, Speed::Compile)).clone()
    }

    fn browser(&self) -> Result<Browser> {
        self.browser.get_or_init(|| browser::browser(self.workspace, self.progress)).clone()
    }

    /// The modules of the JavaScript package, and their sizes.
    fn js(&self) -> Result<Vec<Size>> {
        let build = || {
            let wasm_opt = tools::wasm_opt(self.workspace, self.progress)?;
            build_js::build(self.workspace, self.progress, &self.binder()?, &wasm_opt)
        };
        self.js.get_or_init(build).clone()
    }

    /// Builds the console in `dist/`, as it is published.
    fn console(&self) -> Result<()> {
        let build = || console::publish(self.workspace, self.progress, self.binder()?);
        self.console.get_or_init(build).clone()
    }

    /// The built `gbac`.
    fn service(&self) -> Result<()> {
        self.service.get_or_init(|| up::service(self.workspace, self.progress)).clone()
    }

    /// Runs a program that only passes or fails.
    fn run_once(&self, check: &Check, call: Call) -> Result<Report> {
        let ended = self.logged(check, call)?;
        Ok(Report { tally: Tally::default(), problem: ended.into_result().err() })
    }

    /// Runs a program that counts tests. Zero tests count as a failure.
    fn tests(&self, check: &Check, call: Call, count: fn(&[String]) -> Tally) -> Result<Report> {
        let call = call.env("GBAC_BIN", self.workspace.gbac()).env(PROPTEST_SEED, &self.seed).env("NO_COLOR", "1");
        let long = if self.long { &LONG_ENV[..] } else { &[] };
        let call = long.iter().fold(call, |call, (name, value)| call.env(name, value));
        let ended = self.logged(check, call)?;
        let tally = count(&ended.lines);
        let problem = match ended.into_result() {
            Ok(lines) if tally.passed == 0 => Some(Problem::new("no test ran").output(without_noise(lines))),
            Ok(_) => None,
            Err(problem) => Some(problem),
        };
        Ok(Report { tally, problem })
    }

    /// Runs the test files of a folder under Node.
    fn node_tests(&self, check: &Check, folder: &str, more: impl Fn(Call) -> Call) -> Result<Report> {
        let files = node_tests::files(&self.workspace.root, folder)?;
        let call = more(tools::node(&self.workspace.root)?.args(["--test", "--test-reporter=spec"]));
        self.tests(check, call.args(files), Tally::of_node)
    }

    /// Runs with the output in a file, where it can be read later, and which a leftover process of a test cannot block, unlike
    /// a pipe.
    fn logged(&self, check: &Check, call: Call) -> Result<Ended> {
        let step = self.progress.slow(check.name, "running");
        let ended = call.finish_into(&self.workspace.notes().join(format!("{}.log", check.name)));
        match &ended {
            Ok(ended) if ended.success => step.done("passed"),
            _ => step.failed(),
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, LONG, PARTS, select};
    use std::path::Path;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
        select(&only, false).unwrap().iter().map(|check| check.name).collect()
    }

    #[test]
    fn runs_in_its_own_order() {
        assert_eq!(names(&[]).len(), CHECKS.len() - LONG.len() - PARTS.len());
        assert_eq!(select(&[], true).unwrap().len(), CHECKS.len() - PARTS.len());
        assert_eq!(names(&["fuzz"]), LONG);
        assert_eq!(names(&["e2e", "fmt"]), ["fmt", "e2e"]);
        assert!(select(&["fmtt".to_owned()], true).is_err());
    }

    /// The hosted workflows run the same checks as this command.
    #[test]
    fn the_hosted_workflows_run_every_check() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(".github/workflows");
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let (every, nightly) = (read("ci.yml"), read("nightly.yml"));
        let lists = every.lines().filter_map(|line| line.split_once("checks: \"")?.1.split('"').next());
        let more =
            every.lines().chain(nightly.lines()).filter_map(|line| line.split_once("--only ")).map(|(_, rest)| rest);
        let named: Vec<&str> = lists
            .chain(more.map(|rest| rest.trim_end_matches(['"', ' ', '}'])))
            .filter(|list| !list.starts_with("${{"))
            .flat_map(|list| list.split(','))
            .collect();
        for check in CHECKS {
            assert!(named.contains(&check.name), "no workflow runs `{}`", check.name);
        }
        for name in named {
            assert!(CHECKS.iter().any(|check| check.name == name), "there is no check `{name}`");
        }
    }

    /// A tag can be moved, a commit cannot.
    #[test]
    fn actions_of_workflows_are_pinned_by_commit() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(".github/workflows");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for action in
                text.lines().filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("uses: "))
            {
                let commit = action.split_once('@').unwrap().1.split(' ').next().unwrap();
                let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
                assert!(is_commit && action.contains(" # v"), "{action}");
                count += 1;
            }
        }
        assert!(count > 10, "{count} actions");
    }

    /// A missing input would make a check skip itself after every change.
    #[test]
    fn every_input_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for check in CHECKS {
            for input in check.inputs {
                assert!(root.join(input).exists(), "{}: {input}", check.name);
            }
            assert!(check.name == "fuzz" || !check.inputs.is_empty(), "{}", check.name);
        }
    }
}
