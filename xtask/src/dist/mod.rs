//! `cargo xtask dist`: everything of a release, into `target/dist`.

mod binary;
mod crates;
mod debian;
mod files;
mod image;
mod installers;
mod npm;
mod plugin;
mod targets;

use crate::dist::binary::Program;
use crate::dist::files::{copy, empty, failed, list, pack};
use crate::dist::targets::Target;
use crate::problem::{Problem, Result};
use crate::progress::{Progress, say};
use crate::sbom;
use crate::site;
use crate::tools;
use crate::workspace::Workspace;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The version of everything here.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The options of the command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The address of the repository, which packages state.
    pub(crate) repository: Option<String>,
    /// The parts to write; without any, all.
    pub(crate) only: Vec<String>,
    /// The platform of the program; without it, that of this machine.
    pub(crate) target: Option<String>,
}

/// A part of a release.
struct Part {
    /// The name for `--only`, and of its folder.
    name: &'static str,
    run: fn(&Dist<'_>) -> Result<()>,
}

/// All parts.
const PARTS: [Part; 11] = [
    Part {
        name: "bin",
        run: binary::archive,
    },
    Part {
        name: "npm-platform",
        run: npm::platform,
    },
    Part {
        name: "npm",
        run: npm::portable,
    },
    Part {
        name: "deb",
        run: debian::package,
    },
    Part {
        name: "oci",
        run: image::context,
    },
    Part {
        name: "kafka",
        run: plugin::kafka,
    },
    Part {
        name: "wasm",
        run: plugin::wasm,
    },
    Part {
        name: "sbom",
        run: materials,
    },
    Part {
        name: "site",
        run: static_site,
    },
    Part {
        name: "crates",
        run: crates::pack,
    },
    // Last, because it reads the archives.
    Part {
        name: "install",
        run: installers::write,
    },
];

/// The parts that are left out where a program or an option for them is missing; one line says so.
const OPTIONAL: [&str; 4] = ["deb", "oci", "kafka", "install"];

/// One run of the command.
pub(crate) struct Dist<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) progress: &'a Progress,
    /// `target/dist`.
    pub(crate) folder: PathBuf,
    pub(crate) repository: Option<String>,
    pub(crate) target: &'static Target,
    program: OnceLock<Result<Program>>,
}

impl<'a> Dist<'a> {
    /// The same run for another platform.
    pub(crate) fn for_target(&self, target: &'static Target) -> Dist<'a> {
        Dist {
            workspace: self.workspace,
            progress: self.progress,
            folder: self.folder.clone(),
            repository: self.repository.clone(),
            target,
            program: OnceLock::new(),
        }
    }

    /// The released program, built once.
    pub(crate) fn program(&self) -> Result<Program> {
        self.program.get_or_init(|| binary::build(self)).clone()
    }

    /// A folder for what is packed.
    pub(crate) fn work(&self, name: &str) -> PathBuf {
        self.workspace.notes().join("dist").join(name)
    }
}

/// Writes the parts, and the sums of all files in the folder.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let parts = chosen(&options.only)?;
    let repository = options.repository.as_deref().map(address).transpose()?;
    let progress = Progress::new();
    let dist = Dist {
        workspace,
        progress: &progress,
        folder: workspace.target.join("dist"),
        repository,
        target: Target::find(workspace, options.target.as_deref())?,
        program: OnceLock::new(),
    };
    if options.only.is_empty() {
        empty(&dist.folder)?;
    }
    for part in parts {
        match (part.run)(&dist) {
            // A named part is needed.
            Err(problem) if OPTIONAL.contains(&part.name) && options.only.is_empty() => {
                progress.print(problem.message());
            }
            result => result?,
        }
    }
    let sums = tools::node(&workspace.root)?
        .args(["xtask/tools/sums.mjs"])
        .args([&dist.folder]);
    for line in sums.succeed(None)? {
        say(&line);
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<&'static Part>> {
    for name in names {
        if PARTS.iter().all(|part| part.name != name) {
            let all: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
            return Err(Problem::new(format!("unknown part `{name}`"))
                .hint(format!("the parts are: {}", all.join(", "))));
        }
    }
    let mut parts = Vec::new();
    for part in &PARTS {
        if names.is_empty() || names.iter().any(|name| name == part.name) {
            parts.push(part);
        }
    }
    Ok(parts)
}

/// The address of a repository, which goes into packages, scripts and recipes.
fn address(text: &str) -> Result<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/:".contains(c);
    if text.starts_with("https://") && text.chars().all(plain) && !text.ends_with(['/', ':']) {
        return Ok(text.trim_end_matches(".git").to_owned());
    }
    Err(
        Problem::new(format!("`{text}` is not the address of a repository"))
            .hint("write it as in https://example.com/someone/gbac"),
    )
}

