//! How much access opens: some names, or every name of a type or the cluster.

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
        let mut most = Self::of_own_acls(policy, principal);
        if principal.kind() != PrincipalType::Role {
            for role in policy.roles_of(principal) {
                most = most.max(Self::of_own_acls(policy, &Principal::role(role)));
            }
        }
        most
    }

    /// How much changes open together.
    #[must_use]
    pub fn of_changes<'c>(
        policy: &Policy,
        changes: impl Iterator<Item = &'c HypotheticalChange>,
    ) -> Self {
        let mut most = Self::Names;
        for change in changes {
            most = most.max(match change {
                HypotheticalChange::Policy(Change::AddMember { role, .. }) => {
                    Self::of_principal(policy, &Principal::role(role))
                }
                HypotheticalChange::Policy(Change::AddAcl(acl) | Change::RemoveAcl(acl)) => {
                    Self::of_acl(acl)
                }
                HypotheticalChange::Join(group) => {
                    Self::of_principal(policy, &Principal::group(group))
                }
                HypotheticalChange::Policy(_) | HypotheticalChange::Leave(_) => Self::Names,
            });
        }
        most
    }

    fn of_own_acls(policy: &Policy, principal: &Principal) -> Self {
        let mut most = Self::Names;
        for acl in policy.acls_of(principal) {
            if acl.permission == Permission::Allow {
                most = most.max(Self::of_acl(&acl));
            }
        }
        most
    }
}
