//! Export of the policy as text, and import of text as changes of the draft.

use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};
use gbac_formats::export::Exported;
use gbac_formats::format::Format;
use gbac_formats::import::{Import, UnreadEntry};
use gbac_formats::quote::{is_argument, list, shell};
use gbac_formats::script::{self, ScriptTarget};
use gbac_formats::table::OutputFormat;
use gbac_words::phrases::count;

use crate::saved_tests::file_name;

/// How much of a text is shown; all of it is copied and saved.
pub const SHOWN: usize = 40_000;
/// The most changes that are taken into a draft; people review them.
pub const MOST: usize = 5000;

/// What a format is for, in sentences.
pub fn about(format: &OutputFormat) -> String {
    match format.cluster {
        Some(cluster) => format!(
            "{} Put the name of your cluster's resource in place of {cluster}.",
            format.about
        ),
        None => format.about.to_owned(),
    }
}

/// Writes one role with its principals and ACLs as a script of `gbac` commands, and the name of its
/// file.
pub fn export_role(policy: &Policy, name: &str) -> (String, Exported) {
    let principal = Principal::role(name);
    let is_of_role = |change: &Change| match change {
        Change::CreateRole(role) | Change::AddMember { role, .. } => role == name,
        Change::AddAcl(acl) => acl.principal == principal,
        _ => false,
    };
    let changes: Vec<Change> = script::changes(policy)
        .into_iter()
        .filter(is_of_role)
        .collect();
    (
        format!("{}.gbac.sh", file_name(&format!("role {name}"))),
        script::script(&changes, ScriptTarget::Gbac),
    )
}

/// The beginning of a text, cut between two lines, and whether there is more.
pub fn beginning(text: &str) -> (&str, bool) {
    if text.len() <= SHOWN {
        return (text, false);
    }
    let end = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= SHOWN)
        .last()
        .unwrap_or_default();
    let (head, _) = text.split_at(end);
    let whole = head
        .rfind('\n')
        .map_or(head, |at| head.get(..=at).unwrap_or(head));
    (whole, true)
}

/// What an import does with existing rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImportMode {
    /// It stays, and what is missing is added.
    #[default]
    Add,
    /// It becomes what was read: what is not there goes.
    Replace,
}

/// A text that was read.
#[derive(Debug, Clone)]
pub struct ImportPreview {
    /// What it is; `None` if that is not recognized.
    pub format: Option<Format>,
    /// The name of the format.
    pub label: &'static str,
    /// How many ACLs and roles are in it, in words.
    pub holds: String,
    /// What was left out and is not about access.
    pub notes: Vec<String>,
    /// What could not be read, with its place.
    pub unread: Vec<UnreadEntry>,
    /// The ways to take it that are possible; none where nothing was read.
    pub modes: Vec<ImportMode>,
    policy: Policy,
    has_settings: bool,
}

/// What a command imports, in place of this page.
#[derive(Debug, Clone, Copy, Default)]
pub struct LargeImport<'a> {
    /// The name of the file; none for text that was pasted.
    pub file: Option<&'a str>,
    /// The name of the role that the file describes without it, or nothing.
    pub role: &'a str,
    /// Whether it is a policy document, which needs no conversion.
    pub is_document: bool,
    /// What becomes of existing rules.
    pub mode: ImportMode,
    /// The address of the service; none for another cluster.
    pub url: Option<&'a str>,
}

/// The line for a shell that imports what is too large for a draft.
pub fn import_command(import: &LargeImport<'_>) -> String {
    let file = match import.file {
        Some(name) if name.starts_with('-') => format!("./{name}"),
        Some(name) if is_argument(name) && !name.is_empty() => name.to_owned(),
        _ => "FILE".to_owned(),
    };
    let mut command = String::new();
    let document = if import.is_document {
        shell(&file)
    } else {
        let source = if import.role.is_empty() || !is_argument(import.role) {
            shell(&file)
        } else {
            let entry = format!("{}={file}", import.role);
            format!("--role {}", shell(&list([entry.as_str()])))
        };
        command = format!("gbac policy import {source} --out imported.json && ");
        "imported.json".to_owned()
    };
    command = format!("{command}gbac import {document}");
    if import.mode == ImportMode::Add {
        command.push_str(" --merge");
    }
    if let Some(url) = import.url {
        command = format!("{command} --url {}", shell(url));
    }
    command
}

