//! What differs between two policies or people, in words.

use std::fmt::Write;

use gbac_analysis::{
    AccessEffect, AccessRegion, Addresses, Diff, Difference, GroupChange, GroupEffect, HostSet, NameEffect, Relation,
};

use super::explain::{names, operations};
use crate::output::{plain, table};

/// Who gains and loses what, and a sentence for the whole.
pub(super) fn words(diff: &Diff) -> String {
    let mut text = sentence(diff.relation).to_owned();
    if diff.relation == Relation::SettingsDiffer {
        let _ = write!(text, "ACLs, roles and superusers alone: {}", sentence(diff.acl_relation));
    }
    let rows = |differences: &[Difference]| -> Vec<Vec<String>> { differences.iter().flat_map(difference).collect() };
    let head = ["PRINCIPAL", "EFFECT", "OPERATIONS", "RESOURCE", "FROM"];
    let (people, roles) = (rows(&diff.differences), rows(&diff.roles));
    if !people.is_empty() {
        let _ = write!(text, "\n{}", table(&head, &people));
    }
    if !roles.is_empty() {
        let _ = write!(text, "\nWhoever is given a role:\n{}", table(&head, &roles));
    }
    if !diff.settings.is_empty() {
        let _ = writeln!(text, "\nSettings that differ: {}", diff.settings.join(", "));
    }
    text.push_str(&groups(&diff.groups));
    if !diff.users.is_empty() {
        let users: Vec<String> = diff.users.iter().map(|user| format!("User:{}", plain(user))).collect();
        let _ = writeln!(text, "\nUsers that tokens may no longer name (unknown): {}", users.join(", "));
    }
    text
}

/// The relation of two policies in a sentence.
const fn sentence(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "No change in effective access.\n",
        Relation::Wider => "The new policy only adds access.\n",
        Relation::Narrower => "The new policy only removes access.\n",
        Relation::Mixed => "The new policy both grants and removes access.\n",
        Relation::SettingsDiffer => {
            "The policies read tokens differently, so the same token can give another identity.\n"
        }
    }
}

/// What other settings do to the groups that the policies name.
fn groups(changes: &[GroupChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let named = |groups: &[String], kind: &str| -> String {
        groups.iter().map(|name| format!("{kind}:{}", plain(name))).collect::<Vec<_>>().join(", ")
    };
    let row = |change: &GroupChange| {
        let group =
            |name: &Option<String>| name.as_ref().map_or_else(|| "-".to_owned(), |name| format!("Group:{name}"));
        let mut more = Vec::new();
        if !change.merges.is_empty() {
            let names: Vec<String> = change.merges.iter().map(|name| plain(name)).collect();
            more.push(format!("the same group as {}", names.join(", ")));
        }
        for (what, roles) in [("joins", &change.joins), ("leaves", &change.leaves)] {
            if !roles.is_empty() {
                more.push(format!("{what} {}", named(roles, "Role")));
            }
        }
        vec![
            change.name.clone(),
            group_effect(change.effect).into(),
            group(&change.before),
            group(&change.after),
            more.join("; "),
        ]
    };
    let rows: Vec<Vec<String>> = changes.iter().map(row).collect();
    let mut text = format!("\nGroups:\n{}", table(&["NAME", "EFFECT", "BEFORE", "AFTER", "AND"], &rows));
    let effects = changes.iter().flat_map(|change| {
        let of = |found: &NameEffect| -> Vec<Vec<String>> {
            let start = vec![change.name.clone(), effect(found.effect).to_owned()];
            found.regions.iter().map(|extent| [start.clone(), cells(extent)].concat()).collect()
        };
        change.effects.iter().flat_map(of).collect::<Vec<_>>()
    });
    let effects: Vec<Vec<String>> = effects.collect();
    if !effects.is_empty() {
        let head = ["NAME", "EFFECT", "OPERATIONS", "RESOURCE", "FROM"];
        let _ = write!(text, "\nEffects on users with these names:\n{}", table(&head, &effects));
    }
    text
}

const fn group_effect(effect: GroupEffect) -> &'static str {
    match effect {
        GroupEffect::Renamed => "produces another group",
        GroupEffect::Dropped => "no longer produces a group",
        GroupEffect::NotRead => "is no longer read",
        GroupEffect::Added => "now produces a group",
        GroupEffect::MoreNames => "paths that end in it now produce it too",
        GroupEffect::FewerNames => "paths that end in it no longer produce it",
        GroupEffect::Unknown => "unknown: groups are read from another claim",
        GroupEffect::Unchanged => "unchanged",
    }
}

fn difference(difference: &Difference) -> Vec<Vec<String>> {
    let row = |extent: &AccessRegion| {
        let who = if difference.scope.is_everyone() { "everyone".into() } else { difference.scope.to_string() };
        [vec![who, effect(difference.effect).into()], cells(extent)].concat()
    };
    difference.regions.iter().map(row).collect()
}

/// Requests, a row for each extent; `indent` stands before every line.
pub(super) fn extents(extents: &[AccessRegion], indent: &str) -> String {
    let rows: Vec<Vec<String>> = extents.iter().map(cells).collect();
    let table = table(&["OPERATIONS", "RESOURCE", "FROM"], &rows);
    table.lines().map(|line| format!("{indent}{line}\n")).collect()
}

fn cells(extent: &AccessRegion) -> Vec<String> {
    let of = extent.resource_type;
    let mut on = names(of, extent.pattern.pattern_type, &extent.pattern.name);
    let except: Vec<String> = extent.except.iter().map(|except| names(of, except.pattern_type, &except.name)).collect();
    if !except.is_empty() {
        let _ = write!(on, " except {}", except.join(", "));
    }
    vec![operations(&extent.operations), on, from(&extent.hosts)]
}

const fn effect(effect: AccessEffect) -> &'static str {
    match effect {
        AccessEffect::Gains => "gains",
        AccessEffect::Loses => "loses",
        AccessEffect::GainsWithOthers => "gains, with what else the person holds",
        AccessEffect::LosesWithOthers => "loses, of what else the person holds",
        AccessEffect::StillBlocked => "nothing: a deny blocks it",
    }
}

fn from(hosts: &HostSet) -> String {
    if hosts.is_any() {
        return "*".into();
    }
    let list =
        |addresses: &[std::net::IpAddr]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let known = match &hosts.addresses {
        Addresses::Only(only) if only.is_empty() => String::new(),
        Addresses::Only(only) => list(only),
        Addresses::AllBut(but) if but.is_empty() => "any known host".into(),
        Addresses::AllBut(but) => format!("all but {}", list(but)),
    };
    match (known.is_empty(), hosts.unknown) {
        (true, _) => "hosts that are not known".into(),
        (false, true) => format!("{known}, and where no host is known"),
        (false, false) => known,
    }
}
