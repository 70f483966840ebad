//! What differs between two policies or people, in words.

use std::fmt::Write;

use gbac_engine::analyze::{Addresses, Diff, Difference, Effect, Extent, Hosts, Relation};

use super::explain::{names, operations};
use crate::output::table;

/// Who gains and loses what, and a sentence for the whole.
pub(super) fn words(diff: &Diff) -> String {
    let mut text = String::from(match diff.relation {
        Relation::Equal => "Every request of everyone is decided alike.\n",
        Relation::Wider => "The later policy allows more, and nothing less.\n",
        Relation::Narrower => "The later policy allows less, and nothing more.\n",
        Relation::Mixed => "The later policy allows more in one place and less in another.\n",
    });
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
    text
}

fn difference(difference: &Difference) -> Vec<Vec<String>> {
    let row = |extent: &Extent| {
        let who = if difference.holder.is_everyone() { "everyone".into() } else { difference.holder.to_string() };
        [vec![who, effect(difference.effect).into()], cells(extent)].concat()
    };
    difference.extents.iter().map(row).collect()
}

/// Requests, a row for each extent; `indent` stands before every line.
pub(super) fn extents(extents: &[Extent], indent: &str) -> String {
    let rows: Vec<Vec<String>> = extents.iter().map(cells).collect();
    let table = table(&["OPERATIONS", "RESOURCE", "FROM"], &rows);
    table.lines().map(|line| format!("{indent}{line}\n")).collect()
}

fn cells(extent: &Extent) -> Vec<String> {
    let of = extent.resource_type;
    let mut on = names(of, extent.pattern.pattern_type, &extent.pattern.name);
    let except: Vec<String> = extent.except.iter().map(|except| names(of, except.pattern_type, &except.name)).collect();
    if !except.is_empty() {
        let _ = write!(on, " except {}", except.join(", "));
    }
    vec![operations(&extent.operations), on, from(&extent.hosts)]
}

const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Gains => "gains",
        Effect::Loses => "loses",
        Effect::GainsWithOthers => "gains, with what else the person holds",
        Effect::LosesWithOthers => "loses, of what else the person holds",
        Effect::StillBlocked => "nothing: a deny blocks it",
    }
}

fn from(hosts: &Hosts) -> String {
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
