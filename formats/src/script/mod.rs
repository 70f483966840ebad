//! Scripts: a policy or its changes as calls of a command line or of the APIs, with every name
//! quoted for its target.
//!
//! ```
//! use gbac_formats::script::{ScriptTarget, changes, script};
//! use gbac_json::policy_from_json;
//!
//! let policy = policy_from_json(r#"{ "version": 1, "acls": [{
//!     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
//!     "principal": "Group:eng, fin", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
//! let script = script(&changes(&policy), ScriptTarget::Gbac);
//! assert!(script.text.contains(
//!     r#"gbac security acl create --allow-principal '"Group:eng, fin"' --operation read --topic orders- --resource-pattern-type prefixed"#));
//! assert!(script.notes.is_empty());
//! # Ok::<(), gbac_json::Problems>(())
//! ```

mod cli;
mod curl;
pub(crate) mod kafka;
pub mod quote;

use std::collections::BTreeMap;
use std::fmt;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Operation, Permission, Principal, check_member};
use gbac_engine::policy::{Change, GroupSource, Policy, ServiceAccess, Settings};
use serde_json::{Value, json};

use quote::{comment, shell};

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

    /// The program: `gbac`, `rpk`, `curl` or `kafka-acls`.
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

/// A note about a script: a part that is missing, or that will be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptNote {
    /// The stable code: `not_written`, `settings_separate`, or the code of the error when creating
    /// it.
    pub code: &'static str,
    /// The subject and the reason.
    pub message: String,
}

impl fmt::Display for ScriptNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// One change, or several changes of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptStep {
    /// The commands, each one line for a POSIX shell; empty if the target cannot express the
    /// change.
    pub commands: Vec<String>,
    /// The notes.
    pub notes: Vec<ScriptNote>,
}

/// A complete script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The text, for `sh`. It continues after a failed call, then exits with 1, and can be run
    /// again.
    pub text: String,
    /// The notes; the text contains them as comments.
    pub notes: Vec<ScriptNote>,
}

/// The changes from an empty policy to this one: its settings, denies, roles with their members,
/// and allows, so that nothing is allowed temporarily that is denied in the end.
#[must_use]
pub fn changes(policy: &Policy) -> Vec<Change> {
    let settings = policy.settings();
    let mut changes: Vec<Change> = settings
        .states_any()
        .then(|| Change::Settings(Box::new(settings.clone())))
        .into_iter()
        .collect();
    let acls = |permission| {
        policy
            .acls()
            .filter(move |acl| acl.permission == permission)
            .map(Change::AddAcl)
    };
    changes.extend(acls(Permission::Deny));
    for role in policy.roles() {
        changes.push(Change::CreateRole(role.name.clone()));
        changes.extend(role.members.into_iter().map(|member| Change::AddMember {
            role: role.name.clone(),
            member,
        }));
    }
    changes.extend(acls(Permission::Allow));
    changes
}

/// The changes from one policy to another. New denies come first, and old ones are removed last.
/// Settings that the later policy omits do not change.
#[must_use]
pub fn changes_between(before: &Policy, after: &Policy) -> Vec<Change> {
    let mut changes = Vec::new();
    let filled = after.settings().filled_from(before.settings());
    // Settings that the earlier policy omits may have any value in the cluster.
    if filled != *before.settings() || filled.states() != before.settings().states() {
        changes.push(Change::Settings(Box::new(after.settings().clone())));
    }
    let missing = |of: &Policy, there: &Policy, permission| -> Vec<Acl> {
        of.acls()
            .filter(|acl| acl.permission == permission && !there.has_acl(acl))
            .collect()
    };
    changes.extend(
        missing(after, before, Permission::Deny)
            .into_iter()
            .map(Change::AddAcl),
    );
    changes.extend(
        missing(before, after, Permission::Allow)
            .into_iter()
            .map(Change::RemoveAcl),
    );
    for role in after.roles() {
        let held = before.role(&role.name);
        changes.extend(
            held.is_none()
                .then(|| Change::CreateRole(role.name.clone())),
        );
        let held = held.map(|role| role.members).unwrap_or_default();
        let of = |member: &Principal| (role.name.clone(), member.clone());
        let joins = role.members.difference(&held).map(of);
        changes.extend(joins.map(|(role, member)| Change::AddMember { role, member }));
        let leaves = held.difference(&role.members).map(of);
        changes.extend(leaves.map(|(role, member)| Change::RemoveMember { role, member }));
    }
    // Its ACLs are deleted by changes of their own.
    let deleted = before.role_names().filter(|name| !after.has_role(name));
    changes.extend(deleted.map(|name| Change::DeleteRole {
        name: name.into(),
        delete_acls: false,
    }));
    changes.extend(
        missing(after, before, Permission::Allow)
            .into_iter()
            .map(Change::AddAcl),
    );
    changes.extend(
        missing(before, after, Permission::Deny)
            .into_iter()
            .map(Change::RemoveAcl),
    );
    changes
}

