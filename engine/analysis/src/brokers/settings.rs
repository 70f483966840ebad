//! The settings of brokers that decide access, and what is known of their values.

use std::collections::{BTreeMap, BTreeSet};

use gbac_engine::Coded;
use gbac_engine::claim_path::{ClaimPath, ClaimPathError};
use gbac_engine::escape::visible;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::mapping::{MappingError, PrincipalMapping};
use gbac_engine::model::{Dialect, Principal, PrincipalType};
use gbac_engine::policy::{GroupSource, Settings};

/// A setting of brokers that decides access besides ACLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BrokerSetting {
    /// Whether everybody is allowed what no ACL is for.
    AllowEveryone,
    /// Who is always allowed.
    SuperUsers,
    /// The path of the groups in the claims of a token.
    GroupsClaim,
    /// Whether only the last part of the name of a group counts.
    NestedGroups,
    /// The claim that names the user.
    PrincipalMapping,
}

impl BrokerSetting {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::AllowEveryone,
        Self::SuperUsers,
        Self::GroupsClaim,
        Self::NestedGroups,
        Self::PrincipalMapping,
    ];

    /// The name of the property.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllowEveryone => "allow.everyone.if.no.acl.found",
            Self::SuperUsers => "super.users",
            Self::GroupsClaim => "gbac.groups.claim",
            Self::NestedGroups => "gbac.groups.nested",
            Self::PrincipalMapping => "gbac.principal.mapping",
        }
    }

    /// The setting with the name of the brokers' property, or that of the platform.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "superusers" => Some(Self::SuperUsers),
            "oidc_group_claim_path" => Some(Self::GroupsClaim),
            "nested_group_behavior" => Some(Self::NestedGroups),
            "oidc_principal_mapping" => Some(Self::PrincipalMapping),
            _ => Self::ALL.into_iter().find(|setting| setting.name() == name),
        }
    }

    /// Whether only the plugin of this project has it.
    #[must_use]
    pub const fn is_of_plugin(self) -> bool {
        matches!(
            self,
            Self::GroupsClaim | Self::NestedGroups | Self::PrincipalMapping
        )
    }
}

/// What is known of the value of a setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SettingValue {
    /// Nothing.
    #[default]
    Unknown,
    /// It has a value, which the brokers do not show.
    Hidden,
    /// It has no value, so that its default counts.
    NotSet,
    /// Its value.
    Stated(String),
}

impl SettingValue {
    /// Whether the value is known.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        matches!(self, Self::NotSet | Self::Stated(_))
    }
}

/// Why a value cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BrokerSettingError {
    /// No such setting.
    #[error(
        "`{0}` is not a setting that decides access; the settings are {list}",
        list = names()
    )]
    Name(String),
    /// Neither `true` nor `false`.
    #[error("`allow.everyone.if.no.acl.found`: `{0}` is neither `true` nor `false`")]
    Switch(String),
    /// A super user without a type.
    #[error(
        "`super.users`: `{0}` is no principal; write a type, a colon and a name, such as `User:admin`, with semicolons between them"
    )]
    SuperUser(String),
    /// A group or a role.
    #[error("`super.users`: `{0}` is no user; groups and roles are never super users (D-14)")]
    SuperGroup(String),
    /// No claim path.
    #[error("`gbac.groups.claim`: {0}")]
    ClaimPath(#[source] ClaimPathError),
    /// Neither `none` nor `suffix`.
    #[error("`gbac.groups.nested`: `{0}` is neither `none` nor `suffix`")]
    Nested(String),
    /// No mapping.
    #[error("`gbac.principal.mapping`: {0}")]
    Mapping(#[source] MappingError),
}

fn names() -> String {
    BrokerSetting::ALL.map(BrokerSetting::name).join(", ")
}

/// The value of a setting, as it decides.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ParsedValue {
    AllowEveryone(bool),
    SuperUsers(BTreeSet<Principal>),
    GroupsClaim(ClaimPath),
    NestedGroups(NestedGroupBehavior),
    PrincipalMapping(PrincipalMapping),
}

impl ParsedValue {
    fn parse(setting: BrokerSetting, text: &str) -> Result<Self, BrokerSettingError> {
        let text = text.trim();
        Ok(match setting {
            BrokerSetting::AllowEveryone => Self::AllowEveryone(switch(text)?),
            BrokerSetting::SuperUsers => Self::SuperUsers(super_users(text)?),
            BrokerSetting::GroupsClaim => {
                Self::GroupsClaim(ClaimPath::parse(text).map_err(BrokerSettingError::ClaimPath)?)
            }
            BrokerSetting::NestedGroups => {
                let parsed = text.parse();
                let behavior = parsed.map_err(|_| BrokerSettingError::Nested(visible(text)))?;
                Self::NestedGroups(behavior)
            }
            BrokerSetting::PrincipalMapping => {
                let parsed = PrincipalMapping::parse(text);
                Self::PrincipalMapping(parsed.map_err(BrokerSettingError::Mapping)?)
            }
        })
    }

