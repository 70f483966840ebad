//! Effects of changes in sentences: who gains and loses what, and on how much.

use std::collections::BTreeSet;

use gbac_analysis::{AccessEffect, AccessRegion, NamePattern, Scope};
use gbac_engine::model::{Operation, PatternType, ResourceType};

use crate::phrases::{agree, count, list, list_up_to};
use crate::rich_text::{RichText, listed};

/// Changes that nobody is known to be affected by.
pub const NOBODY: &str = "No known user or group gains or loses access.";
/// Settings that no name is known to be affected by.
pub const NO_NAME: &str = "No known name gains or loses access.";

/// How many operations and names a sentence names.
const NAMES: usize = 3;

/// The effect as a verb.
pub const fn verb(effect: AccessEffect, number: usize) -> &'static str {
    match effect {
        AccessEffect::Gains => agree(number, "gains", "gain"),
        AccessEffect::CanGain => "can gain",
        AccessEffect::Loses => agree(number, "loses", "lose"),
        AccessEffect::CanLose => "can lose",
        AccessEffect::StillDenied => agree(number, "stays denied", "stay denied"),
    }
}

/// The effect in a table.
pub const fn label(effect: AccessEffect) -> &'static str {
    match effect {
        AccessEffect::Gains => "Gains",
        AccessEffect::Loses => "Loses",
        AccessEffect::CanGain => "Can gain",
        AccessEffect::CanLose => "Can lose",
        AccessEffect::StillDenied => "Still denied",
    }
}

/// The effect in a table that compares two clusters, FROM and TO.
pub const fn side(effect: AccessEffect) -> &'static str {
    match effect {
        AccessEffect::Gains => "Only in TO",
        AccessEffect::Loses => "Only in FROM",
        AccessEffect::CanGain => "Denied in FROM",
        AccessEffect::CanLose => "Denied in TO",
        AccessEffect::StillDenied => "In neither",
    }
}

/// What users and groups gain or lose: `Group:a, Group:b and 2 more gain Write on 3 topic
/// patterns.`
pub fn sentence(on: &[&Scope], effect: AccessEffect, regions: &[&AccessRegion]) -> RichText {
    let mut who = Vec::new();
    for scope in on {
        who.push(match scope {
            Scope::Everyone => "Everyone".into(),
            Scope::One(principal) => RichText::new().principal(principal),
        });
    }
    listed(who, NAMES)
        .text(format!(" {} ", verb(effect, on.len())))
        .then(access(regions))
        .text(".")
}

/// What names of a token gain or lose, and why.
pub fn on_names(
    names: &[String],
    effect: AccessEffect,
    regions: &[&AccessRegion],
    reason: RichText,
) -> RichText {
    let shown = names.iter().map(|name| RichText::new().code(name));
    listed(shown.collect(), NAMES)
        .text(format!(" {} ", verb(effect, names.len())))
        .then(access(regions))
        .text(format!(": {}", agree(names.len(), "", "each ")))
        .then(reason)
        .text(".")
}

/// What one principal gains or loses by ACLs: `Loses Write on 3 topic patterns by ACLs`.
pub fn by_acls(effect: AccessEffect, regions: &[&AccessRegion]) -> RichText {
    RichText::from(format!("{} ", label(effect)))
        .then(access(regions))
        .text(" by ACLs")
}

/// Effects beyond those that are told.
pub fn more_in_review(effects: usize) -> String {
    format!("{} in the review.", count(effects, "more effect"))
}

/// `Write on 3 topic patterns`; one pattern is named.
fn access(regions: &[&AccessRegion]) -> RichText {
    let mut held: BTreeSet<Operation> = BTreeSet::new();
    let mut patterns: BTreeSet<(ResourceType, PatternType, &str)> = BTreeSet::new();
    for region in regions {
        held.extend(&region.operations);
        let pattern = &region.pattern;
        patterns.insert((region.resource_type, pattern.pattern_type, &pattern.name));
    }
    let held = Operation::ALL
        .iter()
        .filter(|operation| held.contains(operation));
    let labels: Vec<&str> = held.map(|operation| operation.spelling().label).collect();
    let words = RichText::from(format!("{} on ", list_up_to(&labels, NAMES)));
    if let [(resource_type, pattern_type, name)] = patterns.iter().copied().collect::<Vec<_>>()[..]
    {
        let noun = resource_type.noun();
        return match resource_type.has_names() {
            true if NamePattern::is_all_names(pattern_type, name) => {
                words.text(format!("every {noun}"))
            }
            true => words.text(format!("{noun} ")).pattern(name, pattern_type),
            false => words.text(format!("the {noun}")),
        };
    }
    let all: Vec<String> = ResourceType::ALL
        .iter()
        .filter_map(|resource_type| patterns_of(*resource_type, &patterns))
        .collect();
    words.text(list(&all))
}

/// The patterns of a resource type in numbers: `3 topic patterns`, `2 topics`, `every topic`, `the
/// cluster`.
fn patterns_of(
    resource_type: ResourceType,
    patterns: &BTreeSet<(ResourceType, PatternType, &str)>,
) -> Option<String> {
    let of_type = patterns.iter().filter(|(of, ..)| *of == resource_type);
    let number = of_type.clone().count();
    let noun = resource_type.noun();
    if number == 0 {
        return None;
    }
    if !resource_type.has_names() {
        return Some(format!("the {noun}"));
    }
    let mut are_names = true;
    for (_, pattern_type, name) in of_type {
        if NamePattern::is_all_names(*pattern_type, name) {
            return Some(format!("every {noun}"));
        }
        are_names &= *pattern_type == PatternType::Literal;
    }
    Some(match are_names {
        true => count(number, noun),
        false => count(number, &format!("{noun} pattern")),
    })
}
