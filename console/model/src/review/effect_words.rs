//! An effect in sentences: who gains and loses what, and on how much.

use std::collections::BTreeSet;

use gbac_analysis::{AccessEffect, AccessRegion, Scope};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_words::effect;
use gbac_words::group_change;
use gbac_words::rich_text::RichText;

use crate::group_changes::GroupChanges;
use crate::review::{BLOCKED, Effects, GAINS, LOSES};

/// How many gains and losses by other settings are told.
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

/// One sentence for each gain or loss. Members stand for their roles.
pub fn effect_words(effects: &Effects) -> Vec<RichText> {
    let kinds = [
        (GAINS, AccessEffect::Gains),
        (LOSES, AccessEffect::Loses),
        (BLOCKED, AccessEffect::StillDenied),
    ];
    let sentences = kinds
        .into_iter()
        .filter_map(|(kind, effect)| sentence(effects, kind, effect));
    let all: Vec<RichText> = sentences.collect();
    if all.is_empty() {
        vec![effect::NOBODY.into()]
    } else {
        all
    }
}

fn sentence(effects: &Effects, kind: &[AccessEffect], effect: AccessEffect) -> Option<RichText> {
    let mut on: Vec<&Scope> = Vec::new();
    let mut regions: Vec<&AccessRegion> = Vec::new();
    for person in &effects.people {
        if person.is_role() || person.operations(kind) == 0 {
            continue;
        }
        on.push(&person.holder);
        for line in &person.lines {
            if kind.contains(&line.effect) {
                regions.push(&line.extent);
            }
        }
    }
    (!on.is_empty()).then(|| effect::sentence(&on, effect, &regions))
}

/// What one user gains and loses, a sentence each.
pub fn access_words(
    user: &Principal,
    gains: &[AccessRegion],
    loses: &[AccessRegion],
) -> Vec<RichText> {
    let user = Scope::One(user.clone());
    let mut words = Vec::new();
    for (effect, regions) in [(AccessEffect::Gains, gains), (AccessEffect::Loses, loses)] {
        if !regions.is_empty() {
            let regions: Vec<&AccessRegion> = regions.iter().collect();
            words.push(effect::sentence(&[&user], effect, &regions));
        }
    }
    words
}

/// What other settings do to the names of tokens and to the groups that the policy names,
/// a sentence each.
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
        let regions: Vec<&AccessRegion> = regions.iter().collect();
        words.push(effect::on_names(&names, effect, &regions, because));
    }
    if words.is_empty() {
        words.push(effect::NO_NAME.into());
    }
    if more > 0 {
        words.push(effect::more_in_review(more).into());
    }
    let numbers = [
        group_change::dropped(changes.dropped()),
        group_change::unknown(changes.unknown()),
    ];
    words.extend(
        numbers
            .into_iter()
            .flatten()
            .map(|text| format!("{text}.").into()),
    );
    words
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, ResourceType};
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
    fn who_gains_and_loses_what_is_told_with_names() {
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
            ["User:maya, Group:b and Group:c gain Write and Describe on 2 topic patterns."]
        );
        assert_eq!(
            told(&start, &[Change::AddAcl(acl("Role:R", "z", Allow))]),
            ["Group:a gains Write and Describe on topic z literal."]
        );
        let many = ["b", "c", "d", "e"].map(|group| join(&format!("Group:{group}")));
        assert_eq!(
            told(&start, &many),
            ["Group:b, Group:c, Group:d and 1 more gain Write and Describe on 2 topic patterns."]
        );
        let leave = Change::RemoveMember {
            role: "R".into(),
            member: Principal::group("a"),
        };
        assert_eq!(
            told(&start, &[leave]),
            ["Group:a loses Write and Describe on 2 topic patterns."]
        );
        let blocked = told(&start, &[join("Group:blocked")]);
        assert_eq!(blocked.len(), 2, "{blocked:?}");
        assert_eq!(
            blocked[1],
            "Group:blocked stays denied Write on topic x- prefixed."
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
