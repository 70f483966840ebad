//! The sentences of the permissions pages: principals, the matrix, who can, findings.

use gbac_engine::model::{Acl, Principal, PrincipalType};

use crate::acl;
use crate::escape::plain;
use crate::phrases::{agree, count, list_up_to, thousands};
use crate::rich_text::RichText;

pub const NO_ACLS_HERE: &str = "This connection has no ACLs";

pub const PRINCIPALS_PURPOSE: &str =
    "Every ACL that applies to a principal, directly and through roles.";
pub const SEARCH_PRINCIPALS: &str = "Search principals, resources and roles, regular expression";
pub const NO_PRINCIPALS_MATCH: &str = "No principals match your search";
pub const NO_PRINCIPALS: &str =
    "There are no ACLs, roles or superusers. Import them, or create a role to grant access.";
pub const ROLE_MISSING: &str = "This role does not exist, so these ACLs have no effect. They take effect when you create the role.";
pub const ACLS_OF_EVERYONE: &str = "These ACLs apply to every user.";
pub const ROLE_WITHOUT_ACLS: &str = "This role has no ACLs, so it grants nothing.";
pub const USER_WITHOUT_ACLS: &str = "No ACL applies to this user.";
pub const PRINCIPAL_WITHOUT_ACLS: &str = "No ACL applies to this principal, so nothing is allowed.";
pub const NOT_ON_COMMAND_LINE: &str = "This name can't be written on a command line.";
pub const COMPUTING_EFFECT: &str = "Computing the change in effective access";

pub const MATRIX_PURPOSE: &str =
    "Operations by resource for one principal, or for a user with groups.";
pub const ENTER_PRINCIPAL: &str =
    "Enter a principal, such as `Group:eng`. For a user, add the IdP groups of the token.";
pub const EMPTY_MATRIX: &str = "No ACL applies to this principal";
pub const ADD_GROUPS: &str =
    "Nothing is allowed. Add the IdP groups of the token to include their permissions.";
pub const GRANTS_NOTHING: &str = "It grants nothing.";
pub const NOT_AN_OPERATION: &str = "not an operation of this resource";
pub const NO_RULE: &str = "no rule, denied by default";
pub const DEPENDS_ON_HOST: &str = "depends on the host, denied for an unknown host";
pub const IMPLIED: &str = "without background: implied by another operation";
pub const OTHER_NAMES: &str = "For all names without a more specific row.";
pub const DENIED_BY_DEFAULT: &str = "No ACL applies. Access is denied unless an ACL allows it.";
pub const ENTER_HOST: &str = "An ACL applies to one host only. Enter the host above.";

pub const WHO_CAN_PURPOSE: &str = "Every principal with access to a resource, the ACL that grants it, and the denies that block it.";
pub const ENTER_RESOURCE: &str =
    "The result lists every principal with an ACL on it, also through roles and prefixes.";
pub const DENIED_FOR_EVERYONE: &str = "No ACL applies, so it is denied for everyone.";
pub const EVALUATED_ALONE: &str =
    "Each principal is evaluated on its own. To combine the groups of a user, use the simulator.";
pub const PREFIX: &str = "About the names that start with this prefix: first who can access all of them, then who can access only some.";
/// Those who can on some of the names that start with a prefix.
pub fn can_on_some(found: &str) -> String {
    format!("{found} can on some of them")
}

pub const ALL_NAMES_ONLY: &str =
    "This is about all names: ACLs on single names and prefixes are not included.";
pub const ALSO_A_PREFIX: &str = "This name is also a prefix. The result is for exactly this name; longer names may have other ACLs.";
pub const BLOCKS_OTHERS: &str = "blocks everyone who also has one of these";
pub const OTHER_HOSTS_DIFFER: &str = "another host may give another result";

pub const FINDINGS_PURPOSE: &str =
    "Rules that probably don't do what you intended. Fixes go to your draft.";
pub const COLLISIONS: &str = "Different names in tokens become the same group, so a user with one of them gets the access of the others.";
pub const NO_FINDINGS: &str = "Every ACL has an effect, every role has members and ACLs, and no names are near misses of each other.";
pub const NONE_OF_SEVERITY: &str = "No findings of this severity";
pub const OTHER_SEVERITIES: &str = "Other severities have findings.";

pub fn acls_of(principal: &Principal) -> String {
    format!("ACLs that apply to {}", plain(&principal.to_string()))
}

/// The ACLs of a principal itself, in contrast to those of its roles.
pub fn direct_acls(number: usize, principal: &Principal) -> String {
    let whose = match principal.kind() {
        PrincipalType::Role => ", changed on the role's page",
        PrincipalType::Group => " of this group itself, not of a role",
        PrincipalType::User if principal.is_everyone() => " of every user, not of a role",
        PrincipalType::User => " of this user itself, not of a role",
        PrincipalType::Other => " of this principal itself, not of a role",
    };
    format!("{}{whose}", count(number, "ACL"))
}

pub fn acls_of_everyone(number: usize) -> String {
    format!("{} for every user, read-only here", count(number, "ACL"))
}

pub fn operation_blocked(operation: &str) -> String {
    format!("{operation} blocked by a deny")
}

pub const fn direct_grant(kind: PrincipalType) -> &'static str {
    match kind {
        PrincipalType::Group => {
            "Grant access to groups through roles. To grant it to the group directly, use the command line:"
        }
        PrincipalType::User | PrincipalType::Role | PrincipalType::Other => {
            "Grant access to users through roles. To grant it to the user directly, use the command line:"
        }
    }
}

/// The deletion of ACLs of a principal, staged.
pub fn deletion_staged(acls: &[Acl], principal: &Principal) -> String {
    let what = match acls {
        [acl] => format!("ACL {}", acl::rule(acl).plain()),
        acls => {
            let name = plain(&principal.to_string());
            format!("{} of {name}", count(acls.len(), "ACL"))
        }
    };
    format!("The deletion of {what} is in the draft")
}

pub fn loses_acls(principal: &Principal, acls: usize) -> RichText {
    let acls = agree(acls, "this ACL", "these ACLs");
    RichText::new()
        .principal(principal)
        .text(format!(" loses {acls}:"))
}

pub fn fix_removed(title: &str) -> String {
    format!("No longer in the draft: {title}")
}

pub fn matrix_of(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    format!("Permissions of {name} by resource and operation")
}

pub fn only_from_one_host(principals: usize) -> String {
    format!("{} only from one host", thousands(principals))
}

pub fn host_decides(principals: usize) -> String {
    let verb = agree(principals, "depends", "depend");
    format!("{} {verb} on the host", thousands(principals))
}

pub fn blocked(principals: usize) -> String {
    let verb = agree(principals, "is", "are");
    format!("{} {verb} blocked by a deny", thousands(principals))
}

pub fn held_by(members: &[Principal]) -> String {
    if members.is_empty() {
        return "nobody has this role".into();
    }
    let name = |member: &Principal| plain(&member.to_string());
    let names: Vec<String> = members.iter().map(name).collect();
    format!("held by {}", list_up_to(&names, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_acls_are_set_apart_from_those_of_roles() {
        let said = |number, principal: Principal| direct_acls(number, &principal);
        assert_eq!(
            said(1, Principal::user("ann")),
            "1 ACL of this user itself, not of a role"
        );
        assert_eq!(
            said(2, Principal::group("eng")),
            "2 ACLs of this group itself, not of a role"
        );
        assert_eq!(
            said(1, Principal::user("*")),
            "1 ACL of every user, not of a role"
        );
        assert_eq!(
            said(3, Principal::role("R")),
            "3 ACLs, changed on the role's page"
        );
    }
}
