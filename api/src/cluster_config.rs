//! The bodies of the cluster properties (specification 2.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A change of properties: both members, nothing else; all of it or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigChange {
    /// Properties that get a value.
    pub upsert: Map<String, Value>,
    /// Properties that go back to their default.
    pub remove: Vec<String>,
}

/// The answer to a change: the same number as before when nothing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigVersion {
    /// Counts the changes.
    pub config_version: u64,
}

/// What each refused property has wrong with it; nothing was changed.
pub type ConfigFaults = BTreeMap<String, String>;

/// What the properties are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfigSchema {
    /// By name.
    pub properties: BTreeMap<String, PropertySchema>,
}

/// What one property is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertySchema {
    /// `string`, `integer`, `boolean` or `array`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it does.
    pub description: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether a change waits for a restart; never here (specification 2.2).
    pub needs_restart: bool,
    /// `user`, `tunable` or `deprecated`.
    pub visibility: String,
    /// The values of an enumeration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub enum_values: Vec<String>,
    /// What an array holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemSchema>,
    /// The value that it has when nobody sets it.
    pub default: Value,
    /// Whether the command line has set it, so that it cannot be changed while the service runs (D-30).
    #[serde(default, skip_serializing_if = "is_false")]
    pub pinned: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What an array holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ItemSchema {
    /// `string`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// How the configuration stands on one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeStatus {
    /// The node's number.
    pub node_id: u64,
    /// Whether a change waits for a restart; never here.
    pub restart: bool,
    /// Counts the changes.
    pub config_version: u64,
    /// Properties whose value is not valid.
    pub invalid: Vec<String>,
    /// Properties that the node does not know.
    pub unknown: Vec<String>,
}
