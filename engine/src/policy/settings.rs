//! The settings of a policy: the sources of the user and groups, superusers, and access to the
//! service.

use std::collections::BTreeMap;
use std::fmt;

use crate::claim_path::{ClaimPath, ClaimPathError};
use crate::escape::escaped;
use crate::groups::{ClaimSource, ExtractionRule, NestedGroupBehavior};
use crate::identity::{Identity, IdentityRules};
use crate::mapping::PrincipalMapping;
use crate::model::{Dialect, KafkaVersion, PrincipalType};

use super::ServiceAccess;

/// The attribute of the SSO connection with the path of the groups (specification 2.3).
const GROUPS_ATTRIBUTE: &str = "federated_groups";

/// The source of a token's groups, for each deployment.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupSource {
    /// Self-managed: the two cluster properties (specification 2.2).
    Properties {
        /// `oidc_group_claim_path`.
        claim_path: ClaimPath,
        /// `nested_group_behavior`.
        nested: NestedGroupBehavior,
    },
    /// Managed cloud: the attributes of the SSO connection, mapping mode `use_map` (specification
    /// 2.3, D-25).
    Sso {
        /// Attribute names and claim paths, unchanged.
        attributes: BTreeMap<String, String>,
        /// The parsed `federated_groups`.
        groups: ClaimSource,
    },
}

/// The settings of a policy.
///
/// Settings are equal if their values are; which of them are stated is not compared.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The source of groups.
    pub groups: GroupSource,
    /// The claim with the user's name (D-13).
    pub principal_mapping: PrincipalMapping,
    /// Users whose requests are all allowed (D-14).
    pub superusers: Superusers,
    /// Users and groups with limited access to the service (D-58). Decisions do not depend on it.
    pub access: ServiceAccess,
    /// The system that the policy is for (D-71).
    pub dialect: Dialect,
    /// The version of Kafka, which decides whether ranges of hosts match (D-72). Of no effect in
    /// another dialect.
    pub kafka_version: KafkaVersion,
    /// The settings that are stated. The others have their defaults, and are neither written to
    /// documents nor sent.
    pub stated: StatedSettings,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        self.groups == other.groups
            && self.principal_mapping == other.principal_mapping
            && self.superusers == other.superusers
            && self.access == other.access
            && self.dialect == other.dialect
            && self.kafka_version == other.kafka_version
    }
}

/// Which settings are stated. The mapping of an SSO connection replaces the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedSettings {
    /// `oidc_group_claim_path`.
    pub claim_path: bool,
    /// `nested_group_behavior`.
    pub nested: bool,
    /// `oidc_principal_mapping`.
    pub principal_mapping: bool,
    /// `superusers`.
    pub superusers: bool,
    /// `access`.
    pub access: bool,
    /// `dialect`.
    pub dialect: bool,
    /// `kafka_version`.
    pub kafka_version: bool,
}

impl StatedSettings {
    /// All settings, as for settings that a program creates or a service exports.
    pub const ALL: Self = Self {
        claim_path: true,
        nested: true,
        principal_mapping: true,
        superusers: true,
        access: true,
        dialect: true,
        kafka_version: true,
    };
    /// No settings, as in a document without `settings`.
    pub const NONE: Self = Self {
        claim_path: false,
        nested: false,
        principal_mapping: false,
        superusers: false,
        access: false,
        dialect: false,
        kafka_version: false,
    };

    const fn or(self, other: Self) -> Self {
        Self {
            claim_path: self.claim_path || other.claim_path,
            nested: self.nested || other.nested,
            principal_mapping: self.principal_mapping || other.principal_mapping,
            superusers: self.superusers || other.superusers,
            access: self.access || other.access,
            dialect: self.dialect || other.dialect,
            kafka_version: self.kafka_version || other.kafka_version,
        }
    }
}

/// Why a settings value is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SettingsError {
    /// The attributes have no `federated_groups`.
    NoGroupsAttribute,
    /// The path of `federated_groups` is refused.
    GroupsAttribute(ClaimPathError),
    /// A superuser's name has a principal type.
    SuperuserWithType(String),
    /// A superuser's name is empty.
    SuperuserEmpty,
}

codes! {
    pub SettingsError {
        Self::NoGroupsAttribute => "sso_groups_attribute_missing",
        Self::SuperuserWithType(_) => "superuser_with_type",
        Self::SuperuserEmpty => "superuser_empty",
    } of {
        Self::GroupsAttribute(error) => error: ClaimPathError,
    }
}

