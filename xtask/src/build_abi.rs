//! Builds the plain WebAssembly module into `target/abi`, and tests it from the languages that are
//! installed.

use crate::problem::{Problem, Result};
use crate::process::{Call, cargo, find};
use crate::progress::{Progress, Step, say};
use crate::remap;
use crate::tools::{self, WASM_TARGET};
use crate::workspace::Workspace;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The file of the module.
const MODULE: &str = "gbac_abi.wasm";

/// The profile that it is built with.
const PROFILE: &str = "plain";

/// What the linker is asked for: addresses below 2 GiB, which are positive numbers in every
/// language, and a stack of five times what the deepest JSON and regular expression need, in place
/// of a megabyte in each instance.
const COMPILE: [&str; 2] = [
    "-Clink-arg=--max-memory=2147418112",
    "-Clink-arg=-zstack-size=262144",
];

/// What calls the module from Python, in the version of the runtime that the tests were written
/// for.
const RUNTIME: &str = "wasmtime==50.0.1";

/// `cargo xtask build-abi`.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let module = build(workspace, &progress)?;
    let bytes = fs::metadata(&module)
        .map_err(|error| failed(&module, &error))?
        .len();
    say(&format!("{}: {bytes} bytes", module.display()));
    Ok(())
}

/// Builds the module; returns its file.
pub(crate) fn build(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    let step = progress.slow("build-abi", MODULE);
    let module = compile(workspace, &step)?;
    step.done(MODULE);
    Ok(module)
}

fn compile(workspace: &Workspace, step: &Step<'_>) -> Result<PathBuf> {
    // Only the cdylib: beside an rlib, cargo leaves link-time optimization out.
    cargo(&workspace.root)
        .env(remap::VARIABLE, remap::flags(&[]))
        .args([
            "rustc",
            "--package",
            "gbac-abi",
            "--lib",
            "--crate-type",
            "cdylib",
        ])
        .args(["--target", WASM_TARGET, "--profile", PROFILE, "--"])
        .args(COMPILE)
        .succeed(Some(step))?;
    let compiled = workspace
        .target
        .join(WASM_TARGET)
        .join(PROFILE)
        .join(MODULE);
    let folder = workspace.target.join("abi");
    let module = folder.join(MODULE);
    fs::create_dir_all(&folder)
        .and_then(|()| fs::copy(&compiled, &module))
        .map_err(|error| failed(&module, &error))?;
    Ok(module)
}

/// What the tests need.
pub(crate) struct Prepared {
    module: PathBuf,
    python: Option<PathBuf>,
}

impl Prepared {
    /// Names it for a program.
    pub(crate) fn set(&self, call: Call) -> Call {
        let call = call.env("GBAC_ABI", &self.module);
        self.python
            .iter()
            .fold(call, |call, python| call.env("GBAC_ABI_PYTHON", python))
    }
}

/// Builds the module, and an environment for Python. Where Python is missing, one line says so;
/// hosted workflows have it.
pub(crate) fn prepare(workspace: &Workspace, progress: &Progress) -> Result<Prepared> {
    let module = build(workspace, progress)?;
    let python = find("python3")
        .map(|python| environment(workspace, progress, &python, RUNTIME, "wasmtime"))
        .transpose()?;
    if python.is_none() {
        let missing = "python3 is not installed, so the WebAssembly ABI is not called from Python";
        if env::var_os("CI").is_some() {
            return Err(Problem::new(missing));
        }
        progress.print(missing);
    }
    Ok(Prepared { module, python })
}

/// The Python of a virtual environment with a package, such as `name==1.0`, that has this module.
pub(crate) fn environment(
    workspace: &Workspace,
    progress: &Progress,
    python: &Path,
    package: &str,
    module: &str,
) -> Result<PathBuf> {
    let folder = workspace
        .cache
        .join(format!("python-{}", package.replace("==", "-")));
    let own = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let import = format!("import {module}");
    let has_module = || {
        own.is_file()
            && Call::new(&own, &workspace.root)
                .args(["-c", &import])
                .succeed(None)
                .is_ok()
    };
    if !has_module() {
        let step = progress.slow("python", package);
        Call::new(python, &workspace.root)
            .args(["-m", "venv"])
            .args([&folder])
            .succeed(Some(&step))?;
        let install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            package,
        ];
        Call::new(&own, &workspace.root)
            .args(install)
            .succeed(Some(&step))?;
        step.done(package);
    }
    Ok(own)
}

fn failed(module: &Path, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot write `{}`: {error}", module.display()))
}
