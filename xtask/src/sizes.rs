//! `cargo xtask sizes`: what a browser downloads, measured, written down, and held to its limit.

use crate::bind::{Binder, Speed};
use crate::build_js::{self, Module};
use crate::console::{self, Build, Bundler};
use crate::problem::{Problem, Result};
use crate::progress::{Progress, say};
use crate::split;
use crate::tools;
use crate::workspace::Workspace;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The most that the engine without `verify` may weigh after brotli, in bytes.
const ENGINE_LIMIT: u64 = 150_000;

/// The most that a first visit of the console may download after brotli, in bytes.
const FIRST_LOAD_LIMIT: u64 = 450_000;
/// The addresses whose first visit is measured: where most begin, and what the console is first of all for.
const FIRST_PAGES: [&str; 2] = ["/security/roles", "/security/simulator"];

/// The marks between which `--write` puts the table.
const MARKS: (&str, &str) = ("<!-- sizes: begin -->", "<!-- sizes: end -->");

/// Node carries brotli; reading it from there spares a dependency that everybody would have to compile.
const MEASURE: &str = "
const { readFileSync } = require('node:fs');
const { gzipSync, brotliCompressSync } = require('node:zlib');
for (const file of process.argv.slice(1)) {
  const bytes = readFileSync(file);
  console.log(bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
}";

/// One thing that is downloaded; all in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Size {
    name: String,
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// `cargo xtask build-console`: into `dist/`, as it is published.
pub(crate) fn build_console(workspace: &Workspace) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let tools = Bundler {
        binder: Binder::build(workspace, &progress, Speed::Compile)?,
        wasm_opt: Some(tools::wasm_opt(workspace, &progress)?),
        wasm_split: Some(tools::wasm_split(workspace, &progress)?),
    };
    release_console(workspace, &progress, &tools)?;
    let sizes = measure(workspace, &console_files(workspace)?)?;
    say(&format!("\n{}", table(&sizes)));
    check(&sizes)
}

/// `cargo xtask sizes`: builds everything as it is published, prints the table and checks the limit.
pub(crate) fn run(workspace: &Workspace, write: bool) -> Result<()> {
    let progress = Progress::new();
    tools::rust(workspace, &progress)?;
    let binder = Binder::build(workspace, &progress, Speed::Compile)?;
    let wasm_opt = tools::wasm_opt(workspace, &progress)?;
    let mut sizes = build_js::build(workspace, &progress, &binder, &wasm_opt)?;
    let wasm_split = Some(tools::wasm_split(workspace, &progress)?);
    let tools = Bundler { binder, wasm_opt: Some(wasm_opt), wasm_split };
    release_console(workspace, &progress, &tools)?;
    sizes.extend(measure(workspace, &console_files(workspace)?)?);

    let json = workspace.notes().join("sizes.json");
    fs::create_dir_all(workspace.notes())
        .and_then(|()| fs::write(&json, to_json(&sizes)))
        .map_err(|error| Problem::new(format!("cannot write `{}`: {error}", json.display())))?;
    say(&format!("\n{}\n{}", table(&sizes), json.display()));
    if write {
        write_into(&workspace.root.join("docs/benchmarks.md"), MARKS, &table(&sizes))?;
    }
    check(&sizes)
}

fn release_console(workspace: &Workspace, progress: &Progress, tools: &Bundler) -> Result<()> {
    if console::is_fresh(workspace, Build::Release) {
        progress.quick("console").done("unchanged");
        return Ok(());
    }
    console::compile(workspace, progress, Build::Release)?;
    console::bundle(workspace, progress, Build::Release, tools)
}

/// The files of `dist/` that make up the page, by kind; names carry hashes, so the kind is what a table can name.
fn console_files(workspace: &Workspace) -> Result<Vec<(String, PathBuf)>> {
    let dist = workspace.root.join("dist");
    let failed = |error| Problem::new(format!("cannot read `{}`: {error}", dist.display()));
    let mut files = Vec::new();
    for entry in fs::read_dir(&dist).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if let "wasm" | "js" | "css" | "html" = ending {
            files.push((format!("console, {ending}"), path));
        }
    }
    files.sort();
    files.reverse();
    let page = fs::read_to_string(dist.join("index.html")).map_err(failed)?;
    for address in FIRST_PAGES {
        let first = first_load(&page, address).into_iter().chain(["index.html".to_owned()]);
        files.extend(first.map(|name| (first_load_name(address), dist.join(name))));
    }
    Ok(files)
}

