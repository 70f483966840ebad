//! Every principal that the policy speaks of, by a small number, with the roles of a member and the members of a role.

use std::hint::black_box;

use crate::hash::{Keys, Table};
use crate::model::{Principal, PrincipalType};
use crate::order::sort;
use crate::text::equal;

/// The number of a principal, for as long as the policy speaks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrincipalId(pub u32);

/// One cache line, with the name in it unless it is long; in wasm as small as it can be.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_family = "wasm"), repr(align(64)))]
struct Known {
    principal: Principal,
    /// For a user or group the roles, in order of their names; for a role the members, in no order.
    links: Vec<PrincipalId>,
    /// On how many rows it stands.
    rows: u32,
    /// A role that was created; an ACL may name one that was not.
    is_role: bool,
}

/// The principals of a policy.
#[derive(Debug, Clone, Default)]
pub(super) struct Principals {
    keys: Keys,
    by_name: Table,
    all: Vec<Known>,
    /// The roles that were created, by name.
    roles: Vec<PrincipalId>,
    /// Numbers that nothing has any more.
    free: Vec<u32>,
}

impl Principals {
    /// The number of a principal, when the policy speaks of it.
    pub(super) fn find(&self, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        self.find_hashed(self.hash(kind, name), kind, name)
    }

    fn hash(&self, kind: PrincipalType, name: &str) -> u32 {
        self.keys.hash(kind as u8, name.as_bytes())
    }

    fn find_hashed(&self, hash: u32, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        let is = |id: u32| {
            self.all.get(id as usize).is_some_and(|known| {
                known.principal.kind() == kind && equal(known.principal.name_bytes(), name.as_bytes())
            })
        };
        self.by_name.find(hash, is).map(PrincipalId)
    }

