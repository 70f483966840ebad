//! What no change makes equal in two policies.

use gbac_analysis::LeftDifferent;
use gbac_engine::model::Principal;

use crate::change;
use crate::rich_text::RichText;

/// The head of a list of what still differs after the changes of a policy.
pub fn remain(to: &str) -> String {
    format!("These differences remain in {to}:")
}

/// What still differs, and why: without a period. The names are those of the policy to follow and of
/// the one that changes.
///
/// ```
/// use gbac_analysis::LeftDifferent;
/// let left = gbac_words::convergence::left(&LeftDifferent::Setting("superusers"), ["A", "B"]);
/// assert_eq!(left.plain(), "the setting superusers: A does not state it, so B keeps its own");
/// ```
pub fn left(left: &LeftDifferent, [from, to]: [&str; 2]) -> RichText {
    match left {
        LeftDifferent::Refused(of, error) => change::sentence(of)
            .text(": ")
            .then(RichText::message(&error.to_string())),
        LeftDifferent::RoleOfPlatform(name) => RichText::new()
            .principal(&Principal::role(name))
            .text(": the platform owns roles whose names begin with `__`, so they never change"),
        LeftDifferent::Setting(name) => {
            let why = match *name {
                "dialect" | "kafka_version" => {
                    "it belongs to the system of each cluster".to_owned()
                }
                _ => format!("{from} does not state it, so {to} keeps its own"),
            };
            RichText::from("the setting ")
                .code(*name)
                .text(format!(": {why}"))
        }
    }
}
