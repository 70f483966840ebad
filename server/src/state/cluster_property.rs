//! The cluster properties: their types, values and validation (specification 2.2, D-13, D-14,
//! D-25).

use gbac_api::address::address;
use gbac_api::cluster_config::{ItemSchema, PropertySchema};
use gbac_engine::Coded;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{GroupSource, Settings};
use serde_json::Value;

use super::config::Config;
use super::property_value::{ValueType, printable};
use super::recorded_property::{RECORDED, RecordedProperty};
use super::store::Snapshot;

/// A cluster property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClusterProperty {
    AuditEnabled,
    NestedGroupBehavior,
    OidcClockSkewTolerance,
    OidcDiscoveryUrl,
    OidcGroupClaimPath,
    OidcPrincipalMapping,
    OidcTokenAudience,
    Superusers,
    /// One without an effect.
    Recorded(&'static RecordedProperty),
}

/// The settings and the configuration that hold the values of the properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PropertyValues {
    pub(crate) settings: Settings,
    pub(crate) config: Config,
}

/// The largest clock difference that can be tolerated, in seconds: a day.
const MAX_SKEW: u32 = 86_400;

impl ClusterProperty {
    /// Those with an effect.
    const EFFECTIVE: [Self; 8] = [
        Self::AuditEnabled,
        Self::NestedGroupBehavior,
        Self::OidcClockSkewTolerance,
        Self::OidcDiscoveryUrl,
        Self::OidcGroupClaimPath,
        Self::OidcPrincipalMapping,
        Self::OidcTokenAudience,
        Self::Superusers,
    ];

