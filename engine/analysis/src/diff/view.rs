//! One scope and resource type in both policies, and the regions where its decisions differ.

use super::host_scope::{HostScope, on_side};
use super::is_role;
use super::others::Others;
use crate::held::{Rule, hosts_of};
use crate::scope::Scope;
use crate::tree::{Place, Tree};
use gbac_engine::model::{Host, ResourceType};
use gbac_engine::policy::index::{Operations, PrincipalId};

/// A rule of one of the two policies.
#[derive(Debug)]
pub(super) struct SidedRule<'a> {
    pub(super) rule: Rule<'a>,
    pub(super) side: usize,
    /// Whether it is a rule of `User:*`.
    pub(super) everyone: bool,
}

/// The changes for a scope in one region, as sets of operations.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OperationChanges {
    /// By effect, in the order of [`super::AccessEffect::ALL`].
    pub(super) effects: [Operations; 5],
    /// Denies that were added or removed, for operations without another ACL. They matter if
    /// another principal of the identity is allowed.
    denied: [Operations; 2],
    /// Allowed as a superuser in one policy and by ACLs in the other. This matters if a group of
    /// the identity is denied.
    bypassed: [Operations; 2],
}

/// The operations that are allowed and denied in each policy.
#[derive(Debug, Clone, Copy, Default)]
struct SideOperations {
    allow: [Operations; 2],
    deny: [Operations; 2],
    superuser: [bool; 2],
    /// The operations of the dialects.
    every: Operations,
}

/// The operations of one policy, by what decides about them.
#[derive(Default)]
struct DecidedOperations {
    allowed: Operations,
    /// Allowed, and not to a superuser.
    by_acl: Operations,
    denied: Operations,
    /// With an allow, even if a deny overrides it.
    covered: Operations,
    /// Without an ACL.
    unruled: Operations,
}

impl OperationChanges {
    fn new(access: &SideOperations) -> Self {
        let none = Operations::default();
        let (before, after) = (access.on(0), access.on(1));
        Self {
            effects: [
                after.allowed.without(before.allowed),
                before.allowed.without(after.allowed),
                none,
                none,
                after.covered.without(before.covered).and(after.denied),
            ],
            denied: [
                before.denied.and(after.unruled),
                before.unruled.and(after.denied),
            ],
            bypassed: match access.superuser {
                [false, true] => [before.by_acl, none],
                [true, false] => [none, after.by_acl],
                _ => [none, none],
            },
        }
    }

    /// The changes beyond those for everyone.
    fn beyond(&self, everyone: &Self) -> Self {
        let [was_denied, is_denied] = self.denied;
        let [everyone_was_denied, everyone_is_denied] = everyone.denied;
        let mut effects = self.effects;
        for (here, there) in effects.iter_mut().zip(everyone.effects) {
            *here = here.without(there);
        }
        Self {
            effects,
            denied: [
                was_denied.without(everyone_was_denied),
                is_denied.without(everyone_is_denied),
            ],
            bypassed: self.bypassed,
        }
    }

    fn needs_others(&self) -> bool {
        let [a, b] = self.denied;
        let [c, d] = self.bypassed;
        !a.or(b).or(c).or(d).is_empty()
    }
}

/// One scope and resource type.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) scope: Scope,
    pub(super) ids: [Option<PrincipalId>; 2],
    pub(super) resource_type: ResourceType,
    superuser: [bool; 2],
    /// The operations of the dialects.
    every: Operations,
    pub(super) rules: Vec<SidedRule<'a>>,
}

/// The regions of a view, and the changes in each.
#[derive(Debug)]
pub(super) struct Regions<'a> {
    pub(super) tree: Tree<'a>,
    pub(super) scopes: Vec<HostScope>,
    /// By host scope and place.
    changes: Vec<Vec<OperationChanges>>,
    /// For each place, its index among the places of others.
    among_others: Vec<usize>,
}

impl<'a> View<'a> {
    pub(super) const fn new(
        scope: Scope,
        ids: [Option<PrincipalId>; 2],
        resource_type: ResourceType,
        superuser: [bool; 2],
        every: Operations,
    ) -> Self {
        Self {
            scope,
            ids,
            resource_type,
            superuser,
            every,
            rules: Vec::new(),
        }
    }

