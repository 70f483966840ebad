//! The sizes of browser downloads and their limits.

use crate::problem::{Problem, Result};
use crate::tools;
use crate::workspace::Workspace;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// The name of the wasm module that everybody downloads, in the tables.
pub(crate) const ENGINE: &str = "engine, without `verify`";

/// The growth in percent since the recorded size that requires a reason, of the engine and of a
/// first visit.
const GROWTH_PERCENT: u64 = 2;

/// The file with the recorded sizes, the limits and the reasons for growths.
pub(crate) const RECORD: &str = "xtask/sizes.md";

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

/// Returns an error if a download exceeds its limit, or if the engine without `verify` or a first
/// visit of the console grew without a recorded reason.
pub(crate) fn check(workspace: &Workspace, sizes: &[Size]) -> Result<()> {
    let path = workspace.root.join(RECORD);
    let record = fs::read_to_string(&path)
        .map_err(|error| Problem::new(format!("cannot read `{}`: {error}", path.display())))?;
    for size in sizes {
        check_limit(size, &record)?;
        check_growth(size, &record)?;
    }
    Ok(())
}

fn check_limit(size: &Size, record: &str) -> Result<()> {
    let Some(limit) = rows(record, &size.name).find_map(|cells| match cells[..] {
        [limit] => number(limit),
        _ => None,
    }) else {
        return Ok(());
    };
    if size.brotli <= limit {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{} is {} bytes after brotli, over its limit of {}",
        size.name,
        grouped(size.brotli),
        grouped(limit)
    ))
    .hint("`twiggy top` on the wasm file of the profile `wasm` shows what weighs most"))
}

/// Returns an error if a download is noticeably larger than recorded and no reason is recorded.
fn check_growth(size: &Size, record: &str) -> Result<()> {
    let is_watched = size.name == ENGINE || FIRST_PAGES.map(first_load_name).contains(&size.name);
    if !is_watched {
        return Ok(());
    }
    let Some(recorded) = rows(record, &size.name).find_map(|cells| match cells[..] {
        [_, _, brotli] => number(brotli),
        _ => None,
    }) else {
        return Err(
            Problem::new(format!("{RECORD} has no size of `{}`", size.name))
                .hint("`cargo xtask sizes --write` writes it"),
        );
    };
    let has_reason = rows(record, &size.name).any(|cells| match cells[..] {
        [grew_to, reason] => number(grew_to) == Some(size.brotli) && !reason.is_empty(),
        _ => false,
    });
    if size.brotli * 100 <= recorded * (100 + GROWTH_PERCENT) || has_reason {
        return Ok(());
    }
    Err(Problem::new(format!(
        "{}: grew from {} to {} bytes after brotli, by more than {GROWTH_PERCENT}%",
        size.name,
        grouped(recorded),
        grouped(size.brotli)
    ))
    .hint(format!(
        "make it smaller (parts of the console may go into files of their own: console/src/pages/files.rs), or add the row `| {} | {} | REASON |` to {RECORD}; `cargo xtask sizes --write` then records it there",
        size.name,
        grouped(size.brotli)
    )))
}

/// The cells of the rows of a download in the tables of the record, after its name.
fn rows<'a>(record: &'a str, name: &str) -> impl Iterator<Item = Vec<&'a str>> {
    let start = format!("| {name} |");
    record.lines().filter_map(move |line| {
        let cells = line.strip_prefix(&start)?.trim_end().strip_suffix('|')?;
        Some(cells.split('|').map(str::trim).collect())
    })
}

/// Parses a number with commas between its thousands.
fn number(text: &str) -> Option<u64> {
    text.replace(',', "").parse().ok()
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
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ENGINE, Size, by_name, check_growth, check_limit, first_load_name, grouped, read, table,
    };

    const RECORD: &str = "\
        | file | bytes | gzip | brotli |\n|---|---:|---:|---:|\n\
        | engine, without `verify` | 329,423 | 141,618 | 100,000 |\n\
        | console, first load of `/security/roles` | 1,729,468 | 626,071 | 500,000 |\n\n\
        | file | limit |\n|---|---:|\n\
        | engine, without `verify` | 150,000 |\n\n\
        | file | grew to | reason |\n|---|---:|---|\n";

    fn download(name: &str, brotli: u64) -> Size {
        Size {
            name: name.to_owned(),
            raw: 1_234_567,
            gzip: 999,
            brotli,
        }
    }

    fn engine(brotli: u64) -> Size {
        download(ENGINE, brotli)
    }

    #[test]
    fn holds_a_download_to_its_limit() {
        assert!(check_limit(&engine(150_000), RECORD).is_ok());
        assert_eq!(
            check_limit(&engine(150_001), RECORD).unwrap_err().message(),
            "engine, without `verify` is 150,001 bytes after brotli, over its limit of 150,000"
        );
        assert!(check_limit(&download("console, css", 150_001), RECORD).is_ok());
    }

    #[test]
    fn growth_needs_a_reason_in_the_record() {
        assert!(check_growth(&engine(102_000), RECORD).is_ok());
        let with = |row: &str| format!("{RECORD}{row}\n");
        let explained = with("| engine, without `verify` | 102,001 | ranges of hosts |");
        assert!(check_growth(&engine(102_001), &explained).is_ok());
        for unexplained in [
            with("| engine, without `verify` | 102,001 | |"),
            with("| engine, without `verify` | 102,000 | ranges of hosts |"),
            with("| engine, with `verify` | 102,001 | ranges of hosts |"),
        ] {
            let problem = check_growth(&engine(102_001), &unexplained).unwrap_err();
            assert_eq!(
                problem.message(),
                "engine, without `verify`: grew from 100,000 to 102,001 bytes after brotli, by more than 2%"
            );
            let row = "`| engine, without `verify` | 102,001 | REASON |` to xtask/sizes.md";
            assert!(problem.to_string().contains(row), "{problem}");
        }
        assert!(check_growth(&engine(1), "no table").is_err());
    }

    #[test]
    fn a_first_visit_is_compared_with_the_recorded_one() {
        let first = |brotli| download(&first_load_name("/security/roles"), brotli);
        assert!(check_growth(&first(510_000), RECORD).is_ok());
        assert_eq!(
            check_growth(&first(510_001), RECORD).unwrap_err().message(),
            "console, first load of `/security/roles`: grew from 500,000 to 510,001 bytes after brotli, by more than 2%"
        );
        assert!(check_growth(&download("console, css", 1_000_000), RECORD).is_ok());
    }

    #[test]
    fn writes_a_table() {
        let table = table(&[engine(120)]);
        assert!(table.ends_with("| engine, without `verify` | 1,234,567 | 999 | 120 |\n"));
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
