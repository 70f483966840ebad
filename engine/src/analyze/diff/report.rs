//! What was found, in words that a person can check: extents, counterexamples and the denies in the way.

use std::net::{IpAddr, Ipv4Addr};

use super::others::Others;
use super::view::{Scope, Seen, View, of};
use super::{Addresses, Counterexample, Difference, Effect, Extent, Hosts, is_role};
use crate::analyze::Holder;
use crate::analyze::stranger;
use crate::analyze::tree::{Piece, Tree};
use crate::analyze::who_can::{Hits, who_can};
use crate::decide::{At, Outcome, Reason, Request, decide};
use crate::identity::Identity;
use crate::model::{Acl, Operation, Principal, PrincipalType, ResourceType};
use crate::order::sort;
use crate::policy::{Operations, Policy};

/// The differences, as they are found.
pub(super) struct Report<'a> {
    policies: [&'a Policy; 2],
    /// A name that neither policy knows as a user's.
    stranger: String,
    differences: Vec<Difference>,
    roles: Vec<Difference>,
}

/// Pieces that are the same from several hosts.
pub(in crate::analyze) struct Found {
    piece: Piece,
    scopes: Vec<Scope>,
}

impl Found {
    /// A piece from one host.
    pub(in crate::analyze) fn new(piece: Piece, scope: Scope) -> Self {
        Self { piece, scopes: vec![scope] }
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(policies: [&'a Policy; 2]) -> Self {
        Self { policies, stranger: stranger(&policies), differences: Vec::new(), roles: Vec::new() }
    }

    /// The differences of holders, and those of roles.
    pub(super) fn end(self) -> (Vec<Difference>, Vec<Difference>) {
        let [differences, roles] = [self.differences, self.roles].map(|mut found| {
            sort(&mut found, |a, b| (&a.holder, a.effect).cmp(&(&b.holder, b.effect)));
            // What is of the same holder and effect, but on another resource type, is one difference.
            let mut one: Vec<Difference> = Vec::with_capacity(found.len());
            for more in found {
                match one.last_mut() {
                    Some(last) if last.holder == more.holder && last.effect == more.effect => {
                        last.extents.extend(more.extents);
                        last.counterexample = last.counterexample.take().or(more.counterexample);
                        last.blocked_by.extend(more.blocked_by);
                    }
                    _ => one.push(more),
                }
            }
            for difference in &mut one {
                // Each resource type by itself is in order.
                sort(&mut difference.extents, |a, b| a.resource_type.cmp(&b.resource_type));
            }
            one
        });
        (differences, roles)
    }

    /// Adds what is different for a holder and a resource type.
    pub(super) fn add(&mut self, view: &View<'_>, seen: &Seen<'_>, others: Option<&Others<'_>>) {
        let effects: Vec<Vec<[Operations; 5]>> =
            (0..seen.scopes.len()).map(|scope| view.effects(seen, scope, others)).collect();
        for (place, effect) in Effect::ALL.iter().enumerate() {
            let of_effect = |effects: &[Operations; 5]| effects.get(place).copied().unwrap_or_default();
            let mut found = Vec::new();
            for (scope, effects) in seen.scopes.iter().zip(&effects) {
                if effects.iter().any(|effects| !of_effect(effects).is_empty()) {
                    let has: Vec<Operations> = effects.iter().map(of_effect).collect();
                    let pieces = seen.tree.pieces(&has, &[]).into_iter();
                    found.extend(pieces.map(|piece| Found::new(piece, *scope)));
                }
            }
            if !found.is_empty() {
                let found = if seen.scopes.len() == 1 { found } else { merged(found) };
                self.tell(view, *effect, &seen.tree, &found, &seen.scopes);
            }
        }
    }

    fn tell(&mut self, view: &View<'_>, effect: Effect, tree: &Tree<'_>, found: &[Found], scopes: &[Scope]) {
        let counterexample = if effect == Effect::StillBlocked || is_role(&view.holder) {
            None
        } else {
            found.iter().find_map(|found| self.counterexample(view, tree, found, scopes, effect)).map(Box::new)
        };
        let difference = Difference {
            holder: view.holder.clone(),
            effect,
            extents: found.iter().map(|found| extent(view.resource_type, tree, found, scopes)).collect(),
            counterexample,
            blocked_by: match effect {
                Effect::StillBlocked => self.blocking(view, tree, found, scopes),
                _ => Vec::new(),
            },
        };
        let list = if is_role(&view.holder) { &mut self.roles } else { &mut self.differences };
        list.push(difference);
    }

    /// A request of what was found, and an identity for which it is decided differently: the holder alone or with another.
    fn counterexample(
        &self,
        view: &View<'_>,
        tree: &Tree<'_>,
        found: &Found,
        scopes: &[Scope],
        effect: Effect,
    ) -> Option<Counterexample> {
        let alone = matches!(effect, Effect::Gains | Effect::Loses);
        let gains = matches!(effect, Effect::Gains | Effect::GainsWithOthers);
        let wanted = if gains { [Outcome::Deny, Outcome::Allow] } else { [Outcome::Allow, Outcome::Deny] };
        let resource_type = view.resource_type;
        let resource_name = tree.witness(found.piece.at, resource_type)?;
        let scope = *found.scopes.first()?;
        for operation in found.piece.operations.iter() {
            let request = Request::new(operation, resource_type, &resource_name, At::IgnoringExpiry)
                .with_host(address(scope, scopes));
            for identity in self.identities(&view.holder, &request, alone) {
                let [before, after] = self.policies.map(|policy| decide(policy, &identity, &request));
                // What a partner gains or loses as a superuser is the partner's own difference.
                let superuser = [&before, &after].into_iter().any(|decision| decision.reason == Reason::Superuser);
                let of_partner = superuser && view.holder != Holder::One(Principal::user(identity.user()));
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
    fn identities(&self, holder: &Holder, request: &Request<'_>, alone: bool) -> Vec<Identity> {
        let stranger = self.stranger.as_str();
        let (user, group) = match holder {
            Holder::Everyone => (None, None),
            Holder::One(principal) if principal.kind() == PrincipalType::Group => (None, Some(principal.name())),
            Holder::One(principal) => (Some(principal.name()), None),
        };
        if alone {
            return vec![Identity::new(user.unwrap_or(stranger), group)];
        }
        let mut identities = Vec::new();
        for policy in self.policies {
            for entry in who_can(policy, request).entries {
                let Holder::One(partner) = &entry.holder else { continue };
                let identity = match partner.kind() {
                    PrincipalType::Group => {
                        Identity::new(user.unwrap_or(stranger), group.into_iter().chain([partner.name()]))
                    }
                    PrincipalType::User if user.is_none() && !holder.is_everyone() => {
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
    fn blocking(&self, view: &View<'_>, tree: &Tree<'_>, found: &[Found], scopes: &[Scope]) -> Vec<Acl> {
        let [_, policy] = self.policies;
        let mut blocking = Vec::new();
        for found in found {
            let (Some(name), Some(scope)) = (tree.witness(found.piece.at, view.resource_type), found.scopes.first())
            else {
                continue;
            };
            for operation in found.piece.operations.iter() {
                let host = address(*scope, scopes);
                let request = Request::new(operation, view.resource_type, &name, At::IgnoringExpiry).with_host(host);
                let hits = Hits::new(policy, &request);
                let id = *of(&view.ids, 1);
                blocking.extend(hits.entry(view.holder.clone(), id).denied_by.into_iter().map(|found| found.acl));
            }
        }
        sort(&mut blocking, |a: &Acl, b| a.cmp(b));
        blocking.dedup();
        blocking
    }
}

/// An address of a scope: one that no rule names, where it is any other.
fn address(scope: Scope, scopes: &[Scope]) -> Option<IpAddr> {
    match scope {
        Scope::Unknown => None,
        Scope::Address(address) => Some(address),
        Scope::Other if scopes.len() < 2 => None,
        Scope::Other => {
            // Addresses of RFC 5737, and after them whatever follows.
            let first = u32::from(Ipv4Addr::new(192, 0, 2, 1));
            let addresses = (first..u32::MAX).map(|address| IpAddr::V4(Ipv4Addr::from(address)));
            addresses.into_iter().find(|address| !scopes.contains(&Scope::Address(*address)))
        }
    }
}

/// The same pieces of several scopes as one.
pub(in crate::analyze) fn merged(mut found: Vec<Found>) -> Vec<Found> {
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

pub(in crate::analyze) fn extent(
    resource_type: ResourceType,
    tree: &Tree<'_>,
    found: &Found,
    scopes: &[Scope],
) -> Extent {
    Extent {
        resource_type,
        pattern: tree.place(found.piece.at).pattern(),
        except: found.piece.except.iter().map(|(at, _)| tree.place(*at).pattern()).collect(),
        operations: found.piece.operations.iter().collect(),
        hosts: hosts(&found.scopes, scopes),
    }
}

/// Some of all scopes as hosts.
fn hosts(some: &[Scope], all: &[Scope]) -> Hosts {
    let addresses = |wanted: bool| {
        let is = |scope: &&Scope| some.contains(scope) == wanted;
        let address = |scope: &Scope| if let Scope::Address(address) = scope { Some(*address) } else { None };
        all.iter().filter(is).filter_map(address).collect()
    };
    // Where no ACL names a host there is one scope, which is all of them.
    let unknown = some.contains(&Scope::Unknown) || all.len() == 1;
    let other = some.contains(&Scope::Other);
    let addresses = if other { Addresses::AllBut(addresses(false)) } else { Addresses::Only(addresses(true)) };
    Hosts { unknown, addresses }
}
