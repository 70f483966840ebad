//! Fixes of a denied request: what their steps do, why they work, and the request to the identity
//! provider.

use gbac_analysis::{AccessFix, Breadth, FixKind, FixStep, HypotheticalChange};
use gbac_engine::decide::{Decision, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Principal, ResourceType};
use gbac_engine::policy::Change;

use crate::escape::plain;
use crate::phrases::{agree, count, instant};
use crate::rich_text::{RichText, listed};
use crate::{acl, breadth, request};

/// A denied request that nothing can allow.
pub const NO_FIX: &str =
    "No role, group or ACL can allow this request. Check the user and the resource name.";
/// An allowed request.
pub const NOTHING_TO_FIX: &str = "This request is allowed. There is nothing to fix.";
/// What to do before a deny goes.
pub const DENY_ON_PURPOSE: &str =
    "A deny is usually deliberate: ask whoever wrote it before you remove it.";
/// When a change of groups counts.
pub(crate) const NEXT_SIGN_IN: &str = "The change takes effect at the next sign-in.";

/// How many users of a group a sentence names.
const SEEN_USERS: usize = 20;
/// How many names a sentence lists.
pub(crate) const NAMES: usize = 4;

/// What a fix does: its steps, joined.
pub fn title(steps: &[FixStep], resource_type: ResourceType) -> RichText {
    let mut words = RichText::new();
    for (place, step) in steps.iter().enumerate() {
        let (verb, object) = step_words(step, resource_type);
        words = match place {
            0 => words.text(verb),
            _ => words.text(format!(", and {}", verb.to_lowercase())),
        };
        words = words.text(" ").then(object);
    }
    words
}

/// The verb of a step, and to what it applies.
fn step_words(step: &FixStep, resource_type: ResourceType) -> (&'static str, RichText) {
    match step.kind {
        FixKind::RemoveDenies => ("Remove", denies(step)),
        FixKind::NarrowDenies => ("Narrow", denies(step).text(" to every other operation")),
        FixKind::LeaveRole => ("Remove", memberships(step, " from ")),
        FixKind::LeaveGroups => (
            "Remove",
            RichText::new().text("the user from ").then(groups(step)),
        ),
        FixKind::SpellGroup
            if step
                .changes
                .iter()
                .any(|change| added_acl(change).is_some()) =>
        {
            ("Add", receiver(step, "an ACL for "))
        }
        FixKind::SpellGroup | FixKind::AssignGroup | FixKind::AssignUser => {
            ("Assign", memberships(step, " to "))
        }
        FixKind::ExtendRole => ("Add", receiver(step, "an ACL to ")),
        FixKind::GrantGroup | FixKind::GrantUser => ("Add", receiver(step, "an ACL for ")),
        FixKind::JoinGroup => (
            "Add",
            RichText::new().text("the user to ").then(groups(step)),
        ),
        FixKind::CreateRole => {
            let mut members = Vec::new();
            for change in &step.changes {
                if let HypotheticalChange::Policy(Change::AddMember { member, .. }) = change {
                    members.push(RichText::new().principal(member));
                }
            }
            (
                "Create",
                RichText::new()
                    .text("a role for ")
                    .then(listed(members, NAMES))
                    .then(covered(step, resource_type)),
            )
        }
    }
}

/// What a new role covers, after its members.
fn covered(step: &FixStep, resource_type: ResourceType) -> RichText {
    let added = step.changes.iter().find_map(added_acl);
    match added.map(|acl| (Breadth::of_acl(acl), acl)) {
        Some((Breadth::OneName, _)) => format!(" on this {} only", resource_type.noun()).into(),
        Some((Breadth::Prefix | Breadth::EveryName, acl)) => {
            RichText::from(" on ").then(breadth::names_of_acl(acl))
        }
        Some((Breadth::Cluster, _)) | None => RichText::new(),
    }
}

/// The denies that a step removes.
fn denies(step: &FixStep) -> RichText {
    let removed: Vec<&Acl> = step.changes.iter().filter_map(removed_acl).collect();
    match removed.as_slice() {
        [only] => RichText::new()
            .text("the deny on ")
            .then(acl::pattern(only))
            .text(" for ")
            .principal(&only.principal),
        all => RichText::new().text(count(all.len(), "deny")),
    }
}

/// The groups that the user joins or leaves.
fn groups(step: &FixStep) -> RichText {
    let mut groups = Vec::new();
    for change in &step.changes {
        if let HypotheticalChange::Join(name) | HypotheticalChange::Leave(name) = change {
            groups.push(RichText::new().principal(&Principal::group(name)));
        }
    }
    listed(groups, NAMES)
}

/// The members and roles that a step brings together or parts.
fn memberships(step: &FixStep, between: &'static str) -> RichText {
    let mut memberships = Vec::new();
    for change in &step.changes {
        if let HypotheticalChange::Policy(
            Change::AddMember { role, member } | Change::RemoveMember { role, member },
        ) = change
        {
            let words = RichText::new().principal(member).text(between);
            memberships.push(words.principal(&Principal::role(role)));
        }
    }
    listed(memberships, NAMES)
}

