//! The managed cloud's mapping as text to copy, checked by the engine (specification 2.3, D-25).

use gbac_engine::escape::escaped;
use gbac_engine::policy::{GroupSource, Settings};
use gbac_words::phrases;
use gbac_words::phrases::place;
use serde_json::{Map, Value};

/// The attributes that read groups as these settings do, as JSON over several lines.
pub fn attributes_of(settings: &Settings) -> String {
    let attributes = match &settings.groups {
        GroupSource::Sso { attributes, .. } => attributes.clone(),
        GroupSource::Properties { claim_path, .. } => [(
            "federated_groups".to_owned(),
            claim_path.as_str().to_owned(),
        )]
        .into(),
    };
    serde_json::to_string_pretty(&attributes).unwrap_or_default()
}

/// The group source that an Attributes JSON makes.
///
/// # Errors
/// What is wrong with it, and where, as sentences without the final period.
pub fn read(text: &str) -> Result<GroupSource, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Write a JSON object with `federated_groups` in it".into());
    }
    let attributes: Map<String, Value> = match gbac_json::parse(text) {
        Ok(Value::Object(attributes)) => attributes,
        Ok(_) => {
            return Err("Attributes are one JSON object. Start with `{` and end with `}`".into());
        }
        Err(error) => return Err(phrases::with_hint(&error.to_string(), error.hint())),
    };
    if let Some((name, _)) = attributes.iter().find(|(_, value)| !value.is_string()) {
        return Err(format!(
            "`{}` is not a string. Every attribute is a path in quotes",
            escaped(name)
        ));
    }
    let written = attributes
        .get("federated_groups")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let attributes = attributes
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())));
    GroupSource::from_attributes(attributes.collect()).map_err(|error| {
        let found = match &error {
            gbac_engine::policy::SettingsError::GroupsAttribute(fault) => {
                format!(
                    "`federated_groups` {}: {error}",
                    place(&written, fault.offset())
                )
            }
            _ => error.to_string(),
        };
        phrases::with_hint(&found, &error.hint())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_to_copy_reads_back() {
        let text = attributes_of(&Settings::default());
        assert_eq!(text, "{\n  \"federated_groups\": \"$.groups\"\n}");
        let groups = read(&text).unwrap();
        let settings = Settings {
            groups,
            ..Settings::default()
        };
        assert_eq!(attributes_of(&settings), text);
        assert!(
            read(r#"{ "federated_groups": "${context.userinfo.groups}", "email": "$.email" }"#)
                .is_ok()
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, said) in [
            ("", "federated_groups"),
            ("[]", "one JSON object"),
            ("{", "JSON"),
            (r#"{ "groups": "$.groups" }"#, "have no `federated_groups`"),
            (r#"{ "federated_groups": "$.groups[" }"#, "at character 9"),
            (r#"{ "federated_groups": 1 }"#, "not a string"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }
}
