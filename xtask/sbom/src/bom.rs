//! The document: components with their licenses and hashes, and their dependencies.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::Result;

/// A bill of materials, without a time and a serial number, so that the same lock files produce the
/// same bytes.
#[derive(Debug)]
pub(crate) struct Bom {
    /// The product itself.
    product: Component,
    /// The components, by reference.
    components: BTreeMap<String, Component>,
    dependencies: BTreeMap<String, BTreeSet<String>>,
}

/// A crate or a package.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Component {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    #[serde(rename = "bom-ref")]
    pub(crate) reference: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) scope: Scope,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) licenses: Vec<License>,
    pub(crate) purl: String,
}

/// Whether a component is part of what is shipped, or only builds, tests or measures it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Required,
    Excluded,
}

/// The hash of the archive that a registry serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Hash {
    pub(crate) alg: &'static str,
    /// In hexadecimal.
    pub(crate) content: String,
}

/// An SPDX expression, or the name of a license without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum License {
    Expression(String),
    License { name: String },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'b> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    version: u32,
    metadata: Metadata<'b>,
    components: Vec<&'b Component>,
    dependencies: Vec<Dependency<'b>>,
}

#[derive(Serialize)]
struct Metadata<'b> {
    component: &'b Component,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency<'b> {
    #[serde(rename = "ref")]
    reference: &'b str,
    depends_on: &'b BTreeSet<String>,
}

impl Bom {
    /// Creates a bill of materials without dependencies.
    pub(crate) fn new(product: Component) -> Self {
        let dependencies = BTreeMap::from([(product.reference.clone(), BTreeSet::new())]);
        Self {
            product,
            components: BTreeMap::new(),
            dependencies,
        }
    }

    /// Adds a component. If it exists already, it is part of the product if either entry is.
    pub(crate) fn add(
        &mut self,
        component: Component,
        depends_on: impl IntoIterator<Item = String>,
    ) {
        self.dependencies
            .entry(component.reference.clone())
            .or_default()
            .extend(depends_on);
        match self.components.get_mut(&component.reference) {
            Some(known) if component.scope == Scope::Required => known.scope = Scope::Required,
            Some(_) => {}
            None => drop(
                self.components
                    .insert(component.reference.clone(), component),
            ),
        }
    }

    /// Adds dependencies of the product.
    pub(crate) fn add_to_product(&mut self, depends_on: impl IntoIterator<Item = String>) {
        self.dependencies
            .entry(self.product.reference.clone())
            .or_default()
            .extend(depends_on);
    }

    /// The number of components.
    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    /// The document as JSON text.
    pub(crate) fn to_json(&self) -> Result<String> {
        let dependency = |(reference, depends_on)| Dependency {
            reference,
            depends_on,
        };
        let document = Document {
            schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
            bom_format: "CycloneDX",
            spec_version: "1.5",
            version: 1,
            metadata: Metadata {
                component: &self.product,
            },
            components: self.components.values().collect(),
            dependencies: self
                .dependencies
                .iter()
                .map(|(name, on)| dependency((name.as_str(), on)))
                .collect(),
        };
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }
}

/// The licenses of a manifest. Before SPDX expressions, a slash stood for a choice.
pub(crate) fn licenses(expression: Option<&str>) -> Vec<License> {
    match expression {
        None => Vec::new(),
        Some(text) if text.starts_with("SEE LICENSE") || text == "UNLICENSED" => {
            vec![License::License {
                name: text.to_owned(),
            }]
        }
        Some(text) => vec![License::Expression(
            text.split('/')
                .map(str::trim)
                .collect::<Vec<_>>()
                .join(" OR "),
        )],
    }
}
