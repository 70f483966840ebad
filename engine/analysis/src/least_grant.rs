//! The smallest grant that allows denied requests: sets of existing groups or roles, or new ACLs.

use std::collections::BTreeMap;

use super::compare::compare;
use super::diff::AccessRegion;
use super::hypothetical::{HypotheticalChange, HypotheticalChanges};
use super::who_can::{AclMatch, Hit, Hits};
use crate::breadth::Opening;
use gbac_engine::decide::{Decision, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::index::PrincipalId,
    policy::{Change, Policy},
};

/// The most groups and roles of which every combination is tried.
pub const MAX_CANDIDATES: usize = 20;
/// The most sets with more than one element in a result.
pub const MAX_SETS: usize = 1000;

/// The smallest grants that would allow denied requests.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastGrant {
    /// The current decision about each request. If all are allowed, nothing is missing. If one is
    /// denied because the identity has expired, no grant helps.
    pub decisions: Vec<Decision>,
    /// The ACLs that deny one of the requests, each with its first access path. If there are any,
    /// no grant helps: each of them must be removed, or the group or role through which it applies.
    pub denied_by: Vec<AclMatch>,
    /// The smallest sets of groups and roles, of which the identity has none, that together allow
    /// every request. All sets have the same size, and they are sorted. Empty if there is no such
    /// set.
    pub memberships_to_add: Vec<Vec<Principal>>,
    /// What each of `memberships_to_add` opens.
    pub openings: Vec<Opening>,
    /// Whether `memberships_to_add` is complete. If not, there were more than [`MAX_CANDIDATES`] groups and roles
    /// that each allow some of the requests and none that allows all, or more than [`MAX_SETS`]
    /// sets. The returned sets allow the requests, but there may be others, and smaller ones.
    pub complete: bool,
    /// One ACL for each missing request: for only this user, name, operation and host. Together
    /// they allow the requests, and nothing else.
    pub acls: Vec<Acl>,
}

impl LeastGrant {
    fn has(&self, reason: Reason) -> bool {
        self.decisions
            .iter()
            .any(|decision| decision.reason == reason)
    }
}

/// A group or role that allows some of the requests and denies none.
struct Candidate {
    principal: Principal,
    /// One bit for each request, set if it allows the request.
    allows: u64,
}

/// Finds the smallest grants that would allow all of these requests: one request, or those that an
/// API request requires.
///
/// Cost: for each request, one pass over the rows of the patterns that match its name; then, if one
/// group or role is not enough, combinations of at most [`MAX_CANDIDATES`]. With more than 64
/// denied requests, only groups and roles that allow all of them are found.
///
/// ```
/// use gbac_analysis::least_grant;
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, Principal, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let read = Request::new(Operation::Read, ResourceType::Topic, "orders", At::IgnoringExpiry);
/// let least = least_grant(&policy, &Identity::new("alice", ["ops"]), &[read]);
/// assert_eq!(least.memberships_to_add, [[Principal::group("eng")]]);
/// assert_eq!(least.acls[0].principal, Principal::user("alice"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn least_grant(policy: &Policy, identity: &Identity, requests: &[Request<'_>]) -> LeastGrant {
    let decisions: Vec<Decision> = requests
        .iter()
        .map(|request| decide(policy, identity, request))
        .collect();
    let mut least = LeastGrant {
        decisions,
        denied_by: Vec::new(),
        memberships_to_add: Vec::new(),
        openings: Vec::new(),
        complete: true,
        acls: Vec::new(),
    };
    let all_allowed = least
        .decisions
        .iter()
        .all(|decision| decision.outcome == Outcome::Allow);
    if all_allowed || least.has(Reason::Expired) {
        return least;
    }
    let hits: Vec<Hits<'_>> = requests
        .iter()
        .map(|request| Hits::new(policy, request))
        .collect();
    if least.has(Reason::DenyRule) {
        for deny in hits.iter().flat_map(|hits| hits.denying(identity)) {
            if least.denied_by.iter().all(|known| known.acl != deny.acl) {
                least.denied_by.push(deny);
            }
        }
        return least;
    }
    let mut missing = Vec::new();
    for (pair, decision) in hits.iter().zip(requests).zip(&least.decisions) {
        if decision.outcome == Outcome::Deny {
            missing.push(pair);
        }
    }
    let candidates = candidates(policy, identity, &hits, &missing);
    let (sets, is_complete) = smallest(candidates, missing.len());
    least.complete = is_complete;
    (least.memberships_to_add, least.openings) = with_openings(policy, sets).into_iter().unzip();
    let mut acls: Vec<Acl> = Vec::new();
    for (_, request) in &missing {
        acls.extend(narrowest(identity, request));
    }
    sort(&mut acls, |a, b| a.cmp(b));
    acls.dedup();
    least.acls = acls;
    least
}

