//! Builds the wasm modules of the JavaScript package into `www/pkg`, and measures them.

use crate::bind::{Binder, NO_ADDRESS, RESET_STATE, Speed, TYPES};
use crate::download_size::{self, ENGINE, Size};
use crate::fingerprint::Fingerprint;
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::{Progress, Step, say};
use crate::remap;
use crate::tools::{self, SHRINK, WASM_BINDGEN, WASM_TARGET, WasmOpt};
use crate::workspace::Workspace;
use std::fs;
use std::io;
use std::path::PathBuf;

/// The folder of the modules, relative to the top folder.
const FOLDER: &str = "www/pkg";

/// The generated declarations of the JavaScript package, relative to the top folder.
const DECLARATIONS: &str = "www/types.d.ts";
/// The generated schema of the command line, relative to the top folder.
const SCHEMA: &str = "docs/command-line.schema.json";

/// Everything that determines the modules.
const INPUTS: [&str; 15] = [
    "engine/src",
    "engine/Cargo.toml",
    "engine/analysis/src",
    "engine/analysis/Cargo.toml",
    "engine/json/src",
    "engine/json/Cargo.toml",
    "engine/wasm/src",
    "engine/wasm/Cargo.toml",
    SEAL,
    "www/lib/embedded.js",
    "www/tools/text.mjs",
    "www/package.json",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// Disables an optimization of loops for machines with fewer addressing modes than WebAssembly,
/// which would make the module a kilobyte larger after brotli and no faster.
const COMPILE: [&str; 1] = ["-Cllvm-args=-disable-lsr"];

/// A failed module is restarted; without the second flag, its script would keep using the failed
/// instance. The package itself contains the location of the modules.
const BIND: [&str; 3] = [TYPES, RESET_STATE, NO_ADDRESS];

/// Completes a bound module with its ID and its copy as a script.
const SEAL: &str = "www/tools/seal.mjs";

/// The modules of the package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Module {
    /// Decides, and decodes tokens without verifying signatures.
    Engine,
    /// The same with signature verification.
    EngineVerify,
    /// The first one with the analysis of whole policies.
    EngineAnalyze,
}

impl Module {
    /// The name of its files.
    fn name(self) -> &'static str {
        match self {
            Self::Engine => "gbac_engine",
            Self::EngineVerify => "gbac_engine_verify",
            Self::EngineAnalyze => "gbac_engine_analyze",
        }
    }

    /// Its wasm file.
    pub(crate) fn wasm(self, workspace: &Workspace) -> PathBuf {
        workspace
            .root
            .join(FOLDER)
            .join(format!("{}_bg.wasm", self.name()))
    }

    /// The name in the tables of sizes.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Engine => ENGINE,
            Self::EngineVerify => "engine, with `verify`",
            Self::EngineAnalyze => "engine, with `analyze`",
        }
    }

    /// The feature of the binding crate that it is built with.
    fn feature(self) -> Option<&'static str> {
        match self {
            Self::Engine => None,
            Self::EngineVerify => Some("verify"),
            Self::EngineAnalyze => Some("analyze"),
        }
    }
}

/// All modules.
const MODULES: [Module; 3] = [Module::Engine, Module::EngineVerify, Module::EngineAnalyze];

/// `cargo xtask build-js`.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let binder = Binder::build(workspace, &progress, Speed::Compile)?;
    let wasm_opt = tools::wasm_opt(workspace, &progress)?;
    let sizes = build(workspace, &progress, &binder, &wasm_opt)?;
    say(&format!("\n{}", download_size::table(&sizes)));
    download_size::check(workspace, &sizes)
}

/// `cargo xtask types`: writes the declarations and the schema that the Rust types of the JSON
/// generate.
pub(crate) fn types(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    let step = progress.slow("types", DECLARATIONS);
    cargo(&workspace.root)
        .args([
            "run",
            "--package",
            "gbac-json",
            "--features",
            "typescript",
            "--example",
            "typescript",
        ])
        .args(["--", DECLARATIONS])
        .succeed(Some(&step))?;
    step.done(DECLARATIONS);
    let step = progress.slow("types", SCHEMA);
    let [_, schema] = types_tests(workspace);
    // The types of the command line are private, so only its own tests see them.
    let lines = schema.env("GBAC_WRITE_SCHEMA", "1").succeed(Some(&step))?;
    if !lines.iter().any(|line| line.ends_with(" ... ok")) {
        return Err(Problem::new(format!("no test wrote {SCHEMA}")));
    }
    step.done(SCHEMA);
    Ok(())
}

