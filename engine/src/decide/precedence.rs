//! Walks the rows of the patterns that cover a name, denies and allows in one pass (specification
//! 1.6, D-20).

use std::net::IpAddr;
use strum::{IntoStaticStr, VariantNames};

use super::ranked_principals::{Rank, RankedPrincipals};
use super::{Decision, Outcome, Reason, Request, Source};
use crate::identity::Identity;
use crate::model::{Host, Operation, Permission};
use crate::policy::{Covering, HostId, Operations, PatternId, Policy, Row, Rules, rows_of};

/// The cost of a binary search for one principal, in rows that a linear scan reads in the same
/// time.
const SEARCH_COST: usize = 16;
/// The number of reads from which on the results for a pattern are cached.
const CACHE_THRESHOLD: usize = 64;

/// The precedence of a matching row in the order of D-20: by the path to its principal, then by
/// pattern; rows of `User:*` follow those of the user. The lowest value decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Precedence(u64);

impl Precedence {
    const NONE: Self = Self(u64::MAX);
    const LAST: u64 = 0x7fff_ffff;

    /// `pattern` is the index of the row's pattern in [`Covering`].
    #[inline(always)]
    const fn new(rank: Rank, pattern: usize) -> Self {
        Self((rank as u64 >> 1) << 32 | (Self::LAST - pattern as u64) << 1 | rank as u64 & 1)
    }

    const fn rank(self) -> Rank {
        (self.0 >> 32) as u32 * 2 + (self.0 as u32 & 1)
    }

    const fn pattern(self) -> usize {
        (Self::LAST - (self.0 >> 1 & Self::LAST)) as usize
    }
}

/// The result of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matches {
    /// The deny with the highest precedence.
    deny: Precedence,
    /// The allow with the highest precedence.
    allow: Precedence,
    /// An ACL for a single host would allow the request, but the request's host is unknown.
    pub(super) host_might_allow: bool,
}

impl Matches {
    pub(super) fn denies(&self) -> bool {
        self.deny != Precedence::NONE
    }

    pub(super) fn allows(&self) -> bool {
        self.allow != Precedence::NONE
    }

    pub(super) fn outcome(&self) -> Outcome {
        if self.allows() && !self.denies() {
            Outcome::Allow
        } else {
            Outcome::Deny
        }
    }

    #[inline(always)]
    fn add(&mut self, policy: &Policy, row: &Row, precedence: Precedence, criteria: &mut Criteria) {
        let matching = row.rules.and(criteria.rules);
        let (deny, mut allow) = (!matching.deny().is_empty(), !matching.allow().is_empty());
        if row.host != HostId::ANY {
            let requested = criteria.host;
            match requested {
                None if !policy.host_can_match(row.host) => return,
                // Fail closed: with an unknown host, a deny for one host denies, and an allow for
                // one host is skipped (D-04).
                None => {
                    self.host_might_allow |= allow;
                    allow = false;
                }
                Some(host) if policy.is_host(row.host, host, criteria.host_id(policy, host)) => {}
                Some(_) => return,
            }
        }
        if deny {
            self.deny = self.deny.min(precedence);
        }
        if allow {
            self.allow = self.allow.min(precedence);
        }
    }
}

/// The part of a request that rows are compared with.
pub(super) struct Criteria {
    operation: Operation,
    /// The denied and allowed operations that match the requested one.
    rules: Rules,
    host: Option<IpAddr>,
    /// The host's id, looked up when a row first needs it; the inner value is `None` if no ACL has
    /// named the host.
    host_id: Option<Option<HostId>>,
}

impl Criteria {
    pub(super) fn new(operation: Operation, host: Option<IpAddr>) -> Self {
        let deny = Operations::answering(operation, Permission::Deny);
        let allow = Operations::answering(operation, Permission::Allow);
        Self {
            operation,
            rules: Rules::new(deny, allow),
            host,
            host_id: None,
        }
    }

