//! Exports a policy: as a document, as a script, as resources that other tools apply, or as a table
//! for spreadsheets. Every name is quoted for its target.
//!
//! ```
//! use gbac_formats::export::Export;
//! use gbac_formats::table::OutputFormat;
//! use gbac_json::policy_from_json;
//!
//! let policy = policy_from_json(r#"{ "version": 1, "acls": [{
//!     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
//!     "principal": "Group:eng, fin", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
//! let export = Export::new(&policy);
//! let written = |word| OutputFormat::find(word).map(|output| output.write(&export)).unwrap_or_default();
//! let script = written("gbac");
//! assert!(script.text.contains(
//!     r#"gbac security acl create --allow-principal '"Group:eng, fin"' --operation read --topic orders- --resource-pattern-type prefixed"#));
//! assert!(script.notes.is_empty());
//! let terraform = written("terraform");
//! assert!(terraform.text.contains(r#"resource "redpanda_acl" "allow__read__topic__prefixed__orders-__Group__eng_2c__20_fin__any""#));
//! # Ok::<(), gbac_json::Problems>(())
//! ```

use std::fmt;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Dialect, Operation, Principal, check_member};
use gbac_engine::policy::{Change, Policy};

use crate::quote::comment;

/// What is said of settings that are cluster properties.
pub(crate) const PROPERTIES: &str = "without the settings, which are cluster properties; `gbac policy convert --to gbac` writes them as a command";

/// What is exported.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The policy that the cluster has, if it is known: a script then makes only the changes,
    /// resources of Terraform get import blocks, and what resources leave in the cluster is noted.
    pub current: Option<&'a Policy>,
    /// The changes that a script makes instead of those from `current`.
    pub changes: Option<&'a [Change]>,
    /// The name of the cluster's resource in Kubernetes, if it is not that of the tool's examples.
    pub cluster: Option<&'a str>,
}

impl<'a> Export<'a> {
    /// A policy, for an empty cluster.
    #[must_use]
    pub const fn new(policy: &'a Policy) -> Self {
        Self {
            policy,
            current: None,
            changes: None,
            cluster: None,
        }
    }
}

/// Writes a format.
pub trait Writer: Sync {
    /// The text, and what it cannot express.
    fn write(&self, export: &Export<'_>) -> Exported;
}

/// A policy as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// What is not in it, or will be refused. It contains the notes as comments, if the format has
    /// comments.
    pub notes: Vec<ExportNote>,
}

/// Refuses a host that only Kafka has: a range, or a name.
pub(crate) fn check_host(acl: &Acl) -> Result<(), &'static str> {
    match Dialect::Platform.check_host(&acl.host) {
        Ok(()) => Ok(()),
        Err(_) => Err("the platform has neither ranges nor names of hosts"),
    }
}

/// A note about a part of an export that is missing, or that will be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportNote {
    /// The stable code: `not_written`, `settings_separate`, or the code of the error when creating
    /// it.
    pub code: &'static str,
    /// The subject and the reason.
    pub message: String,
}

impl fmt::Display for ExportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Whose ACLs and members applying the resources of an export replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// Nothing: what is not in the export stays in the cluster.
    Nothing,
    /// The ACLs of every principal with a resource.
    Acls,
    /// These, and the members of every role with a member.
    AclsAndMembers,
}

/// The notes of an export, in order.
#[derive(Default)]
pub(crate) struct Notes(Vec<ExportNote>);

impl Notes {
    pub(crate) fn push(&mut self, code: &'static str, message: impl Into<String>) {
        self.0.push(ExportNote {
            code,
            message: message.into(),
        });
    }

    pub(crate) fn not_written(&mut self, what: &str, why: &str) {
        self.push("not_written", format!("not written: {what}: {why}"));
    }

    /// An ACL that the target cannot express.
    pub(crate) fn lost_acl(&mut self, acl: &Acl, why: &str) {
        self.not_written(&described(acl), why);
    }

    /// The settings, for a target that has none.
    pub(crate) fn of_settings(&mut self, policy: &Policy, message: &str) {
        if policy.settings().states_any() {
            self.push("settings_separate", message);
        }
    }

    /// The roles, for a target that has none.
    pub(crate) fn of_roles(&mut self, policy: &Policy, why: &str) {
        for role in policy.roles() {
            let members = match role.members.len() {
                0 => String::new(),
                1 => " with its member".to_owned(),
                members => format!(" with its {members} members"),
            };
            self.not_written(&format!("role `{}`{members}", escaped(&role.name)), why);
        }
    }

    /// What is written and will be refused when it is created (D-27).
    pub(crate) fn of_refusals(&mut self, policy: &Policy) {
        for acl in policy.acls() {
            self.of_refused_acl(&acl, &[acl.operation]);
        }
        for role in policy.roles() {
            self.of_refused_members(&role.name, &role.members);
        }
    }

    pub(crate) fn of_refused_acl(&mut self, acl: &Acl, operations: &[Operation]) {
        for fault in acl.check_create() {
            let acl = acl_words(acl, operations);
            self.push(fault.code(), format!("{acl} will be refused: {fault}"));
        }
    }

    pub(crate) fn of_refused_members<'m>(
        &mut self,
        role: &str,
        members: impl IntoIterator<Item = &'m Principal>,
    ) {
        for member in members {
            if let Err(fault) = check_member(member) {
                let (member, role) = (escaped(&member.to_string()), escaped(role));
                let message =
                    format!("`{member}` as a member of `{role}` will be refused: {fault}");
                self.push(fault.code(), message);
            }
        }
    }

    /// What the cluster has, the policy has not, and applying the export does not remove.
    pub(crate) fn of_leftovers(&mut self, export: &Export<'_>, replaces: Replaces) {
        let Export {
            policy,
            current: Some(current),
            ..
        } = export
        else {
            return;
        };
        for acl in current.acls().filter(|acl| !policy.has_acl(acl)) {
            if replaces == Replaces::Nothing || policy.acls_of(&acl.principal).is_empty() {
                self.not_removed(&described(&acl));
            }
        }
        for role in current.roles() {
            let name = escaped(&role.name);
            let Some(kept) = policy.role(&role.name) else {
                self.not_removed(&format!("role `{name}`"));
                continue;
            };
            if replaces == Replaces::AclsAndMembers && !kept.members.is_empty() {
                continue;
            }
            for member in role.members.difference(&kept.members) {
                let member = escaped(&member.to_string());
                self.not_removed(&format!("`{member}` from role `{name}`"));
            }
        }
    }

    fn not_removed(&mut self, what: &str) {
        const WHY: &str = "the cluster has it, and applying the manifest leaves it";
        self.push("not_removed", format!("not removed: {what}: {WHY}"));
    }

    pub(crate) fn into_list(self) -> Vec<ExportNote> {
        self.0
    }

    /// A text with the notes as comments between its head and its body.
    pub(crate) fn within(self, head: &str, body: &str) -> Exported {
        let said: String = self.0.iter().map(|note| comment(&note.message)).collect();
        Exported {
            text: format!("{head}{said}{body}"),
            notes: self.0,
        }
    }
}

/// An ACL in a message.
pub(crate) fn described(acl: &Acl) -> String {
    format!("`{acl}`")
}

/// An ACL in a message, once for each of these operations.
pub(crate) fn acl_words(acl: &Acl, operations: &[Operation]) -> String {
    let mut named = Vec::with_capacity(operations.len());
    for operation in operations {
        let mut acl = acl.clone();
        acl.operation = *operation;
        named.push(described(&acl));
    }
    named.join(", ")
}
