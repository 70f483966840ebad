//! The result of sending changes: a whole draft in one request, or one change after another.

use std::sync::Arc;

use gbac_api::problem::{CLUSTER_REFUSED, FieldViolation, Refusal};
use gbac_engine::policy::{Change, Policy, apply_each};
use gbac_formats::script::changes_between;
use gbac_words::pages::review::all_applied;
use gbac_words::phrases::{agree, capitalized, count};

use crate::draft::{is_done, rebased};
use crate::failure::Failure;

/// What became of one change that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendOutcome {
    /// The service made it.
    Made,
    /// It was not made, for no fault of its own.
    Kept,
    /// It was not made, and why.
    Failed(Failure),
}

/// What became of changes that were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendReport {
    /// Each change, in order.
    pub outcomes: Vec<SendOutcome>,
    /// Why nothing was made, where that is about no single change.
    pub whole: Option<Failure>,
}

impl SendReport {
    /// How many changes were made.
    pub fn made(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| **outcome == SendOutcome::Made)
            .count()
    }

    /// Changes that were not sent at all, and why.
    #[must_use]
    pub fn unsent(number: usize, failure: Failure) -> Self {
        Self {
            outcomes: vec![SendOutcome::Kept; number],
            whole: Some(failure),
        }
    }

    /// Whether the service may have made the changes, because its answer is missing.
    pub fn is_unanswered(&self) -> bool {
        self.whole.as_ref().is_some_and(Failure::is_unanswered)
    }

    /// Whether nothing was made because the credentials are missing or refused.
    pub fn is_unauthenticated(&self) -> bool {
        self.whole.as_ref().is_some_and(Failure::is_unauthenticated)
    }

    /// The result as a title and, where there is more to say, a text.
    pub fn title_and_text(&self) -> (String, Option<String>) {
        let (made, all) = (self.made(), self.outcomes.len());
        let failed = self
            .outcomes
            .iter()
            .filter(|outcome| matches!(outcome, SendOutcome::Failed(_)))
            .count();
        let title = match &self.whole {
            Some(failure) if failure.is_unanswered() => {
                "Not applied: the service did not answer".to_owned()
            }
            Some(failure) if failure.is_unauthenticated() => "Your sign-in expired".to_owned(),
            _ if made == all => all_applied(all),
            _ => format!("{made} of {} applied", count(all, "change")),
        };
        let text = match &self.whole {
            Some(failure) if failure.is_unanswered() => Some(
                "The policy was read again and does not have these changes. The draft is unchanged. You can apply it again."
                    .to_owned(),
            ),
            Some(failure) if failure.is_unauthenticated() => {
                Some("Nothing was changed. The draft is unchanged. Sign in again to apply it.".to_owned())
            }
            Some(failure) => {
                Some(format!("{}. Nothing was changed. The draft is unchanged.", capitalized(&failure.to_string())))
            }
            None if failed > 0 && made == 0 => Some(format!(
                "Nothing was changed: {} {} refused, marked below. The draft is unchanged.",
                count(failed, "change"),
                agree(failed, "was", "were")
            )),
            None if failed > 0 => Some(format!("{failed} failed. They stay in the draft with the reason.")),
            None => None,
        };
        (title, text)
    }

    /// Changes that were sent to the service in one request: all were made, or none of them was. Only
    /// a service whose ACLs live in a Kafka cluster can have made some of the ACLs.
    #[must_use]
    pub fn of_service(changes: &[Change], answer: Result<(), Failure>) -> Self {
        let mut report = Self::together(changes.len(), answer);
        if !report.outcomes.iter().any(is_refused_by_cluster) {
            return report;
        }
        for (change, outcome) in changes.iter().zip(&mut report.outcomes) {
            let is_acl = matches!(change, Change::AddAcl(_) | Change::RemoveAcl(_));
            if is_acl && *outcome == SendOutcome::Kept {
                *outcome = SendOutcome::Made;
            }
        }
        report
    }

    /// Changes that were sent together: all were made, or none of them was.
    #[must_use]
    pub fn together(number: usize, answer: Result<(), Failure>) -> Self {
        match answer {
            Ok(()) => Self {
                outcomes: vec![SendOutcome::Made; number],
                whole: None,
            },
            Err(failure) => {
                let (outcomes, is_told) = by_change(number, &failure);
                Self {
                    outcomes,
                    whole: (!is_told).then_some(failure),
                }
            }
        }
    }
}

