//! The settings of the brokers that decide access besides ACLs, and the values that are tried.

use std::collections::BTreeMap;

use gbac_api::what_if::{SettingReport, SettingState, SettingsReport, SettingsWhatIf};
use gbac_words::settings_effect;

/// How many callers are listed.
const LISTED: usize = 50;

/// What is tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokersForm {
    /// The name of the setting.
    pub setting: String,
    /// Its other value; empty for the default.
    pub value: String,
    /// The present values that the brokers do not show, by name.
    pub known: BTreeMap<String, String>,
}

impl BrokersForm {
    /// The request that tries it.
    #[must_use]
    pub fn request(&self) -> SettingsWhatIf {
        SettingsWhatIf {
            set: [(self.setting.clone(), self.value.trim().to_owned())].into(),
            known: self.known(),
            ..SettingsWhatIf::default()
        }
    }

    fn known(&self) -> BTreeMap<String, String> {
        let mut known = BTreeMap::new();
        for (name, value) in &self.known {
            if !value.trim().is_empty() {
                known.insert(name.clone(), value.trim().to_owned());
            }
        }
        known
    }
}

/// The values that a setting can have; none if any text is one.
#[must_use]
pub fn choices(setting: &str) -> &'static [&'static str] {
    match setting {
        "allow.everyone.if.no.acl.found" => &["false", "true"],
        "gbac.groups.nested" => &["none", "suffix"],
        _ => &[],
    }
}

/// The value to begin with: another one than the present.
#[must_use]
pub fn other_value(setting: &SettingReport) -> String {
    let present = setting.value.as_deref().unwrap_or_default();
    let mut others = choices(&setting.name).iter();
    let other = others.find(|value| **value != present);
    // What the default is depends on the setting, and one of the others is it.
    match (other, setting.name.as_str()) {
        (Some(_), "allow.everyone.if.no.acl.found") if present.is_empty() => "true".to_owned(),
        (Some(_), "gbac.groups.nested") if present.is_empty() => "suffix".to_owned(),
        (Some(other), _) => (*other).to_owned(),
        (None, _) => String::new(),
    }
}

/// What is known of a value, in a table.
#[must_use]
pub fn present(setting: &SettingReport) -> String {
    match (&setting.value, setting.state) {
        (Some(value), SettingState::Stated) => value.clone(),
        (_, state) => settings_effect::state(state).to_owned(),
    }
}

/// The settings whose present value somebody has to say.
#[must_use]
pub fn hidden(report: &SettingsReport) -> Vec<String> {
    let mut hidden = Vec::new();
    for setting in &report.settings {
        if setting.state == SettingState::Hidden {
            hidden.push(setting.name.clone());
        }
    }
    hidden
}

/// A caller whose access changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerRow {
    /// The principal, as `Type:name`.
    pub principal: String,
    /// What changes, each as a sentence.
    pub effects: Vec<String>,
}

/// The callers whose access changes, and how many are not listed.
#[must_use]
pub fn callers(report: &SettingsReport) -> (Vec<CallerRow>, usize) {
    let mut rows = Vec::new();
    for caller in report.callers.iter().take(LISTED) {
        rows.push(CallerRow {
            principal: caller.principal.clone(),
            effects: caller.effects.clone(),
        });
    }
    let more = report.callers.len() - rows.len() + report.omitted_callers;
    (rows, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> SettingsReport {
        serde_json::from_value(serde_json::json!({
            "settings": [
                { "name": "allow.everyone.if.no.acl.found", "state": "stated", "value": "true" },
                { "name": "super.users", "state": "hidden" },
                { "name": "gbac.groups.nested", "state": "not_set" },
            ],
            "set": [{ "name": "allow.everyone.if.no.acl.found", "value": "false" }],
            "seen_in": "events", "seen": 31, "requests": 120, "denied": 14, "allowed": 0,
            "summary": "Turning off `allow.everyone.if.no.acl.found` denies 14 of the 31 principals seen.",
            "notes": [],
            "callers": [{
                "principal": "User:maya", "loses": true, "gains": false,
                "effects": ["Loses everything that no ACL is for"],
                "groups_gained": [], "groups_lost": [], "denied": [], "allowed": [],
                "omitted_requests": 0,
            }],
            "omitted_callers": 13,
        }))
        .unwrap()
    }

    #[test]
    fn another_value_is_tried_first() {
        let report = report();
        let tried: Vec<String> = report.settings.iter().map(other_value).collect();
        assert_eq!(tried, ["false", "", "suffix"]);
        let shown: Vec<String> = report.settings.iter().map(present).collect();
        assert_eq!(shown, ["true", "not shown by the brokers", "not set"]);
    }

    #[test]
    fn what_the_brokers_hide_is_asked_for_and_sent() {
        assert_eq!(hidden(&report()), ["super.users"]);
        let form = BrokersForm {
            setting: "super.users".into(),
            value: " User:root ".into(),
            known: [
                ("super.users".into(), " User:admin".into()),
                ("gbac.groups.claim".into(), " ".into()),
            ]
            .into(),
        };
        let request = form.request();
        assert_eq!(request.set["super.users"], "User:root");
        assert_eq!(
            request.known,
            [("super.users".into(), "User:admin".into())].into()
        );
    }

    #[test]
    fn who_is_not_listed_is_counted() {
        let (rows, more) = callers(&report());
        assert_eq!((rows[0].principal.as_str(), more), ("User:maya", 13));
    }
}
