//! How much access opens: one name, a prefix, every name of a type, or the cluster.

use std::cmp::Reverse;

use gbac_engine::model::{Acl, PatternType, Permission, Principal, PrincipalType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::{Change, Policy};
use strum::{IntoStaticStr, VariantArray, VariantNames};

use crate::hypothetical::HypotheticalChange;
use crate::scope::NamePattern;

/// How many names access covers, from the fewest to the most.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Breadth {
    /// One name.
    OneName,
    /// The names with a prefix.
    Prefix,
    /// Every name of a type.
    EveryName,
    /// The cluster, or the Schema Registry.
    Cluster,
}

impl Breadth {
    /// Every value, from the fewest names to the most.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// What an ACL covers.
    ///
    /// ```
    /// use gbac_analysis::Breadth;
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    /// let read = |name| Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, name);
    /// assert_eq!(Breadth::of_acl(&read("orders")), Breadth::OneName);
    /// assert_eq!(Breadth::of_acl(&read("orders-").prefixed()), Breadth::Prefix);
    /// assert_eq!(Breadth::of_acl(&read("*")), Breadth::EveryName);
    /// ```
    #[must_use]
    pub fn of_acl(acl: &Acl) -> Self {
        Self::of_names(acl.resource_type, acl.pattern_type, &acl.resource_name)
    }

    /// What names of a type cover.
    #[must_use]
    pub fn of_names(resource_type: ResourceType, pattern_type: PatternType, name: &str) -> Self {
        if !resource_type.has_names() {
            Self::Cluster
        } else if NamePattern::is_all_names(pattern_type, name) {
            Self::EveryName
        } else if pattern_type == PatternType::Prefixed {
            Self::Prefix
        } else {
            Self::OneName
        }
    }

    /// Whether this is every name of a type or more.
    #[must_use]
    pub fn is_wide(self) -> bool {
        self >= Self::EveryName
    }
}

/// What opens to somebody, by an allow that comes or a deny that goes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opening {
    /// The names by their type, the widest first; none of them covers another.
    pub patterns: Vec<(ResourceType, NamePattern)>,
    /// Whether it is the settings that change, which affect everyone who signs in.
    pub is_for_everyone: bool,
}

impl Opening {
    /// What these ACLs cover.
    #[must_use]
    pub fn of_acls(acls: impl IntoIterator<Item = Acl>) -> Self {
        let mut patterns = Vec::new();
        for acl in acls {
            let pattern = NamePattern {
                pattern_type: acl.pattern_type,
                name: acl.resource_name,
            };
            patterns.push((acl.resource_type, pattern));
        }
        Self::of_patterns(patterns)
    }

    /// What the allows of a principal cover, with those of its roles.
    #[must_use]
    pub fn of_principal(policy: &Policy, principal: &Principal) -> Self {
        Self::of_acls(acls_with_roles(policy, principal, Permission::Allow))
    }