/// The principal that gets an ACL, after some words.
fn receiver(step: &FixStep, words: &'static str) -> RichText {
    match step.changes.iter().find_map(added_acl) {
        Some(acl) => RichText::new().text(words).principal(&acl.principal),
        None => RichText::new(),
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
pub fn about(fix: &AccessFix, then: &Decision) -> RichText {
    let number = fix.policy_changes().len();
    let mut words = RichText::new();
    if number > 0 {
        words = words.text(format!("{}.", count(number, "change")));
    }
    for step in &fix.steps {
        words = words.then(reason(step, then));
    }
    let removes = [
        FixKind::RemoveDenies,
        FixKind::NarrowDenies,
        FixKind::LeaveRole,
        FixKind::LeaveGroups,
    ];
    match &then.acl {
        Some(acl) if fix.steps.iter().all(|step| removes.contains(&step.kind)) => words
            .text(" The allow of ")
            .principal(&acl.principal)
            .text(" then decides."),
        _ => words,
    }
}

/// Why a step works, as sentences with a blank before each.
fn reason(step: &FixStep, then: &Decision) -> RichText {
    let added = step.changes.iter().find_map(added_acl);
    let words = RichText::new();
    match step.kind {
        FixKind::SpellGroup => words
            .text(" The policy allows it to a group that differs only in letter case or slashes."),
        FixKind::AssignGroup | FixKind::AssignUser => match &then.acl {
            Some(acl) => words
                .text(format!(
                    " The role already allows {} on ",
                    acl.operation.spelling().label
                ))
                .then(acl::pattern(acl))
                .text("."),
            None => words,
        },
        FixKind::ExtendRole => {
            let words = with_rule(words.text(" "), added);
            match &then.group {
                Some(group) => words
                    .text(" ")
                    .principal(&Principal::group(group))
                    .text(" is a member."),
                None => words.text(" The user is a member."),
            }
        }
        FixKind::CreateRole => match added {
            Some(acl) => words
                .text(" ")
                .principal(&acl.principal)
                .text(" with ")
                .then(acl::rule(acl))
                .text("."),
            None => words,
        },
        FixKind::GrantGroup => with_rule(words.text(" "), added),
        FixKind::GrantUser => {
            with_rule(words.text(" "), added).text(" The user keeps it after a change of teams.")
        }
        FixKind::NarrowDenies => words.text(format!(
            " The other operations stay denied. {DENY_ON_PURPOSE}"
        )),
        FixKind::RemoveDenies => words.text(format!(" {DENY_ON_PURPOSE}")),
        FixKind::LeaveRole => words.text(" The role no longer applies."),
        FixKind::JoinGroup => match &then.role {
            Some(role) => words
                .text("The group is already in ")
                .principal(&Principal::role(role))
                .text(". Takes effect at the next sign-in."),
            None => {
                words.text("The group is already allowed this. Takes effect at the next sign-in.")
            }
        },
        FixKind::LeaveGroups => words.text("Takes effect at the next sign-in."),
    }
}

/// Words with the rule of an ACL after them.
fn with_rule(words: RichText, acl: Option<&Acl>) -> RichText {
    match acl {
        Some(acl) => words.then(acl::rule(acl)).text("."),
        None => words,
    }
}

/// The request to the administrator of the identity provider.
pub fn provider_request(fix: &AccessFix, identity: &Identity, request: &Request<'_>) -> String {
    let user = plain(identity.user());
    let mut lines = Vec::new();
    for change in fix.changes() {
        match change {
            HypotheticalChange::Join(name) => {
                lines.push(format!("Add the user {user} to the group {}.", plain(name)));
            }
            HypotheticalChange::Leave(name) => {
                lines.push(format!(
                    "Remove the user {user} from the group {}.",
                    plain(name)
                ));
            }
            HypotheticalChange::Policy(_) => {}
        }
    }
    let joins = fix.steps.iter().any(|step| step.kind == FixKind::JoinGroup);
    let request = request::short(request).plain();
    let why = match joins {
        true => format!(
            "Reason: this user is denied the request \"{request}\", which the group allows."
        ),
        false => format!("Reason: the groups deny this user the request \"{request}\"."),
    };
    lines.push(why);
    lines.push(NEXT_SIGN_IN.to_owned());
    lines.join("\n")
}

/// Denies that block a request, and whether a fix removes them.
pub fn blocked(denies: usize, has_fix: bool) -> String {
    let deny = agree(denies, "A deny blocks this", "Several denies block this");
    match has_fix {
        true => format!(
            "{deny}. An added allow changes nothing while {} applies.",
            agree(denies, "it", "one of them")
        ),
        false => format!(
            "{deny}, and without {} nothing allows it.",
            agree(denies, "it", "them")
        ),
    }
}

/// Users who are not known to hold the groups that a fix is about.
pub const fn other_users(groups: usize) -> &'static str {
    agree(
        groups,
        "Other users may hold this group.",
        "Other users may hold these groups.",
    )
}

/// The users whom the audit log shows with a group since an instant, in seconds since 1970.
pub fn seen_with(group: &str, users: &[&str], since: f64, now: f64) -> RichText {
    let names = users
        .iter()
        .map(|user| RichText::new().principal(&Principal::user(*user)))
        .collect();
    let with = match users.len() {
        0 => RichText::from("No user was seen with "),
        number => {
            listed(names, SEEN_USERS).text(agree(number, " was seen with ", " were seen with "))
        }
    };
    with.principal(&Principal::group(group))
        .text(format!(" since {}.", instant(since, now)))
}

/// How many users the audit log shows with one of so many groups since an instant, in seconds since
/// 1970.
pub fn seen_with_groups(users: usize, groups: usize, since: f64, now: f64) -> String {
    let with = agree(groups, "this group", "one of these groups");
    let since = instant(since, now);
    if users == 0 {
        return format!("No user was seen with {with} since {since}.");
    }
    let were = agree(users, "was", "were");
    format!(
        "{} {were} seen with {with} since {since}.",
        count(users, "user")
    )
}