/// Changes without the settings that current ones already have, so that a script does not set what
/// others may change meanwhile.
#[must_use]
pub fn only_differing(changes: &[Change], current: &Settings) -> Vec<Change> {
    let differing = |change: &Change| match change {
        Change::Settings(settings) => Change::Settings(Box::new(settings.differing_from(current))),
        change => change.clone(),
    };
    changes.iter().map(differing).collect()
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
pub fn script(changes: &[Change], target: ScriptTarget) -> Script {
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
    Script { text, notes }
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
                calls.push(Call::Leave(role, vec![member]))
            }
            (Change::DeleteRole { name, delete_acls }, _) => {
                calls.push(Call::DeleteRole(name, *delete_acls))
            }
            (Change::Settings(settings), _) => calls.push(Call::Set(settings)),
        }
    }
    calls
}

fn differ_by_operation(a: &Acl, b: &Acl) -> bool {
    (a.resource_type, a.pattern_type, a.host, a.permission)
        == (b.resource_type, b.pattern_type, b.host, b.permission)
        && a.resource_name == b.resource_name
        && a.principal == b.principal
}

fn step(call: &Call<'_>, target: ScriptTarget, run: &str) -> ScriptStep {
    let mut notes = refusals(call);
    let written = match target {
        ScriptTarget::Gbac | ScriptTarget::Platform => cli::commands(call, target, run),
        ScriptTarget::Curl => curl::commands(call, run),
        ScriptTarget::Kafka => kafka::commands(call, run).map(|(commands, unknown)| {
            if let (Call::CreateAcls(acl, _), false) = (call, unknown.is_empty()) {
                notes.push(not_written(
                    &Call::CreateAcls(acl, unknown),
                    kafka::NO_EFFECT,
                ));
            }
            commands
        }),
    };
    let commands = written.unwrap_or_else(|why| {
        notes.push(not_written(call, &why));
        Vec::new()
    });
    if let (Call::Set(_), ScriptTarget::Kafka) = (call, target) {
        let message = "without the settings, which are properties of the brokers";
        notes.push(ScriptNote {
            code: "settings_separate",
            message: message.into(),
        });
        return ScriptStep { commands, notes };
    }
    if let Call::Set(Settings {
        groups: GroupSource::Sso { .. },
        ..
    }) = call
    {
        let message = "not written: `sso` is not a cluster property; enter the attributes in the settings of the SSO connection";
        notes.push(ScriptNote {
            code: "not_written",
            message: message.into(),
        });
    }
    if let Call::Set(settings) = call
        && settings.access != ServiceAccess::default()
    {
        let message = "not written: `access` is not a cluster property; import the document into a service to set it";
        notes.push(ScriptNote {
            code: "not_written",
            message: message.into(),
        });
    }
    ScriptStep { commands, notes }
}

/// Notes about changes that cannot be created today, although a policy may contain them (D-27).
fn refusals(call: &Call<'_>) -> Vec<ScriptNote> {
    let note = |code, what: &str, why: &dyn fmt::Display| ScriptNote {
        code,
        message: format!("{what} will be refused: {why}"),
    };
    match call {
        Call::CreateAcls(acl, _) => {
            let faults = acl.check_create();
            faults
                .iter()
                .map(|fault| note(fault.code(), &described(call), fault))
                .collect()
        }
        Call::Join(role, members) => {
            let fault = |member: &&Principal| {
                let error = check_member(member).err()?;
                let what = format!(
                    "`{}` as a member of `{}`",
                    escaped(&member.to_string()),
                    escaped(role)
                );
                Some(note(error.code(), &what, &error))
            };
            members.iter().filter_map(fault).collect()
        }
        _ => Vec::new(),
    }
}

fn not_written(call: &Call<'_>, why: &str) -> ScriptNote {
    ScriptNote {
        code: "not_written",
        message: format!("not written: {}: {why}", described(call)),
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

/// Describes an ACL with these operations.
pub(crate) fn acl_words(acl: &Acl, operations: &[Operation]) -> String {
    let operations: Vec<&str> = operations
        .iter()
        .map(|operation| operation.spelling().label)
        .collect();
    format!(
        "{} {} on {} `{}` {} for `{}` from {}",
        acl.permission.spelling().label,
        operations.join(", "),
        acl.resource_type.spelling().label,
        escaped(&acl.resource_name),
        acl.pattern_type.spelling().label,
        escaped(&acl.principal.to_string()),
        acl.host,
    )
}

/// The cluster properties of the stated settings. An empty list of superusers is omitted, because a
/// cluster without superusers could not be managed.
fn properties(settings: &Settings) -> BTreeMap<&'static str, Value> {
    let states = settings.states();
    let mut properties = BTreeMap::new();
    if let GroupSource::Properties { claim_path, nested } = &settings.groups {
        properties.extend(
            states
                .claim_path
                .then(|| ("oidc_group_claim_path", json!(claim_path.as_str()))),
        );
        properties.extend(
            states
                .nested
                .then(|| ("nested_group_behavior", json!(nested.as_str()))),
        );
    }
    let mapping = settings.principal_mapping.as_str();
    properties.extend(
        states
            .principal_mapping
            .then(|| ("oidc_principal_mapping", json!(mapping))),
    );
    let superusers = settings.superusers.as_slice();
    properties.extend((!superusers.is_empty()).then(|| ("superusers", json!(superusers))));
    properties
}

/// The quoted words of a command.
fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(shell).collect::<Vec<_>>().join(" ")
}
