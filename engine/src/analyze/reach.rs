//! Every ACL that reaches somebody, with the way to it, and which denies take something from which allows.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::tree::Place;
use super::{Holder, answered, within};
use crate::identity::Identity;
use crate::model::{Acl, Host, Permission, Principal, PrincipalType};
use crate::order::sort;
use crate::policy::{Operations, Policy, PrincipalId};

/// Whom a question is about: a principal on its own, or a person with groups.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// Somebody who holds no more than this.
    Holder(Holder),
    /// A user with groups.
    Identity(Identity),
}

/// The ACLs of one principal, and the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The group that the way goes through.
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
    /// The ways, the person's own first; each principal once, by the first way to it. Those without ACLs are left out.
    pub ways: Vec<Way>,
}

/// How much a deny takes from an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
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
/// use gbac_engine::analyze::{Holder, Subject, reach};
/// use gbac_engine::model::Principal;
/// use gbac_engine::wire::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1,
///   "roles": [{ "name": "readers", "members": [{ "principal": "Group:eng" }] }],
///   "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Role:readers", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let found = reach(&policy, &Subject::Holder(Holder::One(Principal::group("eng"))));
/// assert_eq!((found.ways.len(), &found.ways[0].principal), (1, &Principal::role("readers")));
/// # Ok::<(), gbac_engine::wire::Problems>(())
/// ```
#[must_use]
pub fn reach(policy: &Policy, subject: &Subject) -> Reach {
    let mut superuser = false;
    let mut ways = Ways { policy, ways: Vec::new(), places: BTreeMap::new() };
    let everyone = Principal::user("*");
    match subject {
        Subject::Holder(Holder::Everyone) => {}
        Subject::Holder(Holder::One(principal)) => {
            superuser = super::held::is_superuser(policy, principal);
            let group = (principal.kind() == PrincipalType::Group).then(|| principal.name());
            ways.with_roles(group, principal);
        }
        Subject::Identity(identity) => {
            let user = Principal::user(identity.user());
            superuser = super::held::is_superuser(policy, &user);
            ways.with_roles(None, &user);
            for group in identity.groups() {
                ways.with_roles(Some(group), &Principal::group(group.as_str()));
            }
        }
    }
    ways.add(None, &everyone);
    Reach { superuser, ways: ways.filled() }
}

/// Ways as they are found.
struct Ways<'a> {
    policy: &'a Policy,
    ways: Vec<Way>,
    /// The place of a principal's way.
    places: BTreeMap<PrincipalId, usize>,
}

impl Ways<'_> {
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
            place.insert(self.ways.len());
            let (group, everyone) = (group.map(str::to_owned), principal.is_everyone());
            self.ways.push(Way { group, principal: principal.clone(), everyone, acls: Vec::new() });
        }
    }

    /// The ways with their ACLs.
    fn filled(mut self) -> Vec<Way> {
        let principals: Vec<PrincipalId> = self.places.keys().copied().collect();
        self.policy.rows_of(&principals, &mut |pattern, row| {
            let place = self.places.get(&row.principal).copied();
            if let Some(way) = place.and_then(|place| self.ways.get_mut(place)) {
                row.acls(|operation, permission| way.acls.push(self.policy.acl(pattern, row, operation, permission)));
            }
        });
        for way in &mut self.ways {
            sort(&mut way.acls, Acl::cmp);
        }
        self.ways
    }
}

impl Reach {
    /// The denies that take something from an allow, and how much each takes.
    pub fn blocking<'a>(&'a self, allow: &'a Acl) -> impl Iterator<Item = (&'a Acl, Block)> {
        self.acls(Permission::Deny).filter_map(move |deny| block(allow, deny).map(|much| (deny, much)))
    }

    /// The allows that a deny takes something from.
    pub fn blocked<'a>(&'a self, deny: &'a Acl) -> impl Iterator<Item = &'a Acl> {
        self.acls(Permission::Allow).filter(move |allow| block(allow, deny).is_some())
    }

    fn acls(&self, permission: Permission) -> impl Iterator<Item = &Acl> {
        self.ways.iter().flat_map(|way| &way.acls).filter(move |acl| acl.permission == permission)
    }
}

/// How much a deny takes from an allow; none when no request meets both.
fn block(allow: &Acl, deny: &Acl) -> Option<Block> {
    let [of_allow, of_deny] = [allow, deny].map(|acl| answered(Operations::only(acl.operation), acl.permission));
    let (place, denied) = (place_of(allow), place_of(deny));
    let is_met = allow.resource_type == deny.resource_type
        && place.overlaps(denied)
        && (allow.host == deny.host || allow.host == Host::Any || deny.host == Host::Any)
        && of_allow.meets(of_deny);
    is_met.then(|| {
        let is_everywhere = denied.covers(place) && (deny.host == Host::Any || deny.host == allow.host);
        if !is_everywhere || !of_deny.meets(Operations::only(allow.operation)) {
            Block::Part
        } else if within(of_allow, of_deny) {
            Block::Whole
        } else {
            Block::Itself
        }
    })
}

fn place_of(acl: &Acl) -> Place<'_> {
    Place::named(acl.pattern_type, &acl.resource_name)
}
