//! Differences in access: between policies, and of principals.

use gbac_analysis::{Diff, Relation};
use gbac_engine::model::Principal;

use crate::common::NO_CHANGE_IN_ACCESS;
use crate::rich_text::{RichText, listed};

/// How two policies differ, in one or two sentences.
pub fn sentence(diff: &Diff) -> String {
    match diff.relation {
        Relation::SettingsDiffer => {
            let settings = match diff.reads_tokens_differently() {
                true => relation(Relation::SettingsDiffer),
                false => "The policies give different users or groups access to the service.",
            };
            let acls = relation(diff.acl_relation);
            format!("{settings} Comparing only ACLs, roles and superusers: {acls}")
        }
        other => relation(other).to_owned(),
    }
}

/// How the new of two policies differs from the old one.
const fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => NO_CHANGE_IN_ACCESS,
        Relation::Wider => "The new policy only adds access.",
        Relation::Narrower => "The new policy only removes access.",
        Relation::Mixed => "The new policy both grants and removes access.",
        Relation::SettingsDiffer => {
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
