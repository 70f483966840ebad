//! Tests of colliding group names, compared with a search over all pairs of names.

use std::collections::BTreeSet;

use gbac_analysis::{CollisionReason, collisions};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};
use proptest::collection::btree_set;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::config;

const NAMES: &[&str] = &[
    "", "a", "b", "/a", "/x/a", "/y/a", "x/a/", "/x/b", "a,b", "/x/a,c", "c", " a", "a, b", "/",
    "b,/x/a",
];

/// The groups that a name produces, in a list and in a claim that is one string.
fn becomes(name: &str, nested: NestedGroupBehavior) -> [BTreeSet<String>; 2] {
    let last = |name: &str| match nested {
        NestedGroupBehavior::None => name.to_owned(),
        NestedGroupBehavior::Suffix => name.rsplit('/').next().unwrap_or_default().to_owned(),
    };
    [
        [last(name)].into(),
        name.split(',').map(|part| last(part.trim())).collect(),
    ]
}

proptest! {
    #![proptest_config(config(2))]

    /// Two names collide exactly if they produce the same group.
    #[test]
    fn names_collide_as_pairs_do(
        known in btree_set(select(NAMES), 0..6),
        token in btree_set(select(NAMES), 0..6),
        nested in select(NestedGroupBehavior::ALL),
    ) {
        let mut policy = Policy::default();
        policy.apply(Change::CreateRole("r".into())).unwrap();
        for name in known.iter().filter(|name| !name.is_empty()) {
            policy.apply(Change::AddMember { role: "r".into(), member: Principal::group(*name) }).unwrap();
        }
        let token: Vec<&str> = token.into_iter().collect();
        let found = collisions(&policy, nested, &token);
        let all: BTreeSet<&str> = known.iter().chain(&token).copied().filter(|name| !name.is_empty()).collect();
        let mut pairs = BTreeSet::new();
        for one in &all {
            for other in all.iter().filter(|other| one < *other) {
                for (reason, place) in [(CollisionReason::Suffix, 0), (CollisionReason::Comma, 1)] {
                    let [ones, others] = [one, other].map(|name| becomes(name, nested)[place].clone());
                    let cut = reason == CollisionReason::Suffix;
                    for group in ones.intersection(&others).filter(|group| !group.is_empty()) {
                        // Two names without a comma do not collide through commas, unless a third
                        // name does.
                        let third = all.iter().any(|name| name.contains(',') && becomes(name, nested)[1].contains(group));
                        if cut || third {
                            pairs.insert((group.clone(), reason, *one, *other));
                        }
                    }
                }
            }
        }
        let mut told = BTreeSet::new();
        for collision in &found {
            for (place, one) in collision.names.iter().enumerate() {
                prop_assert_eq!(one.in_token, token.contains(&one.name.as_str()));
                prop_assert_eq!(one.named_by_policy, known.contains(one.name.as_str()));
                for other in collision.names.iter().skip(place + 1) {
                    told.insert((collision.group.clone(), collision.reason, one.name.as_str(), other.name.as_str()));
                }
            }
        }
        prop_assert_eq!(told, pairs);
    }
}