    /// Every property.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::EFFECTIVE
            .into_iter()
            .chain(RECORDED.iter().map(Self::Recorded))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::AuditEnabled => "audit_enabled",
            Self::NestedGroupBehavior => "nested_group_behavior",
            Self::OidcClockSkewTolerance => "oidc_clock_skew_tolerance",
            Self::OidcDiscoveryUrl => "oidc_discovery_url",
            Self::OidcGroupClaimPath => "oidc_group_claim_path",
            Self::OidcPrincipalMapping => "oidc_principal_mapping",
            Self::OidcTokenAudience => "oidc_token_audience",
            Self::Superusers => "superusers",
            Self::Recorded(property) => property.name,
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Self::all().find(|property| property.name() == name)
    }

    const fn description(self) -> &'static str {
        match self {
            Self::AuditEnabled => {
                "Whether authentications and decisions are written to the audit log."
            }
            Self::NestedGroupBehavior => {
                "How a group name is derived: `none` keeps it unchanged, `suffix` keeps the part after the last `/`."
            }
            Self::OidcClockSkewTolerance => {
                "The tolerated difference in seconds between the clocks of this service and the identity provider."
            }
            Self::OidcDiscoveryUrl => {
                "URL of the identity provider's discovery document. Tokens are accepted once this and the audience are set."
            }
            Self::OidcGroupClaimPath => "JSON path of the claim that contains the groups.",
            Self::OidcPrincipalMapping => {
                "The claim that contains the user name: `$.claim`, optionally followed by `/expression/replacement/` and `L` or `U`."
            }
            Self::OidcTokenAudience => "Audience that `aud` of a token must contain.",
            Self::Superusers => {
                "Names of the users with unrestricted access, without a type prefix."
            }
            Self::Recorded(property) => property.description,
        }
    }

    const fn value_type(self) -> ValueType {
        match self {
            Self::AuditEnabled => ValueType::Boolean,
            Self::OidcClockSkewTolerance => ValueType::Seconds,
            Self::NestedGroupBehavior
            | Self::OidcDiscoveryUrl
            | Self::OidcGroupClaimPath
            | Self::OidcPrincipalMapping
            | Self::OidcTokenAudience => ValueType::String,
            Self::Superusers => ValueType::Strings,
            Self::Recorded(property) => property.value_type,
        }
    }

    /// The value that a client wrote; `None` if it resets the property: null, and an empty text for
    /// anything but a text.
    pub(crate) fn written(self, value: &Value) -> Option<Value> {
        let is_empty = value.as_str() == Some("") && self.value_type() != ValueType::String;
        if value.is_null() || is_empty {
            return None;
        }
        Some(self.value_type().coerced(value))
    }

    /// The field of [`Config`] with the value; `None` if it is a setting of the policy.
    pub(crate) const fn config_field(self) -> Option<&'static str> {
        match self {
            Self::AuditEnabled => Some("audit_enabled"),
            Self::OidcClockSkewTolerance => Some("oidc_clock_skew"),
            Self::OidcDiscoveryUrl => Some("oidc_discovery_url"),
            Self::OidcTokenAudience => Some("oidc_token_audience"),
            Self::Recorded(_) => Some("recorded"),
            Self::NestedGroupBehavior
            | Self::OidcGroupClaimPath
            | Self::OidcPrincipalMapping
            | Self::Superusers => None,
        }
    }

    /// The value. With an SSO connection, the two group properties are not in use and have their
    /// defaults.
    pub(crate) fn value(self, values: &PropertyValues) -> Value {
        let PropertyValues { settings, config } = values;
        let groups = match &settings.groups {
            GroupSource::Properties { claim_path, nested } => {
                (claim_path.as_str().to_owned(), nested.code())
            }
            GroupSource::Sso { .. } => match Settings::default().groups {
                GroupSource::Properties { claim_path, nested } => {
                    (claim_path.as_str().to_owned(), nested.code())
                }
                GroupSource::Sso { .. } => (String::new(), ""),
            },
        };
        match self {
            Self::AuditEnabled => config.audit_enabled.into(),
            Self::NestedGroupBehavior => groups.1.into(),
            Self::OidcClockSkewTolerance => config.oidc_clock_skew.into(),
            Self::OidcDiscoveryUrl => config.oidc_discovery_url.as_str().into(),
            Self::OidcGroupClaimPath => groups.0.into(),
            Self::OidcPrincipalMapping => settings.principal_mapping.as_str().into(),
            Self::OidcTokenAudience => config.oidc_token_audience.as_str().into(),
            Self::Superusers => settings.superusers.iter().cloned().collect(),
            Self::Recorded(property) => match config.recorded.get(property.name) {
                Some(value) => value.clone(),
                None => property.default(),
            },
        }
    }

    pub(crate) fn schema(self, config: &Config) -> PropertySchema {
        PropertySchema {
            kind: self.value_type().name().into(),
            description: self.description().into(),
            nullable: matches!(self, Self::Recorded(property) if property.is_nullable()),
            needs_restart: false,
            visibility: "user".into(),
            enum_values: match self {
                Self::NestedGroupBehavior => vec!["none".into(), "suffix".into()],
                Self::Recorded(property) => {
                    property.values.iter().copied().map(Into::into).collect()
                }
                _ => Vec::new(),
            },
            items: (self.value_type() == ValueType::Strings).then(|| ItemSchema {
                kind: "string".into(),
            }),
            default: self.value(&PropertyValues::default()),
            pinned: self.is_pinned(config),
        }
    }

    /// Whether the command line sets the value.
    pub(crate) fn is_pinned(self, config: &Config) -> bool {
        match self.config_field() {
            Some(field) => config.is_pinned(field),
            None => false,
        }
    }

    /// Why a value is not of the type of the property.
    fn wrong_type(self) -> String {
        self.value_type().mismatch().to_owned()
    }

    fn text(self, value: &Value) -> Result<&str, String> {
        value.as_str().ok_or_else(|| self.wrong_type())
    }

    fn names(self, value: &Value) -> Result<Vec<String>, String> {
        let Value::Array(items) = value else {
            return Err(self.wrong_type());
        };
        let mut names = Vec::new();
        for item in items {
            names.push(self.text(item)?.to_owned());
        }
        Ok(names)
    }

    /// Sets the value.
    ///
    /// # Errors
    /// The value is not valid; the message says why.
    pub(crate) fn set(self, values: &mut PropertyValues, value: &Value) -> Result<(), String> {
        let is_current = *value == self.value(values);
        let PropertyValues { settings, config } = values;
        match self {
            Self::AuditEnabled => {
                config.audit_enabled = value.as_bool().ok_or_else(|| self.wrong_type())?;
            }
            Self::NestedGroupBehavior => {
                let wanted = self
                    .text(value)?
                    .parse::<NestedGroupBehavior>()
                    .map_err(|_| "Must be one of none,suffix")?;
                match &mut settings.groups {
                    GroupSource::Properties { nested, .. } => *nested = wanted,
                    GroupSource::Sso { .. } if is_current => {}
                    GroupSource::Sso { .. } => return Err(SSO_IN_USE.into()),
                }
            }
            Self::OidcClockSkewTolerance => {
                config.oidc_clock_skew = match value.as_u64().map(u32::try_from) {
                    Some(Ok(seconds @ ..=MAX_SKEW)) => seconds,
                    _ => return Err(self.wrong_type()),
                };
            }
            Self::OidcDiscoveryUrl => {
                let url = self.text(value)?;
                if !url.is_empty() {
                    address(url).map_err(|error| format!("{error}; {}", error.hint()))?;
                }
                config.oidc_discovery_url = url.to_owned();
            }
            Self::OidcGroupClaimPath => {
                let wanted = ClaimPath::parse(self.text(value)?).map_err(|error| {
                    let fault = format!("{error} at byte {}", error.offset());
                    match error.hint() {
                        Some(hint) => format!("{fault}; {hint}"),
                        None => fault,
                    }
                })?;
                match &mut settings.groups {
                    GroupSource::Properties { claim_path, .. } => *claim_path = wanted,
                    GroupSource::Sso { .. } if is_current => {}
                    GroupSource::Sso { .. } => return Err(SSO_IN_USE.into()),
                }
            }
            Self::OidcPrincipalMapping => {
                settings.principal_mapping =
                    PrincipalMapping::parse(self.text(value)?).map_err(|error| {
                        format!("{error} at byte {}; {}", error.offset(), error.hint())
                    })?;
            }
            Self::OidcTokenAudience => {
                config.oidc_token_audience = printable(self.text(value)?)?.to_owned();
            }
            Self::Superusers => {
                let names = self.names(value)?;
                for name in &names {
                    Settings::check_superuser(printable(name)?)
                        .map_err(|error| format!("{error}; {}", error.hint()))?;
                }
                settings.superusers = names.into_iter().collect();
            }
            Self::Recorded(property) => {
                property.check(value)?;
                if *value == property.default() {
                    config.recorded.remove(property.name);
                } else {
                    config
                        .recorded
                        .insert(property.name.to_owned(), value.clone());
                }
            }
        }
        Ok(())
    }
}

