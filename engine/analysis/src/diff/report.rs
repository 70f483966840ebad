//! The differences as a report: regions, counterexamples and the denies that block an allow.

use std::net::IpAddr;

use super::host_scope::{HostScope, cover, of};
use super::others::Others;
use super::view::{Seen, View};
use super::{AccessEffect, AccessRegion, Addresses, Counterexample, Difference, HostSet, is_role};
use crate::scope::Scope;
use crate::scope::stranger;
use crate::tree::{Piece, Tree};
use crate::who_can::{Hits, who_can};
use gbac_engine::decide::{At, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::internal::sort;
use gbac_engine::model::{Acl, Host, Operation, PrincipalType, ResourceType};
use gbac_engine::{internal::Operations, policy::Policy};

/// The differences, as they are found.
pub(super) struct Report<'a> {
    policies: [&'a Policy; 2],
    /// A name that neither policy knows as a user's.
    stranger: String,
    differences: Vec<Difference>,
    roles: Vec<Difference>,
}

/// Pieces that are the same from several hosts.
pub(crate) struct Found {
    piece: Piece,
    scopes: Vec<HostScope>,
}

impl Found {
    /// A piece from one host.
    pub(crate) fn new(piece: Piece, host_scope: HostScope) -> Self {
        Self { piece, scopes: vec![host_scope] }
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(policies: [&'a Policy; 2]) -> Self {
        Self { policies, stranger: stranger(&policies), differences: Vec::new(), roles: Vec::new() }
    }

    /// The differences of holders, and those of roles.
    pub(super) fn end(self) -> (Vec<Difference>, Vec<Difference>) {
        let [differences, roles] = [self.differences, self.roles].map(|mut found| {
            sort(&mut found, |a, b| (&a.scope, a.effect).cmp(&(&b.scope, b.effect)));
            // What is of the same holder and effect, but on another resource type, is one difference.
            let mut one: Vec<Difference> = Vec::with_capacity(found.len());
            for more in found {
                match one.last_mut() {
                    Some(last) if last.scope == more.scope && last.effect == more.effect => {
                        last.regions.extend(more.regions);
                        last.counterexample = last.counterexample.take().or(more.counterexample);
                        last.blocked_by.extend(more.blocked_by);
                    }
                    _ => one.push(more),
                }
            }
            for difference in &mut one {
                // Each resource type by itself is in order.
                sort(&mut difference.regions, |a, b| a.resource_type.cmp(&b.resource_type));
            }
            one
        });
        (differences, roles)
    }

    /// Adds what is different for a holder and a resource type.
    pub(super) fn add(&mut self, view: &View<'_>, seen: &Seen<'_>, others: Option<&Others<'_>>) {
        let effects: Vec<Vec<[Operations; 5]>> =
            (0..seen.scopes.len()).map(|host_scope| view.effects(seen, host_scope, others)).collect();
        for (place, effect) in AccessEffect::ALL.iter().enumerate() {
            let of_effect = |effects: &[Operations; 5]| effects.get(place).copied().unwrap_or_default();
            let mut found = Vec::new();
            for (host_scope, effects) in seen.scopes.iter().zip(&effects) {
                if effects.iter().any(|effects| !of_effect(effects).is_empty()) {
                    let has: Vec<Operations> = effects.iter().map(of_effect).collect();
                    let pieces = seen.tree.pieces(&has, &[]).into_iter();
                    found.extend(pieces.map(|piece| Found::new(piece, *host_scope)));
                }
            }
            if !found.is_empty() {
                let found = if seen.scopes.len() == 1 { found } else { merged(found) };
                self.tell(view, *effect, &seen.tree, &found, &seen.scopes);
            }
        }
    }

    fn tell(&mut self, view: &View<'_>, effect: AccessEffect, tree: &Tree<'_>, found: &[Found], scopes: &[HostScope]) {
        let counterexample = if effect == AccessEffect::StillBlocked || is_role(&view.scope) {
            None
        } else {
            found.iter().find_map(|found| self.counterexample(view, tree, found, scopes, effect)).map(Box::new)
        };
        let difference = Difference {
            scope: view.scope.clone(),
            effect,
            regions: found.iter().map(|found| region(view.resource_type, tree, found, scopes)).collect(),
            counterexample,
            blocked_by: match effect {
                AccessEffect::StillBlocked => self.blocking(view, tree, found, scopes),
                _ => Vec::new(),
            },
        };
        let list = if is_role(&view.scope) { &mut self.roles } else { &mut self.differences };
        list.push(difference);
    }

    /// A request of what was found, and an identity for which it is decided differently: the holder alone or with another.
    fn counterexample(
        &self,
        view: &View<'_>,
        tree: &Tree<'_>,
        found: &Found,
        scopes: &[HostScope],
        effect: AccessEffect,
    ) -> Option<Counterexample> {
        let alone = matches!(effect, AccessEffect::Gains | AccessEffect::Loses);
        let gains = matches!(effect, AccessEffect::Gains | AccessEffect::GainsWithOthers);
        let wanted = if gains { [Outcome::Deny, Outcome::Allow] } else { [Outcome::Allow, Outcome::Deny] };
        let resource_type = view.resource_type;
        let resource_name = tree.witness(found.piece.at, resource_type)?;
        let host_scope = *found.scopes.first()?;
        for operation in found.piece.operations.iter() {
            let request = Request::new(operation, resource_type, &resource_name, At::IgnoringExpiry)
                .with_host(address(host_scope, scopes));
            for identity in self.identities(&view.scope, &request, alone) {
                let [before, after] = self.policies.map(|policy| decide(policy, &identity, &request));
                // What a partner gains or loses as a superuser is the partner's own difference.
                let superuser = [&before, &after].into_iter().any(|decision| decision.reason == Reason::Superuser);
                let of_partner = superuser && view.scope != Scope::One(identity.principal());
                if [before.outcome, after.outcome] == wanted && !of_partner {
                    let host = request.host;
                    return Some(Counterexample {
                        identity,
                        operation,
                        resource_type,
                        resource_name,
                        host,
                        before,
                        after,
                    });
                }
            }
        }
        None
    }

    /// The holder alone, or with each one that may make a difference to it.
    fn identities(&self, scope: &Scope, request: &Request<'_>, alone: bool) -> Vec<Identity> {
        let stranger = self.stranger.as_str();
        let (user, group) = match scope {
            Scope::Everyone => (None, None),
            Scope::One(principal) if principal.kind() == PrincipalType::Group => (None, Some(principal.name())),
            Scope::One(principal) => (Some(principal.name()), None),
        };
        let named = |groups: Vec<&str>| match scope {
            Scope::One(principal) => Identity::of_principal(principal, groups.iter().copied()).map_or_else(
                |_| Identity::new(user.unwrap_or(stranger), groups.iter().copied()),
                |(identity, _)| identity,
            ),
            Scope::Everyone => Identity::new(stranger, groups),
        };
        if alone {
            return vec![named(group.into_iter().collect())];
        }
        let mut identities = Vec::new();
        for policy in self.policies {
            for entry in who_can(policy, request).entries {
                let Scope::One(partner) = &entry.scope else { continue };
                let identity = match partner.kind() {
                    PrincipalType::Group => named(group.into_iter().chain([partner.name()]).collect()),
                    PrincipalType::User if user.is_none() && !scope.is_everyone() => {
                        Identity::new(partner.name(), group)
                    }
                    _ => continue,
                };
                let may_help = entry.outcome == Outcome::Allow || !entry.denied_by.is_empty();
                if may_help && partner.name() != "" {
                    identities.push(identity);
                }
            }
        }
        identities
    }

    /// The ACLs that deny the holder what was found.
    fn blocking(&self, view: &View<'_>, tree: &Tree<'_>, found: &[Found], scopes: &[HostScope]) -> Vec<Acl> {
        let [_, policy] = self.policies;
        let mut blocking = Vec::new();
        for found in found {
            let (Some(name), Some(host_scope)) =
                (tree.witness(found.piece.at, view.resource_type), found.scopes.first())
            else {
                continue;
            };
            for operation in found.piece.operations.iter() {
                let host = address(*host_scope, scopes);
                let request = Request::new(operation, view.resource_type, &name, At::IgnoringExpiry).with_host(host);
                let hits = Hits::new(policy, &request);
                let id = *of(&view.ids, 1);
                blocking.extend(hits.entry(view.scope.clone(), id).denied_by.into_iter().map(|found| found.acl));
            }
        }
        sort(&mut blocking, |a: &Acl, b| a.cmp(b));
        blocking.dedup();
        blocking
    }
}

/// An address of a scope; none where no rule names a host.
fn address(host_scope: HostScope, scopes: &[HostScope]) -> Option<IpAddr> {
    if scopes.len() < 2 { None } else { host_scope.address(scopes) }
}

/// The same pieces of several scopes as one.
pub(crate) fn merged(mut found: Vec<Found>) -> Vec<Found> {
    let operations = |found: &Found| found.piece.operations.iter().collect::<Vec<Operation>>();
    sort(&mut found, |a, b| {
        let places = |found: &Found| (found.piece.at, operations(found));
        places(a)
            .cmp(&places(b))
            .then_with(|| a.piece.except.cmp(&b.piece.except))
            .then_with(|| a.scopes.cmp(&b.scopes))
    });
    let mut merged: Vec<Found> = Vec::new();
    for found in found {
        match merged.last_mut() {
            Some(last)
                if last.piece.at == found.piece.at
                    && last.piece.operations == found.piece.operations
                    && last.piece.except == found.piece.except =>
            {
                last.scopes.extend(found.scopes);
            }
            _ => merged.push(found),
        }
    }
    merged
}

pub(crate) fn region(
    resource_type: ResourceType,
    tree: &Tree<'_>,
    found: &Found,
    scopes: &[HostScope],
) -> AccessRegion {
    AccessRegion {
        resource_type,
        pattern: tree.place(found.piece.at).pattern(),
        except: found.piece.except.iter().map(|(at, _)| tree.place(*at).pattern()).collect(),
        operations: found.piece.operations.iter().collect(),
        hosts: hosts(&found.scopes, scopes),
    }
}

/// Some of all scopes as hosts.
fn hosts(some: &[HostScope], all: &[HostScope]) -> HostSet {
    let named = |wanted: bool| -> Vec<Host> {
        let is = |host_scope: &&HostScope| some.contains(host_scope) == wanted;
        all.iter().filter(is).filter_map(|host_scope| host_scope.host()).filter(|host| *host != Host::Any).collect()
    };
    let addresses = |wanted: bool| cover(&named(wanted), &named(!wanted));
    // Where no ACL names a host there is one scope, which is all of them.
    let unknown = some.contains(&HostScope::Unknown) || all.len() == 1;
    let other = some.contains(&HostScope::Other);
    let addresses = if other { Addresses::AllBut(addresses(false)) } else { Addresses::Only(addresses(true)) };
    HostSet { unknown, addresses }
}
