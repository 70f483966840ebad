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

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, Dialect, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
    check_role_name,
};
use gbac_engine::policy::index::AclParts;
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_json::acl_in_dialect;
use serde_json::{Value, json};

use crate::format::Format;

/// How many kinds of objects that are not about access a note names.
const SHOWN_KINDS: usize = 10;

/// What is wrong with a role that a text describes without its name.
pub(crate) const ROLE_UNNAMED: &str = "a role without its name; pass its name with --role";

/// What can be in one of several formats.
pub enum Input<'t> {
    /// Lines.
    Text(&'t str),
    /// A value of JSON, or of YAML that has no resources of Kubernetes.
    Value(Value),
    /// The documents of a YAML stream.
    Stream(Vec<Value>),
}

/// Reads a format.
pub trait Reader: Sync {
    /// Whether an input is in this format.
    fn recognizes(&self, input: &Input<'_>) -> bool;

    /// Reads an input of this format.
    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>);
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
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedText {
    /// The format; `None` if it is not recognized.
    pub format: Option<Format>,
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

    /// Whether a setting was imported; otherwise, the policy contains none.
    #[must_use]
    pub fn has_settings(&self) -> bool {
        self.settings.as_ref().is_some_and(Settings::states_any)
    }

    /// Adds settings that were fetched separately.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = Some(settings);
    }

    /// Imports a policy as its document would be, which need not be written.
    pub fn read_policy(&mut self, policy: &Policy) -> ImportedText {
        let mut reading = Reading::new(self, None);
        reading.report.format = Some(Format::Document);
        reading.policy(policy);
        reading.report
    }

    /// The imported entries as a policy.
    #[must_use]
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new(self.settings.clone().unwrap_or_else(Settings::unstated));
        for (role, members) in &self.roles {
            add(&mut policy, Change::CreateRole(role.clone()));
            for member in members {
                let (role, member) = (role.clone(), member.clone());
                add(&mut policy, Change::AddMember { role, member });
            }
        }
        for acl in &self.acls {
            add(&mut policy, Change::AddAcl(acl.clone()));
        }
        policy.shrink();
        policy
    }
}

/// Adds a name or member that was already checked.
fn add(policy: &mut Policy, entry: Change) {
    let applied = policy.apply(entry);
    debug_assert!(applied.is_ok(), "{applied:?}");
}

/// A text that is being read: the import that takes its entries, and the report about it.
pub struct Reading<'i> {
    import: &'i mut Import,
    /// The name of the role that the text describes without it.
    pub(crate) role: Option<&'i str>,
    pub(crate) report: ImportedText,
}

impl<'i> Reading<'i> {
    pub(crate) fn new(import: &'i mut Import, role: Option<&'i str>) -> Self {
        Self {
            import,
            role,
            report: ImportedText::default(),
        }
    }

    /// Reports an entry that cannot be read.
    pub(crate) fn refuse(
        &mut self,
        place: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) {
        let mut place: String = place.into();
        // The whole of a document.
        if place.ends_with(": ") {
            place.truncate(place.len() - 2);
        }
        self.report.unread.push(UnreadEntry {
            place,
            code,
            message: message.into(),
        });
    }

    /// Counts an object that says nothing about access.
    pub(crate) fn ignore(&mut self, what: String) {
        *self.report.ignored.entry(what).or_default() += 1;
    }

    /// Adds an ACL, from its fields in any spelling: type, name and pattern of the resource,
    /// principal, host, operation and permission.
    pub(crate) fn acl(
        &mut self,
        [kind, name, pattern, principal, host, operation, permission]: [&str; 7],
        place: impl Into<String>,
    ) {
        // Unknown words stay unchanged, so that they are refused.
        let kind = kind
            .parse::<ResourceType>()
            .map_or(kind, |it| it.spelling().data_plane);
        let pattern = pattern
            .parse::<PatternType>()
            .map_or(pattern, |it| it.spelling().data_plane);
        let operation = operation
            .parse::<Operation>()
            .map_or(operation, |it| it.spelling().data_plane);
        let permission = permission
            .parse::<Permission>()
            .map_or(permission, |it| it.spelling().data_plane);
        let fields = json!({ "resource_type": kind, "resource_name": name, "resource_pattern_type": pattern,
            "principal": principal, "host": host, "operation": operation, "permission_type": permission });
        let settings = self.import.settings.as_ref();
        let dialect = settings.map(|it| it.dialect).unwrap_or_default();
        match acl_in_dialect(&fields, dialect) {
            Ok(acl) => self.add(acl.normalized()),
            Err(problems) => {
                let code = problems
                    .0
                    .first()
                    .map_or("acl_invalid", |it| it.code.as_str());
                let faults: Vec<String> = problems.0.into_iter().map(|it| it.message).collect();
                self.refuse(place, code, faults.join("; "));
            }
        }
    }

