//! Two policies side by side: their principals, their common patterns, and the rows that differ.

use super::host_scope::on_side;
use crate::held::is_superuser;
use crate::role_counts::principal_bound;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::order::{run, sort};
use gbac_engine::{
    policy::Policy,
    policy::index::{HostId, Pattern, PatternId, PrincipalId, Row, rows_of},
};

/// A principal or superuser of one or both policies.
pub(super) struct KnownPrincipal {
    pub(super) principal: Principal,
    pub(super) ids: [Option<PrincipalId>; 2],
    pub(super) superuser: [bool; 2],
}

/// A row that differs: the index of its principal among the known ones, the policy, and the pattern
/// in that policy.
pub(super) type RowDifference = (usize, usize, PatternId);

/// Two policies side by side.
pub(super) struct Compared<'a> {
    pub(super) policies: [&'a Policy; 2],
    pub(super) known: Vec<KnownPrincipal>,
    /// For each policy and principal, its index among the known ones.
    places: [Vec<usize>; 2],
    /// Sorted.
    rows: Vec<RowDifference>,
    /// The patterns in both policies, with their numbers in each.
    pub(super) shared: Vec<[PatternId; 2]>,
    /// For each policy, the patterns only in it.
    pub(super) alone: [Vec<PatternId>; 2],
}

impl<'a> Compared<'a> {
    pub(super) fn new(policies: [&'a Policy; 2]) -> Self {
        let [before, after] = policies;
        let mut compared = Self {
            policies,
            known: Vec::new(),
            places: policies.map(|policy| vec![usize::MAX; principal_bound(policy)]),
            rows: Vec::new(),
            shared: Vec::new(),
            alone: [Vec::new(), Vec::new()],
        };
        for (id, principal) in before.principals() {
            compared.know(
                principal,
                [
                    Some(id),
                    after.principal_id(principal.kind(), principal.name()),
                ],
            );
        }
        for (id, principal) in after.principals() {
            if before
                .principal_id(principal.kind(), principal.name())
                .is_none()
            {
                compared.know(principal, [None, Some(id)]);
            }
        }
        let mut superusers = before.settings().superusers.clone();
        for user in &after.settings().superusers {
            superusers.insert(user.clone());
        }
        for user in &superusers {
            let ids = policies.map(|policy| policy.principal_id(PrincipalType::User, user));
            if ids == [None, None] {
                compared.know(&Principal::user(user), ids);
            }
        }
        let mut rows = Vec::new();
        compared.match_patterns();
        compared.compare(&mut rows);
        sort(&mut rows, |a, b| a.cmp(b));
        compared.rows = rows;
        compared
    }

    fn know(&mut self, principal: &Principal, ids: [Option<PrincipalId>; 2]) {
        for (places, id) in self.places.iter_mut().zip(ids) {
            if let Some(place) = id.and_then(|id| places.get_mut(id.0 as usize)) {
                *place = self.known.len();
            }
        }
        let superuser = self.policies.map(|policy| is_superuser(policy, principal));
        self.known.push(KnownPrincipal {
            principal: principal.clone(),
            ids,
            superuser,
        });
    }

    /// The index of a principal among the known ones.
    pub(super) fn place(&self, side: usize, id: PrincipalId) -> usize {
        on_side(&self.places, side)
            .get(id.0 as usize)
            .copied()
            .unwrap_or(usize::MAX)
    }

    fn match_patterns(&mut self) {
        let [before, after] = self.policies;
        let mut is_shared = Vec::new();
        let [alone, alone_after] = &mut self.alone;
        // Documents of similar policies have their patterns in a similar order.
        let mut next = PatternId(0);
        for (id, pattern) in before.patterns() {
            let Some(same) = same_pattern(after, [next, id], pattern) else {
                alone.push(id);
                continue;
            };
            next = PatternId(same.0 + 1);
            self.shared.push([id, same]);
            let same = same.0 as usize;
            if is_shared.len() <= same {
                is_shared.resize(same + 1, false);
            }
            if let Some(place) = is_shared.get_mut(same) {
                *place = true;
            }
        }
        let ids = after.patterns().map(|(id, _)| id);
        alone_after.extend(ids.filter(|id| is_shared.get(id.0 as usize) != Some(&true)));
    }

    /// Finds the rows that differ.
    fn compare(&self, rows: &mut Vec<RowDifference>) {
        for side in 0..2 {
            for id in on_side(&self.alone, side) {
                for row in self.rows_on(side, *id) {
                    rows.push((self.place(side, row.principal), side, *id));
                }
            }
        }
        for ids in &self.shared {
            let there = [0, 1].map(|side| self.rows_on(side, *on_side(ids, side)));
            let count = rows.len();
            self.missing(0, ids, there, rows);
            // If each row is in the other policy, and their number is equal, there are no other
            // differences.
            if rows.len() > count || on_side(&there, 0).len() < on_side(&there, 1).len() {
                self.missing(1, ids, there, rows);
            }
        }
    }

    /// Finds the rows of a pattern in one policy without an equal row in the other.
    fn missing(
        &self,
        side: usize,
        ids: &[PatternId; 2],
        there: [&[Row]; 2],
        rows: &mut Vec<RowDifference>,
    ) {
        for row in *on_side(&there, side) {
            let known = self.place(side, row.principal);
            let other = self
                .known
                .get(known)
                .and_then(|known| *on_side(&known.ids, 1 - side));
            let others = *on_side(&there, 1 - side);
            let others = match other {
                Some(other) => rows_of(others, other),
                None => &[],
            };
            let is_known = others.iter().any(|other| {
                other.rules == row.rules && self.is_same_host(side, row.host, other.host)
            });
            if !is_known {
                rows.push((known, side, *on_side(ids, side)));
            }
        }
    }

    fn rows_on(&self, side: usize, id: PatternId) -> &'a [Row] {
        match on_side(&self.policies, side).pattern(id) {
            Some(pattern) => pattern.rows(),
            None => &[],
        }
    }

