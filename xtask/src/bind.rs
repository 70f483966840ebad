//! Compiles `xtask-bind`, which binds wasm to JavaScript, when it is first needed.

use crate::problem::Result;
use crate::process::{Call, cargo};
use crate::progress::{Progress, Step};
use crate::tools::WasmOpt;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// The package, and the program in it.
const PACKAGE: &str = "xtask-bind";

/// Writes type declarations too.
pub(crate) const TYPES: &str = "--types";
/// Has the script start the module again.
pub(crate) const RESET_STATE: &str = "--reset-state";
/// Leaves the address of the wasm file out of the script.
pub(crate) const NO_ADDRESS: &str = "--no-address";
/// Keeps what the splitter looks for.
pub(crate) const KEEP_LLD_EXPORTS: &str = "--keep-lld-exports";

/// What reads and writes the whole module. Optimized it takes 20 CPU seconds more to compile, and binds the console in a third of
/// the time: worth it only where somebody waits for every edit.
const OPTIMIZED: [&str; 3] = ["walrus", "wasmparser", "wasm-bindgen-cli-support"];

/// How the program is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speed {
    /// Soon there, to bind a few times.
    Compile,
    /// Fast, to bind again and again.
    Bind,
}

/// The compiled program.
#[derive(Debug, Clone)]
pub(crate) struct Binder {
    pub(crate) program: PathBuf,
}

/// The programs that bundle the console.
pub(crate) struct Bundler {
    pub(crate) binder: Binder,
    /// Only a release build calls it.
    pub(crate) wasm_opt: Option<WasmOpt>,
    /// Only a release build calls it.
    pub(crate) wasm_split: Option<PathBuf>,
}

impl Binder {
    /// Compiles the program, or finds it compiled.
    pub(crate) fn build(workspace: &Workspace, progress: &Progress, speed: Speed) -> Result<Self> {
        let step = progress.slow(PACKAGE, "compiling");
        let mut call = cargo(&workspace.root).args(["build", "--package", PACKAGE]);
        if speed == Speed::Bind {
            for package in OPTIMIZED {
                call = call.args(["--config", &format!("profile.dev.package.{package}.opt-level=1")]);
            }
        }
        match call.succeed(Some(&step)) {
            Ok(_) => {
                step.done("compiled");
                Ok(Self { program: workspace.target.join("debug").join(format!("{PACKAGE}{EXE_SUFFIX}")) })
            }
            Err(problem) => {
                step.failed();
                Err(problem)
            }
        }
    }

    /// Writes `NAME.js` and `NAME_bg.wasm` of a compiled module into a folder.
    pub(crate) fn bind(
        &self,
        workspace: &Workspace,
        (input, folder, name): (&Path, &Path, &str),
        flags: &[&str],
        step: &Step<'_>,
    ) -> Result<()> {
        Call::new(&self.program, &workspace.root)
            .args([input, folder])
            .args([name])
            .args(flags)
            .succeed(Some(step))
            .map(drop)
    }
}
