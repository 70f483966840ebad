//! The fixes of a denied request in words: what each changes, and its effect.

use gbac_analysis::requests::resource_type_text;
use gbac_analysis::{
    AccessFix, AccessRegion, FixKind, FixStep, HypotheticalChange, HypotheticalChanges, access_fixes, compare,
    policy_excerpt,
};
use gbac_engine::decide::{At, Decision, Reason, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Host, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};

use crate::draft::normalized;
use crate::escape::plain;
use crate::phrases::{agree, count};
use crate::review::{AffectedGroups, Effects, access_words, effect_words, effects_of};
use crate::rich_text::{RichText, listed};
use crate::simulator::question::AccessRequest;
use crate::simulator::seen_users::SeenUsers;
use crate::simulator::verdict::resource;

/// How many names a sentence lists.
const NAMES: usize = 4;

/// The fixes of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct FixList {
    /// Why there are no fixes, or only some kinds of them; none where nothing is special.
    pub about: Option<RichText>,
    /// The fixes, by where they are made.
    pub sections: Vec<FixSection>,
}

/// Fixes that are made at one place.
#[derive(Debug, Clone, PartialEq)]
pub struct FixSection {
    /// Where, as a heading.
    pub title: &'static str,
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
    /// What it does to whom.
    pub effect: FixEffect,
}

/// What a fix does to whom.
#[derive(Debug, Clone, PartialEq)]
pub enum FixEffect {
    /// Of a change of the policy.
    Principals(Effects),
    /// Of a change in the identity provider: what this user gains and loses.
    User {
        /// What the user gains.
        gains: Vec<AccessRegion>,
        /// What the user loses.
        loses: Vec<AccessRegion>,
    },
}

impl FixEffect {
    /// The effect as sentences. People who hold a group are known as far as audit events tell; `now` is in seconds since 1970.
    #[must_use]
    pub fn sentences(&self, seen: Option<&SeenUsers>, now: f64) -> Vec<RichText> {
        match self {
            Self::User { gains, loses } => access_words(gains, loses),
            Self::Principals(effects) => {
                let mut words = effect_words(effects);
                let groups = AffectedGroups::of(effects);
                if !groups.0.is_empty() {
                    words.extend(seen.map(|seen| RichText::from(seen.sentence(&groups, now))));
                    let others =
                        agree(groups.0.len(), "Other users may hold this group.", "Other users may hold these groups.");
                    words.push(others.into());
                }
                words
            }
        }
    }
}

/// Whether a fix is in a draft: all its changes are staged.
#[must_use]
pub fn is_staged(fix: &ListedFix, staged: &[Change]) -> bool {
    !fix.changes.is_empty() && fix.changes.iter().all(|change| staged.contains(change))
}

/// The fixes of a denied request, whatever the expiry of the identity. `staged` are the changes of the draft: a new role has a
/// name that they do not create, unless they are this very fix.
#[must_use]
pub fn fixes(policy: &Policy, identity: &Identity, access: &AccessRequest, staged: &[Change]) -> FixList {
    let request = access.request(At::IgnoringExpiry);
    let is_available = |name: &str, changes: &[Change]| {
        let is_created = staged.iter().any(|change| matches!(change, Change::CreateRole(other) if other == name));
        !is_created || changes.iter().cloned().map(normalized).all(|change| staged.contains(&change))
    };
    let found = access_fixes(policy, identity, &request, is_available);
    let about = match found.decision.reason {
        Reason::DenyRule => Some(deny_words(found.denied_by.len(), found.fixes.is_empty())),
        Reason::NoMatch if found.fixes.is_empty() => {
            Some("No role, group or ACL can allow this request. Check the user and the resource name.".into())
        }
        Reason::NoMatch | Reason::Expired => None,
        Reason::AllowRule | Reason::Superuser => Some("This request is allowed. There is nothing to fix.".into()),
    };
    let heading = |fix: &AccessFix| {
        let has = |is: fn(FixKind) -> bool| fix.steps.iter().any(|step| is(step.kind));
        match (has(FixKind::is_of_user), has(FixKind::is_manual)) {
            (true, _) => "For one user, outside groups",
            (false, true) => "In the identity provider",
            (false, false) => "Through groups and roles",
        }
    };
    let mut sections: Vec<FixSection> = Vec::new();
    for (place, fix) in found.fixes.iter().enumerate() {
        let title = heading(fix);
        let listed = listed_fix(policy, identity, access, place + 1, fix);
        match sections.last_mut() {
            Some(section) if section.title == title => section.fixes.push(listed),
            _ => sections.push(FixSection { title, fixes: vec![listed] }),
        }
    }
    FixList { about, sections }
}

