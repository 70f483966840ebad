//! What makes one policy decide as another: the changes, what they leave different, and which of
//! them some of the differences need.

use std::collections::{BTreeMap, BTreeSet};

use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{
    Change, ChangeError, GroupSource, Policy, Settings, StatedSettings, apply_each,
};

use crate::changes::changes_between;
use crate::diff::{AccessEffect, AccessRegion, Diff, diff};
use crate::held::is_superuser;
use crate::scope::Scope;

/// The first characters of the names of roles that belong to the platform.
const OF_PLATFORM: &str = "__";

/// The changes that make one policy decide as another, and what they leave as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Convergence {
    /// The changes, each of one ACL, role, member or setting, in the order in which they are made.
    pub changes: Vec<Change>,
    /// What still differs after the changes.
    pub left: Vec<LeftDifferent>,
}

/// What no change of a convergence makes equal.
#[derive(Debug, Clone, PartialEq)]
pub enum LeftDifferent {
    /// A change that the policy cannot have.
    Refused(Box<Change>, ChangeError),
    /// A role that belongs to the platform, which never changes.
    RoleOfPlatform(String),
    /// A setting, by its name.
    Setting(&'static str),
}

/// What the changes for some of the differences come to.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialConvergence {
    /// The places of the changes in [`Convergence::changes`].
    pub places: BTreeSet<usize>,
    /// What still differs after them.
    pub remaining: Diff,
}

/// Differences that are to disappear.
#[derive(Debug, Clone, Copy)]
pub struct ChosenDifferences<'a> {
    /// All differences of access; where one was, others may stay.
    pub all: &'a [(Scope, AccessRegion)],
    /// The places in `all` of those that are to disappear.
    pub chosen: &'a BTreeSet<usize>,
    /// The names of the settings that are to be equal.
    pub settings: &'a [&'static str],
}

impl Convergence {
    /// The changes of `to` that make it decide as `from` (D-126).
    ///
    /// ```
    /// use gbac_analysis::{Convergence, Relation, diff};
    /// use gbac_engine::{Acl, Operation, Policy, Principal, ResourceType};
    /// let of = |user| {
    ///     let acl = Acl::allow(Principal::user(user), Operation::Read, ResourceType::Topic, "orders");
    ///     Policy::builder().acl(acl).build()
    /// };
    /// let (from, mut to) = (of("maya")?, of("ben")?);
    /// for change in Convergence::new(&from, &to).all() {
    ///     to.apply(change).expect("it can be made");
    /// }
    /// assert_eq!(diff(&from, &to).relation, Relation::Equal);
    /// # Ok::<(), gbac_engine::PolicyError>(())
    /// ```
    #[must_use]
    pub fn new(from: &Policy, to: &Policy) -> Self {
        let (mut changes, mut left) = (Vec::new(), Vec::new());
        let mut reached = to.clone();
        let mut roles_of_platform = BTreeSet::new();
        for change in changes_between(to, from) {
            if let Some(role) = role_of(&change)
                && role.starts_with(OF_PLATFORM)
            {
                roles_of_platform.insert(role.to_owned());
                continue;
            }
            let parts = match change {
                Change::Settings(settings) => settings_to_change(&settings, to.settings()),
                change => vec![change],
            };
            for change in parts {
                match reached.apply(change.clone()) {
                    Ok(_) => changes.push(change),
                    Err(error) => left.push(LeftDifferent::Refused(Box::new(change), error)),
                }
            }
        }
        left.extend(
            roles_of_platform
                .into_iter()
                .map(LeftDifferent::RoleOfPlatform),
        );
        left.extend(
            diff(from, &reached)
                .settings
                .into_iter()
                .map(LeftDifferent::Setting),
        );
        Self { changes, left }
    }

    /// Every change; those of settings are one.
    #[must_use]
    pub fn all(&self) -> Vec<Change> {
        joined(self.changes.iter())
    }

    /// The changes at these places; those of settings are one.
    #[must_use]
    pub fn at(&self, places: &BTreeSet<usize>) -> Vec<Change> {
        joined(places.iter().filter_map(|place| self.changes.get(*place)))
    }

