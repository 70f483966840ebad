//! Denies that stop applying: an ACL that denied something to a known user or group, and no longer
//! does.

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::{GroupChange, GroupEffect};
use gbac_engine::model::{Acl, Operation, PatternType, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

/// A deny that stops applying to somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostDeny {
    /// The ACL, as it is before.
    pub acl: Acl,
    /// Whom it no longer applies to, in order, each with the reason.
    pub holders: Vec<(Principal, DenyLoss)>,
}

/// Why a deny stops applying to a user or group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum DenyLoss {
    /// The ACL is removed.
    Removed,
    /// The principal leaves this role.
    Leaves(String),
    /// The name in a token produces this group instead, or none.
    Becomes(Option<String>),
}

/// The denies that stop applying, each once. A deny that another one covers, or that no request
/// matches, is not lost.
pub(super) fn lost_denies(
    before: &Policy,
    after: &Policy,
    changes: &[Change],
    groups: &[GroupChange],
) -> Vec<LostDeny> {
    let removed = removed_denies(before, after, changes);
    let mut lost: BTreeMap<Acl, Vec<(Principal, DenyLoss)>> = BTreeMap::new();
    let mut lose = |principal: &Principal, remaining: &[Acl], candidates: Vec<(Acl, DenyLoss)>| {
        for (acl, loss) in candidates {
            if can_match(before, &acl) && !remaining.iter().any(|other| covers(other, &acl)) {
                lost.entry(acl).or_default().push((principal.clone(), loss));
            }
        }
    };
    for principal in affected(before, &removed, changes) {
        let mut candidates: Vec<(Acl, DenyLoss)> = Vec::new();
        let removed_of =
            |principal: &Principal| removed.get(principal).into_iter().flatten().cloned();
        candidates.extend(removed_of(&principal).map(|acl| (acl, DenyLoss::Removed)));
        let stays: BTreeSet<&str> = after.roles_of(&principal).collect();
        for role in before.roles_of(&principal) {
            let of_role = Principal::role(role);
            candidates.extend(removed_of(&of_role).map(|acl| (acl, DenyLoss::Removed)));
            if !stays.contains(role) {
                let denies = denies_of(before, &of_role)
                    .into_iter()
                    .filter(|acl| after.has_acl(acl));
                candidates.extend(denies.map(|acl| (acl, DenyLoss::Leaves(role.to_owned()))));
            }
        }
        if !candidates.is_empty() {
            lose(&principal, &applying(after, &principal), candidates);
        }
    }
    for change in groups.iter().filter(|change| becomes_another(change)) {
        let Some(group) = &change.before else {
            continue;
        };
        let candidates = applying_alone(before, &Principal::group(group));
        if !candidates.is_empty() {
            let remaining = match &change.after {
                Some(group) => applying(after, &Principal::group(group)),
                None => denies_of(after, &Principal::user("*")),
            };
            let loss = DenyLoss::Becomes(change.after.clone());
            let candidates = candidates
                .into_iter()
                .map(|acl| (acl, loss.clone()))
                .collect();
            lose(&Principal::group(&change.name), &remaining, candidates);
        }
    }
    lost.into_iter()
        .map(|(acl, holders)| LostDeny {
            acl,
            holders: each_once(holders),
        })
        .collect()
}

/// One reason for each principal.
fn each_once(mut holders: Vec<(Principal, DenyLoss)>) -> Vec<(Principal, DenyLoss)> {
    holders.sort();
    holders.dedup_by(|one, other| one.0 == other.0);
    holders
}

/// The denies that changes remove, by principal.
fn removed_denies(
    before: &Policy,
    after: &Policy,
    changes: &[Change],
) -> BTreeMap<Principal, BTreeSet<Acl>> {
    let mut removed: BTreeMap<Principal, BTreeSet<Acl>> = BTreeMap::new();
    let mut remove = |acl: Acl| {
        if acl.permission == Permission::Deny && before.has_acl(&acl) && !after.has_acl(&acl) {
            removed
                .entry(acl.principal.clone())
                .or_default()
                .insert(acl);
        }
    };
    for change in changes {
        match change {
            Change::RemoveAcl(acl) => remove(acl.clone()),
            Change::DeleteRole {
                name,
                delete_acls: true,
            } => {
                before
                    .acls_of(&Principal::role(name))
                    .into_iter()
                    .for_each(&mut remove);
            }
            _ => {}
        }
    }
    removed
}