impl SettingsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoGroupsAttribute => format!("add `\"{GROUPS_ATTRIBUTE}\": \"$.groups\"`"),
            Self::GroupsAttribute(error) => error.hint().unwrap_or_default(),
            Self::SuperuserWithType(name) => match name.split_once(':') {
                Some(("User", name)) => format!("write the bare user name `{name}`"),
                _ => "groups and roles can never be superusers".into(),
            },
            Self::SuperuserEmpty => "write a user name".into(),
        }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGroupsAttribute => write!(f, "the attributes have no `{GROUPS_ATTRIBUTE}`"),
            Self::GroupsAttribute(error) => error.fmt(f),
            Self::SuperuserWithType(name) => {
                write!(f, "the superuser `{}` has a principal type", escaped(name))
            }
            Self::SuperuserEmpty => f.write_str("the name of a superuser is empty"),
        }
    }
}

impl std::error::Error for SettingsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::GroupsAttribute(error) => Some(error),
            Self::NoGroupsAttribute | Self::SuperuserWithType(_) | Self::SuperuserEmpty => None,
        }
    }
}

/// The defaults of specification 2.2: `$.groups`, `none`, the user from `$.sub`, no superusers, no
/// access (D-58).
impl Default for Settings {
    fn default() -> Self {
        let IdentityRules {
            mapping,
            extraction,
        } = IdentityRules::default();
        let claim_path = extraction.source.path().clone();
        Self {
            groups: GroupSource::Properties {
                claim_path,
                nested: extraction.nested,
            },
            principal_mapping: mapping,
            superusers: Superusers::default(),
            access: ServiceAccess::default(),
            dialect: Dialect::default(),
            kafka_version: KafkaVersion::default(),
            stated: StatedSettings::ALL,
        }
    }
}

/// User names, sorted, without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Superusers(Vec<String>);

impl Superusers {
    fn position(&self, name: &str) -> Result<usize, usize> {
        self.0
            .binary_search_by(|superuser| superuser.as_str().cmp(name))
    }

    /// Whether a user is a superuser.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// Adds a name. No change if it is a superuser already.
    pub fn insert(&mut self, name: String) {
        if let Err(position) = self.position(&name) {
            self.0.insert(position, name);
        }
    }

    /// The names, sorted.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// The names, sorted.
    pub fn iter(&self) -> std::slice::Iter<'_, String> {
        self.0.iter()
    }
}

impl FromIterator<String> for Superusers {
    fn from_iter<T: IntoIterator<Item = String>>(names: T) -> Self {
        let mut superusers = Self::default();
        for name in names {
            superusers.insert(name);
        }
        superusers
    }
}

impl<'a> IntoIterator for &'a Superusers {
    type Item = &'a String;
    type IntoIter = std::slice::Iter<'a, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl GroupSource {
    /// Reads the attributes of an SSO connection (specification 2.3, D-25).
    ///
    /// # Errors
    /// `federated_groups` is missing, or its path is not valid. Other attributes are kept
    /// unchanged.
    ///
    /// ```
    /// use gbac_engine::policy::GroupSource;
    ///
    /// let attributes = [("federated_groups".to_owned(), "$.claims.groups".to_owned())].into();
    /// assert!(matches!(GroupSource::from_attributes(attributes)?, GroupSource::Sso { .. }));
    /// assert!(GroupSource::from_attributes([].into()).is_err());
    /// # Ok::<(), gbac_engine::policy::SettingsError>(())
    /// ```
    pub fn from_attributes(attributes: BTreeMap<String, String>) -> Result<Self, SettingsError> {
        let text = attributes
            .get(GROUPS_ATTRIBUTE)
            .ok_or(SettingsError::NoGroupsAttribute)?;
        let groups = ClaimSource::parse_sso(text).map_err(SettingsError::GroupsAttribute)?;
        Ok(Self::Sso { attributes, groups })
    }
}

impl Settings {
    /// The defaults, not stated: the settings of a document without `settings`.
    #[must_use]
    pub fn unstated() -> Self {
        Self {
            stated: StatedSettings::NONE,
            ..Self::default()
        }
    }

    /// The stated settings: those in a document, and every value other than the default.
    #[must_use]
    pub fn states(&self) -> StatedSettings {
        let default = Self::default();
        let (claim_path, nested) = match (&self.groups, &default.groups) {
            (
                GroupSource::Properties { claim_path, nested },
                GroupSource::Properties {
                    claim_path: default_path,
                    nested: default_nested,
                },
            ) => (claim_path != default_path, nested != default_nested),
            _ => (false, false),
        };
        self.stated.or(StatedSettings {
            claim_path,
            nested,
            principal_mapping: self.principal_mapping != default.principal_mapping,
            superusers: self.superusers != default.superusers,
            access: self.access != default.access,
            dialect: self.dialect != default.dialect,
            kafka_version: self.kafka_version != default.kafka_version,
        })
    }