    /// The changes that some of the differences need. Where these would make somebody differ who
    /// does not yet, those that prevent it are among them. Changes without an effect are not.
    ///
    /// `from` and `to` are the policies of [`Self::new`].
    #[must_use]
    pub fn for_differences(
        &self,
        [from, to]: [&Policy; 2],
        differences: ChosenDifferences<'_>,
    ) -> PartialConvergence {
        let needs = Needs::new([from, to], &self.changes);
        let mut places = BTreeSet::new();
        for place in differences.chosen {
            if let Some((scope, region)) = differences.all.get(*place) {
                needs.add(scope, region, &mut places);
            }
        }
        for (place, change) in self.changes.iter().enumerate() {
            if setting_of(change).is_some_and(|name| differences.settings.contains(&name)) {
                places.insert(place);
            }
        }
        loop {
            let mut reached = to.clone();
            apply_each(&mut reached, &self.at(&places));
            let remaining = diff(from, &reached);
            let before = places.len();
            for difference in &remaining.differences {
                for region in &difference.regions {
                    if difference.effect != AccessEffect::StillDenied
                        && differences.is_new(&difference.scope, region)
                    {
                        needs.add(&difference.scope, region, &mut places);
                    }
                }
            }
            if places.len() == before {
                return PartialConvergence { places, remaining };
            }
        }
    }
}

impl ChosenDifferences<'_> {
    /// Whether a difference is none of those that stay: it was none before, or is to disappear.
    fn is_new(&self, scope: &Scope, region: &AccessRegion) -> bool {
        for (place, (of, other)) in self.all.iter().enumerate() {
            let may_stay = of == scope && !self.chosen.contains(&place);
            if may_stay && other.contains(region) {
                return false;
            }
        }
        true
    }
}

/// Changes as they are made: those of settings are one.
fn joined<'c>(changes: impl Iterator<Item = &'c Change>) -> Vec<Change> {
    let mut settings = Settings::unstated();
    let mut others = Vec::new();
    for change in changes {
        match change {
            Change::Settings(part) => settings = part.filled_from(&settings),
            change => others.push(change.clone()),
        }
    }
    let mut all = Vec::new();
    if settings.states_any() {
        all.push(Change::Settings(Box::new(settings)));
    }
    all.extend(others);
    all
}

/// The settings that have to change, each as a change of its own: those of `wanted` that differ.
/// The system of a cluster cannot be changed.
fn settings_to_change(wanted: &Settings, current: &Settings) -> Vec<Change> {
    let mut wanted = wanted.clone();
    wanted.dialect = current.dialect;
    wanted.kafka_version = current.kafka_version;
    let differing = wanted.differing_from(current);
    if !differing.states_any() {
        return Vec::new();
    }
    let states = differing.states();
    let mut parts = Vec::new();
    let none = StatedSettings::NONE;
    let mut add = |part: Settings| parts.push(Change::Settings(Box::new(part)));
    match (
        &differing.groups,
        &current.groups,
        &Settings::default().groups,
    ) {
        (
            GroupSource::Properties { claim_path, nested },
            GroupSource::Properties { .. },
            GroupSource::Properties {
                claim_path: default_path,
                nested: default_nested,
            },
        ) => {
            if states.claim_path {
                let (claim_path, nested) = (claim_path.clone(), *default_nested);
                add(Settings {
                    groups: GroupSource::Properties { claim_path, nested },
                    stated: StatedSettings {
                        claim_path: true,
                        ..none
                    },
                    ..Settings::default()
                });
            }
            if states.nested {
                let (claim_path, nested) = (default_path.clone(), *nested);
                add(Settings {
                    groups: GroupSource::Properties { claim_path, nested },
                    stated: StatedSettings {
                        nested: true,
                        ..none
                    },
                    ..Settings::default()
                });
            }
        }
        // One of them has the mapping of an SSO connection.
        (groups, ..) => {
            if states.claim_path || matches!(groups, GroupSource::Sso { .. }) {
                add(Settings {
                    groups: groups.clone(),
                    stated: StatedSettings {
                        claim_path: true,
                        nested: true,
                        ..none
                    },
                    ..Settings::default()
                });
            }
        }
    }
    if states.principal_mapping {
        add(Settings {
            principal_mapping: differing.principal_mapping.clone(),
            stated: StatedSettings {
                principal_mapping: true,
                ..none
            },
            ..Settings::default()
        });
    }
    if states.superusers {
        add(Settings {
            superusers: differing.superusers.clone(),
            stated: StatedSettings {
                superusers: true,
                ..none
            },
            ..Settings::default()
        });
    }
    if states.access {
        add(Settings {
            access: differing.access.clone(),
            stated: StatedSettings {
                access: true,
                ..none
            },
            ..Settings::default()
        });
    }
    parts
}