fn deny_words(denies: usize, is_without_fix: bool) -> RichText {
    let deny = agree(denies, "A deny blocks this", "Several denies block this");
    match is_without_fix {
        true => format!("{deny}, and without {} nothing allows it.", agree(denies, "it", "them")).into(),
        false => {
            format!("{deny}. An added allow changes nothing while {} applies.", agree(denies, "it", "one of them"))
                .into()
        }
    }
}

fn listed_fix(
    policy: &Policy,
    identity: &Identity,
    access: &AccessRequest,
    number: usize,
    fix: &AccessFix,
) -> ListedFix {
    let trials: HypotheticalChanges = fix.changes().cloned().collect();
    let changes: Vec<Change> = fix.policy_changes().into_iter().map(normalized).collect();
    let members: Vec<Principal> = std::iter::once(Principal::user(identity.user()))
        .chain(identity.groups().iter().map(Principal::group))
        .chain(fix.changes().filter_map(joined))
        .collect();
    let part = policy_excerpt(policy, &changes, &members);
    let mut after = part.clone();
    trials.apply(&mut after);
    let then = trials.person(identity).0;
    let decision = decide(&after, &then, &access.request(At::IgnoringExpiry));
    let effect = if changes.is_empty() {
        let found = compare((&part, identity), (&after, &then));
        FixEffect::User { gains: found.gains, loses: found.loses }
    } else {
        FixEffect::Principals(effects_of(policy, &changes))
    };
    ListedFix {
        number,
        title: title(&fix.steps, access),
        about: about(fix, &decision),
        request: changes.is_empty().then(|| provider_request(fix, identity, access)),
        changes,
        effect,
    }
}

/// The group or role that a change leads to.
fn joined(change: &HypotheticalChange) -> Option<Principal> {
    match change {
        HypotheticalChange::Join(name) => Some(Principal::group(name)),
        HypotheticalChange::Policy(Change::AddMember { role, .. }) => Some(Principal::role(role)),
        HypotheticalChange::Leave(_) | HypotheticalChange::Policy(_) => None,
    }
}

/// What a fix does: its steps, joined.
fn title(steps: &[FixStep], access: &AccessRequest) -> RichText {
    steps.iter().enumerate().fold(RichText::new(), |words, (place, step)| {
        let (verb, object) = step_words(step, access);
        let words = if place == 0 { words.text(verb) } else { words.text(format!(", and {}", verb.to_lowercase())) };
        words.text(" ").then(object)
    })
}