    /// What counts if the property is not set.
    fn default_of(setting: BrokerSetting) -> Self {
        let rules = gbac_engine::identity::IdentityRules::default();
        match setting {
            BrokerSetting::AllowEveryone => Self::AllowEveryone(false),
            BrokerSetting::SuperUsers => Self::SuperUsers(BTreeSet::new()),
            BrokerSetting::GroupsClaim => Self::GroupsClaim(rules.extraction.source.path().clone()),
            BrokerSetting::NestedGroups => Self::NestedGroups(NestedGroupBehavior::None),
            BrokerSetting::PrincipalMapping => Self::PrincipalMapping(rules.mapping),
        }
    }
}

fn switch(text: &str) -> Result<bool, BrokerSettingError> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(BrokerSettingError::Switch(visible(text))),
    }
}

fn super_users(text: &str) -> Result<BTreeSet<Principal>, BrokerSettingError> {
    let mut found = BTreeSet::new();
    for part in text.split(';').map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let shown = || visible(part);
        let principal = match part.split_once(':') {
            Some(("User", name)) => Principal::user(name),
            Some(("Group" | "Role" | "RedpandaRole", _)) => {
                return Err(BrokerSettingError::SuperGroup(shown()));
            }
            Some((kind, _)) if !kind.is_empty() => Principal::new(PrincipalType::Other, part),
            _ => return Err(BrokerSettingError::SuperUser(shown())),
        };
        found.insert(principal);
    }
    Ok(found)
}

/// The settings of the brokers of a cluster, as far as they are known.
///
/// ```
/// use gbac_analysis::brokers::{BrokerSetting, BrokerSettings, SettingValue};
///
/// // A broker of Kafka names the properties that are set, and hides the values of some.
/// let shown = [("super.users".to_owned(), None)].into();
/// let settings = BrokerSettings::from_shown(&shown, false);
/// assert_eq!(*settings.value(BrokerSetting::SuperUsers), SettingValue::Hidden);
/// assert_eq!(*settings.value(BrokerSetting::AllowEveryone), SettingValue::NotSet);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerSettings {
    values: BTreeMap<BrokerSetting, SettingValue>,
}

impl BrokerSettings {
    /// The settings of a broker that names every property that is set, with the value if it shows
    /// that; without the plugin, it has no rules for groups.
    #[must_use]
    pub fn from_shown(shown: &BTreeMap<String, Option<String>>, has_plugin: bool) -> Self {
        let mut settings = Self::default();
        for setting in BrokerSetting::ALL {
            if setting.is_of_plugin() && !has_plugin {
                continue;
            }
            let value = match shown.get(setting.name()) {
                None => SettingValue::NotSet,
                Some(None) => SettingValue::Hidden,
                // What this version cannot read is not taken as the default.
                Some(Some(text)) => match ParsedValue::parse(setting, text) {
                    Ok(_) => SettingValue::Stated(text.clone()),
                    Err(_) => SettingValue::Hidden,
                },
            };
            settings.values.insert(setting, value);
        }
        settings
    }

    /// What is known of a setting.
    #[must_use]
    pub fn value(&self, setting: BrokerSetting) -> &SettingValue {
        self.values.get(&setting).unwrap_or(&SettingValue::Unknown)
    }

    /// Notes that a setting has no value, so that its default counts.
    pub fn set_default(&mut self, setting: BrokerSetting) {
        self.values.insert(setting, SettingValue::NotSet);
    }

    /// States the value of a setting; an empty text is its default.
    ///
    /// # Errors
    /// The value cannot be used.
    pub fn state(&mut self, setting: BrokerSetting, text: &str) -> Result<(), BrokerSettingError> {
        let value = match text.trim() {
            "" => SettingValue::NotSet,
            text => {
                ParsedValue::parse(setting, text)?;
                SettingValue::Stated(text.to_owned())
            }
        };
        self.values.insert(setting, value);
        Ok(())
    }

    /// States the value of the setting with this name.
    ///
    /// # Errors
    /// There is no such setting, or the value cannot be used.
    pub fn state_by_name(
        &mut self,
        name: &str,
        text: &str,
    ) -> Result<BrokerSetting, BrokerSettingError> {
        let setting = BrokerSetting::from_name(name)
            .ok_or_else(|| BrokerSettingError::Name(visible(name)))?;
        self.state(setting, text)?;
        Ok(setting)
    }

