//! The crates for a registry.

use crate::dist::binary::console;
use crate::dist::files::{copy, empty, list, write};
use crate::dist::{Dist, VERSION};
use crate::problem::Result;
use crate::process::cargo;
use crate::tools;

/// The published crates, each after those that it depends on.
const CRATES: [&str; 10] = [
    "gbac-engine",
    "gbac-analysis",
    "gbac-json",
    "gbac-api",
    "gbac-words",
    "gbac-formats",
    "gbac-log",
    "gbac-cluster",
    "gbac-server",
    "gbac",
];

/// Packs the crates, and lists their order. The folder that they are packed from can publish them.
pub(crate) fn pack(dist: &Dist<'_>) -> Result<()> {
    let page = console(dist)?;
    let source = dist.work("crates");
    tools::node(&dist.workspace.root)?
        .args(["packaging/crates.mjs"])
        .args([&source, &page])
        .args([CRATES.join(",")])
        .args(&dist.repository)
        .succeed(None)?;
    let packages = CRATES.into_iter().flat_map(|name| ["--package", name]);
    let target = dist.work("packed");
    cargo(&source)
        .args(["package", "--no-verify", "--allow-dirty", "--target-dir"])
        .args([&target])
        .args(packages)
        .step(dist.progress, "crates", "packing", "packed")?;
    let folder = dist.folder.join("crates");
    empty(&folder)?;
    for file in list(&target.join("package"))? {
        if let (Some(name), Some("crate")) = (
            file.file_name(),
            file.extension().and_then(|ending| ending.to_str()),
        ) {
            copy(&file, &folder.join(name))?;
        }
    }
    let order: Vec<String> = CRATES
        .into_iter()
        .map(|name| format!("{name}-{VERSION}.crate\n"))
        .collect();
    write(&folder.join("ORDER"), &order.concat())
}
