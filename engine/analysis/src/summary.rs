//! A summary of a policy: the ACLs of every principal, counted, and the names in ACLs.

use super::held::is_superuser;
use crate::role_counts::principal_bound;
use gbac_engine::model::{PatternType, Principal, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::{Policy, index::PrincipalId};

/// A principal with the number of its ACLs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalSummary {
    /// The principal.
    pub principal: Principal,
    /// The ACLs of the principal itself.
    pub direct: AclCount,
    /// Its roles, or the members of a role, as sorted indices of [`PolicySummary::all`].
    pub links: Vec<usize>,
    /// The ACLs of its roles; zero for a role.
    pub through: AclCount,
    /// The number of its ACLs and those of its roles that are for one host.
    pub from_one_host: usize,
    /// Whether it is a role that has ACLs but does not exist, so that its ACLs have no effect
    /// (D-18).
    pub is_missing: bool,
    /// Whether it is a superuser, whose ACLs are not evaluated (D-14).
    pub is_superuser: bool,
}

/// A number of ACLs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AclCount {
    /// All ACLs.
    pub acls: usize,
    /// The ACLs that deny.
    pub denies: usize,
}

/// The name or prefix of a pattern, and the principals with ACLs on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPattern {
    /// The resources' type.
    pub resource_type: ResourceType,
    /// How the name is compared.
    pub pattern_type: PatternType,
    /// The name or prefix.
    pub name: String,
    /// The principals of its ACLs, as indices of [`PolicySummary::all`], without duplicates, in no
    /// particular order.
    pub scopes: Vec<usize>,
}

/// A summary of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicySummary {
    /// Every principal of an ACL, every member of a role, every role and every superuser: users,
    /// groups and roles, sorted by type and name.
    pub all: Vec<PrincipalSummary>,
    /// Every pattern of an ACL, in no particular order.
    pub named: Vec<NamedPattern>,
}

/// Counts the ACLs of every principal.
///
/// Cost: one pass over all rows and memberships.
///
/// ```
/// use gbac_analysis::policy_summary;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1,
///   "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }],
///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:readers", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let eng = &policy_summary(&policy).all[0];
/// assert_eq!((eng.principal.to_string().as_str(), eng.direct.acls, eng.through.acls), ("Group:eng", 0, 1));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn policy_summary(policy: &Policy) -> PolicySummary {
    let mut known: Vec<(Option<PrincipalId>, Principal)> = Vec::new();
    for (id, principal) in policy.principals() {
        known.push((Some(id), principal.clone()));
    }
    for name in &policy.settings().superusers {
        if policy.principal_id(PrincipalType::User, name).is_none() {
            known.push((None, Principal::user(name)));
        }
    }
    sort(&mut known, |a, b| a.1.cmp(&b.1));
    let mut places = vec![0; principal_bound(policy)];
    for (place, (id, _)) in known.iter().enumerate() {
        if let Some(slot) = id.and_then(|id| places.get_mut(id.0 as usize)) {
            *slot = place;
        }
    }
    let mut all = Vec::with_capacity(known.len());
    for (id, principal) in known {
        let is_role = id.is_some_and(|id| policy.is_role(id));
        let mut links = Vec::new();
        if let Some(id) = id {
            for link in policy.links(id) {
                links.push(place_of(&places, *link));
            }
        }
        sort(&mut links, |a, b| a.cmp(b));
        all.push(PrincipalSummary {
            direct: AclCount::default(),
            links,
            through: AclCount::default(),
            from_one_host: 0,
            is_missing: principal.kind() == PrincipalType::Role && !is_role,
            is_superuser: is_superuser(policy, &principal),
            principal,
        });
    }
    let mut named = Vec::new();
    for (_, pattern) in policy.patterns() {
        let mut scopes: Vec<usize> = Vec::new();
        for row in pattern.rows() {
            let place = place_of(&places, row.principal);
            // Rows of one principal are adjacent.
            if scopes.last() != Some(&place) {
                scopes.push(place);
            }
            if let Some(summary) = all.get_mut(place) {
                let acls = row.deny().len() + row.allow().len();
                summary.direct.acls += acls;
                summary.direct.denies += row.deny().len();
                if row.host != gbac_engine::policy::index::HostId::ANY {
                    summary.from_one_host += acls;
                }
            }
        }
        let (resource_type, pattern_type) = (pattern.resource_type, pattern.pattern_type);
        named.push(NamedPattern {
            resource_type,
            pattern_type,
            name: pattern.name().to_owned(),
            scopes,
        });
    }
    through_roles(&mut all);
    PolicySummary { all, named }
}

fn place_of(places: &[usize], id: PrincipalId) -> usize {
    places.get(id.0 as usize).copied().unwrap_or_default()
}

/// Adds the ACLs of roles to those of their members.
fn through_roles(all: &mut [PrincipalSummary]) {
    let mut own_counts = Vec::with_capacity(all.len());
    for summary in all.iter() {
        own_counts.push((summary.direct, summary.from_one_host));
    }
    for summary in all {
        if summary.principal.kind() == PrincipalType::Role {
            continue;
        }
        for role in &summary.links {
            if let Some((count, from_one_host)) = own_counts.get(*role) {
                summary.through.acls += count.acls;
                summary.through.denies += count.denies;
                summary.from_one_host += from_one_host;
            }
        }
    }
}

impl PolicySummary {
    /// The index of a principal in [`PolicySummary::all`].
    #[must_use]
    pub fn place(&self, principal: &Principal) -> Option<usize> {
        self.all
            .binary_search_by(|summary| summary.principal.cmp(principal))
            .ok()
    }
}