/// Reads a text; of a role that is described without its name, `role` is the name.
pub fn read(text: &str, role: &str) -> ImportPreview {
    let mut import = Import::default();
    let read = import.read(text, Some(role).filter(|role| !role.is_empty()));
    let (has_settings, policy) = (import.has_settings(), import.policy());
    let is_whole = read.unread.is_empty();
    let modes = match (read.format, is_whole) {
        (None, _) => Vec::new(),
        // A document is taken whole or not at all.
        (Some(Format::Document), true) => vec![ImportMode::Add, ImportMode::Replace],
        (Some(Format::Document), false) => Vec::new(),
        _ if read.acls == 0 && read.roles == 0 => Vec::new(),
        // A list of ACLs says nothing about roles and settings, and a broken one nothing about what
        // is missing in it.
        _ => vec![ImportMode::Add],
    };
    let holds = match (read.acls, read.roles) {
        (acls, 0) => count(acls, "ACL"),
        (0, roles) => count(roles, "role"),
        (acls, roles) => format!("{} and {}", count(acls, "ACL"), count(roles, "role")),
    };
    ImportPreview {
        format: read.format,
        label: read.label(),
        holds,
        notes: read.notes(),
        unread: read.unread,
        modes,
        policy,
        has_settings,
    }
}

impl ImportPreview {
    /// The changes that bring it in.
    pub fn changes(&self, before: &Policy, mode: ImportMode) -> Vec<Change> {
        let all = script::changes_between(before, &self.policy).into_iter();
        match mode {
            ImportMode::Replace if self.has_settings => all.collect(),
            ImportMode::Replace => all
                .filter(|change| !matches!(change, Change::Settings(_)))
                .collect(),
            ImportMode::Add => all
                .filter(|change| {
                    matches!(
                        change,
                        Change::AddAcl(_) | Change::CreateRole(_) | Change::AddMember { .. }
                    )
                })
                .collect(),
        }
    }

    /// The policy, if all of the text was read.
    pub fn whole(&self) -> Option<&Policy> {
        (self.format.is_some() && self.unread.is_empty()).then_some(&self.policy)
    }

    /// What the user has to agree to before the entries that were read are taken without the
    /// others; `None` if all were read, or nothing can be taken (D-42).
    pub fn skipping(&self) -> Option<String> {
        let is_partial = !self.unread.is_empty() && !self.modes.is_empty();
        is_partial.then(|| {
            format!(
                "Skip {} that could not be read",
                count(self.unread.len(), "entry")
            )
        })
    }

    /// Whether it can be taken; `skips_unread` is what the user has agreed to.
    pub fn can_be_taken(&self, skips_unread: bool) -> bool {
        !self.modes.is_empty() && (self.unread.is_empty() || skips_unread)
    }

    /// Whether its settings are not taken though it has some: adding leaves settings alone.
    pub fn leaves_settings(&self, before: &Policy, mode: ImportMode) -> bool {
        mode == ImportMode::Add && self.has_settings && self.policy.settings() != before.settings()
    }

    /// Whether a role's name is wanted: a role was described without it.
    pub fn wants_role(&self) -> bool {
        self.unread
            .iter()
            .any(|unread| unread.code == "role_unnamed")
    }
}

