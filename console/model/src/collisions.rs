//! Collisions: names that become the same group, and the access that each of them gains.

use gbac_analysis::{CollidingName, Collision, CollisionReason, CollisionReport, collision_gains};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Policy;

/// What becomes one group.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionPanel {
    /// Under this behaviour.
    pub nested: NestedGroupBehavior,
    /// The collisions, those of names in the token first, with what each gains.
    pub merged: CollisionReport,
    /// Names in the token that become a group that the policy names, and that nothing else becomes:
    /// each with this group.
    pub matches: Vec<(String, String)>,
    /// How many known groups were looked at.
    pub known: usize,
}

/// The most collisions that are shown. Comparing the gains of each one takes a pass over the whole
/// policy.
const SHOWN: usize = 20;

/// Finds what becomes one group under a behaviour, in a token and over all groups that the policy
/// names.
pub fn collision_report(
    policy: &Policy,
    nested: NestedGroupBehavior,
    in_token: &[&str],
) -> CollisionPanel {
    let known = policy
        .known_principals()
        .filter(|principal| principal.kind() == PrincipalType::Group)
        .count();
    let mut merged = collision_gains(policy, nested, in_token, SHOWN);
    let mut matches = Vec::new();
    merged
        .collisions
        .retain(|(collision, _)| match wanted(collision) {
            Some(name) => {
                matches.push((name.to_owned(), collision.group.clone()));
                false
            }
            None => true,
        });
    CollisionPanel {
        nested,
        merged,
        matches,
        known,
    }
}

/// The one name in the token that becomes a group of the policy, which is what `suffix` is for;
/// none of a collision, where the token has several such names or the policy names them, too.
fn wanted(collision: &Collision) -> Option<&str> {
    let (own, others): (Vec<&CollidingName>, Vec<&CollidingName>) = collision
        .names
        .iter()
        .partition(|name| name.name == collision.group);
    match (own.as_slice(), others.as_slice()) {
        ([own], [other])
            if collision.reason == CollisionReason::Suffix && !own.in_token && other.in_token =>
        {
            (!other.named_by_policy).then_some(other.name.as_str())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::tests::policy;

    #[test]
    fn what_a_merged_name_gains_is_told_those_of_the_token_first() {
        let report = collision_report(
            &policy(),
            NestedGroupBehavior::Suffix,
            &["/eng/payments", "/contractors/payments", "/a/Payments"],
        );
        let groups: Vec<&str> = report
            .merged
            .collisions
            .iter()
            .map(|(collision, _)| collision.group.as_str())
            .collect();
        assert_eq!(groups, ["payments"]);
        assert_eq!(
            report.matches,
            [("/a/Payments".to_owned(), "Payments".to_owned())]
        );
        let (collision, gained) = &report.merged.collisions[0];
        let names: Vec<(&str, bool, bool)> = collision
            .names
            .iter()
            .map(|name| (name.name.as_str(), name.in_token, name.named_by_policy))
            .collect();
        assert_eq!(
            names,
            [
                ("/contractors/payments", true, false),
                ("/eng/payments", true, false),
                ("payments", false, true)
            ]
        );
        assert_eq!(gained.len(), 2);
        for gain in gained {
            assert_eq!(gain.regions[0].pattern.name, "payments-");
        }
        assert!(report.known >= 3 && report.merged.omitted == 0);
    }

    #[test]
    fn a_comma_takes_a_name_apart() {
        let report = collision_report(&policy(), NestedGroupBehavior::None, &["payments,ops"]);
        assert_eq!(report.merged.collisions.len(), 1);
        let (collision, gains) = &report.merged.collisions[0];
        assert_eq!(collision.reason, CollisionReason::Comma);
        assert_eq!(gains[0].name, "payments,ops");
        assert!(!gains[0].regions.is_empty());
        assert!(report.matches.is_empty());
    }
}
