//! Imports the state of an existing cluster to a policy, entry by entry. Every entry that cannot be
//! read is reported.
//!
//! ```
//! use gbac_formats::import::Import;
//!
//! let mut import = Import::default();
//! let read = import.read("Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`:\n\
//!     \t(principal=Group:eng, host=*, operation=READ, permissionType=ALLOW)\n\
//!     \t(principal=ServiceAccount:x, host=*, operation=READ, permissionType=ALLOW)\n", None);
//! assert_eq!(read.acls, 1);
//! assert_eq!((read.unread[0].place.as_str(), read.unread[0].code), ("line 3", "principal_type_unknown"));
//! assert_eq!(import.policy().acl_count(), 1);
//! ```

mod csv;
mod encoding;
mod entry;
mod json;
mod kafka;
mod kubernetes;
mod table;
mod terraform;

pub use encoding::{EncodingError, decode};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Dialect, Principal, PrincipalType, check_role_name};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_json::acl_in_dialect;
use serde_json::{Value, json};

use crate::yaml::looks_like_yaml;

/// How many kinds of objects that are not about access a note names.
const SHOWN_KINDS: usize = 10;

/// The detected format of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A policy document of this product.
    Policy,
    /// A list of ACLs: the output of a command line's `security acl list --format json`, of the
    /// Data Plane API, of the Schema Registry, or of Confluent's command line and REST API.
    Acls,
    /// Roles: the output of a command line's `security role describe` or `list`, of the Data Plane
    /// API, or of the Admin API.
    Roles,
    /// The output of `kafka-acls --list`.
    KafkaAcls,
    /// The output of `terraform show -json`.
    Terraform,
    /// Resources of the platform's Kubernetes operator.
    Operator,
    /// Users of Strimzi.
    Strimzi,
    /// Tables of `rpk` or `confluent`.
    Table,
    /// Comma-separated values.
    Csv,
    /// An unknown format.
    Unknown,
}

impl Kind {
    /// The display name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Policy => "policy document",
            Self::Acls => "list of ACLs",
            Self::Roles => "roles",
            Self::KafkaAcls => "kafka-acls output",
            Self::Terraform => "Terraform state",
            Self::Operator => "resources of the operator",
            Self::Strimzi => "Strimzi users",
            Self::Table => "table of ACLs or members",
            Self::Csv => "CSV",
            Self::Unknown => "unrecognized",
        }
    }
}

/// An entry that could not be read, or only with a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadEntry {
    /// The place: a line such as `line 12`, a JSON Pointer such as `/matches/3`, or empty for the
    /// whole text.
    pub place: String,
    /// The stable code of the error.
    pub code: &'static str,
    /// The error.
    pub message: String,
}

impl fmt::Display for UnreadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.place, self.message)
        }
    }
}

/// The result of importing one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedText {
    /// The format.
    pub kind: Kind,
    /// The number of ACLs, including duplicates.
    pub acls: usize,
    /// The number of roles.
    pub roles: usize,
    /// The number of ACLs that were imported before (D-17).
    pub again: usize,
    /// The number of lines before the list that were skipped, such as log lines.
    pub skipped: usize,
    /// The objects that say nothing about access, such as a `ConfigMap`, and how many there are of
    /// each kind.
    pub ignored: BTreeMap<String, usize>,
    /// The entries that could not be read, in the order of the text.
    pub unread: Vec<UnreadEntry>,
}

impl ImportedText {
    const fn new(kind: Kind) -> Self {
        Self {
            kind,
            acls: 0,
            roles: 0,
            again: 0,
            skipped: 0,
            ignored: BTreeMap::new(),
            unread: Vec::new(),
        }
    }

    /// Counts an entry that cannot be read.
    fn refuse(&mut self, place: impl Into<String>, code: &'static str, message: impl Into<String>) {
        let place: String = place.into();
        // The whole of a document.
        let place = place.strip_suffix(": ").map(str::to_owned).unwrap_or(place);
        self.unread.push(UnreadEntry {
            place,
            code,
            message: message.into(),
        });
    }

    /// Counts an object that says nothing about access.
    fn ignore(&mut self, what: String) {
        *self.ignored.entry(what).or_default() += 1;
    }

    /// What was left out and is not about access, in sentences without a period.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.skipped {
            0 => {}
            1 => notes.push("1 line before the list of ACLs skipped".to_owned()),
            lines => notes.push(format!("{lines} lines before the list of ACLs skipped")),
        }
        let shown = self
            .ignored
            .iter()
            .take(SHOWN_KINDS)
            .map(|(what, number)| format!("{number} {what}"));
        let mut parts: Vec<String> = shown.collect();
        let more: usize = self.ignored.values().skip(SHOWN_KINDS).sum();
        if more > 0 {
            parts.push(format!("{more} of other kinds"));
        }
        if !parts.is_empty() {
            notes.push(format!("left out, not about access: {}", parts.join(", ")));
        }
        notes
    }
}

/// The imported entries of one or more texts.
#[derive(Debug, Clone, Default)]
pub struct Import {
    settings: Option<Settings>,
    roles: BTreeMap<String, BTreeSet<Principal>>,
    acls: BTreeSet<Acl>,
}

impl Import {
    /// Imports from a cluster of a dialect (D-71), which the policy then states.
    #[must_use]
    pub fn in_dialect(dialect: Dialect) -> Self {
        let mut settings = Settings::unstated();
        (settings.dialect, settings.stated.dialect) = (dialect, true);
        Self {
            settings: Some(settings),
            ..Self::default()
        }
    }

