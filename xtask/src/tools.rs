//! Finds the pinned build tools on `PATH`, or installs them into the cache.
//!
//! Only this module installs tools.

use crate::fingerprint::Fingerprint;
use crate::guard::Guard;
use crate::problem::{Problem, Result};
use crate::process::{Call, cargo, find, is_program};
use crate::progress::{Progress, Step};
use crate::version::Version;
use crate::workspace::Workspace;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

/// The compile target of code that runs in a page.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// The version for which Trunk.toml is written; only a check calls it. 0.22 needs Rust 1.96.
pub(crate) const TRUNK: &str = "0.21.14";
/// Equal to the crate's version in Cargo.lock, because both sides of the binding must match.
pub(crate) const WASM_BINDGEN: &str = "0.2.129";
/// Splits the published console into files; its macros are part of Leptos.
pub(crate) const WASM_SPLIT: &str = "0.2.4";
/// The version of cargo-mutants.
const MUTANTS: &str = "27.1.0";
/// The version of cargo-cyclonedx.
const CYCLONEDX: &str = "0.5.9";
/// The version of mdBook: it renders pages with relative links and the index of the search, with one
/// program and without Node.js. Pinned, because a test reads what it writes.
const MDBOOK: &str = "0.5.4";
/// The major version of wasm-opt; tools/package-lock.json pins the package and its checksum.
pub(crate) const WASM_OPT: &str = "132.0.0";
/// The oldest wasm-opt that accepts the output of Rust 1.95, given [`WASM_OPT_FEATURES`].
const WASM_OPT_OLDEST: &str = "108.0.0";

/// The WebAssembly features in rustc's output; listed for every wasm-opt, although newer ones
/// detect them.
pub(crate) const WASM_OPT_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Options that make the modules small after compression: it shrinks, inlines only functions as
/// short as a call, and keeps repeated code, because repeated code is nearly free in brotli and
/// inlined code is not. `-Oz` produces fewer bytes before compression and 2 KB more after it. The
/// alignment of each load and store becomes one byte, because engines ignore it.
pub(crate) const SHRINK: [&str; 13] = [
    "-Os",
    "--converge",
    "--flexible-inline-max-function-size=0",
    "--one-caller-inline-max-function-size=0",
    "--always-inline-max-function-size=6",
    "--skip-pass=local-cse",
    "--skip-pass=memory-packing",
    "--skip-pass=code-pushing",
    "--skip-pass=simplify-locals",
    "--dealign",
    "--reorder-functions-by-name",
    "--strip-producers",
    "--strip-target-features",
];

/// The profile of the tools. They run for seconds, so only the time to compile them matters:
/// without unwinding, checks and debug information, a fifth less is compiled.
const INSTALL_PROFILE: [(&str, &str); 5] = [
    ("CARGO_PROFILE_DEV_DEBUG", "0"),
    ("CARGO_PROFILE_DEV_PANIC", "abort"),
    ("CARGO_PROFILE_DEV_DEBUG_ASSERTIONS", "false"),
    ("CARGO_PROFILE_DEV_OVERFLOW_CHECKS", "false"),
    ("CARGO_INCREMENTAL", "0"),
];

/// An installed wasm-opt.
#[derive(Debug, Clone)]
pub(crate) struct WasmOpt {
    pub(crate) program: PathBuf,
    pub(crate) version: Version,
}

impl WasmOpt {
    /// Shrinks a wasm file in place.
    pub(crate) fn shrink(&self, workspace: &Workspace, file: &Path, step: &Step<'_>) -> Result<()> {
        let call = Call::new(&self.program, &workspace.root)
            .args(SHRINK)
            .args(WASM_OPT_FEATURES);
        call.args([file])
            .args(["-o"])
            .args([file])
            .succeed(Some(step))
            .map(drop)
    }
}

/// Checks that rustc is new enough and can compile for the browser; adds the target if rustup is
/// installed.
pub(crate) fn rust(workspace: &Workspace, progress: &Progress) -> Result<()> {
    let step = progress.quick("rust");
    let needed = env!("CARGO_PKG_RUST_VERSION");
    let found = Call::new("rustc", &workspace.root)
        .args(["--version"])
        .first_line();
    match found.as_deref().and_then(Version::find) {
        Some(version) if Some(version) >= Version::parse(needed) => step.done(&version.to_string()),
        Some(version) => {
            return Err(Problem::new(format!("rustc is {version}, and {needed} or newer is needed"))
                .hint("rust-toolchain.toml names the version; `rustup update` or `rustup toolchain install` gets it"));
        }
        None => {
            return Err(
                Problem::new("rustc does not run").hint("install Rust from https://rustup.rs")
            );
        }
    }
    wasm_target(workspace, progress)
}