    /// Whether every request of an identity is allowed (D-14).
    #[must_use]
    pub fn is_superuser(&self, identity: &Identity) -> bool {
        identity.principal_type() == PrincipalType::User
            && self.superusers.contains(identity.user())
    }

    /// Whether ranges of hosts match (D-72).
    #[must_use]
    pub fn ranges_match(&self) -> bool {
        self.dialect == Dialect::Kafka && self.kafka_version >= KafkaVersion::WITH_HOST_RANGES
    }

    /// Whether any setting is stated.
    #[must_use]
    pub fn states_any(&self) -> bool {
        matches!(self.groups, GroupSource::Sso { .. }) || self.states() != StatedSettings::NONE
    }

    /// These settings, with the current value of each setting that they do not state.
    ///
    /// ```
    /// use gbac_engine::policy::Settings;
    /// use gbac_json::policy_from_json;
    /// let current = policy_from_json(r#"{ "version": 1, "settings": { "superusers": ["admin"], "nested_group_behavior": "suffix" } }"#)?;
    /// let document = policy_from_json(r#"{ "version": 1, "settings": { "nested_group_behavior": "none" } }"#)?;
    /// let filled = document.settings().filled_from(current.settings());
    /// assert!(filled.superusers.contains("admin"));
    /// assert_ne!(filled, *current.settings());
    /// assert_eq!(Settings::unstated().filled_from(current.settings()), *current.settings());
    /// # Ok::<(), gbac_json::Problems>(())
    /// ```
    #[must_use]
    pub fn filled_from(&self, current: &Self) -> Self {
        let states = self.states();
        let groups = match (&self.groups, &current.groups) {
            (GroupSource::Sso { .. }, _) => self.groups.clone(),
            (GroupSource::Properties { nested, .. }, GroupSource::Sso { .. }) => {
                // With the mapping of an SSO connection, `none` is allowed and has no effect.
                let replaces = states.claim_path || *nested != NestedGroupBehavior::None;
                if replaces { self } else { current }.groups.clone()
            }
            (
                GroupSource::Properties { claim_path, nested },
                GroupSource::Properties {
                    claim_path: current_path,
                    nested: current_nested,
                },
            ) => GroupSource::Properties {
                claim_path: if states.claim_path {
                    claim_path
                } else {
                    current_path
                }
                .clone(),
                nested: if states.nested {
                    *nested
                } else {
                    *current_nested
                },
            },
        };
        Self {
            groups,
            principal_mapping: if states.principal_mapping {
                self
            } else {
                current
            }
            .principal_mapping
            .clone(),
            superusers: if states.superusers { self } else { current }
                .superusers
                .clone(),
            access: if states.access { self } else { current }.access.clone(),
            dialect: if states.dialect { self } else { current }.dialect,
            kafka_version: if states.kafka_version { self } else { current }.kafka_version,
            stated: states.or(current.states()),
        }
    }

    /// The settings that change current settings to these: it states only what differs.
    /// [`Self::filled_from`] adds the rest.
    ///
    /// ```
    /// use gbac_json::policy_from_json;
    /// let of = |text| policy_from_json(text).map(|policy| policy.settings().clone());
    /// let current = of(r#"{ "version": 1, "settings": { "oidc_group_claim_path": "$.roles", "superusers": ["admin"] } }"#)?;
    /// let wanted = of(r#"{ "version": 1, "settings": { "oidc_group_claim_path": "$.groups", "superusers": ["admin"] } }"#)?;
    /// let change = wanted.differing_from(&current);
    /// assert!(change.states().claim_path && !change.states().superusers);
    /// assert_eq!(change.filled_from(&current), wanted.filled_from(&current));
    /// # Ok::<(), gbac_json::Problems>(())
    /// ```
    #[must_use]
    pub fn differing_from(&self, current: &Self) -> Self {
        let wanted = self.filled_from(current);
        let default = Self::default();
        let differs = match (&wanted.groups, &current.groups) {
            (
                GroupSource::Properties { claim_path, nested },
                GroupSource::Properties {
                    claim_path: current_path,
                    nested: current_nested,
                },
            ) => [claim_path != current_path, nested != current_nested],
            (wanted, current) => [wanted != current; 2],
        };
        let stated = StatedSettings {
            claim_path: differs[0],
            nested: differs[1],
            principal_mapping: wanted.principal_mapping != current.principal_mapping,
            superusers: wanted.superusers != current.superusers,
            access: wanted.access != current.access,
            dialect: wanted.dialect != current.dialect,
            kafka_version: wanted.kafka_version != current.kafka_version,
        };
        let groups = match (&wanted.groups, &default.groups) {
            (
                GroupSource::Properties { claim_path, nested },
                GroupSource::Properties {
                    claim_path: default_path,
                    nested: default_nested,
                },
            ) => GroupSource::Properties {
                claim_path: if stated.claim_path {
                    claim_path
                } else {
                    default_path
                }
                .clone(),
                nested: if stated.nested {
                    *nested
                } else {
                    *default_nested
                },
            },
            (wanted, default) => if stated.claim_path { wanted } else { default }.clone(),
        };
        Self {
            groups,
            principal_mapping: if stated.principal_mapping {
                &wanted
            } else {
                &default
            }
            .principal_mapping
            .clone(),
            superusers: if stated.superusers { &wanted } else { &default }
                .superusers
                .clone(),
            access: if stated.access { &wanted } else { &default }
                .access
                .clone(),
            dialect: if stated.dialect { &wanted } else { &default }.dialect,
            kafka_version: if stated.kafka_version {
                &wanted
            } else {
                &default
            }
            .kafka_version,
            stated,
        }
    }

