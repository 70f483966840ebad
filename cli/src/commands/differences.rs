//! Differences in access between two policies or users, as text.

use std::fmt::Write;

use gbac_analysis::{
    AccessEffect, AccessRegion, Addresses, Diff, Difference, GroupChange, GroupEffect, HostSet,
    NameEffect, Relation, Scope,
};
use gbac_engine::model::PrincipalType;
use gbac_words::phrases::list;

use super::verdicts::{names, operations};
use crate::output::plain;
use crate::process::Process;
use crate::table::{indented_table, table};

/// A summary, followed by the principals that gain and lose access.
pub(super) fn render(process: &Process, diff: &Diff) -> String {
    let mut text = summary(diff);
    let all = |differences: &[Difference]| -> Vec<Vec<String>> {
        differences.iter().flat_map(rows).collect()
    };
    let head = ["PRINCIPAL", "EFFECT", "OPERATIONS", "RESOURCE", "HOST"];
    let (principals, roles) = (all(&diff.differences), all(&diff.roles));
    if !principals.is_empty() {
        let _ = write!(text, "\n{}", table(process, &head, principals));
    }
    if !roles.is_empty() {
        let _ = write!(
            text,
            "\nFor every member of a role:\n{}",
            table(process, &head, roles)
        );
    }
    if !diff.settings.is_empty() {
        let _ = writeln!(text, "\nSettings that differ: {}", list(&diff.settings));
    }
    text.push_str(&groups(process, &diff.groups));
    if !diff.users.is_empty() {
        let users: Vec<String> = diff
            .users
            .iter()
            .map(|user| format!("User:{}", plain(user)))
            .collect();
        let _ = writeln!(
            text,
            "\nUsers that tokens may no longer produce (depends on the tokens): {}",
            list(&users)
        );
    }
    text
}

/// How two policies differ, in one or two sentences.
pub(super) fn summary(diff: &Diff) -> String {
    let mut text = match diff.relation {
        Relation::SettingsDiffer if !diff.reads_tokens_differently() => {
            "The policies give different users or groups access to the service.\n".to_owned()
        }
        relation => sentence(relation).to_owned(),
    };
    if diff.relation == Relation::SettingsDiffer {
        let _ = write!(
            text,
            "Comparing only ACLs, roles and superusers: {}",
            sentence(diff.acl_relation)
        );
    }
    text
}

/// The summary of a comparison.
const fn sentence(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "No change in effective access.\n",
        Relation::Wider => "The new policy only adds access.\n",
        Relation::Narrower => "The new policy only removes access.\n",
        Relation::Mixed => "The new policy both grants and removes access.\n",
        Relation::SettingsDiffer => {
            "The policies read tokens differently, so the same token can produce another identity.\n"
        }
    }
}

/// The effect of changed settings on the groups that the policies name.
fn groups(process: &Process, changes: &[GroupChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let named = |groups: &[String], kind: &str| -> String {
        list(
            &groups
                .iter()
                .map(|name| format!("{kind}:{}", plain(name)))
                .collect::<Vec<_>>(),
        )
    };
    let row = |change: &GroupChange| {
        let group = |name: &Option<String>| {
            name.as_ref()
                .map_or_else(|| "-".to_owned(), |name| format!("Group:{name}"))
        };
        let mut details = Vec::new();
        if !change.collides_with.is_empty() {
            let names: Vec<String> = change
                .collides_with
                .iter()
                .map(|name| plain(name))
                .collect();
            details.push(format!("the same group as {}", list(&names)));
        }
        for (what, roles) in [
            ("joins", &change.roles_gained),
            ("leaves", &change.roles_lost),
        ] {
            if !roles.is_empty() {
                details.push(format!("{what} {}", named(roles, "Role")));
            }
        }
        vec![
            change.name.clone(),
            group_effect(change.effect).into(),
            group(&change.before),
            group(&change.after),
            details.join("; "),
        ]
    };
    let rows: Vec<Vec<String>> = changes.iter().map(row).collect();
    let mut text = format!(
        "\nGroups:\n{}",
        table(
            process,
            &["NAME", "EFFECT", "BEFORE", "AFTER", "DETAILS"],
            rows
        )
    );
    let effects = changes.iter().flat_map(|change| {
        let of = |of_name: &NameEffect| -> Vec<Vec<String>> {
            let start = vec![
                change.name.clone(),
                effect_on_members(of_name.effect).to_owned(),
            ];
            of_name
                .regions
                .iter()
                .map(|extent| [start.clone(), cells(extent)].concat())
                .collect()
        };
        change.effects.iter().flat_map(of).collect::<Vec<_>>()
    });
    let effects: Vec<Vec<String>> = effects.collect();
    if !effects.is_empty() {
        let head = ["NAME", "EFFECT", "OPERATIONS", "RESOURCE", "HOST"];
        let _ = write!(
            text,
            "\nEffects on users with these names:\n{}",
            table(process, &head, effects)
        );
    }
    text
}

const fn group_effect(effect: GroupEffect) -> &'static str {
    match effect {
        GroupEffect::Renamed => "produces another group",
        GroupEffect::Dropped => "no longer produces a group",
        GroupEffect::NotRead => "is no longer read",
        GroupEffect::Added => "now produces a group",
        GroupEffect::MoreNames => "paths that end with this name now produce it too",
        GroupEffect::FewerNames => "paths that end with this name no longer produce it",
        GroupEffect::Unknown => "unknown: groups are read from another claim",
        GroupEffect::Unchanged => "unchanged",
    }
}