fn wasm_target(workspace: &Workspace, progress: &Progress) -> Result<()> {
    let step = progress.quick("wasm target");
    let library = Call::new("rustc", &workspace.root)
        .args(["--print", "target-libdir", "--target", WASM_TARGET])
        .first_line();
    if library.is_some_and(|dir| Path::new(&dir).is_dir()) {
        step.done(&format!("{WASM_TARGET} is there"));
        return Ok(());
    }
    let Some(rustup) = find("rustup") else {
        return Err(Problem::new(format!(
            "rustc cannot compile for {WASM_TARGET}, and rustup, which could add it, is not installed"
        ))
        .hint("install your distribution's rust-std for wasm32-unknown-unknown, or Rust from https://rustup.rs"));
    };
    Call::new(rustup, &workspace.root)
        .args(["target", "add", WASM_TARGET])
        .succeed(Some(&step))
        .map_err(|problem| problem.hint("check the network, then run the same command again"))?;
    step.done(&format!("{WASM_TARGET} added by rustup"));
    Ok(())
}

/// The splitter, for publishing. It does not report its version, so only the cached one is known to
/// be correct.
pub(crate) fn wasm_split(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    let tool = Installed {
        package: "wasm_split_cli_support",
        program: "wasm-split-cli",
        version: WASM_SPLIT,
    };
    let (_, cached) = tool.place(workspace);
    if is_program(&cached) {
        progress
            .quick(tool.program)
            .done(&format!("{} in the cache", tool.version));
        return Ok(cached);
    }
    tool.install_with_step(workspace, progress, &["--features", "build-binary"])
}

/// Finds or installs cargo-mutants, for `cargo xtask mutants`.
pub(crate) fn cargo_mutants(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    tool(workspace, progress, "cargo-mutants", MUTANTS, &[])
}

/// Finds or installs cargo-cyclonedx, for `cargo xtask sbom`.
pub(crate) fn cargo_cyclonedx(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    tool(workspace, progress, "cargo-cyclonedx", CYCLONEDX, &[])
}

/// Finds or installs mdBook, for `cargo xtask site`, without its web server.
pub(crate) fn mdbook(workspace: &Workspace, progress: &Progress) -> Result<PathBuf> {
    let features = ["--no-default-features", "--features", "search"];
    tool(workspace, progress, "mdbook", MDBOOK, &features)
}

/// Finds or installs a program that is named like its package.
fn tool(
    workspace: &Workspace,
    progress: &Progress,
    name: &'static str,
    version: &'static str,
    args: &[&str],
) -> Result<PathBuf> {
    if let Some(found) = installed(workspace, name, name, version) {
        progress.quick(name).done(&format!("{version} is there"));
        return Ok(found);
    }
    let tool = Installed {
        package: name,
        program: name,
        version,
    };
    tool.install_with_step(workspace, progress, args)
}

/// A program on `PATH` or in the cache, in exactly this version.
pub(crate) fn installed(
    workspace: &Workspace,
    package: &'static str,
    program: &'static str,
    version: &'static str,
) -> Option<PathBuf> {
    let (_, cached) = Installed {
        package,
        program,
        version,
    }
    .place(workspace);
    find(program)
        .into_iter()
        .chain([cached])
        .find(|found| version_of(found) == Version::parse(version))
}

/// A tool that cargo installs from crates.io.
struct Installed {
    package: &'static str,
    program: &'static str,
    version: &'static str,
}

impl Installed {
    /// Its installation folder, and the program in it.
    fn place(&self, workspace: &Workspace) -> (PathBuf, PathBuf) {
        let root = workspace
            .cache
            .join(format!("{}-{}", self.package, self.version));
        let cached = root
            .join("bin")
            .join(format!("{}{EXE_SUFFIX}", self.program));
        (root, cached)
    }

