//! The effects of a draft: the access that known principals gain and lose.

use std::collections::BTreeSet;

use gbac_analysis::{AccessEffect, AccessRegion, Diff, NamePattern, Scope, policy_excerpt};
use gbac_engine::ClaimSet;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy, apply_each};

use crate::group_changes::{GroupChanges, compared};
use crate::review::lost_denies::{LostDeny, lost_denies};

/// The effect of a draft.
#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    /// How many principals were compared.
    pub compared: usize,
    /// The principals that gain or lose access: everyone first, then users and groups, then roles.
    pub people: Vec<AffectedHolder>,
    /// The places of staged changes that by themselves have no effect on the principals that they
    /// name.
    pub idle: Vec<usize>,
    /// The names of the settings that differ.
    pub settings: Vec<&'static str>,
    /// What settings that differ do to groups.
    pub groups: GroupChanges,
    /// How many users the policy names, if the principal mapping changes: tokens may no longer name
    /// them.
    pub users: usize,
    /// The denies that stop applying to known users and groups.
    pub lost_denies: Vec<LostDeny>,
}

/// What one principal gains and loses.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedHolder {
    /// Who.
    pub holder: Scope,
    /// The roles that it gets.
    pub roles_gained: Vec<String>,
    /// The roles that it leaves.
    pub roles_lost: Vec<String>,
    /// What it gains and loses.
    pub lines: Vec<EffectLine>,
}

/// One effect on names of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectLine {
    /// What happens.
    pub effect: AccessEffect,
    /// On what.
    pub extent: AccessRegion,
    /// With [`AccessEffect::StillDenied`], the denies in the way.
    pub denied_by: Vec<Acl>,
}

/// How many operations on names come or go, and for how many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Operations, on names of one kind each.
    pub operations: usize,
    /// Holders.
    pub people: usize,
}

impl Effects {
    /// Whether no known principal gains or loses anything.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
            && self.groups.total(AccessEffect::ALL).1 == 0
            && self.groups.unknown() == 0
            && self.users == 0
    }

    /// How much one or several effects come to, for people and for whoever has a name in their
    /// token that becomes another group; roles are counted by their members.
    pub fn total(&self, effects: &[AccessEffect]) -> Total {
        let (operations, people) = self.groups.total(effects);
        let mut total = Total { operations, people };
        // The gains and losses of a name by its new group are listed for the name.
        let is_of_name = |person: &&AffectedHolder| match &person.holder {
            Scope::One(principal) if principal.kind() == PrincipalType::Group => self
                .groups
                .changes
                .iter()
                .any(|change| change.name == principal.name() && !change.effects.is_empty()),
            _ => false,
        };
        for person in self
            .people
            .iter()
            .filter(|person| !person.is_role() && !is_of_name(person))
        {
            let operations = person.operations(effects);
            total.operations += operations;
            total.people += usize::from(operations > 0);
        }
        total
    }
}

impl AffectedHolder {
    /// Whether it is a role, which people are given.
    pub fn is_role(&self) -> bool {
        matches!(&self.holder, Scope::One(principal) if principal.kind() == PrincipalType::Role)
    }

    /// How many operations some effects are about.
    pub fn operations(&self, effects: &[AccessEffect]) -> usize {
        let lines = self
            .lines
            .iter()
            .filter(|line| effects.contains(&line.effect));
        lines.map(|line| line.extent.operation_count()).sum()
    }
}

/// Effects that add access.
pub const GAINS: &[AccessEffect] = &[AccessEffect::Gains, AccessEffect::CanGain];
/// Effects that remove access.
pub const LOSES: &[AccessEffect] = &[AccessEffect::Loses, AccessEffect::CanLose];
/// What a deny keeps from being gained.
pub const BLOCKED: &[AccessEffect] = &[AccessEffect::StillDenied];

