//! What is granted and denied on one pattern, by principal and host.

use super::principals::PrincipalId;
use crate::model::{Operation, Permission};

/// A set of operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations(u16);

impl Operations {
    /// All of them.
    pub const EVERY: Self = Self::of(Operation::ALL);

    /// The one operation.
    pub const fn only(operation: Operation) -> Self {
        Self(1 << operation as u16)
    }

    /// The operations of an ACL of which one answers what is asked: it, `ALL`, and of an ALLOW those that imply it (D-02).
    ///
    /// Implication is folded into the question rather than into every row, so that a row holds its ACLs as they are.
    #[inline(always)]
    pub fn answering(requested: Operation, permission: Permission) -> Self {
        let answering = if permission == Permission::Allow { &Self::ALLOWING } else { &Self::DENYING };
        answering.get(requested as usize).copied().unwrap_or_default()
    }

    const DENYING: [Self; Operation::ALL.len()] = Self::table(false);
    const ALLOWING: [Self; Operation::ALL.len()] = Self::table(true);

    #[expect(clippy::indexing_slicing, reason = "worked out when it is compiled")]
    const fn table(implied: bool) -> [Self; Operation::ALL.len()] {
        let mut table = [Self(0); Operation::ALL.len()];
        let mut rest: &[Operation] = Operation::ALL;
        while let [requested, others @ ..] = rest {
            let mut answering = Self::only(*requested).0 | Self::only(Operation::All).0;
            let mut implying = requested.implied_by();
            while let ([first, more @ ..], true) = (implying, implied) {
                answering |= Self::only(*first).0;
                implying = more;
            }
            table[*requested as usize] = Self(answering);
            rest = others;
        }
        table
    }

    /// Whether one of these is among those.
    #[inline(always)]
    pub const fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether there is none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that are in both.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those that are in one or the other.
    pub const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Those of these that are not among those.
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// One bit for each, in the order of [`Operation::ALL`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// These operations.
    pub const fn of(operations: &[Operation]) -> Self {
        let (mut of, mut rest) = (Self(0), operations);
        while let [first, others @ ..] = rest {
            of = of.or(Self::only(*first));
            rest = others;
        }
        of
    }

    /// How many.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Each, in order.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        Operation::ALL.iter().copied().filter(move |operation| self.meets(Self::only(*operation)))
    }
}

/// The number of a host; [`HostId::ANY`] is `*`, and ranges have the highest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostId(pub u32);

impl HostId {
    pub const ANY: Self = Self(0);
    const RANGE: u32 = 1 << 31;

    pub(super) const fn of_range(place: usize) -> Self {
        Self(Self::RANGE | place as u32)
    }

    /// The place of a range among the ranges; none of another host.
    #[inline(always)]
    pub(super) const fn range(self) -> Option<usize> {
        if self.0 & Self::RANGE == 0 { None } else { Some((self.0 & !Self::RANGE) as usize) }
    }
}

/// Operations that are denied, and operations that are allowed: one number, so that one comparison tells whether a row
/// answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(u32);

impl Rules {
    pub const fn new(deny: Operations, allow: Operations) -> Self {
        Self(deny.0 as u32 | (allow.0 as u32) << 16)
    }

    pub const fn deny(self) -> Operations {
        Operations(self.0 as u16)
    }

    pub const fn allow(self) -> Operations {
        Operations((self.0 >> 16) as u16)
    }

    /// Whether an operation is denied, or is allowed, in both.
    #[inline(always)]
    pub const fn meets(self, others: Self) -> bool {
        !self.and(others).is_empty()
    }

    /// Those that are in both.
    #[inline(always)]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

/// The ACLs of one principal and host on one pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub principal: PrincipalId,
    pub host: HostId,
    pub rules: Rules,
}

impl Row {
    pub const fn deny(&self) -> Operations {
        self.rules.deny()
    }

    pub const fn allow(&self) -> Operations {
        self.rules.allow()
    }

    pub const fn of(&self, permission: Permission) -> Operations {
        match permission {
            Permission::Deny => self.deny(),
            Permission::Allow => self.allow(),
        }
    }

    /// Hands over its ACLs, every operation with its permission, in the order of ACLs.
    pub fn acls(&self, mut visit: impl FnMut(Operation, Permission)) {
        for operation in Operation::ALL {
            for permission in Permission::ALL {
                if self.of(*permission).meets(Operations::only(*operation)) {
                    visit(*operation, *permission);
                }
            }
        }
    }

    const fn key(&self) -> (u32, u32) {
        (self.principal.0, self.host.0)
    }
}

/// Rows in order of their principals' and hosts' numbers, each of them once.
#[derive(Debug, Clone, Default)]
pub(super) enum Rows {
    #[default]
    None,
    /// Most patterns have one.
    One(Row),
    Many(Vec<Row>),
}

impl Rows {
    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Row] {
        match self {
            Self::None => &[],
            Self::One(row) => std::slice::from_ref(row),
            Self::Many(rows) => rows,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Adds operations; says whether they are new, and whether the row is.
    pub(super) fn add(&mut self, row: Row) -> (bool, bool) {
        match self.as_slice().binary_search_by_key(&row.key(), Row::key) {
            Ok(place) => {
                let Some(there) = self.as_mut_slice().get_mut(place) else { return (false, false) };
                let before = *there;
                there.rules = there.rules.or(row.rules);
                (*there != before, false)
            }
            Err(place) => {
                self.insert(place, row);
                (true, true)
            }
        }
    }

    fn insert(&mut self, place: usize, row: Row) {
        match self {
            Self::None => *self = Self::One(row),
            Self::One(one) => *self = Self::Many(if place == 0 { vec![row, *one] } else { vec![*one, row] }),
            Self::Many(rows) => {
                // By a quarter, not by double: there are many of these lists, and most are short.
                if rows.len() == rows.capacity() {
                    rows.reserve_exact(1 + rows.len() / 4);
                }
                rows.insert(place, row);
            }
        }
    }

    /// Removes operations; says whether they were there, and whether the row is gone.
    pub(super) fn remove(&mut self, row: Row) -> (bool, bool) {
        let Ok(place) = self.as_slice().binary_search_by_key(&row.key(), Row::key) else { return (false, false) };
        let Some(there) = self.as_mut_slice().get_mut(place) else { return (false, false) };
        let before = *there;
        there.rules = there.rules.without(row.rules);
        let after = *there;
        let gone = after.rules.is_empty();
        if gone {
            self.take(place);
        }
        (after != before, gone)
    }

    fn take(&mut self, place: usize) {
        match self {
            Self::None => {}
            Self::One(_) => *self = Self::None,
            Self::Many(rows) => {
                rows.remove(place);
                if let [row] = rows.as_slice() {
                    *self = Self::One(*row);
                }
            }
        }
    }

    fn as_mut_slice(&mut self) -> &mut [Row] {
        match self {
            Self::None => &mut [],
            Self::One(row) => std::slice::from_mut(row),
            Self::Many(rows) => rows,
        }
    }
}

/// The rows of one principal among the rows of a pattern.
pub fn rows_of(rows: &[Row], principal: PrincipalId) -> &[Row] {
    let start = rows.partition_point(|row| row.principal < principal);
    let rows = rows.get(start..).unwrap_or_default();
    let count = rows.iter().take_while(|row| row.principal == principal).count();
    rows.get(..count).unwrap_or_default()
}
