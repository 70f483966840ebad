//! Names that become one group, and what each of them gains by the others.

use gbac_engine::analyze::{Collision, Extent, Merging, collisions, compare};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;

/// One group that several names become.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The group and its names.
    pub collision: Collision,
    /// What somebody gains by it who is in one of the names only: the name, and what.
    pub gains: Vec<(String, Vec<Extent>)>,
}

/// What becomes one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Under this behaviour.
    pub nested: NestedGroupBehavior,
    /// The collisions, those of names in the token first.
    pub rows: Vec<Row>,
    /// How many more there are.
    pub more: usize,
    /// How many known groups were looked at.
    pub known: usize,
}

/// How many collisions are told: what each gains is compared, and that takes a look at the whole policy.
const SHOWN: usize = 20;
/// How many names of a collision are compared.
const COMPARED: usize = 5;

/// Finds what becomes one group under a behaviour, in a token and over all groups that the policy names.
#[must_use]
pub fn found(policy: &Policy, nested: NestedGroupBehavior, in_token: &[&str]) -> Found {
    let mut all = collisions(policy, nested, in_token);
    let is_in_token = |collision: &Collision| collision.names.iter().any(|name| name.in_token);
    all.sort_by_key(|collision| !is_in_token(collision));
    let known = policy.known_principals().filter(|principal| principal.kind() == PrincipalType::Group).count();
    let more = all.len().saturating_sub(SHOWN);
    let nobody = stranger(policy);
    let rows = all.into_iter().take(SHOWN).map(|collision| row(policy, &nobody, collision)).collect();
    Found { nested, rows, more, known }
}

fn row(policy: &Policy, nobody: &str, collision: Collision) -> Row {
    let others = collision.names.iter().filter(|name| name.name != collision.group).take(COMPARED);
    let gains = others
        .map(|name| {
            let alone = Identity::new(nobody, [name.name.as_str()]);
            // What the comma takes apart is what every part gives.
            let then = match collision.merging {
                Merging::Suffix => Identity::new(nobody, [collision.group.as_str()]),
                Merging::Comma => Identity::new(nobody, [name.name.as_str(), collision.group.as_str()]),
            };
            (name.name.clone(), compare((policy, &alone), (policy, &then)).gains)
        })
        .collect();
    Row { collision, gains }
}

/// A user that the policy does not know, so that only the group counts.
fn stranger(policy: &Policy) -> String {
    let mut name = "someone".to_owned();
    let knows = |name: &str| {
        let user = Principal::user(name);
        policy.settings().superusers.contains(name) || policy.known_principals().any(|known| *known == user)
    };
    while knows(&name) {
        name.push('-');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::super::tests::policy;
    use super::*;

    #[test]
    fn what_a_merged_name_gains_is_told_those_of_the_token_first() {
        let found =
            found(&policy(), NestedGroupBehavior::Suffix, &["/eng/payments", "/contractors/payments", "/a/Payments"]);
        let groups: Vec<&str> = found.rows.iter().map(|row| row.collision.group.as_str()).collect();
        assert_eq!(groups, ["Payments", "payments"]);
        let row = &found.rows[1];
        let names: Vec<(&str, bool, bool)> =
            row.collision.names.iter().map(|name| (name.name.as_str(), name.in_token, name.known)).collect();
        assert_eq!(
            names,
            [("/contractors/payments", true, false), ("/eng/payments", true, false), ("payments", false, true)]
        );
        assert_eq!(row.gains.len(), 2);
        for (_, gains) in &row.gains {
            assert_eq!(gains[0].pattern.name, "payments-");
        }
        assert!(found.known >= 3 && found.more == 0);
    }

    #[test]
    fn a_comma_takes_a_name_apart() {
        let found = found(&policy(), NestedGroupBehavior::None, &["payments,ops"]);
        assert_eq!(found.rows.len(), 1);
        assert_eq!(found.rows[0].collision.merging, Merging::Comma);
        assert_eq!(found.rows[0].gains[0].0, "payments,ops");
        assert!(!found.rows[0].gains[0].1.is_empty());
    }

    #[test]
    fn nobody_is_a_user_of_the_policy() {
        assert_eq!(stranger(&policy()), "someone");
    }
}
