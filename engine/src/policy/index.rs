//! The ACLs and memberships of a policy in order, so that a decision finds what it needs by a few binary searches.

use crate::model::{Acl, PatternType, Principal, ResourceType, Role};
use crate::order::{run, sort};

/// ACLs, each once, in order of their fields: those of a pattern lie together, and in them those of a principal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Acls {
    sorted: Vec<Acl>,
    /// By the place of the resource type among its values: how many prefixed ACLs have a name of each length, so that
    /// only lengths that exist are tried.
    prefix_lengths: [Vec<usize>; ResourceType::ALL.len()],
}

impl Acls {
    pub(crate) fn new(mut acls: Vec<Acl>) -> Self {
        sort(&mut acls, Ord::cmp);
        acls.dedup();
        let mut new = Self::default();
        for acl in &acls {
            new.count(acl, true);
        }
        new.sorted = acls;
        new
    }

    pub(crate) fn as_slice(&self) -> &[Acl] {
        &self.sorted
    }

    pub(crate) fn contains(&self, acl: &Acl) -> bool {
        self.sorted.binary_search(acl).is_ok()
    }

    /// Adds an ACL; says whether it is new.
    pub(crate) fn insert(&mut self, acl: Acl) -> bool {
        let Err(place) = self.sorted.binary_search(&acl) else { return false };
        self.count(&acl, true);
        self.sorted.insert(place, acl);
        true
    }

    /// Removes an ACL; says whether it was there.
    pub(crate) fn remove(&mut self, acl: &Acl) -> bool {
        let Ok(place) = self.sorted.binary_search(acl) else { return false };
        self.sorted.remove(place);
        self.count(acl, false);
        true
    }

    /// Removes the ACLs of a principal.
    pub(crate) fn remove_all(&mut self, principal: &Principal) {
        let (gone, kept) = std::mem::take(&mut self.sorted).into_iter().partition(|acl| acl.principal == *principal);
        self.sorted = kept;
        let gone: Vec<Acl> = gone;
        for acl in &gone {
            self.count(acl, false);
        }
    }

    /// Counts the length of a prefix that is added or removed.
    fn count(&mut self, acl: &Acl, added: bool) {
        let Some(lengths) = self.prefix_lengths.get_mut(acl.resource_type as usize) else { return };
        let length = acl.resource_name.len();
        if acl.pattern_type == PatternType::Literal {
            return;
        }
        if lengths.len() <= length {
            lengths.resize(length + 1, 0);
        }
        if let Some(count) = lengths.get_mut(length) {
            *count = if added { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// The ACLs of the patterns that cover a name, by pattern, in the order of D-20: literal name, prefixes longest
    /// first, literal `*`.
    pub(crate) fn covering(&self, resource_type: ResourceType, name: &str) -> Vec<&[Acl]> {
        let mut found = Vec::new();
        let mut look = |pattern: PatternType, name: &str| {
            let of_pattern = run(&self.sorted, |acl| {
                (acl.resource_type, acl.resource_name.as_str(), acl.pattern_type).cmp(&(resource_type, name, pattern))
            });
            if !of_pattern.is_empty() {
                found.push(of_pattern);
            }
        };
        look(PatternType::Literal, name);
        let lengths = self.prefix_lengths.get(resource_type as usize).map_or([].as_slice(), Vec::as_slice);
        for (length, count) in lengths.iter().enumerate().rev() {
            if *count > 0
                && let Some(prefix) = name.get(..length)
            {
                look(PatternType::Prefixed, prefix);
            }
        }
        if name != "*" {
            look(PatternType::Literal, "*");
        }
        found
    }
}

/// Who is a member of which role, in order of the members, then of the roles' names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memberships(Vec<(Principal, String)>);

impl Memberships {
    pub(crate) fn new(roles: &[Role]) -> Self {
        let mut memberships = Vec::new();
        for role in roles {
            for member in &role.members {
                memberships.push((member.clone(), role.name.clone()));
            }
        }
        sort(&mut memberships, Ord::cmp);
        Self(memberships)
    }

    pub(crate) fn insert(&mut self, member: Principal, role: String) {
        let membership = (member, role);
        if let Err(place) = self.0.binary_search(&membership) {
            self.0.insert(place, membership);
        }
    }

    pub(crate) fn remove(&mut self, member: &Principal, role: &str) {
        self.0.retain(|(of, name)| of != member || name != role);
    }

    pub(crate) fn remove_all(&mut self, role: &str) {
        self.0.retain(|(_, name)| name != role);
    }

    /// The roles of a member, by name.
    pub(crate) fn roles_of(&self, member: &Principal) -> impl Iterator<Item = &str> {
        run(&self.0, |(of, _)| of.cmp(member)).iter().map(|(_, role)| role.as_str())
    }
}
