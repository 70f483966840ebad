//! The rows of a pattern: the denied and allowed operations of each principal and host.

use super::principals::PrincipalId;
use crate::model::{Dialect, Operation, Permission};

/// A set of operations.
///
/// ```
/// use gbac_engine::policy::index::Operations;
/// use gbac_engine::{Operation, Permission};
///
/// let asked = Operations::only(Operation::Describe);
/// let read = Operations::only(Operation::Read);
/// assert!(!read.meets(asked));
/// // An allowed READ also allows DESCRIBE; a denied one does not deny it.
/// assert!(read.answered(Permission::Allow).meets(asked));
/// assert!(!read.answered(Permission::Deny).meets(asked));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operations(u16);

impl Operations {
    /// All operations.
    pub const EVERY: Self = Self::from_slice(Operation::ALL);

    /// A set of one operation.
    pub const fn only(operation: Operation) -> Self {
        Self(1 << operation as u16)
    }

    /// The operations of an ACL that match a requested one: the operation itself, `ALL`, and for an
    /// ALLOW those that imply it (D-02).
    ///
    /// Requests are expanded with implied operations; rows contain only the operations of their
    /// ACLs.
    #[inline(always)]
    pub fn answering(requested: Operation, permission: Permission) -> Self {
        let table = if permission == Permission::Allow {
            &Self::ALLOWING
        } else {
            &Self::DENYING
        };
        table.get(requested as usize).copied().unwrap_or_default()
    }

    const DENYING: [Self; Operation::ALL.len()] = Self::table(false);
    const ALLOWING: [Self; Operation::ALL.len()] = Self::table(true);

    #[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
    const fn table(with_implied: bool) -> [Self; Operation::ALL.len()] {
        let mut table = [Self(0); Operation::ALL.len()];
        let mut rest: &[Operation] = Operation::ALL;
        while let [requested, others @ ..] = rest {
            let mut matching = Self::only(*requested).0 | Self::only(Operation::All).0;
            let mut implying = requested.implied_by();
            while let ([first, more @ ..], true) = (implying, with_implied) {
                matching |= Self::only(*first).0;
                implying = more;
            }
            table[*requested as usize] = Self(matching);
            rest = others;
        }
        table
    }

    /// The requested operations that ACLs with these operations match: the inverse of
    /// [`answering`](Self::answering).
    #[inline]
    pub fn answered(self, permission: Permission) -> Self {
        if self.meets(Self::only(Operation::All)) {
            return Self::EVERY;
        }
        let is_implied =
            |operation: &Operation| self.meets(Self::answering(*operation, permission));
        Self::IMPLIED
            .iter()
            .copied()
            .filter(is_implied)
            .fold(self, |all, operation| all.or(Self::only(operation)))
    }

    /// The operations that exist in a dialect.
    #[inline]
    pub const fn of_dialect(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Platform => const { Self::from_slice(Dialect::Platform.operations()) },
            Dialect::Kafka => const { Self::from_slice(Dialect::Kafka.operations()) },
        }
    }

    /// The operations that others imply.
    const IMPLIED: [Operation; 2] = [Operation::Describe, Operation::DescribeConfigs];

    /// Whether the sets have an operation in common.
    #[inline(always)]
    pub const fn meets(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The operations in both sets.
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// The operations in either set.
    pub const fn or(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The operations of this set that are not in the other.
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// One bit for each, in the order of [`Operation::ALL`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// These operations.
    pub const fn from_slice(operations: &[Operation]) -> Self {
        let (mut of, mut rest) = (Self(0), operations);
        while let [first, others @ ..] = rest {
            of = of.or(Self::only(*first));
            rest = others;
        }
        of
    }

    /// The number of operations.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The operations, in order.
    pub fn iter(self) -> impl Iterator<Item = Operation> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let operation = Operation::ALL.get(rest.trailing_zeros() as usize).copied();
            rest &= rest.wrapping_sub(1);
            operation
        })
    }
}

/// The id of a host; [`HostId::ANY`] is `*`, and ids of ranges and names have their highest bit
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostId(pub u32);

impl HostId {
    /// Every host, `*`.
    pub const ANY: Self = Self(0);
    const OTHER: u32 = 1 << 31;

    pub(super) const fn of_other(index: usize) -> Self {
        Self(Self::OTHER | index as u32)
    }

    /// The index of a range or a name among those; `None` for any other host.
    #[inline(always)]
    pub(super) const fn other(self) -> Option<usize> {
        if self.0 & Self::OTHER == 0 {
            None
        } else {
            Some((self.0 & !Self::OTHER) as usize)
        }
    }
}

/// The denied operations and the allowed operations, in one number, so that one comparison tells
/// whether a row matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(u32);

impl Rules {
    /// Rules with these denied and allowed operations.
    pub const fn new(deny: Operations, allow: Operations) -> Self {
        Self(deny.0 as u32 | (allow.0 as u32) << 16)
    }

