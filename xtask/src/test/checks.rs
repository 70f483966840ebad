//! The checks of `cargo xtask test`.

use crate::clients::{self, Go};
use crate::console::{self, Build};
use crate::kafka::Cluster;
use crate::problem::Result;
use crate::process::cargo;
use crate::test::context::{Context, FEATURES, Need, native};
use crate::test::inputs::{ALL, CLIENTS, CONSOLE, KAFKA, OPENAPI, PACKAGE, PROGRAM, RUST};
use crate::test::report::Report;
use crate::test::runner::Runner;
use crate::tools::{self, WASM_TARGET};
use crate::trunk::{self, Trunk};
use crate::{build_abi, build_kafka, deny, download_size, fuzz, node_tests, openapi, site};
use std::env;
use std::path::PathBuf;

/// One check.
pub(crate) struct Check {
    /// The name for `--only`.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) lane: Lane,
    pub(crate) form: Form,
    /// The files and folders that affect its result.
    pub(crate) inputs: &'static [&'static str],
    pub(crate) needs: &'static [Need],
    pub(crate) run: fn(&Context<'_>, &Check) -> Result<Report>,
}

/// The lanes run beside each other, and the checks of a lane one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// What mostly compiles Rust.
    Cargo,
    /// Node, Java, Go and browsers.
    Others,
}

/// When a check runs without being named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Always,
    /// With `--long`, and again when these files and folders, its own sources, have changed since
    /// it passed on this machine.
    Long(&'static [&'static str]),
    /// Never: it is part of another check.
    Part,
}

/// The packages of the JavaScript package's tools, and of the browser's driver.
const WWW: Need = Need::Npm("www");
const E2E: Need = Need::Npm("tests/e2e");