/// Writes the software bills of materials: one document for each part, and all of them packed.
fn materials(dist: &Dist<'_>) -> Result<()> {
    sbom::run(dist.workspace)?;
    let source = dist.workspace.target.join("sbom");
    let folder = dist.folder.join("sbom");
    for file in list(&source)? {
        if let Some(name) = file.file_name() {
            copy(&file, &folder.join(name))?;
        }
    }
    pack(&folder, &dist.folder.join("sbom.tar.gz"))
}

/// Writes the static site, with the console of the release: the folder, and all of it packed.
fn static_site(dist: &Dist<'_>) -> Result<()> {
    let options = site::Options {
        console: site::Console::Built(binary::console(dist)?),
        repository: dist.repository.clone(),
    };
    let built = site::build(dist.workspace, dist.progress, &options)?;
    let folder = dist.folder.join("site");
    empty(&folder)?;
    fs::rename(&built, &folder).map_err(|error| failed(&folder, &error))?;
    pack(&folder, &dist.folder.join("site.tar.gz"))
}

#[cfg(test)]
mod tests {
    use super::{PARTS, address, chosen};
    use crate::args::Command;
    use crate::dist::targets::TARGETS;

    #[test]
    fn addresses_are_plain() {
        let read = |text| address(text).ok();
        assert_eq!(
            read("https://example.com/a/gbac.git").as_deref(),
            Some("https://example.com/a/gbac")
        );
        for text in [
            "http://example.com/a",
            "https://a/$(id)",
            "https://a b",
            "https://a/",
            "gbac",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_workflow_calls_commands_and_parts_that_exist() {
        let workflow = include_str!("../../../.github/workflows/release.yml");
        let mut parts = Vec::new();
        for line in workflow.lines() {
            if let Some((_, rest)) = line.split_once("parts: \"") {
                let list = rest.split('"').next().unwrap_or_default();
                parts.extend(list.split(',').map(str::to_owned));
            }
            let Some((_, words)) = line.split_once("cargo xtask ") else {
                continue;
            };
            // What the workflow fills in.
            let words = words.replace("${{ matrix.target }}", TARGETS[0].triple);
            let words = words.replace("${{ matrix.parts }}", "bin");
            let words = words.replace("\"$REPOSITORY\"", "https://example.com/gbac");
            let parsed = crate::args::parse(words.split_whitespace().map(str::to_owned));
            match parsed.expect(line) {
                Command::Dist(options) => parts.extend(options.only),
                other => panic!("{line}: {other:?}"),
            }
        }
        parts.sort();
        parts.dedup();
        // A release has every part.
        assert_eq!(
            chosen(&parts).map(|parts| parts.len()).ok(),
            Some(PARTS.len())
        );
    }

    #[test]
    fn unknown_parts_are_named() {
        assert_eq!(chosen(&[]).map(|parts| parts.len()).ok(), Some(PARTS.len()));
        let problem = chosen(&["bni".to_owned()]).err().expect("a problem");
        assert_eq!(problem.message(), "unknown part `bni`");
    }
}
