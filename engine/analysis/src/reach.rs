//! Every ACL that applies to an identity, with the path to it, and the denies that restrict its allows.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::tree::Place;
use crate::scope::{Scope, answered, within};
use gbac_engine::identity::Identity;
use gbac_engine::internal::sort;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::{
    internal::{Operations, PrincipalId},
    policy::Policy,
};

/// Whom a question is about: a principal on its own, or a person with groups.
#[derive(Debug, Clone, PartialEq)]
pub enum ReachSubject {
    /// Somebody who holds no more than this.
    Scope(Scope),
    /// A user with groups.
    Identity(Identity),
}

/// The ACLs of one principal that reaches somebody, and the group on the path to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalAcls {
    /// The group on the path.
    pub group: Option<String>,
    /// The principal whose ACLs these are: the user, everyone, a group, a role.
    pub principal: Principal,
    /// They are the ACLs of everyone, `User:*`.
    pub everyone: bool,
    /// The ACLs, in order.
    pub acls: Vec<Acl>,
}

/// Everything that reaches somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// A superuser: no ACL is asked (D-14).
    pub superuser: bool,
    /// The principals, the person's own first; each principal once, by the first path to it. Those without ACLs are left out.
    pub principals: Vec<PrincipalAcls>,
}

/// How much a deny takes from an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DenyExtent {
    /// Some of its names, operations or hosts.
    Part,
    /// All of its own operation; what that implies stays allowed (D-02).
    Itself,
    /// All of it.
    Whole,
}

/// Finds every ACL that reaches somebody.
///
/// Cost: one look at each pattern of the policy.
///
/// ```
/// use gbac_analysis::{Scope, ReachSubject, reach};
/// use gbac_engine::model::Principal;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1,
///   "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }],
///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:readers", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let found = reach(&policy, &ReachSubject::Scope(Scope::One(Principal::group("eng"))));
/// assert_eq!((found.principals.len(), &found.principals[0].principal), (1, &Principal::role("readers")));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn reach(policy: &Policy, subject: &ReachSubject) -> Reach {
    let mut superuser = false;
    let mut reached = Reached { policy, principals: Vec::new(), places: BTreeMap::new() };
    let everyone = Principal::user("*");
    match subject {
        ReachSubject::Scope(Scope::Everyone) => {}
        ReachSubject::Scope(Scope::One(principal)) => {
            superuser = super::held::is_superuser(policy, principal);
            let group = (principal.kind() == PrincipalType::Group).then(|| principal.name());
            reached.with_roles(group, principal);
        }
        ReachSubject::Identity(identity) => {
            let user = identity.principal();
            superuser = super::held::is_superuser(policy, &user);
            reached.with_roles(None, &user);
            for group in identity.groups() {
                reached.with_roles(Some(group), &Principal::group(group.as_str()));
            }
        }
    }
    reached.add(None, &everyone);
    Reach { superuser, principals: reached.filled() }
}

/// Reached as they are found.
struct Reached<'a> {
    policy: &'a Policy,
    principals: Vec<PrincipalAcls>,
    /// The index of a principal.
    places: BTreeMap<PrincipalId, usize>,
}

impl Reached<'_> {
    fn with_roles(&mut self, group: Option<&str>, principal: &Principal) {
        if principal.kind() == PrincipalType::Role && !self.policy.has_role(principal.name()) {
            return;
        }
        if !principal.is_everyone() {
            self.add(group, principal);
        }
        for role in self.policy.roles_of(principal) {
            self.add(group, &Principal::role(role));
        }
    }

    fn add(&mut self, group: Option<&str>, principal: &Principal) {
        let id = self.policy.principal_id(principal.kind(), principal.name());
        let Some(id) = id.filter(|id| self.policy.row_count(*id) > 0) else { return };
        if let Entry::Vacant(place) = self.places.entry(id) {
            place.insert(self.principals.len());
            let (group, everyone) = (group.map(str::to_owned), principal.is_everyone());
            self.principals.push(PrincipalAcls { group, principal: principal.clone(), everyone, acls: Vec::new() });
        }
    }

    /// The principals with their ACLs.
    fn filled(mut self) -> Vec<PrincipalAcls> {
        let principals: Vec<PrincipalId> = self.places.keys().copied().collect();
        self.policy.rows_of(&principals, &mut |pattern, row| {
            let place = self.places.get(&row.principal).copied();
            if let Some(found) = place.and_then(|place| self.principals.get_mut(place)) {
                row.acls(|operation, permission| found.acls.push(self.policy.acl(pattern, row, operation, permission)));
            }
        });
        for found in &mut self.principals {
            sort(&mut found.acls, Acl::cmp);
        }
        self.principals
    }
}

impl Reach {
    /// The denies that take something from an allow, and how much each takes.
    pub fn blocking<'a>(&'a self, allow: &'a Acl) -> impl Iterator<Item = (&'a Acl, DenyExtent)> {
        self.acls(Permission::Deny).filter_map(move |deny| block(allow, deny).map(|much| (deny, much)))
    }

    /// The allows that a deny takes something from.
    pub fn blocked<'a>(&'a self, deny: &'a Acl) -> impl Iterator<Item = &'a Acl> {
        self.acls(Permission::Allow).filter(move |allow| block(allow, deny).is_some())
    }

    fn acls(&self, permission: Permission) -> impl Iterator<Item = &Acl> {
        self.principals.iter().flat_map(|found| &found.acls).filter(move |acl| acl.permission == permission)
    }
}

/// How much a deny takes from an allow; none when no request meets both.
fn block(allow: &Acl, deny: &Acl) -> Option<DenyExtent> {
    let [of_allow, of_deny] = [allow, deny].map(|acl| answered(Operations::only(acl.operation), acl.permission));
    let (place, denied) = (place_of(allow), place_of(deny));
    let is_met = allow.resource_type == deny.resource_type
        && place.overlaps(denied)
        && allow.host.overlaps(deny.host)
        && of_allow.meets(of_deny);
    is_met.then(|| {
        let is_everywhere = denied.covers(place) && deny.host.covers(allow.host);
        if !is_everywhere || !of_deny.meets(Operations::only(allow.operation)) {
            DenyExtent::Part
        } else if within(of_allow, of_deny) {
            DenyExtent::Whole
        } else {
            DenyExtent::Itself
        }
    })
}

fn place_of(acl: &Acl) -> Place<'_> {
    Place::named(acl.pattern_type, &acl.resource_name)
}
