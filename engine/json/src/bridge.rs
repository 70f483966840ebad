//! Converts between JSON values and types of the other crates: cluster
//! properties, audit events.

use gbac_analysis::audit::Event;
use gbac_analysis::provider::AcceptedTokens;
use serde_json::Value;

/// Reads the requirements for tokens from the cluster properties of a service.
#[must_use]
pub fn accepted_from_properties<'a>(
    property: impl Fn(&str) -> Option<&'a Value>,
) -> AcceptedTokens {
    let text = |name| {
        let value = property(name).and_then(Value::as_str);
        value.filter(|value| !value.is_empty()).map(str::to_owned)
    };
    let skew = property("oidc_clock_skew_tolerance").and_then(Value::as_u64);
    AcceptedTokens {
        discovery_url: text("oidc_discovery_url"),
        audience: text("oidc_token_audience"),
        clock_skew: skew.and_then(|seconds| u32::try_from(seconds).ok()),
        ..AcceptedTokens::default()
    }
}

/// An audit event as a JSON value. [`Event::to_line`] writes the members in the order of the
/// platform.
#[must_use]
pub fn event_to_value(event: &Event) -> Value {
    serde_json::from_str(&event.to_line()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_of_another_type_are_ignored() {
        let properties = |values: Value| accepted_from_properties(|name| values.get(name));
        assert_eq!(
            properties(json!({ "oidc_clock_skew_tolerance": false })).clock_skew,
            None
        );
        assert_eq!(
            properties(json!({ "oidc_clock_skew_tolerance": 5 })).clock_skew,
            Some(5)
        );
        let accepted = properties(
            json!({ "oidc_discovery_url": "https://idp.example", "oidc_token_audience": "" }),
        );
        assert_eq!(
            (accepted.discovery_url.as_deref(), accepted.audience),
            (Some("https://idp.example"), None)
        );
    }
}
