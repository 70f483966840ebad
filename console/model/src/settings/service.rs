//! The service's settings in words: identity provider, license, audit log, loggers.

use gbac_api::license::LicenseStatus;
use gbac_api::loggers::Logger;
use gbac_words::rich_text::RichText;
use serde_json::{Map, Value};

/// The default level of a logger.
pub const DEFAULT_LEVEL: &str = "info";
/// The levels, the gravest first.
pub const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];
/// How long a level can last, in seconds and in words; 0 never reverts.
pub const TIMES: [(u32, &str); 4] = [
    (60, "for 1 minute"),
    (300, "for 5 minutes"),
    (3600, "for 1 hour"),
    (0, "until changed"),
];

/// What is missing before any token counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoProvider {
    /// The properties that are empty.
    pub missing: Vec<&'static str>,
}

/// Whether tokens of an identity provider count; otherwise which properties are missing. None where
/// the cluster has no such properties.
pub fn provider(properties: &Map<String, Value>) -> Option<Result<String, NoProvider>> {
    let text = |name: &str| properties.get(name).and_then(Value::as_str);
    let (url, audience) = (text("oidc_discovery_url")?, text("oidc_token_audience")?);
    let missing: Vec<&'static str> = [
        ("oidc_discovery_url", url),
        ("oidc_token_audience", audience),
    ]
    .into_iter()
    .filter(|(_, value)| value.is_empty())
    .map(|(name, _)| name)
    .collect();
    Some(if missing.is_empty() {
        Ok(url.to_owned())
    } else {
        Err(NoProvider { missing })
    })
}

/// Why no verdict about a token takes effect yet; none where the service has an identity provider,
/// and where it does not say.
pub fn provider_gap(properties: &Map<String, Value>) -> Option<&'static str> {
    let missing = provider(properties)?.err();
    missing.map(|_| "No identity provider is configured, so the service accepts no token yet.")
}

/// Why ACLs may not apply to the Kafka API at all; none where they do, and where the cluster does
/// not say.
pub fn authorization_gap(properties: &Map<String, Value>) -> Option<RichText> {
    const NAME: &str = "kafka_enable_authorization";
    let of = |name: &str| properties.get(name).and_then(Value::as_bool);
    let words = match (properties.get(NAME)?, of("enable_sasl")) {
        (Value::Null, Some(true)) => return None,
        (Value::Null, _) => RichText::new()
            .code(NAME)
            .text(" is ")
            .code("null")
            .text(", so it follows ")
            .code("enable_sasl")
            .text(", which is not on. If SASL is set for single listeners only, every request to the Kafka API is allowed. Set ")
            .code(NAME)
            .text(" to ")
            .code("true")
            .text("."),
        (Value::Bool(false), _) => {
            RichText::new().code(NAME).text(" is ").code("false").text(", so every request to the Kafka API is allowed.")
        }
        _ => return None,
    };
    Some(words)
}

/// Whether the audit log is written; none where the cluster does not say.
pub fn audit(properties: &Map<String, Value>) -> Option<bool> {
    properties.get("audit_enabled").and_then(Value::as_bool)
}

/// A license in a word, and what it means.
pub const fn license_words(status: LicenseStatus) -> (&'static str, &'static str) {
    match status {
        LicenseStatus::Valid => ("Valid", "Groups and roles can be used without a limit."),
        LicenseStatus::Expired => (
            "Expired",
            "What exists goes on counting. New ACLs of groups and roles, new roles and members, and group properties away \
             from their defaults are refused.",
        ),
        LicenseStatus::Missing => (
            "Missing",
            "What exists goes on counting. ACLs of groups and roles, roles and members, and group properties away from \
             their defaults are refused.",
        ),
    }
}

/// A logger as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggerRow {
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: String,
    /// When it reverts, in milliseconds since 1970; none when it does not.
    pub reverts_at: Option<f64>,
}

