//! The console: compiled by cargo, bundled into `dist/` by Trunk, and left alone when nothing changed.

use crate::fingerprint::Fingerprint;
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::Progress;
use crate::remap;
use crate::split::split;
use crate::tools::{SHRINK, TRUNK, WASM_BINDGEN, WASM_SPLIT, WASM_TARGET, WasmOpt};
use crate::workspace::Workspace;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Everything that decides what the console's build gives.
const INPUTS: [&str; 9] = [
    "console",
    "engine/src",
    "engine/Cargo.toml",
    "api/src",
    "api/Cargo.toml",
    "Cargo.toml",
    "Cargo.lock",
    "Trunk.toml",
    "rust-toolchain.toml",
];

/// How the console is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Soon ready, for `up` and the browser tests.
    Development,
    /// Small, for what is published: whole-program optimisation, then wasm-opt.
    Release,
}

const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
/// Leptos then joins the views of components by dynamic types, not by one type of all of them: the same page, compiled in
/// half the time (measured for the console's own crate: 79 s to 45 s of one core), and a sixth smaller.
const ERASED: &str = "--cfg erase_components";
/// The splitter follows what the linker knew, and what cargo would otherwise have stripped.
const ERASED_AND_LINKED: [&str; 3] = ["--cfg", "erase_components", "-Clink-args=--emit-relocs"];
const KEPT: (&str, &str) = ("CARGO_PROFILE_WASM_STRIP", "none");
/// Pages in files of their own.
const SPLIT: [&str; 2] = ["--features", "split"];

/// The programs that bundle the console.
pub(crate) struct Bundler {
    pub(crate) trunk: PathBuf,
    pub(crate) wasm_bindgen: PathBuf,
    /// Only a release build calls it.
    pub(crate) wasm_opt: Option<WasmOpt>,
    /// Only a release build calls it.
    pub(crate) wasm_split: Option<PathBuf>,
}

impl Build {
    /// The cargo profile in the top-level Cargo.toml.
    pub(crate) fn profile(self) -> &'static str {
        match self {
            Self::Development => "console",
            Self::Release => "wasm",
        }
    }

    /// A call of cargo, or of what calls it, for this build.
    fn prepare(self, call: Call) -> Call {
        match self {
            Self::Development => call.env(FLAGS, ERASED),
            Self::Release => {
                call.env(remap::VARIABLE, remap::flags(&ERASED_AND_LINKED)).env(KEPT.0, KEPT.1).args(SPLIT)
            }
        }
    }
}

/// Whether `dist/` is what this build would make again.
pub(crate) fn is_fresh(workspace: &Workspace, build: Build) -> bool {
    let noted = fs::read_to_string(note(workspace));
    let state = || Ok::<_, io::Error>(inputs(workspace, build)? + &outputs(workspace)?);
    noted.is_ok_and(|noted| state().is_ok_and(|state| noted == state))
}

/// Compiles the console without bundling it, which needs no tool but rustc.
pub(crate) fn compile(workspace: &Workspace, progress: &Progress, build: Build) -> Result<()> {
    let step = progress.slow("console", "compiling");
    let call = cargo(&workspace.root).args([
        "build",
        "--package",
        "gbac-console",
        "--target",
        WASM_TARGET,
        "--profile",
        build.profile(),
    ]);
    match build.prepare(call).succeed(Some(&step)) {
        Ok(_) => {
            step.done("compiled");
            Ok(())
        }
        Err(problem) => {
            step.failed();
            Err(problem)
        }
    }
}

/// Bundles the compiled console into `dist/`. Trunk finds its tools on `PATH` and is kept from the network.
pub(crate) fn bundle(workspace: &Workspace, progress: &Progress, build: Build, tools: &Bundler) -> Result<()> {
    let step = progress.slow("trunk build", "console/ into dist/");
    // Before it is read: what is changed meanwhile may not be in it.
    let inputs = inputs(workspace, build);
    let mut folders: Vec<PathBuf> = Vec::new();
    folders.extend(tools.wasm_bindgen.parent().map(Path::to_owned));
    let call = Call::new(&tools.trunk, &workspace.root)
        .args(["build", "--offline", "--skip-version-check", "--color", "never"])
        .args(["--cargo-profile", build.profile()])
        .env("CARGO_TERM_COLOR", "never")
        // Trunk reads NO_COLOR as a word that must be `true` or `false`, and RUST_LOG as its own verbosity.
        .without_env("NO_COLOR")
        .without_env("RUST_LOG");
    let bundled = build.prepare(call).path(&folders).succeed(Some(&step)).and_then(|_| {
        // Trunk is not told that this is a release: it would shrink the one file that is replaced here.
        if build == Build::Release {
            split(workspace, tools, build.profile(), &step)?;
        }
        remember(workspace, inputs)
    });
    match bundled {
        Ok(()) => {
            step.done("dist/ is ready");
            Ok(())
        }
        Err(problem) => {
            step.failed();
            Err(problem)
        }
    }
}

/// Notes what went in and what came out.
fn remember(workspace: &Workspace, inputs: io::Result<String>) -> Result<()> {
    let file = note(workspace);
    let write = || {
        fs::create_dir_all(workspace.notes())?;
        fs::write(&file, inputs? + &outputs(workspace)?)
    };
    write().map_err(|error| Problem::new(format!("cannot write `{}`: {error}", file.display())))
}

fn note(workspace: &Workspace) -> PathBuf {
    workspace.notes().join("console")
}

/// What goes in.
fn inputs(workspace: &Workspace, build: Build) -> io::Result<String> {
    let mut inputs = Fingerprint::new().word(build.profile()).word(TRUNK).word(WASM_BINDGEN);
    if build == Build::Release {
        inputs = inputs.word(WASM_SPLIT).word(&SHRINK.join(" ")).word(&ERASED_AND_LINKED.join(" "));
    }
    for input in INPUTS {
        inputs = inputs.path(&workspace.root, input)?;
    }
    Ok(inputs.finish() + " ")
}

/// What is in `dist/`: when somebody else wrote there, the build is not fresh either.
fn outputs(workspace: &Workspace) -> io::Result<String> {
    let dist = workspace.root.join("dist");
    let outputs = Fingerprint::new().path(&dist, ".")?;
    let built = dist.join("index.html").is_file();
    Ok(format!("{} {built}\n", outputs.finish()))
}
