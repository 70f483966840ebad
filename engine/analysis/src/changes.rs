//! The changes from one policy to another.

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Permission};
use gbac_engine::policy::{Change, Policy};

/// The changes from one policy to another. New denies come first, and old ones are removed last.
/// Settings that the later policy omits do not change.
#[must_use]
pub fn changes_between(before: &Policy, after: &Policy) -> Vec<Change> {
    let mut changes = Vec::new();
    let filled = after.settings().filled_from(before.settings());
    // Settings that the earlier policy omits may have any value in the cluster.
    if filled != *before.settings() || filled.states() != before.settings().states() {
        changes.push(Change::Settings(Box::new(after.settings().clone())));
    }
    for acl in missing(after, before, Permission::Deny) {
        changes.push(Change::AddAcl(acl));
    }
    for acl in missing(before, after, Permission::Allow) {
        changes.push(Change::RemoveAcl(acl));
    }
    for role in after.roles() {
        let held = match before.role(&role.name) {
            Some(held) => held.members,
            None => {
                changes.push(Change::CreateRole(role.name.clone()));
                BTreeSet::new()
            }
        };
        for member in role.members.difference(&held) {
            changes.push(Change::AddMember {
                role: role.name.clone(),
                member: member.clone(),
            });
        }
        for member in held.difference(&role.members) {
            changes.push(Change::RemoveMember {
                role: role.name.clone(),
                member: member.clone(),
            });
        }
    }
    for name in before.role_names() {
        if !after.has_role(name) {
            // Its ACLs are deleted by changes of their own.
            changes.push(Change::DeleteRole {
                name: name.into(),
                delete_acls: false,
            });
        }
    }
    for acl in missing(after, before, Permission::Allow) {
        changes.push(Change::AddAcl(acl));
    }
    for acl in missing(before, after, Permission::Deny) {
        changes.push(Change::RemoveAcl(acl));
    }
    changes
}

/// The ACLs that another policy lacks.
fn missing(policy: &Policy, other: &Policy, permission: Permission) -> Vec<Acl> {
    let mut missing = Vec::new();
    for acl in policy.acls() {
        if acl.permission == permission && !other.has_acl(&acl) {
            missing.push(acl);
        }
    }
    missing
}
