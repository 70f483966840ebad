//! The sizes of browser downloads and their limits.

use crate::problem::{Problem, Result};
use crate::tools;
use crate::workspace::Workspace;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The name of the wasm module that everybody downloads, in the tables.
pub(crate) const ENGINE: &str = "engine, without `verify`";

/// The most bytes of the engine without `verify` after brotli.
const ENGINE_LIMIT: u64 = 150_000;

/// The growth in percent since the recorded size that requires a sentence in the changelog, of the
/// engine and of a first visit.
const GROWTH_PERCENT: u64 = 2;
/// The page with the recorded sizes.
pub(crate) const PAGE: &str = "docs/benchmarks.md";

/// The paths whose first visit is measured: the page where most users begin, and the console's main
/// feature.
pub(crate) const FIRST_PAGES: [&str; 2] = ["/security/roles", "/security/simulator"];

/// Node contains brotli, which avoids a dependency that everybody would have to compile.
const MEASURE: &str = "
const { readFileSync } = require('node:fs');
const { gzipSync, brotliCompressSync } = require('node:zlib');
for (const file of process.argv.slice(1)) {
  const bytes = readFileSync(file);
  console.log(bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
}";

/// The sizes of one download in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Size {
    name: String,
    raw: u64,
    gzip: u64,
    brotli: u64,
}

/// The name of the first visit of a path, in the tables.
pub(crate) fn first_load_name(address: &str) -> String {
    format!("console, first load of `{address}`")
}

/// Measures files, each compressed separately, and adds up those with the same name.
pub(crate) fn measure(workspace: &Workspace, files: &[(String, PathBuf)]) -> Result<Vec<Size>> {
    let lines = tools::node(&workspace.root)?
        .args(["-e", MEASURE])
        .args(files.iter().map(|(_, path)| path))
        .succeed(None)?;
    let sizes = lines
        .iter()
        .zip(files)
        .filter_map(|(line, (name, _))| read(name, line));
    let sizes: Vec<Size> = sizes.collect();
    if sizes.len() == files.len() {
        Ok(by_name(sizes))
    } else {
        Err(Problem::new("node did not measure every file").output(lines))
    }
}

/// Adds up the sizes of adjacent files with the same name.
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