/// What the tables call the first visit of an address.
fn first_load_name(address: &str) -> String {
    format!("console, first load of `{address}`")
}

/// The names of the files that the page has a browser fetch before the console draws what this address shows: those that
/// it links, and those that it lists for the address.
fn first_load(page: &str, address: &str) -> Vec<String> {
    let linked = page.split(['"', '\'']).filter_map(|text| text.strip_prefix('/'));
    let mut names: Vec<String> = linked
        .filter(|name| matches!(name.rsplit_once('.'), Some((_, "css" | "js" | "wasm" | "svg"))))
        .map(str::to_owned)
        .collect();
    if let Some((hash, files)) = split::files_of(page, address) {
        names.extend(files.iter().map(|file| format!("{file}-{hash}.wasm")));
    }
    names.sort();
    names.dedup();
    names
}

/// Measures files, each compressed by itself, and adds up those with the same name.
pub(crate) fn measure(workspace: &Workspace, files: &[(String, PathBuf)]) -> Result<Vec<Size>> {
    let lines =
        tools::node(&workspace.root)?.args(["-e", MEASURE]).args(files.iter().map(|(_, path)| path)).succeed(None)?;
    let sizes = lines.iter().zip(files).filter_map(|(line, (name, _))| read(name, line));
    let sizes: Vec<Size> = sizes.collect();
    if sizes.len() == files.len() {
        Ok(by_name(sizes))
    } else {
        Err(Problem::new("node measured something else than was asked").output(lines))
    }
}

/// Adds up the sizes of files with the same name, which lie side by side.
fn by_name(sizes: Vec<Size>) -> Vec<Size> {
    let mut sums: Vec<Size> = Vec::new();
    for size in sizes {
        match sums.last_mut().filter(|last| last.name == size.name) {
            Some(last) => {
                last.raw += size.raw;
                last.gzip += size.gzip;
                last.brotli += size.brotli;
            }
            None => sums.push(size),
        }
    }
    sums
}

/// Reads `raw gzip brotli`.
fn read(name: &str, line: &str) -> Option<Size> {
    let mut numbers = line.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    Some(Size { name: name.to_owned(), raw: next()?, gzip: next()?, brotli: next()? })
}

/// The sizes as a Markdown table.
pub(crate) fn table(sizes: &[Size]) -> String {
    let mut text = String::from("| file | bytes | gzip | brotli |\n|---|---:|---:|---:|\n");
    for size in sizes {
        let (raw, gzip, brotli) = (grouped(size.raw), grouped(size.gzip), grouped(size.brotli));
        writeln!(text, "| {} | {raw} | {gzip} | {brotli} |", size.name).ok();
    }
    text
}