/// The access that memberships add to what an identity has: in groups of the identity provider, and
/// in roles, in which the policy has `member`, the user or the group of the identity.
///
/// ```
/// use gbac_analysis::membership_gains;
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::Principal;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let (alice, groups) = (Identity::new("alice", ["ops"]), [Principal::group("eng")]);
/// let gains = membership_gains(&policy, &alice, &Principal::user("alice"), &groups);
/// assert_eq!(gains[0].pattern.name, "orders");
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn membership_gains(
    policy: &Policy,
    identity: &Identity,
    member: &Principal,
    memberships: &[Principal],
) -> Vec<AccessRegion> {
    let mut changes = HypotheticalChanges::default();
    for principal in memberships {
        let name = principal.name().to_owned();
        changes.extend([match principal.kind() {
            PrincipalType::Role => HypotheticalChange::Policy(Change::AddMember {
                role: name,
                member: member.clone(),
            }),
            _ => HypotheticalChange::Join(name),
        }]);
    }
    let mut changed = policy.clone();
    changes.apply(&mut changed);
    let (after, _) = changes.person(identity);
    compare((policy, identity), (&changed, &after)).gains
}

/// Sets of memberships with what each opens; those that open every name or the cluster last.
fn with_openings(policy: &Policy, sets: Vec<Vec<Principal>>) -> Vec<(Vec<Principal>, Opening)> {
    let mut known: BTreeMap<Principal, Opening> = BTreeMap::new();
    let mut opened = Vec::new();
    for set in sets {
        let mut openings = Vec::new();
        for principal in &set {
            let opening = known
                .entry(principal.clone())
                .or_insert_with(|| Opening::of_principal(policy, principal));
            openings.push(opening.clone());
        }
        opened.push((set, Opening::joined(openings)));
    }
    opened.sort_by_key(|(_, opening)| opening.is_wide());
    opened
}

