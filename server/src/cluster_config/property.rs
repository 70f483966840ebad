//! The cluster properties: what each is, its value, and how a new one is read (specification 2.2, D-13, D-14, D-25).

use gbac_api::address::address;
use gbac_api::cluster_config::{ItemSchema, PropertySchema};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::escape::escaped;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{GroupSource, Settings};
use serde_json::Value;

use crate::config::Config;
use crate::store::Snapshot;

/// A property of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    AuditEnabled,
    NestedGroupBehavior,
    OidcClockSkewTolerance,
    OidcDiscoveryUrl,
    OidcGroupClaimPath,
    OidcPrincipalMapping,
    OidcTokenAudience,
    Superusers,
}

/// What the properties are about, as it counts or as somebody wants it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Held {
    pub(super) settings: Settings,
    pub(super) config: Config,
}

/// What a property's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Boolean,
    Seconds,
    Text,
    Texts,
}

impl Kind {
    /// The words of the schema and of a refusal.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Boolean => ("boolean", "expected type boolean"),
            Self::Seconds => ("integer", "expected type integer, 0 to 86400"),
            Self::Text => ("string", "expected type string"),
            Self::Texts => ("array", "expected type array of strings"),
        }
    }
}

/// The largest difference of two clocks, in seconds: a day.
const MAX_SKEW: u64 = 86_400;
/// The longest audience and the longest name of a superuser, in bytes; group and user names in a token may be as long.
const MAX_TEXT: usize = 4096;

impl Property {
    pub(super) const ALL: [Self; 8] = [
        Self::AuditEnabled,
        Self::NestedGroupBehavior,
        Self::OidcClockSkewTolerance,
        Self::OidcDiscoveryUrl,
        Self::OidcGroupClaimPath,
        Self::OidcPrincipalMapping,
        Self::OidcTokenAudience,
        Self::Superusers,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::AuditEnabled => "audit_enabled",
            Self::NestedGroupBehavior => "nested_group_behavior",
            Self::OidcClockSkewTolerance => "oidc_clock_skew_tolerance",
            Self::OidcDiscoveryUrl => "oidc_discovery_url",
            Self::OidcGroupClaimPath => "oidc_group_claim_path",
            Self::OidcPrincipalMapping => "oidc_principal_mapping",
            Self::OidcTokenAudience => "oidc_token_audience",
            Self::Superusers => "superusers",
        }
    }

    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.name() == name)
    }

    const fn description(self) -> &'static str {
        match self {
            Self::AuditEnabled => "Whether authentications and decisions are written to the audit log.",
            Self::NestedGroupBehavior => {
                "What a group's name is: `none` takes it as it is, `suffix` takes what follows the last `/`."
            }
            Self::OidcClockSkewTolerance => {
                "By how many seconds the clocks of this service and the provider may differ."
            }
            Self::OidcDiscoveryUrl => {
                "Where the identity provider's discovery document is; tokens count once this and the audience are set."
            }
            Self::OidcGroupClaimPath => "Where in a token the groups are: a JSON path.",
            Self::OidcPrincipalMapping => {
                "Which claim names the user: `$.claim`, optionally with `/expression/replacement/` and `L` or `U`."
            }
            Self::OidcTokenAudience => "What the `aud` of a token must be or hold.",
            Self::Superusers => "The users who may do everything: bare names.",
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::AuditEnabled => Kind::Boolean,
            Self::OidcClockSkewTolerance => Kind::Seconds,
            Self::NestedGroupBehavior
            | Self::OidcDiscoveryUrl
            | Self::OidcGroupClaimPath
            | Self::OidcPrincipalMapping
            | Self::OidcTokenAudience => Kind::Text,
            Self::Superusers => Kind::Texts,
        }
    }

    /// The name of the setting of the service that this is, as [`Config::is_pinned`] knows it.
    pub(super) const fn setting(self) -> Option<&'static str> {
        match self {
            Self::AuditEnabled => Some("audit_enabled"),
            Self::OidcClockSkewTolerance => Some("oidc_clock_skew"),
            Self::OidcDiscoveryUrl => Some("oidc_discovery_url"),
            Self::OidcTokenAudience => Some("oidc_token_audience"),
            Self::NestedGroupBehavior | Self::OidcGroupClaimPath | Self::OidcPrincipalMapping | Self::Superusers => {
                None
            }
        }
    }

    /// Its value. Under the managed cloud's mapping the two of the groups are not in use and have their defaults.
    pub(super) fn value(self, held: &Held) -> Value {
        let Held { settings, config } = held;
        let groups = match &settings.groups {
            GroupSource::Properties { claim_path, nested } => (claim_path.as_str().to_owned(), nested.as_str()),
            GroupSource::Sso { .. } => match Settings::default().groups {
                GroupSource::Properties { claim_path, nested } => (claim_path.as_str().to_owned(), nested.as_str()),
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
        }
    }

    pub(super) fn schema(self, config: &Config) -> PropertySchema {
        PropertySchema {
            kind: self.kind().words().0.into(),
            description: self.description().into(),
            nullable: false,
            needs_restart: false,
            visibility: "user".into(),
            enum_values: match self {
                Self::NestedGroupBehavior => vec!["none".into(), "suffix".into()],
                _ => Vec::new(),
            },
            items: (self.kind() == Kind::Texts).then(|| ItemSchema { kind: "string".into() }),
            default: self.value(&Held::default()),
            pinned: self.setting().is_some_and(|setting| config.is_pinned(setting)),
        }
    }

    /// Gives it a value; the message says what is wrong, and where for a path or a rule.
    pub(super) fn set(self, held: &mut Held, value: &Value) -> Result<(), String> {
        let in_use = *value == self.value(held);
        let Held { settings, config } = held;
        let mistyped = || self.kind().words().1.to_owned();
        let text = || value.as_str().ok_or_else(mistyped);
        match self {
            Self::AuditEnabled => config.audit_enabled = value.as_bool().ok_or_else(mistyped)?,
            Self::NestedGroupBehavior => {
                let wanted = text()?.parse::<NestedGroupBehavior>().map_err(|_| "Must be one of none,suffix")?;
                match &mut settings.groups {
                    GroupSource::Properties { nested, .. } => *nested = wanted,
                    GroupSource::Sso { .. } if in_use => {}
                    GroupSource::Sso { .. } => return Err(OTHER_DEPLOYMENT.into()),
                }
            }
            Self::OidcClockSkewTolerance => {
                let seconds = value.as_u64().filter(|seconds| *seconds <= MAX_SKEW);
                config.oidc_clock_skew =
                    seconds.and_then(|seconds| u32::try_from(seconds).ok()).ok_or_else(mistyped)?;
            }
            Self::OidcDiscoveryUrl => {
                let url = text()?;
                if !url.is_empty() {
                    address(url).map_err(|error| format!("{error}; {}", error.hint()))?;
                }
                config.oidc_discovery_url = url.to_owned();
            }
            Self::OidcGroupClaimPath => {
                let wanted = ClaimPath::parse(text()?).map_err(|error| {
                    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                    format!("{error} at byte {}{hint}", error.offset())
                })?;
                match &mut settings.groups {
                    GroupSource::Properties { claim_path, .. } => *claim_path = wanted,
                    GroupSource::Sso { .. } if in_use => {}
                    GroupSource::Sso { .. } => return Err(OTHER_DEPLOYMENT.into()),
                }
            }
            Self::OidcPrincipalMapping => {
                settings.principal_mapping = PrincipalMapping::parse(text()?)
                    .map_err(|error| format!("{error} at byte {}; {}", error.offset(), error.hint()))?;
            }
            Self::OidcTokenAudience => config.oidc_token_audience = plain(text()?)?.to_owned(),
            Self::Superusers => {
                let names = value.as_array().ok_or_else(mistyped)?;
                let names = names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
                let names = names.ok_or_else(mistyped)?;
                for name in &names {
                    Settings::check_superuser(plain(name)?).map_err(|error| format!("{error}; {}", error.hint()))?;
                }
                settings.superusers = names.into_iter().collect();
            }
        }
        Ok(())
    }
}

