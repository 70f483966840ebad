//! The sentences of the page of a role.

use gbac_engine::model::Principal;

use crate::escape::plain;
use crate::phrases::{capitalized, count, list_up_to, thousands};

pub const DELETED_IN_DRAFT: &str = "This role is deleted in your draft";
pub const STAYS_UNTIL_APPLIED: &str = "It stays on the service until you apply the draft.";
pub const NOT_FOUND: &str = "It may have been deleted or renamed. Role names are case-sensitive.";
pub const NO_ACLS: &str = "Add an ACL to grant access to the members of this role.";
pub const NO_MEMBERS: &str =
    "Add a user or an IdP group. Users with the group in their token get the role.";
pub const MEMBER_NAME: &str = "Name, or paste Group:name";
pub const CHOOSE_OPERATIONS: &str = "Choose operations to preview the ACLs.";
pub const FILL_IN_NAMES: &str = "Fill in every name to preview the ACLs.";
pub const KNOWN_NAMES: &str =
    "Known names are those in the ACLs of this policy. The cluster may have others.";

/// What a role consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleSize {
    pub acls: usize,
    pub members: usize,
}

impl RoleSize {
    fn words(self) -> String {
        let counted = |number: usize, noun: &str| match number {
            0 => format!("no {noun}s"),
            _ => count(number, noun),
        };
        format!(
            "{} and {}",
            counted(self.acls, "ACL"),
            counted(self.members, "principal")
        )
    }
}

pub fn size(size: RoleSize) -> String {
    capitalized(&format!("{}.", size.words()))
}

pub fn new_role(size: RoleSize) -> String {
    format!("Not on the service yet. Your draft adds {}.", size.words())
}

pub fn resized(before: RoleSize, after: RoleSize) -> String {
    let RoleSize { acls, members } = after;
    let before = capitalized(&before.words());
    format!("{before} on the service. Your draft makes it {acls} and {members}.")
}

pub fn edited(before: RoleSize, acls: usize) -> String {
    let before = capitalized(&before.words());
    format!(
        "{before} on the service. Your draft edits {}.",
        count(acls, "ACL")
    )
}

pub fn exported(file: &str) -> String {
    format!("{file} saved. It creates the role with gbac commands, without your draft.")
}

pub const NOTHING_EDITED: &str = "Nothing is changed. Change a field, or cancel";
pub const ACL_EXISTS: &str = "This ACL exists already. Cancel, and delete the one that you edit";

pub fn acl_edited(line: &str) -> String {
    format!("ACL changed in the draft: {line}")
}

pub fn acl_edit_undone(line: &str) -> String {
    format!("ACL {line} stays")
}

pub fn acls_added(acls: usize) -> String {
    format!("{} added in the draft", count(acls, "ACL"))
}

pub fn acls_removed(acls: usize) -> String {
    format!("{} removed in the draft", count(acls, "ACL"))
}

pub const SEVERAL_NAMES: &str = "This can be several names, or one name with these characters.";
pub const OTHERS_NOT_ADDED: &str = "Not added";

/// The button that adds each name of a list.
pub fn add_members(members: usize) -> String {
    format!("Add {}", count(members, "member"))
}

/// The button that adds the whole text as one name.
pub const ADD_ONE_MEMBER: &str = "Add one member";

pub fn members_added(members: &[Principal]) -> String {
    let names: Vec<String> = (members.iter())
        .map(|member| plain(&member.to_string()))
        .collect();
    format!("{} added in the draft", list_up_to(&names, 5))
}

pub fn too_many_names(most: usize) -> String {
    let most = thousands(most);
    format!("More than {most} names. Add them in parts, or import a policy document")
}

pub fn member_added(member: &Principal) -> String {
    format!("{} added in the draft", plain(&member.to_string()))
}

pub const ALL_NAMES: &str = "All names; stored as the literal *";
