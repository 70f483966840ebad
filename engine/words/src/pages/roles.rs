//! The sentences of the list of roles, and of the dialogs that create and delete one.

use crate::escape::plain;
use crate::phrases::{agree, count, thousands};

pub const PURPOSE: &str = "A role groups ACLs. Its users and IdP groups inherit them.";
pub const NONE_YET: &str =
    "A role groups ACLs for its users and IdP groups. Start with one that reads a topic.";
pub const NO_ROLES_HERE: &str = "This connection has no roles";
pub const NO_MATCHES: &str = "No roles match your search";
pub const SEARCH: &str = "Search roles by name, regular expression";
pub const NEW_ROLE: &str = "Add ACLs and principals on its page. The role goes to your draft.";

pub fn total(roles: usize, with_group: usize) -> String {
    format!(
        "{}, {} with an IdP group",
        count(roles, "role"),
        thousands(with_group)
    )
}

pub fn created(name: &str) -> String {
    format!("Role {} is in the draft", plain(name))
}

pub fn deletion_staged(name: &str) -> String {
    format!("The deletion of role {} is in the draft", plain(name))
}

/// What the deletion of a role removes.
pub fn deletion(members: usize, acls: usize) -> String {
    let lose = agree(members, "loses", "lose");
    let lose = format!("{} {lose} this role", count(members, "principal"));
    let deleted = agree(acls, "is", "are");
    let deleted = format!("its {} {deleted} deleted.", count(acls, "ACL"));
    match (members, acls) {
        (0, 0) => "This role has no members and no ACLs.".into(),
        (0, _) => format!("This role has no members, and {deleted}"),
        (_, 0) => format!("{lose}. It has no ACLs."),
        (_, _) => format!("{lose}, and {deleted}"),
    }
}