/// The users and groups that a removed deny or a lost membership is about.
fn affected(
    before: &Policy,
    removed: &BTreeMap<Principal, BTreeSet<Acl>>,
    changes: &[Change],
) -> BTreeSet<Principal> {
    let mut affected: BTreeSet<Principal> = BTreeSet::new();
    let mut roles: BTreeSet<&str> = BTreeSet::new();
    for principal in removed.keys() {
        match principal.kind() {
            PrincipalType::Role => {
                roles.insert(principal.name());
            }
            PrincipalType::User | PrincipalType::Group | PrincipalType::Other => {
                affected.insert(principal.clone());
            }
        }
    }
    for change in changes {
        match change {
            Change::RemoveMember { member, .. } => {
                affected.insert(member.clone());
            }
            Change::DeleteRole { name, .. } => {
                roles.insert(name);
            }
            _ => {}
        }
    }
    affected.extend(
        roles
            .into_iter()
            .filter_map(|name| before.role(name))
            .flat_map(|role| role.members),
    );
    affected
}

/// Whether a name in a token no longer produces the group that it produced.
fn becomes_another(change: &GroupChange) -> bool {
    matches!(
        change.effect,
        GroupEffect::Renamed | GroupEffect::Dropped | GroupEffect::NotRead
    ) && change.before != change.after
}

fn denies_of(policy: &Policy, principal: &Principal) -> Vec<Acl> {
    policy
        .acls_of(principal)
        .into_iter()
        .filter(|acl| acl.permission == Permission::Deny)
        .collect()
}

/// The denies of a principal and of its roles.
fn applying_alone(policy: &Policy, principal: &Principal) -> Vec<Acl> {
    let of_roles = policy
        .roles_of(principal)
        .flat_map(|role| denies_of(policy, &Principal::role(role)));
    denies_of(policy, principal)
        .into_iter()
        .chain(of_roles)
        .collect()
}

/// The denies that apply to a principal, with those of everyone.
fn applying(policy: &Policy, principal: &Principal) -> Vec<Acl> {
    let mut denies = applying_alone(policy, principal);
    if !principal.is_everyone() {
        denies.extend(denies_of(policy, &Principal::user("*")));
    }
    denies
}

/// Whether a request can come from the host of an ACL (D-71, D-72).
fn can_match(policy: &Policy, acl: &Acl) -> bool {
    match policy.host_id(&acl.host) {
        Some(host) => policy.host_can_match(host),
        None => false,
    }
}

/// Whether an ACL is about everything that another one is about.
pub(super) fn covers(one: &Acl, other: &Acl) -> bool {
    let names = match (one.pattern_type, other.pattern_type) {
        (PatternType::Literal, PatternType::Literal) => one.covers_name(&other.resource_name),
        (PatternType::Literal, PatternType::Prefixed) => one.resource_name == "*",
        (PatternType::Prefixed, PatternType::Literal) if other.resource_name == "*" => {
            one.resource_name.is_empty()
        }
        (PatternType::Prefixed, _) => one.covers_name(&other.resource_name),
    };
    one.resource_type == other.resource_type
        && names
        && one.host.covers(&other.host)
        && (one.operation == other.operation || one.operation == Operation::All)
}

#[cfg(test)]
mod tests {
    use gbac_engine::groups::NestedGroupBehavior;
    use gbac_engine::model::{Dialect, Host, ResourceType};
    use gbac_engine::policy::{GroupSource, Settings};

    use super::*;
    use crate::review::effects;

    fn deny(principal: Principal, name: &str) -> Acl {
        Acl::deny(principal, Operation::Write, ResourceType::Topic, name).prefixed()
    }

    fn member(role: &str, group: &str) -> (String, Principal) {
        (role.into(), Principal::group(group))
    }

    fn lost(start: &[Change], changes: &[Change]) -> Vec<(String, Vec<(String, DenyLoss)>)> {
        let mut before = Policy::default();
        for change in start {
            before.apply(change.clone()).unwrap();
        }
        let mut after = before.clone();
        for change in changes {
            after.apply(change.clone()).unwrap();
        }
        let found = effects(&before, &after, changes, &[])
            .lost_denies
            .into_iter();
        found
            .map(|lost| {
                let holders = lost
                    .holders
                    .into_iter()
                    .map(|(holder, loss)| (holder.to_string(), loss));
                (lost.acl.resource_name, holders.collect())
            })
            .collect()
    }

    fn start() -> Vec<Change> {
        let join = |(role, member)| Change::AddMember { role, member };
        vec![
            Change::CreateRole("R".into()),
            join(member("R", "a")),
            join(member("R", "b")),
            Change::AddAcl(deny(Principal::role("R"), "x-")),
            Change::AddAcl(deny(Principal::group("a"), "x-y-")),
            Change::AddAcl(deny(Principal::group("/eng/c"), "z-")),
        ]
    }

