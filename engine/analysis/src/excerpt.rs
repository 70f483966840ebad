//! The part of a policy that determines the effect of changes, so that the effect is computed
//! quickly for a large policy.

use std::collections::BTreeSet;

use super::tree::Place;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::index::{AclParts, PrincipalId};
use gbac_engine::policy::{Change, Policy};

/// Names of one resource type.
type Spot<'a> = (ResourceType, Place<'a>);

/// Extracts the roles, members and ACLs that determine the effect of changes:
/// [`diff`](crate::diff()) returns the same differences for this part, without and with the
/// changes, as for the whole policy. Changes of settings affect everything, so for them the result
/// is the whole policy. `also` adds principals with their roles and ACLs; if an identity's user and
/// groups are among them, its decisions are the same, too.
///
/// The cost depends on the number of patterns and rows.
///
/// ```
/// use gbac_analysis::{diff, policy_excerpt};
/// use gbac_engine::model::Principal;
/// use gbac_engine::policy::Change;
/// use gbac_json::policy_from_json;
///
/// let acl = |principal: &str| format!(r#"{{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders",
///     "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "{principal}", "host": "*",
///     "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }}"#);
/// let policy = policy_from_json(&format!(r#"{{ "version": 1, "roles": [{{ "name": "readers", "members": [] }}],
///     "acls": [{}, {}] }}"#, acl("Role:readers"), acl("Group:ops")))?;
/// let change = Change::AddMember { role: "readers".into(), member: Principal::group("eng") };
/// let part = policy_excerpt(&policy, &[change.clone()], &[]);
/// assert_eq!(part.acl_count(), 1);
/// let with = |policy: &Policy| { let mut after = policy.clone(); after.apply(change.clone()).unwrap(); after };
/// # use gbac_engine::policy::Policy;
/// assert_eq!(diff(&part, &with(&part)), diff(&policy, &with(&policy)));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn policy_excerpt(policy: &Policy, changes: &[Change], also: &[Principal]) -> Policy {
    if changes
        .iter()
        .any(|change| matches!(change, Change::Settings(_)))
    {
        return policy.clone();
    }
    let mut excerpt = Excerpt {
        policy,
        principals: BTreeSet::new(),
        roles: BTreeSet::new(),
    };
    let mut denying = BTreeSet::new();
    for change in changes {
        match change {
            Change::AddAcl(acl) | Change::RemoveAcl(acl) => excerpt.hold(&acl.principal),
            Change::CreateRole(name) | Change::DeleteRole { name, .. } => {
                denying.extend(excerpt.hold_role(name));
            }
            Change::AddMember { role, member } | Change::RemoveMember { role, member } => {
                denying.extend(excerpt.hold_role(role));
                excerpt.hold(member);
            }
            Change::Settings(_) => {}
        }
    }
    for principal in also.iter().chain([&Principal::user("*")]) {
        let id = policy.principal_id(principal.kind(), principal.name());
        match (principal.kind(), id) {
            (PrincipalType::Role, Some(id)) => {
                excerpt.principals.insert(id);
                excerpt.roles.extend(policy.is_role(id).then_some(id));
            }
            (_, Some(id)) => excerpt.hold_holder(id),
            (_, None) => {}
        }
    }
    let mut spots: Vec<Spot<'_>> = changes.iter().filter_map(spot_of_change).collect();
    spots.extend(excerpt.denies(&denying));
    spots.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.order(b.1)));
    spots.dedup();
    excerpt.end(&spots)
}

/// The place of a change that needs the ACLs of all principals: an added or removed deny changes
/// the effect of other ACLs of the same user, and an ACL of everyone combines with the ACLs of
/// every user.
fn spot_of_change(change: &Change) -> Option<Spot<'_>> {
    let (Change::AddAcl(acl) | Change::RemoveAcl(acl)) = change else {
        return None;
    };
    let counts = acl.permission == Permission::Deny || acl.principal.is_everyone();
    counts.then(|| (acl.resource_type, place(acl)))
}

fn place(acl: &Acl) -> Place<'_> {
    Place::named(acl.pattern_type, &acl.resource_name)
}

/// The content of the part, while it is collected.
struct Excerpt<'a> {
    policy: &'a Policy,
    /// The principals whose ACLs are included.
    principals: BTreeSet<PrincipalId>,
    /// The roles that are included with their members.
    roles: BTreeSet<PrincipalId>,
}

impl<'a> Excerpt<'a> {
    /// Includes a principal: a user or group with its roles, a role with its members and their
    /// roles.
    fn hold(&mut self, principal: &Principal) {
        if principal.kind() == PrincipalType::Role {
            self.hold_role(principal.name());
        } else if let Some(id) = self.policy.principal_id(principal.kind(), principal.name()) {
            self.hold_holder(id);
        }
    }

    fn hold_holder(&mut self, id: PrincipalId) {
        if self.principals.insert(id) {
            for role in self.policy.links(id) {
                self.principals.insert(*role);
                self.roles.insert(*role);
            }
        }
    }

    fn hold_role(&mut self, name: &str) -> Option<PrincipalId> {
        let id = self.policy.principal_id(PrincipalType::Role, name)?;
        self.principals.insert(id);
        if self.policy.is_role(id) {
            self.roles.insert(id);
            for member in self.policy.links(id) {
                self.hold_holder(*member);
            }
        }
        Some(id)
    }

    /// The places of the denies of some roles.
    fn denies(&self, roles: &BTreeSet<PrincipalId>) -> Vec<Spot<'a>> {
        let mut spots = Vec::new();
        let ids: Vec<PrincipalId> = roles.iter().copied().collect();
        self.policy.rows_of(&ids, &mut |pattern, row| {
            if !row.deny().is_empty() {
                spots.push((pattern.resource_type, Place::from_pattern(pattern)));
            }
        });
        spots
    }

    fn end(mut self, spots: &[Spot<'_>]) -> Policy {
        let policy = self.policy;
        let is_spot = |resource_type: ResourceType, place: Place<'_>| {
            spots
                .iter()
                .any(|(of_type, spot)| *of_type == resource_type && spot.overlaps(place))
        };
        let mut rows = Vec::new();
        for (_, pattern) in policy.patterns() {
            let is_everyones =
                !spots.is_empty() && is_spot(pattern.resource_type, Place::from_pattern(pattern));
            for row in pattern.rows() {
                if is_everyones || self.principals.contains(&row.principal) {
                    rows.push((pattern, row));
                    if is_everyones && policy.is_role(row.principal) {
                        self.roles.insert(row.principal);
                    }
                }
            }
        }
        let mut part = Policy::new(policy.settings().clone());
        for role in &self.roles {
            let Some(name) = policy.principal(*role).map(Principal::name) else {
                continue;
            };
            let mut members = Vec::new();
            for member in policy.links(*role) {
                if let Some(member) = policy.principal(*member) {
                    members.push((member.kind(), member.name()));
                }
            }
            // This and the next addition never fail, because they add parts of the policy itself.
            let _ = part.add_role(name, &members);
        }
        for (pattern, row) in rows {
            let Some(principal) = policy.principal(row.principal) else {
                continue;
            };
            row.acls(|operation, permission| {
                let _ = part.add_acl(&AclParts {
                    resource_type: pattern.resource_type,
                    resource_name: pattern.name(),
                    pattern_type: pattern.pattern_type,
                    principal: (principal.kind(), principal.name()),
                    host: policy.host(row.host),
                    operation,
                    permission,
                });
            });
        }
        part
    }
}
