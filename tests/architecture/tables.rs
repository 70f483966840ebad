//! Reads the tables of ARCHITECTURE.md, which list the allowed imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use gbac_tests::vectors::root;

/// A table: each listed item, with the items that it may use.
pub(crate) struct Table {
    pub(crate) allowed: BTreeMap<String, BTreeSet<String>>,
    /// The items of its first row: in tables of modules, all may use them.
    pub(crate) first: BTreeSet<String>,
}

/// The table below a heading: the items of its column with this title, and what they may use.
pub(crate) fn read(heading: &str, listed: &str) -> Table {
    parse(
        &fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md"),
        heading,
        listed,
    )
}

/// The headings of tables of modules, each with its folder: `### Modules of the service
/// (server/src)`.
pub(crate) fn module_tables() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let headings = text
        .lines()
        .filter(|line| line.starts_with("### Modules of "));
    headings
        .map(|line| {
            (
                line.to_owned(),
                folder(line).unwrap_or_else(|| panic!("{line}: no folder")),
            )
        })
        .collect()
}

fn folder(heading: &str) -> Option<String> {
    Some(heading.split_once("(`")?.1.split_once("`)")?.0.to_owned())
}

fn parse(text: &str, heading: &str, listed: &str) -> Table {
    let section = text
        .lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = section
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let [titles, _, rows @ ..] = &rows[..] else {
        panic!("ARCHITECTURE.md has no table below `{heading}`")
    };
    let column = |title: &str| {
        let place = titles.iter().position(|known| *known == title);
        place.unwrap_or_else(|| panic!("the table below `{heading}` has no column `{title}`"))
    };
    let (listed, uses) = (column(listed), column("may use"));
    let (mut allowed, mut first) = (BTreeMap::new(), BTreeSet::new());
    for row in rows {
        let names = quoted(row[listed]);
        if names.is_empty() {
            continue;
        }
        let may = match row[uses] {
            "all above" => allowed.keys().cloned().collect(),
            "nothing" => BTreeSet::new(),
            cell => {
                let may: BTreeSet<String> = quoted(cell).into_iter().collect();
                assert!(
                    !may.is_empty(),
                    "`{heading}`: `{cell}` is neither names in backticks, `nothing` nor `all above`"
                );
                may
            }
        };
        let unknown = may.iter().find(|name| !allowed.contains_key(*name));
        assert!(
            unknown.is_none(),
            "`{heading}`: {} may use {unknown:?}, which no row above lists",
            row[listed]
        );
        if allowed.is_empty() {
            first.extend(names.iter().cloned());
        }
        allowed.extend(names.into_iter().map(|name| (name, may.clone())));
    }
    Table { allowed, first }
}

/// The texts in backticks of a cell.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_table_is_read_from_the_page() {
    let page = "## A\n\n| module | what it is | may use |\n|---|---|---|\n| `a`, `b` | x | nothing |\n| `c` | y | `a` |\n| `d` | z | all above |\n\n## B\n";
    let table = parse(page, "## A", "module");
    assert_eq!(table.first, ["a", "b"].map(String::from).into());
    let may = |name: &str| {
        table.allowed[name]
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [may("a"), may("b"), may("c"), may("d")],
        [vec![], vec![], vec!["a"], vec!["a", "b", "c"]]
    );
    assert_eq!(
        folder("### Modules of the service (`server/src`)").as_deref(),
        Some("server/src")
    );
}
