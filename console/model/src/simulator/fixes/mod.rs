//! The fixes of a denied request in words: what each changes, its effect, and the users whom audit
//! events show with the groups that it is about.

mod axis;
mod token_groups;

use std::collections::{BTreeMap, BTreeSet};

use gbac_analysis::{
    AccessFix, AccessRegion, HypotheticalChange, HypotheticalChanges, Opening, access_fixes,
    compare, name_choices, policy_excerpt,
};
use gbac_engine::decide::{At, Reason, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};
use gbac_words::rich_text::RichText;
use gbac_words::{breadth, fix, token_fix};

pub use self::axis::FixAxisStep;
use self::token_groups::Denied;
use crate::draft::normalized;
use crate::group_changes::GroupChanges;
use crate::review::{
    AffectedGroups, Effects, access_words, effect_words, effects_of, group_change_words,
};
use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::inputs::Action;
use crate::simulator::question::AccessRequest;

/// Where fixes are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixPlace {
    /// In the token, which has no groups.
    Token,
    /// In groups and roles.
    Groups,
    /// In the settings of the service.
    Settings,
    /// In the identity provider.
    Provider,
    /// Outside groups.
    User,
}

impl FixPlace {
    /// The place, as a heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Token => token_fix::NO_GROUPS,
            Self::Groups => "Through groups and roles",
            Self::Settings => "In the settings",
            Self::Provider => "In the identity provider",
            Self::User => "For one user, outside groups",
        }
    }

    fn of_fix(fix: &AccessFix) -> Self {
        if fix.steps.iter().any(|step| step.kind.is_of_user()) {
            Self::User
        } else if fix.steps.iter().any(|step| step.kind.is_manual()) {
            Self::Provider
        } else {
            Self::Groups
        }
    }
}

/// The fixes of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct FixList {
    /// Why there are no fixes, or only some kinds of them; none where nothing is special.
    pub about: Option<RichText>,
    /// How many fixes open how much, from the least; empty where there is nothing to compare.
    pub axis: Vec<FixAxisStep>,
    /// The fixes, by where they are made.
    pub sections: Vec<FixSection>,
}

/// Fixes that are made at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct FixSection {
    /// Where.
    pub place: FixPlace,
    /// The fixes; at least one.
    pub fixes: Vec<ListedFix>,
}

/// A fix, ready to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedFix {
    /// Its place in the list, from 1.
    pub number: usize,
    /// What it does.
    pub title: RichText,
    /// How much it changes, and why it works.
    pub about: RichText,
    /// The changes for the draft, as the draft holds them; none of a manual fix.
    pub changes: Vec<Change>,
    /// The request to an administrator of the identity provider, to copy; of a manual fix only.
    pub request: Option<String>,
    /// What can be tried at once.
    pub actions: Vec<Action>,
    /// What it does to whom.
    pub effect: FixEffect,
    /// What it opens.
    pub opening: Opening,
    /// Whether another fix opens less; none where there is nothing to compare.
    pub comparison: Option<String>,
    /// The names on which it can allow the request, from the least; empty if that cannot be
    /// chosen. The first is that of the request, on which the fix is listed.
    pub choices: Vec<FixChoice>,
}

/// A fix on other names.
#[derive(Debug, Clone, PartialEq)]
pub struct FixChoice {
    /// The names, on a control.
    pub label: String,
    /// The changes for the draft, as the draft holds them.
    pub changes: Vec<Change>,
    fix: AccessFix,
}

impl ListedFix {
    /// Which of its choices a draft has; 0 of a fix without choices. None if it has none of them.
    pub fn staged(&self, staged: &[Change]) -> Option<usize> {
        if self.choices.is_empty() {
            return are_staged(&self.changes, staged).then_some(0);
        }
        let mut choices = self.choices.iter();
        choices.position(|choice| are_staged(&choice.changes, staged))
    }

