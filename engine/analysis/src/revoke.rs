//! The smallest change that denies an allowed request.

use super::least_grant::narrowest;
use super::who_can::Hits;
use gbac_engine::decide::{Decision, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::internal::sort;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::{
    internal::PrincipalId,
    policy::{Change, Policy},
};

/// What would deny a request that is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Revocation {
    /// How the request is decided now. Where it is denied there is nothing to take away, and all else is empty. A superuser
    /// may whatever ACLs say (D-14); nothing else helps than to take the user from the superusers.
    pub decision: Decision,
    /// The ACLs of the user, of everyone and of the groups themselves that allow it, in order. All of them have to go.
    pub acls: Vec<Acl>,
    /// The roles through which it is allowed, in order. From each of them either all memberships or all ACLs have to go.
    pub roles: Vec<RoleGrant>,
    /// The groups and roles that the person has to leave, in order, where the policy stays as it is: each of them is enough
    /// to allow it. None where an ACL of the user or of everyone allows it, so that leaving does not help.
    pub leave: Option<Vec<Principal>>,
    /// One ACL that denies it, for this user alone, this name, this operation and this host; the others stay.
    pub deny: Option<Acl>,
}

/// A role through which something is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleGrant {
    /// The role.
    pub role: String,
    /// The members through which the person has it: the user, groups; in order.
    pub members: Vec<Principal>,
    /// Its ACLs that allow it, in order.
    pub acls: Vec<Acl>,
}

impl Revocation {
    /// The least rows of the policy that have to go, as changes: ACLs, and of each role its memberships or its ACLs, whichever
    /// are fewer. None where it is denied, or allowed to a superuser.
    #[must_use]
    pub fn changes(&self) -> Option<Vec<Change>> {
        if self.decision.reason != Reason::AllowRule {
            return None;
        }
        let mut changes: Vec<Change> = self.acls.iter().cloned().map(Change::RemoveAcl).collect();
        for RoleGrant { role, members, acls } in &self.roles {
            if members.len() < acls.len() {
                let member = |member: &Principal| Change::RemoveMember { role: role.clone(), member: member.clone() };
                changes.extend(members.iter().map(member));
            } else {
                changes.extend(acls.iter().cloned().map(Change::RemoveAcl));
            }
        }
        Some(changes)
    }

    /// How many rows have to go at least.
    #[must_use]
    pub fn least(&self) -> Option<usize> {
        self.changes().map(|changes| changes.len())
    }
}

/// Finds the least that has to go for a request to be denied.
///
/// Cost: the rows on the patterns that cover the name.
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
/// let found = revoke(&policy, &Identity::new("alice", ["eng"]), &read);
/// assert_eq!((found.least(), &found.roles[0].members), (Some(1), &vec![Principal::group("eng")]));
/// assert_eq!(found.leave, Some(vec![Principal::group("eng")]));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn revoke(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Revocation {
    let decision = decide(policy, identity, request);
    let is_by_acl = decision.reason == Reason::AllowRule && decision.outcome == Outcome::Allow;
    let mut found = Revocation { decision, acls: Vec::new(), roles: Vec::new(), leave: None, deny: None };
    if !is_by_acl {
        return found;
    }
    let hits = Hits::new(policy, request);
    let user = policy.principal_id(identity.principal_type(), identity.user());
    let everyone = policy.principal_id(PrincipalType::User, "*");
    // What the person cannot leave.
    for id in [user, everyone.filter(|everyone| user != Some(*everyone))].into_iter().flatten() {
        found.acls.extend(hits.allowing(id));
    }
    let mut leave = found.acls.is_empty().then(Vec::new);
    let mut roles: Vec<(PrincipalId, Vec<Principal>)> = Vec::new();
    let mut held: Vec<(PrincipalId, Principal)> = user.map(|id| (id, identity.principal())).into_iter().collect();
    let groups = identity.groups().iter();
    held.extend(
        groups.filter_map(|name| Some((policy.principal_id(PrincipalType::Group, name)?, Principal::group(name)))),
    );
    for (id, principal) in held {
        let is_user = principal.kind() != PrincipalType::Group;
        let mut goes = false;
        if !is_user {
            let acls = hits.allowing(id);
            goes = !acls.is_empty();
            found.acls.extend(acls);
        }
        for role in policy.links(id).iter().filter(|role| hits.of(**role).iter().any(|hit| hit.allows)) {
            goes = true;
            if let (true, Some(role), Some(leave)) = (is_user, policy.principal(*role), &mut leave) {
                leave.push(role.clone());
            }
            match roles.iter_mut().find(|(known, _)| known == role) {
                Some((_, members)) => members.push(principal.clone()),
                None => roles.push((*role, vec![principal.clone()])),
            }
        }
        if let (true, false, Some(leave)) = (goes, is_user, &mut leave) {
            leave.push(principal);
        }
    }
    for (id, mut members) in roles {
        let Some(role) = policy.principal(id) else { continue };
        sort(&mut members, |a, b| a.cmp(b));
        found.roles.push(RoleGrant { role: role.name().to_owned(), members, acls: hits.allowing(id) });
    }
    sort(&mut found.acls, |a, b| a.cmp(b));
    sort(&mut found.roles, |a, b| a.role.cmp(&b.role));
    if let Some(leave) = &mut leave {
        sort(leave, |a, b| a.cmp(b));
    }
    found.leave = leave;
    found.deny = narrowest(identity, request).map(|acl| Acl { permission: Permission::Deny, ..acl });
    found
}
