//! The sentences of the page that compares two clusters, A and B.

use gbac_analysis::AclMatch;
use gbac_engine::model::{Dialect, Permission};

use crate::escape::plain;
use crate::phrases::{agree, count, thousands};
use crate::rich_text::RichText;

pub const TITLE: &str = "Compare clusters";
pub const PURPOSE: &str =
    "Who can do what in one cluster and not in the other, whatever the ACLs look like.";
pub const EQUAL: &str = "Everybody can do the same in both";
pub const EQUAL_EVEN_IF: &str = "ACLs may still be written in different ways.";
pub const NOTHING_SELECTED: &str = "Select the differences to converge.";
pub const SUPERUSER: &str = "superuser, without an ACL";
pub const NOTHING_ALLOWS: &str = "Nothing allows it";
pub const OF_SETTINGS: &str = "settings of the cluster, not ACLs";
pub const DIFFERENCES: &str = "Differences in effect, by principal";
pub const DOCUMENT_TEXT: &str = "Policy document, list of ACLs or roles";
pub const SWAPPED: &str = "A and B are swapped";
pub const NO_MATCH: &str = "No differences match the filters";
pub const SELECT_ALL: &str = "Select all differences that the filters show";
pub const DRAFT_REVIEWED: &str = "Nothing is sent before you review it.";

/// What to do where a side is none.
pub fn missing(side: &str) -> String {
    format!("Choose, drop or paste a policy document for {side}.")
}

pub fn choose_file(side: &str) -> String {
    format!("Choose a file for {side}")
}

pub fn refused(side: &str, problems: usize) -> String {
    format!("{side} was not read: {}", count(problems, "problem"))
}

pub fn holds(acls: usize, roles: usize) -> String {
    format!("{}, {}", count(acls, "ACL"), count(roles, "role"))
}

/// Settings that read tokens in different ways.
pub const READ_DIFFERENTLY: &str = "A and B read groups from tokens in different ways. The table compares groups by name, so a token can have other groups in B than in A.";

pub fn other_systems(a: Dialect, b: Dialect) -> String {
    format!(
        "A is a policy of {} and B one of {}: what only one of the systems has differs, and no change makes the system equal.",
        system(a),
        system(b)
    )
}

const fn system(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Platform => "the platform",
        Dialect::Kafka => "Apache Kafka",
    }
}

/// Settings that a document does not state.
pub fn unstated(side: &str, settings: &[&str]) -> RichText {
    let mut text = RichText::from(format!("{side} does not state "));
    for (place, setting) in settings.iter().enumerate() {
        if place > 0 {
            text = text.text(", ");
        }
        text = text.code(*setting);
    }
    let defaults = agree(settings.len(), "its default", "their defaults");
    text.text(format!(", so the comparison uses {defaults}."))
}

pub fn differences(shown: usize, all: usize) -> String {
    match shown == all {
        true => count(all, "difference"),
        false => format!("{} of {}", thousands(shown), count(all, "difference")),
    }
}

/// What is equal: `1,204 permissions are the same`.
pub fn same(permissions: usize) -> String {
    let verb = agree(permissions, "is", "are");
    format!("{} {verb} the same", count(permissions, "permission"))
}

/// The first lines of a report.
pub fn report_head(names: [&str; 2], at: &str) -> String {
    let [a, b] = names;
    format!("{TITLE}\nA: {a}\nB: {b}\nMade: {at}\n")
}

/// Why the policy of another cluster is not there.
pub fn not_read(side: &str, name: &str, reason: &str) -> String {
    format!("{side}, {}, was not read: {reason}.", plain(name))
}

pub fn selected(selected: usize, all: usize) -> String {
    let all = count(all, "difference");
    format!("{} of {all} selected.", thousands(selected))
}

/// What the changes come to: `2 changes make B like A.`
pub fn makes(changes: usize, to: &str, from: &str) -> String {
    let verb = agree(changes, "makes", "make");
    format!(
        "{} {verb} {to} decide as {from} there.",
        count(changes, "change")
    )
}

/// Differences that go, too.
pub fn also(differences: usize) -> Option<String> {
    let verb = agree(differences, "disappears", "disappear");
    (differences > 0).then(|| {
        let more = match differences {
            1 => "1 difference that is not selected".to_owned(),
            _ => format!(
                "{} differences that are not selected",
                thousands(differences)
            ),
        };
        format!("{more} {verb} too, because ACLs and roles are shared.")
    })
}

pub fn stay(differences: usize) -> Option<String> {
    let verb = agree(differences, "stays", "stay");
    (differences > 0).then(|| format!("{} {verb}.", count(differences, "selected difference")))
}

pub fn converge(from: &str, to: &str) -> String {
    format!("Converge {from} to {to}")
}

pub fn direction(from: &str, to: &str) -> String {
    format!("{from} to {to}")
}

/// Why a document cannot be converged, with the way out.
pub fn is_document(side: &str) -> String {
    format!(
        "{side} is a document, which this page does not change. Save the changes, and apply them to its cluster with `gbac policy apply --changes`."
    )
}

/// Why another cluster cannot be converged here, with the way out.
pub fn is_other_cluster(side: &str, name: &str) -> String {
    format!(
        "{side} is {}. Choose it at the top of the page to change it; both sides stay.",
        plain(name)
    )
}

pub fn has_draft(side: &str, changes: usize) -> String {
    format!(
        "The draft has {}. Choose this cluster with the draft as {side}, so that the changes join it.",
        count(changes, "change")
    )
}

pub fn too_many(changes: usize, most: usize) -> String {
    format!(
        "{} are more than a draft holds ({}). Save them, and apply them with `gbac policy apply --changes`.",
        count(changes, "change"),
        thousands(most)
    )
}

/// Through what something is allowed: `through Role:readers`, `direct ACL`.
pub fn through(by: &AclMatch) -> RichText {
    let acl = &by.acl;
    match (&by.role, acl.permission) {
        (_, Permission::Deny) => RichText::new()
            .principal(&acl.principal)
            .text(", ")
            .pattern(&acl.resource_name, acl.pattern_type),
        (Some(_), Permission::Allow) => RichText::from("through ").principal(&acl.principal),
        (None, Permission::Allow) if acl.principal.is_everyone() => "ACL for everyone".into(),
        (None, Permission::Allow) => "direct ACL".into(),
    }
}
