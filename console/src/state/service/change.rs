//! Changes on their way: a whole draft in one request, or one after another where a cluster has no such request.

use gbac_api::problem::{FieldViolation, Refusal};
use gbac_engine::policy::{Change, Policy, Settings};
use leptos::prelude::*;

use super::{Failure, Service};
use crate::backend;

/// What became of one change that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The service made it.
    Made,
    /// It was not made, for no fault of its own.
    Kept,
    /// It was not made, and why.
    Failed(Failure),
}

/// What became of changes that were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    /// Each change, in order.
    pub outcomes: Vec<Outcome>,
    /// Why nothing was made, where that is about no single change.
    pub whole: Option<Failure>,
}

impl Sending {
    /// How many changes were made.
    #[must_use]
    pub fn made(&self) -> usize {
        self.outcomes.iter().filter(|outcome| **outcome == Outcome::Made).count()
    }

    /// Changes that were not sent at all, and why.
    #[must_use]
    pub fn unsent(number: usize, reason: &str) -> Self {
        let outcomes = vec![Outcome::Kept; number];
        Self { outcomes, whole: Some(Failure::impossible("not_sent", reason)) }
    }

    /// Changes that were sent together: all were made, or none of them was.
    fn together(number: usize, answer: Result<(), Failure>) -> Self {
        match answer {
            Ok(()) => Self { outcomes: vec![Outcome::Made; number], whole: None },
            Err(failure) => {
                let (outcomes, is_told) = by_change(number, &failure);
                Self { outcomes, whole: (!is_told).then_some(failure) }
            }
        }
    }
}

/// A refusal of changes that were sent together, at those that it is about; and whether that says all of it.
fn by_change(number: usize, failure: &Failure) -> (Vec<Outcome>, bool) {
    let mut outcomes = vec![Outcome::Kept; number];
    let Failure::Refused(refusal) = failure else { return (outcomes, false) };
    let mut is_told = !refusal.fields.is_empty();
    for violation in &refusal.fields {
        let place = violation.field.strip_prefix("/changes/").and_then(|rest| rest.split('/').next()?.parse().ok());
        let Some(outcome) = place.and_then(|place: usize| outcomes.get_mut(place)) else {
            is_told = false;
            continue;
        };
        let field = FieldViolation::new("", violation.description.as_str());
        match outcome {
            Outcome::Failed(Failure::Refused(held)) => held.fields.push(field),
            outcome => *outcome = Outcome::Failed(Failure::Refused(Refusal { fields: vec![field], ..refusal.clone() })),
        }
    }
    (outcomes, is_told)
}

impl Service {
    /// Applies changes and says of each how it went, then reads the service again.
    ///
    /// The service itself takes them in one request, over the state that was read last: all of them or none, and none
    /// when the state is another one by now ([`Failure::is_changed`]). A cluster behind it has no such request: there
    /// they go one after the other, and go on after one that failed.
    pub async fn apply(self, changes: &[Change]) -> Sending {
        let target = self.target();
        let sending = if target.is_own {
            let read = self.held.policy.get_untracked().zip(self.held.tag.get_value());
            let answer = match read {
                Some((held, tag)) => backend::apply(changes, &held, &tag, target.credentials.as_ref()).await,
                None => Err(Failure::impossible("nothing_read", "nothing was read yet; read the service first")),
            };
            Sending::together(changes.len(), answer)
        } else {
            let mut held = self.settings();
            let mut outcomes = Vec::with_capacity(changes.len());
            for change in changes {
                let answer = backend::send(change, &held, &target).await;
                if let (Ok(()), Change::Settings(settings)) = (&answer, change) {
                    held = (**settings).clone();
                }
                outcomes.push(answer.map_or_else(Outcome::Failed, |()| Outcome::Made));
            }
            Sending { outcomes, whole: None }
        };
        // After a failure too: the service may have done it, and the answer got lost.
        self.read().await;
        sending
    }

    /// The settings that were read.
    fn settings(self) -> Settings {
        let settings =
            |policy: &Option<std::sync::Arc<Policy>>| policy.as_ref().map(|policy| policy.settings().clone());
        self.held.policy.with_untracked(settings).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, fields: &[(&str, &str)]) -> Failure {
        let fields = fields.iter().map(|(field, text)| FieldViolation::new(*field, *text)).collect();
        let (code, message) = ("invalid_changes".into(), "the changes have 2 problems; nothing was changed".into());
        Failure::Refused(Refusal { status, code, message, fields })
    }

    #[test]
    fn a_refusal_is_told_at_the_changes_that_it_is_about() {
        let answer = refused(400, &[("/changes/2/acl/principal", "no wildcard"), ("/changes/2/acl/host", "no range")]);
        let sending = Sending::together(4, Err(answer));
        assert_eq!((sending.made(), &sending.whole), (0, &None));
        let said: Vec<String> = sending
            .outcomes
            .iter()
            .map(|outcome| match outcome {
                Outcome::Failed(failure) => failure.to_string(),
                outcome => format!("{outcome:?}"),
            })
            .collect();
        assert_eq!(said, ["Kept", "Kept", "no wildcard; no range", "Kept"]);
    }

    #[test]
    fn what_is_about_no_change_is_told_once_and_nothing_is_made() {
        for failure in [
            refused(412, &[]),
            refused(400, &[("/changes/9/role", "there is no such place")]),
            Failure::NoAnswer("offline".into()),
        ] {
            let sending = Sending::together(2, Err(failure.clone()));
            assert_eq!((sending.made(), sending.whole), (0, Some(failure)));
            assert_eq!(sending.outcomes, [Outcome::Kept, Outcome::Kept]);
        }
        assert_eq!(Sending::together(2, Ok(())), Sending { outcomes: vec![Outcome::Made; 2], whole: None });
    }
}
