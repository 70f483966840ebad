//! Tests that crates, modules and files import only what the tables allow.

use std::collections::BTreeSet;

use super::circles::{self, Imports};
use super::crates;
use super::modules::{Use, trees};
use super::tables::{self, Table};
use super::{must_be_empty, sources, workspace};

#[test]
fn no_files_import_each_other_in_a_circle() {
    let mut imports = Imports::new();
    for tree in trees().values() {
        for Use {
            from,
            defined,
            name,
            ..
        } in tree.uses()
        {
            // A parent that uses its own children is allowed, because it is at the top of its
            // folder.
            if !defined.starts_with(&from) {
                let [from, to] = [&from, &defined].map(|path| tree.modules[path].file.clone());
                imports
                    .entry(from)
                    .or_default()
                    .entry(to)
                    .or_default()
                    .insert(name);
            }
        }
    }
    assert!(imports.len() > 100, "imports are found");
    must_be_empty(
        "files that import each other in a circle",
        &circles::find(&imports),
    );
}

/// Two folders, or a file and a folder, can form a circle even if no two of their files do.
#[test]
fn no_folders_import_each_other_in_a_circle() {
    let mut imports = Imports::new();
    for (root, tree) in trees() {
        for Use {
            from,
            defined,
            name,
            ..
        } in tree.uses()
        {
            let common = from
                .iter()
                .zip(&defined)
                .take_while(|(one, other)| one == other)
                .count();
            if common < from.len() && common < defined.len() {
                let [from, to] =
                    [&from, &defined].map(|path| format!("{root}: {}", path[..=common].join("::")));
                imports
                    .entry(from)
                    .or_default()
                    .entry(to)
                    .or_default()
                    .insert(name);
            }
        }
    }
    must_be_empty(
        "modules beside each other that import each other in a circle",
        &circles::find(&imports),
    );
}

#[test]
fn every_file_belongs_to_a_crate() {
    let mut known = BTreeSet::new();
    for tree in trees().values() {
        known.extend(tree.modules.values().map(|module| module.file.clone()));
        known.extend(tree.test_files.iter().cloned());
    }
    let unknown = workspace()
        .into_iter()
        .map(|source| source.name)
        .filter(|name| !known.contains(name));
    must_be_empty("files that no `mod` names", &unknown.collect::<Vec<_>>());
}

#[test]
fn crates_depend_on_what_the_table_of_folders_allows() {
    let allowed = tables::read("## Folders", "crate").allowed;
    let packages = crates::all();
    let is_crate = |name: &str| {
        packages
            .iter()
            .any(|package| package.name.replace('_', "-") == name)
    };
    let mut found: Vec<String> = allowed
        .keys()
        .filter(|name| !is_crate(name))
        .map(|name| format!("there is no crate `{name}`"))
        .collect();
    for package in &packages {
        let name = package.name.replace('_', "-");
        let Some(may) = allowed.get(&name) else {
            found.push(format!("`{name}` ({}) has no row", package.folder));
            continue;
        };
        let uses = package
            .dependencies
            .iter()
            .map(|name| name.replace('_', "-"));
        found.extend(
            uses.filter(|used| !may.contains(used))
                .map(|used| format!("`{name}` uses `{used}`")),
        );
    }
    must_be_empty("the table `Folders` of ARCHITECTURE.md", &found);
}

#[test]
fn modules_use_what_the_tables_of_modules_allow() {
    let mut found = Vec::new();
    let tables = tables::module_tables();
    assert!(!tables.is_empty(), "ARCHITECTURE.md has tables of modules");
    for (heading, folder) in tables {
        let Table { allowed, first } = tables::read(&heading, "module");
        let root = format!("{folder}/lib.rs");
        let Some(tree) = trees().get(&root) else {
            found.push(format!("{heading}: there is no {root}"));
            continue;
        };
        let is_module = |name: &str| tree.modules.contains_key(&vec![name.to_owned()]);
        found.extend(
            allowed
                .keys()
                .filter(|name| !is_module(name))
                .map(|name| format!("{folder}: there is no `{name}`")),
        );
        // A module within the root file is part of the crate's root.
        let in_files = tree
            .modules
            .iter()
            .filter(|(_, module)| module.file != root);
        let top = in_files
            .map(|(path, _)| path)
            .filter(|path| path.len() == 1)
            .map(|path| &path[0]);
        found.extend(
            top.filter(|name| !allowed.contains_key(*name))
                .map(|name| format!("{folder}: `{name}` has no row")),
        );
        for Use {
            from,
            named,
            defined,
            name,
        } in tree.uses()
        {
            let Some((from, may)) = from
                .first()
                .and_then(|from| Some((from, allowed.get(from)?)))
            else {
                continue;
            };
            for to in [named, defined].iter().filter_map(|path| path.first()) {
                if to != from && !may.contains(to) && !first.contains(to) {
                    found.push(format!("{folder}: `{from}` uses `{to}` ({name})"));
                }
            }
        }
    }
    found.sort();
    found.dedup();
    must_be_empty("the tables of modules of ARCHITECTURE.md", &found);
}

/// Words that are forbidden in the code of a folder, with exceptions for files and folders in it.
const BANNED: &[(&str, &[&str], &[&str])] = &[
    // The engine has no clock, disk, network or thread, and its results do not depend on the order
    // of hashes.
    (
        "engine",
        &[
            "std::fs",
            "std::net::Tcp",
            "std::time",
            "std::env",
            "std::thread",
            "println!",
            "std::collections::Hash",
            "static mut",
        ],
        &[
            "engine/tests",
            "engine/examples",
            "engine/json/tests",
            "engine/json/examples",
        ],
    ),
    // The state of the service does not use HTTP, and its routes do not use files.
    ("server/src/state", &["axum"], &[]),
    ("server/src/routes", &["std::fs", "tokio::fs"], &[]),
    // Only one module of the console fetches, and only one uses the browser; the model uses
    // neither.
    (
        "console/model",
        &["leptos", "web_sys", "gloo_net", "wasm_bindgen"],
        &[],
    ),
    ("console/src", &["gbac_wasm", "inner_html", "println!"], &[]),
    ("console/src", &["web_sys"], &["console/src/dom"]),
    ("console/src", &["gloo_net"], &["console/src/backend"]),
    ("console/src/store", &["view!"], &[]),
];

#[test]
fn folders_keep_to_what_they_are_for() {
    let mut found = Vec::new();
    for (folder, words, except) in BANNED {
        for source in sources(&[folder]) {
            let is_excepted = |except: &&str| {
                source.name == *except
                    || source.name.starts_with(&format!("{except}/"))
                    || source.name == format!("{except}.rs")
            };
            if except.iter().any(is_excepted) {
                continue;
            }
            for line in source.lines() {
                let banned = words.iter().filter(|word| line.contains(**word));
                found.extend(banned.map(|word| format!("{}: {word}", source.name)));
            }
        }
    }
    must_be_empty("words that a folder must not have", &found);
}

#[test]
fn only_the_crate_for_json_derives_serde() {
    let sources = sources(&["engine"])
        .into_iter()
        .filter(|source| !source.name.starts_with("engine/json/"));
    let derives = |line: &&str| line.contains("derive(") && line.contains("erialize");
    let found = sources
        .filter(|source| source.lines().iter().any(derives))
        .map(|source| source.name);
    must_be_empty(
        "serde derives outside of engine/json",
        &found.collect::<Vec<_>>(),
    );
}
