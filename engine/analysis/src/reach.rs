//! Every ACL that applies to an identity, with its access path, and the denies that restrict its
//! allows.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::tree::Place;
use crate::scope::{Scope, answered, within};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::Policy,
    policy::index::{Operations, PrincipalId},
};

/// The subject of an analysis: a principal on its own, or a user with groups.
#[derive(Debug, Clone, PartialEq)]
pub enum ReachSubject {
    /// Only this principal, or everyone.
    Scope(Scope),
    /// A user with groups.
    Identity(Identity),
}

/// The ACLs of one principal that applies to a subject, and the group on the access path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalAcls {
    /// The group on the access path.
    pub group: Option<String>,
    /// The principal of the ACLs: the user, everyone, a group or a role.
    pub principal: Principal,
    /// Whether the principal is everyone, `User:*`.
    pub everyone: bool,
    /// The ACLs, sorted.
    pub acls: Vec<Acl>,
}

/// The ACLs that apply to a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Whether the subject is a superuser, whose ACLs are not evaluated (D-14).
    pub superuser: bool,
    /// The principals, the subject's own first, each once, with its first access path. Principals
    /// without ACLs are omitted.
    pub principals: Vec<PrincipalAcls>,
}

/// The part of an allow that a deny blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DenyExtent {
    /// Some of its names, operations or hosts.
    Part,
    /// Its own operation completely; implied operations stay allowed (D-02).
    Itself,
    /// The whole allow.
    Whole,
}

/// Finds every ACL that applies to a subject.
///
/// Cost: one pass over all patterns of the policy.
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
/// let reach = reach(&policy, &ReachSubject::Scope(Scope::One(Principal::group("eng"))));
/// assert_eq!((reach.principals.len(), &reach.principals[0].principal), (1, &Principal::role("readers")));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn reach(policy: &Policy, subject: &ReachSubject) -> Reach {
    let mut superuser = false;
    let mut collector = Collector {
        policy,
        principals: Vec::new(),
        places: BTreeMap::new(),
    };
    let everyone = Principal::user("*");
    match subject {
        ReachSubject::Scope(Scope::Everyone) => {}
        ReachSubject::Scope(Scope::One(principal)) => {
            superuser = super::held::is_superuser(policy, principal);
            let group = (principal.kind() == PrincipalType::Group).then(|| principal.name());
            collector.with_roles(group, principal);
        }
        ReachSubject::Identity(identity) => {
            let user = identity.principal();
            superuser = super::held::is_superuser(policy, &user);
            collector.with_roles(None, &user);
            for group in identity.groups() {
                collector.with_roles(Some(group), &Principal::group(group.as_str()));
            }
        }
    }
    collector.add(None, &everyone);
    Reach {
        superuser,
        principals: collector.with_acls(),
    }
}

/// Collects the principals of a subject.
struct Collector<'a> {
    policy: &'a Policy,
    principals: Vec<PrincipalAcls>,
    /// The index of a principal.
    places: BTreeMap<PrincipalId, usize>,
}

impl Collector<'_> {
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
        let Some(id) = id else { return };
        if self.policy.row_count(id) == 0 {
            return;
        }
        if let Entry::Vacant(place) = self.places.entry(id) {
            place.insert(self.principals.len());
            let (group, everyone) = (group.map(str::to_owned), principal.is_everyone());
            self.principals.push(PrincipalAcls {
                group,
                principal: principal.clone(),
                everyone,
                acls: Vec::new(),
            });
        }
    }

    /// The principals with their ACLs.
    fn with_acls(mut self) -> Vec<PrincipalAcls> {
        let principals: Vec<PrincipalId> = self.places.keys().copied().collect();
        self.policy.rows_of(&principals, &mut |pattern, row| {
            let place = self.places.get(&row.principal).copied();
            if let Some(principal) = place.and_then(|place| self.principals.get_mut(place)) {
                row.acls(|operation, permission| {
                    principal
                        .acls
                        .push(self.policy.acl(pattern, row, operation, permission));
                });
            }
        });
        for principal in &mut self.principals {
            sort(&mut principal.acls, Acl::cmp);
        }
        self.principals
    }
}

impl Reach {
    /// The denies that block a part of an allow, and the size of that part.
    pub fn blocking<'a>(&'a self, allow: &'a Acl) -> impl Iterator<Item = (&'a Acl, DenyExtent)> {
        self.acls(Permission::Deny)
            .filter_map(move |deny| Some((deny, block(allow, deny)?)))
    }

    /// The allows of which a deny blocks a part.
    pub fn blocked<'a>(&'a self, deny: &'a Acl) -> impl Iterator<Item = &'a Acl> {
        self.acls(Permission::Allow)
            .filter(move |allow| block(allow, deny).is_some())
    }

    fn acls(&self, permission: Permission) -> impl Iterator<Item = &Acl> {
        self.principals
            .iter()
            .flat_map(|principal| &principal.acls)
            .filter(move |acl| acl.permission == permission)
    }
}

/// The part of an allow that a deny blocks; `None` if no request matches both.
fn block(allow: &Acl, deny: &Acl) -> Option<DenyExtent> {
    let [of_allow, of_deny] =
        [allow, deny].map(|acl| answered(Operations::only(acl.operation), acl.permission));
    let (place, denied) = (place_of(allow), place_of(deny));
    let overlaps = allow.resource_type == deny.resource_type
        && place.overlaps(denied)
        && allow.host.overlaps(&deny.host)
        && of_allow.meets(of_deny);
    overlaps.then(|| {
        let is_everywhere = denied.covers(place) && deny.host.covers(&allow.host);
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
