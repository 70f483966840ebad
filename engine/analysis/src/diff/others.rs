//! The access of other principals where a deny was added or removed: only there does it change a
//! decision.

use super::host_scope::{HostScope, on_side};
use crate::held::{Rule, hosts_of, is_superuser};
use crate::scope::Scope;
use crate::tree::{Place, Tree};
use gbac_engine::model::{Host, Operation, Principal, PrincipalType, ResourceType};
use gbac_engine::{
    policy::Policy,
    policy::index::{Operations, PatternId, PrincipalId},
};

/// The operations that other principals are allowed in one region.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct May {
    /// Allowed to some user without groups, or to an unknown user.
    user: Operations,
    /// Allowed to some group of an unknown user.
    group: Operations,
    /// Denied to some group.
    pub(super) group_denied: Operations,
}

impl May {
    /// The operations of principals that an identity can combine with this scope. An identity has
    /// only one user.
    pub(super) fn partners(&self, scope: &Scope) -> Operations {
        match scope {
            Scope::One(principal) if principal.kind() == PrincipalType::Group => {
                self.user.or(self.group)
            }
            _ => self.group,
        }
    }
}

/// The operations that others are allowed, in both policies, at the unsettled places.
pub(super) struct Others<'a> {
    types: Vec<OfType<'a>>,
}

struct OfType<'a> {
    resource_type: ResourceType,
    tree: Tree<'a>,
    hosts: Vec<Host>,
    /// By policy, then by host scope.
    may: [Vec<(HostScope, Vec<May>)>; 2],
}