impl LoggerRow {
    /// A row of the list. The time at which it reverts is read for each one separately.
    #[must_use]
    pub fn from_logger(logger: Logger) -> Self {
        Self {
            name: logger.name,
            level: logger.level.unwrap_or_default(),
            reverts_at: None,
        }
    }

    /// The same, with how many seconds are left of its level at this time.
    #[must_use]
    pub fn reverting(self, seconds: u64, now_ms: f64) -> Self {
        let left = u32::try_from(seconds).ok().filter(|seconds| *seconds > 0);
        Self {
            reverts_at: left.map(|seconds| now_ms + f64::from(seconds) * 1000.0),
            ..self
        }
    }

    /// Whether its level differs from the default.
    pub fn is_changed(&self) -> bool {
        self.level != DEFAULT_LEVEL
    }
}

/// The time until an instant as a clock: `4:12`, `1:00:00`; `0:00` when it is over.
///
/// ```
/// use gbac_console_model::settings::service::left;
/// assert_eq!(left(252_000.0, 0.0), "4:12");
/// assert_eq!(left(3_600_000.0, 0.0), "1:00:00");
/// assert_eq!(left(0.0, 5.0), "0:00");
/// ```
pub fn left(until_ms: f64, now_ms: f64) -> String {
    // Less than nothing, rounded up, is a zero with a sign; together with another it has none.
    let seconds = ((until_ms - now_ms) / 1000.0)
        .ceil()
        .clamp(0.0, f64::from(u32::MAX))
        + 0.0;
    let (hours, rest) = ((seconds / 3600.0).floor(), seconds % 3600.0);
    let (minutes, seconds) = ((rest / 60.0).floor(), rest % 60.0);
    if hours > 0.0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        let Value::Object(members) = value else {
            panic!("an object")
        };
        members
    }

    #[test]
    fn acls_that_may_not_apply_are_told() {
        let gap = |properties: Value| match properties {
            Value::Object(properties) => authorization_gap(&properties).map(|words| words.plain()),
            _ => None,
        };
        let null = json!({ "kafka_enable_authorization": null });
        assert!(
            gap(null)
                .unwrap()
                .starts_with("kafka_enable_authorization is null, so it follows enable_sasl")
        );
        assert!(gap(json!({ "kafka_enable_authorization": null, "enable_sasl": false })).is_some());
        assert_eq!(
            gap(json!({ "kafka_enable_authorization": null, "enable_sasl": true })),
            None
        );
        assert!(
            gap(json!({ "kafka_enable_authorization": false, "enable_sasl": true }))
                .unwrap()
                .contains("is false")
        );
        assert_eq!(gap(json!({ "kafka_enable_authorization": true })), None);
        assert_eq!(gap(json!({})), None, "a service that has no such property");
    }

    #[test]
    fn a_missing_provider_is_a_finding() {
        let properties =
            map(json!({ "oidc_discovery_url": "https://idp/", "oidc_token_audience": "" }));
        assert_eq!(
            provider(&properties),
            Some(Err(NoProvider {
                missing: vec!["oidc_token_audience"]
            }))
        );
        let properties =
            map(json!({ "oidc_discovery_url": "https://idp/", "oidc_token_audience": "x" }));
        assert_eq!(provider(&properties), Some(Ok("https://idp/".into())));
        assert_eq!(provider(&map(json!({}))), None);
        assert_eq!(
            (
                audit(&map(json!({ "audit_enabled": false }))),
                audit(&map(json!({})))
            ),
            (Some(false), None)
        );
    }

    #[test]
    fn a_level_counts_down() {
        let row = LoggerRow::from_logger(Logger {
            name: "security".into(),
            level: Some("debug".into()),
        });
        let row = row.reverting(252, 1000.0);
        assert_eq!(row.reverts_at, Some(253_000.0));
        assert_eq!(left(row.reverts_at.unwrap(), 1000.0), "4:12");
        assert_eq!(left(row.reverts_at.unwrap(), 252_400.0), "0:01");
        assert!(row.is_changed() && row.clone().reverting(0, 0.0).reverts_at.is_none());
    }
}
