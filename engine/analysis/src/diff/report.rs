//! The differences as a report: regions, counterexamples and the denies that block an allow.

use std::net::IpAddr;

use super::host_scope::{HostScope, cover, on_side};
use super::others::Others;
use super::view::{Regions, View};
use super::{AccessEffect, AccessRegion, Addresses, Counterexample, Difference, HostSet, is_role};
use crate::scope::Scope;
use crate::scope::stranger;
use crate::tree::{Piece, Tree};
use crate::who_can::{Hits, who_can};
use gbac_engine::decide::{At, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Host, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::{Policy, index::Operations};

/// Collects the differences.
pub(super) struct Report<'a> {
    policies: [&'a Policy; 2],
    /// A user name in neither policy.
    stranger: String,
    differences: Vec<Difference>,
    roles: Vec<Difference>,
}

/// A piece of a tree with its host scopes.
pub(crate) struct ScopedPiece {
    piece: Piece,
    scopes: Vec<HostScope>,
}

impl ScopedPiece {
    /// Creates a piece with one host scope.
    pub(crate) fn new(piece: Piece, host_scope: HostScope) -> Self {
        Self {
            piece,
            scopes: vec![host_scope],
        }
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(policies: [&'a Policy; 2]) -> Self {
        Self {
            policies,
            stranger: stranger(&policies),
            differences: Vec::new(),
            roles: Vec::new(),
        }
    }

    /// The differences of users, groups and everyone, and those of roles.
    pub(super) fn end(self) -> (Vec<Difference>, Vec<Difference>) {
        let [differences, roles] = [self.differences, self.roles].map(|mut entries| {
            sort(&mut entries, |a, b| {
                (&a.scope, a.effect).cmp(&(&b.scope, b.effect))
            });
            // Merges entries with the same scope and effect on different resource types.
            let mut merged: Vec<Difference> = Vec::with_capacity(entries.len());
            for entry in entries {
                match merged.last_mut() {
                    Some(last) if last.scope == entry.scope && last.effect == entry.effect => {
                        last.regions.extend(entry.regions);
                        last.counterexample = last.counterexample.take().or(entry.counterexample);
                        last.denied_by.extend(entry.denied_by);
                    }
                    _ => merged.push(entry),
                }
            }
            for difference in &mut merged {
                // The regions of each resource type are already sorted.
                sort(&mut difference.regions, |a, b| {
                    a.resource_type.cmp(&b.resource_type)
                });
            }
            merged
        });
        (differences, roles)
    }

    /// Adds the differences of a scope and a resource type.
    pub(super) fn add(
        &mut self,
        view: &View<'_>,
        regions: &Regions<'_>,
        others: Option<&Others<'_>>,
    ) {
        let effects: Vec<Vec<[Operations; 5]>> = (0..regions.scopes.len())
            .map(|host_scope| view.effects(regions, host_scope, others))
            .collect();
        for (place, effect) in AccessEffect::ALL.iter().enumerate() {
            let mut found = Vec::new();
            for (host_scope, effects) in regions.scopes.iter().zip(&effects) {
                if !effects
                    .iter()
                    .any(|effects| !at_place(effects, place).is_empty())
                {
                    continue;
                }
                let has: Vec<Operations> = effects
                    .iter()
                    .map(|effects| at_place(effects, place))
                    .collect();
                for piece in regions.tree.pieces(&has, &[]) {
                    found.push(ScopedPiece::new(piece, *host_scope));
                }
            }
            if !found.is_empty() {
                let found = if regions.scopes.len() == 1 {
                    found
                } else {
                    merged(found)
                };
                self.push(view, *effect, &regions.tree, &found, &regions.scopes);
            }
        }
    }

    fn push(
        &mut self,
        view: &View<'_>,
        effect: AccessEffect,
        tree: &Tree<'_>,
        pieces: &[ScopedPiece],
        scopes: &[HostScope],
    ) {
        let counterexample = if effect == AccessEffect::StillDenied || is_role(&view.scope) {
            None
        } else {
            pieces
                .iter()
                .find_map(|piece| self.counterexample(view, tree, piece, scopes, effect))
                .map(Box::new)
        };
        let difference = Difference {
            scope: view.scope.clone(),
            effect,
            regions: pieces
                .iter()
                .map(|piece| region(view.resource_type, tree, piece, scopes))
                .collect(),
            counterexample,
            denied_by: match effect {
                AccessEffect::StillDenied => self.blocking(view, tree, pieces, scopes),
                _ => Vec::new(),
            },
        };
        let list = if is_role(&view.scope) {
            &mut self.roles
        } else {
            &mut self.differences
        };
        list.push(difference);
    }

    /// A request in a piece, and an identity with different decisions about it: the scope alone or
    /// with another principal.
    fn counterexample(
        &self,
        view: &View<'_>,
        tree: &Tree<'_>,
        scoped: &ScopedPiece,
        scopes: &[HostScope],
        effect: AccessEffect,
    ) -> Option<Counterexample> {
        let alone = matches!(effect, AccessEffect::Gains | AccessEffect::Loses);
        let gains = matches!(effect, AccessEffect::Gains | AccessEffect::CanGain);
        let outcomes = if gains {
            [Outcome::Deny, Outcome::Allow]
        } else {
            [Outcome::Allow, Outcome::Deny]
        };
        let resource_type = view.resource_type;
        let resource_name = tree.witness(scoped.piece.at, resource_type)?;
        let host_scope = *scoped.scopes.first()?;
        for operation in scoped.piece.operations.iter() {
            let request =
                Request::new(operation, resource_type, &resource_name, At::IgnoringExpiry)
                    .with_host(address(host_scope, scopes));
            for identity in self.identities(&view.scope, &request, alone) {
                let [before, after] = self
                    .policies
                    .map(|policy| decide(policy, &identity, &request));
                // A superuser's gains and losses are its own differences.
                let superuser = [&before, &after]
                    .into_iter()
                    .any(|decision| decision.reason == Reason::Superuser);
                let of_partner = superuser && view.scope != Scope::One(identity.principal());
                if [before.outcome, after.outcome] == outcomes && !of_partner {
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

    /// The identity of the scope alone, or combined with each principal that can make a difference.
    fn identities(&self, scope: &Scope, request: &Request<'_>, alone: bool) -> Vec<Identity> {
        let (user, group) = match scope {
            Scope::Everyone => (None, None),
            Scope::One(principal) if principal.kind() == PrincipalType::Group => {
                (None, Some(principal.name()))
            }
            Scope::One(principal) => (Some(principal.name()), None),
        };
        if alone {
            return vec![self.identity(scope, group.as_slice())];
        }
        let mut identities = Vec::new();
        for policy in self.policies {
            for entry in who_can(policy, request).entries {
                let Scope::One(partner) = &entry.scope else {
                    continue;
                };
                let identity = match partner.kind() {
                    PrincipalType::Group => {
                        let groups: Vec<&str> = group.into_iter().chain([partner.name()]).collect();
                        self.identity(scope, &groups)
                    }
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

    /// The principal of a scope, or a user in neither policy, with these groups.
    fn identity(&self, scope: &Scope, groups: &[&str]) -> Identity {
        let groups = groups.iter().copied();
        let user = match scope {
            Scope::Everyone => return Identity::new(self.stranger.as_str(), groups),
            Scope::One(principal) => principal,
        };
        match Identity::of_principal(user, groups.clone()) {
            Ok((identity, _)) => identity,
            Err(_) if user.kind() == PrincipalType::Group => {
                Identity::new(self.stranger.as_str(), groups)
            }
            Err(_) => Identity::new(user.name(), groups),
        }
    }

    /// The ACLs that deny the pieces to the scope.
    fn blocking(
        &self,
        view: &View<'_>,
        tree: &Tree<'_>,
        pieces: &[ScopedPiece],
        scopes: &[HostScope],
    ) -> Vec<Acl> {
        let [_, policy] = self.policies;
        let mut blocking = Vec::new();
        for scoped in pieces {
            let (Some(name), Some(host_scope)) = (
                tree.witness(scoped.piece.at, view.resource_type),
                scoped.scopes.first(),
            ) else {
                continue;
            };
            for operation in scoped.piece.operations.iter() {
                let host = address(*host_scope, scopes);
                let request =
                    Request::new(operation, view.resource_type, &name, At::IgnoringExpiry)
                        .with_host(host);
                let hits = Hits::new(policy, &request);
                let id = *on_side(&view.ids, 1);
                for denied in hits.entry(view.scope.clone(), id).denied_by {
                    blocking.push(denied.acl);
                }
            }
        }
        sort(&mut blocking, |a: &Acl, b| a.cmp(b));
        blocking.dedup();
        blocking
    }
}

fn at_place(effects: &[Operations; 5], place: usize) -> Operations {
    effects.get(place).copied().unwrap_or_default()
}

/// An address of a host scope; `None` if no rule names a host.
fn address(host_scope: HostScope, scopes: &[HostScope]) -> Option<IpAddr> {
    if scopes.len() < 2 {
        None
    } else {
        host_scope.address(scopes)
    }
}

/// Merges equal pieces of several host scopes.
pub(crate) fn merged(mut pieces: Vec<ScopedPiece>) -> Vec<ScopedPiece> {
    sort(&mut pieces, |a, b| {
        let (operations, others) = (a.piece.operations.iter(), b.piece.operations.iter());
        (a.piece.at.cmp(&b.piece.at))
            .then_with(|| operations.cmp(others))
            .then_with(|| a.piece.except.cmp(&b.piece.except))
            .then_with(|| a.scopes.cmp(&b.scopes))
    });
    let mut merged: Vec<ScopedPiece> = Vec::new();
    for scoped in pieces {
        match merged.last_mut() {
            Some(last)
                if last.piece.at == scoped.piece.at
                    && last.piece.operations == scoped.piece.operations
                    && last.piece.except == scoped.piece.except =>
            {
                last.scopes.extend(scoped.scopes);
            }
            _ => merged.push(scoped),
        }
    }
    merged
}

pub(crate) fn region(
    resource_type: ResourceType,
    tree: &Tree<'_>,
    scoped: &ScopedPiece,
    scopes: &[HostScope],
) -> AccessRegion {
    AccessRegion {
        resource_type,
        pattern: tree.place(scoped.piece.at).pattern(),
        except: scoped
            .piece
            .except
            .iter()
            .map(|(at, _)| tree.place(*at).pattern())
            .collect(),
        operations: scoped.piece.operations.iter().collect(),
        hosts: hosts(&scoped.scopes, scopes),
    }
}

/// Converts host scopes to a set of clients; `all` are the scopes that the rules distinguish.
fn hosts(some: &[HostScope], all: &[HostScope]) -> HostSet {
    let (mut included, mut others) = (Vec::new(), Vec::new());
    for host_scope in all {
        match host_scope.host() {
            None | Some(Host::Any) => {}
            Some(host) if some.contains(host_scope) => included.push(host),
            Some(host) => others.push(host),
        }
    }
    // Without hosts in ACLs, there is a single scope for all clients.
    let unknown = some.contains(&HostScope::Unknown) || all.len() == 1;
    let addresses = if some.contains(&HostScope::Other) {
        Addresses::AllBut(cover(&others, &included))
    } else {
        Addresses::Only(cover(&included, &others))
    };
    HostSet { unknown, addresses }
}
