//! Settings of a policy as cluster properties, and back (specification 2.2).

use gbac_api::cluster_config::ConfigChange;
use gbac_engine::Coded;
use gbac_engine::policy::{GroupSource, Settings};
use gbac_json::settings_from_value;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Where in a token the groups are.
pub const CLAIM_PATH: &str = "oidc_group_claim_path";
/// What a group's name is.
pub const NESTED: &str = "nested_group_behavior";
/// Which claim names the user.
pub const MAPPING: &str = "oidc_principal_mapping";
/// Who may do everything.
pub const SUPERUSERS: &str = "superusers";
/// The properties that are settings of a policy.
const SETTINGS: [&str; 4] = [CLAIM_PATH, NESTED, MAPPING, SUPERUSERS];

/// The settings that cluster properties make; what a cluster does not have keeps its default.
///
/// # Errors
/// A value that the engine does not take, such as a claim path in another language.
pub fn settings_of(properties: &Map<String, Value>) -> Result<Settings, Failure> {
    let known = |name: &&str| {
        properties
            .get(*name)
            .filter(|value| !value.is_null())
            .cloned()
    };
    let fields = SETTINGS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), known(name)?)));
    settings_from_value(&Value::Object(fields.collect()))
        .map_err(|problems| Failure::Unreadable(problems.to_string()))
}

/// The change of cluster properties that makes one settings of the other.
///
/// # Errors
/// The managed cloud's mapping and the access to the service are no cluster properties.
pub fn difference(held: &Settings, wanted: &Settings) -> Result<ConfigChange, Failure> {
    if held.access != wanted.access {
        let message = "the access to the service is no cluster property; it is set in the service's policy document";
        return Err(Failure::impossible("access_no_property", message));
    }
    let (before, after) = (values(held), values(wanted).ok_or_else(no_property)?);
    let before = before.unwrap_or_default();
    let upsert = after
        .into_iter()
        .filter(|(name, value)| before.get(name) != Some(value))
        .collect();
    Ok(ConfigChange {
        upsert,
        remove: Vec::new(),
    })
}

fn no_property() -> Failure {
    let message = "the managed cloud's group mapping is not a cluster property; it is set in the SSO connection";
    Failure::impossible("sso_no_property", message)
}

/// The properties of settings by name; none under the managed cloud's mapping.
fn values(settings: &Settings) -> Option<Map<String, Value>> {
    let GroupSource::Properties { claim_path, nested } = &settings.groups else {
        return None;
    };
    let pairs = [
        (CLAIM_PATH, Value::from(claim_path.as_str())),
        (NESTED, Value::from(nested.code())),
        (MAPPING, Value::from(settings.principal_mapping.as_str())),
        (SUPERUSERS, Value::from(settings.superusers.as_slice())),
    ];
    Some(
        pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use gbac_engine::claim_path::ClaimPath;
    use gbac_engine::groups::NestedGroupBehavior;
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Settings, Failure> {
        let Value::Object(properties) = value else {
            panic!("an object")
        };
        settings_of(&properties)
    }

    #[test]
    fn properties_become_settings() {
        let settings = read(
            json!({ "oidc_group_claim_path": "$.realm.roles", "nested_group_behavior": "suffix",
            "superusers": ["admin"], "audit_enabled": true, "cluster_id": null }),
        )
        .unwrap();
        let groups = GroupSource::Properties {
            claim_path: ClaimPath::parse("$.realm.roles").unwrap(),
            nested: NestedGroupBehavior::Suffix,
        };
        assert_eq!(settings.groups, groups);
        assert_eq!(settings.superusers.as_slice(), ["admin"]);
        assert_eq!(
            read(json!({})).unwrap(),
            Settings::default(),
            "an older cluster has none of them"
        );
        assert!(
            read(json!({ "oidc_group_claim_path": "$[" }))
                .unwrap_err()
                .to_string()
                .contains("oidc_group_claim_path")
        );
    }

    #[test]
    fn only_what_differs_is_sent() {
        let held = read(json!({ "superusers": ["admin"] })).unwrap();
        let wanted =
            read(json!({ "superusers": ["admin"], "nested_group_behavior": "suffix" })).unwrap();
        let change = difference(&held, &wanted).unwrap();
        assert_eq!(
            Value::Object(change.upsert),
            json!({ "nested_group_behavior": "suffix" })
        );
        assert!(change.remove.is_empty() && difference(&held, &held).unwrap().upsert.is_empty());

        let sso = json!({ "sso": { "mode": "use_map", "attributes": { "federated_groups": "$.groups" } } });
        let sso = settings_from_value(&sso).unwrap();
        assert!(difference(&held, &sso).is_err());
        let access = settings_from_value(
            &json!({ "superusers": ["admin"], "access": { "read_only": ["Group:ops"] } }),
        );
        assert!(difference(&held, &access.unwrap()).is_err());
    }
}