/// Why the two group properties cannot be set with an SSO connection (D-25).
const SSO_IN_USE: &str = "groups come from the SSO connection (`sso` in the policy document); remove it to set this property";

impl PropertyValues {
    /// The current values.
    pub(crate) fn current(snapshot: &Snapshot) -> Self {
        Self {
            settings: snapshot.policy.settings().clone(),
            config: (*snapshot.config).clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_property_accepts_its_own_value() {
        let default = PropertyValues::default();
        for property in ClusterProperty::all() {
            let mut values = default.clone();
            property
                .set(&mut values, &property.value(&default))
                .unwrap();
            assert_eq!(values, default);
            assert_eq!(ClusterProperty::by_name(property.name()), Some(property));
            assert!(
                property
                    .set(&mut values, &json!({}))
                    .unwrap_err()
                    .starts_with("expected type")
            );
            let pinned = Config {
                pinned: property.config_field().into_iter().collect(),
                ..Config::default()
            };
            assert_eq!(
                property
                    .config_field()
                    .is_some_and(|field| pinned.is_pinned(field)),
                property.config_field().is_some()
            );
        }
    }

    #[test]
    fn scalars_are_read_as_text_or_as_their_type() {
        use ClusterProperty::{
            AuditEnabled, OidcClockSkewTolerance, OidcTokenAudience, Superusers,
        };
        let written = |property: ClusterProperty, value: Value| property.written(&value);
        assert_eq!(written(AuditEnabled, json!("true")), Some(json!(true)));
        assert_eq!(
            written(AuditEnabled, json!("yes")),
            Some(json!("yes")),
            "and that is refused"
        );
        assert_eq!(
            written(OidcClockSkewTolerance, json!("30")),
            Some(json!(30))
        );
        assert_eq!(written(OidcClockSkewTolerance, json!("")), None);
        assert_eq!(written(OidcTokenAudience, json!(7)), Some(json!("7")));
        assert_eq!(
            written(OidcTokenAudience, json!("")),
            Some(json!("")),
            "a text can be empty"
        );
        assert_eq!(written(OidcTokenAudience, json!(null)), None);
        assert_eq!(
            written(Superusers, json!(["a", 7, true, null])),
            Some(json!(["a", "7", "true", null]))
        );
        assert_eq!(written(Superusers, json!("")), None);
    }

    #[test]
    fn an_sso_connection_excludes_the_group_properties() {
        let attributes = [("federated_groups".to_owned(), "$.g".to_owned())].into();
        let groups = GroupSource::from_attributes(attributes).unwrap();
        let settings = Settings {
            groups,
            ..Settings::default()
        };
        let mut values = PropertyValues {
            settings,
            ..PropertyValues::default()
        };
        let before = values.clone();
        assert_eq!(
            ClusterProperty::OidcGroupClaimPath.value(&values),
            json!("$.groups")
        );
        assert!(
            ClusterProperty::OidcGroupClaimPath
                .set(&mut values, &json!("$.x"))
                .is_err()
        );
        assert!(
            ClusterProperty::NestedGroupBehavior
                .set(&mut values, &json!("suffix"))
                .is_err()
        );
        ClusterProperty::NestedGroupBehavior
            .set(&mut values, &json!("none"))
            .unwrap();
        assert_eq!(values, before);
    }
}