    fn host_id(&mut self, policy: &Policy, host: IpAddr) -> Option<HostId> {
        *self
            .host_id
            .get_or_insert_with(|| policy.host_id(&Host::Address(host.to_canonical())))
    }
}

/// Walks the patterns that cover the resource name.
pub(super) fn walk(
    policy: &Policy,
    covering: &Covering,
    ranked: &RankedPrincipals,
    cache: &mut Cache,
    mut criteria: Criteria,
) -> Matches {
    let mut matches = Matches {
        deny: Precedence::NONE,
        allow: Precedence::NONE,
        host_might_allow: false,
    };
    for (index, id) in covering.as_slice().iter().enumerate() {
        let Some(pattern) = policy.pattern(PatternId(*id)) else {
            continue;
        };
        let rows = pattern.rows();
        // If the pattern has many rows and the identity many principals, the result is computed
        // once and cached.
        let search = ranked.entries().len() * SEARCH_COST;
        if rows.len().min(search) > CACHE_THRESHOLD && !pattern.has_hosts() {
            let best = cache.best_ranks(*id, rows, ranked);
            let precedence = |ranks: &[Rank]| {
                let rank = ranks
                    .get(criteria.operation as usize)
                    .filter(|rank| **rank != Rank::MAX);
                rank.map_or(Precedence::NONE, |rank| Precedence::new(*rank, index))
            };
            matches.deny = matches.deny.min(precedence(&best.deny));
            matches.allow = matches.allow.min(precedence(&best.allow));
            continue;
        }
        for_each_row(rows, ranked, criteria.rules, &mut |row, rank| {
            matches.add(policy, row, Precedence::new(rank, index), &mut criteria);
        });
    }
    matches
}

/// The host of a request, which the hosts of rows are compared with.
pub(super) struct HostCriteria {
    host: Option<IpAddr>,
    /// The number of the host; `None` if no ACL names it.
    number: Option<HostId>,
}

impl HostCriteria {
    pub(super) fn new(policy: &Policy, host: Option<IpAddr>) -> Self {
        Self {
            host,
            number: host.and_then(|host| policy.host_id(&Host::Address(host.to_canonical()))),
        }
    }

    /// Whether the host of a row is this one, and whether it may be. Fail closed: with an unknown
    /// host, a deny for one host denies, and an allow for one host is skipped (D-04).
    #[inline(always)]
    pub(super) fn matches(&self, policy: &Policy, row: HostId) -> (bool, bool) {
        match self.host {
            _ if row == HostId::ANY => (true, true),
            Some(host) => {
                let is = policy.is_host(row, host, self.number);
                (is, is)
            }
            None => (false, policy.host_can_match(row)),
        }
    }
}

/// The operations that are allowed on the patterns that cover a name, all of them in one walk, and
/// whether any is denied.
pub(super) fn allowed(
    policy: &Policy,
    covering: &Covering,
    ranked: &RankedPrincipals,
    host: Option<IpAddr>,
) -> (Operations, bool) {
    let criteria = HostCriteria::new(policy, host);
    let every = Rules::new(Operations::EVERY, Operations::EVERY);
    let (mut deny, mut allow) = (Operations::default(), Operations::default());
    for id in covering.as_slice() {
        let Some(pattern) = policy.pattern(PatternId(*id)) else {
            continue;
        };
        for_each_row(pattern.rows(), ranked, every, &mut |row, _| {
            let (is, may_be) = criteria.matches(policy, row.host);
            if is {
                allow = allow.or(row.allow());
            }
            if may_be {
                deny = deny.or(row.deny());
            }
        });
    }
    let allowed = allow
        .answered(Permission::Allow)
        .without(deny.answered(Permission::Deny));
    let allowed = allowed.and(Operations::of_dialect(policy.settings().dialect));
    (allowed, !deny.is_empty())
}