impl<'a> Others<'a> {
    /// Evaluates these patterns of each policy that overlap the unsettled places.
    pub(super) fn evaluate(
        policies: [&'a Policy; 2],
        patterns: &[Vec<PatternId>; 2],
        unsettled: &[(ResourceType, Vec<Place<'a>>)],
    ) -> Self {
        let mut types = Vec::new();
        for resource_type in ResourceType::ALL {
            let mut places = Vec::new();
            for (of, at) in unsettled {
                if of == resource_type {
                    places.extend_from_slice(at);
                }
            }
            if !places.is_empty() {
                types.push(OfType::new(policies, patterns, *resource_type, places));
            }
        }
        Self { types }
    }

    fn of_type(&self, resource_type: ResourceType) -> Option<&OfType<'a>> {
        self.types
            .iter()
            .find(|of_type| of_type.resource_type == resource_type)
    }

    /// The places below the given ones with their indices, and the hosts in the rules of others.
    pub(super) fn over(
        &self,
        resource_type: ResourceType,
        places: &[Place<'a>],
    ) -> (Vec<(Place<'a>, usize)>, &[Host]) {
        let Some(of_type) = self.of_type(resource_type) else {
            return (Vec::new(), &[]);
        };
        let mut over = Vec::new();
        let mut end = 0_usize;
        // The places are sorted, so `end` prevents duplicates of nested places.
        for place in places {
            let (first, below) = of_type.tree.below(*place);
            let known = end.saturating_sub(first).min(below.len());
            end = end.max(first + below.len());
            over.extend(below.iter().copied().zip(first..).skip(known));
        }
        (over, &of_type.hosts)
    }

    /// The operations that others are allowed in the region of a place.
    pub(super) fn at(
        &self,
        side: usize,
        resource_type: ResourceType,
        at: usize,
        host_scope: HostScope,
    ) -> May {
        let Some(of_type) = self.of_type(resource_type) else {
            return May::default();
        };
        let may = on_side(&of_type.may, side);
        let own = may.iter().find(|(of, _)| *of == host_scope);
        match own.or_else(|| may.iter().find(|(of, _)| *of == HostScope::Other)) {
            Some((_, may)) => may.get(at).copied().unwrap_or_default(),
            None => May::default(),
        }
    }
}

impl<'a> OfType<'a> {
    fn new(
        policies: [&'a Policy; 2],
        patterns: &[Vec<PatternId>; 2],
        resource_type: ResourceType,
        unsettled: Vec<Place<'a>>,
    ) -> Self {
        let tree = Tree::new(unsettled.iter().copied());
        let includes_all_names = unsettled.contains(&Place::All);
        let found = [0, 1].map(|side| {
            let policy = *on_side(&policies, side);
            let mut found = Vec::new();
            for id in on_side(patterns, side) {
                let Some(pattern) = policy.pattern(*id) else {
                    continue;
                };
                if pattern.resource_type == resource_type
                    && (includes_all_names || tree.meets(Place::from_pattern(pattern)))
                {
                    for row in pattern.rows() {
                        found.push(Owned {
                            principal: row.principal,
                            rule: Rule::new(policy, pattern, row),
                        });
                    }
                }
            }
            found
        });
        let places = found.iter().flatten().map(|owned| owned.rule.place);
        let tree = Tree::new(places.chain(unsettled));
        let hosts = hosts_of(found.iter().flatten().map(|owned| &owned.rule.host));
        let scopes = HostScope::all(&hosts);
        let mut made_of = tree.made_of();
        let may = [0, 1].map(|side| {
            let found = on_side(&found, side);
            let (here, rest) = made_of.split_at(found.len().min(made_of.len()));
            made_of = rest;
            let mut by_place: Vec<Vec<&Owned<'_>>> = vec![Vec::new(); tree.len()];
            for (owned, at) in found.iter().zip(here) {
                if let Some(rules) = by_place.get_mut(*at) {
                    rules.push(owned);
                }
            }
            let mut may = Vec::with_capacity(scopes.len());
            for host_scope in &scopes {
                let walked = walk(policies, side, &tree, &by_place, *host_scope);
                may.push((*host_scope, walked));
            }
            may
        });
        Self {
            resource_type,
            tree,
            hosts,
            may,
        }
    }
}

struct Owned<'a> {
    principal: PrincipalId,
    rule: Rule<'a>,
}

/// The operations that are allowed and denied to a principal at the current place.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    allow: Operations,
    deny: Operations,
}

impl Tally {
    /// The operations that are allowed here if others allow some.
    const fn with(self, others: Operations) -> Operations {
        self.allow.or(others).without(self.deny)
    }
}

/// For each operation, the number of principals for which it holds.
#[derive(Default)]
struct Counts([u32; Operation::ALL.len()]);

impl Counts {
    fn change(&mut self, from: Operations, to: Operations) {
        for operation in to.without(from).iter() {
            if let Some(count) = self.0.get_mut(operation as usize) {
                *count += 1;
            }
        }
        for operation in from.without(to).iter() {
            if let Some(count) = self.0.get_mut(operation as usize) {
                *count -= 1;
            }
        }
    }

    fn some(&self) -> Operations {
        let mut some = Operations::default();
        for (operation, count) in Operation::ALL.iter().zip(self.0) {
            if count > 0 {
                some = some.or(Operations::only(*operation));
            }
        }
        some
    }
}

/// The part of an identity that a principal can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    User,
    Group,
    /// A superuser of one or both policies, whose gains and losses are differences of its own and
    /// whose access ACLs do not change. Also everyone, and roles.
    None,
}

impl Part {
    fn new(policies: [&Policy; 2], principal: &Principal) -> Self {
        match principal.kind() {
            PrincipalType::User => {
                if policies
                    .iter()
                    .any(|policy| is_superuser(policy, principal))
                {
                    Self::None
                } else {
                    Self::User
                }
            }
            PrincipalType::Other => Self::User,
            PrincipalType::Group if !principal.name().is_empty() => Self::Group,
            PrincipalType::Group | PrincipalType::Role => Self::None,
        }
    }
}

struct Walk<'a> {
    policy: &'a Policy,
    everyone: Option<PrincipalId>,
    /// By principal. The last element is the user named `*`, who is not everyone.
    parts: Vec<Part>,
    tallies: Vec<Tally>,
    users: Counts,
    groups: Counts,
    denied: Counts,
    /// The tallies before each change, to undo it.
    undo: Vec<(usize, Tally)>,
}

/// Walks the tree once: adds the rules of a place when entering it, and removes them when leaving
/// it.
fn walk(
    policies: [&Policy; 2],
    side: usize,
    tree: &Tree<'_>,
    rules: &[Vec<&Owned<'_>>],
    host_scope: HostScope,
) -> Vec<May> {
    let mut walk = Walk::new(policies, side);
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut may = Vec::with_capacity(tree.len());
    for (at, rules) in rules.iter().enumerate() {
        while let Some((above, undo)) = open.last().copied()
            && Some(above) != tree.parent(at)
        {
            open.pop();
            walk.undo_to(undo);
        }
        open.push((at, walk.undo.len()));
        for owned in rules {
            let (allow, deny) =
                host_scope.apply(&owned.rule.host, owned.rule.allow, owned.rule.deny);
            walk.add(owned.principal, Tally { allow, deny });
        }
        may.push(walk.may());
    }
    may
}

impl<'a> Walk<'a> {
    fn new(policies: [&'a Policy; 2], side: usize) -> Self {
        let policy = *on_side(&policies, side);
        let mut parts = Vec::new();
        for (id, principal) in policy.principals() {
            let id = id.0 as usize;
            if parts.len() <= id {
                parts.resize(id + 1, Part::None);
            }
            if !principal.is_everyone()
                && let Some(place) = parts.get_mut(id)
            {
                *place = Part::new(policies, principal);
            }
        }
        parts.push(Part::new(policies, &Principal::user("*")));
        let tallies = vec![Tally::default(); parts.len()];
        let everyone = policy.principal_id(PrincipalType::User, "*");
        let (users, groups, denied) = Default::default();
        Self {
            policy,
            everyone,
            parts,
            tallies,
            users,
            groups,
            denied,
            undo: Vec::new(),
        }
    }

    fn add(&mut self, principal: PrincipalId, more: Tally) {
        if self.policy.is_role(principal) {
            for member in self.policy.links(principal) {
                let asterisk = self.everyone == Some(*member);
                self.add_to(
                    if asterisk {
                        self.parts.len() - 1
                    } else {
                        member.0 as usize
                    },
                    more,
                );
            }
        } else {
            // A role that does not exist has no members; its part is [`Part::None`].
            self.add_to(principal.0 as usize, more);
        }
    }

    fn add_to(&mut self, at: usize, more: Tally) {
        let Some(tally) = self.tallies.get_mut(at) else {
            return;
        };
        let from = *tally;
        tally.allow = tally.allow.or(more.allow);
        tally.deny = tally.deny.or(more.deny);
        let to = *tally;
        self.undo.push((at, from));
        self.count(at, from, to);
    }

    fn count(&mut self, at: usize, from: Tally, to: Tally) {
        let (from_may, to_may) = (from.allow.without(from.deny), to.allow.without(to.deny));
        match self.parts.get(at) {
            Some(Part::User) => self.users.change(from_may, to_may),
            Some(Part::Group) => {
                self.groups.change(from_may, to_may);
                self.denied.change(from.deny, to.deny);
            }
            _ => {}
        }
    }

    fn undo_to(&mut self, undo: usize) {
        while self.undo.len() > undo
            && let Some((at, before)) = self.undo.pop()
        {
            let Some(tally) = self.tallies.get_mut(at) else {
                continue;
            };
            let from = std::mem::replace(tally, before);
            self.count(at, from, before);
        }
    }

    fn may(&self) -> May {
        let everyone = self
            .everyone
            .and_then(|id| self.tallies.get(id.0 as usize))
            .copied()
            .unwrap_or_default();
        // Unknown users and groups also have the access of everyone.
        May {
            user: everyone.with(self.users.some()),
            group: everyone.with(self.groups.some()),
            group_denied: self.denied.some(),
        }
    }
}