    fn is_same_host(&self, side: usize, one: HostId, other: HostId) -> bool {
        if one == HostId::ANY || other == HostId::ANY {
            return one == other;
        }
        on_side(&self.policies, side).host(one) == on_side(&self.policies, 1 - side).host(other)
    }

    /// The rows that differ.
    pub(super) fn rows(&self) -> &[RowDifference] {
        &self.rows
    }

    /// The rows of a known principal that differ.
    pub(super) fn rows_of(&self, known: usize) -> &[RowDifference] {
        run(&self.rows, |(of, ..)| of.cmp(&known))
    }

    /// Whether a known principal is a role in a policy.
    pub(super) fn is_role(&self, known: &KnownPrincipal, side: usize) -> bool {
        on_side(&known.ids, side).is_some_and(|id| on_side(&self.policies, side).is_role(id))
    }

    /// The roles of a known user or group in a policy, as indices of known principals.
    pub(super) fn roles(&self, known: &KnownPrincipal, side: usize) -> impl Iterator<Item = usize> {
        let links = match known.principal.kind() {
            PrincipalType::Role => None,
            _ => *on_side(&known.ids, side),
        };
        let links = links.map_or(&[][..], |id| on_side(&self.policies, side).links(id));
        links.iter().map(move |role| self.place(side, *role))
    }
}

/// The number of the same pattern in another policy. Tries the numbers in `first` before it
/// searches.
fn same_pattern(other: &Policy, first: [PatternId; 2], pattern: &Pattern) -> Option<PatternId> {
    for id in first {
        if let Some(there) = other.pattern(id)
            && there.resource_type == pattern.resource_type
            && there.pattern_type == pattern.pattern_type
            && there.name() == pattern.name()
            && !there.rows().is_empty()
        {
            return Some(id);
        }
    }
    other.pattern_id(pattern.resource_type, pattern.pattern_type, pattern.name())
}