/// Parses `raw gzip brotli`.
fn read(name: &str, line: &str) -> Option<Size> {
    let mut numbers = line.split_whitespace().map(str::parse::<u64>);
    let mut next = || numbers.next()?.ok();
    Some(Size {
        name: name.to_owned(),
        raw: next()?,
        gzip: next()?,
        brotli: next()?,
    })
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
pub(crate) fn to_json(sizes: &[Size]) -> String {
    let rows: Vec<String> = sizes
        .iter()
        .map(|size| {
            let Size { name, raw, gzip, brotli } = size;
            format!("  {{ \"name\": \"{name}\", \"bytes\": {raw}, \"gzip\": {gzip}, \"brotli\": {brotli} }}")
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// Returns an error if the engine without `verify` exceeds its limit, or if it or a first visit of
/// the console grew and the changelog does not mention it.
pub(crate) fn check(workspace: &Workspace, sizes: &[Size]) -> Result<()> {
    limit(sizes)?;
    let read = |name: &str| {
        let path = workspace.root.join(name);
        fs::read_to_string(&path)
            .map_err(|error| Problem::new(format!("cannot read `{}`: {error}", path.display())))
    };
    growth(sizes, &read(PAGE)?, &read("CHANGELOG.md")?)
}

fn limit(sizes: &[Size]) -> Result<()> {
    match sizes.iter().find(|size| size.name == ENGINE) {
        Some(size) if size.brotli > ENGINE_LIMIT => Err(Problem::new(format!(
            "the engine is {} bytes after brotli, over its limit of {}",
            grouped(size.brotli),
            grouped(ENGINE_LIMIT)
        ))
        .hint("`twiggy top` on the wasm file of the profile `wasm` shows what weighs most")),
        _ => Ok(()),
    }
}

/// Returns an error if a download is noticeably larger than recorded and the changelog does not
/// mention its size.
fn growth(sizes: &[Size], page: &str, changelog: &str) -> Result<()> {
    let watched = [ENGINE.to_owned()]
        .into_iter()
        .chain(FIRST_PAGES.map(first_load_name));
    for name in watched {
        let Some(now) = sizes
            .iter()
            .find(|size| size.name == name)
            .map(|size| size.brotli)
        else {
            continue;
        };
        let Some(recorded) = recorded(page, &name) else {
            return Err(Problem::new(format!("{PAGE} has no row `{name}`"))
                .hint("`cargo xtask sizes --write` writes it"));
        };
        let is_mentioned = || changelog.contains(&format!("{} bytes", grouped(now)));
        if now * 100 > recorded * (100 + GROWTH_PERCENT) && !is_mentioned() {
            return Err(Problem::new(format!(
                "{name}: grew from {} to {} bytes after brotli, by more than {GROWTH_PERCENT}%",
                grouped(recorded),
                grouped(now)
            ))
            .hint(format!(
                "make it smaller (parts of the console may go into files of their own: console/src/pages/files.rs), or say why in CHANGELOG.md, with the words `{} bytes`; `cargo xtask sizes --write` then records it in {PAGE}",
                grouped(now)
            )));
        }
    }
    Ok(())
}

/// The recorded size of a download, after brotli.
fn recorded(page: &str, name: &str) -> Option<u64> {
    let row = page
        .lines()
        .find_map(|line| line.strip_prefix(&format!("| {name} |")))?;
    row.trim_end_matches('|')
        .rsplit('|')
        .next()?
        .trim()
        .replace(',', "")
        .parse()
        .ok()
}

/// The size of the engine without `verify` after brotli, in bytes; 0 if it is absent.
pub(crate) fn engine_brotli(sizes: &[Size]) -> u64 {
    sizes
        .iter()
        .find(|size| size.name == ENGINE)
        .map_or(0, |size| size.brotli)
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
        ENGINE, ENGINE_LIMIT, Size, by_name, first_load_name, grouped, growth, limit, read, table,
        to_json,
    };

    fn engine(brotli: u64) -> Vec<Size> {
        vec![Size {
            name: ENGINE.to_owned(),
            raw: 1_234_567,
            gzip: 999,
            brotli,
        }]
    }

    #[test]
    fn holds_the_engine_to_its_limit() {
        assert!(limit(&engine(ENGINE_LIMIT)).is_ok());
        let problem = limit(&engine(ENGINE_LIMIT + 1)).unwrap_err();
        assert_eq!(
            problem.message(),
            "the engine is 150,001 bytes after brotli, over its limit of 150,000"
        );
    }

    #[test]
    fn growth_needs_a_sentence_in_the_changelog() {
        let page = "| file | bytes | gzip | brotli |\n|---|---:|---:|---:|\n| engine, without `verify` | 329,423 | 141,618 | 100,000 |\n";
        assert!(growth(&engine(102_000), page, "").is_ok());
        assert!(
            growth(
                &engine(102_001),
                page,
                "The engine is now 102,001 bytes after brotli."
            )
            .is_ok()
        );
        let problem =
            growth(&engine(102_001), page, "The engine is now 102,000 bytes.").unwrap_err();
        assert_eq!(
            problem.message(),
            "engine, without `verify`: grew from 100,000 to 102,001 bytes after brotli, by more than 2%"
        );
        assert!(problem.to_string().contains("CHANGELOG.md"), "{problem}");
        assert!(
            problem.to_string().contains("docs/benchmarks.md"),
            "{problem}"
        );
        assert!(growth(&engine(1), "no table", "").is_err());
    }

    #[test]
    fn a_first_visit_is_compared_with_the_recorded_one() {
        let first = |brotli| {
            vec![Size {
                name: first_load_name("/security/roles"),
                raw: 1,
                gzip: 1,
                brotli,
            }]
        };
        let page = "| console, first load of `/security/roles` | 1,729,468 | 626,071 | 500,000 |\n";
        assert!(growth(&first(510_000), page, "").is_ok());
        assert_eq!(
            growth(&first(510_001), page, "").unwrap_err().message(),
            "console, first load of `/security/roles`: grew from 500,000 to 510,001 bytes after brotli, by more than 2%"
        );
        assert!(growth(&first(510_001), page, "A first visit costs 510,001 bytes.").is_ok());
        assert!(growth(&first(1), "no table", "").is_err());
    }

    #[test]
    fn writes_tables_and_json() {
        let sizes = engine(120);
        assert!(table(&sizes).ends_with("| engine, without `verify` | 1,234,567 | 999 | 120 |\n"));
        let json = "[\n  { \"name\": \"engine, without `verify`\", \"bytes\": 1234567, \"gzip\": 999, \"brotli\": 120 }\n]\n";
        assert_eq!(to_json(&sizes), json);
        assert_eq!([7, 1000, 12_345].map(grouped), ["7", "1,000", "12,345"]);
    }

    #[test]
    fn adds_up_files_of_one_kind() {
        let size = |name: &str, raw| Size {
            name: name.to_owned(),
            raw,
            gzip: 2,
            brotli: 1,
        };
        let sums = by_name(vec![size("js", 10), size("js", 5), size("css", 7)]);
        let js = Size {
            name: "js".to_owned(),
            raw: 15,
            gzip: 4,
            brotli: 2,
        };
        assert_eq!(sums, [js, size("css", 7)]);
    }

    #[test]
    fn reads_only_whole_lines_of_numbers() {
        let size = Size {
            name: "x".to_owned(),
            raw: 3,
            gzip: 2,
            brotli: 1,
        };
        assert_eq!(read("x", "3 2 1"), Some(size));
        assert_eq!(read("x", "3 2"), None);
        assert_eq!(read("x", "Error: ENOENT"), None);
    }
}