/// All checks, in the order of each lane: what others wait for comes first.
pub(crate) const CHECKS: &[Check] = &[
    Check {
        name: "fmt",
        title: "rustfmt has nothing to change",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: RUST,
        needs: &[],
        run: fmt,
    },
    Check {
        name: "native",
        title: "Rust tests, with the declarations and the schema of the Rust types",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: ALL,
        needs: &[Need::Shells],
        run: rust_tests,
    },
    Check {
        name: "clippy",
        title: "clippy, natively",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: RUST,
        needs: &[],
        run: clippy,
    },
    Check {
        name: "clippy-wasm",
        title: "clippy, for the browser",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: RUST,
        needs: &[],
        run: clippy_wasm,
    },
    Check {
        name: "browser",
        title: "wasm tests in headless Chromium",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: CONSOLE,
        needs: &[Need::Browser, E2E],
        run: browser_wasm,
    },
    Check {
        name: "deny",
        title: "licenses, sources and bans of dependencies, where cargo-deny is installed",
        lane: Lane::Cargo,
        form: Form::Always,
        inputs: ALL,
        needs: &[],
        run: dependencies,
    },
    Check {
        name: "portable",
        title: "Rust tests for every operating system; part of `native`, runs only when named",
        lane: Lane::Cargo,
        form: Form::Part,
        inputs: RUST,
        needs: &[],
        run: portable,
    },
    Check {
        name: "fuzz",
        title: "fuzz targets, for a fixed time",
        lane: Lane::Cargo,
        form: Form::Long(&["fuzz", "tests/src/fuzz/mod.rs"]),
        inputs: RUST,
        needs: &[],
        run: fuzz,
    },
    Check {
        name: "size",
        title: "the size of the engine, and its growth",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PACKAGE,
        needs: &[],
        run: size,
    },
    Check {
        name: "abi",
        title: "the WebAssembly ABI, from Node and from Python",
        lane: Lane::Others,
        form: Form::Long(&["engine/abi", "tests/abi"]),
        inputs: RUST,
        needs: &[],
        run: abi,
    },
    Check {
        name: "package",
        title: "the packed package in Node and in Chromium",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PACKAGE,
        needs: &[Need::Browser, WWW, E2E],
        run: package,
    },
    Check {
        name: "matrix",
        title: "the packed package in bundlers, frameworks and test runners; in all of them with --long",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PACKAGE,
        needs: &[Need::Browser, WWW, E2E],
        run: matrix,
    },
    Check {
        name: "js",
        title: "the wasm engine under Node",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PACKAGE,
        needs: &[WWW],
        run: js,
    },
    Check {
        name: "agreement",
        title: "every interface returns the same outcome",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PACKAGE,
        needs: &[],
        run: agreement,
    },
    Check {
        name: "clients",
        title: "the service and its clients: generated ones in Node, and an identity provider",
        lane: Lane::Others,
        form: Form::Always,
        inputs: CLIENTS,
        // The identity provider is one of the packages of the journeys.
        needs: &[Need::Npm(clients::NODE), E2E],
        run: node_clients,
    },
    Check {
        name: "launcher",
        title: "the packed launcher of npm, with the program of this run",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PROGRAM,
        needs: &[],
        run: launcher,
    },
    Check {
        name: "packages",
        title: "the installer, and the Debian package where dpkg and systemd are installed, with the program of this run",
        lane: Lane::Others,
        form: Form::Always,
        inputs: PROGRAM,
        needs: &[],
        run: packages,
    },
    Check {
        name: "kafka",
        title: "the plugin in the newest Apache Kafka, in a cluster and in the console, where Java and Maven are installed",
        lane: Lane::Others,
        form: Form::Always,
        inputs: KAFKA,
        needs: &[Need::Jars, Need::Browser, E2E],
        run: kafka_plugin,
    },
    Check {
        name: "e2e",
        title: "a user's journeys in Chromium, on the console that `up` builds",
        lane: Lane::Others,
        form: Form::Always,
        inputs: ALL,
        needs: &[Need::Browser, E2E],
        run: e2e,
    },
    Check {
        name: "trunk",
        title: "Trunk builds the same page, where it is installed",
        lane: Lane::Others,
        form: Form::Always,
        inputs: CONSOLE,
        needs: &[],
        run: trunk_page,
    },
    Check {
        name: "clients-go",
        title: "clients in Go that are generated from the platform's services, where Go is installed",
        lane: Lane::Others,
        form: Form::Long(&["tests/clients/go", "server/proto"]),
        inputs: CLIENTS,
        needs: &[],
        run: go_clients,
    },
    Check {
        name: "openapi",
        title: "requests from the description of the HTTP API, right and wrong ones, where Python is installed",
        lane: Lane::Others,
        form: Form::Long(&["docs/openapi.json", "tests/openapi"]),
        inputs: OPENAPI,
        needs: &[],
        run: http_api,
    },
    Check {
        name: "kafka-long",
        title: "the plugin and the client in older versions of Apache Kafka, upgrades, failures and librdkafka",
        lane: Lane::Others,
        form: Form::Long(&["kafka", "tests/kafka"]),
        inputs: KAFKA,
        needs: &[Need::Jars, Need::Browser, E2E],
        run: kafka_long,
    },
    Check {
        name: "e2e-long",
        title: "every page and journey, and all of them on the published console, with a real identity provider",
        lane: Lane::Others,
        form: Form::Long(&["tests/e2e/long"]),
        inputs: ALL,
        needs: &[Need::Browser, Need::Glewlwyd, E2E],
        run: e2e_long,
    },
];

fn fmt(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root)
        .args(["fmt", "--all", "--", "--check", "-l", "--color", "never"]);
    let mut report = context.run_once(check.name, call)?;
    report.problem = report
        .problem
        .map(|problem| problem.hint("`cargo fmt --all` formats these files"));
    Ok(report)
}

/// The crates that run in a page are linted for it alone.
fn clippy(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root)
        .args([
            "clippy",
            "--workspace",
            "--exclude",
            "gbac-wasm",
            "--exclude",
            "gbac-console",
            "--exclude",
            "gbac-claim-doctor",
        ])
        .args([
            "--features",
            FEATURES,
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]);
    context.run_once(check.name, call)
}

