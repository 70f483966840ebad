//! `gbac policy diff --converge`: the changes that make one policy decide as another.

use gbac_analysis::diff;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_formats::script::changes_between;
use gbac_words::commands::policy as words;
use gbac_words::rich_text::RichText;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// The first characters of the names of roles that belong to the platform.
const OF_PLATFORM: &str = "__";

/// The changes that make one policy decide as another, and what they leave as it is.
pub(super) struct Convergence {
    pub(super) changes: Vec<Change>,
    /// What still differs after the changes.
    pub(super) left: Vec<RichText>,
}

/// What a file makes of the policy of --to.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct WrittenConvergence {
    /// The file.
    pub(super) file: String,
    /// The number of changes in the file.
    pub(super) changes: usize,
    /// What still differs after the changes, each as a sentence.
    pub(super) left: Vec<String>,
}

impl Convergence {
    /// The changes of `to` that make it decide as `from`.
    pub(super) fn new(from: &Policy, to: &Policy) -> Self {
        let (mut changes, mut left) = (Vec::new(), Vec::new());
        let mut reached = to.clone();
        let mut roles_of_platform: Vec<String> = Vec::new();
        for change in changes_between(to, from) {
            if let Some(role) = role_of_platform(&change) {
                if !roles_of_platform.contains(&role) {
                    roles_of_platform.push(role);
                }
                continue;
            }
            let change = match change {
                Change::Settings(settings) => match settings_to_change(&settings, to.settings()) {
                    Some(settings) => settings,
                    None => continue,
                },
                change => change,
            };
            match reached.apply(change.clone()) {
                Ok(_) => changes.push(change),
                Err(error) => left.push(words::not_converged(&change, &error)),
            }
        }
        roles_of_platform.sort_unstable();
        for role in &roles_of_platform {
            left.push(words::role_of_platform(role));
        }
        for setting in diff(from, &reached).settings {
            left.push(words::setting_left(setting));
        }
        Self { changes, left }
    }
}

/// The role of the platform that a change is about, if it is about one.
fn role_of_platform(change: &Change) -> Option<String> {
    let of_acl = |principal: &Principal| match principal.kind() {
        PrincipalType::Role => Some(principal.name().to_owned()),
        _ => None,
    };
    let role = match change {
        Change::AddAcl(acl) | Change::RemoveAcl(acl) => of_acl(&acl.principal)?,
        Change::CreateRole(name) | Change::DeleteRole { name, .. } => name.clone(),
        Change::AddMember { role, .. } | Change::RemoveMember { role, .. } => role.clone(),
        Change::Settings(_) => return None,
    };
    role.starts_with(OF_PLATFORM).then_some(role)
}

/// The settings that have to change: those of `wanted` that differ. The system of a cluster cannot
/// be changed.
fn settings_to_change(wanted: &Settings, current: &Settings) -> Option<Change> {
    let mut wanted = wanted.clone();
    wanted.dialect = current.dialect;
    wanted.kafka_version = current.kafka_version;
    let differing = wanted.differing_from(current);
    differing
        .states_any()
        .then(|| Change::Settings(Box::new(differing)))
}