/// Changes that were sent together and whose answer is missing. The service made all of them or
/// none (D-70).
#[derive(Debug, Clone, PartialEq)]
pub struct UnansweredChanges {
    /// The changes.
    pub changes: Vec<Change>,
    /// The policy over which they were sent.
    pub before: Arc<Policy>,
    /// When, in milliseconds since 1970.
    pub at_ms: f64,
}

impl UnansweredChanges {
    /// Whether a policy that was read later has all of them, so that the service made them.
    pub fn are_in(&self, now: &Policy) -> bool {
        let mut after = (*self.before).clone();
        apply_each(&mut after, &self.changes);
        let has = |change: &Change| match change {
            Change::CreateRole(name) => now.has_role(name),
            Change::RemoveMember { role, member } => !now.roles_of(member).any(|of| of == role),
            Change::Settings(_) => {
                rebased(after.settings(), self.before.settings(), now.settings()) == *now.settings()
            }
            change => is_done(now, change),
        };
        changes_between(&self.before, &after).iter().all(has)
    }
}

fn is_refused_by_cluster(outcome: &SendOutcome) -> bool {
    match outcome {
        SendOutcome::Failed(Failure::Refused(refusal)) => refusal.code == CLUSTER_REFUSED,
        SendOutcome::Failed(_) | SendOutcome::Made | SendOutcome::Kept => false,
    }
}