/// Lints the crates that run in a page and the engine, in the profile and with the flags of the
/// console's build, so that their macros compile once.
fn clippy_wasm(context: &Context<'_>, check: &Check) -> Result<Report> {
    let call = cargo(&context.workspace.root)
        .args([
            "clippy",
            "--target",
            WASM_TARGET,
            "--profile",
            Build::Development.profile(),
        ])
        .args([
            "--package",
            "gbac-wasm",
            "--package",
            "gbac-console",
            "--package",
            "gbac-claim-doctor",
            "--all-targets",
            "--all-features",
        ])
        .args(["--", "-D", "warnings"]);
    context.run_once(check.name, Build::Development.prepare(call))
}

fn dependencies(context: &Context<'_>, check: &Check) -> Result<Report> {
    match deny::call(context.workspace) {
        Ok(call) => context.run_once(check.name, call),
        Err(missing) => {
            context.progress.print(&missing);
            Ok(Report::default())
        }
    }
}

fn rust_tests(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.programs()?;
    // First, because the log of a check is that of its last program.
    let watch = cargo(&context.workspace.root).args(["test", "--package", "xtask-watch"]);
    let mut report = context.tests(check.name, Runner::Cargo, watch)?;
    let all = native(context.workspace, "test").args(["--no-fail-fast"]);
    report.add(context.tests(check.name, Runner::Cargo, all)?);
    Ok(report)
}

/// Tests the libraries and the command line, without tests that start Unix programs or need Node or
/// a browser.
fn portable(context: &Context<'_>, check: &Check) -> Result<Report> {
    let others = [
        "gbac-bench",
        "gbac-claim-doctor",
        "gbac-console",
        "gbac-server",
        "gbac-tests",
        "gbac-wasm",
        "xtask-bind",
        "xtask-watch",
    ];
    let call = cargo(&context.workspace.root)
        .args(["test", "--workspace", "--no-fail-fast"])
        .args(
            others
                .into_iter()
                .flat_map(|package| ["--exclude", package]),
        );
    context.tests(check.name, Runner::Cargo, call)
}

fn js(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    context.programs()?;
    context.node_tests(check.name, "www/test", |call| call)
}

fn launcher(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.programs()?;
    context.node_tests(check.name, "npm/test", |call| call)
}

/// Tests the Debian package, where dpkg and systemd are installed, and the installer.
fn packages(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.programs()?;
    context.node_tests(check.name, "packaging/test", |call| call)
}

fn abi(context: &Context<'_>, check: &Check) -> Result<Report> {
    let prepared = build_abi::prepare(context.workspace, context.progress)?;
    context.node_tests(check.name, "tests/abi", |call| prepared.set(call))
}

/// The Java of the plugin's tests. Where it is missing, one line says so; hosted workflows have it.
fn java(context: &Context<'_>) -> Result<Option<build_kafka::Java>> {
    match build_kafka::Java::find() {
        Ok(java) => Ok(Some(java)),
        Err(missing) if env::var_os("CI").is_some() => Err(missing),
        Err(missing) => {
            context.progress.print(missing.message());
            Ok(None)
        }
    }
}

/// Tests the plugin with the newest Kafka, and in a cluster.
fn kafka_plugin(context: &Context<'_>, check: &Check) -> Result<Report> {
    let Some(java) = java(context)? else {
        return Ok(Report::default());
    };
    let mut report = plugin_tests(context, check, &java, &[build_kafka::NEWEST])?;
    let cluster = Cluster::prepare(context.workspace, context.progress, &java)?;
    if report.problem.is_none() {
        report.add(cluster_tests(context, check, &cluster, "tests/kafka")?);
    }
    Ok(report)
}

/// What runs in a cluster of the oldest version, too.
const OLDEST: [&str; 2] = ["administration.test.mjs", "strimzi.test.mjs"];

