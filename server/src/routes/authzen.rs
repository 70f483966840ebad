//! `/access/v1`: access evaluation for gateways (OpenID AuthZEN 1.0). Each question causes an audit event, and each subject one
//! more (D-39).

use std::collections::HashMap;
use std::ptr;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gbac_analysis::audit::{ApiActivity, Authorization, Event, User, api_activity};
use gbac_analysis::requests::expand;
use gbac_analysis::{
    check::{Check, Query, evaluate_with},
    events,
};
use gbac_api::authzen::{Configuration, Evaluated, EvaluatedAll, Evaluations, Parts, Semantic};
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::Subject;
use gbac_engine::decide::{At, Outcome, PreparedIdentity};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_json::AnswerJson;
use serde_json::{Value, json};

use super::table::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::problem::Problem;
use crate::http::problem::problem_count;
use crate::http::problem::without_secrets;
use crate::http::request_head::request_head;
use crate::http::surface::Surface;
use crate::identity::sign_in::Authenticator;
use crate::state::audit::{RequestHead, SignInMethod};
use crate::state::service::Service;

const SURFACE: Surface = Surface::Own;
/// The request ID of a gateway, which is returned unchanged.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum number of decisions of a request; an API request takes one for each resource.
const MAX_DECISIONS: usize = 10_000;
/// The maximum number of decisions times groups of their subjects: all decisions about a subject with 200 groups.
const MAX_WORK: usize = 200 * MAX_DECISIONS;
/// The maximum size in bytes of names and reasons in the responses and events of a request.
const MAX_BYTES: usize = 16 << 20;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .prefix("access", Access::Evaluate)
        .route(paths::ACCESS_EVALUATION, Access::Evaluate, post(evaluation))
        .route(paths::ACCESS_EVALUATIONS, Access::Evaluate, post(evaluations))
        .route(paths::AUTHZEN_CONFIGURATION, Access::Public, get(configuration))
}

async fn configuration(State(service): State<Service>) -> Json<Configuration> {
    let base = &service.endpoint().url;
    Json(Configuration {
        policy_decision_point: base.clone(),
        access_evaluation_endpoint: format!("{base}{}", paths::ACCESS_EVALUATION),
        access_evaluations_endpoint: format!("{base}{}", paths::ACCESS_EVALUATIONS),
    })
}

async fn evaluation(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let (head, id) = (request_head(&request), request_id(&request));
    let evaluated = async {
        let all = Evaluations { defaults: body::json(request).await?, ..Evaluations::default() };
        single(decide(&service, &authenticator, head, all).await?)
    };
    respond(evaluated.await, id)
}

async fn evaluations(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let (head, id) = (request_head(&request), request_id(&request));
    let evaluated = async {
        let all: Evaluations = body::json(request).await?;
        let is_list = all.questions().map_err(Problem::question)?.0.is_some();
        let evaluations = decide(&service, &authenticator, head, all).await?;
        if is_list { Ok(Json(EvaluatedAll { evaluations }).into_response()) } else { single(evaluations) }
    };
    respond(evaluated.await, id)
}

/// The response to a single question.
fn single(evaluations: Vec<Evaluated>) -> Result<Response, Problem> {
    let evaluated = evaluations.into_iter().next().ok_or_else(incomplete)?;
    Ok(Json(evaluated).into_response())
}

fn incomplete() -> Problem {
    Problem::new(RpcCode::Internal, "the questions could not be answered")
}

/// Answers the questions of a request and records the decisions. Only tokens are verified here, since that may fetch the
/// provider's keys; the rest runs on a thread that may block.
async fn decide(
    service: &Service,
    authenticator: &Authenticator,
    head: RequestHead,
    all: Evaluations,
) -> Result<Vec<Evaluated>, Problem> {
    let policy = service.read().policy;
    let (subjects, subject_indexes) = {
        let (distinct, subject_indexes) = distinct_subjects(&all)?;
        let mut subjects = Vec::new();
        for subject in distinct {
            subjects.push(ResolvedSubject::resolve(authenticator, &policy, subject).await);
        }
        (subjects, subject_indexes)
    };
    let this = service.clone();
    let evaluate = move || {
        // All questions of a request are evaluated at the same time.
        let at = At::seconds(this.now());
        let evaluator = Evaluator { service: &this, policy: &policy, request: &head, at, budget: Budget::default() };
        evaluator.run(&all, subjects, &subject_indexes)
    };
    let (evaluations, events) = tokio::task::spawn_blocking(evaluate).await.map_err(|_| incomplete())??;
    service.audit().decisions(events).await?;
    Ok(evaluations)
}

type ParsedQuestion<'v> = Result<Parts<'v>, Vec<DocumentFault>>;

/// The questions of a request, each merged with the defaults.
fn questions(all: &Evaluations) -> Result<(Vec<ParsedQuestion<'_>>, Semantic), Problem> {
    let (list, semantic) = all.questions().map_err(Problem::question)?;
    let questions = match list {
        Some(list) => list.iter().map(|question| all.question(question)).collect(),
        None => vec![Ok(all.defaults.parts())],
    };
    Ok((questions, semantic))
}