    /// Imports another text. Its [`Kind`] is found by its content; [`decode`] makes a text of the
    /// bytes of a file. `role` is the role's name if the text, like that of command lines,
    /// describes a role without it.
    pub fn read(&mut self, text: &str, role: Option<&str>) -> ImportedText {
        let text = text.trim_start_matches('\u{feff}');
        let start = text.trim_start();
        if !start.starts_with(['{', '[']) {
            // Log lines before a list may begin like YAML.
            return if kafka::is_list(text) {
                self.read_kafka(text)
            } else if table::is_table(text) {
                self.read_tables(text, role)
            } else if let Some(delimiter) = csv::delimiter(text) {
                self.read_csv(text, delimiter)
            } else if looks_like_yaml(start) {
                self.read_yaml(text, role)
            } else {
                self.read_kafka(text)
            };
        }
        match gbac_json::parse(text) {
            Ok(value) => self.read_json(&value, role),
            // Log lines may begin like JSON.
            Err(_) if kafka::is_list(text) => self.read_kafka(text),
            Err(_) if table::is_table(text) => self.read_tables(text, role),
            Err(error) => {
                let mut read = ImportedText::new(Kind::Unknown);
                read.refuse("", error.code(), error.to_string());
                read
            }
        }
    }

    /// Whether a setting was imported; otherwise, the policy contains none.
    #[must_use]
    pub fn has_settings(&self) -> bool {
        self.settings.as_ref().is_some_and(Settings::states_any)
    }

    /// Adds settings that were fetched separately.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = Some(settings);
    }

    /// The imported entries as a policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new(self.settings.clone().unwrap_or_else(Settings::unstated));
        let roles = self.roles.iter().flat_map(|(role, members)| {
            let members = members.iter().map(|member| Change::AddMember {
                role: role.clone(),
                member: member.clone(),
            });
            std::iter::once(Change::CreateRole(role.clone())).chain(members)
        });
        for change in roles.chain(self.acls.iter().cloned().map(Change::AddAcl)) {
            // Names and members were already checked.
            let applied = policy.apply(change);
            debug_assert!(applied.is_ok(), "{applied:?}");
        }
        policy.shrink();
        policy
    }

    /// Adds an ACL in any spelling of its fields; `permission` is the command line's name of
    /// `permission_type`.
    fn take_acl(&mut self, fields: &Value, place: String, read: &mut ImportedText) {
        let dialect = self
            .settings
            .as_ref()
            .map(|settings| settings.dialect)
            .unwrap_or_default();
        match acl_in_dialect(fields, dialect) {
            Ok(acl) => {
                read.acls += 1;
                read.again += usize::from(!self.acls.insert(acl.normalized()));
            }
            Err(problems) => {
                let code = problems
                    .0
                    .first()
                    .map_or("acl_invalid", |problem| problem.code.as_str());
                let faults: Vec<String> = problems
                    .0
                    .iter()
                    .map(|problem| problem.message.clone())
                    .collect();
                read.refuse(place, code, faults.join("; "));
            }
        }
    }

    /// Adds a role; returns whether its name is valid.
    fn take_role(&mut self, name: &str, place: &str, read: &mut ImportedText) -> bool {
        match check_role_name(name) {
            Ok(()) => {
                read.roles += usize::from(!self.roles.contains_key(name));
                self.roles.entry(name.to_owned()).or_default();
                true
            }
            Err(error) => {
                read.refuse(place, error.code(), format!("{error}; {}", error.hint()));
                false
            }
        }
    }

    /// Adds a member, which is not a role itself.
    fn take_member(
        &mut self,
        role: &str,
        member: Principal,
        place: String,
        read: &mut ImportedText,
    ) {
        if member.kind() == PrincipalType::Role {
            let message = format!(
                "`{}` cannot be a member of a role",
                escaped(&member.to_string())
            );
            read.refuse(place, "member_is_role", message);
        } else {
            self.roles
                .entry(role.to_owned())
                .or_default()
                .insert(member);
        }
    }
}

/// Whether a kind of resource that is not read can be about access, by its name.
fn is_named_like_access(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    ["acl", "role", "binding", "user", "group"]
        .iter()
        .any(|word| kind.contains(word))
}

/// Whether a line says something about access: that something is allowed or denied, or who.
fn states_access(line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let mut words = line.split(|c| !is_part(c));
    let types = PrincipalType::ALL
        .iter()
        .map(|kind| kind.prefix())
        .chain(["RedpandaRole"]);
    words.any(|word| {
        ["allow", "deny"]
            .iter()
            .any(|verb| word.eq_ignore_ascii_case(verb))
    }) || types
        .into_iter()
        .any(|kind| line.contains(&format!("{kind}:")))
}

/// Converts the fields of an ACL to the spelling of the Data Plane API. Unknown words stay
/// unchanged, so that they are refused.
fn fields(
    [
        resource_type,
        name,
        pattern,
        principal,
        host,
        operation,
        permission,
    ]: [&str; 7],
) -> Value {
    use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};
    let resource_type = resource_type
        .parse::<ResourceType>()
        .ok()
        .map_or(resource_type, |it| it.spelling().data_plane);
    let pattern = pattern
        .parse::<PatternType>()
        .ok()
        .map_or(pattern, |it| it.spelling().data_plane);
    let operation = operation
        .parse::<Operation>()
        .ok()
        .map_or(operation, |it| it.spelling().data_plane);
    let permission = permission
        .parse::<Permission>()
        .ok()
        .map_or(permission, |it| it.spelling().data_plane);
    json!({ "resource_type": resource_type, "resource_name": name, "resource_pattern_type": pattern, "principal": principal,
        "host": host, "operation": operation, "permission_type": permission })
}