/// What changes are, in words: how many rows come, and how many go.
pub fn summary(changes: &[Change]) -> String {
    let adds = changes.iter().filter(|change| {
        matches!(
            change,
            Change::AddAcl(_) | Change::CreateRole(_) | Change::AddMember { .. }
        )
    });
    let settings = changes
        .iter()
        .filter(|change| matches!(change, Change::Settings(_)))
        .count();
    let adds = adds.count();
    let removes = changes.len() - adds - settings;
    let mut parts = vec![
        format!("{} added", count(adds, "row")),
        format!("{} removed", count(removes, "row")),
    ];
    if settings > 0 {
        parts.push("the settings changed".into());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use gbac_formats::export::Export;
    use gbac_json::{policy_from_json, policy_from_value};
    use serde_json::json;

    use super::*;

    /// A name that runs something, breaks a line, and steers a terminal, where it is not quoted.
    const HOSTILE: &str = "$(id)\n\u{1b}[31m`id`'\"; id #\u{202e}";

    fn policy() -> Policy {
        let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": format!("Group:{HOSTILE}"), "host": "*",
            "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
        policy_from_value(
            &json!({ "version": 1, "settings": { "superusers": ["root"] }, "acls": [acl],
            "roles": [{ "name": "R", "members": [{ "principal": format!("Group:{HOSTILE}") }] }] }),
        )
        .unwrap()
    }

    fn written(policy: &Policy, word: &str) -> String {
        let format = OutputFormat::find(word).unwrap();
        format.write(&Export::new(policy)).text
    }

    #[test]
    fn a_document_comes_back_and_shows_nothing_that_cannot_be_seen() {
        let text = written(&policy(), "document");
        assert!(
            text.chars()
                .all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
            "{text}"
        );
        assert_eq!(policy_from_json(&text).unwrap(), policy());
        let incoming = read(&text, "");
        assert_eq!(
            (incoming.format, incoming.modes.as_slice()),
            (
                Some(Format::Document),
                [ImportMode::Add, ImportMode::Replace].as_slice()
            )
        );
        assert_eq!(incoming.changes(&policy(), ImportMode::Replace), []);
    }

    #[test]
    fn what_is_too_large_is_imported_by_one_line_for_a_shell() {
        let document = LargeImport {
            file: Some("policy.json"),
            is_document: true,
            mode: ImportMode::Replace,
            url: Some("https://gbac.example:8420"),
            ..LargeImport::default()
        };
        assert_eq!(
            import_command(&document),
            "gbac import policy.json --url https://gbac.example:8420"
        );
        let table = LargeImport {
            file: Some("acls of $HOME.csv"),
            ..LargeImport::default()
        };
        assert_eq!(
            import_command(&table),
            "gbac policy import 'acls of $HOME.csv' --out imported.json && gbac import imported.json --merge"
        );
        let of_role = LargeImport {
            file: Some("-r.json"),
            role: "R",
            ..LargeImport::default()
        };
        assert_eq!(
            import_command(&of_role),
            "gbac policy import --role 'R=./-r.json' --out imported.json && gbac import imported.json --merge"
        );
        assert!(import_command(&LargeImport::default()).starts_with("gbac policy import FILE "));
    }

    #[test]
    fn scripts_hold_no_control_character_but_line_breaks() {
        for target in ScriptTarget::ALL {
            let text = written(&policy(), target.program());
            assert!(
                text.chars()
                    .all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
                "{text}"
            );
            assert!(text.contains("printf"), "{text}");
        }
        let changes = [Change::AddMember {
            role: "R".into(),
            member: Principal::group("eng"),
        }];
        let policy = policy();
        let export = Export {
            changes: Some(&changes),
            ..Export::new(&policy)
        };
        let format = OutputFormat::find("gbac").unwrap();
        let text = format.write(&export).text;
        let call = "gbac security role assign R --principal Group:eng";
        assert!(
            text.contains(call) && !text.contains("acl create"),
            "{text}"
        );
    }

    #[test]
    fn a_role_is_written_with_its_denies_first() {
        let acl = |permission: &str, resource: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": resource,
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Role:Orders Readers", "host": "*",
            "operation": "OPERATION_READ", "permission_type": permission })
        };
        let policy = policy_from_value(&json!({ "version": 1, "settings": { "superusers": ["root"] },
            "acls": [acl("PERMISSION_TYPE_ALLOW", "a"), acl("PERMISSION_TYPE_DENY", "b")],
            "roles": [{ "name": "Orders Readers", "members": [{ "principal": "Group:eng" }] }, { "name": "Other" }] }))
        .unwrap();
        let (file, Exported { text, notes }) = export_role(&policy, "Orders Readers");
        assert_eq!(
            (file.as_str(), notes.len()),
            ("role-orders-readers.gbac.sh", 0)
        );
        let at = |part: &str| {
            text.find(part)
                .unwrap_or_else(|| panic!("{part} is not in {text}"))
        };
        assert!(
            at("--deny-") < at("role create")
                && at("role create") < at("role assign")
                && at("role assign") < at("--allow-")
        );
        assert!(!text.contains("Other") && !text.contains("root"), "{text}");
    }

    #[test]
    fn an_import_adds_or_replaces() {
        let mut before = policy();
        before.apply(Change::CreateRole("Old".into())).unwrap();
        let text = r#"{ "version": 1, "settings": { "superusers": ["root", "ann"] },
            "roles": [{ "name": "R", "members": [{ "principal": "Group:eng" }] }] }"#;
        let incoming = read(text, "");
        assert_eq!(incoming.holds, "1 role");
        let join = Change::AddMember {
            role: "R".into(),
            member: Principal::group("eng"),
        };
        assert_eq!(incoming.changes(&before, ImportMode::Add), [join]);
        assert!(
            incoming.leaves_settings(&before, ImportMode::Add)
                && !incoming.leaves_settings(&before, ImportMode::Replace)
        );
        let all = incoming.changes(&before, ImportMode::Replace);
        assert_eq!(
            summary(&all),
            "1 row added, 3 rows removed, the settings changed"
        );
        for change in all {
            before.apply(change).unwrap();
        }
        assert_eq!(incoming.changes(&before, ImportMode::Replace), []);
    }

    #[test]
    fn every_problem_is_told_with_its_place_and_nothing_is_taken() {
        let incoming = read(
            r#"{ "version": 1, "acls": [{ "host": "10.0.0.0/8" }], "roles": [{ "name": "a,b" }], "what": 1 }"#,
            "",
        );
        assert!(incoming.modes.is_empty());
        let places: Vec<&str> = incoming
            .unread
            .iter()
            .map(|unread| unread.place.as_str())
            .collect();
        assert!(
            places.contains(&"/acls/0/host") && places.contains(&"/roles/0/name"),
            "{places:?}"
        );
        assert!(read("{", "").modes.is_empty() && read("hello", "").modes.is_empty());
    }

    #[test]
    fn a_list_that_is_read_in_part_is_only_added_if_the_user_skips_the_rest() {
        let text = "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`:\n\
            \t(principal=Group:eng, host=*, operation=READ, permissionType=ALLOW)\n\
            \t(principal=Nobody:x, host=*, operation=READ, permissionType=ALLOW)\n";
        let incoming = read(text, "");
        assert_eq!(
            (incoming.format, incoming.modes.as_slice()),
            (Some(Format::KafkaAcls), [ImportMode::Add].as_slice())
        );
        assert_eq!(incoming.unread.len(), 1);
        assert_eq!(incoming.changes(&policy(), ImportMode::Add).len(), 1);
        assert_eq!(
            incoming.skipping().as_deref(),
            Some("Skip 1 entry that could not be read")
        );
        assert_eq!(
            (incoming.can_be_taken(false), incoming.can_be_taken(true)),
            (false, true)
        );
        let whole = read(&text.replace("Nobody:x", "Group:x"), "");
        assert_eq!((whole.skipping(), whole.can_be_taken(false)), (None, true));
        // What is taken whole or not at all has nothing to skip.
        let document = read(
            r#"{ "version": 1, "roles": [{ "name": "R" }], "what": 1 }"#,
            "",
        );
        assert_eq!(
            (document.skipping(), document.can_be_taken(true)),
            (None, false)
        );
    }

    #[test]
    fn what_is_left_out_of_an_import_is_told() {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": [{ "apiVersion": "v1", "kind": "ConfigMap" },
            { "apiVersion": "rbac.example/v1", "kind": "TopicRole" }] });
        let incoming = read(&list.to_string(), "");
        assert_eq!(
            incoming.notes,
            ["left out, not about access: 1 `ConfigMap` of `v1`"]
        );
        assert_eq!(
            (incoming.unread[0].place.as_str(), incoming.unread.len()),
            ("/items/1", 1)
        );
        assert!(incoming.modes.is_empty());
    }

    #[test]
    fn the_beginning_ends_with_a_line() {
        let text = "0123456789\n".repeat(SHOWN);
        let (shown, more) = beginning(&text);
        assert!(more && shown.ends_with('\n') && shown.len() <= SHOWN && shown.len() > SHOWN - 20);
        assert_eq!(beginning("a"), ("a", false));
        let wide = "ü".repeat(SHOWN);
        assert!(beginning(&wide).0.len() <= SHOWN + 2);
    }
}
