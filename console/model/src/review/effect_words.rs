//! An effect in sentences: who gains and loses what, and on how much.

use std::collections::BTreeSet;

use gbac_analysis::{AccessEffect, AccessRegion, Scope};
use gbac_engine::model::{Operation, PatternType, PrincipalType, ResourceType};
use gbac_words::phrases::{agree, count, list, list_up_to};
use gbac_words::rich_text::{RichText, listed};

use crate::group_changes::GroupChanges;
use crate::review::{BLOCKED, Effects, GAINS, LOSES};

/// How many operations a sentence names.
const OPERATIONS: usize = 3;
/// How many gains and losses by other settings are told, and how many names each names.
const GROUP_LINES: usize = 3;

/// The groups that something is different for; people who hold them are known to the identity
/// provider only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AffectedGroups(pub BTreeSet<String>);

impl AffectedGroups {
    /// The groups of an effect.
    #[must_use]
    pub fn from_effects(effects: &Effects) -> Self {
        let groups = effects
            .people
            .iter()
            .filter_map(|person| match &person.holder {
                Scope::One(principal) if principal.kind() == PrincipalType::Group => {
                    Some(principal.name().to_owned())
                }
                _ => None,
            });
        Self(groups.collect())
    }
}

/// One sentence for each gain or loss: `2 groups gain Write on 3 topic patterns.` Members stand for
/// their roles.
#[must_use]
pub fn effect_words(effects: &Effects) -> Vec<RichText> {
    let kinds = [
        (GAINS, ["gains", "gain"]),
        (LOSES, ["loses", "lose"]),
        (BLOCKED, ["stays denied", "stay denied"]),
    ];
    let sentences = kinds
        .into_iter()
        .filter_map(|(kind, verbs)| sentence(effects, kind, verbs));
    let all: Vec<RichText> = sentences.collect();
    if all.is_empty() {
        vec!["No known user or group gains or loses access.".into()]
    } else {
        all
    }
}

fn sentence(effects: &Effects, kind: &[AccessEffect], verbs: [&str; 2]) -> Option<RichText> {
    let (mut groups, mut users, mut everyone) = (0, 0, false);
    let mut regions: Vec<&AccessRegion> = Vec::new();
    for person in effects
        .people
        .iter()
        .filter(|person| !person.is_role() && person.operations(kind) > 0)
    {
        match &person.holder {
            Scope::Everyone => everyone = true,
            Scope::One(principal) if principal.kind() == PrincipalType::Group => groups += 1,
            Scope::One(_) => users += 1,
        }
        regions.extend(
            person
                .lines
                .iter()
                .filter(|line| kind.contains(&line.effect))
                .map(|line| &line.extent),
        );
    }
    let mut who: Vec<String> = Vec::new();
    who.extend(everyone.then(|| "Everyone".to_owned()));
    who.extend((groups > 0).then(|| count(groups, "group")));
    who.extend((users > 0).then(|| count(users, "user")));
    let number = groups + users + usize::from(everyone);
    (number > 0).then(|| {
        let [one, many] = verbs;
        RichText::new()
            .text(format!("{} {} ", list(&who), agree(number, one, many)))
            .then(access(&regions))
            .text(".")
    })
}

/// What one user gains and loses, a sentence each.
#[must_use]
pub fn access_words(gains: &[AccessRegion], loses: &[AccessRegion]) -> Vec<RichText> {
    let told = |verb: &str, regions: &[AccessRegion]| {
        let regions: Vec<&AccessRegion> = regions.iter().collect();
        (!regions.is_empty()).then(|| {
            RichText::new()
                .text(format!("1 user {verb} "))
                .then(access(&regions))
                .text(".")
        })
    };
    [told("gains", gains), told("loses", loses)]
        .into_iter()
        .flatten()
        .collect()
}

/// What other settings do to the names of the pasted token and to the groups that the policy names,
/// a sentence each.
#[must_use]
pub fn group_change_words(changes: &GroupChanges) -> Vec<RichText> {
    // What the same names gain for the same reason is one sentence.
    let mut told: Vec<(AccessEffect, Vec<String>, RichText, Vec<AccessRegion>)> = Vec::new();
    for line in changes.lines() {
        let key = (line.effect, &line.names, &line.because);
        match told
            .iter_mut()
            .find(|(effect, names, because, _)| (*effect, names, because) == key)
        {
            Some((.., regions)) => regions.push(line.extent),
            None => told.push((line.effect, line.names, line.because, vec![line.extent])),
        }
    }
    let more = told.len().saturating_sub(GROUP_LINES);
    let mut words: Vec<RichText> = Vec::new();
    for (effect, names, because, regions) in told.into_iter().take(GROUP_LINES) {
        let [one, many] = match effect {
            AccessEffect::Gains => ["gains", "gain"],
            AccessEffect::GainsWithOthers => ["can gain", "can gain"],
            AccessEffect::Loses => ["loses", "lose"],
            AccessEffect::LosesWithOthers => ["can lose", "can lose"],
            AccessEffect::StillBlocked => ["stays denied", "stay denied"],
        };
        let number = names.len();
        let regions: Vec<&AccessRegion> = regions.iter().collect();
        words.push(
            listed(
                names
                    .into_iter()
                    .map(|name| RichText::new().code(name))
                    .collect(),
                GROUP_LINES,
            )
            .text(format!(" {} ", agree(number, one, many)))
            .then(access(&regions))
            .text(format!(": {}", agree(number, "", "each ")))
            .then(because)
            .text("."),
        );
    }
    if words.is_empty() {
        words.push("No known name gains or loses access.".into());
    }
    if more > 0 {
        words.push(format!("{} in the review.", count(more, "more effect")).into());
    }
    let numbers = [
        (
            changes.dropped(),
            "name no longer produces a group.",
            "names no longer produce a group.",
        ),
        (
            changes.unknown(),
            "known group may no longer be in tokens.",
            "known groups may no longer be in tokens.",
        ),
    ];
    let numbers = numbers.into_iter().filter(|(number, ..)| *number > 0);
    words.extend(
        numbers.map(|(number, one, many)| format!("{number} {}", agree(number, one, many)).into()),
    );
    words
}