    /// Installs it and shows progress; returns the program.
    fn install_with_step(
        &self,
        workspace: &Workspace,
        progress: &Progress,
        args: &[&str],
    ) -> Result<PathBuf> {
        let step = progress.slow(
            self.program,
            &format!("installing {}, about a minute, once", self.version),
        );
        let (root, cached) = self.place(workspace);
        // Another run may be installing it: both would build in one folder, which the first one to
        // finish removes.
        let guard = Guard::wait(&root.with_added_extension("lock"), &step)?;
        if !guard.waited || !is_program(&cached) {
            self.install(workspace, &root, args, &step).map_err(|problem| problem.hint(format!(
                "when the network is down, run the same command again later; or put {} {} on your PATH",
                self.program, self.version
            )))?;
        }
        step.done(&format!("{} installed into {}", self.version, short(&root)));
        Ok(cached)
    }

    fn install(
        &self,
        workspace: &Workspace,
        root: &Path,
        args: &[&str],
        step: &Step<'_>,
    ) -> Result<()> {
        // A separate build folder, so that two tools can be built concurrently; removed afterwards.
        let build = workspace
            .cache
            .join(format!("build-{}-{}", self.package, self.version));
        let mut call = cargo(&workspace.root)
            .args(["install", "--locked", "--debug", "--force", "--root"])
            .args([root])
            .args([format!("{}@{}", self.package, self.version)])
            .args(args)
            .env("CARGO_TARGET_DIR", &build);
        for (name, value) in INSTALL_PROFILE {
            call = call.env(name, value);
        }
        call.succeed(Some(step))?;
        fs::remove_dir_all(&build).ok();
        Ok(())
    }
}

/// wasm-opt, for publishing; development builds do not use it.
pub(crate) fn wasm_opt(workspace: &Workspace, progress: &Progress) -> Result<WasmOpt> {
    let required = Version::parse(WASM_OPT);
    let on_path = find("wasm-opt").and_then(|program| {
        Some(WasmOpt {
            version: version_of(&program)?,
            program,
        })
    });
    let root = workspace.cache.join(format!("binaryen-{WASM_OPT}"));
    let ending = if cfg!(windows) { ".cmd" } else { "" };
    let cached = root
        .join("node_modules")
        .join(".bin")
        .join(format!("wasm-opt{ending}"));
    let in_cache = version_of(&cached).map(|version| WasmOpt {
        program: cached.clone(),
        version,
    });
    let fitting = on_path
        .iter()
        .chain(&in_cache)
        .find(|found| Some(found.version) == required);
    if let Some(found) = fitting {
        let place = if found.program == cached {
            "in the cache"
        } else {
            "on PATH"
        };
        progress
            .quick("wasm-opt")
            .done(&format!("{} {place}", found.version.major()));
        return Ok(found.clone());
    }
    let step = progress.slow(
        "wasm-opt",
        &format!("installing npm package binaryen {WASM_OPT}, once"),
    );
    match install_wasm_opt(&root, &cached, &step) {
        Ok(found) => {
            step.done(&format!(
                "{} installed into {}",
                found.version.major(),
                short(&root)
            ));
            Ok(found)
        }
        Err(problem) => {
            let oldest = Version::parse(WASM_OPT_OLDEST);
            let Some(found) = on_path.filter(|found| Some(found.version) >= oldest) else {
                return Err(problem);
            };
            step.done(&format!(
                "{} from {}; npm: {}",
                found.version.major(),
                short(&found.program),
                problem.message()
            ));
            Ok(found)
        }
    }
}

fn install_wasm_opt(root: &Path, cached: &Path, step: &Step<'_>) -> Result<WasmOpt> {
    let _guard = Guard::wait(&root.with_added_extension("lock"), step)?;
    let program = cached.to_owned();
    // Another run may have installed it in the meantime.
    if let Some(version) = version_of(cached)
        && Some(version) == Version::parse(WASM_OPT)
    {
        return Ok(WasmOpt { program, version });
    }
    let failed = |error| Problem::new(format!("cannot write `{}`: {error}", root.display()));
    fs::create_dir_all(root).map_err(failed)?;
    fs::write(
        root.join("package.json"),
        include_str!("../tools/package.json"),
    )
    .map_err(failed)?;
    fs::write(
        root.join("package-lock.json"),
        include_str!("../tools/package-lock.json"),
    )
    .map_err(failed)?;
    npm(root)?
        .args(["ci", "--no-audit", "--no-fund"])
        .succeed(Some(step))
        .map_err(|problem| {
            problem.hint(
                "check the network, or install your distribution's binaryen (apt install binaryen)",
            )
        })?;
    let version = version_of(cached)
        .ok_or_else(|| Problem::new(format!("`{}` does not run", cached.display())))?;
    Ok(WasmOpt { program, version })
}

