//! Tests that this repository's document is valid CycloneDX 1.5 and has every entry of every lock
//! file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::packages::LOCKS;
use crate::{of_repository, read};

/// The violations of the CycloneDX 1.5 schema in the parts that are used here.
fn faults(bom: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut wrong = |is_wrong: bool, what: String| faults.extend(is_wrong.then_some(what));
    wrong(bom["bomFormat"] != "CycloneDX", "bomFormat".into());
    wrong(bom["specVersion"] != "1.5", "specVersion".into());
    wrong(
        bom["version"].as_u64().is_none_or(|version| version == 0),
        "version".into(),
    );
    let listed = bom["components"].as_array().map_or(&[][..], Vec::as_slice);
    let components: Vec<&Value> = listed
        .iter()
        .chain([&bom["metadata"]["component"]])
        .collect();
    let mut references = BTreeSet::new();
    for component in components {
        let text = |name: &str| component[name].as_str().unwrap_or_default();
        let id = text("bom-ref");
        wrong(
            !references.insert(id) || id.is_empty(),
            format!("`{id}`: bom-ref"),
        );
        wrong(
            !["application", "library"].contains(&text("type")),
            format!("`{id}`: type"),
        );
        wrong(
            text("name").is_empty() || text("version").is_empty(),
            format!("`{id}`: name or version"),
        );
        wrong(
            !["required", "excluded"].contains(&text("scope")),
            format!("`{id}`: scope"),
        );
        let purl = text("purl")
            .strip_prefix("pkg:")
            .and_then(|rest| rest.rsplit_once('@'));
        let is_purl = purl.is_some_and(|(name, version)| {
            (name.starts_with("cargo/") || name.starts_with("npm/"))
                && !version.is_empty()
                && !format!("{name}{version}").contains(['@', '+', ' '])
        });
        wrong(!is_purl, format!("`{id}`: purl"));
        for license in component["licenses"].as_array().into_iter().flatten() {
            let (expression, name) = (
                license["expression"].as_str(),
                license["license"]["name"].as_str(),
            );
            let is_spdx = |text: &str| {
                !text.is_empty()
                    && text
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || "-.+() ".contains(c))
            };
            wrong(
                !(expression.is_some_and(is_spdx) ^ name.is_some()),
                format!("`{id}`: licenses {license}"),
            );
        }
        for hash in component["hashes"].as_array().into_iter().flatten() {
            let content = hash["content"].as_str().unwrap_or_default();
            let length = match hash["alg"].as_str() {
                Some("SHA-1") => 40,
                Some("SHA-256") => 64,
                Some("SHA-384") => 96,
                Some("SHA-512") => 128,
                _ => 0,
            };
            let is_hex = content
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            wrong(
                content.len() != length || length == 0 || !is_hex,
                format!("`{id}`: hashes {hash}"),
            );
        }
    }
    let mut described = BTreeSet::new();
    for dependency in bom["dependencies"].as_array().into_iter().flatten() {
        let from = dependency["ref"].as_str().unwrap_or_default();
        wrong(
            !references.contains(from) || !described.insert(from),
            format!("`{from}`: ref"),
        );
        let on: Vec<&str> = dependency["dependsOn"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut seen = BTreeSet::new();
        wrong(
            !on.iter()
                .all(|on| references.contains(on) && seen.insert(on)),
            format!("`{from}`: dependsOn"),
        );
    }
    wrong(
        described != references,
        "components whose dependencies are not stated".into(),
    );
    faults
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_bill_of_materials_is_valid_and_complete() {
    let text = of_repository(&root()).unwrap().to_json().unwrap();
    assert_eq!(
        text,
        of_repository(&root()).unwrap().to_json().unwrap(),
        "the same bytes each time"
    );
    let bom: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(faults(&bom), [""; 0]);
    let components = bom["components"].as_array().unwrap();
    let with_product: Vec<&Value> = components
        .iter()
        .chain([&bom["metadata"]["component"]])
        .collect();
    let versions: BTreeSet<(&str, &str)> = with_product
        .iter()
        .map(|component| {
            (
                component["name"].as_str().unwrap(),
                component["version"].as_str().unwrap(),
            )
        })
        .collect();

    // Every crate of Cargo.lock, counted without the program's parser.
    let lock = read(&root(), "Cargo.lock").unwrap();
    let mut lines = lock.lines();
    let mut crates = 0;
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("name = ") {
            let version = lines.next().unwrap().strip_prefix("version = ").unwrap();
            assert!(
                versions.contains(&(name.trim_matches('"'), version.trim_matches('"'))),
                "{name} {version}"
            );
            crates += 1;
        }
    }
    assert!(crates > 300, "{crates} crates");
    for folder in LOCKS {
        let lock: Value =
            serde_json::from_str(&read(&root(), &format!("{folder}/package-lock.json")).unwrap())
                .unwrap();
        for (place, entry) in lock["packages"].as_object().unwrap() {
            let Some((_, name)) = place.rsplit_once("node_modules/") else {
                continue;
            };
            assert!(
                versions.contains(&(name, entry["version"].as_str().unwrap())),
                "{folder}: {name}"
            );
        }
    }

    // Components from a registry have a hash and a license, and shipped ones are distinguished from
    // others.
    let named = |name: &str| {
        with_product
            .iter()
            .find(|component| component["name"] == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    for component in &with_product {
        let is_own = component["name"].as_str().unwrap().starts_with("gbac")
            || component["name"].as_str().unwrap().starts_with("xtask");
        assert!(
            is_own
                || component["hashes"]
                    .as_array()
                    .is_some_and(|hashes| !hashes.is_empty()),
            "{component}"
        );
        assert!(
            is_own
                || component["licenses"]
                    .as_array()
                    .is_some_and(|licenses| !licenses.is_empty()),
            "{component}"
        );
    }
    for (name, scope) in [
        ("axum", "required"),
        ("leptos", "required"),
        ("criterion", "excluded"),
        ("playwright-core", "excluded"),
    ] {
        assert_eq!(named(name)["scope"], scope, "{name}");
    }
    let dependencies = bom["dependencies"].as_array().unwrap();
    let product = dependencies
        .iter()
        .find(|component| component["ref"] == bom["metadata"]["component"]["bom-ref"])
        .unwrap();
    assert!(
        product["dependsOn"]
            .as_array()
            .unwrap()
            .iter()
            .any(|on| on.as_str().unwrap().starts_with("pkg:cargo/clap@"))
    );
}

#[test]
fn invalid_documents_are_reported() {
    let component = |id: &str| {
        json!({ "type": "library", "bom-ref": id, "name": "a", "version": "1", "scope": "required", "purl": "pkg:npm/a@1",
            "licenses": [{ "expression": "MIT OR Apache-2.0" }], "hashes": [{ "alg": "SHA-1", "content": "0".repeat(40) }] })
    };
    let good = json!({ "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "component": component("p") }, "components": [component("a")],
        "dependencies": [{ "ref": "p", "dependsOn": ["a"] }, { "ref": "a", "dependsOn": [] }] });
    assert_eq!(faults(&good), [""; 0]);
    for (path, value) in [
        ("/bomFormat", json!("SPDX")),
        ("/specVersion", json!("1.2")),
        ("/version", json!(0)),
        ("/components/0/type", json!("thing")),
        ("/components/0/bom-ref", json!("p")),
        ("/components/0/name", json!("")),
        ("/components/0/scope", json!("maybe")),
        ("/components/0/purl", json!("pkg:npm/@a/b@1")),
        (
            "/components/0/licenses/0",
            json!({ "expression": "MIT/Apache-2.0" }),
        ),
        ("/components/0/licenses/0", json!({})),
        ("/components/0/hashes/0/content", json!("XYZ")),
        ("/components/0/hashes/0/alg", json!("CRC")),
        ("/dependencies/0/dependsOn/0", json!("b")),
        ("/dependencies/1/ref", json!("p")),
    ] {
        let mut bom = good.clone();
        *bom.pointer_mut(path).unwrap() = value;
        assert!(!faults(&bom).is_empty(), "{path}");
    }
}