/// Visits the identity's rows that deny or allow one of these operations. Scans the rows, or
/// searches them for each of the identity's principals if that is faster.
#[inline(always)]
pub(super) fn for_each_row(
    rows: &[Row],
    ranked: &RankedPrincipals,
    requested: Rules,
    visit: &mut impl FnMut(&Row, Rank),
) {
    if rows.len() <= ranked.entries().len() * SEARCH_COST {
        // Compares the operations first, because that needs no lookup.
        for row in rows.iter().filter(|row| row.rules.meets(requested)) {
            if let Some(rank) = ranked.rank(row.principal) {
                visit(row, rank);
            }
        }
    } else {
        for entry in ranked.entries() {
            for row in rows_of(rows, entry.principal)
                .iter()
                .filter(|row| row.rules.meets(requested))
            {
                visit(row, entry.rank);
            }
        }
    }
}

/// The results of an identity for patterns with many rows. Patterns with ACLs for single hosts are
/// not cached.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    patterns: Vec<u32>,
    /// In the order of `patterns`.
    best: Vec<BestRanks>,
}

/// The lowest ranks that deny and allow each requested operation; [`Rank::MAX`] if there is none.
#[derive(Debug, Clone)]
struct BestRanks {
    deny: [Rank; Operation::ALL.len()],
    allow: [Rank; Operation::ALL.len()],
}

impl Cache {
    /// The maximum number of cached patterns.
    const MAX_PATTERNS: usize = 64;

    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.best.clear();
    }

    fn best_ranks(&mut self, pattern: u32, rows: &[Row], ranked: &RankedPrincipals) -> &BestRanks {
        let index = self.patterns.iter().position(|cached| *cached == pattern);
        let index = index.unwrap_or_else(|| {
            if self.patterns.len() == Self::MAX_PATTERNS {
                self.clear();
            }
            self.patterns.push(pattern);
            self.best.push(BestRanks::new(rows, ranked));
            self.patterns.len() - 1
        });
        self.best.get(index).unwrap_or(&BestRanks::NONE)
    }
}

impl BestRanks {
    const NONE: Self = Self {
        deny: [Rank::MAX; Operation::ALL.len()],
        allow: [Rank::MAX; Operation::ALL.len()],
    };

    fn new(rows: &[Row], ranked: &RankedPrincipals) -> Self {
        let mut best = Self::NONE;
        for_each_row(
            rows,
            ranked,
            Rules::new(Operations::EVERY, Operations::EVERY),
            &mut |row, rank| {
                let update = |ranks: &mut [Rank], permission| {
                    for (operation, lowest) in Operation::ALL.iter().zip(ranks) {
                        if row
                            .operations(permission)
                            .meets(Operations::answering(*operation, permission))
                        {
                            *lowest = (*lowest).min(rank);
                        }
                    }
                };
                update(&mut best.deny, Permission::Deny);
                update(&mut best.allow, Permission::Allow);
            },
        );
        best
    }
}

/// The decision that follows from the result of a walk, with the deciding ACL and the path to its
/// principal.
pub(super) fn decision(
    policy: &Policy,
    covering: &Covering,
    ranked: &RankedPrincipals,
    identity: &Identity,
    request: &Request<'_>,
    matches: &Matches,
) -> Decision {
    let no_match = || Decision {
        host_unknown: matches.host_might_allow,
        ..Decision::without_rule(Reason::NoMatch, identity, request.at)
    };
    let (precedence, permission) = match (matches.deny, matches.allow) {
        (Precedence::NONE, Precedence::NONE) => return no_match(),
        (Precedence::NONE, allow) => (allow, Permission::Allow),
        (deny, _) => (deny, Permission::Deny),
    };
    let row = || {
        let entry = ranked.entry(precedence.rank())?;
        let pattern = policy.pattern(PatternId(*covering.as_slice().get(precedence.pattern())?))?;
        let (row, operation) = best_row(
            policy,
            rows_of(pattern.rows(), entry.principal),
            permission,
            request,
        )?;
        Some((entry, pattern, row, operation))
    };
    let Some((entry, pattern, row, operation)) = row() else {
        return no_match();
    };
    let group = identity.groups().get(entry.group as usize).cloned();
    let (outcome, reason) = match permission {
        Permission::Deny => (Outcome::Deny, Reason::DenyRule),
        Permission::Allow => (Outcome::Allow, Reason::AllowRule),
    };
    let ranges_match = policy.settings().ranges_match();
    let host_unknown =
        host_match(&policy.host(row.host), request, ranges_match) == HostMatch::Unknown;
    // Last, because this reads the principal, which in a large policy is rarely in the processor's
    // cache.
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
        assumed: identity.assumed(request.at),
    }
}

