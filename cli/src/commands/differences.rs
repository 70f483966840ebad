//! Differences in access between two policies or users, as text.

use std::fmt::Write;

use gbac_analysis::{AccessRegion, Diff, Difference, GroupChange};
use gbac_words::phrases::list;
use gbac_words::{difference, effect, group_change, hosts};

use super::verdicts::{names, operations};
use crate::output::sentence;
use crate::process::Process;
use crate::table::{indented_table, table};

/// A summary, followed by the principals that gain and lose access.
pub(super) fn render(process: &Process, diff: &Diff) -> String {
    let mut text = difference::sentence(diff) + "\n";
    let all = |differences: &[Difference]| -> Vec<Vec<String>> {
        differences.iter().flat_map(rows).collect()
    };
    let head = ["PRINCIPAL", "EFFECT", "OPERATIONS", "RESOURCE", "HOST"];
    let (principals, roles) = (all(&diff.differences), all(&diff.roles));
    if !principals.is_empty() {
        let _ = write!(text, "\n{}", table(process, &head, principals));
    }
    if !roles.is_empty() {
        let table = table(process, &head, roles);
        let _ = writeln!(text, "\nMembers of roles:");
        text.push_str(&table);
    }
    if !diff.settings.is_empty() {
        let _ = writeln!(text, "\nSettings that differ: {}", list(&diff.settings));
    }
    text.push_str(&groups(process, &diff.groups));
    if !diff.users.is_empty() {
        let users = sentence(&difference::lost_users(&diff.users));
        let _ = writeln!(text, "\n{users}");
    }
    text
}

/// The effect of changed settings on the groups that the policies name.
fn groups(process: &Process, changes: &[GroupChange]) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let group = |name: &Option<String>| {
        name.as_ref()
            .map_or_else(|| "-".to_owned(), |name| format!("Group:{name}"))
    };
    let row = |change: &GroupChange| {
        let effect = group_change::summary(change);
        let (before, after) = (group(&change.before), group(&change.after));
        vec![change.name.clone(), before, after, effect]
    };
    let rows: Vec<Vec<String>> = changes.iter().map(row).collect();
    let table_of_names = table(process, &["NAME", "BEFORE", "AFTER", "EFFECT"], rows);
    let mut text = format!("\nGroups:\n{table_of_names}");
    let mut effects = Vec::new();
    for change in changes {
        for of_name in &change.effects {
            let start = [change.name.clone(), effect::label(of_name.effect).into()];
            let rows = of_name.regions.iter();
            effects.extend(rows.map(|region| [&start[..], &cells(region)].concat()));
        }
    }
    if !effects.is_empty() {
        let head = ["NAME", "EFFECT", "OPERATIONS", "RESOURCE", "HOST"];
        let table = table(process, &head, effects);
        let _ = writeln!(text, "\nUsers with these names:");
        text.push_str(&table);
    }
    text
}

/// A difference as rows: principal, effect, operations, resource, host.
pub(super) fn rows(one: &Difference) -> Vec<Vec<String>> {
    let row = |region: &AccessRegion| {
        let who = if one.scope.is_everyone() {
            "everyone".into()
        } else {
            one.scope.to_string()
        };
        [vec![who, effect::label(one.effect).into()], cells(region)].concat()
    };
    one.regions.iter().map(row).collect()
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
    let hosts = hosts::set(&extent.hosts).map_or_else(|| "*".into(), |hosts| hosts.plain());
    vec![operations(&extent.operations), on, hosts]
}