/// The name of the setting that a change of one is about, as [`Diff::settings`] has it.
#[must_use]
pub fn setting_of(change: &Change) -> Option<&'static str> {
    let Change::Settings(settings) = change else {
        return None;
    };
    let states = settings.states();
    Some(match () {
        () if matches!(settings.groups, GroupSource::Sso { .. }) => "sso",
        () if states.claim_path && states.nested => "sso",
        () if states.claim_path => "oidc_group_claim_path",
        () if states.nested => "nested_group_behavior",
        () if states.principal_mapping => "oidc_principal_mapping",
        () if states.superusers => "superusers",
        () => "access",
    })
}

/// The role that a change is about, if it is about one.
fn role_of(change: &Change) -> Option<&str> {
    match change {
        Change::AddAcl(acl) | Change::RemoveAcl(acl) => {
            (acl.principal.kind() == PrincipalType::Role).then(|| acl.principal.name())
        }
        Change::CreateRole(name) | Change::DeleteRole { name, .. } => Some(name),
        Change::AddMember { role, .. } | Change::RemoveMember { role, .. } => Some(role),
        Change::Settings(_) => None,
    }
}

/// Which changes a difference needs: those of every ACL that decides it in one of the policies, and
/// those by which such an ACL applies.
struct Needs<'a> {
    policies: [&'a Policy; 2],
    changes: &'a [Change],
    /// The places of changes of ACLs, by whom they are for.
    acls: BTreeMap<Scope, Vec<usize>>,
    /// The places of changes by the role that they are about.
    roles: BTreeMap<&'a str, Vec<usize>>,
    superusers: Option<usize>,
}

impl<'a> Needs<'a> {
    fn new(policies: [&'a Policy; 2], changes: &'a [Change]) -> Self {
        let mut needs = Self {
            policies,
            changes,
            acls: BTreeMap::new(),
            roles: BTreeMap::new(),
            superusers: None,
        };
        for (place, change) in changes.iter().enumerate() {
            if let Change::AddAcl(acl) | Change::RemoveAcl(acl) = change {
                let scope = Scope::from_principal(&acl.principal);
                needs.acls.entry(scope).or_default().push(place);
            }
            if let Some(role) = role_of(change) {
                needs.roles.entry(role).or_default().push(place);
            }
            if setting_of(change) == Some("superusers") {
                needs.superusers = Some(place);
            }
        }
        needs
    }

    /// Adds what a difference needs.
    fn add(&self, scope: &Scope, region: &AccessRegion, places: &mut BTreeSet<usize>) {
        self.add_acls(&Scope::Everyone, region, places);
        let Scope::One(principal) = scope else {
            return;
        };
        self.add_acls(scope, region, places);
        let is_superuser = self.policies.map(|policy| is_superuser(policy, principal));
        if is_superuser[0] != is_superuser[1] {
            places.extend(self.superusers);
        }
        let mut roles = BTreeSet::new();
        for policy in self.policies {
            roles.extend(policy.roles_of(principal));
        }
        for role in roles {
            let of_role = Principal::role(role);
            self.add_acls(&Scope::One(of_role.clone()), region, places);
            if self
                .policies
                .iter()
                .any(|policy| holds(policy, &of_role, region))
            {
                self.add_member(role, principal, places);
            }
        }
    }

    fn add_acls(&self, scope: &Scope, region: &AccessRegion, places: &mut BTreeSet<usize>) {
        for place in self.acls.get(scope).into_iter().flatten() {
            if let Some(Change::AddAcl(acl) | Change::RemoveAcl(acl)) = self.changes.get(*place)
                && region.is_met_by(acl)
            {
                places.insert(*place);
                self.add_role_of(acl, places);
            }
        }
    }

    /// Adds the creation of the role that an ACL is for.
    fn add_role_of(&self, acl: &Acl, places: &mut BTreeSet<usize>) {
        if acl.principal.kind() == PrincipalType::Role {
            self.add_creation(acl.principal.name(), places);
        }
    }

    fn add_creation(&self, role: &str, places: &mut BTreeSet<usize>) {
        for place in self.roles.get(role).into_iter().flatten() {
            if let Some(Change::CreateRole(_)) = self.changes.get(*place) {
                places.insert(*place);
            }
        }
    }

    /// Adds what makes a principal a member of a role, or no longer one.
    fn add_member(&self, role: &str, principal: &Principal, places: &mut BTreeSet<usize>) {
        let of_role = self.roles.get(role).map_or(&[][..], Vec::as_slice);
        for place in of_role {
            match self.changes.get(*place) {
                Some(Change::AddMember { member, .. } | Change::RemoveMember { member, .. })
                    if member == principal =>
                {
                    places.insert(*place);
                    self.add_creation(role, places);
                }
                // A role goes with its ACLs.
                Some(Change::DeleteRole { .. }) => places.extend(of_role),
                _ => {}
            }
        }
    }
}

/// Whether an ACL of a principal decides requests of a region.
fn holds(policy: &Policy, principal: &Principal, region: &AccessRegion) -> bool {
    policy
        .acls_of(principal)
        .iter()
        .any(|acl| region.is_met_by(acl))
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, ResourceType};

