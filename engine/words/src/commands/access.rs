//! Questions about access: `check`, `who-can`, `permissions`, `compare`, `what-if`, `least-grant`,
//! `revoke`, `collisions`.

use gbac_engine::model::{Operation, PatternType, Principal, PrincipalType, ResourceType};

use crate::acl;
use crate::common::ACLS_NOT_EVALUATED;
use crate::phrases::{agree, count, thousands};
use crate::rich_text::{RichText, listed};

pub const TOKEN_REFUSED: &str = "the token is refused";
pub const OTHER_HOST: &str = "Pass --host for another verdict.";
pub const FIND_LEAST_GRANT: &str =
    "`gbac least-grant` with the same flags finds the smallest grant that allows it.";
/// What to do about a denial of a user whose token has a link in place of the groups.
pub const GROUPS_LEFT_OUT: &str = "The groups of this user are unknown: the token must contain them. In Entra ID, this happens above 200 groups.";
/// What to do about a denial of a user whose groups cannot be read.
pub const GROUPS_UNREADABLE: &str =
    "The groups of this user are unknown. `gbac doctor` finds the cause.";
pub const NO_PERMISSION_NEEDED: &str = "This request needs no permission.";
pub const NOBODY_ELSE: &str = "No ACL applies: everyone else is denied.";
/// Why a principal is denied without a deny.
pub const NO_ACL: &str = "no ACL allows it";
pub const EVERYONE_ELSE: &str = "Everyone else is denied.";
pub const HOST_MATTERS: &str = "Some results depend on the client's host; pass --host.";
pub const NO_PERMISSIONS: &str = "No permissions: no ACL allows anything.";
pub const NO_MEMBERSHIP: &str = "No existing group or role would allow it.";
pub const NO_ROLE: &str = "No existing role would allow it.";
pub const CREATE_ACLS: &str = "To create these ACLs in a running service:";
pub const CREATE_ACL: &str = "To create it in a running service:";
pub const REMOVE: &str = "To remove these in a running service:";
pub const REMOVALS: &str =
    "The smallest set of removals from the policy that denies it; other users can lose access too:";
pub const REMOVALS_OF_GROUP: &str = "The smallest set of removals from the policy that denies it to the group alone. Others can lose access too, and members who have access through another group, a role or their own ACLs keep it:";
pub const LEAVE: &str = "Or, without changing ACLs, remove the user from all of these:";
pub const ADD_DENY: &str = "Or add one deny ACL:";
pub const ADD_DENY_TO_GROUP: &str = "Or add one deny ACL, which denies it to every member:";
pub const SEVERAL_PERMISSIONS: &str = "--request: this request needs several permissions, and losing any one denies it; name one with --operation and a resource";

pub const NO_SUCH_REQUEST: &str = "no API request has this name";

/// The command that checks an API request.
pub fn how_to_check(api: &str, id: &str) -> String {
    match api {
        "kafka" => {
            format!("check it with `gbac check --request {id}` and the names of its resources")
        }
        _ => format!(
            "check it with `gbac check --api {api} --request {id}` and the names of its resources"
        ),
    }
}

/// ACLs of the same principals that a table leaves out, at a limit or as they are on other
/// resources.
pub fn acls_not_listed(acls: usize, at_limit: bool) -> String {
    let acls = count(acls, "ACL");
    if at_limit {
        format!("Not listed: {acls} of the same principals; --limit sets how many are listed.")
    } else {
        format!(
            "Not listed: {acls} of the same principals on other resources; see `gbac permissions`."
        )
    }
}

pub fn evaluated_by(url: &str) -> String {
    format!("Decided by {url}. An explanation requires a superuser or the access `read_only`.")
}

pub fn token(is_verified: bool, has_header: bool, groups: &[String]) -> RichText {
    let state = match (is_verified, has_header) {
        (true, _) => "verified",
        (false, true) => "not verified (no --jwks)",
        // Claims alone have no signature.
        (false, false) => "not verified",
    };
    RichText::from(format!("Signature {state}. Groups in the token: "))
        .then(group_list(groups))
        .text(".")
}

/// Groups as principals, or `none`.
pub fn group_list(groups: &[String]) -> RichText {
    if groups.is_empty() {
        return "none".into();
    }
    let groups = groups.iter().map(Principal::group);
    let groups = groups.map(|group| RichText::new().principal(&group));
    listed(groups.collect(), usize::MAX)
}