    /// The regions of the scope's own rules.
    pub(super) fn regions(&self) -> Regions<'a> {
        self.regions_with(&[], &[])
    }

    /// The regions of the scope's own rules and of these places of others.
    pub(super) fn regions_with(
        &self,
        others: &[(Place<'a>, usize)],
        hosts: &[Host],
    ) -> Regions<'a> {
        let places = self.rules.iter().map(|sided| sided.rule.place);
        let tree = Tree::new(places.chain(others.iter().map(|(place, _)| *place)));
        let scopes = HostScope::all(&hosts_of(
            self.rules.iter().map(|sided| &sided.rule.host).chain(hosts),
        ));
        let changes = scopes
            .iter()
            .map(|host_scope| self.changes(&tree, *host_scope))
            .collect();
        let mut among_others = vec![usize::MAX; if others.is_empty() { 0 } else { tree.len() }];
        for ((_, among), at) in others
            .iter()
            .zip(tree.made_of().iter().skip(self.rules.len()))
        {
            if let Some(place) = among_others.get_mut(*at) {
                *place = *among;
            }
        }
        for at in 0..among_others.len() {
            let above = tree
                .parent(at)
                .and_then(|parent| among_others.get(parent))
                .copied();
            if let (Some(above), Some(here)) = (above, among_others.get_mut(at))
                && *here == usize::MAX
            {
                *here = above;
            }
        }
        Regions {
            tree,
            scopes,
            changes,
            among_others,
        }
    }

    /// The changes in each region of a tree of the rules' places.
    fn changes(&self, tree: &Tree<'_>, host_scope: HostScope) -> Vec<OperationChanges> {
        let everyone = SideOperations {
            every: self.every,
            ..SideOperations::default()
        };
        let own = SideOperations {
            superuser: self.superuser,
            ..everyone
        };
        // For the scope, and for everyone alone.
        let mut operations_at = vec![(own, everyone); tree.len()];
        for (
            SidedRule {
                rule,
                side,
                everyone,
            },
            at,
        ) in self.rules.iter().zip(tree.made_of())
        {
            let (allow, deny) = host_scope.apply(&rule.host, rule.allow, rule.deny);
            let Some((own, all)) = operations_at.get_mut(*at) else {
                continue;
            };
            own.add(*side, allow, deny);
            if *everyone {
                all.add(*side, allow, deny);
            }
        }
        let mut changes = Vec::with_capacity(tree.len());
        for at in 0..tree.len() {
            let above = tree
                .parent(at)
                .and_then(|parent| operations_at.get(parent))
                .copied();
            let Some((own, everyone)) = operations_at.get_mut(at) else {
                continue;
            };
            if let Some((above, everyone_above)) = above {
                for side in 0..2 {
                    own.add(
                        side,
                        *on_side(&above.allow, side),
                        *on_side(&above.deny, side),
                    );
                    everyone.add(
                        side,
                        *on_side(&everyone_above.allow, side),
                        *on_side(&everyone_above.deny, side),
                    );
                }
            }
            let change = OperationChanges::new(own);
            changes.push(if self.scope.is_everyone() {
                change
            } else {
                change.beyond(&OperationChanges::new(everyone))
            });
        }
        changes
    }

    /// The effects in each region, including those that depend on the access of others.
    pub(super) fn effects(
        &self,
        regions: &Regions<'_>,
        host_scope: usize,
        others: Option<&Others<'_>>,
    ) -> Vec<[Operations; 5]> {
        let Some(changes) = regions.changes.get(host_scope) else {
            return Vec::new();
        };
        let host_scope = regions
            .scopes
            .get(host_scope)
            .copied()
            .unwrap_or(HostScope::Other);
        let mut effects = Vec::with_capacity(changes.len());
        for (at, change) in changes.iter().enumerate() {
            let [was_denied, is_denied] = change.denied;
            let [bypasses, bypassed] = change.bypassed;
            let [gains, loses, _, _, blocked] = change.effects;
            let (mut gains_with, mut loses_with) = (was_denied, is_denied);
            if let Some(others) = others
                && change.needs_others()
            {
                let among = regions.among_others.get(at).copied().unwrap_or(usize::MAX);
                let before = others.at(0, self.resource_type, among, host_scope);
                let after = others.at(1, self.resource_type, among, host_scope);
                gains_with = was_denied
                    .and(after.partners(&self.scope))
                    .or(bypasses.and(before.group_denied));
                loses_with = is_denied
                    .and(before.partners(&self.scope))
                    .or(bypassed.and(after.group_denied));
            }
            effects.push([gains, loses, gains_with, loses_with, blocked]);
        }
        effects
    }

    /// Whether the effects depend on other principals. Those of a role do not, because its members
    /// have differences of their own.
    pub(super) fn depends_on_others(&self) -> bool {
        !is_role(&self.scope)
    }
}

impl<'a> Regions<'a> {
    /// The places whose effects depend on others.
    pub(super) fn unsettled(&self) -> Vec<Place<'a>> {
        let mut unsettled = Vec::new();
        for at in 0..self.tree.len() {
            let mut changes = self.changes.iter().filter_map(|changes| changes.get(at));
            if changes.any(OperationChanges::needs_others) {
                unsettled.push(self.tree.place(at));
            }
        }
        unsettled
    }
}

impl SideOperations {
    fn on(&self, side: usize) -> DecidedOperations {
        if *on_side(&self.superuser, side) {
            return DecidedOperations {
                allowed: self.every,
                covered: self.every,
                ..DecidedOperations::default()
            };
        }
        let (allow, deny) = (*on_side(&self.allow, side), *on_side(&self.deny, side));
        let by_acl = allow.without(deny);
        DecidedOperations {
            allowed: by_acl,
            by_acl,
            denied: deny,
            covered: allow,
            unruled: self.every.without(allow).without(deny),
        }
    }

    fn add(&mut self, side: usize, allow: Operations, deny: Operations) {
        let ([allow_before, allow_after], [deny_before, deny_after]) =
            (&mut self.allow, &mut self.deny);
        let (allows, denies) = if side == 0 {
            (allow_before, deny_before)
        } else {
            (allow_after, deny_after)
        };
        *allows = allows.or(allow);
        *denies = denies.or(deny);
    }
}
