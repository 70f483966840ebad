//! Scripts: a policy or its changes as calls of a command line or of the APIs, with every name
//! quoted for its target.

mod cli;
mod curl;
mod kafka;

pub use gbac_analysis::changes_between;
pub(crate) use kafka::word;

use std::borrow::Cow;
use std::collections::BTreeMap;

use gbac_engine::Coded;
use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Operation, Permission, Principal};
use gbac_engine::policy::{Change, GroupSource, Policy, ServiceAccess, Settings, StatedSettings};
use serde_json::{Value, json};

use crate::export::{Export, ExportNote, Exported, Notes, Writer, acl_words, check_host};
use crate::quote::{comment, shell};

/// The most members in one call, because arguments have a size limit.
const MEMBERS: usize = 100;

/// The program that a script calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptTarget {
    /// This product's command line.
    Gbac,
    /// The platform's own command line.
    Platform,
    /// `curl` and the documented APIs.
    Curl,
    /// Apache Kafka's own command line, for its ACLs.
    Kafka,
}

impl ScriptTarget {
    /// Every target.
    pub const ALL: &'static [Self] = &[Self::Gbac, Self::Platform, Self::Curl, Self::Kafka];

    /// The name of the program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            Self::Gbac => "gbac",
            Self::Platform => "rpk",
            Self::Curl => "curl",
            Self::Kafka => "kafka-acls",
        }
    }
}

/// One change, or several changes of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStep {
    /// The commands, each one line for a POSIX shell; empty if the target cannot express the
    /// change.
    pub commands: Vec<String>,
    /// The notes.
    pub notes: Vec<ExportNote>,
}

/// A text for `sh`, which continues after a failed call, then exits with 1, and can be run again.
impl Writer for ScriptTarget {
    fn write(&self, export: &Export<'_>) -> Exported {
        let changes = match (export.changes, export.current) {
            (Some(changes), _) => Cow::Borrowed(changes),
            (None, None) => changes(export.policy).into(),
            // What the cluster's document omits may have any value in the cluster.
            (None, Some(current)) if current.settings().states() == StatedSettings::ALL => {
                let changes = changes_between(current, export.policy);
                only_differing(&changes, current.settings()).into()
            }
            (None, Some(current)) => changes_between(current, export.policy).into(),
        };
        script(&changes, *self)
    }
}

/// The changes from an empty policy to this one: its settings, denies, roles with their members,
/// and allows, so that nothing is allowed temporarily that is denied in the end.
#[must_use]
pub fn changes(policy: &Policy) -> Vec<Change> {
    let settings = policy.settings();
    let mut changes = Vec::new();
    if settings.states_any() {
        changes.push(Change::Settings(Box::new(settings.clone())));
    }
    changes.extend(acls_with(policy, Permission::Deny).map(Change::AddAcl));
    for role in policy.roles() {
        changes.push(Change::CreateRole(role.name.clone()));
        for member in role.members {
            changes.push(Change::AddMember {
                role: role.name.clone(),
                member,
            });
        }
    }
    changes.extend(acls_with(policy, Permission::Allow).map(Change::AddAcl));
    changes
}

fn acls_with(policy: &Policy, permission: Permission) -> impl Iterator<Item = Acl> {
    policy
        .acls()
        .filter(move |acl| acl.permission == permission)
}

/// Changes without the settings that current ones already have, so that a script does not set what
/// others may change meanwhile.
#[must_use]
pub fn only_differing(changes: &[Change], current: &Settings) -> Vec<Change> {
    let mut differing = changes.to_vec();
    for change in &mut differing {
        if let Change::Settings(settings) = change {
            **settings = settings.differing_from(current);
        }
    }
    differing
}

/// The commands for changes, in order. Those of [`ScriptTarget::Curl`] call the Data Plane API at
/// `$GBAC_URL` and the Admin API at `$GBAC_ADMIN_URL`, with the token `$GBAC_TOKEN`.
#[must_use]
pub fn steps(changes: &[Change], target: ScriptTarget) -> Vec<ScriptStep> {
    calls(changes)
        .iter()
        .map(|call| step(call, target, ""))
        .collect()
}

/// Creates a script that makes the changes.
#[must_use]
pub fn script(changes: &[Change], target: ScriptTarget) -> Exported {
    let calls = calls(changes);
    let mut text = match target {
        ScriptTarget::Gbac => cli::HEAD_GBAC.to_owned(),
        ScriptTarget::Platform if calls.iter().any(cli::has_groups) => {
            format!("{}{}{}", cli::HEAD_PLATFORM, cli::HEAD_GROUPS, curl::AUTH)
        }
        ScriptTarget::Platform => cli::HEAD_PLATFORM.to_owned(),
        ScriptTarget::Curl => format!("{}{}", curl::HEAD, curl::AUTH),
        ScriptTarget::Kafka => kafka::HEAD.to_owned(),
    };
    let mut notes = Vec::new();
    for call in calls {
        let step = step(&call, target, "try ");
        for note in &step.notes {
            text.push_str(&comment(&note.message));
        }
        for command in &step.commands {
            text.push_str(command);
            text.push('\n');
        }
        notes.extend(step.notes);
    }
    text.push_str("exit \"$failed\"\n");
    Exported { text, notes }
}