    /// What a change opens. `before` and `after` are the policies before and after all changes that
    /// are made together.
    ///
    /// ```
    /// use gbac_analysis::{Breadth, Opening};
    /// use gbac_engine::policy::{Change, Policy};
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    /// let every = Acl::allow(Principal::role("readers"), Operation::Read, ResourceType::Topic, "*");
    /// let (mut after, change) = (Policy::default(), Change::CreateRole("readers".into()));
    /// after.apply(change)?;
    /// after.apply(Change::AddAcl(every))?;
    /// let join = Change::AddMember { role: "readers".into(), member: Principal::group("contractors") };
    /// let opening = Opening::of_change(&Policy::default(), &after, &join);
    /// assert_eq!(opening.breadth(), Some(Breadth::EveryName));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_change(before: &Policy, after: &Policy, change: &Change) -> Self {
        match change {
            Change::AddAcl(acl) if acl.permission == Permission::Allow => {
                Self::of_acls([acl.clone()])
            }
            Change::RemoveAcl(acl) if acl.permission == Permission::Deny => {
                Self::of_acls([acl.clone()])
            }
            Change::AddMember { role, .. } => {
                Self::of_acls(own_acls(after, &Principal::role(role), Permission::Allow))
            }
            Change::RemoveMember { role, .. } | Change::DeleteRole { name: role, .. } => {
                Self::of_acls(own_acls(before, &Principal::role(role), Permission::Deny))
            }
            Change::Settings(_) => Self {
                is_for_everyone: true,
                ..Self::default()
            },
            Change::AddAcl(_) | Change::RemoveAcl(_) | Change::CreateRole(_) => Self::default(),
        }
    }

    /// What changes open together.
    #[must_use]
    pub fn of_changes<'c>(
        policy: &Policy,
        changes: impl IntoIterator<Item = &'c HypotheticalChange>,
    ) -> Self {
        Self::joined(changes.into_iter().map(|change| match change {
            HypotheticalChange::Policy(change) => Self::of_change(policy, policy, change),
            HypotheticalChange::Join(group) => Self::of_principal(policy, &Principal::group(group)),
            HypotheticalChange::Leave(group) => {
                let group = Principal::group(group);
                Self::of_acls(acls_with_roles(policy, &group, Permission::Deny))
            }
        }))
    }

    /// Several of them as one.
    #[must_use]
    pub fn joined(all: impl IntoIterator<Item = Self>) -> Self {
        let (mut patterns, mut is_for_everyone) = (Vec::new(), false);
        for opening in all {
            patterns.extend(opening.patterns);
            is_for_everyone |= opening.is_for_everyone;
        }
        Self {
            is_for_everyone,
            ..Self::of_patterns(patterns)
        }
    }

    /// The widest of what opens; none where no names open.
    ///
    /// ```
    /// use gbac_analysis::{Breadth, Opening};
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    /// let read = |name| Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, name);
    /// let opening = Opening::of_acls([read("orders-eu"), read("orders-").prefixed()]);
    /// assert_eq!((opening.breadth(), opening.patterns.len()), (Some(Breadth::Prefix), 1));
    /// ```
    #[must_use]
    pub fn breadth(&self) -> Option<Breadth> {
        let (resource_type, pattern) = self.patterns.first()?;
        Some(Breadth::of_names(
            *resource_type,
            pattern.pattern_type,
            &pattern.name,
        ))
    }

    /// Whether it is every name of a type, the cluster, the Schema Registry, or for everyone.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.is_for_everyone || self.breadth().is_some_and(Breadth::is_wide)
    }

    /// Only what is wide of it.
    #[must_use]
    pub fn wide(mut self) -> Self {
        self.patterns.retain(|(of_type, names)| {
            Breadth::of_names(*of_type, names.pattern_type, &names.name).is_wide()
        });
        self
    }

    /// Whether nothing opens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty() && !self.is_for_everyone
    }

    fn of_patterns(mut all: Vec<(ResourceType, NamePattern)>) -> Self {
        // What covers others comes before them: every name, then a prefix before what begins with it.
        sort(&mut all, |a, b| covering_order(a).cmp(&covering_order(b)));
        let mut kept: Vec<(ResourceType, NamePattern)> = Vec::new();
        for (of_type, pattern) in all {
            let is_covered = kept
                .last()
                .is_some_and(|(other, cover)| *other == of_type && cover.covers(&pattern.name));
            if !is_covered {
                kept.push((of_type, pattern));
            }
        }
        sort(&mut kept, |(a_type, a), (b_type, b)| {
            let breadth = |of, names: &NamePattern| {
                Reverse(Breadth::of_names(of, names.pattern_type, &names.name))
            };
            (breadth(*a_type, a), a_type, a).cmp(&(breadth(*b_type, b), b_type, b))
        });
        Self {
            patterns: kept,
            is_for_everyone: false,
        }
    }
}

fn covering_order(
    (of_type, names): &(ResourceType, NamePattern),
) -> (ResourceType, bool, &str, bool) {
    let is_every_name = NamePattern::is_all_names(names.pattern_type, &names.name);
    let is_literal = names.pattern_type == PatternType::Literal;
    (*of_type, !is_every_name, &names.name, is_literal)
}

/// The allows or denies of a principal itself.
fn own_acls(policy: &Policy, principal: &Principal, permission: Permission) -> Vec<Acl> {
    let mut acls = Vec::new();
    for acl in policy.acls_of(principal) {
        if acl.permission == permission {
            acls.push(acl);
        }
    }
    acls
}