    #[test]
    fn a_removed_deny_is_lost_by_each_member() {
        let change = Change::RemoveAcl(deny(Principal::role("R"), "x-"));
        let holders = ["Group:a", "Group:b"].map(|name| (name.to_owned(), DenyLoss::Removed));
        assert_eq!(
            lost(&start(), std::slice::from_ref(&change)),
            [("x-".to_owned(), holders.to_vec())]
        );
        // With the role, its ACLs go, too.
        let delete = Change::DeleteRole {
            name: "R".into(),
            delete_acls: true,
        };
        assert_eq!(lost(&start(), &[delete]), lost(&start(), &[change]));
    }

    #[test]
    fn a_deny_that_never_matches_is_not_lost() {
        let settings = Settings {
            dialect: Dialect::Kafka,
            ..Settings::default()
        };
        for (host, count) in [("broker1.example.com", 0), ("10.0.0.0/8", 1)] {
            let acl = Acl {
                host: Host::parse_in(Dialect::Kafka, host).unwrap(),
                ..deny(Principal::group("a"), "x-")
            };
            let start = [
                Change::Settings(Box::new(settings.clone())),
                Change::AddAcl(acl.clone()),
            ];
            assert_eq!(
                lost(&start, &[Change::RemoveAcl(acl)]).len(),
                count,
                "{host}"
            );
        }
    }

    #[test]
    fn a_member_that_leaves_loses_the_denies_of_the_role() {
        let (role, principal) = member("R", "b");
        let leave = Change::RemoveMember {
            role: role.clone(),
            member: principal,
        };
        let holder = ("Group:b".to_owned(), DenyLoss::Leaves(role.clone()));
        assert_eq!(lost(&start(), &[leave]), [("x-".to_owned(), vec![holder])]);
        let keep = Change::DeleteRole {
            name: role.clone(),
            delete_acls: false,
        };
        let holders =
            ["Group:a", "Group:b"].map(|name| (name.to_owned(), DenyLoss::Leaves(role.clone())));
        assert_eq!(
            lost(&start(), &[keep]),
            [("x-".to_owned(), holders.to_vec())]
        );
    }

    #[test]
    fn a_deny_that_another_one_covers_is_not_lost() {
        let narrow = Change::RemoveAcl(deny(Principal::group("a"), "x-y-"));
        assert_eq!(
            lost(&start(), std::slice::from_ref(&narrow)),
            [],
            "the role denies it"
        );
        let wider = Acl {
            operation: Operation::All,
            ..deny(Principal::user("*"), "x-")
        };
        let wide = [
            Change::AddAcl(wider),
            Change::RemoveAcl(deny(Principal::role("R"), "x-")),
            narrow,
        ];
        assert_eq!(lost(&start(), &wide), [], "everyone is denied it");
        let all = Acl::deny(
            Principal::group("/eng/c"),
            Operation::Write,
            ResourceType::Topic,
            "*",
        );
        let change = [
            Change::AddAcl(all),
            Change::RemoveAcl(deny(Principal::group("/eng/c"), "z-")),
        ];
        assert_eq!(lost(&start(), &change), []);
    }

    #[test]
    fn added_changes_and_allows_lose_no_deny() {
        let allow = Acl {
            permission: Permission::Allow,
            ..deny(Principal::group("a"), "x-")
        };
        let begin: Vec<Change> = start()
            .into_iter()
            .chain([Change::AddAcl(allow.clone())])
            .collect();
        let (role, principal) = member("R", "late");
        let join = Change::AddMember {
            role,
            member: principal,
        };
        assert_eq!(lost(&begin, &[Change::RemoveAcl(allow), join]), []);
    }

    #[test]
    fn a_setting_that_renames_a_group_loses_its_denies() {
        let mut settings = Policy::default().settings().clone();
        if let GroupSource::Properties { nested, .. } = &mut settings.groups {
            *nested = NestedGroupBehavior::Suffix;
        }
        let suffix = Change::Settings(Box::new(settings));
        let holder = (
            "Group:/eng/c".to_owned(),
            DenyLoss::Becomes(Some("c".into())),
        );
        assert_eq!(
            lost(&start(), std::slice::from_ref(&suffix)),
            [("z-".to_owned(), vec![holder])]
        );
        let renamed = Change::AddAcl(deny(Principal::group("c"), "z-"));
        assert_eq!(
            lost(&start(), &[suffix, renamed]),
            [],
            "the deny has the new name"
        );
    }
}
