//! Counts the ACLs of roles and principals in one pass over the rows.

use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Policy, index::PrincipalId};

/// The number of members and ACLs of a role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RoleCounts {
    /// The role's name.
    pub name: String,
    /// The number of members.
    pub members: usize,
    /// The number of members that are groups.
    pub groups: usize,
    /// The number of ACLs.
    pub acls: usize,
    /// The number of ACLs that deny.
    pub denies: usize,
}

/// Counts the members and ACLs of every role, sorted by name.
///
/// Cost: one pass over all rows, without creating ACLs.
///
/// ```
/// use gbac_analysis::role_counts;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "R", "members": [{ "principal": "Group:eng" }] }] }"#)?;
/// let [role] = role_counts(&policy).try_into().expect("one role");
/// assert_eq!((role.members, role.groups, role.acls, role.denies), (1, 1, 0, 0));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn role_counts(policy: &Policy) -> Vec<RoleCounts> {
    let counts = counts(policy);
    let mut roles = Vec::new();
    for name in policy.role_names() {
        let Some(id) = policy.principal_id(PrincipalType::Role, name) else {
            continue;
        };
        let members = policy.links(id);
        let mut groups = 0;
        for member in members {
            let kind = policy.principal(*member).map(Principal::kind);
            groups += usize::from(kind == Some(PrincipalType::Group));
        }
        let (acls, denies) = counts.get(id.0 as usize).copied().unwrap_or_default();
        roles.push(RoleCounts {
            name: name.into(),
            members: members.len(),
            groups,
            acls,
            denies,
        });
    }
    roles
}

/// The number of each principal's own ACLs, without those of its roles.
///
/// Cost: one pass over all rows, regardless of the number of principals.
#[must_use]
pub fn acl_counts<'a>(
    policy: &Policy,
    principals: impl IntoIterator<Item = &'a Principal>,
) -> Vec<usize> {
    let counts = counts(policy);
    let mut of_each = Vec::new();
    for principal in principals {
        let id = policy.principal_id(principal.kind(), principal.name());
        let (acls, _) = id
            .and_then(|id| counts.get(id.0 as usize).copied())
            .unwrap_or_default();
        of_each.push(acls);
    }
    of_each
}

/// For each principal, by its number, the number of ACLs and of those that deny.
fn counts(policy: &Policy) -> Vec<(usize, usize)> {
    let mut counts = vec![(0, 0); principal_bound(policy)];
    for (_, pattern) in policy.patterns() {
        for row in pattern.rows() {
            if let Some((acls, denies)) = counts.get_mut(row.principal.0 as usize) {
                *acls += row.allow().len() + row.deny().len();
                *denies += row.deny().len();
            }
        }
    }
    counts
}

/// The greatest number of a principal, plus one.
pub(crate) fn principal_bound(policy: &Policy) -> usize {
    let mut bound = 0;
    for (PrincipalId(id), _) in policy.principals() {
        bound = bound.max(id as usize + 1);
    }
    bound
}