/// The allows or denies of a principal, with those of its roles.
fn acls_with_roles(policy: &Policy, principal: &Principal, permission: Permission) -> Vec<Acl> {
    let mut acls = own_acls(policy, principal, permission);
    if principal.kind() != PrincipalType::Role {
        for role in policy.roles_of(principal) {
            acls.extend(own_acls(policy, &Principal::role(role), permission));
        }
    }
    acls
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Operation;

    use super::*;

    fn read(name: &str) -> Acl {
        let group = Principal::group("g");
        Acl::allow(group, Operation::Read, ResourceType::Topic, name)
    }

    #[test]
    fn an_allow_that_comes_and_a_deny_that_goes_open() {
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
        let breadth = |before: &Policy, after: &Policy, change: &Change| {
            Opening::of_change(before, after, change).breadth()
        };
        let (topics, cluster) = (Some(Breadth::EveryName), Some(Breadth::Cluster));
        let add = Change::AddAcl(allow.clone());
        assert_eq!(breadth(&empty, &policy, &add), topics);
        let remove = Change::RemoveAcl(deny.clone());
        assert_eq!(breadth(&policy, &empty, &remove), cluster);
        assert_eq!(breadth(&empty, &policy, &member(true)), topics);
        assert_eq!(breadth(&policy, &empty, &member(false)), cluster);
        assert_eq!(breadth(&policy, &empty, &delete), cluster);
        let named = Change::AddAcl(read("orders"));
        assert_eq!(breadth(&empty, &policy, &named), Some(Breadth::OneName));
        // What takes access away opens nothing.
        assert_eq!(breadth(&policy, &empty, &Change::RemoveAcl(allow)), None);
        assert_eq!(breadth(&empty, &policy, &Change::AddAcl(deny)), None);
        let settings = Change::Settings(Box::new(policy.settings().clone()));
        let opening = Opening::of_change(&policy, &policy, &settings);
        assert!(opening.is_wide() && opening.breadth().is_none());
    }

    #[test]
    fn groups_open_with_their_roles() {
        let (group, role) = (Principal::group("g"), Principal::role("R"));
        let mut policy = Policy::default();
        let deny = Acl::deny(role.clone(), Operation::All, ResourceType::Topic, "pii-").prefixed();
        for change in [
            Change::CreateRole("R".into()),
            Change::AddMember {
                role: "R".into(),
                member: group,
            },
            Change::AddAcl(Acl::allow(role, Operation::Read, ResourceType::Group, "*")),
            Change::AddAcl(deny),
            Change::AddAcl(read("orders")),
        ] {
            policy.apply(change).unwrap();
        }
        let opened = |change: HypotheticalChange| {
            let opening = Opening::of_changes(&policy, [&change]);
            (opening.breadth(), opening.patterns.len())
        };
        let joins = opened(HypotheticalChange::Join("g".into()));
        assert_eq!(joins, (Some(Breadth::EveryName), 2));
        let leaves = opened(HypotheticalChange::Leave("g".into()));
        assert_eq!(leaves, (Some(Breadth::Prefix), 1));
    }

    #[test]
    fn what_another_covers_is_left_out() {
        let group = |name| {
            let eng = Principal::group("eng");
            Acl::allow(eng, Operation::Read, ResourceType::Group, name)
        };
        let names = |acls: Vec<Acl>| -> Vec<String> {
            let patterns = Opening::of_acls(acls).patterns.into_iter();
            patterns.map(|(_, names)| names.name).collect()
        };
        let several = vec![
            read("orders-eu-1"),
            read("audit"),
            group("orders-eu"),
            read("orders-eu-").prefixed(),
            read("orders-").prefixed(),
            read("audit"),
            read("a").prefixed(),
        ];
        assert_eq!(names(several), ["a", "orders-", "orders-eu"]);
        let every = vec![read("orders").prefixed(), read("*"), read("").prefixed()];
        assert_eq!(names(every).len(), 1);
        assert_eq!(names(vec![read("b"), read("a")]), ["a", "b"]);
    }
}
