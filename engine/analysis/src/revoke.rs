//! The smallest change that denies an allowed request.

use super::least_grant::narrowest;
use super::who_can::Hits;
use gbac_engine::decide::{Decision, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::index::PrincipalId,
    policy::{Change, Policy},
};

/// The smallest changes that would deny an allowed request.
#[derive(Debug, Clone, PartialEq)]
pub struct Revocation {
    /// The current decision. If the request is denied, all other fields are empty. A superuser is
    /// allowed regardless of ACLs (D-14), so only removing the user from the superusers helps.
    pub decision: Decision,
    /// The ACLs of the user, of everyone and of the groups that allow it, sorted. All of them must
    /// be removed.
    pub acls: Vec<Acl>,
    /// The roles through which it is allowed, sorted. From each of them, either all listed
    /// memberships or all listed ACLs must be removed.
    pub roles: Vec<RoleGrant>,
    /// The groups and roles that the user must leave if the policy stays the same, sorted: each of
    /// them alone allows it. `None` if an ACL of the user or of everyone allows it, so that leaving
    /// does not help.
    pub memberships_to_leave: Option<Vec<Principal>>,
    /// One deny ACL that blocks it, for only this user, name, operation and host.
    pub deny: Option<Acl>,
}

/// A role through which a request is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleGrant {
    /// The role.
    pub role: String,
    /// The members through which the user has the role: the user or groups, sorted.
    pub members: Vec<Principal>,
    /// Its ACLs that allow it, sorted.
    pub acls: Vec<Acl>,
}

impl Revocation {
    /// The smallest change of the policy: removes the ACLs, and for each role its memberships or
    /// its ACLs, whichever are fewer. `None` if the request is denied, or allowed because of a
    /// superuser.
    #[must_use]
    pub fn changes(&self) -> Option<Vec<Change>> {
        if self.decision.reason != Reason::AllowRule {
            return None;
        }
        let mut changes: Vec<Change> = self.acls.iter().cloned().map(Change::RemoveAcl).collect();
        for RoleGrant {
            role,
            members,
            acls,
        } in &self.roles
        {
            if members.len() < acls.len() {
                for member in members {
                    changes.push(Change::RemoveMember {
                        role: role.clone(),
                        member: member.clone(),
                    });
                }
            } else {
                changes.extend(acls.iter().cloned().map(Change::RemoveAcl));
            }
        }
        Some(changes)
    }

    /// The number of these changes.
    #[must_use]
    pub fn change_count(&self) -> Option<usize> {
        Some(self.changes()?.len())
    }
}

/// Finds the smallest changes that deny a request.
///
/// Cost: one pass over the rows of the patterns that match the name.
///
/// ```
/// use gbac_analysis::revoke;
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, Principal, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1,
///   "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }],
///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:readers", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let read = Request::new(Operation::Read, ResourceType::Topic, "orders", At::IgnoringExpiry);
/// let revocation = revoke(&policy, &Identity::new("alice", ["eng"]), &read);
/// assert_eq!((revocation.change_count(), &revocation.roles[0].members), (Some(1), &vec![Principal::group("eng")]));
/// assert_eq!(revocation.memberships_to_leave, Some(vec![Principal::group("eng")]));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn revoke(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Revocation {
    let decision = decide(policy, identity, request);
    let is_allowed_by_acl =
        decision.reason == Reason::AllowRule && decision.outcome == Outcome::Allow;
    let mut revocation = Revocation {
        decision,
        acls: Vec::new(),
        roles: Vec::new(),
        memberships_to_leave: None,
        deny: None,
    };
    if !is_allowed_by_acl {
        return revocation;
    }
    let hits = Hits::new(policy, request);
    let user = policy.principal_id(identity.principal_type(), identity.user());
    let everyone = policy.principal_id(PrincipalType::User, "*");
    // The principals that the user cannot leave.
    for id in [user, everyone.filter(|everyone| user != Some(*everyone))]
        .into_iter()
        .flatten()
    {
        revocation.acls.extend(hits.allowing(id));
    }
    let mut leave = revocation.acls.is_empty().then(Vec::new);
    let mut roles: Vec<(PrincipalId, Vec<Principal>)> = Vec::new();
    let mut own_principals: Vec<(PrincipalId, Principal)> = Vec::new();
    own_principals.extend(user.map(|id| (id, identity.principal())));
    for name in identity.groups() {
        if let Some(id) = policy.principal_id(PrincipalType::Group, name) {
            own_principals.push((id, Principal::group(name)));
        }
    }
    for (id, principal) in own_principals {
        let is_user = principal.kind() != PrincipalType::Group;
        let mut allows = false;
        if !is_user {
            let acls = hits.allowing(id);
            allows = !acls.is_empty();
            revocation.acls.extend(acls);
        }
        for role in policy.links(id) {
            if !hits.of_principal(*role).iter().any(|hit| hit.allows) {
                continue;
            }
            allows = true;
            if let (true, Some(role), Some(leave)) = (is_user, policy.principal(*role), &mut leave)
            {
                leave.push(role.clone());
            }
            match roles.iter_mut().find(|(known, _)| known == role) {
                Some((_, members)) => members.push(principal.clone()),
                None => roles.push((*role, vec![principal.clone()])),
            }
        }
        if let (true, false, Some(leave)) = (allows, is_user, &mut leave) {
            leave.push(principal);
        }
    }
    for (id, mut members) in roles {
        let Some(role) = policy.principal(id) else {
            continue;
        };
        sort(&mut members, |a, b| a.cmp(b));
        revocation.roles.push(RoleGrant {
            role: role.name().to_owned(),
            members,
            acls: hits.allowing(id),
        });
    }
    sort(&mut revocation.acls, |a, b| a.cmp(b));
    sort(&mut revocation.roles, |a, b| a.role.cmp(&b.role));
    if let Some(leave) = &mut leave {
        sort(leave, |a, b| a.cmp(b));
    }
    revocation.memberships_to_leave = leave;
    revocation.deny = narrowest(identity, request).map(|acl| Acl {
        permission: Permission::Deny,
        ..acl
    });
    revocation
}
