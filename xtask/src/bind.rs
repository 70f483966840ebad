//! Compiles `xtask-bind`, which binds wasm to JavaScript, at its first use.

use crate::problem::Result;
use crate::process::{Call, cargo};
use crate::progress::{Progress, Step};
use crate::tools::WasmOpt;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// The name of the package and of its program.
const PACKAGE: &str = "xtask-bind";

/// Writes type declarations too.
pub(crate) const TYPES: &str = "--types";
/// Makes the script able to restart the module.
pub(crate) const RESET_STATE: &str = "--reset-state";
/// Omits the URL of the wasm file from the script.
pub(crate) const NO_ADDRESS: &str = "--no-address";
/// Writes a script that is no module, because pages that are opened from a file load no modules.
pub(crate) const NO_MODULES: &str = "--no-modules";
/// Keeps the exports that the splitter needs.
pub(crate) const KEEP_LLD_EXPORTS: &str = "--keep-lld-exports";

/// The crates that read and write the whole module. Optimizing them takes a minute of CPU time
/// more, and then binding takes a quarter of the time, which pays off only if a person waits for
/// every edit.
const OPTIMIZED: [&str; 7] = [
    "walrus",
    "wasmparser",
    "wasm-bindgen-cli-support",
    "wasm-encoder",
    "hashbrown",
    "id-arena",
    "leb128fmt",
];

/// The optimization of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speed {
    /// Fast to compile, for a few runs.
    Compile,
    /// Fast to run, for many runs.
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
    /// Only for release builds.
    pub(crate) wasm_opt: Option<WasmOpt>,
    /// Only for release builds.
    pub(crate) wasm_split: Option<PathBuf>,
}

impl Binder {
    /// Compiles the program if necessary.
    pub(crate) fn build(workspace: &Workspace, progress: &Progress, speed: Speed) -> Result<Self> {
        let mut call = cargo(&workspace.root).args(["build", "--package", PACKAGE]);
        if speed == Speed::Bind {
            for package in OPTIMIZED {
                call = call.args([
                    "--config",
                    &format!("profile.dev.package.{package}.opt-level=3"),
                ]);
            }
        }
        call.step(progress, PACKAGE, "compiling", "compiled")?;
        Ok(Self::compiled(workspace))
    }

    /// The program, which an earlier call has compiled.
    pub(crate) fn compiled(workspace: &Workspace) -> Self {
        Self {
            program: workspace
                .target
                .join("debug")
                .join(format!("{PACKAGE}{EXE_SUFFIX}")),
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
