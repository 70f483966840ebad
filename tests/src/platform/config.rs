//! The cluster properties of the Admin API, whose values are read as YAML scalars.

use serde_json::{Map, Value, json};

use super::state::ClusterState;
use super::wire::{HttpAnswer, HttpRequest, admin_error as error};
use super::{BrokerVersion, PlatformOptions};

/// A property: its name, type, whether it may be null, and the first version that has it.
const PROPERTIES: [(&str, &str, bool, BrokerVersion); 6] = [
    ("superusers", "array", false, BrokerVersion::V25_3),
    (
        "oidc_principal_mapping",
        "string",
        false,
        BrokerVersion::V25_3,
    ),
    ("audit_enabled", "boolean", false, BrokerVersion::V25_3),
    (
        "oidc_clock_skew_tolerance",
        "integer",
        true,
        BrokerVersion::V25_3,
    ),
    (
        "oidc_group_claim_path",
        "string",
        false,
        BrokerVersion::V26_1,
    ),
    (
        "nested_group_behavior",
        "string",
        false,
        BrokerVersion::V26_1,
    ),
];

fn known(
    options: &PlatformOptions,
) -> impl Iterator<Item = &'static (&'static str, &'static str, bool, BrokerVersion)> {
    let version = options.version;
    PROPERTIES
        .iter()
        .filter(move |(.., since)| version >= *since)
}

pub(super) fn schema(options: &PlatformOptions) -> HttpAnswer {
    let properties: Map<String, Value> = known(options)
        .map(|(name, kind, nullable, _)| {
            let items = (*kind == "array").then(|| json!({ "type": "string" }));
            let schema = json!({ "type": kind, "nullable": nullable, "needs_restart": false, "visibility": "user",
                "description": name, "items": items });
            ((*name).to_owned(), schema)
        })
        .collect();
    HttpAnswer::json(200, &json!({ "properties": properties }))
}

pub(super) fn read(state: &ClusterState, request: &HttpRequest) -> HttpAnswer {
    match request.parameter("key") {
        None => HttpAnswer::json(200, &json!(state.properties)),
        Some(key) => match state.properties.get(key) {
            Some(value) => HttpAnswer::json(200, &json!({ key: value })),
            None => error(400, &format!("Unknown property {{{key}}}")),
        },
    }
}

pub(super) fn write(
    options: &PlatformOptions,
    state: &mut ClusterState,
    request: &HttpRequest,
) -> HttpAnswer {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let (Some(upsert), Some(remove), Some(2)) = (
        body["upsert"].as_object(),
        body["remove"].as_array(),
        body.as_object().map(Map::len),
    ) else {
        return error(400, "Malformed request: `upsert` and `remove` are required");
    };
    let mut faults = Map::new();
    let mut values = Vec::new();
    for (name, value) in upsert {
        let read = match known(options).find(|(known, ..)| known == name) {
            None => Err("Unknown property".to_owned()),
            Some((_, kind, nullable, _)) => {
                scalar(value, kind, *nullable).and_then(|value| check(options, name, value))
            }
        };
        match read {
            Ok(value) => values.push((name.clone(), value)),
            Err(why) => {
                faults.insert(name.clone(), json!(why));
            }
        }
    }
    for name in remove.iter().filter_map(Value::as_str) {
        if known(options).any(|(known, ..)| *known == name) {
            let fresh = ClusterState::new(options.version).properties[name].clone();
            values.push((name.to_owned(), fresh));
        } else {
            faults.insert(name.into(), json!("Unknown property"));
        }
    }
    if !faults.is_empty() {
        return HttpAnswer::json(400, &faults.into());
    }
    if values
        .iter()
        .any(|(name, value)| state.properties.get(name) != Some(value))
    {
        state.config_version += 1;
    }
    state.properties.extend(values);
    HttpAnswer::json(200, &json!({ "config_version": state.config_version }))
}

/// A value as YAML reads it: `"true"` and `true`, `"30"` and `30` are the same.
fn scalar(value: &Value, kind: &str, nullable: bool) -> Result<Value, String> {
    let as_text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let read = match (kind, value) {
        (_, Value::Null) if nullable => Some(Value::Null),
        ("boolean", _) => as_text.parse::<bool>().ok().map(Value::from),
        ("integer", _) => as_text.parse::<i64>().ok().map(Value::from),
        ("string", Value::String(_) | Value::Number(_) | Value::Bool(_)) => Some(as_text.into()),
        ("array", Value::Array(items)) if items.iter().all(Value::is_string) => Some(value.clone()),
        _ => None,
    };
    read.ok_or_else(|| format!("expected type {kind}"))
}

fn check(options: &PlatformOptions, name: &str, value: Value) -> Result<Value, String> {
    let is_default = ClusterState::new(options.version).properties.get(name) == Some(&value);
    match name {
        "nested_group_behavior" if value != "none" && value != "suffix" => {
            Err("Must be one of none,suffix".into())
        }
        "oidc_group_claim_path" if !value.as_str().is_some_and(|path| path.starts_with("$.")) => {
            Err("invalid group claim path".into())
        }
        "nested_group_behavior" | "oidc_group_claim_path" | "audit_enabled"
            if !is_default && !options.license =>
        {
            let value = value.to_string();
            Err(format!(
                "Rejected {name}: '{value}' '{name}' is restricted to clusters with an Enterprise license."
            ))
        }
        _ => Ok(value),
    }
}
