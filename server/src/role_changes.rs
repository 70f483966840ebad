//! What becomes of a role when somebody creates, changes or deletes it, whichever API it was (D-17, D-18, D-28).

use std::collections::BTreeSet;

use gbac_api::problem::RpcCode;
use gbac_api::roles::{Membership, check_name};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, Role};
use gbac_engine::policy::{Change, Policy};

use crate::fault::{Fault, no_role};

/// The changes that make a role with these members. The very same role again is no change.
///
/// # Errors
/// The name cannot be a role's, with the field that it stands in; there is another role of that name.
pub(crate) fn create(held: &Policy, field: &str, name: &str, members: &[Principal]) -> Result<Vec<Change>, Fault> {
    check_name(field, name).map_err(|fault| Fault::fields(vec![fault]))?;
    let members: BTreeSet<&Principal> = members.iter().collect();
    match held.role(name) {
        None => Ok(std::iter::once(Change::CreateRole(name.into()))
            .chain(members.into_iter().map(|member| joins(name, member)))
            .collect()),
        Some(role) if role.members.iter().eq(members) => Ok(Vec::new()),
        Some(_) => Err(Fault::new(RpcCode::AlreadyExists, format!("there is a role `{}` already", escaped(name)))),
    }
}

/// Who really joins a role and who really leaves it.
pub(crate) struct Moved {
    /// In the order given, each once.
    pub(crate) added: Vec<Principal>,
    /// In the order given, each once.
    pub(crate) removed: Vec<Principal>,
}

/// The changes that let members join and leave; with `make`, a role that is missing is made.
///
/// # Errors
/// There is no such role, or its name cannot be a role's.
pub(crate) fn update(
    held: &Policy,
    name: &str,
    make: bool,
    members: Membership,
) -> Result<(Vec<Change>, Moved), Fault> {
    let role = held.role(name);
    let mut changes = match &role {
        Some(_) => Vec::new(),
        None if make => create(held, "role_name", name, &[])?,
        None => return Err(no_role(name)),
    };
    let present = |member: &Principal| role.as_ref().is_some_and(|role| role.members.contains(member));
    let added = once(members.add, |member| !present(member));
    let removed = once(members.remove, present);
    changes.extend(added.iter().map(|member| joins(name, member)));
    changes.extend(removed.iter().map(|member| Change::RemoveMember { role: name.to_owned(), member: member.clone() }));
    Ok((changes, Moved { added, removed }))
}

/// The change that deletes a role.
///
/// # Errors
/// There is none.
pub(crate) fn delete(held: &Policy, name: &str, delete_acls: bool) -> Result<Vec<Change>, Fault> {
    if !held.has_role(name) {
        return Err(no_role(name));
    }
    Ok(vec![Change::DeleteRole { name: name.into(), delete_acls }])
}

/// A role as it will be.
pub(crate) fn moved(mut role: Role, moved: &Moved) -> Role {
    role.members.extend(moved.added.iter().cloned());
    role.members.retain(|member| !moved.removed.contains(member));
    role
}

fn joins(role: &str, member: &Principal) -> Change {
    Change::AddMember { role: role.into(), member: member.clone() }
}

/// The members that make a change, each once, in the order given.
fn once(members: Vec<Principal>, changes: impl Fn(&Principal) -> bool) -> Vec<Principal> {
    let mut seen = BTreeSet::new();
    members.into_iter().filter(|member| changes(member) && seen.insert(member.clone())).collect()
}
