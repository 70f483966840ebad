//! The one walk: the rows on the patterns that cover a name, denies and allows in one pass (specification 1.6, D-20).

use std::net::IpAddr;

use super::known::{Known, Rank};
use super::{Decision, Outcome, Reason, Request, Source};
use crate::identity::Identity;
use crate::model::{Host, Operation, Permission};
use crate::policy::{Covering, HostId, Operations, PatternId, Policy, Row, Rules, rows_of};

/// How many rows may be looked at in the time in which one principal is searched for.
const SEARCH: usize = 16;
/// From how many looks on what they found is remembered.
const MEMO: usize = 64;

/// Where a row stands in the order of D-20 among those that match: by the way to its principal, then by pattern, and
/// `User:*` after the user's own. The least decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u64);

impl Place {
    const NONE: Self = Self(u64::MAX);
    const LAST: u64 = 0x7fff_ffff;

    /// `covers` counts the patterns that cover more.
    #[inline(always)]
    const fn new(rank: Rank, covers: usize) -> Self {
        Self((rank as u64 >> 1) << 32 | (Self::LAST - covers as u64) << 1 | rank as u64 & 1)
    }

    const fn rank(self) -> Rank {
        (self.0 >> 32) as u32 * 2 + (self.0 as u32 & 1)
    }

    const fn covers(self) -> usize {
        (Self::LAST - (self.0 >> 1 & Self::LAST)) as usize
    }
}

/// What the walk found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    deny: Place,
    allow: Place,
    /// An ACL would allow if the host were known to be its.
    host_might_allow: bool,
}

impl Found {
    pub(super) fn outcome(&self) -> Outcome {
        if self.deny == Place::NONE && self.allow != Place::NONE { Outcome::Allow } else { Outcome::Deny }
    }

    #[inline(always)]
    fn meet(&mut self, policy: &Policy, row: &Row, place: Place, ask: &mut Ask) {
        let met = row.rules.and(ask.rules);
        let (deny, mut allow) = (!met.deny().is_empty(), !met.allow().is_empty());
        if row.host != HostId::ANY {
            let requested = ask.host;
            match requested {
                None if !policy.host_can_match(row.host) => return,
                // Fail closed: what may deny denies, what may allow does not (D-04).
                None => {
                    self.host_might_allow |= allow;
                    allow = false;
                }
                Some(host) if policy.is_host(row.host, host, ask.host_id(policy, host)) => {}
                Some(_) => return,
            }
        }
        if deny {
            self.deny = self.deny.min(place);
        }
        if allow {
            self.allow = self.allow.min(place);
        }
    }
}

/// What is asked of every row.
pub(super) struct Ask {
    operation: Operation,
    /// What an ACL must deny or allow to answer at all.
    rules: Rules,
    host: Option<IpAddr>,
    /// The host's number, found when a row first needs it.
    host_id: Option<Option<HostId>>,
}

impl Ask {
    pub(super) fn new(operation: Operation, host: Option<IpAddr>) -> Self {
        let deny = Operations::answering(operation, Permission::Deny);
        let allow = Operations::answering(operation, Permission::Allow);
        Self { operation, rules: Rules::new(deny, allow), host, host_id: None }
    }

    fn host_id(&mut self, policy: &Policy, host: IpAddr) -> Option<HostId> {
        *self.host_id.get_or_insert_with(|| policy.host_id(Host::Address(host.to_canonical())))
    }
}

/// Walks the patterns that cover the name.
pub(super) fn walk(policy: &Policy, covering: &Covering, known: &Known, memo: &mut Memo, mut ask: Ask) -> Found {
    let mut found = Found { deny: Place::NONE, allow: Place::NONE, host_might_allow: false };
    for (covers, id) in covering.as_slice().iter().enumerate() {
        let Some(pattern) = policy.pattern(PatternId(*id)) else { continue };
        let rows = pattern.rows();
        // The smaller side is walked; where both are large, once, and what was found is remembered.
        let search = known.entries().len() * SEARCH;
        if rows.len().min(search) > MEMO && !pattern.has_hosts() {
            let best = memo.of(*id, rows, known);
            let place = |ranks: &[Rank]| {
                let rank = ranks.get(ask.operation as usize).filter(|rank| **rank != Rank::MAX);
                rank.map_or(Place::NONE, |rank| Place::new(*rank, covers))
            };
            found.deny = found.deny.min(place(&best.deny));
            found.allow = found.allow.min(place(&best.allow));
            continue;
        }
        each(rows, known, ask.rules, &mut |row, rank| found.meet(policy, row, Place::new(rank, covers), &mut ask));
    }
    found
}

