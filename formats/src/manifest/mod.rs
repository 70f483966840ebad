//! Manifests: a policy as resources that other tools apply, for Terraform, the platform's
//! Kubernetes operator or Strimzi, and as a table for spreadsheets.
//!
//! ```
//! use gbac_formats::manifest::{ManifestTarget, manifest};
//! use gbac_json::policy_from_json;
//!
//! let policy = policy_from_json(r#"{ "version": 1, "acls": [{
//!     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
//!     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
//! let terraform = manifest(&policy, None, ManifestTarget::Terraform);
//! assert!(terraform.text.contains(r#"resource "redpanda_acl" "allow__read__topic__prefixed__orders-__Group__eng__any""#));
//! let operator = manifest(&policy, None, ManifestTarget::Operator { cluster: "streams" });
//! assert!(operator.text.contains("kind: Group"));
//! assert!(terraform.notes.is_empty() && operator.notes.is_empty());
//! # Ok::<(), gbac_json::Problems>(())
//! ```

pub(crate) mod csv;
mod kubernetes;
pub(crate) mod operator;
pub(crate) mod strimzi;
mod terraform;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, check_member};
use gbac_engine::policy::Policy;

use crate::script::{ScriptNote, acl_words, quote::comment};

/// The tool that applies a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManifestTarget<'a> {
    /// Terraform or OpenTofu, with the platform's provider 2.1 or later.
    Terraform,
    /// The platform's Kubernetes operator, version 26.1 or later.
    Operator {
        /// The name of the cluster's resource in Kubernetes.
        cluster: &'a str,
    },
    /// Strimzi, version 0.33 or later, for Apache Kafka: the ACLs of users.
    Strimzi {
        /// The name of the cluster's resource in Kubernetes.
        cluster: &'a str,
    },
    /// Comma-separated values: a line for each ACL.
    Csv,
}

impl ManifestTarget<'static> {
    /// Every target, with the names that examples of the tools give their clusters.
    pub const ALL: [Self; 4] = [
        Self::Terraform,
        Self::Operator {
            cluster: "redpanda",
        },
        Self::Strimzi {
            cluster: "my-cluster",
        },
        Self::Csv,
    ];
}

impl<'a> ManifestTarget<'a> {
    /// The same target for another name of the cluster's resource in Kubernetes, where it has one.
    #[must_use]
    pub const fn with_cluster(self, cluster: &'a str) -> Self {
        match self {
            Self::Operator { .. } => Self::Operator { cluster },
            Self::Strimzi { .. } => Self::Strimzi { cluster },
            Self::Terraform | Self::Csv => self,
        }
    }

    /// The word for the target: that of `policy convert --to`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::Operator { .. } => "operator",
            Self::Strimzi { .. } => "strimzi",
            Self::Csv => "csv",
        }
    }
}

/// A manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The text: HCL for Terraform, YAML documents for Kubernetes, or CSV.
    pub text: String,
    /// What the text cannot express, or expresses differently; the text contains the notes as
    /// comments, except in CSV, which has none.
    pub notes: Vec<ScriptNote>,
}