/// Compares the policy that was read with the one that will be, with the claims of some tokens.
pub fn effects(
    before: &Policy,
    after: &Policy,
    changes: &[Change],
    tokens: &[&ClaimSet],
) -> Effects {
    // A token says something only where it is read differently.
    let reads_alike = before.settings().identity_rules() == after.settings().identity_rules();
    let tokens = if reads_alike { &[] } else { tokens };
    let found = compared(before, after, tokens);
    let groups = GroupChanges::from_diff(&found, before, after);
    let known: BTreeSet<&Principal> = before
        .known_principals()
        .chain(after.known_principals())
        .collect();
    let idle = (changes.iter().enumerate())
        .filter(|(_, change)| is_idle(&found, change))
        .map(|(index, _)| index)
        .collect();
    let mut people: Vec<AffectedHolder> = Vec::new();
    for difference in found.differences.into_iter().chain(found.roles) {
        let mut lines = Vec::with_capacity(difference.regions.len());
        for extent in difference.regions {
            let blocks = |acl: &&Acl| {
                acl.resource_type == extent.resource_type && extent.pattern.overlaps(&pattern(acl))
            };
            let denied_by = difference
                .denied_by
                .iter()
                .filter(blocks)
                .cloned()
                .collect();
            lines.push(EffectLine {
                effect: difference.effect,
                extent,
                denied_by,
            });
        }
        match people.last_mut() {
            Some(person) if person.holder == difference.scope => person.lines.extend(lines),
            _ => {
                let (roles_gained, roles_lost) = roles(before, after, &difference.scope);
                people.push(AffectedHolder {
                    holder: difference.scope,
                    roles_gained,
                    roles_lost,
                    lines,
                });
            }
        }
    }
    let lost_denies = lost_denies(before, after, changes, &groups.changes);
    let (settings, users) = (found.settings, found.users.len());
    Effects {
        compared: known.len(),
        people,
        idle,
        settings,
        groups,
        users,
        lost_denies,
    }
}

/// What changes do to a policy: as [`effects`], from the part of the policy that decides it. Of the
/// principals, only those of this part are compared.
pub fn effects_of(before: &Policy, changes: &[Change]) -> Effects {
    let part = policy_excerpt(before, changes, &[]);
    let mut after = part.clone();
    apply_each(&mut after, changes);
    effects(&part, &after, changes, &[])
}

