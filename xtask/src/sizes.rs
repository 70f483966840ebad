//! `cargo xtask sizes`: measures browser downloads, records them, and compares them with their
//! limits.

use crate::bind::{Binder, Speed};
use crate::build_js;
use crate::console;
use crate::download_size::{FIRST_PAGES, RECORD, check, first_load_name, measure, table};
use crate::problem::{Problem, Result};
use crate::progress::{Progress, say};
use crate::split;
use crate::tools;
use crate::workspace::Workspace;
use std::fs;
use std::path::{Path, PathBuf};

/// The marks around the table that `--write` replaces.
const MARKS: (&str, &str) = ("<!-- sizes: begin -->", "<!-- sizes: end -->");

/// `cargo xtask build-console`: builds the published console into `dist/`.
pub(crate) fn build_console(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let binder = Binder::build(workspace, &progress, Speed::Compile)?;
    console::publish(workspace, &progress, binder)?;
    let sizes = measure(workspace, &console_files(workspace)?)?;
    say(&format!("\n{}", table(&sizes)));
    check(workspace, &sizes)
}

/// `cargo xtask sizes`: builds everything for publishing, prints the table and checks the limits.
pub(crate) fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let binder = Binder::build(workspace, &progress, Speed::Compile)?;
    let wasm_opt = tools::wasm_opt(workspace, &progress)?;
    let mut sizes = build_js::build(workspace, &progress, &binder, &wasm_opt)?;
    console::publish(workspace, &progress, binder)?;
    sizes.extend(measure(workspace, &console_files(workspace)?)?);

    say(&format!("\n{}", table(&sizes)));
    // Checked first, because later changes are compared with the recorded sizes.
    check(workspace, &sizes)?;
    if write {
        write_into(&workspace.root.join(RECORD), MARKS, &table(&sizes))?;
    }
    Ok(())
}

/// The files of the page in `dist/`, by kind, because their names contain hashes.
fn console_files(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let dist = workspace.root.join("dist");
    let failed = |error| Problem::new(format!("cannot read `{}`: {error}", dist.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(&dist).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or("");
        if let "wasm" | "js" | "css" | "html" = ending {
            files.push((format!("console, {ending}"), path));
        }
    }
    files.sort();
    files.reverse();
    let page = fs::read_to_string(dist.join("index.html")).map_err(failed)?;
    for address in FIRST_PAGES {
        let first = first_load(&page, address)
            .into_iter()
            .chain(["index.html".to_owned()]);
        files.extend(first.map(|name| (first_load_name(address), dist.join(name))));
    }
    Ok(files)
}

/// The names of the files that a browser fetches before the console can draw this path: those that
/// the page links, and those that it lists for the path.
fn first_load(page: &str, address: &str) -> Vec<String> {
    let linked = page
        .split(['"', '\''])
        .filter_map(|text| text.strip_prefix('/'));
    let mut names: Vec<String> = linked
        .filter(|name| {
            matches!(
                name.rsplit_once('.'),
                Some((_, "css" | "js" | "wasm" | "svg"))
            )
        })
        .map(str::to_owned)
        .collect();
    if let Some((hash, files)) = split::files_of(page, address) {
        names.extend(files.iter().map(|file| format!("{file}-{hash}.wasm")));
    }
    names.sort();
    names.dedup();
    names
}

/// Replaces the text between two marks of a document.
fn write_into(document: &Path, marks: (&str, &str), tables: &str) -> Result<()> {
    let failed = |error| Problem::new(format!("cannot write `{}`: {error}", document.display()));
    let text = fs::read_to_string(document).map_err(failed)?;
    let replaced = between_marks(&text, marks, tables).ok_or_else(|| {
        Problem::new(format!(
            "`{}` does not have the marks `{}` and `{}`",
            document.display(),
            marks.0,
            marks.1
        ))
    })?;
    fs::write(document, replaced).map_err(failed)
}

fn between_marks(text: &str, (begin, end): (&str, &str), tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{tables}{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::{MARKS, between_marks, first_load};

    #[test]
    fn first_visits_fetch_linked_and_listed_files() {
        let page = "<link href=\"/app-1.css\"/><script src=\"/theme-2.js\"></script><a href=\"/security/roles\">\
            <script>for (const file of {\"/\":[\"split_a\"],\"/security/roles\":[\"chunk_1\",\"split_b\"],}[x]) {\
            href: `/${file}-0aF.wasm`</script><script>import x from '/gbac-console-0aF.js';</script>";
        let both = ["app-1.css", "gbac-console-0aF.js", "theme-2.js"];
        let with = |more: &[&'static str]| {
            let mut names = [&both[..], more].concat();
            names.sort_unstable();
            names
        };
        assert_eq!(
            first_load(page, "/security/roles"),
            with(&["chunk_1-0aF.wasm", "split_b-0aF.wasm"])
        );
        assert_eq!(first_load(page, "/"), with(&["split_a-0aF.wasm"]));
        assert_eq!(first_load(page, "/elsewhere"), with(&[]));
    }

    #[test]
    fn replaces_only_the_text_between_the_marks() {
        let text = "# Sizes\n<!-- sizes: begin -->\nold\n<!-- sizes: end -->\nend\n";
        let new = "# Sizes\n<!-- sizes: begin -->\nnew\n<!-- sizes: end -->\nend\n";
        assert_eq!(between_marks(text, MARKS, "new\n").as_deref(), Some(new));
        assert_eq!(between_marks("no marks", MARKS, "new"), None);
    }
}
