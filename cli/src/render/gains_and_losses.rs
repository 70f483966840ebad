//! Who gains and who loses access between two policies or users, as text.

use std::fmt::Write;

use gbac_analysis::{AccessEffect, AccessRegion, Diff, Difference, GroupChange};
use gbac_words::difference::{self, PolicyPair};
use gbac_words::phrases::list;
use gbac_words::{effect, group_change, hosts};

use super::table::{indented_table, table};
use super::verdicts::{names, operations};
use crate::output::sentence;
use crate::process::Process;

/// A summary, followed by the principals that gain and lose access.
pub(crate) fn render(process: &Process, diff: &Diff) -> String {
    render_pair(process, diff, PolicyPair::BeforeAfter)
}

/// Like [`render`], in the words for a pair of policies.
pub(crate) fn render_pair(process: &Process, diff: &Diff, pair: PolicyPair) -> String {
    let mut text = difference::sentence(diff, pair) + "\n";
    let head = ["PRINCIPAL", "EFFECT", "OPERATIONS", "RESOURCE", "HOST"];
    let (principals, roles) = (
        all_rows(&diff.differences, pair),
        all_rows(&diff.roles, pair),
    );
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
    text.push_str(&groups(process, &diff.groups, pair));
    if !diff.users.is_empty() {
        let users = sentence(&difference::lost_users(&diff.users));
        let _ = writeln!(text, "\n{users}");
    }
    text
}

/// The effect of changed settings on the groups that the policies name.
fn groups(process: &Process, changes: &[GroupChange], pair: PolicyPair) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let mut rows = Vec::new();
    for change in changes {
        rows.push(vec![
            change.name.clone(),
            group(change.before.as_deref()),
            group(change.after.as_deref()),
            group_change::summary(change),
        ]);
    }
    let head = match pair {
        PolicyPair::BeforeAfter => ["NAME", "BEFORE", "AFTER", "EFFECT"],
        PolicyPair::FromTo => ["NAME", "IN FROM", "IN TO", "EFFECT"],
    };
    let table_of_names = table(process, &head, rows);
    let mut text = format!("\nGroups:\n{table_of_names}");
    let mut effects = Vec::new();
    for change in changes {
        for of_name in &change.effects {
            let start = [change.name.clone(), label(of_name.effect, pair).into()];
            for region in &of_name.regions {
                effects.push([&start[..], &cells(region)].concat());
            }
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

fn group(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("Group:{name}"),
        None => "-".to_owned(),
    }
}

const fn label(of: AccessEffect, pair: PolicyPair) -> &'static str {
    match pair {
        PolicyPair::BeforeAfter => effect::label(of),
        PolicyPair::FromTo => effect::side(of),
    }
}

fn all_rows(differences: &[Difference], pair: PolicyPair) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for one in differences {
        all.extend(rows(one, pair));
    }
    all
}

/// A difference as rows: principal, effect, operations, resource, host.
pub(crate) fn rows(one: &Difference, pair: PolicyPair) -> Vec<Vec<String>> {
    let who = if one.scope.is_everyone() {
        "everyone".to_owned()
    } else {
        one.scope.to_string()
    };
    let start = [who, label(one.effect, pair).to_owned()];
    let mut rows = Vec::new();
    for region in &one.regions {
        rows.push([&start[..], &cells(region)].concat());
    }
    rows
}

/// Access regions as a table, with every line indented.
pub(crate) fn regions(process: &Process, regions: &[AccessRegion], indent: &str) -> String {
    let rows: Vec<Vec<String>> = regions.iter().map(cells).collect();
    indented_table(process, &["OPERATIONS", "RESOURCE", "HOST"], rows, indent)
}

fn cells(extent: &AccessRegion) -> Vec<String> {
    let of = extent.resource_type;
    let mut on = names(of, extent.pattern.pattern_type, &extent.pattern.name);
    let mut except = Vec::new();
    for pattern in &extent.except {
        except.push(names(of, pattern.pattern_type, &pattern.name));
    }
    if !except.is_empty() {
        let _ = write!(on, " except {}", except.join(", "));
    }
    let hosts = match hosts::set(&extent.hosts) {
        Some(hosts) => hosts.plain(),
        None => "*".to_owned(),
    };
    vec![operations(&extent.operations), on, hosts]
}