/// The sizes as JSON.
fn to_json(sizes: &[Size]) -> String {
    let rows: Vec<String> = sizes
        .iter()
        .map(|size| {
            let Size { name, raw, gzip, brotli } = size;
            format!("  {{ \"name\": \"{name}\", \"bytes\": {raw}, \"gzip\": {gzip}, \"brotli\": {brotli} }}")
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// An error when the engine without `verify`, or a first visit of the console, is over its limit.
pub(crate) fn check(sizes: &[Size]) -> Result<()> {
    for name in FIRST_PAGES.map(first_load_name) {
        if let Some(size) = sizes.iter().find(|size| size.name == name && size.brotli > FIRST_LOAD_LIMIT) {
            return Err(Problem::new(format!(
                "the {name} is {} bytes after brotli, over its limit of {}",
                grouped(size.brotli),
                grouped(FIRST_LOAD_LIMIT)
            ))
            .hint("more of it may go into chunks of its own: console/src/pages/files.rs"));
        }
    }
    match sizes.iter().find(|size| size.name == Module::Engine.title()) {
        Some(size) if size.brotli > ENGINE_LIMIT => Err(Problem::new(format!(
            "the engine is {} bytes after brotli, over its limit of {}",
            grouped(size.brotli),
            grouped(ENGINE_LIMIT)
        ))
        .hint("`twiggy top` on the wasm file of the profile `wasm` shows what weighs most")),
        _ => Ok(()),
    }
}

/// What the engine without `verify` weighs after brotli, in bytes; 0 when it is not among the sizes.
pub(crate) fn engine_brotli(sizes: &[Size]) -> u64 {
    sizes.iter().find(|size| size.name == Module::Engine.title()).map_or(0, |size| size.brotli)
}

/// Puts tables between two marks of a document.
pub(crate) fn write_into(document: &Path, marks: (&str, &str), tables: &str) -> Result<()> {
    let failed = |error| Problem::new(format!("cannot write `{}`: {error}", document.display()));
    let text = fs::read_to_string(document).map_err(failed)?;
    let replaced = between_marks(&text, marks, tables).ok_or_else(|| {
        Problem::new(format!("`{}` does not have the marks `{}` and `{}`", document.display(), marks.0, marks.1))
    })?;
    fs::write(document, replaced).map_err(failed)
}

fn between_marks(text: &str, (begin, end): (&str, &str), tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{tables}{end}{after}"))
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{
        ENGINE_LIMIT, FIRST_LOAD_LIMIT, MARKS, Module, Size, between_marks, by_name, check, first_load,
        first_load_name, grouped, read, table, to_json,
    };

    fn engine(brotli: u64) -> Vec<Size> {
        vec![Size { name: Module::Engine.title().to_owned(), raw: 1_234_567, gzip: 999, brotli }]
    }

    #[test]
    fn holds_the_engine_to_its_limit() {
        assert!(check(&engine(ENGINE_LIMIT)).is_ok());
        let problem = check(&engine(ENGINE_LIMIT + 1)).unwrap_err();
        assert_eq!(problem.message(), "the engine is 150,001 bytes after brotli, over its limit of 150,000");
    }

    #[test]
    fn holds_a_first_visit_to_its_limit() {
        let first = |brotli| vec![Size { name: first_load_name("/security/roles"), raw: 1, gzip: 1, brotli }];
        assert!(check(&first(FIRST_LOAD_LIMIT)).is_ok());
        assert_eq!(
            check(&first(FIRST_LOAD_LIMIT + 1)).unwrap_err().message(),
            "the console, first load of `/security/roles` is 450,001 bytes after brotli, over its limit of 450,000"
        );
    }

    #[test]
    fn a_first_visit_is_what_the_page_links_and_lists() {
        let page = "<link href=\"/app-1.css\"/><script src=\"/theme-2.js\"></script><a href=\"/security/roles\">\
            <script>for (const file of {\"/\":[\"split_a\"],\"/security/roles\":[\"chunk_1\",\"split_b\"],}[x]) {\
            href: `/${file}-0aF.wasm`</script><script>import x from '/gbac-console-0aF.js';</script>";
        let both = ["app-1.css", "gbac-console-0aF.js", "theme-2.js"];
        let with = |more: &[&'static str]| {
            let mut names = [&both[..], more].concat();
            names.sort_unstable();
            names
        };
        assert_eq!(first_load(page, "/security/roles"), with(&["chunk_1-0aF.wasm", "split_b-0aF.wasm"]));
        assert_eq!(first_load(page, "/"), with(&["split_a-0aF.wasm"]));
        assert_eq!(first_load(page, "/elsewhere"), with(&[]));
    }

    #[test]
    fn writes_tables_and_json() {
        let sizes = engine(120);
        assert!(table(&sizes).ends_with("| engine, without `verify` | 1,234,567 | 999 | 120 |\n"));
        let json =
            "[\n  { \"name\": \"engine, without `verify`\", \"bytes\": 1234567, \"gzip\": 999, \"brotli\": 120 }\n]\n";
        assert_eq!(to_json(&sizes), json);
        assert_eq!([7, 1000, 12_345].map(grouped), ["7", "1,000", "12,345"]);
    }

    #[test]
    fn replaces_only_what_stands_between_the_marks() {
        let text = "# Sizes\n<!-- sizes: begin -->\nold\n<!-- sizes: end -->\nend\n";
        let new = "# Sizes\n<!-- sizes: begin -->\nnew\n<!-- sizes: end -->\nend\n";
        assert_eq!(between_marks(text, MARKS, "new\n").as_deref(), Some(new));
        assert_eq!(between_marks("no marks", MARKS, "new"), None);
    }

    #[test]
    fn adds_up_files_of_one_kind() {
        let size = |name: &str, raw| Size { name: name.to_owned(), raw, gzip: 2, brotli: 1 };
        let sums = by_name(vec![size("js", 10), size("js", 5), size("css", 7)]);
        let js = Size { name: "js".to_owned(), raw: 15, gzip: 4, brotli: 2 };
        assert_eq!(sums, [js, size("css", 7)]);
    }

    #[test]
    fn reads_only_whole_lines_of_numbers() {
        let size = Size { name: "x".to_owned(), raw: 3, gzip: 2, brotli: 1 };
        assert_eq!(read("x", "3 2 1"), Some(size));
        assert_eq!(read("x", "3 2"), None);
        assert_eq!(read("x", "Error: ENOENT"), None);
    }
}