/// The verb of a step, and to what it applies.
fn step_words(step: &FixStep, access: &AccessRequest) -> (&'static str, RichText) {
    let removed: Vec<&Acl> = step.changes.iter().filter_map(removed_acl).collect();
    let denies = || match removed.as_slice() {
        [only] => RichText::new().text("the deny on ").then(resource(only)).text(" for ").principal(&only.principal),
        all => RichText::new().text(count(all.len(), "deny")),
    };
    let groups = || {
        let names = step.changes.iter().filter_map(|change| match change {
            HypotheticalChange::Join(name) | HypotheticalChange::Leave(name) => Some(name),
            HypotheticalChange::Policy(_) => None,
        });
        listed(names.map(|name| RichText::new().principal(&Principal::group(name))).collect(), NAMES)
    };
    let memberships = |between: &'static str| {
        let of = |change: &HypotheticalChange| match change {
            HypotheticalChange::Policy(Change::AddMember { role, member } | Change::RemoveMember { role, member }) => {
                Some(RichText::new().principal(member).text(between).principal(&Principal::role(role)))
            }
            _ => None,
        };
        listed(step.changes.iter().filter_map(of).collect(), NAMES)
    };
    let added = step.changes.iter().find_map(added_acl);
    let to = |word: &'static str| {
        added.map_or_else(RichText::new, |acl| RichText::new().text(word).principal(&acl.principal))
    };
    match step.kind {
        FixKind::RemoveDenies => ("Remove", denies()),
        FixKind::NarrowDenies => ("Narrow", denies().text(" to every other operation")),
        FixKind::LeaveRole => ("Remove", memberships(" from ")),
        FixKind::LeaveGroups => ("Remove", RichText::new().text("the user from ").then(groups())),
        FixKind::AssignGroup | FixKind::AssignUser => ("Assign", memberships(" to ")),
        FixKind::ExtendRole => ("Add", to("an ACL to ")),
        FixKind::GrantUser => ("Add", to("an ACL for ")),
        FixKind::JoinGroup => ("Add", RichText::new().text("the user to ").then(groups())),
        FixKind::CreateRole => {
            let members = step.changes.iter().filter_map(|change| match change {
                HypotheticalChange::Policy(Change::AddMember { member, .. }) => Some(RichText::new().principal(member)),
                _ => None,
            });
            let only = match access.resource_type {
                ResourceType::Cluster | ResourceType::Registry => String::new(),
                other => format!(" on this {} only", resource_type_text(other)),
            };
            ("Create", RichText::new().text("a role for ").then(listed(members.collect(), NAMES)).text(only))
        }
    }
}

const fn removed_acl(change: &HypotheticalChange) -> Option<&Acl> {
    match change {
        HypotheticalChange::Policy(Change::RemoveAcl(acl)) => Some(acl),
        _ => None,
    }
}

const fn added_acl(change: &HypotheticalChange) -> Option<&Acl> {
    match change {
        HypotheticalChange::Policy(Change::AddAcl(acl)) => Some(acl),
        _ => None,
    }
}

/// How much a fix changes, and what decides the request then.
fn about(fix: &AccessFix, then: &Decision) -> RichText {
    let number = fix.policy_changes().len();
    let mut words = RichText::new();
    if number > 0 {
        words = words.text(format!("{}.", count(number, "change")));
    }
    for step in &fix.steps {
        words = words.then(reason(step, then));
    }
    let is_of = |kinds: &[FixKind]| fix.steps.iter().all(|step| kinds.contains(&step.kind));
    let removes = [FixKind::RemoveDenies, FixKind::NarrowDenies, FixKind::LeaveRole, FixKind::LeaveGroups];
    match &then.acl {
        Some(acl) if is_of(&removes) => words.text(" The allow of ").principal(&acl.principal).text(" then decides."),
        _ => words,
    }
}

/// Why a step works, as sentences with a blank before each.
fn reason(step: &FixStep, then: &Decision) -> RichText {
    let added = step.changes.iter().find_map(added_acl);
    let grant = |words: RichText| match added {
        Some(acl) => words.then(grant_words(acl)).text("."),
        None => words,
    };
    let words = RichText::new();
    match step.kind {
        FixKind::AssignGroup | FixKind::AssignUser => match &then.acl {
            Some(acl) => words
                .text(format!(" The role already allows {} on ", acl.operation.spelling().label))
                .then(resource(acl))
                .text("."),
            None => words,
        },
        FixKind::ExtendRole => {
            let words = grant(words.text(" "));
            match &then.group {
                Some(group) => words.text(" ").principal(&Principal::group(group)).text(" is a member."),
                None => words.text(" The user is a member."),
            }
        }
        FixKind::CreateRole => match added {
            Some(acl) => words.text(" ").principal(&acl.principal).text(" with ").then(grant_words(acl)).text("."),
            None => words,
        },
        FixKind::GrantUser => {
            grant(words.text(" ")).text(" It stays when the user changes teams, and no group shows it.")
        }
        FixKind::NarrowDenies => words.text(" The other operations stay denied."),
        FixKind::RemoveDenies => words,
        FixKind::LeaveRole => words.text(" The role no longer applies."),
        FixKind::JoinGroup => match &then.role {
            Some(role) => words
                .text("The group is already in ")
                .principal(&Principal::role(role))
                .text(". Takes effect at the next sign-in."),
            None => words.text("The group is already allowed this. Takes effect at the next sign-in."),
        },
        FixKind::LeaveGroups => words.text("Takes effect at the next sign-in."),
    }
}

