//! Finds files that import each other in a circle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For each file, the files from which it imports, with the names.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Describes each circle: the number of its files, and its shortest cycle with the imported names.
pub(crate) fn find(imports: &Imports) -> Vec<String> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = imports
        .keys()
        .map(|file| (file.as_str(), reach(imports, file)))
        .collect();
    let mut described = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (file, others) in &reached {
        if !others.contains(file) || seen.contains(file) {
            continue;
        }
        let tied: BTreeSet<&str> = others
            .iter()
            .copied()
            .filter(|other| reached.get(other).is_some_and(|back| back.contains(file)))
            .collect();
        seen.extend(&tied);
        let shortest = tied
            .iter()
            .filter_map(|file| way_round(imports, file))
            .min_by_key(Vec::len)
            .unwrap_or_default();
        let all: Vec<&str> = tied.into_iter().collect();
        described.push(format!(
            "{} files ({}):\n    {}",
            all.len(),
            all.join(", "),
            spell(imports, &shortest)
        ));
    }
    described
}

/// All files that a file imports directly or indirectly.
fn reach<'a>(imports: &'a Imports, start: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        for next in imports.get(file).into_iter().flat_map(BTreeMap::keys) {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

/// The shortest cycle from a file back to itself.
fn way_round<'a>(imports: &'a Imports, start: &'a str) -> Option<Vec<&'a str>> {
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for next in imports.get(file).into_iter().flat_map(BTreeMap::keys) {
            if next == start {
                let mut way = vec![start, file];
                while let Some(earlier) = way.last().and_then(|file| before.get(file)) {
                    way.push(earlier);
                }
                way.reverse();
                way.dedup();
                return Some(way);
            }
            if !before.contains_key(next.as_str()) {
                before.insert(next, file);
                open.push_back(next);
            }
        }
    }
    None
}

fn spell(imports: &Imports, way: &[&str]) -> String {
    let mut text = way
        .first()
        .map(|file| (*file).to_owned())
        .unwrap_or_default();
    for pair in way.windows(2) {
        let names: Vec<&str> = imports[pair[0]][pair[1]]
            .iter()
            .map(String::as_str)
            .collect();
        text.push_str(&format!("\n    -> {} ({})", pair[1], names.join(", ")));
    }
    text
}

#[test]
fn a_circle_is_found_and_its_names_are_said() {
    let mut imports = Imports::new();
    for (from, to, name) in [
        ("a.rs", "b.rs", "crate::b::B"),
        ("b.rs", "c.rs", "super::c"),
        ("c.rs", "a.rs", "crate::a::A"),
        ("c.rs", "d.rs", "x::D"),
    ] {
        imports
            .entry(from.to_owned())
            .or_default()
            .entry(to.to_owned())
            .or_default()
            .insert(name.to_owned());
    }
    let circle = "3 files (a.rs, b.rs, c.rs):\n    a.rs\n    -> b.rs (crate::b::B)\n    -> c.rs (super::c)\n    -> a.rs (crate::a::A)";
    assert_eq!(find(&imports), [circle]);
    imports.remove("b.rs");
    assert!(find(&imports).is_empty());
}
