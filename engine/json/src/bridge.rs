//! Between JSON values and the engine's own types: claims, properties, audit events.

use gbac_analysis::audit::Event;
use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::json::JsonError;
use gbac_engine::token::UnverifiedClaims;
use gbac_engine::{ClaimSet, internal};
use serde_json::{Map, Value};

/// Reads one JSON value strictly: a duplicate member is an error.
///
/// # Errors
/// The text is not exactly one JSON value, an object has a member twice, the value nests too deep, a number is out of range, or
/// the text starts with a byte order mark.
///
/// ```
/// assert!(gbac_json::parse(r#"{ "groups": ["a"] }"#).is_ok());
/// let error = gbac_json::parse(r#"{ "groups": ["a"], "gr\u006fups": ["admin"] }"#).unwrap_err();
/// assert_eq!(error.code(), "duplicate_member");
/// ```
pub fn parse(text: &str) -> Result<Value, JsonError> {
    internal::parse(text)
}

/// The members of a JSON object as a set of claims.
#[must_use]
pub const fn claims_from_object(members: Map<String, Value>) -> ClaimSet {
    internal::claim_set(members)
}

/// The members of a JSON object as the claims of a token that nobody verified.
#[must_use]
pub fn unverified_claims(members: Map<String, Value>) -> UnverifiedClaims {
    claims_from_object(members).into()
}

/// A set of claims as the members of a JSON object.
#[must_use]
pub const fn claims_to_object(claims: &ClaimSet) -> &Map<String, Value> {
    internal::members(claims)
}

/// The tokens that a service accepts, read from its cluster properties by name.
#[must_use]
pub fn accepted_from_properties<'a>(property: impl Fn(&str) -> Option<&'a Value>) -> AcceptedTokens {
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

/// An audit event as a JSON value; [`Event::to_line`] writes it in the platform's order.
#[must_use]
pub fn event_to_value(event: &Event) -> Value {
    serde_json::from_str(&event.to_line()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_of_another_type_are_not_known() {
        let properties = |values: Value| accepted_from_properties(|name| values.get(name));
        assert_eq!(properties(json!({ "oidc_clock_skew_tolerance": false })).clock_skew, None);
        assert_eq!(properties(json!({ "oidc_clock_skew_tolerance": 5 })).clock_skew, Some(5));
        let accepted = properties(json!({ "oidc_discovery_url": "https://idp.example", "oidc_token_audience": "" }));
        assert_eq!((accepted.discovery_url.as_deref(), accepted.audience), (Some("https://idp.example"), None));
    }
}