    /// Completes what is not known of rules for groups from the settings of a policy; without
    /// brokers, its superusers too.
    pub fn fill(&mut self, settings: &Settings, has_brokers: bool) {
        let mut texts = Vec::new();
        if let GroupSource::Properties { claim_path, nested } = &settings.groups {
            texts.push((BrokerSetting::GroupsClaim, claim_path.to_string()));
            texts.push((BrokerSetting::NestedGroups, nested.code().to_owned()));
        }
        let mapping = settings.principal_mapping.to_string();
        texts.push((BrokerSetting::PrincipalMapping, mapping));
        if !has_brokers {
            if settings.dialect == Dialect::Kafka {
                self.values
                    .insert(BrokerSetting::AllowEveryone, SettingValue::NotSet);
            }
            let users = settings.superusers.iter().map(Principal::user);
            let users: Vec<String> = users.map(|user| user.to_string()).collect();
            texts.push((BrokerSetting::SuperUsers, users.join(";")));
        }
        for (setting, text) in texts {
            if !self.value(setting).is_known() {
                // A name that this text cannot have leaves the setting to the policy.
                let _ = self.state(setting, &text);
            }
        }
    }

    /// The settings that are set and not shown.
    #[must_use]
    pub fn hidden(&self) -> Vec<BrokerSetting> {
        let mut hidden = Vec::new();
        for (setting, value) in &self.values {
            if *value == SettingValue::Hidden {
                hidden.push(*setting);
            }
        }
        hidden
    }

    /// Each setting with what is known of its value.
    pub fn iter(&self) -> impl Iterator<Item = (BrokerSetting, &SettingValue)> {
        let values = BrokerSetting::ALL.into_iter();
        values.map(|setting| (setting, self.value(setting)))
    }

    /// The values that are known.
    pub(super) fn known(&self) -> Vec<ParsedValue> {
        let mut known = Vec::new();
        for (setting, value) in &self.values {
            match value {
                SettingValue::Unknown | SettingValue::Hidden => {}
                SettingValue::NotSet => known.push(ParsedValue::default_of(*setting)),
                // `state` has checked it.
                SettingValue::Stated(text) => known.extend(ParsedValue::parse(*setting, text)),
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_brokers_hide_is_never_the_default() {
        let shown = [
            ("super.users".to_owned(), None),
            (
                "allow.everyone.if.no.acl.found".to_owned(),
                Some("maybe".to_owned()),
            ),
        ];
        let settings = BrokerSettings::from_shown(&shown.into(), true);
        let hidden = [BrokerSetting::AllowEveryone, BrokerSetting::SuperUsers];
        assert_eq!(settings.hidden(), hidden);
        assert_eq!(
            *settings.value(BrokerSetting::GroupsClaim),
            SettingValue::NotSet
        );
        let without = BrokerSettings::from_shown(&BTreeMap::new(), false);
        assert_eq!(
            *without.value(BrokerSetting::GroupsClaim),
            SettingValue::Unknown
        );
        assert!(
            !BrokerSettings::default()
                .value(BrokerSetting::SuperUsers)
                .is_known()
        );
    }

    #[test]
    fn super_users_are_read_as_kafka_reads_them() {
        let users = super_users(" User:a:b ;; Service:u;User:CN=x,O=y ").expect("super users");
        let users: Vec<String> = users.iter().map(ToString::to_string).collect();
        assert_eq!(users.len(), 3);
        for name in ["User:a:b", "Service:u", "User:CN=x,O=y"] {
            assert!(users.contains(&name.to_owned()), "{users:?}");
        }
        for wrong in ["admin", ":admin", "Group:a", "User:a;RedpandaRole:b"] {
            assert!(super_users(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_that_cannot_be_used_are_refused_with_the_name_of_the_setting() {
        let mut settings = BrokerSettings::default();
        for (name, value) in [
            ("allow.everyone.if.no.acl.found", "yes"),
            ("super.users", "admin"),
            ("gbac.groups.claim", "groups["),
            ("gbac.groups.nested", "all"),
            ("gbac.principal.mapping", "sub"),
            ("no.such.setting", "x"),
        ] {
            let error = settings.state_by_name(name, value).expect_err(name);
            assert!(error.to_string().contains(name), "{error}");
        }
        assert_eq!(settings, BrokerSettings::default());
        assert_eq!(
            settings.state_by_name("superusers", ""),
            Ok(BrokerSetting::SuperUsers)
        );
    }
}