/// Installs the packages of `folder`'s lock file, unless they are installed.
pub(crate) fn npm_ci(workspace: &Workspace, progress: &Progress, folder: &str) -> Result<()> {
    let dir = workspace.root.join(folder);
    let step = progress.quick("npm");
    let lock = Fingerprint::new()
        .path(&dir, "package-lock.json")
        .map_err(|error| {
            Problem::new(format!("cannot read `{folder}/package-lock.json`: {error}"))
        })?
        .finish();
    let note = dir.join("node_modules").join(".xtask");
    if fs::read_to_string(&note).is_ok_and(|noted| noted == lock) {
        step.done(&format!("packages of {folder} are there"));
        return Ok(());
    }
    npm(&dir)?
        .args(["ci", "--no-audit", "--no-fund"])
        // The browser comes from the operating system.
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .succeed(Some(&step))
        .map_err(|problem| problem.hint("check the network, then run the same command again"))?;
    fs::write(&note, lock).ok();
    step.done(&format!("packages of {folder} installed"));
    Ok(())
}

/// Calls npm in `dir`.
pub(crate) fn npm(dir: &Path) -> Result<Call> {
    find("npm").map(|npm| Call::new(npm, dir)).ok_or_else(|| {
        Problem::new("npm is not on PATH")
            .hint("install Node.js 20 or newer from https://nodejs.org; npm comes with it")
    })
}

/// Calls node in `dir`.
pub(crate) fn node(dir: &Path) -> Result<Call> {
    find("node")
        .map(|node| Call::new(node, dir))
        .ok_or_else(|| {
            Problem::new("node is not on PATH")
                .hint("install Node.js 20 or newer from https://nodejs.org")
        })
}

/// The version that `program --version` prints; `None` if it cannot run.
pub(crate) fn version_of(program: &Path) -> Option<Version> {
    if !is_program(program) {
        return None;
    }
    // On any line, because Debian's chromium script may print warnings first.
    let call = Call::new(program, Path::new("."));
    // A cargo subcommand requires its name as the first argument.
    let word = program
        .file_stem()
        .and_then(|name| name.to_str()?.strip_prefix("cargo-"));
    let lines = call.args(word).args(["--version"]).succeed(None).ok()?;
    lines.iter().find_map(|line| Version::find(line))
}

/// A path for messages, with the home folder as `~`.
fn short(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{TRUNK, WASM_BINDGEN, WASM_OPT};
    use std::fs;
    use std::path::Path;

    fn read(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        fs::read_to_string(root.join(path)).unwrap()
    }

    #[test]
    fn every_pin_of_wasm_bindgen_is_the_same() {
        let crate_version = format!("name = \"wasm-bindgen\"\nversion = \"{WASM_BINDGEN}\"");
        assert!(
            read("Cargo.lock").contains(&crate_version),
            "Cargo.lock has another wasm-bindgen"
        );
        assert!(
            read("Cargo.toml").contains(&format!("wasm-bindgen-cli-support = \"={WASM_BINDGEN}\""))
        );
        assert!(read("Trunk.toml").contains(&format!("wasm_bindgen = \"{WASM_BINDGEN}\"")));
    }

    #[test]
    fn every_pin_of_trunk_and_wasm_opt_is_the_same() {
        let trunk = read("Trunk.toml");
        assert!(trunk.contains(&format!("trunk-version = \"={TRUNK}\"")));
        let major = WASM_OPT.split('.').next().unwrap();
        assert!(trunk.contains(&format!("wasm_opt = \"version_{major}\"")));
        assert!(
            read("xtask/tools/package.json").contains(&format!("\"binaryen\": \"{WASM_OPT}\""))
        );
        assert!(
            read("xtask/tools/package-lock.json").contains(&format!("\"version\": \"{WASM_OPT}\""))
        );
    }
}