/// The operations that are allowed on the patterns that cover a name, all of them in one walk.
pub(super) fn allowed(policy: &Policy, covering: &Covering, known: &Known, host: Option<IpAddr>) -> Operations {
    let number = host.map(|host| policy.host_id(Host::Address(host)));
    let every = Rules::new(Operations::EVERY, Operations::EVERY);
    let (mut deny, mut allow) = (Operations::default(), Operations::default());
    for id in covering.as_slice() {
        let Some(pattern) = policy.pattern(PatternId(*id)) else { continue };
        each(pattern.rows(), known, every, &mut |row, _| {
            // Fail closed: what may deny denies, what may allow does not (D-04).
            let (is, may_be) = match (host, number) {
                _ if row.host == HostId::ANY => (true, true),
                (Some(host), Some(number)) => {
                    let is = policy.is_host(row.host, host, number);
                    (is, is)
                }
                _ => (false, policy.host_can_match(row.host)),
            };
            if is {
                allow = allow.or(row.allow());
            }
            if may_be {
                deny = deny.or(row.deny());
            }
        });
    }
    if allow.is_empty() {
        return allow;
    }
    let is_allowed = |operation: &Operation| {
        let answering = |permission| Operations::answering(*operation, permission);
        allow.meets(answering(Permission::Allow)) && !deny.meets(answering(Permission::Deny))
    };
    let allowed = policy.settings().dialect.operations().iter().copied().filter(is_allowed);
    allowed.fold(Operations::default(), |all, operation| all.or(Operations::only(operation)))
}

/// Hands over the identity's rows that deny or allow one of these operations, by walking the smaller side.
#[inline(always)]
fn each(rows: &[Row], known: &Known, requested: Rules, visit: &mut impl FnMut(&Row, Rank)) {
    if rows.len() <= known.entries().len() * SEARCH {
        // The operations first: they are at hand, the principal is looked for.
        for row in rows.iter().filter(|row| row.rules.meets(requested)) {
            if let Some(rank) = known.rank(row.principal) {
                visit(row, rank);
            }
        }
    } else {
        for entry in known.entries() {
            for row in rows_of(rows, entry.principal).iter().filter(|row| row.rules.meets(requested)) {
                visit(row, entry.rank);
            }
        }
    }
}

/// What an opened identity meets on patterns of many rows, so that they are walked once. Only of patterns without hosts.
#[derive(Debug, Clone, Default)]
pub(super) struct Memo {
    patterns: Vec<u32>,
    best: Vec<Best>,
}

/// By operation asked: the least rank that denies it and the least that allows it; [`Rank::MAX`] for none.
#[derive(Debug, Clone)]
struct Best {
    deny: [Rank; Operation::ALL.len()],
    allow: [Rank; Operation::ALL.len()],
}

impl Memo {
    /// How many patterns are remembered.
    const MOST: usize = 64;

    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.best.clear();
    }

    fn of(&mut self, pattern: u32, rows: &[Row], known: &Known) -> &Best {
        let place = self.patterns.iter().position(|there| *there == pattern);
        let place = place.unwrap_or_else(|| {
            if self.patterns.len() == Self::MOST {
                self.clear();
            }
            self.patterns.push(pattern);
            self.best.push(Best::new(rows, known));
            self.patterns.len() - 1
        });
        self.best.get(place).unwrap_or(&Best::NONE)
    }
}

impl Best {
    const NONE: Self = Self { deny: [Rank::MAX; Operation::ALL.len()], allow: [Rank::MAX; Operation::ALL.len()] };

    fn new(rows: &[Row], known: &Known) -> Self {
        let mut best = Self::NONE;
        each(rows, known, Rules::new(Operations::EVERY, Operations::EVERY), &mut |row, rank| {
            let note = |ranks: &mut [Rank], permission| {
                for (operation, least) in Operation::ALL.iter().zip(ranks) {
                    if row.of(permission).meets(Operations::answering(*operation, permission)) {
                        *least = (*least).min(rank);
                    }
                }
            };
            note(&mut best.deny, Permission::Deny);
            note(&mut best.allow, Permission::Allow);
        });
        best
    }
}