type DistinctSubjects<'v> = (Vec<Option<&'v Value>>, Vec<usize>);

/// The distinct subjects of the questions, and the index of the subject of each question. The first one is the default subject.
fn distinct_subjects<'v>(all: &'v Evaluations) -> Result<DistinctSubjects<'v>, Problem> {
    let common = all.defaults.subject.as_ref();
    let (mut distinct, mut indexes) = (vec![common], HashMap::from([(common, 0)]));
    let index = |question: ParsedQuestion<'v>| {
        let subject = question.ok().and_then(|parts| parts.subject);
        // The default subject may be large, so it is compared by address.
        if subject.zip(common).is_some_and(|(own, common)| ptr::eq(own, common)) {
            return 0;
        }
        *indexes.entry(subject).or_insert_with(|| {
            distinct.push(subject);
            distinct.len() - 1
        })
    };
    let indexes = questions(all)?.0.into_iter().map(index).collect();
    Ok((distinct, indexes))
}

/// The subject of questions, resolved once for all of them.
enum ResolvedSubject {
    /// A known identity.
    Known(SignInMethod, Identity),
    /// A subject that was rejected: the code and the reason.
    Rejected(SignInMethod, &'static str, String),
    /// A malformed subject.
    Malformed(Vec<DocumentFault>),
}

impl ResolvedSubject {
    async fn resolve(authenticator: &Authenticator, policy: &Policy, subject: Option<&Value>) -> Self {
        let who = match (Parts { subject, ..Parts::default() }).who() {
            Ok(who) => who,
            Err(faults) => return Self::Malformed(faults),
        };
        match &who {
            Subject::Token { token, .. } => match authenticator.resolve(token).await {
                Ok(identity) => Self::Known(SignInMethod::Token, identity),
                Err(rejected) => Self::Rejected(SignInMethod::Token, rejected.code(), rejected.to_string()),
            },
            Subject::Names { .. } | Subject::Claims { .. } | Subject::UnverifiedToken { .. } => {
                match gbac_engine::resolve(policy, &who, None) {
                    Ok(opened) => Self::Known(SignInMethod::Gateway, opened.identity),
                    Err(error) => Self::Rejected(SignInMethod::Gateway, error.code(), error.to_string()),
                }
            }
        }
    }
}

/// The subject of questions, prepared for decisions with the policy.
enum PreparedSubject {
    Known(SignInMethod, Box<PreparedIdentity>),
    Rejected(SignInMethod, &'static str, String),
    Malformed(Vec<DocumentFault>),
}

impl PreparedSubject {
    fn new(policy: &Policy, subject: ResolvedSubject) -> Self {
        match subject {
            ResolvedSubject::Known(method, identity) => {
                Self::Known(method, Box::new(PreparedIdentity::new(policy, identity)))
            }
            ResolvedSubject::Rejected(method, code, reason) => Self::Rejected(method, code, reason),
            ResolvedSubject::Malformed(faults) => Self::Malformed(faults),
        }
    }
}

/// The remaining limits of a request.
struct Budget {
    decisions: usize,
    work: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { decisions: MAX_DECISIONS, work: MAX_WORK, bytes: MAX_BYTES }
    }
}

impl Budget {
    /// Uses up the budget for decisions about a subject with this number of groups, with names of this size.
    fn spend(&mut self, decisions: usize, groups: usize, bytes: usize) -> Result<(), Problem> {
        let too_many = |reason: String| {
            let message = format!("{reason}; send fewer questions in a request");
            Problem::with_status(400, RpcCode::ResourceExhausted, "too_many_decisions", message)
        };
        let exceeded = || too_many(format!("the request needs more than {MAX_DECISIONS} decisions"));
        self.decisions = self.decisions.checked_sub(decisions).ok_or_else(exceeded)?;
        let exceeded =
            || too_many(format!("the number of decisions times the groups of their subjects is more than {MAX_WORK}"));
        self.work = self.work.checked_sub(decisions.saturating_mul(groups)).ok_or_else(exceeded)?;
        let exceeded = || too_many(format!("the names in the answers are longer than {MAX_BYTES} bytes"));
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(exceeded)?;
        Ok(())
    }

    fn spend_check(&mut self, subject: &Identity, check: &Check) -> Result<(), Problem> {
        let (mut decisions, mut bytes) = (1, subject.user().len());
        match &check.query {
            Query::Access { resource_name, .. } => bytes += resource_name.len(),
            Query::Api { api, name, resources } => {
                // The API request was validated when the question was parsed.
                let need =
                    expand(api, name, resources).map_err(|error| Problem::new(RpcCode::Internal, error.to_string()))?;
                decisions = 0;
                let _ = need.outcome(|needed| {
                    decisions += 1;
                    bytes += subject.user().len() + needed.resource_name.len();
                    Outcome::Allow
                });
            }
        }
        self.spend(decisions.max(1), subject.groups().len(), bytes)
    }

    fn spend_faults(&mut self, faults: &[DocumentFault]) -> Result<(), Problem> {
        self.spend(faults.len(), 0, faults.iter().map(|fault| fault.message.len() + fault.path.len()).sum())
    }