/// Writes a policy as resources. `current` is the policy that the cluster has, if it is known: for
/// Terraform, its resources get import blocks, and what the manifest leaves in the cluster is
/// noted.
#[must_use]
pub fn manifest(policy: &Policy, current: Option<&Policy>, target: ManifestTarget<'_>) -> Manifest {
    let mut notes = Notes::default();
    let body = match target {
        ManifestTarget::Terraform => terraform::resources(policy, current, &mut notes),
        ManifestTarget::Operator { cluster } => operator::resources(policy, cluster, &mut notes),
        ManifestTarget::Strimzi { cluster } => strimzi::resources(policy, cluster, &mut notes),
        ManifestTarget::Csv => csv::rows(policy, &mut notes),
    };
    if policy.settings().states_any() {
        let message = match target {
            ManifestTarget::Terraform | ManifestTarget::Operator { .. } => {
                "without the settings, which are cluster properties; `gbac policy convert --to gbac` writes them as a command"
            }
            ManifestTarget::Strimzi { .. } => {
                "without the settings, which are properties of the brokers"
            }
            ManifestTarget::Csv => "without the settings, which only a policy document has",
        };
        notes.push("settings_separate", message);
    }
    notes.of_leftovers(policy, current, target);
    let head = match target {
        ManifestTarget::Terraform => terraform::HEAD,
        ManifestTarget::Operator { .. } => operator::HEAD,
        ManifestTarget::Strimzi { .. } => strimzi::HEAD,
        ManifestTarget::Csv => {
            return Manifest {
                text: body,
                notes: notes.0,
            };
        }
    };
    let said: String = notes.0.iter().map(|note| comment(&note.message)).collect();
    Manifest {
        text: format!("{head}{said}{body}"),
        notes: notes.0,
    }
}

/// The notes of a manifest, in order.
#[derive(Default)]
struct Notes(Vec<ScriptNote>);

impl Notes {
    fn push(&mut self, code: &'static str, message: impl Into<String>) {
        self.0.push(ScriptNote {
            code,
            message: message.into(),
        });
    }

    fn not_written(&mut self, what: &str, why: &str) {
        self.push("not_written", format!("not written: {what}: {why}"));
    }

    /// An ACL that the target cannot express.
    fn lost_acl(&mut self, acl: &Acl, why: &str) {
        self.not_written(&described(acl), why);
    }

    /// The roles, for a target that has none.
    fn of_roles(&mut self, policy: &Policy, why: &str) {
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
    fn of_refusals(&mut self, policy: &Policy) {
        for acl in policy.acls() {
            for fault in acl.check_create() {
                self.push(
                    fault.code(),
                    format!("{} will be refused: {fault}", described(&acl)),
                );
            }
        }
        for role in policy.roles() {
            for (member, fault) in role
                .members
                .iter()
                .filter_map(|member| Some((member, check_member(member).err()?)))
            {
                let (member, role) = (escaped(&member.to_string()), escaped(&role.name));
                self.push(
                    fault.code(),
                    format!("`{member}` as a member of `{role}` will be refused: {fault}"),
                );
            }
        }
    }

    /// What the cluster has, the policy has not, and applying the manifest does not remove.
    fn of_leftovers(
        &mut self,
        policy: &Policy,
        current: Option<&Policy>,
        target: ManifestTarget<'_>,
    ) {
        let Some(current) = current.filter(|_| target != ManifestTarget::Csv) else {
            return;
        };
        // A resource of Kubernetes replaces all ACLs of its principal.
        let is_replaced = |acl: &Acl| match target {
            ManifestTarget::Terraform | ManifestTarget::Csv => false,
            ManifestTarget::Operator { .. } | ManifestTarget::Strimzi { .. } => {
                !policy.acls_of(&acl.principal).is_empty()
            }
        };
        const WHY: &str = "the cluster has it, and applying the manifest leaves it";
        for acl in current
            .acls()
            .filter(|acl| !policy.has_acl(acl) && !is_replaced(acl))
        {
            self.push(
                "not_removed",
                format!("not removed: {}: {WHY}", described(&acl)),
            );
        }
        for role in current.roles() {
            let Some(kept) = policy.role(&role.name) else {
                self.push(
                    "not_removed",
                    format!("not removed: role `{}`: {WHY}", escaped(&role.name)),
                );
                continue;
            };
            let is_owned =
                matches!(target, ManifestTarget::Operator { .. }) && !kept.members.is_empty();
            for member in role.members.difference(&kept.members).filter(|_| !is_owned) {
                let (member, role) = (escaped(&member.to_string()), escaped(&role.name));
                self.push(
                    "not_removed",
                    format!("not removed: `{member}` from role `{role}`: {WHY}"),
                );
            }
        }
    }
}

fn described(acl: &Acl) -> String {
    acl_words(acl, &[acl.operation])
}