/// A refusal of changes that were sent together, assigned to the refused ones; and whether that
/// covers all of it.
fn by_change(number: usize, failure: &Failure) -> (Vec<SendOutcome>, bool) {
    let mut outcomes = vec![SendOutcome::Kept; number];
    let Failure::Refused(refusal) = failure else {
        return (outcomes, false);
    };
    let mut is_told = !refusal.fields.is_empty();
    for violation in &refusal.fields {
        let place = violation
            .field
            .strip_prefix("/changes/")
            .and_then(|rest| rest.split('/').next()?.parse().ok());
        let Some(outcome) = place.and_then(|place: usize| outcomes.get_mut(place)) else {
            is_told = false;
            continue;
        };
        let field = FieldViolation::new("", violation.description.as_str());
        match outcome {
            SendOutcome::Failed(Failure::Refused(held)) => held.fields.push(field),
            outcome => {
                *outcome = SendOutcome::Failed(Failure::Refused(Refusal {
                    fields: vec![field],
                    ..refusal.clone()
                }));
            }
        }
    }
    (outcomes, is_told)
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Operation, Principal, ResourceType};

    use super::*;

    fn refused(status: u16, fields: &[(&str, &str)]) -> Failure {
        let fields = fields
            .iter()
            .map(|(field, text)| FieldViolation::new(*field, *text))
            .collect();
        let (code, message) = (
            "invalid_changes".into(),
            "the changes have 2 problems; nothing was changed".into(),
        );
        Failure::Refused(Refusal {
            status,
            code,
            message,
            fields,
        })
    }

    #[test]
    fn a_refusal_is_told_at_the_changes_that_it_is_about() {
        let answer = refused(
            400,
            &[
                ("/changes/2/acl/principal", "no wildcard"),
                ("/changes/2/acl/host", "no range"),
            ],
        );
        let sending = SendReport::together(4, Err(answer));
        assert_eq!((sending.made(), &sending.whole), (0, &None));
        let said: Vec<String> = sending
            .outcomes
            .iter()
            .map(|outcome| match outcome {
                SendOutcome::Failed(failure) => failure.to_string(),
                outcome => format!("{outcome:?}"),
            })
            .collect();
        assert_eq!(said, ["Kept", "Kept", "no wildcard; no range", "Kept"]);
    }

    #[test]
    fn an_expired_sign_in_says_so_and_keeps_the_draft() {
        for report in [
            SendReport::together(3, Err(refused(401, &[]))),
            SendReport::unsent(3, refused(401, &[])),
        ] {
            let (title, text) = report.title_and_text();
            assert_eq!(title, "Your sign-in expired");
            assert!(
                text.unwrap()
                    .ends_with("The draft is unchanged. Sign in again to apply it.")
            );
            assert_eq!(
                report.outcomes,
                [SendOutcome::Kept, SendOutcome::Kept, SendOutcome::Kept]
            );
        }
        assert_eq!(
            SendReport::together(1, Ok(())).title_and_text(),
            ("1 change applied".to_owned(), None)
        );
        assert_eq!(
            SendReport::together(2, Err(refused(409, &[])))
                .title_and_text()
                .0,
            "0 of 2 changes applied"
        );
    }

    #[test]
    fn a_policy_says_whether_unanswered_changes_were_made() {
        let join = |group: &str| Change::AddMember {
            role: "R".into(),
            member: Principal::group(group),
        };
        let mut before = Policy::default();
        apply_each(&mut before, &[Change::CreateRole("R".into()), join("old")]);
        let mut settings = before.settings().clone();
        settings.superusers.insert("root".into());
        // The role is deleted and made anew: only the difference of both policies tells whether
        // that was done.
        let changes = vec![
            Change::DeleteRole {
                name: "R".into(),
                delete_acls: true,
            },
            Change::CreateRole("R".into()),
            join("new"),
            Change::Settings(Box::new(settings)),
        ];
        let unanswered = UnansweredChanges {
            changes: changes.clone(),
            before: Arc::new(before.clone()),
            at_ms: 0.0,
        };
        assert!(!unanswered.are_in(&before));
        let mut after = before.clone();
        apply_each(&mut after, &changes);
        assert!(unanswered.are_in(&after));
        // What others do meanwhile does not matter.
        apply_each(
            &mut after,
            &[Change::CreateRole("Theirs".into()), join("theirs")],
        );
        assert!(unanswered.are_in(&after));
        apply_each(
            &mut before,
            &[Change::CreateRole("Theirs".into()), join("new")],
        );
        assert!(!unanswered.are_in(&before), "one of several is not all");
    }

    #[test]
    fn an_answer_of_a_proxy_for_a_service_that_is_gone_is_none() {
        for failure in [
            Failure::NoAnswer("offline".into()),
            refused(502, &[]),
            refused(504, &[]),
        ] {
            let report = SendReport::together(2, Err(failure));
            assert!(report.is_unanswered());
            assert_eq!(
                report.title_and_text().0,
                "Not applied: the service did not answer"
            );
        }
        assert!(!SendReport::together(2, Err(refused(503, &[]))).is_unanswered());
    }

    #[test]
    fn what_a_cluster_applied_before_a_refusal_is_made() {
        let acl = |name: &str| {
            let user = Principal::user("ann");
            Change::AddAcl(Acl::allow(user, Operation::Read, ResourceType::Topic, name))
        };
        let changes = [
            Change::CreateRole("readers".into()),
            acl("applied"),
            acl("refused"),
        ];
        let Failure::Refused(refusal) = refused(424, &[("/changes/2", "not authorized")]) else {
            unreachable!()
        };
        let refusal = Refusal {
            code: CLUSTER_REFUSED.into(),
            ..refusal
        };
        let report = SendReport::of_service(&changes, Err(Failure::Refused(refusal)));
        assert_eq!(report.outcomes[..2], [SendOutcome::Kept, SendOutcome::Made]);
        assert_eq!(report.title_and_text().0, "1 of 3 changes applied");
    }

    #[test]
    fn what_is_about_no_change_is_told_once_and_nothing_is_made() {
        for failure in [
            refused(412, &[]),
            refused(400, &[("/changes/9/role", "there is no such place")]),
            Failure::NoAnswer("offline".into()),
        ] {
            let sending = SendReport::together(2, Err(failure.clone()));
            assert_eq!((sending.made(), sending.whole), (0, Some(failure)));
            assert_eq!(sending.outcomes, [SendOutcome::Kept, SendOutcome::Kept]);
        }
        assert_eq!(
            SendReport::together(2, Ok(())),
            SendReport {
                outcomes: vec![SendOutcome::Made; 2],
                whole: None
            }
        );
    }
}
