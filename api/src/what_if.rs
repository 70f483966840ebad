//! What other settings would change for who was seen: the request and the response of
//! `/gbac/v1/cluster/what-if`, and what the command line writes.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsWhatIf {
    /// The values to try, by name, such as `allow.everyone.if.no.acl.found`. Without any, the
    /// response has the present settings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, String>,
    /// The present values of settings that the brokers do not show.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub known: BTreeMap<String, String>,
    /// Lines of audit files, or of logs with denials, instead of the last events of the service.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
}

/// What other settings change.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsReport {
    /// The settings that decide access besides ACLs, with what is known of their present values.
    pub settings: Vec<SettingReport>,
    /// The values that were tried.
    pub set: Vec<TriedSetting>,
    /// Where the callers are from.
    pub seen_in: SeenIn,
    /// The number of callers.
    pub seen: usize,
    /// The number of different requests of theirs that are known.
    pub requests: usize,
    /// The number of callers who are denied something that they are allowed now.
    pub denied: usize,
    /// The number of callers who are allowed something that they are denied now.
    pub allowed: usize,
    /// The effect in a sentence.
    pub summary: String,
    /// What is not known, each as a sentence.
    pub notes: Vec<String>,
    /// The callers whose access changes; those who lose most first.
    pub callers: Vec<CallerReport>,
    /// The number of such callers that are not listed.
    pub omitted_callers: usize,
}

/// A setting that decides access besides ACLs.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingReport {
    /// The name of the property.
    pub name: String,
    /// What is known of its value.
    pub state: SettingState,
    /// The value, if it is known and set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// What is known of the value of a setting.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingState {
    /// Its value.
    Stated,
    /// It is not set, so that its default counts.
    NotSet,
    /// It is set, and the brokers do not show its value.
    Hidden,
    /// Nothing.
    Unknown,
}

/// A value that was tried.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriedSetting {
    /// The name of the property.
    pub name: String,
    /// The value; empty for the default.
    pub value: String,
}

/// Where callers are from.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenIn {
    /// The lines that were given, and tokens.
    Lines,
    /// The last audit events of the service.
    Events,
    /// The ACLs and roles: nothing else says who calls.
    Policy,
}

/// A caller whose access changes.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerReport {
    /// The principal, such as `User:maya`. A group stands for a user with only this group.
    pub principal: String,
    /// Whether something is denied that is allowed now.
    pub loses: bool,
    /// Whether something is allowed that is denied now.
    pub gains: bool,
    /// What changes, each as a sentence.
    pub effects: Vec<String>,
    /// The groups that only the tried settings read.
    pub groups_gained: Vec<String>,
    /// The groups that only the present settings read.
    pub groups_lost: Vec<String>,
    /// The requests that were seen and that only the present settings allow.
    pub denied: Vec<RequestReport>,
    /// The requests that were seen and that only the tried settings allow.
    pub allowed: Vec<RequestReport>,
    /// The number of requests that are not listed.
    pub omitted_requests: usize,
}

/// A request that was seen.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestReport {
    /// The operation, such as `read`.
    pub operation: String,
    /// The resource's type, such as `topic`.
    pub resource_type: String,
    /// The resource's name.
    pub resource_name: String,
    /// The client's address, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}