pub fn token_expired(user: &Principal) -> RichText {
    RichText::from("The token of ")
        .principal(user)
        .text(" has expired, so everything is denied. With a new token:")
}

pub fn user_after(user: &Principal) -> RichText {
    RichText::from("The token then names another user: ").principal(user)
}

pub fn policy_changes(number: usize, omits_others: bool) -> String {
    let changes = count(number, "change");
    match omits_others {
        true => format!("{changes} of the policy, without those in the identity provider"),
        false => format!("{changes} of the policy"),
    }
}

/// What is listed below each set of memberships.
pub const fn grants_listed(sets: usize) -> &'static str {
    agree(
        sets,
        "It grants all that is listed below it:",
        "Each grants all that is listed below it:",
    )
}

/// The title of the ACLs that allow nothing but what was asked.
pub const fn narrowest_acls(number: usize) -> &'static str {
    agree(number, "Narrowest: a new ACL", "Narrowest: new ACLs")
}

pub fn new_acls(number: usize) -> String {
    format!("{}, and no membership", count(number, "new ACL"))
}

pub fn removals(number: usize) -> String {
    format!("{}, and not the deny ACL", count(number, "removal"))
}

pub fn more_collisions(number: usize) -> String {
    format!(
        "Not shown: {} more; raise --limit to see them.",
        thousands(number)
    )
}

pub fn who_can(
    operation: Operation,
    kind: ResourceType,
    name: &str,
    pattern: PatternType,
) -> RichText {
    let operation = operation.spelling().label;
    let resource = match pattern {
        PatternType::Literal => acl::resource(kind, name),
        PatternType::Prefixed => acl::named_pattern(kind, name, pattern),
    };
    RichText::from(format!("Who can {operation} on ")).then(resource)
}

/// An operation on a resource, or on any of the type without a name.
pub fn request(operation: Operation, kind: ResourceType, name: Option<&str>) -> RichText {
    let operation = operation.spelling().label;
    RichText::from(format!("{operation} on ")).then(acl::resource_or_any(kind, name))
}

pub fn superusers(names: &[String]) -> RichText {
    let names = names.iter().map(Principal::user);
    let names = names.map(|name| RichText::new().principal(&name));
    RichText::from(format!("Superusers ({ACLS_NOT_EVALUATED}): "))
        .then(listed(names.collect(), usize::MAX))
}

/// What denies a principal, so that its row is not read as one of those who can.
pub fn denied_by(paths: &str) -> String {
    format!("denied by {paths}")
}

pub fn denied_too(principals: &[Principal]) -> RichText {
    let name = |principal: &Principal| {
        let words = RichText::new().principal(principal);
        match principal.is_everyone() {
            true => words.text(" (everyone)"),
            false => words,
        }
    };
    RichText::from("Denied, whatever else allows them, are users who are also one of these: ")
        .then(listed(principals.iter().map(name).collect(), usize::MAX))
}

pub fn only_one_can(one: &Principal, other: &Principal) -> RichText {
    RichText::new()
        .principal(one)
        .text(" can, and ")
        .principal(other)
        .text(" cannot:")
}

/// What introduces the ACLs of one of two users.
pub fn acls_of_one(user: &Principal, acls: usize) -> RichText {
    match acls {
        0 => RichText::from("No ACL applies to ")
            .principal(user)
            .text(" only."),
        _ => RichText::from("ACLs that apply to ")
            .principal(user)
            .text(" only:"),
    }
}

pub fn not_named(principal: &Principal, near: Option<&Principal>) -> RichText {
    let words = RichText::from("the policy does not name ").code(principal.to_string());
    match near {
        Some(near) => words
            .text("; did you mean ")
            .code(near.to_string())
            .text("?"),
        None => words,
    }
}

/// What introduces the command that makes a user or group a member.
pub fn join(member: &Principal, role: &str) -> RichText {
    let member = match member.kind() {
        PrincipalType::Group => "group",
        PrincipalType::User | PrincipalType::Role | PrincipalType::Other => "user",
    };
    RichText::from(format!("To make the {member} a member of "))
        .principal(&Principal::role(role))
        .text(" in a running service:")
}

/// A membership, and where it is given or taken if not in the policy.
pub fn membership(of: &Principal) -> RichText {
    let words = RichText::new().principal(of);
    match of.kind() {
        PrincipalType::Group => words.text(" (in the identity provider)"),
        PrincipalType::Role | PrincipalType::User | PrincipalType::Other => words,
    }
}