/// The roles that a principal joins and leaves.
fn roles(before: &Policy, after: &Policy, holder: &Scope) -> (Vec<String>, Vec<String>) {
    let Scope::One(principal) = holder else {
        return (Vec::new(), Vec::new());
    };
    let of = |policy: &Policy| {
        policy
            .roles_of(principal)
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    let (had, has) = (of(before), of(after));
    (
        has.difference(&had).cloned().collect(),
        had.difference(&has).cloned().collect(),
    )
}

/// Whether an added or removed ACL changes no access of its principal to the names that it covers.
fn is_idle(diff: &Diff, change: &Change) -> bool {
    let (Change::AddAcl(acl) | Change::RemoveAcl(acl)) = change else {
        return false;
    };
    let holder = Scope::from_principal(&acl.principal);
    let mut all = diff.differences.iter().chain(&diff.roles);
    !all.any(|difference| {
        let about = difference.scope == holder || acl.permission == Permission::Deny;
        about
            && difference.regions.iter().any(|extent| {
                extent.resource_type == acl.resource_type && extent.pattern.overlaps(&pattern(acl))
            })
    })
}

/// The names that an ACL covers.
pub(super) fn pattern(acl: &Acl) -> NamePattern {
    NamePattern {
        pattern_type: acl.pattern_type,
        name: acl.resource_name.clone(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use gbac_engine::model::{Host, Operation, PatternType, ResourceType};

    use super::*;

    fn acl(principal: Principal, name: &str, operation: Operation, permission: Permission) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Prefixed,
            principal,
            host: Host::Any,
            operation,
            permission,
        }
    }

    /// A policy after changes.
    pub(in crate::review) fn changed(before: &Policy, changes: &[Change]) -> Policy {
        let mut after = before.clone();
        for change in changes {
            after.apply(change.clone()).unwrap();
        }
        after
    }

    pub(in crate::review) fn policy(changes: &[Change]) -> Policy {
        changed(&Policy::default(), changes)
    }

    pub(in crate::review) fn join(role: &str, group: &str) -> Change {
        Change::AddMember {
            role: role.into(),
            member: Principal::group(group),
        }
    }

    pub(in crate::review) fn allow(role: &str, name: &str) -> Change {
        Change::AddAcl(acl(
            Principal::role(role),
            name,
            Operation::Write,
            Permission::Allow,
        ))
    }

    #[test]
    fn gains_losses_and_gains_that_a_deny_blocks_are_told_apart() {
        let deny = Change::AddAcl(acl(
            Principal::group("blocked"),
            "refunds-",
            Operation::Write,
            Permission::Deny,
        ));
        let start = [
            Change::CreateRole("R".into()),
            Change::CreateRole("S".into()),
            join("R", "leaves"),
            join("R", "stays"),
            join("S", "keeps"),
            join("R", "keeps"),
            allow("R", "ledger-"),
            allow("S", "ledger-"),
            deny,
        ];
        let before = policy(&start);
        let changes = [
            Change::RemoveMember {
                role: "R".into(),
                member: Principal::group("leaves"),
            },
            join("R", "blocked"),
            allow("R", "refunds-"),
            Change::RemoveMember {
                role: "R".into(),
                member: Principal::group("keeps"),
            },
        ];
        let after = changed(&before, &changes);
        let effects = effects(&before, &after, &changes, &[]);
        let of = |name: &str| {
            let person = effects
                .people
                .iter()
                .find(|person| person.holder.to_string() == name);
            person.map(|person| {
                let number = |effects: &[AccessEffect]| person.operations(effects);
                (number(GAINS), number(LOSES), number(BLOCKED))
            })
        };
        // Write implies Describe.
        assert_eq!(of("Group:leaves"), Some((0, 2, 0)));
        assert_eq!(of("Group:stays"), Some((2, 0, 0)));
        let blocked = of("Group:blocked").unwrap();
        assert_eq!(
            (blocked.0, blocked.1, blocked.2),
            (3, 0, 1),
            "{:?}",
            effects.people
        );
        assert_eq!(of("Group:keeps"), None);
        assert_eq!(
            effects.total(LOSES),
            Total {
                operations: 2,
                people: 1
            }
        );
        let person = effects
            .people
            .iter()
            .find(|person| person.holder.to_string() == "Group:blocked")
            .unwrap();
        assert_eq!(person.roles_gained, ["R"]);
        let line = person
            .lines
            .iter()
            .find(|line| line.effect == AccessEffect::StillDenied)
            .unwrap();
        assert_eq!(line.denied_by.len(), 1);
        assert!(effects.people.last().unwrap().is_role());
        assert_eq!(
            (effects.compared, effects.idle.as_slice()),
            (6, [].as_slice())
        );
    }

    #[test]
    fn a_row_that_changes_nothing_is_named() {
        let before = policy(&[
            Change::CreateRole("R".into()),
            join("R", "eng"),
            Change::AddAcl(acl(
                Principal::role("R"),
                "",
                Operation::All,
                Permission::Allow,
            )),
        ]);
        let changes = [allow("R", "a"), join("R", "ops")];
        let after = changed(&before, &changes);
        let whole = effects(&before, &after, &changes, &[]);
        assert_eq!(whole.idle, [0]);
        // The part of the policy that decides it says the same.
        let part = effects_of(&before, &changes);
        assert_eq!((part.people, part.idle), (whole.people, whole.idle));
    }

    #[test]
    fn settings_that_differ_are_told_as_the_settings_page_tells_them() {
        let start = [
            Change::CreateRole("R".into()),
            join("R", "/eng/payments"),
            join("R", "payments"),
            allow("R", "a"),
        ];
        let before = policy(&start);
        let mut settings = before.settings().clone();
        if let gbac_engine::policy::GroupSource::Properties { nested, .. } = &mut settings.groups {
            *nested = gbac_engine::groups::NestedGroupBehavior::Suffix;
        }
        let changes = [Change::Settings(Box::new(settings))];
        let mut after = before.clone();
        after.apply(changes[0].clone()).unwrap();
        let claims = ClaimSet::parse(r#"{ "groups": ["/contractors/payments"] }"#).unwrap();
        let found = effects(&before, &after, &changes, &[&claims]);
        let alone =
            GroupChanges::from_diff(&compared(&before, &after, &[&claims]), &before, &after);
        assert_eq!(found.groups, alone);
        assert_eq!(
            found.total(GAINS),
            Total {
                operations: 2,
                people: 1
            },
            "Write implies Describe"
        );
        assert!(found.people.is_empty() && !found.is_empty());
        assert!(effects(&before, &before, &[], &[]).is_empty());
    }
}
