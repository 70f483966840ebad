//! Decisions in a few words.

use gbac_engine::decide::{Outcome, Reason};

/// What was decided and why.
///
/// ```
/// use gbac_engine::decide::Reason;
/// assert_eq!(gbac_words::decision::verdict(Reason::NoMatch), "Denied, nothing allows it");
/// ```
#[must_use]
pub const fn verdict(reason: Reason) -> &'static str {
    match reason {
        Reason::AllowRule | Reason::Superuser => "Allowed",
        Reason::DenyRule => "Denied by rule",
        Reason::NoMatch => "Denied, nothing allows it",
        Reason::Expired => "Denied, the token has expired",
    }
}

/// An outcome as a word.
#[must_use]
pub const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "Allowed",
        Outcome::Deny => "Denied",
    }
}
