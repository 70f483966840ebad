//! The crates of Cargo.lock, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::Result;
use crate::bom::{Bom, Component, Hash, Scope, licenses};

/// The product's crate, which is the only binary.
const PRODUCT: &str = "gbac";
/// The crates whose dependencies are shipped: in the binary, the console and the JavaScript
/// package.
const SHIPPED: [&str; 3] = [PRODUCT, "gbac-console", "gbac-wasm"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    license_file: Option<String>,
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    /// `dev`, `build` or absent.
    kind: Option<String>,
}

/// Reads the crates of a workspace.
pub(crate) fn read_metadata(root: &Path, metadata: &[u8]) -> Result<Bom> {
    let metadata: Metadata = serde_json::from_slice(metadata)?;
    let checksums = checksums(&crate::read(root, "Cargo.lock")?);
    let nodes: BTreeMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node))
        .collect();
    let packages: BTreeMap<&str, &Package> = metadata
        .packages
        .iter()
        .map(|one| (one.id.as_str(), one))
        .collect();
    let shipped = shipped(&metadata.packages, &nodes);
    let component = |package: &Package| {
        let kind = if package.name == PRODUCT {
            "application"
        } else {
            "library"
        };
        let checksum = checksums.get(&(package.name.clone(), package.version.clone()));
        // A crate of the workspace has no archive.
        let checksum = checksum.filter(|_| package.source.is_some());
        let file = package
            .license_file
            .as_ref()
            .map(|file| format!("SEE LICENSE IN {file}"));
        Component {
            kind,
            reference: purl(package),
            name: package.name.clone(),
            version: package.version.clone(),
            scope: if shipped.contains(package.id.as_str()) {
                Scope::Required
            } else {
                Scope::Excluded
            },
            hashes: checksum
                .map(|content| Hash {
                    alg: "SHA-256",
                    content: content.clone(),
                })
                .into_iter()
                .collect(),
            licenses: licenses(package.license.as_deref().or(file.as_deref())),
            purl: purl(package),
        }
    };
    let product = metadata
        .packages
        .iter()
        .find(|package| package.name == PRODUCT && package.source.is_none());
    let product = product.ok_or_else(|| format!("there is no crate `{PRODUCT}`"))?;
    let mut bom = Bom::new(component(product));
    for (id, node) in &nodes {
        let package = packages
            .get(id)
            .ok_or_else(|| format!("`cargo metadata` does not describe `{id}`"))?;
        let edges = node
            .deps
            .iter()
            .filter_map(|edge| packages.get(edge.pkg.as_str()));
        let depends_on: Vec<String> = edges.map(|package| purl(package)).collect();
        if package.id == product.id {
            bom.add_to_product(depends_on);
        } else {
            bom.add(component(package), depends_on);
        }
    }
    Ok(bom)
}

/// Reads the crates of a workspace with cargo.
pub(crate) fn read(root: &Path) -> Result<Bom> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .current_dir(root);
    let output = command
        .output()
        .map_err(|error| format!("cannot run `cargo metadata`: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        )
        .into());
    }
    read_metadata(root, &output.stdout)
}

/// The IDs of crates that are shipped, with their dependencies except those of tests.
fn shipped<'m>(packages: &'m [Package], nodes: &BTreeMap<&'m str, &'m Node>) -> BTreeSet<&'m str> {
    let is_first =
        |package: &&Package| package.source.is_none() && SHIPPED.contains(&package.name.as_str());
    let mut open: Vec<&str> = packages
        .iter()
        .filter(is_first)
        .map(|package| package.id.as_str())
        .collect();
    let mut shipped = BTreeSet::new();
    while let Some(id) = open.pop() {
        if shipped.insert(id) {
            let edges = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            let is_used = |edge: &&Edge| {
                edge.dep_kinds
                    .iter()
                    .any(|kind| kind.kind.as_deref() != Some("dev"))
            };
            open.extend(edges.filter(is_used).map(|edge| edge.pkg.as_str()));
        }
    }
    shipped
}

/// The package URL (`cargo` type). A plus sign is escaped, because it would mean a space.
fn purl(package: &Package) -> String {
    format!(
        "pkg:cargo/{}@{}",
        package.name,
        package.version.replace('+', "%2B")
    )
}

/// The checksum of each name and version in Cargo.lock, whose format is one member per line.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let member = |block: &str, name: &str| {
        let prefix = format!("{name} = \"");
        let line = block.lines().find_map(|line| line.strip_prefix(&prefix))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let blocks = lock.split("[[package]]").skip(1);
    blocks
        .filter_map(|block| {
            Some((
                (member(block, "name")?, member(block, "version")?),
                member(block, "checksum")?,
            ))
        })
        .collect()
}