    /// The fix on the names of one of its choices.
    #[must_use]
    pub fn on_choice(
        &self,
        choice: usize,
        policy: &Policy,
        who: &SimulatedIdentity,
        access: &AccessRequest,
    ) -> Option<Self> {
        let identity = who.identity.as_deref().ok()?;
        let FixChoice { fix, .. } = self.choices.get(choice)?;
        Some(Self {
            number: self.number,
            // The choice itself says how much more it opens.
            comparison: self.comparison.clone().filter(|_| choice == 0),
            choices: self.choices.clone(),
            ..listed_fix(policy, identity, access, fix)
        })
    }
}

/// What a fix does to whom.
#[derive(Debug, Clone, PartialEq)]
pub enum FixEffect {
    /// Of a change of the policy.
    Principals(Effects),
    /// Of a change in the identity provider: what this user gains and loses.
    User {
        /// Who.
        user: Principal,
        /// What the user gains.
        gains: Vec<AccessRegion>,
        /// What the user loses.
        loses: Vec<AccessRegion>,
    },
    /// Of a change of how groups are read.
    Groups(GroupChanges),
    /// Of something that only whoever does it can tell.
    Sentence(RichText),
}

impl FixEffect {
    /// The effect as sentences. People who hold a group are known as far as audit events tell;
    /// `now` is in seconds since 1970.
    pub fn sentences(&self, seen: Option<&SeenUsers>, now: f64) -> Vec<RichText> {
        match self {
            Self::User { user, gains, loses } => access_words(user, gains, loses),
            Self::Groups(changes) => group_change_words(changes),
            Self::Sentence(words) => vec![words.clone()],
            Self::Principals(effects) => {
                let mut words = effect_words(effects);
                let groups = AffectedGroups::from_effects(effects);
                if !groups.0.is_empty() {
                    words.extend(seen.map(|seen| RichText::from(seen.sentence(&groups, now))));
                    words.push(fix::other_users(groups.0.len()).into());
                }
                words
            }
        }
    }

