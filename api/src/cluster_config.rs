//! The bodies of the cluster properties (specification 2.2).

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A change of properties, applied completely or not at all. Both members are required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigChange {
    /// The properties to set.
    pub upsert: Map<String, Value>,
    /// The properties to reset to their default.
    pub remove: Vec<String>,
}

/// The response to a change. The version is the same as before if nothing changed.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigVersion {
    /// The version, incremented by each change.
    pub config_version: u64,
}

/// The error of each refused property. Nothing was changed.
pub type ConfigFaults = BTreeMap<String, String>;

/// The schema of the properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSchema {
    /// The properties, by name.
    pub properties: BTreeMap<String, PropertySchema>,
}

/// The schema of one property. Only its type is required: clusters of the platform leave out most
/// of the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertySchema {
    /// `string`, `integer`, `boolean` or `array`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The description.
    #[serde(default)]
    pub description: String,
    /// Whether it may be null.
    #[serde(default)]
    pub nullable: bool,
    /// Whether a change requires a restart; always `false` (specification 2.2).
    #[serde(default)]
    pub needs_restart: bool,
    /// `user`, `tunable` or `deprecated`.
    #[serde(default)]
    pub visibility: String,
    /// The values of an enumeration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enum_values: Vec<String>,
    /// The schema of an array's items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemSchema>,
    /// The default value.
    #[serde(default)]
    pub default: Value,
    /// Whether a command line flag sets it, so that it cannot be changed while the service runs
    /// (D-30).
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The schema of an array's items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemSchema {
    /// `string`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The configuration status of one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStatus {
    /// The node's number.
    pub node_id: u64,
    /// Whether a change requires a restart; always `false`.
    pub restart: bool,
    /// The version, incremented by each change.
    pub config_version: u64,
    /// The properties with an invalid value.
    pub invalid: Vec<String>,
    /// The properties that are unknown to the node.
    pub unknown: Vec<String>,
}