/// The decision that follows from what was found, with the ACL that decides and the way to it.
pub(super) fn decision(
    policy: &Policy,
    covering: &Covering,
    known: &Known,
    identity: &Identity,
    request: &Request<'_>,
    found: &Found,
) -> Decision {
    let none =
        || Decision { host_unknown: found.host_might_allow, ..Decision::without_rule(Reason::NoMatch, identity) };
    let (place, permission) = match (found.deny, found.allow) {
        (Place::NONE, Place::NONE) => return none(),
        (Place::NONE, allow) => (allow, Permission::Allow),
        (deny, _) => (deny, Permission::Deny),
    };
    let row = || {
        let entry = known.entry(place.rank())?;
        let pattern = policy.pattern(PatternId(*covering.as_slice().get(place.covers())?))?;
        let (row, operation) = best_row(policy, rows_of(pattern.rows(), entry.principal), permission, request)?;
        Some((entry, pattern, row, operation))
    };
    let Some((entry, pattern, row, operation)) = row() else { return none() };
    let group = identity.groups().get(entry.group as usize).cloned();
    let (outcome, reason) = match permission {
        Permission::Deny => (Outcome::Deny, Reason::DenyRule),
        Permission::Allow => (Outcome::Allow, Reason::AllowRule),
    };
    let ranges_match = policy.settings().ranges_match();
    let host_unknown = host_match(policy.host(row.host), request, ranges_match) == HostMatch::Unknown;
    // Last, because the principal is read for it, which a large policy has far from the processor.
    let acl = policy.acl(pattern, row, operation, permission);
    let is_role = matches!(entry.source, Source::Role | Source::GroupRole);
    Decision {
        outcome,
        reason,
        source: Some(entry.source),
        group,
        role: is_role.then(|| acl.principal.name().to_owned()),
        acl: Some(acl),
        implied_by: (operation != request.operation).then_some(operation),
        host_unknown,
        verified: identity.is_verified(),
    }
}

/// Where an ACL stands among those of one principal on one pattern: by host, then by operation (D-20).
type Order = (u8, Option<usize>, Host);

/// The best of the ACLs of one principal on one pattern.
fn best_row<'p>(
    policy: &Policy,
    rows: &'p [Row],
    permission: Permission,
    request: &Request<'_>,
) -> Option<(&'p Row, Operation)> {
    let answering = Operations::answering(request.operation, permission);
    let mut best: Option<(Order, &Row, Operation)> = None;
    for row in rows {
        let host = policy.host(row.host);
        let Some(host_rank) = host_rank(host, request, permission, policy.settings().ranges_match()) else { continue };
        for operation in row.of(permission).and(answering).iter() {
            let rank = operation_rank(operation, request.operation, permission);
            let key = (host_rank, rank, host);
            if best.is_none_or(|(least, ..)| key < least) {
                best = Some((key, row, operation));
            }
        }
    }
    best.map(|(_, row, operation)| (row, operation))
}

/// How an ACL's host relates to the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostMatch {
    Exact,
    /// The address is in the range.
    InRange,
    Any,
    Unknown,
    No,
}

impl HostMatch {
    /// Whether an ACL with this permission matches. What may deny denies, what may allow does not (D-04).
    const fn is_match(self, permission: Permission) -> bool {
        match self {
            Self::Exact | Self::InRange | Self::Any => true,
            Self::Unknown => matches!(permission, Permission::Deny),
            Self::No => false,
        }
    }
}

/// How the host of an ACL relates to the request's; in a policy where ranges match, or where they never do (D-72).
pub(super) fn host_match(host: Host, request: &Request<'_>, ranges_match: bool) -> HostMatch {
    match (host, request.host) {
        (Host::Any, _) => HostMatch::Any,
        (Host::Range(_), _) if !ranges_match => HostMatch::No,
        (Host::Address(_) | Host::Range(_), None) => HostMatch::Unknown,
        (Host::Address(_), Some(requested)) if host.includes(requested) => HostMatch::Exact,
        (Host::Range(_), Some(requested)) if host.includes(requested) => HostMatch::InRange,
        (Host::Address(_) | Host::Range(_), Some(_)) => HostMatch::No,
    }
}

/// The place of an ACL's host among those that match, narrow before broad; none when it does not match.
pub(super) fn host_rank(host: Host, request: &Request<'_>, permission: Permission, ranges_match: bool) -> Option<u8> {
    host_match(host, request, ranges_match).is_match(permission).then(|| host.breadth())
}

/// The place of an ACL's operation among those that answer the one asked for; none when it does not (D-02).
pub(super) fn operation_rank(of_acl: Operation, requested: Operation, permission: Permission) -> Option<usize> {
    if of_acl == requested {
        return Some(0);
    }
    if of_acl == Operation::All {
        return Some(usize::MAX);
    }
    if permission == Permission::Deny {
        return None;
    }
    requested.implied_by().iter().position(|implied| *implied == of_acl).map(|place| place + 1)
}