/// `Allow Write, topic orders literal`.
fn grant_words(acl: &Acl) -> RichText {
    let words = RichText::new()
        .permission(acl.permission)
        .text(format!(" {}, ", acl.operation.spelling().label))
        .then(resource(acl));
    match acl.host {
        Host::Any => words,
        host => words.text(", host ").resource(host.to_string()),
    }
}

/// The request to the administrator of the identity provider.
fn provider_request(fix: &AccessFix, identity: &Identity, access: &AccessRequest) -> String {
    let lines = fix.changes().filter_map(|change| match change {
        HypotheticalChange::Join(name) => {
            Some(format!("Add the user {} to the group {}.", plain(identity.user()), plain(name)))
        }
        HypotheticalChange::Leave(name) => {
            Some(format!("Remove the user {} from the group {}.", plain(identity.user()), plain(name)))
        }
        HypotheticalChange::Policy(_) => None,
    });
    let joins = fix.steps.iter().any(|step| step.kind == FixKind::JoinGroup);
    let request = access.short().plain();
    let why = match joins {
        true => format!("Reason: this user is denied the request \"{request}\", which the group allows."),
        false => format!("Reason: the groups deny this user the request \"{request}\"."),
    };
    let mut text: Vec<String> = lines.collect();
    text.push(why);
    text.push("The change takes effect at the next sign-in.".to_owned());
    text.join("\n")
}

#[cfg(test)]
mod tests {
    use gbac_engine::decide::Outcome;
    use gbac_engine::model::Operation;

    use super::*;
    use crate::simulator::tests::policy;

    fn access(operation: Operation, name: &str) -> AccessRequest {
        AccessRequest { operation, resource_type: ResourceType::Topic, resource_name: name.into(), host: None }
    }

    fn list(groups: &[&str], access: &AccessRequest, staged: &[Change]) -> FixList {
        fixes(&policy(), &Identity::new("maya", groups.iter().copied()), access, staged)
    }

    fn told(list: &FixList) -> Vec<(&'static str, Vec<String>)> {
        let of = |section: &FixSection| {
            (section.title, section.fixes.iter().map(|fix| fix.title.plain()).collect::<Vec<_>>())
        };
        list.sections.iter().map(of).collect()
    }

    #[test]
    fn fixes_are_listed_where_they_are_made() {
        let write = access(Operation::Write, "payments-new");
        let found = list(&["data"], &write, &[]);
        let expected = [
            (
                "Through groups and roles",
                vec![
                    "Assign Group:data to Role:PaymentsWriters".to_owned(),
                    "Create a role for Group:data on this topic only".to_owned(),
                ],
            ),
            ("In the identity provider", vec!["Add the user to Group:payments".to_owned()]),
            (
                "For one user, outside groups",
                vec!["Assign User:maya to Role:PaymentsWriters".to_owned(), "Add an ACL for User:maya".to_owned()],
            ),
        ];
        assert_eq!(told(&found), expected);
        assert_eq!(found.about, None);
        let all: Vec<&ListedFix> = found.sections.iter().flat_map(|section| &section.fixes).collect();
        let about: Vec<String> = all.iter().map(|fix| fix.about.plain()).collect();
        assert_eq!(
            about,
            [
                "1 change. The role already allows Write on topic payments- prefixed.",
                "3 changes. Role:PaymentsNewWriters with Allow Write, topic payments-new literal.",
                "The group is already in Role:PaymentsWriters. Takes effect at the next sign-in.",
                "1 change. The role already allows Write on topic payments- prefixed.",
                "1 change. Allow Write, topic payments-new literal. It stays when the user changes teams, and no group shows it.",
            ]
        );
        let effect: Vec<String> = all
            .iter()
            .map(|fix| fix.effect.sentences(None, 0.0).iter().map(RichText::plain).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            effect,
            [
                "1 group gains Write and Describe on topic payments- prefixed. Other users may hold this group.",
                "1 group gains Write and Describe on topic payments-new literal. Other users may hold this group.",
                "1 user gains Write and Describe on topic payments- prefixed.",
                "1 user gains Write and Describe on topic payments- prefixed.",
                "1 user gains Write and Describe on topic payments-new literal.",
            ]
        );
        assert_eq!(
            all[2].request.as_deref(),
            Some(
                "Add the user maya to the group payments.\nReason: this user is denied the request \"Write payments-new\", which the group allows.\nThe change takes effect at the next sign-in."
            )
        );
        assert!(all.iter().all(|fix| fix.changes.is_empty() == fix.request.is_some()));
    }