/// A difference as rows: principal, effect, operations, resource, host.
pub(super) fn rows(difference: &Difference) -> Vec<Vec<String>> {
    let row = |extent: &AccessRegion| {
        let who = if difference.scope.is_everyone() {
            "everyone".into()
        } else {
            difference.scope.to_string()
        };
        [
            vec![who, effect(difference.effect, &difference.scope).into()],
            cells(extent),
        ]
        .concat()
    };
    difference.regions.iter().map(row).collect()
}

/// Access regions as a table, with every line indented.
pub(super) fn regions(process: &Process, regions: &[AccessRegion], indent: &str) -> String {
    let rows: Vec<Vec<String>> = regions.iter().map(cells).collect();
    indented_table(process, &["OPERATIONS", "RESOURCE", "HOST"], rows, indent)
}

fn cells(extent: &AccessRegion) -> Vec<String> {
    let of = extent.resource_type;
    let mut on = names(of, extent.pattern.pattern_type, &extent.pattern.name);
    let except: Vec<String> = extent
        .except
        .iter()
        .map(|except| names(of, except.pattern_type, &except.name))
        .collect();
    if !except.is_empty() {
        let _ = write!(on, " except {}", except.join(", "));
    }
    vec![operations(&extent.operations), on, hosts(&extent.hosts)]
}

fn effect(effect: AccessEffect, scope: &Scope) -> &'static str {
    let is_user = matches!(scope, Scope::One(principal) if principal.kind() == PrincipalType::User);
    match effect {
        AccessEffect::GainsWithOthers if scope.is_everyone() => {
            "users gain what a group or role allows"
        }
        AccessEffect::LosesWithOthers if scope.is_everyone() => {
            "users lose what a group or role allows"
        }
        AccessEffect::GainsWithOthers if is_user => "gains what a group allows",
        AccessEffect::LosesWithOthers if is_user => "loses what a group allows",
        effect => effect_on_members(effect),
    }
}

/// The effect on the members of a group or role.
const fn effect_on_members(effect: AccessEffect) -> &'static str {
    match effect {
        AccessEffect::Gains => "gains",
        AccessEffect::Loses => "loses",
        AccessEffect::GainsWithOthers => "members gain what other groups or roles allow",
        AccessEffect::LosesWithOthers => "members lose what other groups or roles allow",
        AccessEffect::StillBlocked => "no change: a deny blocks it",
    }
}

fn hosts(hosts: &HostSet) -> String {
    if hosts.is_any() {
        return "*".into();
    }
    let list = |hosts: &[gbac_engine::Host]| {
        hosts
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let known = match &hosts.addresses {
        Addresses::Only(only) if only.is_empty() => String::new(),
        Addresses::Only(only) => list(only),
        Addresses::AllBut(but) if but.is_empty() => "any known host".into(),
        Addresses::AllBut(but) => format!("all except {}", list(but)),
    };
    match (known.is_empty(), hosts.unknown) {
        (true, _) => "unknown hosts".into(),
        (false, true) => format!("{known}, and unknown hosts"),
        (false, false) => known,
    }
}