    /// The rules for creating identities from claims.
    #[must_use]
    pub fn identity_rules(&self) -> IdentityRules {
        let extraction = match &self.groups {
            GroupSource::Properties { claim_path, nested } => ExtractionRule {
                source: ClaimSource::Token(claim_path.clone()),
                nested: *nested,
            },
            GroupSource::Sso { groups, .. } => ExtractionRule {
                source: groups.clone(),
                nested: NestedGroupBehavior::None,
            },
        };
        IdentityRules {
            mapping: self.principal_mapping.clone(),
            extraction,
        }
    }

    /// Checks the name of a superuser: a user name without a type (D-14).
    ///
    /// # Errors
    /// The name is empty or has a principal type.
    pub fn check_superuser(name: &str) -> Result<(), SettingsError> {
        if name.is_empty() {
            return Err(SettingsError::SuperuserEmpty);
        }
        match name.split_once(':') {
            Some((prefix, _)) if PrincipalType::from_prefix(prefix).is_some() => {
                Err(SettingsError::SuperuserWithType(name.into()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sso() -> Settings {
        let attributes = [("federated_groups".to_owned(), "$.g".to_owned())].into();
        Settings {
            groups: GroupSource::from_attributes(attributes).unwrap(),
            ..Settings::default()
        }
    }

    #[test]
    fn only_stated_settings_replace_the_current_ones() {
        let current = Settings {
            superusers: ["root".to_owned()].into_iter().collect(),
            ..sso()
        };
        assert_eq!(Settings::unstated().filled_from(&current), current);
        let stated = StatedSettings {
            nested: true,
            ..StatedSettings::NONE
        };
        let nested = Settings {
            stated,
            ..Settings::default()
        };
        assert_eq!(
            nested.filled_from(&current),
            current,
            "`none` has no effect with the mapping of an SSO connection"
        );
        let stated = StatedSettings {
            claim_path: true,
            ..StatedSettings::NONE
        };
        let path = Settings {
            stated,
            ..Settings::default()
        };
        let filled = path.filled_from(&current);
        assert_eq!(
            (&filled.groups, &filled.superusers),
            (&Settings::default().groups, &current.superusers)
        );
        // All settings that a program creates are stated, including defaults and empty lists.
        assert_eq!(
            Settings::default().filled_from(&current),
            Settings::default()
        );
        assert_eq!(
            Settings {
                groups: Settings::default().groups,
                ..current.clone()
            }
            .filled_from(&current)
            .groups,
            path.groups
        );
    }

    #[test]
    fn settings_other_than_the_default_are_always_stated() {
        let mut settings = Settings::unstated();
        assert!(!settings.states_any());
        settings.superusers.insert("root".into());
        assert_eq!(
            settings.states(),
            StatedSettings {
                superusers: true,
                ..StatedSettings::NONE
            }
        );
        assert!(
            Settings {
                stated: StatedSettings::NONE,
                ..sso()
            }
            .states_any()
        );
        let groups = GroupSource::Properties {
            claim_path: "$.roles".parse().unwrap(),
            nested: NestedGroupBehavior::Suffix,
        };
        let expected = StatedSettings {
            claim_path: true,
            nested: true,
            ..StatedSettings::NONE
        };
        assert_eq!(
            Settings {
                groups,
                ..Settings::unstated()
            }
            .states(),
            expected
        );
    }
}
