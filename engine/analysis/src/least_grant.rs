//! The smallest grant that allows denied requests: sets of existing groups or roles, or new ACLs.

use super::who_can::{AclMatch, Hits};
use gbac_engine::decide::{Decision, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::internal::sort;
use gbac_engine::model::{Acl, Host, PatternType, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::{internal::PrincipalId, policy::Policy};

/// Up to how many groups and roles every set of them is looked at.
pub const MAX_CANDIDATES: usize = 20;
/// How many sets of more than one are told at most.
pub const MAX_SETS: usize = 1000;

/// What would allow requests that are denied.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastGrant {
    /// How each request is decided now. Where all are allowed, nothing is missing. Where one is denied as expired, no
    /// grant helps.
    pub decisions: Vec<Decision>,
    /// The ACLs that deny one of the requests, each with the first way to it. Where there are any, no grant helps: each
    /// of these has to go, or the identity has to lose the group or role that leads to it.
    pub denied_by: Vec<AclMatch>,
    /// The smallest sets of groups that the identity does not have and roles that the user is no member of: with all of
    /// a set, every request is allowed. Sets of one size, in order; none where there is no such set.
    pub sets: Vec<Vec<Principal>>,
    /// Whether `sets` is all of them. When not, there were more than [`MAX_CANDIDATES`] groups and roles that allow some
    /// of the requests and none that allows all, or more than [`MAX_SETS`] sets: those that are told do allow the requests,
    /// but there may be others, and smaller ones.
    pub complete: bool,
    /// One ACL for each request that has none: for this user alone, this name, this operation and this host. Together
    /// they allow the requests, and nothing else.
    pub acls: Vec<Acl>,
}

/// A group or role that allows some of the requests and denies none.
struct Candidate {
    principal: Principal,
    /// A bit for each request that it allows.
    allows: u64,
}

/// Finds the least that would allow all of these requests: one, or those that one call of an API needs.
///
/// Cost: for each request the rows on the patterns that cover its name; then, where one group or role is not enough,
/// sets of at most [`MAX_CANDIDATES`]. Of more than 64 denied requests, only groups and roles that allow all are found.
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
/// assert_eq!(least.sets, [[Principal::group("eng")]]);
/// assert_eq!(least.acls[0].principal, Principal::user("alice"));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn least_grant(policy: &Policy, identity: &Identity, requests: &[Request<'_>]) -> LeastGrant {
    let decisions: Vec<Decision> = requests.iter().map(|request| decide(policy, identity, request)).collect();
    let mut least = LeastGrant { decisions, denied_by: Vec::new(), sets: Vec::new(), complete: true, acls: Vec::new() };
    let has = |reason| least.decisions.iter().any(|decision| decision.reason == reason);
    let nothing_is_missing = least.decisions.iter().all(|decision| decision.outcome == Outcome::Allow);
    if nothing_is_missing || has(Reason::Expired) {
        return least;
    }
    let hits: Vec<Hits<'_>> = requests.iter().map(|request| Hits::new(policy, request)).collect();
    if has(Reason::DenyRule) {
        for found in hits.iter().flat_map(|hits| hits.denying(identity)) {
            if least.denied_by.iter().all(|known| known.acl != found.acl) {
                least.denied_by.push(found);
            }
        }
        return least;
    }
    let missing: Vec<(&Hits<'_>, &Request<'_>)> = (hits.iter().zip(requests).zip(&least.decisions))
        .filter(|(_, decision)| decision.outcome == Outcome::Deny)
        .map(|(missing, _)| missing)
        .collect();
    let candidates = candidates(policy, identity, &hits, &missing);
    (least.sets, least.complete) = smallest(candidates, missing.len());
    let mut acls: Vec<Acl> = missing.iter().filter_map(|(_, request)| narrowest(identity, request)).collect();
    sort(&mut acls, |a, b| a.cmp(b));
    acls.dedup();
    least.acls = acls;
    least
}

