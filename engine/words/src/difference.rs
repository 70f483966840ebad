//! Differences in access: between policies, and of principals.

use gbac_analysis::{Diff, Relation};
use gbac_engine::model::Principal;

use crate::common::NO_CHANGE_IN_ACCESS;
use crate::rich_text::{RichText, listed};

/// What two compared policies are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyPair {
    /// An old policy and a new one.
    BeforeAfter,
    /// The policies of two clusters, FROM and TO.
    FromTo,
}

/// How two policies differ, in one or two sentences.
pub fn sentence(diff: &Diff, pair: PolicyPair) -> String {
    match diff.relation {
        Relation::SettingsDiffer => {
            let settings = match diff.reads_tokens_differently() {
                true => relation(Relation::SettingsDiffer, pair),
                false => "The policies give different users or groups access to the service.",
            };
            let acls = relation(diff.acl_relation, pair);
            format!("{settings} Comparing only ACLs, roles and superusers: {acls}")
        }
        other => relation(other, pair).to_owned(),
    }
}

/// How the second of two policies differs from the first one.
const fn relation(relation: Relation, pair: PolicyPair) -> &'static str {
    match (relation, pair) {
        (Relation::Equal, PolicyPair::BeforeAfter) => NO_CHANGE_IN_ACCESS,
        (Relation::Equal, PolicyPair::FromTo) => "No difference in effective access.",
        (Relation::Wider, PolicyPair::BeforeAfter) => "The new policy only adds access.",
        (Relation::Wider, PolicyPair::FromTo) => "TO allows all that FROM allows, and more.",
        (Relation::Narrower, PolicyPair::BeforeAfter) => "The new policy only removes access.",
        (Relation::Narrower, PolicyPair::FromTo) => "FROM allows all that TO allows, and more.",
        (Relation::Mixed, PolicyPair::BeforeAfter) => {
            "The new policy both grants and removes access."
        }
        (Relation::Mixed, PolicyPair::FromTo) => {
            "FROM and TO each allow something that the other does not."
        }
        (Relation::SettingsDiffer, _) => {
            "The policies read tokens differently, so the same token can produce another identity."
        }
    }
}

/// The users that tokens may no longer produce.
pub fn lost_users(users: &[String]) -> RichText {
    let users = users.iter();
    let users = users.map(|user| RichText::new().principal(&Principal::user(user)));
    RichText::from("Users that tokens may no longer produce (depends on the tokens): ")
        .then(listed(users.collect(), usize::MAX))
}
