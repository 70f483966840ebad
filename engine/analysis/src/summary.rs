//! A summary of a policy: the ACLs of every principal, counted, and the names in ACLs.

use super::held::is_superuser;
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
    let mut known: Vec<(Option<PrincipalId>, Principal)> = policy
        .principals()
        .map(|(id, principal)| (Some(id), principal.clone()))
        .collect();
    let superusers = &policy.settings().superusers;
    let unknown = superusers
        .iter()
        .filter(|name| policy.principal_id(PrincipalType::User, name).is_none());
    known.extend(unknown.map(|name| (None, Principal::user(name.as_str()))));
    sort(&mut known, |a, b| a.1.cmp(&b.1));
    let bound = known
        .iter()
        .filter_map(|(id, _)| id.map(|id| id.0 as usize + 1))
        .max()
        .unwrap_or_default();
    let mut places = vec![0; bound];
    for (place, (id, _)) in known.iter().enumerate() {
        if let Some(slot) = id.and_then(|id| places.get_mut(id.0 as usize)) {
            *slot = place;
        }
    }
    let place_of = |id: PrincipalId| places.get(id.0 as usize).copied().unwrap_or_default();
    let mut all = Vec::with_capacity(known.len());
    for (id, principal) in known {
        let is_role = id.is_some_and(|id| policy.is_role(id));
        let mut links: Vec<usize> = id
            .map(|id| policy.links(id).iter().map(|id| place_of(*id)).collect())
            .unwrap_or_default();
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
            let place = place_of(row.principal);
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

/// Adds the ACLs of roles to those of their members.
fn through_roles(all: &mut [PrincipalSummary]) {
    let role_counts: Vec<(AclCount, usize)> = all
        .iter()
        .map(|summary| (summary.direct, summary.from_one_host))
        .collect();
    for summary in all
        .iter_mut()
        .filter(|summary| summary.principal.kind() != PrincipalType::Role)
    {
        for (count, from_one_host) in summary
            .links
            .iter()
            .filter_map(|role| role_counts.get(*role))
        {
            summary.through.acls += count.acls;
            summary.through.denies += count.denies;
            summary.from_one_host += from_one_host;
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