    /// Who is affected, beyond what the sentences name: the users who were seen with each group
    /// that gains or loses something. Nothing where no audit events tell.
    pub fn who(&self, seen: Option<&SeenUsers>, now: f64) -> Vec<RichText> {
        match (self, seen) {
            (Self::Principals(effects), Some(seen)) => AffectedGroups::from_effects(effects)
                .0
                .iter()
                .map(|group| seen.who(group, now))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// How many users and groups are affected, as far as that is known.
    pub fn principals(&self) -> usize {
        match self {
            Self::Principals(effects) => {
                let members = effects.people.iter().filter(|person| !person.is_role());
                members.count()
            }
            Self::User { .. } => 1,
            Self::Groups(_) | Self::Sentence(_) => 0,
        }
    }

    /// Whether there is more to list than its sentences say: several principals, or several
    /// regions.
    pub fn has_more(&self) -> bool {
        match self {
            Self::Principals(effects) => {
                let mut members = effects.people.iter().filter(|person| !person.is_role());
                self.principals() > 1 || members.any(|person| person.lines.len() > 1)
            }
            Self::User { gains, loses, .. } => gains.len() + loses.len() > 1,
            Self::Groups(_) | Self::Sentence(_) => false,
        }
    }
}

/// Whether changes are in a draft, all of them; no changes are in none.
pub fn are_staged(changes: &[Change], staged: &[Change]) -> bool {
    !changes.is_empty() && changes.iter().all(|change| staged.contains(change))
}

/// The fixes of a denied request, whatever the expiry of the identity; none where it is not known
/// who asks. `staged` are the changes of the draft: a new role has a name that they do not create,
/// unless they are this very fix.
///
/// Groups that share a word with the resource or a role come first, then those with which the
/// fewest users were seen, then those that come first by name.
pub fn fixes(
    policy: &Policy,
    who: &SimulatedIdentity,
    access: &AccessRequest,
    staged: &[Change],
    seen: Option<&SeenUsers>,
) -> Option<FixList> {
    let identity = who.identity.as_deref().ok()?;
    let request = access.request(At::IgnoringExpiry);
    let is_available = |name: &str, changes: &[Change]| {
        let is_created = staged
            .iter()
            .any(|change| matches!(change, Change::CreateRole(other) if other == name));
        !is_created
            || changes
                .iter()
                .all(|change| staged.contains(&normalized(change.clone())))
    };
    let found = access_fixes(policy, &by_users(identity, seen), &request, is_available);
    let names = name_choices(policy, &request);
    let is_unmatched = found.decision.reason == Reason::NoMatch;
    let denied = Denied {
        policy,
        who,
        identity,
        access,
    };
    let other = denied.other_reading();
    let joins: Vec<&str> = found
        .fixes
        .iter()
        .flat_map(AccessFix::changes)
        .filter_map(joined_group)
        .collect();
    let (missing, nested) = if is_unmatched {
        (denied.missing_groups(&joins), denied.nested_names(&other))
    } else {
        (None, None)
    };
    let held = joins.iter().find_map(|group| other.words(group));
    let is_missing = missing.is_some();
    let mut listed: Vec<(FixPlace, ListedFix)> = Vec::new();
    for fix in missing.into_iter().flatten() {
        listed.push((FixPlace::Token, fix));
    }
    for fix in &found.fixes {
        // Joining a group has no effect while the token has no groups, and nobody joins a group
        // twice.
        let mut joined = fix.changes().filter_map(joined_group);
        if !joined.any(|group| is_missing || other.name_of(group).is_some()) {
            let mut one = listed_fix(policy, identity, access, fix);
            for names in &names {
                let on_names = fix.on_names(policy, &request, names, &is_available);
                one.choices.extend(on_names.map(|fix| FixChoice {
                    label: breadth::choice(access.resource_type, names),
                    changes: drafted(&fix),
                    fix,
                }));
            }
            listed.push((FixPlace::of_fix(fix), one));
        }
    }
    let last = listed
        .iter()
        .rposition(|(place, _)| matches!(place, FixPlace::Token | FixPlace::Groups));
    let place = match last {
        Some(last) => last + 1,
        None => 0,
    };
    listed.splice(place..place, nested.map(|fix| (FixPlace::Settings, fix)));
    let about = match found.decision.reason {
        Reason::DenyRule => {
            Some(fix::blocked(found.denied_by.len(), !found.fixes.is_empty()).into())
        }
        Reason::NoMatch if listed.is_empty() => Some(fix::NO_FIX.into()),
        Reason::NoMatch => held,
        Reason::Expired => None,
        Reason::AllowRule | Reason::Superuser => Some(fix::NOTHING_TO_FIX.into()),
    };
    let mut sections = sections(listed);
    axis::compare_openings(&mut sections);
    Some(FixList {
        about,
        axis: axis::axis(&sections, access.resource_type),
        sections,
    })
}

/// The identity with its groups in the order in which fixes propose them: by the number of users
/// seen with them, then by name.
fn by_users(identity: &Identity, seen: Option<&SeenUsers>) -> Identity {
    let mut groups: Vec<&String> = identity.groups().iter().collect();
    groups.sort_by_key(|group| (seen.map_or(0, |seen| seen.number(group)), *group));
    identity.with_groups(groups)
}

/// Numbers the fixes, and joins those that are made at the same place.
fn sections(listed: Vec<(FixPlace, ListedFix)>) -> Vec<FixSection> {
    let mut sections: Vec<FixSection> = Vec::new();
    for (index, (place, fix)) in listed.into_iter().enumerate() {
        let fix = ListedFix {
            number: index + 1,
            ..fix
        };
        match sections.last_mut() {
            Some(section) if section.place == place => section.fixes.push(fix),
            _ => sections.push(FixSection {
                place,
                fixes: vec![fix],
            }),
        }
    }
    sections
}

/// The group that a change adds the user to.
fn joined_group(change: &HypotheticalChange) -> Option<&str> {
    match change {
        HypotheticalChange::Join(name) => Some(name),
        HypotheticalChange::Leave(_) | HypotheticalChange::Policy(_) => None,
    }
}

fn listed_fix(
    policy: &Policy,
    identity: &Identity,
    access: &AccessRequest,
    fix: &AccessFix,
) -> ListedFix {
    let trials: HypotheticalChanges = fix.changes().cloned().collect();
    let changes = drafted(fix);
    let mut members = vec![Principal::user(identity.user())];
    members.extend(identity.groups().iter().map(Principal::group));
    members.extend(fix.changes().filter_map(joined));
    let part = policy_excerpt(policy, &changes, &members);
    let mut after = part.clone();
    trials.apply(&mut after);
    let then = trials.person(identity).0;
    let decision = decide(&after, &then, &access.request(At::IgnoringExpiry));
    let effect = if changes.is_empty() {
        let found = compare((&part, identity), (&after, &then));
        FixEffect::User {
            user: Principal::user(identity.user()),
            gains: found.gains,
            loses: found.loses,
        }
    } else {
        FixEffect::Principals(effects_of(policy, &changes))
    };
    ListedFix {
        number: 0,
        title: fix::title(&fix.steps, access.resource_type),
        about: fix::about(fix, &decision),
        request: changes
            .is_empty()
            .then(|| fix::provider_request(fix, identity, &access.request(At::IgnoringExpiry))),
        actions: Vec::new(),
        changes,
        effect,
        opening: fix.opening(policy),
        comparison: None,
        choices: Vec::new(),
    }
}

/// The changes of a fix, as the draft holds them.
fn drafted(fix: &AccessFix) -> Vec<Change> {
    fix.policy_changes().into_iter().map(normalized).collect()
}

/// The group or role that a change leads to.
fn joined(change: &HypotheticalChange) -> Option<Principal> {
    match change {
        HypotheticalChange::Join(name) => Some(Principal::group(name)),
        HypotheticalChange::Policy(Change::AddMember { role, .. }) => Some(Principal::role(role)),
        HypotheticalChange::Leave(_) | HypotheticalChange::Policy(_) => None,
    }
}

/// An event that may show a user with groups.
pub trait SeenEvent {
    /// The user's name; empty if it is unknown.
    fn user(&self) -> &str;
    /// The groups.
    fn groups(&self) -> &[String];
    /// When, in milliseconds since 1970.
    fn since_ms(&self) -> f64;
}

/// Who was seen with which group, and since when events were read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenUsers {
    by_group: BTreeMap<String, BTreeSet<String>>,
    /// When the oldest of the events was, in seconds since 1970.
    since: f64,
}

impl SeenUsers {
    /// What events say; none where there are no events.
    pub fn from_events<E: SeenEvent>(events: &[E]) -> Option<Self> {
        let since = events
            .iter()
            .map(|event| event.since_ms() / 1000.0)
            .reduce(f64::min)?;
        let mut seen = Self {
            by_group: BTreeMap::new(),
            since,
        };
        for event in events {
            if event.user().is_empty() {
                continue;
            }
            for group in event.groups() {
                seen.by_group
                    .entry(group.clone())
                    .or_default()
                    .insert(event.user().to_owned());
            }
        }
        Some(seen)
    }

    /// How many users were seen with a group.
    pub fn number(&self, group: &str) -> usize {
        self.by_group.get(group).map_or(0, BTreeSet::len)
    }

    /// Who was seen with a group, as a sentence; `now` is in seconds since 1970.
    pub fn who(&self, group: &str, now: f64) -> RichText {
        let users = self.by_group.get(group).into_iter().flatten();
        let users: Vec<&str> = users.map(String::as_str).collect();
        fix::seen_with(group, &users, self.since, now)
    }

    /// How many users were seen with one of these groups, as a sentence; `now` is in seconds since
    /// 1970.
    pub fn sentence(&self, groups: &AffectedGroups, now: f64) -> String {
        let users: BTreeSet<&String> = groups
            .0
            .iter()
            .filter_map(|group| self.by_group.get(group))
            .flatten()
            .collect();
        fix::seen_with_groups(users.len(), groups.0.len(), self.since, now)
    }
}

#[cfg(test)]
mod tests;
