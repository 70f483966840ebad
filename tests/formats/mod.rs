//! The formats of other tools: a policy that a format can express decides alike after it was
//! written and read again, and after any two formats in turn.

mod exports;
mod laws;
mod lists;
mod unknown;

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_formats::export::{Export, Exported};
use gbac_formats::format::Format;
use gbac_formats::import::Import;
use gbac_formats::table::{InputFormat, OutputFormat};
use gbac_tests::vectors::root;

pub(crate) use exports::{context, state_of};
pub(crate) use laws::assert_alike;

/// A format, and how its tool is simulated.
#[derive(Debug, Clone)]
struct Tool {
    name: &'static str,
    /// What the import recognizes.
    format: Format,
    /// The part of a policy that the format can express.
    expressible: fn(&Policy) -> Policy,
    /// The policy in this format, as the import gets it.
    write: fn(&Policy) -> String,
}

/// Every format that the import reads: those that an export writes, and lists of tools that have no
/// export.
fn all() -> Vec<Tool> {
    exports::TOOLS.into_iter().chain(lists::TOOLS).collect()
}

/// A policy of these changes, without settings.
pub(crate) fn policy_of(changes: impl IntoIterator<Item = Change>) -> Policy {
    let mut policy = Policy::new(Settings::unstated());
    for change in changes {
        policy.apply(change).expect("a change of a policy");
    }
    policy
}

/// The ACLs of a policy that satisfy a condition, without roles.
fn acls_of(policy: &Policy, is_expressible: impl Fn(&Acl) -> bool) -> Policy {
    // No reader accepts an ACL that cannot be created.
    let acls = policy
        .acls()
        .filter(|acl| acl.check_create().is_empty() && is_expressible(acl));
    policy_of(acls.map(Change::AddAcl))
}

/// A policy in the format with this word; `current` is that of the cluster.
pub(crate) fn exported(policy: &Policy, current: Option<&Policy>, word: &str) -> Exported {
    let format = OutputFormat::find(word).expect("a format");
    format.write(&Export {
        current,
        cluster: Some("streams"),
        ..Export::new(policy)
    })
}

/// The policy that the import reads.
pub(crate) fn imported(text: &str, format: Format) -> Policy {
    let mut import = Import::default();
    let read = import.read(text, None);
    assert_eq!(
        (read.format, read.unread),
        (Some(format), Vec::new()),
        "{text}"
    );
    import.policy()
}

/// The ACLs, and the roles with their members.
pub(crate) fn content(policy: &Policy) -> (BTreeSet<Acl>, Vec<(String, BTreeSet<Principal>)>) {
    (
        policy.acls().collect(),
        policy
            .roles()
            .map(|role| (role.name, role.members))
            .collect(),
    )
}

#[test]
fn the_documentation_lists_every_format() {
    let path = "docs/command-line.md";
    let page = std::fs::read_to_string(root().join(path)).expect("the page");
    let mut imports = "| format | content |\n|---|---|\n".to_owned();
    for InputFormat { label, content, .. } in InputFormat::all() {
        imports += &format!("| {label} | {content} |\n");
    }
    let mut exports = "| `--to` | result |\n|---|---|\n".to_owned();
    for OutputFormat { word, about, .. } in OutputFormat::converted() {
        exports += &format!("| `{word}` | {about} |\n");
    }
    for table in [imports, exports] {
        assert!(
            page.contains(&table),
            "{path} has another table than:\n{table}"
        );
    }
}
