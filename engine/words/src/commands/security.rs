//! ACLs and roles in the way of `rpk`: `security acl`, `security role`.

pub const NOTHING_CREATED: &str = "Nothing was created.";
pub const NO_MATCHES: &str = "No matching ACLs.";
pub const NOTHING_DELETED: &str = "Nothing was deleted.";
pub const CONFIRM_ACLS: &str = "Confirm deletion of the above matching ACLs?";

/// The members that a role has or has no longer; `role` is in quotation marks.
pub fn members_changed(role: &str, adds: bool, changes: bool) -> String {
    match (adds, changes) {
        (true, true) => format!("Successfully assigned role {role} to"),
        (false, true) => format!("Successfully unassigned role {role} from"),
        (true, false) => format!("No change: the principals are already members of role {role}"),
        (false, false) => format!("No change: the principals are not members of role {role}"),
    }
}

pub fn confirm_role(role: &str, keeps_acls: bool) -> String {
    let acls = if keeps_acls { "keep" } else { "remove" };
    format!(
        "Confirm deletion of role {role}?  This action will {acls} all associated ACLs and unassign role members"
    )
}

pub fn role_deleted(role: &str) -> String {
    format!("Successfully deleted role {role}")
}

pub const NO_FILTER: &str = "no filter given, which would match every ACL; name a principal, a host, a resource or an operation";

pub fn name_without_type(name: &str, principal: &str) -> String {
    format!(
        "note: without a type, `{name}` is the user `User:{name}`, who has no matching ACL; `{principal}` has some"
    )
}
