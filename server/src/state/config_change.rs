//! Changes of the cluster properties (D-16, D-30).

use std::collections::BTreeMap;

use gbac_api::cluster_config::{ConfigChange, ConfigFaults};
use gbac_api::license::LicenseStatus;
use serde_json::Value;

use super::cluster_property::{ClusterProperty, PropertyValues};
use super::error::LicensedFeature;
use super::license::licensed_property;

/// Why a property that the command line sets cannot be changed (D-30).
const PINNED: &str =
    "is set on the command line; restart the service without that setting to change it";
/// Why a property cannot be changed in a cluster that is not the first (D-137).
const SHARED: &str =
    "belongs to the whole service; change it without the name of a cluster in the path";

/// The values after a change.
///
/// # Errors
/// Every invalid property with the reason.
pub(crate) fn apply(
    current: &PropertyValues,
    change: &ConfigChange,
) -> Result<PropertyValues, ConfigFaults> {
    let mut faults = ConfigFaults::new();
    let (default, mut wanted) = (PropertyValues::default(), current.clone());
    let mut values: BTreeMap<&String, Option<&Value>> = BTreeMap::new();
    for name in &change.remove {
        values.insert(name, None);
    }
    for (name, value) in &change.upsert {
        values.insert(name, Some(value));
    }
    for (name, value) in values {
        let Some(property) = ClusterProperty::by_name(name) else {
            faults.insert(name.clone(), "Unknown property".into());
            continue;
        };
        if value.is_some() && change.remove.contains(name) {
            faults.insert(name.clone(), "is in both `upsert` and `remove`".into());
            continue;
        }
        let before = property.value(current);
        let value = value
            .and_then(|value| property.written(value))
            .unwrap_or_else(|| property.value(&default));
        let is_pinned = property.is_pinned(&current.config);
        if let Err(message) = property.set(&mut wanted, &value) {
            faults.insert(name.clone(), message);
        } else if is_pinned && value != before {
            let reason = if current.config.is_shared {
                SHARED
            } else {
                PINNED
            };
            faults.insert(name.clone(), reason.into());
        }
    }
    if let Some(name) = licensed_property(&current.settings, &wanted.settings)
        && current.config.license != LicenseStatus::Valid
        && !faults.contains_key(name)
    {
        faults.insert(name.into(), LicensedFeature::Property(name).message());
    }
    if faults.is_empty() {
        Ok(wanted)
    } else {
        Err(faults)
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::policy::Settings;
    use serde_json::json;

    use super::*;
    use crate::state::config::Config;

    #[test]
    fn pinned_properties_cannot_be_changed() {
        let pinned = [
            "oidc_discovery_url",
            "oidc_token_audience",
            "oidc_clock_skew",
            "audit_enabled",
        ];
        let config = Config {
            pinned: pinned.into_iter().collect(),
            ..Config::default()
        };
        let settings = Settings {
            superusers: ["admin".to_owned()].into_iter().collect(),
            ..Settings::default()
        };
        let current = PropertyValues { settings, config };
        let change = |upsert: Value| {
            let Value::Object(upsert) = upsert else {
                unreachable!()
            };
            apply(
                &current,
                &ConfigChange {
                    upsert,
                    remove: Vec::new(),
                },
            )
        };
        let faults = change(json!({
            "oidc_discovery_url": "https://idp.example/", "oidc_token_audience": "x", "oidc_clock_skew_tolerance": 1,
            "audit_enabled": true, "oidc_principal_mapping": "$.email",
        }))
        .unwrap_err();
        let names: Vec<&str> = faults.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "audit_enabled",
                "oidc_clock_skew_tolerance",
                "oidc_discovery_url",
                "oidc_token_audience"
            ]
        );
        assert!(faults.values().all(|message| message == PINNED));
        assert!(
            change(json!({ "audit_enabled": false })).is_ok(),
            "the current value is not a change"
        );
    }
}