/// The sort key of the ACLs of one principal on one pattern: by host, then by operation (D-20).
type SortKey = (u8, Option<usize>, Host);

/// The first matching ACL among those of one principal on one pattern.
fn best_row<'p>(
    policy: &Policy,
    rows: &'p [Row],
    permission: Permission,
    request: &Request<'_>,
) -> Option<(&'p Row, Operation)> {
    let answering = Operations::answering(request.operation, permission);
    let mut best: Option<(SortKey, &Row, Operation)> = None;
    for row in rows {
        if !policy.host_can_match(row.host) {
            continue;
        }
        let host = policy.host(row.host);
        let Some(host_rank) =
            host_rank(&host, request, permission, policy.settings().ranges_match())
        else {
            continue;
        };
        for operation in row.operations(permission).and(answering).iter() {
            let rank = operation_rank(operation, request.operation, permission);
            let key = (host_rank, rank, host.clone());
            if best.as_ref().is_none_or(|(lowest, ..)| key < *lowest) {
                best = Some((key, row, operation));
            }
        }
    }
    best.map(|(_, row, operation)| (row, operation))
}

/// How an ACL's host compares with the request's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum HostMatch {
    /// It is `*`.
    Any,
    /// It is the same address.
    Exact,
    /// The address is in the range (dialect `kafka`).
    InRange,
    /// It is one address or a range, and the request has no host.
    Unknown,
    /// It is another address, or a name.
    No,
}

impl HostMatch {
    /// Whether an ACL with this permission matches. An unknown host matches a deny, but not an
    /// allow (D-04).
    const fn is_match(self, permission: Permission) -> bool {
        match self {
            Self::Exact | Self::InRange | Self::Any => true,
            Self::Unknown => matches!(permission, Permission::Deny),
            Self::No => false,
        }
    }
}

/// Compares the host of an ACL with the request's. `ranges_match` says whether ranges match in this
/// policy (D-72).
pub(super) fn host_match(host: &Host, request: &Request<'_>, ranges_match: bool) -> HostMatch {
    match (host, request.host) {
        (Host::Any, _) => HostMatch::Any,
        (Host::Name(_), _) => HostMatch::No,
        (Host::Range(_), _) if !ranges_match => HostMatch::No,
        (Host::Address(_) | Host::Range(_), None) => HostMatch::Unknown,
        (Host::Address(_), Some(requested)) if host.includes(requested) => HostMatch::Exact,
        (Host::Range(_), Some(requested)) if host.includes(requested) => HostMatch::InRange,
        (Host::Address(_) | Host::Range(_), Some(_)) => HostMatch::No,
    }
}

/// The rank of an ACL's host among matching hosts, narrow before broad; `None` if it does not
/// match.
pub(super) fn host_rank(
    host: &Host,
    request: &Request<'_>,
    permission: Permission,
    ranges_match: bool,
) -> Option<u8> {
    host_match(host, request, ranges_match)
        .is_match(permission)
        .then(|| host.breadth())
}

/// The rank of an ACL's operation among those that match the requested one; `None` if it does not
/// match (D-02).
pub(super) fn operation_rank(
    of_acl: Operation,
    requested: Operation,
    permission: Permission,
) -> Option<usize> {
    if of_acl == requested {
        return Some(0);
    }
    if of_acl == Operation::All {
        return Some(usize::MAX);
    }
    if permission == Permission::Deny {
        return None;
    }
    requested
        .implied_by()
        .iter()
        .position(|implying| *implying == of_acl)
        .map(|index| index + 1)
}
