//! The changes that create, update and delete a role, for both role APIs (D-17, D-18, D-28).

use std::collections::BTreeSet;

use gbac_api::roles::{Membership, check_name};
use gbac_engine::model::{Principal, Role};
use gbac_engine::policy::{Change, Policy};

use super::error::RoleError;

/// The changes that create a role with these members; none if the same role exists. `field` is the
/// name of the request's field.
///
/// # Errors
/// The name is not valid, or a different role with this name exists.
pub(crate) fn create(
    policy: &Policy,
    field: &str,
    name: &str,
    members: &[Principal],
) -> Result<Vec<Change>, RoleError> {
    check_name(field, name).map_err(RoleError::InvalidName)?;
    let members: BTreeSet<&Principal> = members.iter().collect();
    match policy.role(name) {
        None => {
            let mut changes = vec![Change::CreateRole(name.into())];
            changes.extend(members.into_iter().map(|member| add_member(name, member)));
            Ok(changes)
        }
        Some(role) if role.members.iter().eq(members) => Ok(Vec::new()),
        Some(_) => Err(RoleError::AlreadyExists(name.to_owned())),
    }
}

/// The members that an update adds and removes.
pub(crate) struct MembershipChanges {
    /// The new members, in the given order, without duplicates.
    pub(crate) added: Vec<Principal>,
    /// The removed members, in the given order, without duplicates.
    pub(crate) removed: Vec<Principal>,
}

/// The changes that add and remove members. With `create_missing`, a role that does not exist is
/// created.
///
/// # Errors
/// There is no such role, or its name is not valid.
pub(crate) fn update(
    policy: &Policy,
    name: &str,
    create_missing: bool,
    members: Membership,
) -> Result<(Vec<Change>, MembershipChanges), RoleError> {
    let role = policy.role(name);
    let mut changes = match &role {
        Some(_) => Vec::new(),
        None if create_missing => create(policy, "role_name", name, &[])?,
        None => return Err(RoleError::NotFound(name.to_owned())),
    };
    let present = match &role {
        Some(role) => &role.members,
        None => &BTreeSet::new(),
    };
    let added = effective_members(members.add, |member| !present.contains(member));
    let removed = effective_members(members.remove, |member| present.contains(member));
    changes.extend(added.iter().map(|member| add_member(name, member)));
    changes.extend(removed.iter().map(|member| Change::RemoveMember {
        role: name.to_owned(),
        member: member.clone(),
    }));
    Ok((changes, MembershipChanges { added, removed }))
}

/// The change that deletes a role.
///
/// # Errors
/// There is no such role.
pub(crate) fn delete(
    policy: &Policy,
    name: &str,
    delete_acls: bool,
) -> Result<Vec<Change>, RoleError> {
    if !policy.has_role(name) {
        return Err(RoleError::NotFound(name.to_owned()));
    }
    Ok(vec![Change::DeleteRole {
        name: name.into(),
        delete_acls,
    }])
}

/// The change that deletes a role; none if there is no such role, as in the Admin API, where its
/// ACLs then stay.
pub(crate) fn delete_if_present(policy: &Policy, name: &str, delete_acls: bool) -> Vec<Change> {
    delete(policy, name, delete_acls).unwrap_or_default()
}

/// The role after the changes.
pub(crate) fn updated(mut role: Role, changes: &MembershipChanges) -> Role {
    role.members.extend(changes.added.iter().cloned());
    for member in &changes.removed {
        role.members.remove(member);
    }
    role
}

fn add_member(role: &str, member: &Principal) -> Change {
    Change::AddMember {
        role: role.into(),
        member: member.clone(),
    }
}

/// The members for which `has_effect` holds, in the given order, without duplicates.
fn effective_members(
    members: Vec<Principal>,
    has_effect: impl Fn(&Principal) -> bool,
) -> Vec<Principal> {
    let mut seen = BTreeSet::new();
    members
        .into_iter()
        .filter(|member| has_effect(member) && seen.insert(member.clone()))
        .collect()
}