/// The groups and roles that allow some missing request and deny none of all requests, sorted.
fn candidates(
    policy: &Policy,
    identity: &Identity,
    hits: &[Hits<'_>],
    missing: &[(&Hits<'_>, &Request<'_>)],
) -> Vec<Candidate> {
    let mut ids: Vec<PrincipalId> = Vec::new();
    for (hits, _) in missing {
        for (id, of) in hits.by_principal() {
            if of.iter().any(|hit| hit.allows) {
                ids.push(id);
                if policy.is_role(id) {
                    ids.extend_from_slice(policy.links(id));
                }
            }
        }
    }
    sort(&mut ids, |a, b| a.cmp(b));
    ids.dedup();
    let mut candidates = Vec::new();
    for id in ids {
        let Some(principal) = policy.principal(id) else {
            continue;
        };
        let is_grantable = match principal.kind() {
            PrincipalType::User | PrincipalType::Other => false,
            PrincipalType::Group => {
                !principal.name().is_empty()
                    && !identity
                        .groups()
                        .iter()
                        .any(|group| group == principal.name())
            }
            PrincipalType::Role => policy.is_role(id),
        };
        let mut ids = vec![id];
        if principal.kind() == PrincipalType::Group {
            ids.extend_from_slice(policy.links(id));
        }
        if !is_grantable
            || hits
                .iter()
                .any(|hits| any_hit(hits, &ids, |hit| hit.denies))
        {
            continue;
        }
        let mut allows = 0;
        let mut count = 0;
        for (place, (hits, _)) in missing.iter().enumerate() {
            if any_hit(hits, &ids, |hit| hit.allows) {
                allows |= 1_u64.checked_shl(place as u32).unwrap_or_default();
                count += 1;
            }
        }
        // Also marks all requests if there are more of them than bits.
        let allows = if count == missing.len() {
            u64::MAX
        } else {
            allows
        };
        if allows != 0 {
            candidates.push(Candidate {
                principal: principal.clone(),
                allows,
            });
        }
    }
    sort(&mut candidates, |a, b| a.principal.cmp(&b.principal));
    candidates
}

fn any_hit(hits: &Hits<'_>, ids: &[PrincipalId], is: fn(&Hit) -> bool) -> bool {
    ids.iter().any(|id| hits.of_principal(*id).iter().any(is))
}

/// The smallest sets that allow all requests, and whether these are all such sets.
fn smallest(mut candidates: Vec<Candidate>, missing: usize) -> (Vec<Vec<Principal>>, bool) {
    let alone: Vec<Vec<Principal>> = candidates
        .iter()
        .filter(|candidate| candidate.allows == u64::MAX)
        .map(|candidate| vec![candidate.principal.clone()])
        .collect();
    if !alone.is_empty() || missing < 2 {
        return (alone, true);
    }
    if missing > 64 {
        return (alone, candidates.is_empty());
    }
    let all = if missing == 64 {
        u64::MAX
    } else {
        (1 << missing) - 1
    };
    let mut union = 0;
    for candidate in &candidates {
        union |= candidate.allows;
    }
    if union & all != all {
        return (Vec::new(), true);
    }
    let mut complete = candidates.len() <= MAX_CANDIDATES;
    if !complete {
        candidates = some_of(candidates, all);
    }
    let allows: Vec<u64> = candidates
        .iter()
        .map(|candidate| candidate.allows)
        .collect();
    let mut sets = Vec::new();
    for size in 2..=candidates.len() {
        let mut chosen = Vec::new();
        let mut sets_of_size = Vec::new();
        complete &= choose(&allows, size, 0, all, &mut chosen, &mut sets_of_size);
        if !sets_of_size.is_empty() {
            for set in sets_of_size {
                let chosen = set.into_iter().filter_map(|place| candidates.get(place));
                sets.push(
                    chosen
                        .map(|candidate| candidate.principal.clone())
                        .collect(),
                );
            }
            break;
        }
    }
    (sets, complete)
}

/// Reduces too many candidates: first a set that allows all requests, by adding the candidate that
/// allows the most additional requests, then those that allow the most.
fn some_of(mut candidates: Vec<Candidate>, all: u64) -> Vec<Candidate> {
    let mut selected = Vec::new();
    let mut allowed = 0;
    while selected.len() < MAX_CANDIDATES {
        // The first of the candidates that add the most.
        let best = candidates
            .iter()
            .enumerate()
            .rev()
            .max_by_key(|(_, candidate)| {
                let more = (candidate.allows & !allowed).count_ones();
                (more, candidate.allows.count_ones())
            });
        let Some((best, _)) = best else { break };
        let best = candidates.remove(best);
        allowed |= best.allows & all;
        selected.push(best);
    }
    sort(&mut selected, |a, b| a.principal.cmp(&b.principal));
    selected
}

/// Collects the sets of a size that allow all requests; returns `false` if there are more than
/// [`MAX_SETS`].
fn choose(
    allows: &[u64],
    size: usize,
    allowed: u64,
    all: u64,
    chosen: &mut Vec<usize>,
    sets: &mut Vec<Vec<usize>>,
) -> bool {
    if size == 0 {
        if allowed & all == all {
            if sets.len() == MAX_SETS {
                return false;
            }
            sets.push(chosen.clone());
        }
        return true;
    }
    let first = chosen.last().map_or(0, |last| last + 1);
    for (place, more) in allows
        .iter()
        .enumerate()
        .skip(first)
        .take((allows.len() + 1).saturating_sub(first + size))
    {
        chosen.push(place);
        let complete = choose(allows, size - 1, allowed | more, all, chosen, sets);
        chosen.pop();
        if !complete {
            return false;
        }
    }
    true
}

/// The ACL that allows a request of an identity, and as little else as possible.
pub(super) fn narrowest(identity: &Identity, request: &Request<'_>) -> Option<Acl> {
    // `User:*` would be everyone, and an empty name matches no user.
    let user = identity.principal();
    let principal = if user.is_everyone() || user.name().is_empty() {
        Principal::group(identity.groups().first()?)
    } else {
        user
    };
    Some(narrowest_for(principal, request))
}

/// The ACL of a principal that allows a request, and as little else as possible.
pub(super) fn narrowest_for(principal: Principal, request: &Request<'_>) -> Acl {
    // The literal `*` matches every name, and only it or the empty prefix matches an empty name.
    let (pattern_type, name) = match (request.resource_name, request.resource_type) {
        ("*", _) => (PatternType::Prefixed, "*"),
        ("", ResourceType::Registry) => (PatternType::Literal, ""),
        ("", _) => (PatternType::Literal, "*"),
        (name, _) => (PatternType::Literal, name),
    };
    Acl {
        resource_type: request.resource_type,
        resource_name: name.to_owned(),
        pattern_type,
        principal,
        host: match request.host {
            Some(host) => Host::Address(host.to_canonical()),
            None => Host::Any,
        },
        operation: request.operation,
        permission: Permission::Allow,
    }
}
