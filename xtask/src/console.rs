//! Builds the console into `dist/`, unless its inputs are unchanged.

use crate::bind::{Binder, Bundler};
use crate::fingerprint::Fingerprint;
use crate::guard::Guard;
use crate::page::{self, NAME, Names, Program};
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo};
use crate::progress::{Progress, Step};
use crate::remap;
use crate::split::split;
use crate::tools::{self, SHRINK, WASM_BINDGEN, WASM_SPLIT, WASM_TARGET};
use crate::workspace::Workspace;
use std::fs;
use std::io;
use std::path::PathBuf;

/// Everything that determines the built console.
const INPUTS: [&str; 19] = [
    "console",
    "engine/src",
    "engine/Cargo.toml",
    "engine/analysis/src",
    "engine/analysis/Cargo.toml",
    "engine/json/src",
    "engine/json/Cargo.toml",
    "engine/words/src",
    "engine/words/Cargo.toml",
    "api/src",
    "api/Cargo.toml",
    "formats/src",
    "formats/Cargo.toml",
    "Cargo.toml",
    "Cargo.lock",
    "xtask/bind",
    "xtask/src/page.rs",
    "xtask/src/split.rs",
    "rust-toolchain.toml",
];

/// The kind of build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Fast to build, for `up` and the browser tests.
    Development,
    /// Small, for publishing: whole-program optimization, then wasm-opt.
    Release,
    /// Rebuilt seconds after an edit, for `dev`.
    Live,
}

const FLAGS: &str = "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS";
/// Makes Leptos combine the views of components with dynamic types instead of one large type: the
/// same page, compiled in half the time (measured for the console's own crate: from 79 s to 45 s of
/// one core), and a sixth smaller.
const ERASED: &str = "--cfg erase_components";
/// The splitter needs the linker's relocations, which cargo would strip otherwise.
const ERASED_AND_LINKED: [&str; 3] = ["--cfg", "erase_components", "-Clink-args=--emit-relocs"];
const KEPT: (&str, &str) = ("CARGO_PROFILE_WASM_STRIP", "none");
/// Splits pages into separate files.
const SPLIT: [&str; 2] = ["--features", "split"];

/// Compiles the console's own crate as fast as possible; its dependencies stay compiled as for
/// `up`. Without the names of functions, the module is 40% smaller, and is linked and bound faster.
/// Panics still have their file and line.
const LIVE: [&str; 6] = [
    "--config",
    "profile.console.package.gbac-console.opt-level=0",
    "--bin",
    "gbac-console",
    "--",
    "-Cstrip=symbols",
];

impl Build {
    /// The cargo profile in the top-level Cargo.toml.
    pub(crate) fn profile(self) -> &'static str {
        match self {
            Self::Development | Self::Live => "console",
            Self::Release => "wasm",
        }
    }

    /// The subcommand of cargo.
    fn subcommand(self) -> &'static str {
        if self == Self::Live { "rustc" } else { "build" }
    }

    /// The folder of the bound console.
    fn folder(self, workspace: &Workspace) -> PathBuf {
        workspace
            .notes()
            .join(if self == Self::Live { "live" } else { "bound" })
    }

    /// Prepares a call of cargo, or of a program that calls it, for this build.
    pub(crate) fn prepare(self, call: Call) -> Call {
        match self {
            Self::Development => call.env(FLAGS, ERASED),
            Self::Live => call.env(FLAGS, ERASED).args(LIVE),
            Self::Release => call
                .env(remap::VARIABLE, remap::flags(&ERASED_AND_LINKED))
                .env(KEPT.0, KEPT.1)
                .args(SPLIT),
        }
    }
}

/// Whether `dist/` is up to date for this build.
pub(crate) fn is_fresh(workspace: &Workspace, build: Build) -> bool {
    let noted = fs::read_to_string(note(workspace));
    let state = || Ok::<_, io::Error>(inputs(workspace, build)? + &outputs(workspace)?);
    noted.is_ok_and(|noted| state().is_ok_and(|state| noted == state))
}

