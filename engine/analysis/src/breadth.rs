//! How much access opens: some names, or every name of a type or the cluster.

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::{Change, Policy};

use crate::hypothetical::HypotheticalChange;
use crate::scope::NamePattern;

/// How much an ACL covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Breadth {
    /// One name, or names with a prefix.
    Names,
    /// Every name of a type, the cluster, or the Schema Registry.
    Everything,
}

impl Breadth {
    /// What an ACL covers.
    ///
    /// ```
    /// use gbac_analysis::Breadth;
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    /// let read = |name| Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, name);
    /// assert_eq!(Breadth::of_acl(&read("orders-").prefixed()), Breadth::Names);
    /// assert_eq!(Breadth::of_acl(&read("*")), Breadth::Everything);
    /// ```
    #[must_use]
    pub fn of_acl(acl: &Acl) -> Self {
        match acl.resource_type {
            ResourceType::Cluster | ResourceType::Registry => Self::Everything,
            _ if NamePattern::is_all_names(acl.pattern_type, &acl.resource_name) => {
                Self::Everything
            }
            _ => Self::Names,
        }
    }

    /// The most that the allows of a principal cover, with those of its roles.
    #[must_use]
    pub fn of_principal(policy: &Policy, principal: &Principal) -> Self {
        let mut types = types_of_own_acls(policy, principal, Permission::Allow);
        if principal.kind() != PrincipalType::Role {
            for role in policy.roles_of(principal) {
                let role = Principal::role(role);
                types.extend(types_of_own_acls(policy, &role, Permission::Allow));
            }
        }
        Self::of_types(&types)
    }

    /// How much changes open together; one of the settings opens for everybody.
    #[must_use]
    pub fn of_changes<'c>(
        policy: &Policy,
        changes: impl Iterator<Item = &'c HypotheticalChange>,
    ) -> Self {
        let mut most = Self::Names;
        for change in changes {
            most = most.max(match change {
                HypotheticalChange::Policy(Change::Settings(_)) => Self::Everything,
                HypotheticalChange::Policy(change) => {
                    Self::of_types(&fully_opened_types(policy, policy, change))
                }
                HypotheticalChange::Join(group) => {
                    Self::of_principal(policy, &Principal::group(group))
                }
                HypotheticalChange::Leave(_) => Self::Names,
            });
        }
        most
    }

    fn of_types(types: &BTreeSet<ResourceType>) -> Self {
        match types.is_empty() {
            true => Self::Names,
            false => Self::Everything,
        }
    }
}

/// The resource types of which a change opens every name to somebody, by an allow that comes or a
/// deny that goes; the cluster and the Schema Registry have no names and count whole. `before` and
/// `after` are the policies before and after all changes that are made together.
///
/// ```
/// use gbac_analysis::fully_opened_types;
/// use gbac_engine::policy::{Change, Policy};
/// use gbac_engine::{Acl, Operation, Principal, ResourceType};
/// let every = Acl::allow(Principal::role("readers"), Operation::Read, ResourceType::Topic, "*");
/// let (mut after, change) = (Policy::default(), Change::CreateRole("readers".into()));
/// after.apply(change)?;
/// after.apply(Change::AddAcl(every))?;
/// let join = Change::AddMember { role: "readers".into(), member: Principal::group("contractors") };
/// assert!(fully_opened_types(&Policy::default(), &after, &join).contains(&ResourceType::Topic));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn fully_opened_types(
    before: &Policy,
    after: &Policy,
    change: &Change,
) -> BTreeSet<ResourceType> {
    match change {
        Change::AddAcl(acl) if acl.permission == Permission::Allow => full_type(acl),
        Change::RemoveAcl(acl) if acl.permission == Permission::Deny => full_type(acl),
        Change::AddMember { role, .. } => {
            types_of_own_acls(after, &Principal::role(role), Permission::Allow)
        }
        Change::RemoveMember { role, .. } | Change::DeleteRole { name: role, .. } => {
            types_of_own_acls(before, &Principal::role(role), Permission::Deny)
        }
        Change::AddAcl(_) | Change::RemoveAcl(_) | Change::CreateRole(_) | Change::Settings(_) => {
            BTreeSet::new()
        }
    }
}

/// The type of an ACL that covers every name of it.
fn full_type(acl: &Acl) -> BTreeSet<ResourceType> {
    let mut types = BTreeSet::new();
    if Breadth::of_acl(acl) == Breadth::Everything {
        types.insert(acl.resource_type);
    }
    types
}

/// The types of which the principal's own allows or denies cover every name.
fn types_of_own_acls(
    policy: &Policy,
    principal: &Principal,
    permission: Permission,
) -> BTreeSet<ResourceType> {
    let mut types = BTreeSet::new();
    for acl in policy.acls_of(principal) {
        if acl.permission == permission {
            types.extend(full_type(&acl));
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Operation;

    use super::*;

    #[test]
    fn an_allow_that_comes_and_a_deny_that_goes_open_every_name() {
        let (role, group) = (Principal::role("R"), Principal::group("g"));
        let allow = Acl::allow(role.clone(), Operation::Read, ResourceType::Topic, "*");
        let deny = Acl::deny(
            role,
            Operation::Alter,
            ResourceType::Cluster,
            "kafka-cluster",
        );
        let mut policy = Policy::default();
        policy.apply(Change::CreateRole("R".into())).unwrap();
        policy.apply(Change::AddAcl(allow.clone())).unwrap();
        policy.apply(Change::AddAcl(deny.clone())).unwrap();
        let empty = Policy::default();
        let member = |joins: bool| {
            let (role, member) = ("R".to_owned(), group.clone());
            match joins {
                true => Change::AddMember { role, member },
                false => Change::RemoveMember { role, member },
            }
        };
        let delete = Change::DeleteRole {
            name: "R".into(),
            delete_acls: false,
        };
        let types = |before: &Policy, after: &Policy, change: &Change| -> Vec<ResourceType> {
            fully_opened_types(before, after, change)
                .into_iter()
                .collect()
        };
        let (topic, cluster) = ([ResourceType::Topic], [ResourceType::Cluster]);
        assert_eq!(
            types(&empty, &policy, &Change::AddAcl(allow.clone())),
            topic
        );
        assert_eq!(
            types(&policy, &empty, &Change::RemoveAcl(deny.clone())),
            cluster
        );
        assert_eq!(types(&empty, &policy, &member(true)), topic);
        assert_eq!(types(&policy, &empty, &member(false)), cluster);
        assert_eq!(types(&policy, &empty, &delete), cluster);
        // What takes access away opens nothing.
        assert_eq!(types(&policy, &empty, &Change::RemoveAcl(allow)), []);
        assert_eq!(types(&empty, &policy, &Change::AddAcl(deny)), []);
        let named = Acl::allow(
            group.clone(),
            Operation::Read,
            ResourceType::Topic,
            "orders",
        );
        assert_eq!(types(&empty, &policy, &Change::AddAcl(named)), []);
    }
}
