//! The principals that a policy mentions, each with a small id, and their memberships.

use std::hint::black_box;

use super::pages::Pages;
use crate::hash::{Keys, Table};
use crate::model::{Principal, PrincipalType};
use crate::order::sort;
use crate::text::equal;

/// The id of a principal, while the policy mentions it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PrincipalId(pub u32);

/// A principal with its links. It fills one cache line, including a short name; in wasm, it is as
/// small as possible.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_family = "wasm"), repr(align(64)))]
struct PrincipalEntry {
    principal: Principal,
    /// For a user or group, its roles, sorted by name; for a role, its members, in no particular
    /// order.
    links: Vec<PrincipalId>,
    /// The number of its rows.
    rows: u32,
    /// Whether it is an existing role. ACLs can also name roles that do not exist.
    is_role: bool,
}

impl PrincipalEntry {
    /// Whether the policy mentions the principal.
    fn is_used(&self) -> bool {
        self.rows > 0 || self.is_role || !self.links.is_empty()
    }
}

/// The principals of a policy.
#[derive(Debug, Clone, Default)]
pub(super) struct Principals {
    keys: Keys,
    by_name: Table,
    all: Pages<PrincipalEntry>,
    /// The existing roles, sorted by name.
    roles: Vec<PrincipalId>,
    /// Unused ids.
    free: Vec<u32>,
}

impl Principals {
    /// The id of a principal; `None` if the policy does not mention it.
    pub(super) fn find(&self, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        self.find_hashed(self.hash(kind, name), kind, name)
    }

    fn hash(&self, kind: PrincipalType, name: &str) -> u32 {
        self.keys.hash(kind as u8, name.as_bytes())
    }

    fn find_hashed(&self, hash: u32, kind: PrincipalType, name: &str) -> Option<PrincipalId> {
        let is = |id: u32| {
            self.all.get(id as usize).is_some_and(|entry| {
                entry.principal.kind() == kind
                    && equal(entry.principal.name_bytes(), name.as_bytes())
            })
        };
        self.by_name.find(hash, is).map(PrincipalId)
    }