/// Tests the plugin with every other version of Kafka, in clusters that fail and are upgraded, and in
/// clusters of the oldest version.
fn kafka_long(context: &Context<'_>, check: &Check) -> Result<Report> {
    let Some(java) = java(context)? else {
        return Ok(Report::default());
    };
    let mut report = plugin_tests(context, check, &java, &build_kafka::OLDER)?;
    let cluster = Cluster::prepare(context.workspace, context.progress, &java)?;
    let cluster = cluster.with_librdkafka(context.workspace, context.progress)?;
    if report.problem.is_none() {
        report.add(cluster_tests(context, check, &cluster, "tests/kafka/long")?);
    }
    if report.problem.is_none() {
        let oldest = build_kafka::OLDER[0];
        context
            .progress
            .print(&format!("a cluster with Kafka {oldest}"));
        let cluster = Cluster::of_version(context.workspace, context.progress, &java, oldest)?;
        let folder = context.workspace.root.join("tests/kafka");
        let files = OLDEST.map(|file| folder.join(file)).to_vec();
        report.add(context.node_files(check.name, files, |call| {
            cluster.set(call).args(["--test-concurrency=1"])
        })?);
    }
    Ok(report)
}

fn plugin_tests(
    context: &Context<'_>,
    check: &Check,
    java: &build_kafka::Java,
    versions: &[&'static str],
) -> Result<Report> {
    let mut report = Report::default();
    for (version, call) in build_kafka::tests(context.workspace, context.progress, java, versions)?
    {
        context.progress.print(&format!("with Kafka {version}"));
        report.add(context.tests(check.name, Runner::Maven, call)?);
        if report.problem.is_some() {
            break;
        }
    }
    Ok(report)
}

fn cluster_tests(
    context: &Context<'_>,
    check: &Check,
    cluster: &Cluster,
    folder: &str,
) -> Result<Report> {
    context.console()?;
    context.programs()?;
    let browser = context.browser()?;
    context.progress.print(&format!("a cluster: {folder}"));
    // One cluster at a time.
    context.node_tests(check.name, folder, |call| {
        cluster
            .set(call)
            .env("GBAC_CHROMIUM", &browser.chromium)
            .env("GBAC_CONSOLE", context.workspace.root.join("dist"))
            .args(["--test-concurrency=1"])
    })
}

fn node_clients(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.programs()?;
    context.node_tests(check.name, clients::NODE, |call| call)
}

/// Where Go is missing, one line says so; hosted workflows have it.
fn go_clients(context: &Context<'_>, check: &Check) -> Result<Report> {
    match Go::find(context.workspace) {
        Ok(go) => {
            context.programs()?;
            context.tests(check.name, Runner::Go, go.tests())
        }
        Err(missing) if env::var_os("CI").is_some() => Err(missing),
        Err(missing) => {
            context.progress.print(missing.message());
            Ok(Report::default())
        }
    }
}

fn http_api(context: &Context<'_>, check: &Check) -> Result<Report> {
    let Some(python) = openapi::python(context.workspace, context.progress)? else {
        return Ok(Report::default());
    };
    context.programs()?;
    context.node_tests(check.name, "tests/openapi", |call| {
        call.env("GBAC_OPENAPI_PYTHON", &python)
    })
}

/// Tests that the package, the command line and a service give equal results.
fn agreement(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.js()?;
    context.programs()?;
    context.node_tests(check.name, "tests/agreement", |call| call)
}

/// Tests the packed package, installed in a folder outside of the repository.
fn package(context: &Context<'_>, check: &Check) -> Result<Report> {
    packed(context, check, "www/test/homes")
}

/// Tests the packed package, installed in an empty folder for each toolchain.
fn matrix(context: &Context<'_>, check: &Check) -> Result<Report> {
    packed(context, check, "www/matrix")
}

fn packed(context: &Context<'_>, check: &Check, folder: &str) -> Result<Report> {
    context.js()?;
    let browser = context.browser()?;
    context.node_tests(check.name, folder, |call| {
        call.env("GBAC_CHROMIUM", &browser.chromium)
    })
}

fn size(context: &Context<'_>, _: &Check) -> Result<Report> {
    let sizes = context.js()?;
    context.progress.print(&download_size::table(&sizes));
    download_size::check(context.workspace, &sizes)?;
    Ok(Report::default())
}

/// Runs the tests for the browser, by convention each crate's `tests/browser.rs`.
fn browser_wasm(context: &Context<'_>, check: &Check) -> Result<Report> {
    let root = &context.workspace.root;
    let browser = context.browser()?;
    let binder = context.binder()?;
    let runner = root.join("xtask/tools/browser-tests.mjs");
    let mut call = cargo(root)
        .args([
            "test",
            "--target",
            WASM_TARGET,
            "--profile",
            Build::Development.profile(),
        ])
        .args([
            "--config",
            &format!(
                "target.{WASM_TARGET}.runner=['node', '{}']",
                runner.display()
            ),
        ]);
    for (folder, package) in [("engine/wasm", "gbac-wasm"), ("console", "gbac-console")] {
        if root.join(folder).join("tests/browser.rs").is_file() {
            call = call.args(["--package", package]);
        }
    }
    // Not that of the console's splitter, with which everything would compile again.
    call = call.args(["--features", "gbac-wasm/verify,gbac-wasm/analyze"]);
    let call = Build::Development
        .prepare(call.args(["--test", "browser", "--no-fail-fast"]))
        .env("GBAC_BIND", &binder.program)
        .env("GBAC_CHROMIUM", &browser.chromium);
    context.tests(check.name, Runner::Cargo, call)
}

/// Compares the pages of `up` and `trunk build`, file by file.
fn trunk_page(context: &Context<'_>, check: &Check) -> Result<Report> {
    let trunk = match Trunk::find(context.workspace) {
        Ok(trunk) => trunk,
        Err(missing) => {
            context.progress.print(&missing);
            return Ok(Report::default());
        }
    };
    context.console()?;
    context
        .logged(check.name, trunk.build(context.workspace))?
        .into_result()?;
    trunk::compare(context.workspace)?;
    Ok(Report::default())
}

fn e2e(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.console()?;
    journeys(context, check, &[])
}

/// Runs the journeys of the long form alone, and all of them on the published console.
fn e2e_long(context: &Context<'_>, check: &Check) -> Result<Report> {
    context.console()?;
    let mut options = site::Options {
        console: site::Console::Omitted,
        repository: None,
    };
    site::build(context.workspace, context.progress, &options)?;
    let mut report = journeys(
        context,
        check,
        &node_tests::files(&context.workspace.root, "tests/e2e/long")?,
    )?;
    if report.problem.is_none() {
        console::publish(context.workspace, context.progress, context.binder()?)?;
        options.console = site::Console::default();
        site::build(context.workspace, context.progress, &options)?;
        report.add(journeys(context, check, &["--long".into()])?);
    }
    Ok(report)
}

/// Runs journeys on the console in `dist/`: those of the ordinary run, or these files.
fn journeys(context: &Context<'_>, check: &Check, files: &[PathBuf]) -> Result<Report> {
    context.programs()?;
    let browser = context.browser()?;
    let root = &context.workspace.root;
    let call = tools::node(root)?
        .args(["tests/e2e/run.mjs", "--test-reporter=spec"])
        .args(files);
    let call = call
        .env("GBAC_CHROMIUM", &browser.chromium)
        .env("GBAC_CONSOLE", root.join("dist"));
    context.tests(check.name, Runner::Node, call)
}

/// Runs each target on inputs from the vectors and from earlier runs; libFuzzer reports the failing
/// input.
fn fuzz(context: &Context<'_>, check: &Check) -> Result<Report> {
    let mut report = Report::default();
    for target in fuzz::TARGETS {
        let call = fuzz::call(context.workspace, target);
        match context.logged(check.name, call)?.into_result() {
            Ok(lines) => {
                let units = lines
                    .iter()
                    .find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
                let units = units.unwrap_or("?").trim();
                context
                    .progress
                    .print(&format!("{target}: {units} inputs in {} s", fuzz::SECONDS));
                report.tally.passed += 1;
            }
            Err(problem) => {
                let hint = format!(
                    "the input is in target/fuzz; `cargo run --release --bin {target} FILE` in fuzz/"
                );
                report.tally.failed += 1;
                report.problem = Some(problem.hint(hint));
                break;
            }
        }
    }
    Ok(report)
}
