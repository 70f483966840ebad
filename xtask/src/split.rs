//! Splits the published console into several wasm files: one for the first page, others for further
//! pages.
//!
//! The compiled console is cut at its chunks (`console/src/chunk.rs`), bound and shrunk.

use crate::bind::{Bundler, KEEP_LLD_EXPORTS};
use crate::fingerprint::Fingerprint;
use crate::page::{Files, NAME, Program};
use crate::problem::{Problem, Result};
use crate::process::Call;
use crate::progress::Step;
use crate::tools::WASM_TARGET;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The splitter's name of the script that fetches the files.
const LINK: &str = "__wasm_split.js";

/// The first part of each path, whose files the page fetches before the console runs.
pub(crate) const FIRST: [(&str, &str); 14] = [
    ("/", "simulator"),
    ("/connection", "rest"),
    ("/security", "roles"),
    ("/security/audit", "rest"),
    ("/security/compare", "rest"),
    ("/security/exchange", "rest"),
    ("/security/permissions", "rest"),
    ("/security/permissions/findings", "rest"),
    ("/security/permissions/matrix", "rest"),
    ("/security/permissions/who-can", "rest"),
    ("/security/roles", "roles"),
    ("/security/settings", "rest"),
    ("/security/simulator", "simulator"),
    ("/sign-in", "rest"),
];

/// The files of each part, except the console's first file, without their extensions.
type Parts = BTreeMap<String, Vec<String>>;

/// Splits the console that cargo compiled for `profile`.
pub(crate) fn split(
    workspace: &Workspace,
    tools: &Bundler,
    profile: &str,
    step: &Step<'_>,
) -> Result<Program> {
    let (Some(splitter), Some(wasm_opt)) = (&tools.wasm_split, &tools.wasm_opt) else {
        return Err(Problem::new(
            "the console is split only with wasm-split-cli and wasm-opt",
        ));
    };
    let folder = workspace.target.join("xtask-split");
    let failed =
        |error: io::Error| Problem::new(format!("cannot write `{}`: {error}", folder.display()));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let compiled = workspace
        .target
        .join(WASM_TARGET)
        .join(profile)
        .join(format!("{NAME}.wasm"));
    let main = folder.join(format!("{NAME}.wasm"));
    Call::new(splitter, &workspace.root)
        .args([&compiled, &folder])
        .args(["--out-name", NAME])
        .succeed(Some(step))?;
    tools
        .binder
        .bind(workspace, (&main, &folder, NAME), &[KEEP_LLD_EXPORTS], step)?;
    fs::remove_file(&main).map_err(failed)?;
    for file in files(&folder, "wasm").map_err(failed)? {
        wasm_opt.shrink(workspace, &file, step)?;
    }
    program(&folder)
        .map_err(|error| Problem::new(format!("cannot read the split console: {error}")))
}

/// The files of a folder with this extension, sorted.
fn files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = entries
        .into_iter()
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    files.sort();
    Ok(files)
}

/// Names the files by a hash of all of them, because they only work together.
fn program(folder: &Path) -> io::Result<Program> {
    let hash = Fingerprint::new().path(folder, ".")?.finish();
    let named = |name: &str, ending: &str| format!("{name}-{hash}{ending}");
    let link = fs::read_to_string(folder.join(LINK))?;
    let parts = parts_of(&link);
    let shared = |text: &str| {
        // Scripts import it by its new name, the wasm file by its first name.
        let text = text.replace(
            &format!("from \"./{LINK}\""),
            &format!("from \"./{}\"", named("split", ".js")),
        );
        let text = text.replace(
            &format!("./{NAME}.js"),
            &format!("./{}", named(NAME, ".js")),
        );
        let mut text = text.replace(&format!("{NAME}_bg.wasm"), &named(NAME, "_bg.wasm"));
        for part in parts.values().flatten() {
            text = text.replace(
                &format!("\"./{part}.wasm\""),
                &format!("\"./{}\"", named(part, ".wasm")),
            );
        }
        text
    };
    let mut program = Files::new();
    program.insert(named("split", ".js"), shared(&link).into_bytes());
    let script = fs::read_to_string(folder.join(format!("{NAME}.js")))?;
    program.insert(named(NAME, ".js"), shared(&script).into_bytes());
    for file in files(folder, "wasm")? {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = match stem.strip_suffix("_bg") {
            Some(main) => named(main, "_bg.wasm"),
            None => named(&stem, ".wasm"),
        };
        program.insert(name, fs::read(&file)?);
    }
    let head = head(&hash, &parts)
        .ok_or_else(|| io::Error::other("it has not every part that an address begins with"))?;
    Ok(Program {
        suffix: format!("-{hash}"),
        files: program,
        head,
    })
}

