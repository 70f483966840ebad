//! Cluster properties that have no effect here. Clients that set up an identity provider or
//! auditing send them together with others, so they are checked and stored, and their description
//! says that they have no effect (D-92).

use serde_json::{Value, json};

use super::property_value::{ValueType, printable};

/// A property without an effect.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RecordedProperty {
    pub(crate) name: &'static str,
    pub(crate) value_type: ValueType,
    /// The values that it, or each of its items, can have; any if there are none.
    pub(crate) values: &'static [&'static str],
    /// The default as JSON; `null` if there is none.
    default: &'static str,
    pub(crate) description: &'static str,
}

const MECHANISMS: &[&str] = &["SCRAM", "GSSAPI", "OAUTHBEARER", "PLAIN"];
const EVENT_TYPES: &[&str] = &[
    "management",
    "produce",
    "consume",
    "describe",
    "heartbeat",
    "authenticate",
    "admin",
    "schema_registry",
];

/// Every property without an effect, by name.
pub(crate) static RECORDED: [RecordedProperty; 11] = [
    RecordedProperty {
        name: "audit_enabled_event_types",
        value_type: ValueType::Strings,
        values: EVENT_TYPES,
        default: r#"["management", "authenticate", "admin"]"#,
        description: "The events that a broker records. It has no effect here: every event is recorded.",
    },
    RecordedProperty {
        name: "audit_excluded_principals",
        value_type: ValueType::Strings,
        values: &[],
        default: "[]",
        description: "The users whose events a broker leaves out. It has no effect here: every event is recorded.",
    },
    RecordedProperty {
        name: "audit_excluded_topics",
        value_type: ValueType::Strings,
        values: &[],
        default: "[]",
        description: "The topics whose events a broker leaves out. It has no effect here: there are no topics.",
    },
    RecordedProperty {
        name: "audit_failure_policy",
        value_type: ValueType::String,
        values: &["reject", "permit"],
        default: r#""reject""#,
        description: "What a broker does with a request that it cannot record. It has no effect here: such a request is \
                      always rejected.",
    },
    RecordedProperty {
        name: "audit_log_num_partitions",
        value_type: ValueType::Integer,
        values: &[],
        default: "12",
        description: "The partitions of a broker's audit log. It has no effect here: the audit log is a file.",
    },
    RecordedProperty {
        name: "audit_log_replication_factor",
        value_type: ValueType::Integer,
        values: &[],
        default: "null",
        description: "The copies of a broker's audit log. It has no effect here: the audit log is a file.",
    },
    RecordedProperty {
        name: "audit_queue_drain_interval_ms",
        value_type: ValueType::Integer,
        values: &[],
        default: "500",
        description: "How long a broker collects events, in milliseconds. It has no effect here: an event is written \
                      before the response is sent.",
    },
    RecordedProperty {
        name: "audit_use_rpc",
        value_type: ValueType::Boolean,
        values: &[],
        default: "true",
        description: "How a broker writes its audit log. It has no effect here: the audit log is a file.",
    },
    RecordedProperty {
        name: "http_authentication",
        value_type: ValueType::Strings,
        values: &["BASIC", "OIDC"],
        default: r#"["BASIC"]"#,
        description: "How clients of a broker's HTTP APIs can authenticate. It has no effect here: a password and, once \
                      the identity provider is set, a token are always accepted.",
    },
    RecordedProperty {
        name: "oidc_keys_refresh_interval",
        value_type: ValueType::Integer,
        values: &[],
        default: "3600",
        description: "How often a broker fetches the keys of the identity provider, in seconds. It has no effect here: \
                      keys are fetched every hour, and when a token has an unknown key.",
    },
    RecordedProperty {
        name: "sasl_mechanisms",
        value_type: ValueType::Strings,
        values: MECHANISMS,
        default: r#"["SCRAM"]"#,
        description: "How Kafka clients of a broker can authenticate. It has no effect here: there is no Kafka API.",
    },
];

impl RecordedProperty {
    /// The default; null if there is none.
    pub(crate) fn default(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or_default()
    }

    /// Checks a value of the right scalar types.
    ///
    /// # Errors
    /// The value is not valid; the message says why.
    pub(crate) fn check(&self, value: &Value) -> Result<(), String> {
        match (self.value_type, value) {
            _ if *value == self.default() => Ok(()),
            (ValueType::Boolean, Value::Bool(_)) => Ok(()),
            (ValueType::Seconds | ValueType::Integer, value) if value.is_u64() => Ok(()),
            (ValueType::String, value) => self.check_text(value),
            (ValueType::Strings, Value::Array(items)) => {
                for item in items {
                    self.check_text(item)?;
                }
                Ok(())
            }
            _ => Err(self.value_type.mismatch().to_owned()),
        }
    }

    fn check_text(&self, value: &Value) -> Result<(), String> {
        let Value::String(text) = value else {
            return Err(self.value_type.mismatch().to_owned());
        };
        let text = printable(text)?;
        if self.values.is_empty() || self.values.contains(&text) {
            Ok(())
        } else {
            Err(format!("Must be one of {}", self.values.join(",")))
        }
    }

    /// Whether it can be null.
    pub(crate) fn is_nullable(&self) -> bool {
        self.default() == json!(null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_the_names_are_sorted() {
        assert!(RECORDED.is_sorted_by_key(|property| property.name));
        for property in &RECORDED {
            assert!(
                serde_json::from_str::<Value>(property.default).is_ok(),
                "{}",
                property.name
            );
            let is_default_of_type = property.is_nullable()
                || match property.value_type {
                    ValueType::Boolean => property.default().is_boolean(),
                    ValueType::Seconds | ValueType::Integer => property.default().is_u64(),
                    ValueType::String => property.default().is_string(),
                    ValueType::Strings => property.default().is_array(),
                };
            assert!(is_default_of_type, "{}", property.name);
            assert!(
                property.description.contains("It has no effect here: "),
                "{}",
                property.name
            );
            assert!(
                property
                    .check(&json!({}))
                    .unwrap_err()
                    .starts_with("expected type"),
                "{}",
                property.name
            );
        }
    }

    #[test]
    fn values_are_checked() {
        let check = |name: &str, value: Value| {
            RECORDED
                .iter()
                .find(|known| known.name == name)
                .unwrap()
                .check(&value)
        };
        assert!(check("sasl_mechanisms", json!(["SCRAM", "OAUTHBEARER"])).is_ok());
        assert_eq!(
            check("sasl_mechanisms", json!(["oauth"])).unwrap_err(),
            "Must be one of SCRAM,GSSAPI,OAUTHBEARER,PLAIN"
        );
        assert_eq!(
            check("audit_failure_policy", json!("deny")).unwrap_err(),
            "Must be one of reject,permit"
        );
        assert_eq!(
            check("audit_use_rpc", json!(1)).unwrap_err(),
            "expected type boolean"
        );
        assert_eq!(
            check("oidc_keys_refresh_interval", json!(-1)).unwrap_err(),
            "expected type integer"
        );
        assert!(check("audit_log_replication_factor", json!(null)).is_ok());
        assert!(check("audit_excluded_topics", json!(["a\n"])).is_err());
    }
}