    /// Reads the principals with these names in advance, because the processor fetches several from
    /// memory at once if no comparison comes between. Large policies do not fit into its cache.
    /// Omitted in wasm to keep the module small.
    pub(super) fn read_ahead<'a>(&self, names: impl Iterator<Item = (PrincipalType, &'a str)>) {
        if cfg!(target_family = "wasm") {
            return;
        }
        let home = |(kind, name)| (self.by_name.home(self.hash(kind, name)) as u32).wrapping_sub(1);
        let homes: Vec<u32> = names.map(home).collect();
        let principals = homes.iter().filter_map(|home| self.all.get(*home as usize));
        let values = principals
            .map(|principal| principal.rows ^ principal.links.first().map_or(0, |link| link.0));
        black_box(values.fold(0, |sum, value| sum ^ value));
    }

    /// The ids of principals of one kind, in the order of `names`.
    pub(super) fn find_each(
        &self,
        kind: PrincipalType,
        names: &[String],
    ) -> Vec<Option<PrincipalId>> {
        self.read_ahead(names.iter().map(|name| (kind, name.as_str())));
        names.iter().map(|name| self.find(kind, name)).collect()
    }

    /// The id of a principal; adds the principal if it is new.
    #[inline(never)]
    pub(super) fn find_or_add(&mut self, kind: PrincipalType, name: &str) -> PrincipalId {
        let hash = self.hash(kind, name);
        if let Some(id) = self.find_hashed(hash, kind, name) {
            return id;
        }
        let entry = PrincipalEntry {
            principal: Principal::new(kind, name),
            links: Vec::new(),
            rows: 0,
            is_role: false,
        };
        let unused = self
            .free
            .pop()
            .and_then(|id| Some((id, self.all.get_mut(id as usize)?)));
        let id = match unused {
            Some((id, unused)) => {
                *unused = entry;
                id
            }
            None => self.all.push(entry) as u32,
        };
        self.by_name.insert(hash, id);
        PrincipalId(id)
    }

    /// Removes a principal if the policy does not mention it any more.
    fn remove_unused(&mut self, id: PrincipalId) {
        let Some(entry) = self.all.get_mut(id.0 as usize) else {
            return;
        };
        if entry.is_used() {
            return;
        }
        let hash = self
            .keys
            .hash(entry.principal.kind() as u8, entry.principal.name_bytes());
        self.by_name.remove(hash, id.0);
        entry.principal = Principal::user("");
        self.free.push(id.0);
    }

    /// The principal with an id.
    pub(super) fn get(&self, id: PrincipalId) -> Option<&Principal> {
        self.all.get(id.0 as usize).map(|entry| &entry.principal)
    }

    /// Every principal that the policy mentions, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PrincipalId, &Principal)> {
        let used = self
            .all
            .iter()
            .zip(0..)
            .filter(|(entry, _)| entry.is_used());
        used.map(|(entry, id)| (PrincipalId(id), &entry.principal))
    }

    /// Increments the number of a principal's rows.
    pub(super) fn add_row(&mut self, id: PrincipalId) {
        if let Some(entry) = self.all.get_mut(id.0 as usize) {
            entry.rows += 1;
        }
    }

    /// Decrements the number of a principal's rows.
    pub(super) fn remove_row(&mut self, id: PrincipalId) {
        if let Some(entry) = self.all.get_mut(id.0 as usize) {
            entry.rows = entry.rows.saturating_sub(1);
        }
        self.remove_unused(id);
    }

    /// The number of a principal's rows.
    pub(super) fn rows(&self, id: PrincipalId) -> u32 {
        self.all.get(id.0 as usize).map_or(0, |entry| entry.rows)
    }

    /// For a user or group, its roles, sorted by name; for a role, its members, in no particular
    /// order.
    pub(super) fn links(&self, id: PrincipalId) -> &[PrincipalId] {
        self.all
            .get(id.0 as usize)
            .map_or(&[], |entry| &entry.links)
    }

    /// The members of a role, sorted.
    pub(super) fn members(&self, role: PrincipalId) -> Vec<&Principal> {
        let mut members = Vec::new();
        for member in self.links(role) {
            members.extend(self.get(*member));
        }
        sort(&mut members, Ord::cmp);
        members
    }

    /// The existing role of this name.
    pub(super) fn role(&self, name: &str) -> Option<PrincipalId> {
        self.find(PrincipalType::Role, name)
            .filter(|id| self.is_role(*id))
    }

    /// Whether this is an existing role.
    pub(super) fn is_role(&self, id: PrincipalId) -> bool {
        self.all
            .get(id.0 as usize)
            .is_some_and(|entry| entry.is_role)
    }

    /// The existing roles, sorted by name.
    pub(super) fn roles(&self) -> &[PrincipalId] {
        &self.roles
    }

    /// The existing roles from this name on, sorted by name.
    pub(super) fn roles_from(&self, name: &str) -> &[PrincipalId] {
        self.roles
            .get(self.role_position(name)..)
            .unwrap_or_default()
    }

    /// The index of a role in `roles`, or where to insert it. Checks the end first, because
    /// documents list roles in order.
    fn role_position(&self, name: &str) -> usize {
        let is_before = |role: &PrincipalId| self.get(*role).is_some_and(|role| role.name() < name);
        if self.roles.last().is_none_or(is_before) {
            self.roles.len()
        } else {
            self.roles.partition_point(is_before)
        }
    }

    /// Creates a role if it does not exist.
    #[inline(never)]
    pub(super) fn create_role(&mut self, name: &str) -> PrincipalId {
        let role = self.find_or_add(PrincipalType::Role, name);
        let position = self.role_position(name);
        if let Some(entry) = self.all.get_mut(role.0 as usize)
            && !entry.is_role
        {
            entry.is_role = true;
            self.roles.insert(position, role);
        }
        role
    }

    /// Deletes a role and its memberships.
    #[inline(never)]
    pub(super) fn delete_role(&mut self, role: PrincipalId) {
        self.roles.retain(|other| *other != role);
        let Some(entry) = self.all.get_mut(role.0 as usize) else {
            return;
        };
        entry.is_role = false;
        for member in std::mem::take(&mut entry.links) {
            self.unlink_role(member, role);
            self.remove_unused(member);
        }
        self.remove_unused(role);
    }

    /// Adds a user or group to a role; returns whether it was not a member before.
    #[inline(never)]
    pub(super) fn add_member(
        &mut self,
        role: PrincipalId,
        kind: PrincipalType,
        name: &str,
    ) -> bool {
        let member = self.find_or_add(kind, name);
        let Err(position) = self.position_in_member(member, role) else {
            return false;
        };
        if let Some(entry) = self.all.get_mut(member.0 as usize) {
            entry.links.insert(position, role);
        }
        if let Some(entry) = self.all.get_mut(role.0 as usize) {
            entry.links.push(member);
        }
        true
    }

    /// Removes a member from a role; returns whether it was a member.
    #[inline(never)]
    pub(super) fn remove_member(&mut self, role: PrincipalId, member: &Principal) -> bool {
        let Some(member) = self.find(member.kind(), member.name()) else {
            return false;
        };
        if !self.unlink_role(member, role) {
            return false;
        }
        if let Some(entry) = self.all.get_mut(role.0 as usize)
            && let Some(position) = entry.links.iter().position(|link| *link == member)
        {
            entry.links.swap_remove(position);
        }
        self.remove_unused(member);
        true
    }

    fn unlink_role(&mut self, member: PrincipalId, role: PrincipalId) -> bool {
        let Ok(position) = self.position_in_member(member, role) else {
            return false;
        };
        if let Some(entry) = self.all.get_mut(member.0 as usize) {
            entry.links.remove(position);
        }
        true
    }

    /// The index of a role among those of a member, or as an error where to insert it. Checks the
    /// end first, because documents and stores add members in the order of the roles: if the role
    /// is the last of all roles, no names are compared.
    fn position_in_member(&self, member: PrincipalId, role: PrincipalId) -> Result<usize, usize> {
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
        self.all.shrink();
    }
}

#[cfg(test)]
mod tests {
    use super::PrincipalEntry;

    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn a_principal_fills_a_cache_line() {
        assert_eq!(size_of::<PrincipalEntry>(), 64);
    }
}