/// The files that each part needs, parsed from the script that fetches them: shared files first,
/// its own last.
fn parts_of(link: &str) -> Parts {
    let mut parts = Parts::new();
    for definition in link.split("export const __wasm_split_load_").skip(1) {
        let Some((name, rest)) = definition.split_once(" = ") else {
            continue;
        };
        let rest = rest.split("\nconst ").next().unwrap_or(rest);
        let shared = rest.split("__chunk_").skip(1).map(|text| {
            let number: String = text.chars().take_while(char::is_ascii_digit).collect();
            format!("chunk_{number}")
        });
        let mut files: Vec<String> = shared.collect();
        let own = format!("split_{name}");
        if rest.contains(&format!("./{own}.wasm")) {
            files.push(own);
        }
        parts.insert(name.to_owned(), files);
    }
    parts
}

/// The script that makes browsers fetch the first part of a path before the console's script
/// starts, so that all files are fetched at once. `None` if a part is missing.
fn head(hash: &str, parts: &Parts) -> Option<String> {
    let mut map = String::new();
    for (address, part) in FIRST {
        let files: Vec<String> = parts
            .get(part)?
            .iter()
            .map(|file| format!("\"{file}\""))
            .collect();
        write!(map, "\"{address}\":[{}],", files.join(",")).ok()?;
    }
    Some(format!(
        "<link rel=\"modulepreload\" href=\"/split-{hash}.js\" crossorigin=\"anonymous\"><script>\n\
         for (const file of {{{map}}}[location.pathname] ?? []) {{\n\
         const link = document.createElement('link');\n\
         Object.assign(link, {{ rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: `/${{file}}-{hash}.wasm` }});\n\
         document.head.append(link);\n\
         }}\n</script>\n"
    ))
}

/// The output of [`head`] for a path: the hash in all names, and the files without it. `None` if
/// the page is not split or does not list the path.
pub(crate) fn files_of<'p>(page: &'p str, address: &str) -> Option<(&'p str, Vec<&'p str>)> {
    let (_, rest) = page.split_once(&format!("\"{address}\":["))?;
    let (list, rest) = rest.split_once(']')?;
    let (_, hash) = rest.split_once("`/${file}-")?;
    let (hash, _) = hash.split_once(".wasm`")?;
    Some((
        hash,
        list.split('"')
            .filter(|name| !matches!(*name, "" | ","))
            .collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::{FIRST, Parts, files_of, parts_of};
    use std::fs;
    use std::path::Path;

    const LINK: &str = "/* roles, role */
const __chunk_3 = makeLoad(() => {
    const src = fetch(new URL(\"./chunk_3.wasm\", import.meta.url));
}, []);
export const __wasm_split_load_roles = wrapAsyncCb(makeLoad(() => {
    const src = fetch(new URL(\"./split_roles.wasm\", import.meta.url));
}
, [__chunk_3]));
export const __wasm_split_load_empty = wrapAsyncCb(makeLoad(() => async (_imp) => ({}), [__chunk_3, __chunk_12]));
";

    #[test]
    fn the_files_of_a_part_are_read_from_the_script() {
        let parts = parts_of(LINK);
        assert_eq!(parts["roles"], ["chunk_3", "split_roles"]);
        assert_eq!(parts["empty"], ["chunk_3", "chunk_12"]);
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn pages_fetch_the_first_part_of_their_path() {
        let parts = FIRST
            .iter()
            .map(|(_, part)| ((*part).to_owned(), vec![format!("split_{part}")]))
            .collect();
        let head = super::head("12ab", &parts).unwrap();
        assert!(
            head.starts_with("<link rel=\"modulepreload\" href=\"/split-12ab.js\""),
            "{head}"
        );
        assert_eq!(
            files_of(&head, "/security/audit"),
            Some(("12ab", vec!["split_rest"]))
        );
        assert_eq!(files_of(&head, "/elsewhere"), None);
        assert_eq!(super::head("12ab", &Parts::new()), None);
    }

    #[test]
    fn every_first_part_is_one_of_the_console() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files = fs::read_to_string(root.join("console/src/pages/files.rs")).unwrap();
        let routes = fs::read_to_string(root.join("console/src/app/mod.rs")).unwrap();
        for (address, part) in FIRST {
            assert!(files.contains(&format!(" {part}, ")), "{part}");
            assert!(
                routes.contains(&format!("path!(\"{address}\")")),
                "{address}"
            );
        }
    }
}
