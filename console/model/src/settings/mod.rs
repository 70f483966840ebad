//! The settings form and its errors.

pub mod brokers;
pub mod service;
pub mod sso;

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::policy::{GroupSource, Settings};
use gbac_words::phrases::{self, place};

/// Whether groups come from the mapping of an SSO connection, not from the two cluster properties
/// (specification 2.3).
pub const fn is_sso(settings: &Settings) -> bool {
    matches!(settings.groups, GroupSource::Sso { .. })
}

/// The two group properties, as entered in the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupSettingsForm {
    /// `oidc_group_claim_path`.
    pub claim_path: String,
    /// `nested_group_behavior`.
    pub nested: NestedGroupBehavior,
}

impl GroupSettingsForm {
    /// The values of settings; the defaults if the managed cloud's mapping replaces the properties.
    #[must_use]
    pub fn from_settings(settings: &Settings) -> Self {
        match &settings.groups {
            GroupSource::Properties { claim_path, nested } => Self {
                claim_path: claim_path.as_str().into(),
                nested: *nested,
            },
            GroupSource::Sso { .. } => Self {
                claim_path: "$.groups".into(),
                nested: NestedGroupBehavior::None,
            },
        }
    }

    /// How many of the two are different from those of these settings.
    pub fn changes(&self, settings: &Settings) -> usize {
        self.changed(settings).len()
    }

    /// The labels of those that are different from those of these settings.
    pub fn changed(&self, settings: &Settings) -> Vec<&'static str> {
        let held = Self::from_settings(settings);
        let path = (held.claim_path != self.claim_path.trim()).then_some("Claim path");
        let nested = (held.nested != self.nested).then_some("Nested names");
        path.into_iter().chain(nested).collect()
    }

    /// The settings with these properties; everything else stays.
    ///
    /// # Errors
    /// What is wrong with the claim path, and where, as sentences without the final period.
    pub fn read(&self, settings: &Settings) -> Result<Settings, String> {
        let text = self.claim_path.trim();
        if text.is_empty() {
            return Err("Enter a claim path, such as `$.groups`".into());
        }
        let claim_path = ClaimPath::parse(text).map_err(|error| {
            let found = format!("{}: {error}", place(text, error.offset()));
            phrases::with_hint(&found, &error.hint().unwrap_or_default())
        })?;
        let groups = GroupSource::Properties {
            claim_path,
            nested: self.nested,
        };
        Ok(Settings {
            groups,
            ..settings.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered(claim_path: &str) -> GroupSettingsForm {
        GroupSettingsForm {
            claim_path: claim_path.into(),
            nested: NestedGroupBehavior::None,
        }
    }

    #[test]
    fn what_is_different_is_counted() {
        let held = Settings::default();
        assert_eq!(entered("$.groups").changes(&held), 0);
        assert_eq!(
            entered(" $.groups ").changes(&held),
            0,
            "blanks at the edge are no change"
        );
        let both = GroupSettingsForm {
            nested: NestedGroupBehavior::Suffix,
            ..entered("$.roles")
        };
        assert_eq!(both.changed(&held), ["Claim path", "Nested names"]);
        let wanted = both.read(&held).unwrap();
        assert_eq!(
            (
                GroupSettingsForm::from_settings(&wanted),
                both.changes(&wanted)
            ),
            (both.clone(), 0)
        );
        assert_eq!(wanted.principal_mapping, held.principal_mapping);
    }

    #[test]
    fn a_fault_says_where() {
        let held = Settings::default();
        let fault = entered("$.groups[").read(&held).unwrap_err();
        assert!(fault.starts_with("At character 9: "), "{fault}");
        assert!(entered(" ").read(&held).unwrap_err().contains("$.groups"));
        assert!(
            entered("${context.userinfo.groups}").read(&held).is_err(),
            "that is the managed cloud's"
        );
    }
}