    /// Uses up the budget for a rejected subject: the response has the names and the reason.
    fn spend_rejected(&mut self, reason: &str, check: &Check) -> Result<(), Problem> {
        let names = match &check.query {
            Query::Access { resource_name, .. } => (1, resource_name.len()),
            Query::Api { resources, .. } => {
                let names = resources.iter().flat_map(|(_, names)| names);
                names.fold((0, 0), |(count, bytes), name| (count + 1, bytes + name.len()))
            }
        };
        self.spend(names.0.max(1), 0, names.1 + 2 * reason.len())
    }
}

/// Evaluates the questions of a request.
struct Evaluator<'r> {
    service: &'r Service,
    policy: &'r Policy,
    request: &'r RequestHead,
    /// The time of the questions, by the service's clock.
    at: At,
    budget: Budget,
}

impl Evaluator<'_> {
    fn run(
        mut self,
        all: &Evaluations,
        subjects: Vec<ResolvedSubject>,
        subject_indexes: &[usize],
    ) -> Result<(Vec<Evaluated>, Vec<Event>), Problem> {
        let (questions, semantic) = questions(all)?;
        let is_one = all.questions().is_ok_and(|(list, _)| list.is_none());
        let mut subjects: Vec<(PreparedSubject, bool)> =
            subjects.into_iter().map(|subject| (PreparedSubject::new(self.policy, subject), false)).collect();
        let (mut evaluations, mut events) = (Vec::new(), Vec::new());
        for (question, index) in questions.into_iter().zip(subject_indexes) {
            let Some((subject, is_recorded)) = subjects.get_mut(*index) else { return Err(incomplete()) };
            let answer = match check(question, subject) {
                Ok(check) => {
                    let first = !std::mem::replace(is_recorded, true);
                    self.evaluate(subject, first, &Check { at: Some(self.at), ..check }, &mut events)?
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
    ) -> Result<Evaluated, Problem> {
        let (audit, cleartext) = (self.service.audit(), self.request.is_cleartext());
        let (method, identity) = match subject {
            PreparedSubject::Known(method, identity) => (*method, identity),
            PreparedSubject::Rejected(method, code, reason) => {
                self.budget.spend_rejected(reason, check)?;
                self.service.metrics().count_decision(Outcome::Deny);
                audit_events.extend(audit.events(self.request, |context| {
                    let sign_in =
                        || events::refused_sign_in_event(context, method.protocol(), cleartext, reason, check);
                    first
                        .then(sign_in)
                        .into_iter()
                        .chain([events::refused_check_event(context, reason, check)])
                        .collect()
                }));
                return Ok(Evaluated::failed(401, code, reason, &[]));
            }
            PreparedSubject::Malformed(faults) => return self.deny_malformed(faults, audit_events),
        };
        self.budget.spend_check(identity.identity(), check)?;
        let answer = evaluate_with(self.policy, identity, check, self.at)
            .map_err(|error| Problem::new(RpcCode::Internal, error.to_string()))?;
        self.service.metrics().count_decision(answer.outcome());
        let identity = identity.identity();
        audit_events.extend(audit.events(self.request, |context| {
            let sign_in = || events::sign_in_event(context, method.protocol(), cleartext, identity, check);
            first.then(sign_in).into_iter().chain(events::decision_events(context, identity, check, &answer)).collect()
        }));
        Ok(Evaluated { decision: answer.outcome() == Outcome::Allow, context: json!(AnswerJson::from(&answer)) })
    }

    /// Denies a malformed question in a list.
    fn deny_malformed(
        &mut self,
        faults: &[DocumentFault],
        audit_events: &mut Vec<Event>,
    ) -> Result<Evaluated, Problem> {
        self.budget.spend_faults(faults)?;
        self.service.metrics().count_decision(Outcome::Deny);
        let message = format!("the question has {}", problem_count(faults));
        audit_events.extend(self.service.audit().events(self.request, |context| {
            vec![api_activity(&ApiActivity {
                context,
                user: User::default(),
                operation: "evaluation",
                authorization: Authorization::Service { outcome: Outcome::Deny, reason: &message },
                http: None,
                resources: &[],
            })]
        }));
        Ok(Evaluated::failed(400, "invalid_question", &message, &without_secrets(faults.to_vec())))
    }
}

/// The check of a question, or every problem with it and its subject.
fn check(question: ParsedQuestion<'_>, subject: &PreparedSubject) -> Result<Check, Vec<DocumentFault>> {
    let asks = question?.asks();
    match subject {
        PreparedSubject::Known(..) | PreparedSubject::Rejected(..) => asks,
        PreparedSubject::Malformed(faults) => {
            Err(faults.iter().cloned().chain(asks.err().into_iter().flatten()).collect())
        }
    }
}

fn request_id(request: &Request) -> Option<HeaderValue> {
    request.headers().get(REQUEST_ID).cloned()
}

fn respond(result: Result<Response, Problem>, id: Option<HeaderValue>) -> Response {
    let mut response = result.unwrap_or_else(|problem| problem.into_response(SURFACE));
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