/// `Write on 3 topic patterns`; one pattern is named.
fn access(regions: &[&AccessRegion]) -> RichText {
    let held: BTreeSet<Operation> = regions
        .iter()
        .flat_map(|region| region.operations.iter().copied())
        .collect();
    let labels: Vec<&str> = Operation::ALL
        .iter()
        .filter(|of| held.contains(of))
        .map(|of| of.spelling().label)
        .collect();
    let words = RichText::new().text(format!("{} on ", list_up_to(&labels, OPERATIONS)));
    let places: BTreeSet<(ResourceType, PatternType, &str)> = regions
        .iter()
        .map(|region| {
            (
                region.resource_type,
                region.pattern.pattern_type,
                region.pattern.name.as_str(),
            )
        })
        .collect();
    if let [(resource_type, pattern_type, name)] = places.iter().copied().collect::<Vec<_>>()[..] {
        let is_nameless = matches!(
            resource_type,
            ResourceType::Cluster | ResourceType::Registry
        );
        return match is_nameless {
            true => words.text(format!("the {}", resource_type.noun())),
            false => words
                .text(format!("{} ", resource_type.noun()))
                .pattern(name, pattern_type),
        };
    }
    let of_type = |resource_type: &ResourceType| -> Option<String> {
        let of: Vec<_> = places
            .iter()
            .filter(|(of, ..)| of == resource_type)
            .collect();
        let noun = resource_type.noun();
        let is_name = |(_, pattern_type, name): &&&(ResourceType, PatternType, &str)| {
            *pattern_type == PatternType::Literal && *name != "*"
        };
        match (of.len(), resource_type) {
            (0, _) => None,
            (_, ResourceType::Cluster | ResourceType::Registry) => Some(format!("the {noun}")),
            (number, _) if of.iter().all(|place| is_name(&place)) => Some(count(number, noun)),
            (number, _) => Some(count(number, &format!("{noun} pattern"))),
        }
    };
    let all: Vec<String> = ResourceType::ALL.iter().filter_map(of_type).collect();
    words.text(list(&all))
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Host, Permission, Principal};
    use gbac_engine::policy::{Change, Policy};

    use super::*;
    use crate::review::effects_of;

    fn acl(principal: &str, name: &str, permission: Permission) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: if name.ends_with('-') {
                PatternType::Prefixed
            } else {
                PatternType::Literal
            },
            principal: Principal::parse(principal).unwrap(),
            host: Host::Any,
            operation: Operation::Write,
            permission,
        }
    }

    fn told(start: &[Change], changes: &[Change]) -> Vec<String> {
        let mut policy = Policy::default();
        for change in start {
            policy.apply(change.clone()).unwrap();
        }
        effect_words(&effects_of(&policy, changes))
            .iter()
            .map(RichText::plain)
            .collect()
    }

    #[test]
    fn who_gains_and_loses_what_is_told_with_numbers() {
        use Permission::{Allow, Deny};
        let join = |member: &str| Change::AddMember {
            role: "R".into(),
            member: Principal::parse(member).unwrap(),
        };
        let start = [
            Change::CreateRole("R".into()),
            join("Group:a"),
            Change::AddAcl(acl("Role:R", "x-", Allow)),
            Change::AddAcl(acl("Role:R", "y-", Allow)),
            Change::AddAcl(acl("Group:blocked", "x-", Deny)),
        ];
        assert_eq!(
            told(
                &start,
                &[join("Group:b"), join("Group:c"), join("User:maya")]
            ),
            ["2 groups and 1 user gain Write and Describe on 2 topic patterns."]
        );
        assert_eq!(
            told(&start, &[Change::AddAcl(acl("Role:R", "z", Allow))]),
            ["1 group gains Write and Describe on topic z literal."]
        );
        let leave = Change::RemoveMember {
            role: "R".into(),
            member: Principal::group("a"),
        };
        assert_eq!(
            told(&start, &[leave]),
            ["1 group loses Write and Describe on 2 topic patterns."]
        );
        let blocked = told(&start, &[join("Group:blocked")]);
        assert_eq!(blocked.len(), 2, "{blocked:?}");
        assert_eq!(
            blocked[1],
            "1 group stays denied Write on topic x- prefixed."
        );
        let names = ["m", "n"].map(|name| Change::AddAcl(acl("User:*", name, Allow)));
        assert_eq!(
            told(&start, &names),
            ["Everyone gains Write and Describe on 2 topics."]
        );
        assert_eq!(
            told(&start, &[join("Group:a")]),
            ["No known user or group gains or loses access."]
        );
    }
}