/// The groups and roles that allow some missing request and deny none of all, in order.
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
        let Some(principal) = policy.principal(id) else { continue };
        let may = match principal.kind() {
            PrincipalType::User | PrincipalType::Other => false,
            PrincipalType::Group => {
                !principal.name().is_empty() && !identity.groups().iter().any(|group| group == principal.name())
            }
            PrincipalType::Role => policy.is_role(id),
        };
        let roles = if principal.kind() == PrincipalType::Group { policy.links(id) } else { &[] };
        let any = |hits: &Hits<'_>, is: fn(&super::who_can::Hit) -> bool| {
            std::iter::once(&id).chain(roles).any(|id| hits.of(*id).iter().any(is))
        };
        if !may || hits.iter().any(|hits| any(hits, |hit| hit.denies)) {
            continue;
        }
        let mut allows = 0;
        let mut count = 0;
        for (place, (hits, _)) in missing.iter().enumerate() {
            if any(hits, |hit| hit.allows) {
                allows |= 1_u64.checked_shl(place as u32).unwrap_or_default();
                count += 1;
            }
        }
        // All of more requests than there are bits count as all bits.
        let allows = if count == missing.len() { u64::MAX } else { allows };
        if allows != 0 {
            candidates.push(Candidate { principal: principal.clone(), allows });
        }
    }
    sort(&mut candidates, |a, b| a.principal.cmp(&b.principal));
    candidates
}

/// The smallest sets that allow everything, and whether these are all.
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
    let all = if missing == 64 { u64::MAX } else { (1 << missing) - 1 };
    let union = candidates.iter().fold(0, |union, candidate| union | candidate.allows);
    if union & all != all {
        return (Vec::new(), true);
    }
    let mut complete = candidates.len() <= MAX_CANDIDATES;
    if !complete {
        candidates = some_of(candidates, all);
    }
    let allows: Vec<u64> = candidates.iter().map(|candidate| candidate.allows).collect();
    let mut sets = Vec::new();
    for size in 2..=candidates.len() {
        let mut chosen = Vec::new();
        let mut found = Vec::new();
        complete &= choose(&allows, size, 0, all, &mut chosen, &mut found);
        if !found.is_empty() {
            let principals = |set: Vec<usize>| {
                set.into_iter().filter_map(|place| candidates.get(place)).map(|candidate| candidate.principal.clone())
            };
            sets.extend(found.into_iter().map(|set| principals(set).collect()));
            break;
        }
    }
    (sets, complete)
}

/// Of too many, first a set that allows everything, the one that adds most at each step, then those that allow most.
fn some_of(mut candidates: Vec<Candidate>, all: u64) -> Vec<Candidate> {
    let mut kept = Vec::new();
    let mut allowed = 0;
    while kept.len() < MAX_CANDIDATES {
        let more = |candidate: &Candidate| (candidate.allows & !allowed).count_ones();
        let most = |candidate: &Candidate| (more(candidate), candidate.allows.count_ones());
        // The first of those that add most.
        let best = candidates.iter().enumerate().rev().max_by_key(|(_, candidate)| most(candidate));
        let Some((best, _)) = best else { break };
        let best = candidates.remove(best);
        allowed |= best.allows & all;
        kept.push(best);
    }
    sort(&mut kept, |a, b| a.principal.cmp(&b.principal));
    kept
}

/// Collects the sets of a size that allow everything; false when there are too many to tell.
fn choose(
    allows: &[u64],
    size: usize,
    allowed: u64,
    all: u64,
    chosen: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
) -> bool {
    if size == 0 {
        if allowed & all == all {
            if found.len() == MAX_SETS {
                return false;
            }
            found.push(chosen.clone());
        }
        return true;
    }
    let first = chosen.last().map_or(0, |last| last + 1);
    for (place, more) in allows.iter().enumerate().skip(first).take((allows.len() + 1).saturating_sub(first + size)) {
        chosen.push(place);
        let complete = choose(allows, size - 1, allowed | more, all, chosen, found);
        chosen.pop();
        if !complete {
            return false;
        }
    }
    true
}

/// The ACL that allows a request of an identity, and as little else as an ACL can.
pub(super) fn narrowest(identity: &Identity, request: &Request<'_>) -> Option<Acl> {
    // `User:*` would be everyone, and an empty name is none.
    let user = Some(identity.principal()).filter(|user| !user.is_everyone() && !user.name().is_empty());
    let principal = user.or_else(|| identity.groups().first().map(Principal::group))?;
    // The literal `*` is every name, and so is all that covers an empty one.
    let (pattern_type, name) = match (request.resource_name, request.resource_type) {
        ("*", _) => (PatternType::Prefixed, "*"),
        ("", ResourceType::Registry) => (PatternType::Literal, ""),
        ("", _) => (PatternType::Literal, "*"),
        (name, _) => (PatternType::Literal, name),
    };
    Some(Acl {
        resource_type: request.resource_type,
        resource_name: name.to_owned(),
        pattern_type,
        principal,
        host: request.host.map_or(Host::Any, |host| Host::Address(host.to_canonical())),
        operation: request.operation,
        permission: Permission::Allow,
    })
}