/// What is said to the two properties of the groups under the managed cloud's mapping (D-25).
const OTHER_DEPLOYMENT: &str =
    "the groups come from the SSO connection (`sso` in the policy document), which excludes this";

/// A value that people can read and type: no token and no user needs another.
fn plain(text: &str) -> Result<&str, String> {
    if let Some(found) = text.chars().find(|found| found.is_control()) {
        return Err(format!("`{}` has the control character U+{:04X}", escaped(text), u32::from(found)));
    }
    let bytes = text.len();
    if bytes <= MAX_TEXT { Ok(text) } else { Err(format!("{bytes} bytes; at most {MAX_TEXT}")) }
}

impl Held {
    pub(super) fn of(held: &Snapshot) -> Self {
        Self { settings: held.policy.settings().clone(), config: (*held.config).clone() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_property_takes_its_own_value() {
        let held = Held::default();
        for property in Property::ALL {
            let mut same = held.clone();
            property.set(&mut same, &property.value(&held)).unwrap();
            assert_eq!(same, held);
            assert_eq!(Property::by_name(property.name()), Some(property));
            assert!(property.set(&mut same, &json!({})).unwrap_err().starts_with("expected type"));
            let pinned = Config { pinned: property.setting().into_iter().collect(), ..Config::default() };
            assert_eq!(
                property.setting().is_some_and(|setting| pinned.is_pinned(setting)),
                property.setting().is_some()
            );
        }
    }

    #[test]
    fn the_two_deployments_exclude_each_other() {
        let attributes = [("federated_groups".to_owned(), "$.g".to_owned())].into();
        let groups = GroupSource::from_attributes(attributes).unwrap();
        let mut held = Held { settings: Settings { groups, ..Settings::default() }, ..Held::default() };
        let before = held.clone();
        assert_eq!(Property::OidcGroupClaimPath.value(&held), json!("$.groups"));
        assert!(Property::OidcGroupClaimPath.set(&mut held, &json!("$.x")).is_err());
        assert!(Property::NestedGroupBehavior.set(&mut held, &json!("suffix")).is_err());
        Property::NestedGroupBehavior.set(&mut held, &json!("none")).unwrap();
        assert_eq!(held, before);
    }
}