    /// Reads what will be needed of principals before the first is compared: a large policy is in no cache, and the processor
    /// waits for several at once when nothing but loads is between them. In wasm that would cost more bytes than it is worth.
    pub(super) fn read_ahead<'a>(&self, names: impl Iterator<Item = (PrincipalType, &'a str)>) {
        if cfg!(target_family = "wasm") {
            return;
        }
        let home = |(kind, name)| (self.by_name.home(self.hash(kind, name)) as u32).wrapping_sub(1);
        let homes: Vec<u32> = names.map(home).collect();
        let known = homes.iter().filter_map(|home| self.all.get(*home as usize));
        let read = known.map(|known| known.rows ^ known.links.first().map_or(0, |link| link.0));
        black_box(read.fold(0, |sum, read| sum ^ read));
    }

    /// The numbers of principals of one kind, in the order of their names.
    pub(super) fn find_each(&self, kind: PrincipalType, names: &[String]) -> Vec<Option<PrincipalId>> {
        self.read_ahead(names.iter().map(|name| (kind, name.as_str())));
        names.iter().map(|name| self.find(kind, name)).collect()
    }

    /// The number of a principal, a new one where it has none.
    pub(super) fn number(&mut self, kind: PrincipalType, name: &str) -> PrincipalId {
        let hash = self.hash(kind, name);
        if let Some(id) = self.find_hashed(hash, kind, name) {
            return id;
        }
        let known = Known { principal: Principal::new(kind, name), links: Vec::new(), rows: 0, is_role: false };
        let reused = self.free.pop().and_then(|id| Some((id, self.all.get_mut(id as usize)?)));
        let id = match reused {
            Some((id, place)) => {
                *place = known;
                id
            }
            None => {
                self.all.push(known);
                (self.all.len() - 1) as u32
            }
        };
        self.by_name.insert(hash, id);
        PrincipalId(id)
    }

    /// Frees the number of a principal that nothing speaks of any more.
    fn forget_unused(&mut self, id: PrincipalId) {
        let Some(known) = self.all.get_mut(id.0 as usize) else { return };
        if known.rows > 0 || known.is_role || !known.links.is_empty() {
            return;
        }
        let hash = self.keys.hash(known.principal.kind() as u8, known.principal.name_bytes());
        self.by_name.remove(hash, id.0);
        known.principal = Principal::user("");
        self.free.push(id.0);
    }

    /// The principal of a number.
    pub(super) fn get(&self, id: PrincipalId) -> Option<&Principal> {
        self.all.get(id.0 as usize).map(|known| &known.principal)
    }

    /// Every principal that the policy speaks of, in no order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PrincipalId, &Principal)> {
        let used = |known: &Known| known.rows > 0 || known.is_role || !known.links.is_empty();
        let all = self.all.iter().zip(0..).filter(move |(known, _)| used(known));
        all.map(|(known, id)| (PrincipalId(id), &known.principal))
    }

    /// Counts a row of a principal.
    pub(super) fn add_row(&mut self, id: PrincipalId) {
        if let Some(known) = self.all.get_mut(id.0 as usize) {
            known.rows += 1;
        }
    }

    /// Counts a row of a principal that is gone.
    pub(super) fn remove_row(&mut self, id: PrincipalId) {
        if let Some(known) = self.all.get_mut(id.0 as usize) {
            known.rows = known.rows.saturating_sub(1);
        }
        self.forget_unused(id);
    }

    /// On how many rows a principal stands.
    pub(super) fn rows(&self, id: PrincipalId) -> u32 {
        self.all.get(id.0 as usize).map_or(0, |known| known.rows)
    }

    /// The roles of a user or group, by name, or the members of a role, in no order.
    pub(super) fn links(&self, id: PrincipalId) -> &[PrincipalId] {
        self.all.get(id.0 as usize).map_or(&[], |known| &known.links)
    }

    /// The members of a role, in order.
    pub(super) fn members(&self, role: PrincipalId) -> Vec<&Principal> {
        let mut members = Vec::new();
        for member in self.links(role) {
            members.extend(self.get(*member));
        }
        sort(&mut members, Ord::cmp);
        members
    }

    /// The role of this name, when it was created.
    pub(super) fn role(&self, name: &str) -> Option<PrincipalId> {
        self.find(PrincipalType::Role, name).filter(|id| self.is_role(*id))
    }

    /// Whether this is a role that was created.
    pub(super) fn is_role(&self, id: PrincipalId) -> bool {
        self.all.get(id.0 as usize).is_some_and(|known| known.is_role)
    }

    /// The roles, by name.
    pub(super) fn roles(&self) -> &[PrincipalId] {
        &self.roles
    }

    /// The roles that do not come before this name, by name.
    pub(super) fn roles_from(&self, name: &str) -> &[PrincipalId] {
        self.roles.get(self.place_by_name(name)..).unwrap_or_default()
    }

    /// Where a role of this name is, or where it would be; at the end without a search, since documents are read in order.
    fn place_by_name(&self, name: &str) -> usize {
        let is_before = |role: &PrincipalId| self.get(*role).is_some_and(|role| role.name() < name);
        if self.roles.last().is_none_or(is_before) { self.roles.len() } else { self.roles.partition_point(is_before) }
    }

    /// Creates a role that is not there.
    pub(super) fn create_role(&mut self, name: &str) -> PrincipalId {
        let role = self.number(PrincipalType::Role, name);
        let place = self.place_by_name(name);
        if let Some(known) = self.all.get_mut(role.0 as usize)
            && !known.is_role
        {
            known.is_role = true;
            self.roles.insert(place, role);
        }
        role
    }

    /// Deletes a role and its memberships.
    pub(super) fn delete_role(&mut self, role: PrincipalId) {
        self.roles.retain(|other| *other != role);
        let Some(known) = self.all.get_mut(role.0 as usize) else { return };
        known.is_role = false;
        for member in std::mem::take(&mut known.links) {
            self.unlink_role(member, role);
            self.forget_unused(member);
        }
        self.forget_unused(role);
    }

    /// Makes a user or group a member of a role; says whether it was none.
    pub(super) fn add_member(&mut self, role: PrincipalId, kind: PrincipalType, name: &str) -> bool {
        let member = self.number(kind, name);
        let Err(place) = self.place_of_role(member, role) else { return false };
        if let Some(known) = self.all.get_mut(member.0 as usize) {
            known.links.insert(place, role);
        }
        if let Some(known) = self.all.get_mut(role.0 as usize) {
            known.links.push(member);
        }
        true
    }

    /// Takes a member out of a role; says whether it was one.
    pub(super) fn remove_member(&mut self, role: PrincipalId, member: &Principal) -> bool {
        let Some(member) = self.find(member.kind(), member.name()) else { return false };
        if !self.unlink_role(member, role) {
            return false;
        }
        if let Some(known) = self.all.get_mut(role.0 as usize)
            && let Some(place) = known.links.iter().position(|link| *link == member)
        {
            known.links.swap_remove(place);
        }
        self.forget_unused(member);
        true
    }

    fn unlink_role(&mut self, member: PrincipalId, role: PrincipalId) -> bool {
        let Ok(place) = self.place_of_role(member, role) else { return false };
        if let Some(known) = self.all.get_mut(member.0 as usize) {
            known.links.remove(place);
        }
        true
    }

    /// Where a role is among those of a member, or where it would be. Documents are read in order, so that it is mostly the last
    /// of all, and no name is looked at; a store adds members in order too, when all roles are there.
    fn place_of_role(&self, member: PrincipalId, role: PrincipalId) -> Result<usize, usize> {
        let links = self.links(member);
        if self.roles.last() == Some(&role) && links.last() != Some(&role) {
            return Err(links.len());
        }
        let name = self.get(role);
        if links.last().is_none_or(|last| self.get(*last) < name) {
            return Err(links.len());
        }
        links.binary_search_by(|link| self.get(*link).cmp(&name))
    }

    pub(super) fn shrink(&mut self) {
        self.all.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn a_principal_is_a_cache_line() {
        assert_eq!(size_of::<Known>(), 64);
    }
}
