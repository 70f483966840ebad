//! Principals that gain and lose the same, as one group.

use std::collections::BTreeMap;

use gbac_analysis::Scope;
use gbac_engine::model::PrincipalType;
use gbac_words::phrases::count;

use crate::review::effects::AffectedHolder;

/// Holders of one kind that gain and lose exactly the same.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectGroup {
    /// The holders, in order; one at least.
    pub people: Vec<AffectedHolder>,
}

impl EffectGroup {
    /// The first of them, shown for all.
    pub fn first(&self) -> Option<&AffectedHolder> {
        self.people.first()
    }

    /// Their number, such as `13 groups`; none if there is only one.
    pub fn noun(&self) -> Option<String> {
        let kind = self.first().map(|person| kind_of(&person.holder))?;
        let noun = match kind? {
            PrincipalType::User => "user",
            PrincipalType::Group => "group",
            PrincipalType::Role => "role",
            PrincipalType::Other => "principal",
        };
        (self.people.len() > 1).then(|| count(self.people.len(), noun))
    }
}

/// The type of a principal; none for everyone.
fn kind_of(holder: &Scope) -> Option<PrincipalType> {
    match holder {
        Scope::Everyone => None,
        Scope::One(principal) => Some(principal.kind()),
    }
}

/// Joins the holders that gain and lose exactly the same, each group at the place of its first.
pub fn alike(people: Vec<AffectedHolder>) -> Vec<EffectGroup> {
    let mut groups: Vec<EffectGroup> = Vec::new();
    // By a part of what has to be equal, so that not every two are compared.
    let mut by_kind: BTreeMap<(Option<PrincipalType>, Vec<String>, usize), Vec<usize>> =
        BTreeMap::new();
    for person in people {
        let key = (
            kind_of(&person.holder),
            person.roles_gained.clone(),
            person.lines.len(),
        );
        let places = by_kind.entry(key).or_default();
        let same = |place: &&usize| {
            groups
                .get(**place)
                .and_then(EffectGroup::first)
                .is_some_and(|first| {
                    (&first.roles_gained, &first.roles_lost, &first.lines)
                        == (&person.roles_gained, &person.roles_lost, &person.lines)
                })
        };
        match places
            .iter()
            .find(same)
            .copied()
            .and_then(|place| groups.get_mut(place))
        {
            Some(group) => group.people.push(person),
            None => {
                places.push(groups.len());
                groups.push(EffectGroup {
                    people: vec![person],
                });
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Principal;
    use gbac_engine::policy::Change;

    use super::*;
    use crate::review::effects::effects;
    use crate::review::effects::tests::{allow, changed, join, policy};

    #[test]
    fn identical_effects_are_told_once() {
        let groups = ["a", "b", "c"].map(|name| join("R", name));
        let mut before = policy(&[
            Change::CreateRole("R".into()),
            Change::CreateRole("S".into()),
            join("S", "d"),
        ]);
        for change in groups {
            before.apply(change).unwrap();
        }
        let changes = [
            allow("R", "x-"),
            allow("S", "x-"),
            Change::AddMember {
                role: "R".into(),
                member: Principal::user("ann"),
            },
            join("R", "late"),
        ];
        let after = changed(&before, &changes);
        let found = effects(&before, &after, &changes, &[]);
        let all = found.people.len();
        let groups = alike(found.people);
        let nouns: Vec<Option<String>> = groups.iter().map(EffectGroup::noun).collect();
        // The group that joins gains the same for another reason, a user is no group, and roles
        // come last.
        assert_eq!(
            nouns,
            [None, Some("4 groups".into()), None, Some("2 roles".into())],
            "{groups:?}"
        );
        assert_eq!(
            groups.iter().map(|group| group.people.len()).sum::<usize>(),
            all
        );
    }
}