    fn add(&mut self, acl: Acl) {
        self.report.acls += 1;
        self.report.again += usize::from(!self.import.acls.insert(acl));
    }

    /// Adds a role; returns whether its name is valid.
    pub(crate) fn role(&mut self, name: &str, place: &str) -> bool {
        match check_role_name(name) {
            Ok(()) => {
                self.report.roles += usize::from(!self.import.roles.contains_key(name));
                self.import.roles.entry(name.to_owned()).or_default();
                true
            }
            Err(error) => {
                self.refuse(place, error.code(), format!("{error}; {}", error.hint()));
                false
            }
        }
    }

    /// Adds a member of a role, which is not a role itself, and the role if it is new.
    pub(crate) fn member(&mut self, role: &str, member: &str, place: &str) {
        match Principal::parse(member) {
            Ok(member) if self.role(role, place) => self.join(role, member, place),
            Ok(_) => {}
            Err(error) => self.refuse(place, error.code(), format!("{error}; {}", error.hint())),
        }
    }

    fn join(&mut self, role: &str, member: Principal, place: &str) {
        if member.kind() == PrincipalType::Role {
            let member = escaped(&member.to_string());
            let message = format!("`{member}` cannot be a member of a role");
            self.refuse(place, "member_is_role", message);
        } else {
            let members = self.import.roles.entry(role.to_owned()).or_default();
            members.insert(member);
        }
    }

    /// Adds all of a policy.
    pub(crate) fn policy(&mut self, policy: &Policy) {
        // Another document may contain the settings that this one omits.
        let stated = policy.settings();
        let held = self.import.settings.take();
        let held = held.unwrap_or_else(Settings::unstated);
        // A policy is for one system, and this one may have what the other texts' lacks, or the
        // other way round (D-71).
        let dialect = if stated.states().dialect {
            stated.dialect
        } else {
            held.dialect
        };
        let mut acls = self.import.acls.iter();
        let held_acls = acls.try_for_each(|acl| AclParts::from(acl).check(dialect));
        let mut acls = policy.acls();
        let checked =
            held_acls.and_then(|()| acls.try_for_each(|acl| AclParts::from(&acl).check(dialect)));
        if let Err(error) = checked {
            self.refuse("", error.code(), format!("{error}; {}", error.hint()));
            self.import.settings = Some(held);
            return;
        }
        let filled = stated.filled_from(&held);
        self.import.settings = Some(if filled == held.filled_from(stated) {
            filled
        } else {
            self.refuse(
                "/settings",
                "settings_differ",
                "these settings differ from those read before; they are ignored",
            );
            held
        });
        for role in policy.roles() {
            self.role(&role.name, "");
            for member in role.members {
                self.join(&role.name, member, "");
            }
        }
        for acl in policy.acls() {
            self.add(acl);
        }
    }
}

/// Whether a kind of resource that is not read can be about access, by its name.
pub(crate) fn is_named_like_access(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    ["acl", "role", "binding", "user", "group"]
        .iter()
        .any(|word| kind.contains(word))
}

/// Whether a line says something about access: that something is allowed or denied, or who.
pub(crate) fn states_access(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '_' | '-'));
    words.any(|word| word.eq_ignore_ascii_case("allow") || word.eq_ignore_ascii_case("deny"))
        || PrincipalType::PREFIXES
            .iter()
            .any(|prefix| line.contains(&format!("{prefix}:")))
}