    /// The denied operations.
    pub const fn deny(self) -> Operations {
        Operations(self.0 as u16)
    }

    /// The allowed operations.
    pub const fn allow(self) -> Operations {
        Operations((self.0 >> 16) as u16)
    }

    /// Whether an operation is denied in both, or allowed in both.
    #[inline(always)]
    pub const fn meets(self, others: Self) -> bool {
        !self.and(others).is_empty()
    }

    /// The rules that are in both.
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
    /// The id of the principal.
    pub principal: PrincipalId,
    /// The id of the host.
    pub host: HostId,
    /// The denied and the allowed operations.
    pub rules: Rules,
}

impl Row {
    /// The denied operations.
    pub const fn deny(&self) -> Operations {
        self.rules.deny()
    }

    /// The allowed operations.
    pub const fn allow(&self) -> Operations {
        self.rules.allow()
    }

    /// The operations with a permission.
    pub const fn operations(&self, permission: Permission) -> Operations {
        match permission {
            Permission::Deny => self.deny(),
            Permission::Allow => self.allow(),
        }
    }

    /// Visits the operation and permission of each of its ACLs, in the order of ACLs.
    pub fn acls(&self, mut visit: impl FnMut(Operation, Permission)) {
        for operation in Operation::ALL {
            for permission in Permission::ALL {
                if self
                    .operations(*permission)
                    .meets(Operations::only(*operation))
                {
                    visit(*operation, *permission);
                }
            }
        }
    }

    const fn key(&self) -> (u32, u32) {
        (self.principal.0, self.host.0)
    }
}

/// Rows, sorted by principal and host, without duplicates.
#[derive(Debug, Clone, Default)]
pub(super) enum Rows {
    #[default]
    None,
    /// The usual case.
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

    /// Adds the rules of a row; returns whether any of them is new, and whether the row is.
    pub(super) fn add(&mut self, row: Row) -> (bool, bool) {
        match self.as_slice().binary_search_by_key(&row.key(), Row::key) {
            Ok(index) => {
                let Some(existing) = self.as_mut_slice().get_mut(index) else {
                    return (false, false);
                };
                let before = *existing;
                existing.rules = existing.rules.or(row.rules);
                (*existing != before, false)
            }
            Err(index) => {
                self.insert(index, row);
                (true, true)
            }
        }
    }

    fn insert(&mut self, index: usize, row: Row) {
        match self {
            Self::None => *self = Self::One(row),
            Self::One(first) => {
                *self = Self::Many(if index == 0 {
                    vec![row, *first]
                } else {
                    vec![*first, row]
                });
            }
            Self::Many(rows) => {
                // Grows by a quarter instead of doubling, because a policy has many short lists.
                if rows.len() == rows.capacity() {
                    rows.reserve_exact(1 + rows.len() / 4);
                }
                rows.insert(index, row);
            }
        }
    }

    /// Removes the rules of a row; returns whether any of them was present, and whether the row was
    /// removed.
    pub(super) fn remove(&mut self, row: Row) -> (bool, bool) {
        let Ok(index) = self.as_slice().binary_search_by_key(&row.key(), Row::key) else {
            return (false, false);
        };
        let Some(existing) = self.as_mut_slice().get_mut(index) else {
            return (false, false);
        };
        let before = *existing;
        existing.rules = existing.rules.without(row.rules);
        let after = *existing;
        let is_empty = after.rules.is_empty();
        if is_empty {
            self.remove_row(index);
        }
        (after != before, is_empty)
    }

    fn remove_row(&mut self, index: usize) {
        match self {
            Self::None => {}
            Self::One(_) => *self = Self::None,
            Self::Many(rows) => {
                rows.remove(index);
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

/// The rows of a principal. The given rows must be sorted by principal.
pub fn rows_of(rows: &[Row], principal: PrincipalId) -> &[Row] {
    let start = rows.partition_point(|row| row.principal < principal);
    let rows = rows.get(start..).unwrap_or_default();
    let count = rows
        .iter()
        .take_while(|row| row.principal == principal)
        .count();
    rows.get(..count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Operation, Operations, Permission};

    #[test]
    fn the_operations_of_acls_are_those_that_they_match() {
        for bits in 0..1 << Operation::ALL.len() {
            let of_acls = Operations(bits);
            for permission in Permission::ALL {
                let matched = of_acls.answered(*permission);
                for operation in Operation::ALL {
                    let is_matched = of_acls.meets(Operations::answering(*operation, *permission));
                    assert_eq!(
                        matched.meets(Operations::only(*operation)),
                        is_matched,
                        "{bits} {operation:?}"
                    );
                }
            }
            let listed: Vec<Operation> = of_acls.iter().collect();
            assert!(
                listed.is_sorted()
                    && Operations::from_slice(&listed) == of_acls
                    && listed.len() == of_acls.len()
            );
        }
    }
}