/// Builds the published console into `dist/`, unless it is there. Installs what is missing for it.
pub(crate) fn publish(workspace: &Workspace, progress: &Progress, binder: Binder) -> Result<()> {
    if is_fresh(workspace, Build::Release) {
        progress.quick("console").done("unchanged");
        return Ok(());
    }
    let wasm_opt = Some(tools::wasm_opt(workspace, progress)?);
    let wasm_split = Some(tools::wasm_split(workspace, progress)?);
    let compiled = compile(workspace, progress, Build::Release)?;
    bundle(
        workspace,
        progress,
        compiled,
        &Bundler {
            binder,
            wasm_opt,
            wasm_split,
        },
    )
}

/// The compiled console.
#[derive(Debug)]
pub(crate) struct Compiled {
    build: Build,
    /// The fingerprint of the inputs before the compiler read them: the result may not contain
    /// later changes.
    inputs: io::Result<String>,
}

/// Compiles the console without bundling it. Needs only rustc.
pub(crate) fn compile(
    workspace: &Workspace,
    progress: &Progress,
    build: Build,
) -> Result<Compiled> {
    let inputs = inputs(workspace, build);
    let call = cargo(&workspace.root).args([
        build.subcommand(),
        "--package",
        "gbac-console",
        "--target",
        WASM_TARGET,
        "--profile",
        build.profile(),
    ]);
    build
        .prepare(call)
        .step(progress, "console", "compiling", "compiled")?;
    Ok(Compiled { build, inputs })
}

/// Bundles the compiled console into `dist/`.
pub(crate) fn bundle(
    workspace: &Workspace,
    progress: &Progress,
    compiled: Compiled,
    tools: &Bundler,
) -> Result<()> {
    let Compiled { build, inputs } = compiled;
    let step = progress.slow("bundle", "console/ into dist/");
    // Another run may be writing the same files.
    let _guard = Guard::wait(&workspace.notes().join("console.lock"), &step)?;
    if is_fresh(workspace, build) {
        step.done("dist/ is ready: another run made it");
        return Ok(());
    }
    let program = match build {
        Build::Release => split(workspace, tools, build.profile(), &step)?,
        Build::Development | Build::Live => bind(workspace, &tools.binder, build, &step)?,
    };
    let files = page::build(&workspace.root.join("console"), Names::Hashed, program)?;
    let dist = workspace.root.join("dist");
    page::replace(&dist, &files)
        .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", dist.display())))?;
    remember(workspace, inputs)?;
    step.done("dist/ is ready");
    Ok(())
}

/// Binds the compiled console as one program.
pub(crate) fn bind(
    workspace: &Workspace,
    binder: &Binder,
    build: Build,
    step: &Step<'_>,
) -> Result<Program> {
    let compiled = workspace
        .target
        .join(WASM_TARGET)
        .join(build.profile())
        .join(format!("{NAME}.wasm"));
    binder.bind(
        workspace,
        (&compiled, &build.folder(workspace), NAME),
        &[],
        step,
    )?;
    bound(workspace, build)
}

/// The console of the last binding.
pub(crate) fn bound(workspace: &Workspace, build: Build) -> Result<Program> {
    let names = if build == Build::Live {
        Names::Plain
    } else {
        Names::Hashed
    };
    Program::bound(&build.folder(workspace), names)
        .map_err(|error| Problem::new(format!("cannot read the bound console: {error}")))
}

/// Records the fingerprints of inputs and outputs.
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

/// The fingerprint of the inputs.
fn inputs(workspace: &Workspace, build: Build) -> io::Result<String> {
    let mut inputs = Fingerprint::new().word(build.profile()).word(WASM_BINDGEN);
    if build == Build::Release {
        inputs = inputs
            .word(WASM_SPLIT)
            .word(&SHRINK.join(" "))
            .word(&ERASED_AND_LINKED.join(" "));
    }
    for input in INPUTS {
        inputs = inputs.path(&workspace.root, input)?;
    }
    Ok(inputs.finish() + " ")
}

/// The fingerprint of `dist/`: if it was changed, the build is out of date, too.
fn outputs(workspace: &Workspace) -> io::Result<String> {
    let dist = workspace.root.join("dist");
    let outputs = Fingerprint::new().path(&dist, ".")?;
    let built = dist.join("index.html").is_file();
    Ok(format!("{} {built}\n", outputs.finish()))
}