/// The tests that compare the declarations and the schema with the types. With `GBAC_WRITE_SCHEMA`,
/// the latter writes it.
pub(crate) fn types_tests(workspace: &Workspace) -> [Call; 2] {
    let test = |package, feature| {
        cargo(&workspace.root).args(["test", "--package", package, "--features", feature])
    };
    [
        test("gbac-json", "typescript").args(["--test", "typescript"]),
        test("gbac", "schema").args(["--lib", "schema::"]),
    ]
}

/// Builds every module and measures it.
pub(crate) fn build(
    workspace: &Workspace,
    progress: &Progress,
    binder: &Binder,
    wasm_opt: &WasmOpt,
) -> Result<Vec<Size>> {
    let mut files = Vec::new();
    for module in MODULES {
        let step = progress.slow("build-js", module.title());
        let state = build_module(workspace, module, binder, wasm_opt, &step)?;
        step.done(&format!("{}: {state}", module.title()));
        files.push((module.title().to_owned(), module.wasm(workspace)));
    }
    download_size::measure(workspace, &files)
}

fn build_module(
    workspace: &Workspace,
    module: Module,
    binder: &Binder,
    wasm_opt: &WasmOpt,
    step: &Step<'_>,
) -> Result<&'static str> {
    let note = workspace.notes().join(module.name());
    // Computed before the build reads the files, because the module may not contain later changes.
    let failed = |error| {
        Problem::new(format!(
            "cannot note what the JavaScript package is built from: {error}"
        ))
    };
    let inputs = inputs(workspace, wasm_opt).map_err(failed)?;
    let state = || Ok::<_, io::Error>(inputs.clone() + &outputs(workspace, module)?);
    if fs::read_to_string(&note).is_ok_and(|noted| state().is_ok_and(|state| noted == state)) {
        return Ok("unchanged");
    }
    // Only the cdylib: with the rlib that the crate's tests need, cargo skips link-time
    // optimization, and the module grows by a tenth.
    let mut call = cargo(&workspace.root)
        .env(remap::VARIABLE, remap::flags(&[]))
        .args([
            "rustc",
            "--package",
            "gbac-wasm",
            "--lib",
            "--crate-type",
            "cdylib",
        ])
        .args(["--target", WASM_TARGET, "--profile", "wasm"]);
    if let Some(feature) = module.feature() {
        call = call.args(["--features", feature]);
    }
    call.args(["--"]).args(COMPILE).succeed(Some(step))?;

    let compiled = workspace
        .target
        .join(WASM_TARGET)
        .join("wasm/gbac_wasm.wasm");
    binder.bind(
        workspace,
        (&compiled, &workspace.root.join(FOLDER), module.name()),
        &BIND,
        step,
    )?;
    wasm_opt.shrink(workspace, &module.wasm(workspace), step)?;
    tools::node(&workspace.root)?
        .args([SEAL, module.name()])
        .succeed(Some(step))?;
    let noted = || {
        fs::create_dir_all(workspace.notes())?;
        fs::write(&note, state()?)
    };
    noted().map_err(failed)?;
    Ok("built")
}

/// The fingerprint of the inputs.
fn inputs(workspace: &Workspace, wasm_opt: &WasmOpt) -> io::Result<String> {
    let mut inputs = Fingerprint::new()
        .word(WASM_BINDGEN)
        .word(&wasm_opt.version.to_string())
        .word(&COMPILE.join(" "))
        .word(&BIND.join(" "))
        .word(&SHRINK.join(" "));
    for input in INPUTS {
        inputs = inputs.path(&workspace.root, input)?;
    }
    Ok(inputs.finish() + " ")
}

/// The fingerprint of the module's files in the folder.
fn outputs(workspace: &Workspace, module: Module) -> io::Result<String> {
    let mut outputs = Fingerprint::new();
    for ending in [
        ".js",
        "_bg.wasm",
        "_id.js",
        "_inline.js",
        ".d.ts",
        "_bg.wasm.d.ts",
    ] {
        outputs = outputs.path(
            &workspace.root,
            &format!("{FOLDER}/{}{ending}", module.name()),
        )?;
    }
    Ok(outputs.finish())
}
