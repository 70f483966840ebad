//! Tests that no two public types of the libraries share a name.

use std::collections::{BTreeMap, BTreeSet};

use super::crates;
use super::modules::{ModulePath, Tree, trees};
use super::must_be_empty;

/// Crates whose public types may share names with others, and the reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    (
        "gbac_wasm",
        "its types are JavaScript's classes; no Rust code imports them, and in JavaScript there are no others",
    ),
    (
        "gbac_tests",
        "the oracle models the same things apart from the engine, for tests only",
    ),
    ("gbac_bench", "measurements; nothing imports them"),
];

#[test]
fn no_two_public_types_share_a_name() {
    // Each name with the crate and module of its definition.
    let mut names: BTreeMap<String, BTreeSet<(String, ModulePath, String)>> = BTreeMap::new();
    for package in crates::all() {
        let Some(root) = package
            .library()
            .filter(|_| EXCEPTIONS.iter().all(|(name, _)| *name != package.name))
        else {
            continue;
        };
        let tree = &trees()[root];
        let mut public = BTreeSet::new();
        collect(tree, &Vec::new(), &mut public, 0);
        for (name, module, original) in public {
            names
                .entry(name)
                .or_default()
                .insert((package.name.clone(), module, original));
        }
    }
    assert!(names.len() > 100, "public types are found");
    let place = |(package, module, name): &(String, ModulePath, String)| {
        let parts = [package].into_iter().chain(module).chain([name]);
        parts.map(String::as_str).collect::<Vec<_>>().join("::")
    };
    let shared = names
        .iter()
        .filter(|(_, types)| types.len() > 1)
        .map(|(name, types)| {
            let places: Vec<String> = types.iter().map(place).collect();
            format!("`{name}`: {}", places.join(", "))
        });
    must_be_empty(
        "public types that share a name",
        &shared.collect::<Vec<_>>(),
    );
}

/// Collects the types that other crates can access through a module, each with the module of its
/// definition and its name there.
fn collect(
    tree: &Tree,
    path: &ModulePath,
    found: &mut BTreeSet<(String, ModulePath, String)>,
    depth: usize,
) {
    let module = &tree.modules[path];
    for name in module
        .types
        .iter()
        .filter(|(_, is_public)| **is_public)
        .map(|(name, _)| name)
    {
        found.insert((name.clone(), path.clone(), name.clone()));
    }
    for (name, import) in module.imports.iter().filter(|(_, import)| import.is_public) {
        match tree.find(path, &import.path, 0) {
            Some((_, defined, true)) if depth < 8 => collect(tree, &defined, found, depth + 1),
            Some((_, defined, false)) => {
                let original = import.path.last().unwrap_or(name);
                if tree.modules[&defined].types.contains_key(original) {
                    found.insert((name.clone(), defined, original.clone()));
                }
            }
            _ => {}
        }
    }
    for glob in module
        .globs
        .iter()
        .filter(|glob| glob.is_public && depth < 8)
    {
        if let Some((_, defined, true)) = tree.find(path, &glob.path, 0) {
            collect(tree, &defined, found, depth + 1);
        }
    }
    let children = tree.modules.iter().filter(|(child, module)| {
        child.len() == path.len() + 1 && child.starts_with(path) && module.is_public && depth < 8
    });
    for (child, _) in children {
        collect(tree, child, found, depth + 1);
    }
}
