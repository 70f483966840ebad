//! The npm packages of a `package-lock.json`.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::Result;
use crate::bom::{Bom, Component, Hash, Scope, licenses};

/// The folders with a lock file. Only the first is published, so only its packages other than
/// development dependencies would be shipped.
pub(crate) const LOCKS: [&str; 5] = [
    "www",
    "tests/clients/node",
    "tests/e2e",
    "bench/js",
    "xtask/tools",
];
const PUBLISHED: &str = "www";

#[derive(Deserialize)]
struct Lock {
    name: String,
    packages: BTreeMap<String, Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    version: Option<String>,
    integrity: Option<String>,
    license: Option<String>,
    #[serde(default)]
    dev: bool,
    #[serde(default)]
    dependencies: BTreeMap<String, String>,
    #[serde(default)]
    dev_dependencies: BTreeMap<String, String>,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, String>,
    #[serde(default)]
    peer_dependencies: BTreeMap<String, String>,
}

/// Adds the packages of a folder's lock file.
pub(crate) fn read(root: &Path, folder: &str, bom: &mut Bom) -> Result<()> {
    let file = format!("{folder}/package-lock.json");
    let lock: Lock = serde_json::from_str(&crate::read(root, &file)?)
        .map_err(|error| format!("{file}: {error}"))?;
    for (place, entry) in &lock.packages {
        let name = name(place).unwrap_or(&lock.name);
        let names = [
            &entry.dependencies,
            &entry.dev_dependencies,
            &entry.optional_dependencies,
            &entry.peer_dependencies,
        ];
        // An optional package for another operating system may be absent.
        let found = names
            .into_iter()
            .flat_map(BTreeMap::keys)
            .filter_map(|name| resolve(&lock, place, name));
        let depends_on: Vec<String> = found.collect();
        let version = entry.version.clone().unwrap_or_else(|| "0.0.0".to_owned());
        let is_shipped = folder == PUBLISHED && !entry.dev;
        let purl = purl(name, &version);
        let component = Component {
            kind: "library",
            reference: purl.clone(),
            name: name.to_owned(),
            version,
            scope: if is_shipped {
                Scope::Required
            } else {
                Scope::Excluded
            },
            hashes: entry
                .integrity
                .as_deref()
                .map(hashes)
                .transpose()?
                .unwrap_or_default(),
            licenses: licenses(entry.license.as_deref()),
            purl: purl.clone(),
        };
        bom.add(component, depends_on);
        if place.is_empty() {
            bom.add_to_product([purl]);
        }
    }
    Ok(())
}

/// The name of a package from its path; `None` for the folder itself.
fn name(place: &str) -> Option<&str> {
    place.rsplit_once("node_modules/").map(|(_, name)| name)
}

/// The package of a name at a path: the nearest one, as in Node's resolution.
fn resolve(lock: &Lock, place: &str, name: &str) -> Option<String> {
    let mut folder = Some(place);
    while let Some(at) = folder {
        let candidate = if at.is_empty() {
            format!("node_modules/{name}")
        } else {
            format!("{at}/node_modules/{name}")
        };
        if let Some(entry) = lock.packages.get(&candidate) {
            return Some(purl(name, entry.version.as_deref()?));
        }
        folder = match at.rsplit_once("node_modules/") {
            Some((outer, _)) => Some(outer.trim_end_matches('/')),
            None => None,
        };
    }
    None
}

/// The package URL (`npm` type).
fn purl(name: &str, version: &str) -> String {
    format!(
        "pkg:npm/{}@{}",
        name.replace('@', "%40"),
        version.replace('+', "%2B")
    )
}

/// The hashes of an `integrity` (W3C Subresource Integrity).
fn hashes(integrity: &str) -> Result<Vec<Hash>> {
    let hash = |text: &str| {
        let (name, value) = text
            .split_once('-')
            .ok_or_else(|| format!("the integrity `{text}` has no algorithm"))?;
        let alg = match name {
            "sha512" => "SHA-512",
            "sha384" => "SHA-384",
            "sha256" => "SHA-256",
            "sha1" => "SHA-1",
            other => {
                return Err(format!("the algorithm `{other}` of an integrity is unknown").into());
            }
        };
        let bytes = STANDARD
            .decode(value)
            .map_err(|error| format!("the integrity `{text}`: {error}"))?;
        Ok(Hash {
            alg,
            content: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    };
    integrity.split_whitespace().map(hash).collect()
}