    #[test]
    fn a_deny_lists_only_what_removes_it() {
        let found = list(&["payments", "read-only"], &access(Operation::Write, "payments-settled"), &[]);
        assert_eq!(
            found.about.as_ref().map(RichText::plain).as_deref(),
            Some("A deny blocks this. An added allow changes nothing while it applies.")
        );
        assert_eq!(
            told(&found),
            [
                (
                    "Through groups and roles",
                    vec!["Remove the deny on topic payments- prefixed for Group:read-only".to_owned()]
                ),
                ("In the identity provider", vec!["Remove the user from Group:read-only".to_owned()]),
            ]
        );
        let about = found.sections[0].fixes[0].about.plain();
        assert_eq!(about, "1 change. The allow of Role:PaymentsWriters then decides.");
        // Without the deny, nothing allows it: the fix does both.
        let both = list(&["read-only"], &access(Operation::Write, "payments-x"), &[]);
        let titles: Vec<String> = told(&both).into_iter().flat_map(|(_, titles)| titles).collect();
        assert_eq!(
            titles[0],
            "Remove the deny on topic payments- prefixed for Group:read-only, and assign Group:read-only to Role:PaymentsWriters"
        );
        assert!(titles.iter().all(|title| title.starts_with("Remove the deny")), "{titles:?}");
    }

    #[test]
    fn a_fix_stays_in_the_list_while_it_is_in_the_draft() {
        let write = access(Operation::Write, "payments-new");
        let before = list(&["data"], &write, &[]);
        let create = &before.sections[0].fixes[1];
        assert!(!is_staged(create, &[]) && is_staged(create, &create.changes));
        assert!(!is_staged(create, &create.changes[..2]));
        // It keeps its name while it is staged, and leaves a name to another role of the draft.
        assert_eq!(list(&["data"], &write, &create.changes), before);
        let other = [Change::CreateRole("PaymentsNewWriters".into())];
        let renamed = list(&["data"], &write, &other);
        assert!(renamed.sections[0].fixes[1].about.plain().contains("Role:PaymentsNewWriters2"));
        // A manual fix is in no draft.
        assert!(!is_staged(&before.sections[1].fixes[0], &[]));
    }

    #[test]
    fn every_listed_fix_allows_the_request() {
        let policy = policy();
        for groups in [vec![], vec!["payments"], vec!["read-only"], vec!["analysts", "read-only", "payments"]] {
            let identity = Identity::new("maya", groups.iter().copied());
            for name in ["payments-settled", "payments-x", "other", "bad name"] {
                let access = access(Operation::Write, name);
                for fix in list(&groups, &access, &[]).sections.iter().flat_map(|section| &section.fixes) {
                    let mut after = (*policy).clone();
                    for change in &fix.changes {
                        assert!(after.apply(change.clone()).unwrap(), "{change:?}");
                    }
                    if fix.request.is_none() {
                        let found = decide(&after, &identity, &access.request(At::IgnoringExpiry));
                        assert_eq!(found.outcome, Outcome::Allow, "{:?}", fix.title.plain());
                    }
                }
            }
        }
        let allowed = fixes(&policy, &Identity::new("root", ["x"]), &access(Operation::Write, "x"), &[]);
        assert!(allowed.sections.is_empty() && allowed.about.is_some());
    }
}
