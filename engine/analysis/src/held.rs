//! The effective ACLs of an identity: the principals that apply to it, and their ACLs as rules.

use super::tree::Place;
use crate::scope::{Scope, answered, every_operation};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Host, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::Policy,
    policy::index::{Operations, Pattern, PrincipalId, Row},
};

/// The principals that apply to an identity or a scope.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) superuser: bool,
    /// Sorted by number, without duplicates, including `User:*`.
    pub(super) principals: Vec<PrincipalId>,
}

impl Held {
    pub(super) fn by_identity(policy: &Policy, identity: &Identity) -> Self {
        let mut principals = Vec::new();
        push(
            policy,
            identity.principal_type(),
            identity.user(),
            &mut principals,
        );
        for group in identity.groups() {
            push(policy, PrincipalType::Group, group, &mut principals);
        }
        Self::new(policy, policy.settings().is_superuser(identity), principals)
    }

    pub(super) fn by(policy: &Policy, scope: &Scope) -> Self {
        let mut principals = Vec::new();
        let mut superuser = false;
        if let Scope::One(principal) = scope {
            push(policy, principal.kind(), principal.name(), &mut principals);
            superuser = is_superuser(policy, principal);
        }
        Self::new(policy, superuser, principals)
    }

    fn new(policy: &Policy, superuser: bool, mut principals: Vec<PrincipalId>) -> Self {
        principals.extend(policy.principal_id(PrincipalType::User, "*"));
        sort(&mut principals, |a, b| a.cmp(b));
        principals.dedup();
        Self {
            superuser,
            principals,
        }
    }

    /// The rules, grouped by resource type.
    pub(super) fn rules<'a>(&self, policy: &'a Policy) -> Vec<(ResourceType, Vec<Rule<'a>>)> {
        let mut rules: Vec<(ResourceType, Vec<Rule<'a>>)> = ResourceType::ALL
            .iter()
            .map(|resource_type| (*resource_type, Vec::new()))
            .collect();
        policy.rows_of(&self.principals, &mut |pattern, row| {
            if let Some((_, rules)) = rules.get_mut(pattern.resource_type as usize) {
                rules.push(Rule::new(policy, pattern, row));
            }
        });
        rules
    }
}

/// Adds a principal and its roles.
fn push(policy: &Policy, kind: PrincipalType, name: &str, principals: &mut Vec<PrincipalId>) {
    let Some(id) = policy.principal_id(kind, name) else {
        return;
    };
    if kind != PrincipalType::Role {
        principals.push(id);
        principals.extend(policy.links(id));
    } else if policy.is_role(id) {
        principals.push(id);
    }
}

/// Whether every request of a principal is allowed (D-14).
pub(super) fn is_superuser(policy: &Policy, principal: &Principal) -> bool {
    principal.kind() == PrincipalType::User
        && policy.settings().superusers.contains(principal.name())
}

/// The operations that a row allows and denies for a pattern and host, including implied ones
/// (D-02).
#[derive(Debug)]
pub(super) struct Rule<'a> {
    pub(super) place: Place<'a>,
    pub(super) host: Host,
    pub(super) allow: Operations,
    pub(super) deny: Operations,
}

impl<'a> Rule<'a> {
    pub(super) fn new(policy: &Policy, pattern: &'a Pattern, row: &Row) -> Self {
        let place = Place::from_pattern(pattern);
        if !policy.host_can_match(row.host) {
            return Self {
                place,
                host: Host::Any,
                allow: Operations::default(),
                deny: Operations::default(),
            };
        }
        let every = every_operation(policy);
        Self {
            place,
            host: policy.host(row.host),
            allow: answered(row.allow(), Permission::Allow).and(every),
            deny: answered(row.deny(), Permission::Deny).and(every),
        }
    }
}

/// The hosts that rules name, sorted, without duplicates.
pub(super) fn hosts_of<'a>(rules: impl Iterator<Item = &'a Host>) -> Vec<Host> {
    let mut hosts: Vec<Host> = rules.filter(|host| **host != Host::Any).cloned().collect();
    sort(&mut hosts, |a, b| a.cmp(b));
    hosts.dedup();
    hosts
}
