//! The sentences of the list of roles, and of the dialogs that create and delete one.

use crate::escape::plain;
use crate::phrases::{agree, count, thousands};

pub const PURPOSE: &str = "A role groups ACLs. Its users and IdP groups inherit them.";
pub const NONE_YET: &str =
    "A role groups ACLs for its users and IdP groups. Start with one that reads a topic.";
pub const NOTHING_YET: &str = "No ACLs and no roles yet";
pub const START_WITH_IMPORT: &str = "Import the ACLs and roles that a cluster or a file has, or create the first role. Until then only superusers are allowed anything.";
pub const IMPORT_FIRST: &str = "Import ACLs and roles";
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

/// What to write in place of a name.
fn write_instead(meant: &str) -> String {
    if meant.is_empty() {
        return "Write the name only".into();
    }
    format!("Write `{}`", plain(meant))
}

pub fn space_at_edge(meant: &str) -> String {
    let instead = write_instead(meant);
    format!("The name starts or ends with a space. {instead}")
}

pub fn spaces_in_row(meant: &str) -> String {
    let instead = write_instead(meant);
    format!("The name has two spaces in a row. {instead}")
}

/// The name of a role that begins with the type of a principal.
pub fn type_in_name(prefix: &str, name: &str) -> String {
    let name = plain(name);
    if name.is_empty() || matches!(prefix, "Role" | "RedpandaRole") {
        let instead = write_instead(&name);
        return format!("`{prefix}:` is not part of the name of a role. {instead}");
    }
    format!(
        "`{prefix}:{name}` is a principal, not a role. Write the name of the role, and add `{prefix}:{name}` as a member on its page"
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
