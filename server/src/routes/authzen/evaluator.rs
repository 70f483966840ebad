//! Evaluates the questions of a request, and makes the events of their decisions.

use gbac_analysis::audit::{ApiActivity, Authorization, Event, User, api_activity};
use gbac_analysis::{
    check::{Check, evaluate_with},
    events,
};
use gbac_api::authzen::{EvaluationContext, EvaluationError, EvaluationResponse};
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::decide::{At, Outcome};
use gbac_engine::policy::Policy;

use super::batch::{Batch, ParsedQuestion};
use super::budget::Budget;
use super::subject::PreparedSubject;
use crate::http::placement::incomplete;
use crate::http::problem::{Problem, problem_count, without_secrets};
use crate::metrics::Metrics;
use crate::state::audit::{Audit, RequestHead, SignInMethod};

/// Evaluates the questions of a request.
pub(super) struct Evaluator<'r> {
    pub(super) audit: Audit<'r>,
    pub(super) metrics: &'r Metrics,
    pub(super) policy: &'r Policy,
    pub(super) request: &'r RequestHead,
    /// The time of the questions, by the service's clock.
    pub(super) at: At,
    pub(super) budget: Budget,
}

impl Evaluator<'_> {
    /// Evaluates the questions in their order, until the semantic ends the list.
    pub(super) fn run(
        mut self,
        batch: &Batch,
        subjects: Vec<PreparedSubject>,
    ) -> Result<(Vec<EvaluationResponse>, Vec<Event>), Problem> {
        let (list, semantic) = batch.questions()?;
        let is_one = list.is_none();
        let mut subjects: Vec<(PreparedSubject, bool)> = subjects
            .into_iter()
            .map(|subject| (subject, false))
            .collect();
        let (mut evaluations, mut events) = (Vec::new(), Vec::new());
        for (question, index) in batch.parts(list).zip(batch.subject_indexes()) {
            let Some((subject, is_recorded)) = subjects.get_mut(*index) else {
                return Err(incomplete());
            };
            let answer = match check(question, subject) {
                Ok(check) => {
                    let first = !std::mem::replace(is_recorded, true);
                    self.evaluate(
                        subject,
                        first,
                        &Check {
                            at: Some(self.at),
                            ..check
                        },
                        &mut events,
                    )?
                }
                Err(faults) if is_one => return Err(Problem::question(faults)),
                Err(faults) => self.deny_malformed(&faults, &mut events)?,
            };
            let ends = semantic.ends_with(&answer);
            evaluations.push(answer);
            if ends {
                break;
            }
        }
        Ok((evaluations, events))
    }

    fn evaluate(
        &mut self,
        subject: &mut PreparedSubject,
        first: bool,
        check: &Check,
        audit_events: &mut Vec<Event>,
    ) -> Result<EvaluationResponse, Problem> {
        let (method, identity) = match subject {
            PreparedSubject::Known(method, identity) => (*method, identity),
            PreparedSubject::Refused(refusal) => {
                self.deny(
                    SignInMethod::Token,
                    &refusal.message,
                    first,
                    check,
                    audit_events,
                )?;
                let context = EvaluationContext::Refused((&*refusal).into());
                return Ok(EvaluationResponse {
                    decision: false,
                    context,
                });
            }
            PreparedSubject::Rejected(code, reason) => {
                self.deny(SignInMethod::Gateway, reason, first, check, audit_events)?;
                return Ok(failed(401, code, reason.clone(), Vec::new()));
            }
            PreparedSubject::Malformed(faults) => return self.deny_malformed(faults, audit_events),
        };
        self.budget
            .spend_check(self.policy, identity.identity(), check)?;
        let answer = evaluate_with(self.policy, identity, check, self.at)
            .map_err(|error| Problem::new(RpcCode::Internal, error.to_string()))?;
        self.metrics.count_decision(answer.outcome());
        let identity = identity.identity();
        let cleartext = self.request.is_cleartext();
        audit_events.extend(self.audit.events(self.request, |context| {
            let mut made = Vec::new();
            if first {
                let protocol = method.protocol();
                made.push(events::sign_in_event(
                    context, protocol, cleartext, identity, check,
                ));
            }
            made.extend(events::decision_events(context, identity, check, &answer));
            made
        }));
        let context = EvaluationContext::Answer((&answer).into());
        Ok(EvaluationResponse {
            decision: answer.outcome() == Outcome::Allow,
            context,
        })
    }

    /// Denies a check whose subject has no identity.
    fn deny(
        &mut self,
        method: SignInMethod,
        reason: &str,
        first: bool,
        check: &Check,
        audit_events: &mut Vec<Event>,
    ) -> Result<(), Problem> {
        self.budget.spend_rejected(reason, check)?;
        self.metrics.count_decision(Outcome::Deny);
        let cleartext = self.request.is_cleartext();
        audit_events.extend(self.audit.events(self.request, |context| {
            let refused = events::refused_check_event(context, reason, check);
            if !first {
                return vec![refused];
            }
            let protocol = method.protocol();
            let sign_in =
                events::refused_sign_in_event(context, protocol, cleartext, reason, check);
            vec![sign_in, refused]
        }));
        Ok(())
    }

    /// Denies a malformed question in a list.
    fn deny_malformed(
        &mut self,
        faults: &[DocumentFault],
        audit_events: &mut Vec<Event>,
    ) -> Result<EvaluationResponse, Problem> {
        self.budget.spend_faults(faults)?;
        self.metrics.count_decision(Outcome::Deny);
        let message = format!("the question has {}", problem_count(faults));
        audit_events.extend(self.audit.events(self.request, |context| {
            vec![api_activity(&ApiActivity {
                context,
                user: User::default(),
                operation: "evaluation",
                authorization: Authorization::Service {
                    outcome: Outcome::Deny,
                    reason: &message,
                },
                http: None,
                resources: &[],
            })]
        }));
        Ok(failed(
            400,
            "invalid_question",
            message,
            without_secrets(faults),
        ))
    }
}

/// The check of a question, or every problem with it and its subject.
fn check(
    question: ParsedQuestion<'_>,
    subject: &PreparedSubject,
) -> Result<Check, Vec<DocumentFault>> {
    let asks = question?.parse_check();
    match subject {
        PreparedSubject::Known(..)
        | PreparedSubject::Refused(_)
        | PreparedSubject::Rejected(..) => asks,
        PreparedSubject::Malformed(faults) => {
            let mut faults = faults.clone();
            if let Err(more) = asks {
                faults.extend(more);
            }
            Err(faults)
        }
    }
}

fn failed(
    status: u16,
    code: &'static str,
    message: String,
    problems: Vec<DocumentFault>,
) -> EvaluationResponse {
    EvaluationResponse::failed(EvaluationError {
        status,
        code,
        message,
        problems,
    })
}