    use super::*;
    use crate::diff::Relation;

    fn allow(who: Principal, topic: &str) -> Acl {
        Acl::allow(who, Operation::Read, ResourceType::Topic, topic)
    }

    fn policy(changes: impl IntoIterator<Item = Change>) -> Policy {
        let mut policy = Policy::default();
        for change in changes {
            policy.apply(change).unwrap();
        }
        policy
    }

    fn member(role: &str, group: &str) -> Change {
        Change::AddMember {
            role: role.into(),
            member: Principal::group(group),
        }
    }

    /// All differences of access between two policies.
    fn differences(from: &Policy, to: &Policy) -> Vec<(Scope, AccessRegion)> {
        let mut all = Vec::new();
        for difference in diff(from, to).differences {
            for region in difference.regions {
                all.push((difference.scope.clone(), region));
            }
        }
        all
    }

    /// What the changes for one principal's differences are.
    fn for_one(from: &Policy, to: &Policy, name: &str) -> (Vec<Change>, PartialConvergence) {
        let all = differences(from, to);
        let mut chosen = BTreeSet::new();
        for (place, (scope, _)) in all.iter().enumerate() {
            if scope.to_string() == name {
                chosen.insert(place);
            }
        }
        let convergence = Convergence::new(from, to);
        let part = convergence.for_differences(
            [from, to],
            ChosenDifferences {
                all: &all,
                chosen: &chosen,
                settings: &[],
            },
        );
        (convergence.at(&part.places), part)
    }

    #[test]
    fn one_difference_needs_only_its_own_changes() {
        let from = policy([
            Change::AddAcl(allow(Principal::user("maya"), "orders")),
            Change::AddAcl(allow(Principal::user("ben"), "orders")),
        ]);
        let (changes, part) = for_one(&from, &Policy::default(), "User:maya");
        assert_eq!(
            changes,
            [Change::AddAcl(allow(Principal::user("maya"), "orders"))]
        );
        assert_eq!(part.remaining.differences.len(), 1);
    }

    #[test]
    fn a_role_that_goes_takes_nothing_that_was_equal() {
        // Both read in both policies; in the second, the role has another member.
        let role = || {
            [
                Change::CreateRole("R".into()),
                Change::AddAcl(allow(Principal::role("R"), "orders")),
                member("R", "eng"),
            ]
        };
        let from = policy([Change::AddAcl(allow(Principal::group("eng"), "orders"))]);
        let to = policy(role().into_iter().chain([member("R", "ops")]));
        let (changes, part) = for_one(&from, &to, "Group:ops");
        assert_eq!(part.remaining.relation, Relation::Equal, "{changes:?}");
        assert!(changes.contains(&Change::AddAcl(allow(Principal::group("eng"), "orders"))));
    }

    #[test]
    fn settings_are_chosen_one_by_one() {
        let mut settings = Settings::default();
        settings.superusers.insert("root".into());
        if let GroupSource::Properties { nested, .. } = &mut settings.groups {
            *nested = gbac_engine::groups::NestedGroupBehavior::Suffix;
        }
        let from = Policy::new(settings.clone());
        let to = Policy::default();
        let convergence = Convergence::new(&from, &to);
        assert_eq!(convergence.changes.len(), 2);
        let mut reached = to.clone();
        for change in convergence.all() {
            reached.apply(change).unwrap();
        }
        assert_eq!(reached.settings(), &settings);
        let part = convergence.for_differences(
            [&from, &to],
            ChosenDifferences {
                all: &differences(&from, &to),
                chosen: &BTreeSet::new(),
                settings: &["nested_group_behavior"],
            },
        );
        assert_eq!(part.remaining.settings, ["superusers"]);
        // A superuser is a difference of access, too.
        let (_, part) = for_one(&from, &to, "User:root");
        assert_eq!(part.remaining.settings, ["nested_group_behavior"]);
    }
}
