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
    let role = |name: &str| {
        let id = policy.principal_id(PrincipalType::Role, name)?;
        let members = policy.links(id);
        let is_group = |id: &&PrincipalId| {
            policy
                .principal(**id)
                .is_some_and(|of| of.kind() == PrincipalType::Group)
        };
        let (acls, denies) = counts.get(id.0 as usize).copied().unwrap_or_default();
        let groups = members.iter().filter(is_group).count();
        Some(RoleCounts {
            name: name.into(),
            members: members.len(),
            groups,
            acls,
            denies,
        })
    };
    policy.role_names().filter_map(role).collect()
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
    let count = |principal: &Principal| {
        let id = policy.principal_id(principal.kind(), principal.name())?;
        counts.get(id.0 as usize).map(|(acls, _)| *acls)
    };
    principals
        .into_iter()
        .map(|principal| count(principal).unwrap_or_default())
        .collect()
}

/// For each principal, by its number, the number of ACLs and of those that deny.
fn counts(policy: &Policy) -> Vec<(usize, usize)> {
    let bound = policy
        .principals()
        .map(|(PrincipalId(id), _)| id as usize + 1)
        .max()
        .unwrap_or_default();
    let mut counts = vec![(0, 0); bound];
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
