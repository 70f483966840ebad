//! Changes of a policy, and hypothetical changes, in the imperative and without a final period.

use gbac_analysis::{HypotheticalChange, NoOp};
use gbac_engine::Coded;
use gbac_engine::model::Principal;
use gbac_engine::policy::{AccessLevel, Change, GroupSource};

use crate::acl;
use crate::rich_text::RichText;

/// A change of a policy; of settings, the source of groups.
///
/// ```
/// use gbac_engine::model::Principal;
/// use gbac_engine::policy::Change;
///
/// let (role, member) = ("Writers".into(), Principal::group("eng"));
/// let change = gbac_words::change::sentence(&Change::AddMember { role, member });
/// assert_eq!(change.plain(), "Add Group:eng to Role:Writers");
/// ```
pub fn sentence(change: &Change) -> RichText {
    let words = RichText::new();
    match change {
        Change::AddAcl(acl) => words.text("Add ").then(acl::sentence(acl)),
        Change::RemoveAcl(acl) => words.text("Remove ").then(acl::sentence(acl)),
        Change::CreateRole(role) => words.text("Create ").principal(&Principal::role(role)),
        Change::DeleteRole { name, delete_acls } => {
            let words = words.text("Delete ").principal(&Principal::role(name));
            match delete_acls {
                true => words.text(" and its ACLs"),
                false => words,
            }
        }
        Change::AddMember { role, member } => words
            .text("Add ")
            .principal(member)
            .text(" to ")
            .principal(&Principal::role(role)),
        Change::RemoveMember { role, member } => words
            .text("Remove ")
            .principal(member)
            .text(" from ")
            .principal(&Principal::role(role)),
        Change::Settings(settings) => match &settings.groups {
            GroupSource::Properties { claim_path, nested } => words
                .text("Read groups from ")
                .code(claim_path.to_string())
                .text(", nested group behavior ")
                .code(nested.code()),
            GroupSource::Sso { groups, .. } => {
                words.text("Read groups from ").code(groups.to_string())
            }
        },
    }
}

/// A hypothetical change.
pub fn hypothetical(change: &HypotheticalChange) -> RichText {
    match change {
        HypotheticalChange::Join(group) => RichText::from("Add the user to ")
            .principal(&Principal::group(group))
            .text(" in the identity provider"),
        HypotheticalChange::Leave(group) => RichText::from("Remove the user from ")
            .principal(&Principal::group(group))
            .text(" in the identity provider"),
        HypotheticalChange::Policy(change) => sentence(change),
    }
}

/// A hypothetical change without an effect, with the reason.
pub fn no_op(no_op: &NoOp) -> RichText {
    hypothetical(&no_op.change)
        .text(": ")
        .then(RichText::message(&no_op.to_string()))
}

/// A user that becomes a superuser.
pub fn superuser_added(name: &str) -> RichText {
    RichText::from("Make ")
        .principal(&Principal::user(name))
        .text(" a superuser")
}

/// A user that is a superuser no longer.
pub fn superuser_removed(name: &str) -> RichText {
    RichText::from("Remove ")
        .principal(&Principal::user(name))
        .text(" from the superusers")
}

/// Access to the service that a principal gets.
pub fn access_granted(principal: &Principal, level: AccessLevel) -> RichText {
    RichText::from("Grant ")
        .principal(principal)
        .text(" the access ")
        .code(level.code())
        .text(" to the service")
}

/// Access to the service that a principal had.
pub fn access_revoked(principal: &Principal, level: AccessLevel) -> RichText {
    RichText::from("Revoke the access ")
        .code(level.code())
        .text(" to the service from ")
        .principal(principal)
}

/// A setting with its value before and after.
pub fn setting(name: &str, before: Option<&str>, after: Option<&str>) -> RichText {
    RichText::new()
        .code(name)
        .text(" from ")
        .code(before.unwrap_or("none"))
        .text(" to ")
        .code(after.unwrap_or("none"))
}
