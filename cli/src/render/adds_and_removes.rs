//! The difference between two policies as lists: `Adds (2):`, `Removes (1):`, `Changes settings
//! (1):`.

use std::fmt::Write;

use gbac_engine::policy::{AccessLevel, Change, Policy, Settings};
use gbac_formats::script::changes_between;
use gbac_json::{DiffJson, settings_to_json};
use gbac_words::change;
use gbac_words::phrases::thousands;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::verdicts;
use crate::output::sentence;

/// Who gains and who loses access, and the numbers of what is added and removed.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct PolicyDifference {
    /// The difference of effective access.
    #[serde(flatten)]
    pub(crate) diff: DiffJson,
    /// The number of ACLs, roles, members, superusers and accesses to the service that are added.
    pub(crate) adds: usize,
    /// The number of those that are removed.
    pub(crate) removes: usize,
}

/// Maximum number of changes to list.
const MAX_LISTED: usize = 50;

/// The difference between two policies: what is added, removed and set, each as a line of text.
pub(crate) struct AddsAndRemoves {
    adds: Vec<String>,
    removes: Vec<String>,
    sets: Vec<String>,
}

impl AddsAndRemoves {
    /// What a document changes. Settings that it does not state stay as they are.
    pub(crate) fn between(before: &Policy, document: &Policy) -> Self {
        let mut changes = Self {
            adds: Vec::new(),
            removes: Vec::new(),
            sets: Vec::new(),
        };
        for made in changes_between(before, document) {
            match &made {
                Change::AddAcl(_) | Change::CreateRole(_) | Change::AddMember { .. } => {
                    changes.adds.push(verdicts::change(&made));
                }
                Change::RemoveAcl(_) | Change::RemoveMember { .. } | Change::DeleteRole { .. } => {
                    changes.removes.push(verdicts::change(&made));
                }
                Change::Settings(settings) => {
                    changes.set(before.settings(), &settings.filled_from(before.settings()));
                }
            }
        }
        changes
    }

    fn set(&mut self, before: &Settings, after: &Settings) {
        let (current, new) = (&before.superusers, &after.superusers);
        for name in new {
            if !current.contains(name) {
                self.adds.push(sentence(&change::superuser_added(name)));
            }
        }
        for name in current {
            if !new.contains(name) {
                self.removes
                    .push(sentence(&change::superuser_removed(name)));
            }
        }
        for level in AccessLevel::ALL {
            let (current, new) = (before.access.grantees(level), after.access.grantees(level));
            for principal in new {
                if !current.contains(principal) {
                    let granted = change::access_granted(principal, level);
                    self.adds.push(sentence(&granted));
                }
            }
            for principal in current {
                if !new.contains(principal) {
                    let revoked = change::access_revoked(principal, level);
                    self.removes.push(sentence(&revoked));
                }
            }
        }
        let (current, new) = (settings_to_json(before), settings_to_json(after));
        for name in [
            "oidc_group_claim_path",
            "nested_group_behavior",
            "oidc_principal_mapping",
            "sso",
        ] {
            let (was, is) = (current.get(name), new.get(name));
            if was != is {
                let (was, is) = (was.map(Value::to_string), is.map(Value::to_string));
                let set = change::setting(name, was.as_deref(), is.as_deref());
                self.sets.push(sentence(&set));
            }
        }
    }

    /// Whether the document changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.adds.is_empty() && self.removes.is_empty() && self.sets.is_empty()
    }

    /// Whether something is removed.
    pub(crate) fn removes_something(&self) -> bool {
        !self.removes.is_empty()
    }

    /// Whether a setting has another value.
    pub(crate) fn sets_something(&self) -> bool {
        !self.sets.is_empty()
    }

    /// A difference, with the numbers of what is added and removed.
    pub(crate) const fn counted(&self, diff: DiffJson) -> PolicyDifference {
        PolicyDifference {
            diff,
            adds: self.adds.len(),
            removes: self.removes.len(),
        }
    }

    /// The lists, each below its number.
    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        for (what, lines) in [
            ("Adds", &self.adds),
            ("Removes", &self.removes),
            ("Changes settings", &self.sets),
        ] {
            if lines.is_empty() {
                continue;
            }
            let _ = writeln!(text, "{what} ({}):", thousands(lines.len()));
            for line in lines.iter().take(MAX_LISTED) {
                let _ = writeln!(text, "  {line}");
            }
            if let Some(more @ 1..) = lines.len().checked_sub(MAX_LISTED) {
                let _ = writeln!(text, "  and {} more", thousands(more));
            }
        }
        text
    }
}