/// One call.
enum Call<'a> {
    CreateAcls(&'a Acl, Vec<Operation>),
    DeleteAcls(&'a Acl, Vec<Operation>),
    CreateRole(&'a str),
    Join(&'a str, Vec<&'a Principal>),
    Leave(&'a str, Vec<&'a Principal>),
    DeleteRole(&'a str, bool),
    Set(&'a Settings),
}

/// Combines adjacent changes that differ only by operation or member.
fn calls(changes: &[Change]) -> Vec<Call<'_>> {
    let mut calls: Vec<Call<'_>> = Vec::new();
    for change in changes {
        match (change, calls.last_mut()) {
            (Change::AddAcl(acl), Some(Call::CreateAcls(first, operations)))
            | (Change::RemoveAcl(acl), Some(Call::DeleteAcls(first, operations)))
                if differ_by_operation(first, acl) =>
            {
                operations.push(acl.operation);
            }
            (Change::AddMember { role, member }, Some(Call::Join(of, members)))
            | (Change::RemoveMember { role, member }, Some(Call::Leave(of, members)))
                if of == role && members.len() < MEMBERS =>
            {
                members.push(member);
            }
            (Change::AddAcl(acl), _) => calls.push(Call::CreateAcls(acl, vec![acl.operation])),
            (Change::RemoveAcl(acl), _) => calls.push(Call::DeleteAcls(acl, vec![acl.operation])),
            (Change::CreateRole(name), _) => calls.push(Call::CreateRole(name)),
            (Change::AddMember { role, member }, _) => calls.push(Call::Join(role, vec![member])),
            (Change::RemoveMember { role, member }, _) => {
                calls.push(Call::Leave(role, vec![member]));
            }
            (Change::DeleteRole { name, delete_acls }, _) => {
                calls.push(Call::DeleteRole(name, *delete_acls));
            }
            (Change::Settings(settings), _) => calls.push(Call::Set(settings)),
        }
    }
    calls
}

fn differ_by_operation(a: &Acl, b: &Acl) -> bool {
    (a.resource_type, a.pattern_type, &a.host, a.permission)
        == (b.resource_type, b.pattern_type, &b.host, b.permission)
        && a.resource_name == b.resource_name
        && a.principal == b.principal
}

fn step(call: &Call<'_>, target: ScriptTarget, run: &str) -> ScriptStep {
    let mut notes = Notes::default();
    match call {
        Call::CreateAcls(acl, operations) => notes.of_refused_acl(acl, operations),
        Call::Join(role, members) => notes.of_refused_members(role, members.iter().copied()),
        _ => {}
    }
    let host = match call {
        Call::CreateAcls(acl, _) | Call::DeleteAcls(acl, _) => check_host(acl),
        _ => Ok(()),
    };
    let written = match (target, host) {
        (ScriptTarget::Kafka, _) => kafka::commands(call, run, &mut notes),
        (_, Err(why)) => Err(why.into()),
        (ScriptTarget::Gbac | ScriptTarget::Platform, Ok(())) => cli::commands(call, target, run),
        (ScriptTarget::Curl, Ok(())) => curl::commands(call, run),
    };
    let commands = written.unwrap_or_else(|why| {
        notes.not_written(&described(call), &why);
        Vec::new()
    });
    if let Call::Set(settings) = call {
        note_settings(settings, target, &mut notes);
    }
    ScriptStep {
        commands,
        notes: notes.into_list(),
    }
}

/// Notes the settings that no call sets.
fn note_settings(settings: &Settings, target: ScriptTarget, notes: &mut Notes) {
    if target == ScriptTarget::Kafka {
        let message = "without the settings, which are properties of the brokers";
        return notes.push("settings_separate", message);
    }
    if let GroupSource::Sso { .. } = settings.groups {
        let message = "not written: `sso` is not a cluster property; enter the attributes in the settings of the SSO connection";
        notes.push("not_written", message);
    }
    if settings.access != ServiceAccess::default() {
        let message = "not written: `access` is not a cluster property; import the document into a service to set it";
        notes.push("not_written", message);
    }
}

/// Describes a call.
fn described(call: &Call<'_>) -> String {
    match call {
        Call::CreateAcls(acl, operations) | Call::DeleteAcls(acl, operations) => {
            acl_words(acl, operations)
        }
        Call::CreateRole(role) | Call::DeleteRole(role, _) => format!("role `{}`", escaped(role)),
        Call::Join(role, members) | Call::Leave(role, members) => {
            let members: Vec<String> = members
                .iter()
                .map(|member| format!("`{}`", escaped(&member.to_string())))
                .collect();
            format!("{} of role `{}`", members.join(", "), escaped(role))
        }
        Call::Set(_) => "the settings".into(),
    }
}

/// The cluster properties of the stated settings. An empty list of superusers is omitted, because a
/// cluster without superusers could not be managed.
fn properties(settings: &Settings) -> BTreeMap<&'static str, Value> {
    let states = settings.states();
    let mut properties = BTreeMap::new();
    if let GroupSource::Properties { claim_path, nested } = &settings.groups {
        if states.claim_path {
            properties.insert("oidc_group_claim_path", json!(claim_path.as_str()));
        }
        if states.nested {
            properties.insert("nested_group_behavior", json!(nested.code()));
        }
    }
    if states.principal_mapping {
        let mapping = settings.principal_mapping.as_str();
        properties.insert("oidc_principal_mapping", json!(mapping));
    }
    let superusers = settings.superusers.as_slice();
    if !superusers.is_empty() {
        properties.insert("superusers", json!(superusers));
    }
    properties
}

/// The quoted words of a command.
fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(shell).collect::<Vec<_>>().join(" ")
}
