//! `/access/v1`: OpenID AuthZEN 1.0, the door through which a gateway asks. Each question leaves an audit event, and each
//! subject one more (D-39).

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
use gbac_engine::decide::{At, Outcome, PreparedIdentity};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::{Subject as Who, resolve};
use gbac_json::AnswerJson;
use serde_json::{Value, json};

use crate::access::{Access, Reads, Routes};
use crate::app::App;
use crate::audit::{Asked, Credential};
use crate::body;
use crate::fault::{Fault, Surface, without_secrets};

const SURFACE: Surface = Surface::Own;
/// What a gateway calls its request; it comes back unchanged.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// How many decisions one request may take in all; a request of the table takes one for each resource.
const DECISIONS: usize = 10_000;
/// How many decisions times groups one request may take: all its decisions about somebody with 200 groups.
const WORK: usize = 200 * DECISIONS;
/// How many bytes of names and reasons the answers and events of one request may repeat.
const BYTES: usize = 16 << 20;

pub(crate) fn routes() -> Routes {
    Routes::new()
        // A question changes nothing, whatever its method.
        .folder("access", Access::Superuser(Reads::All))
        .route(paths::ACCESS_EVALUATION, Access::Superuser(Reads::All), post(evaluation))
        .route(paths::ACCESS_EVALUATIONS, Access::Superuser(Reads::All), post(evaluations))
        .route(paths::AUTHZEN_CONFIGURATION, Access::Public, get(configuration))
}

async fn configuration(State(app): State<App>) -> Json<Configuration> {
    let base = &app.site().url;
    Json(Configuration {
        policy_decision_point: base.clone(),
        access_evaluation_endpoint: format!("{base}{}", paths::ACCESS_EVALUATION),
        access_evaluations_endpoint: format!("{base}{}", paths::ACCESS_EVALUATIONS),
    })
}

async fn evaluation(State(app): State<App>, request: Request) -> Response {
    let (asked, id) = (Asked::of(&request), request_id(&request));
    let answered = async {
        let all = Evaluations { defaults: body::json(request).await?, ..Evaluations::default() };
        one(decide(&app, asked, all).await?)
    };
    answer(answered.await, id)
}

async fn evaluations(State(app): State<App>, request: Request) -> Response {
    let (asked, id) = (Asked::of(&request), request_id(&request));
    let answered = async {
        let all: Evaluations = body::json(request).await?;
        let is_list = all.questions().map_err(Fault::question)?.0.is_some();
        let evaluations = decide(&app, asked, all).await?;
        if is_list { Ok(Json(EvaluatedAll { evaluations }).into_response()) } else { one(evaluations) }
    };
    answer(answered.await, id)
}

/// The answer to the one question of a request.
fn one(evaluations: Vec<Evaluated>) -> Result<Response, Fault> {
    let evaluated = evaluations.into_iter().next().ok_or_else(lost)?;
    Ok(Json(evaluated).into_response())
}

fn lost() -> Fault {
    Fault::new(RpcCode::Internal, "the questions have no answer")
}

/// Answers the questions of a request and records what came of them. Only tokens are looked at here, since the
/// provider's keys may have to be fetched; the rest is work for a thread that may take its time.
async fn decide(app: &App, asked: Asked, all: Evaluations) -> Result<Vec<Evaluated>, Fault> {
    let policy = app.read().policy;
    let (subjects, places) = {
        let (found, places) = subjects(&all)?;
        let mut subjects = Vec::new();
        for subject in found {
            subjects.push(Subject::read(app, &policy, subject).await);
        }
        (subjects, places)
    };
    let this = app.clone();
    let round = move || {
        // One instant for all questions of a request.
        let at = At::seconds(this.now());
        Round { app: &this, policy: &policy, asked: &asked, at, left: Left::default() }.run(&all, subjects, &places)
    };
    let (evaluations, events) = tokio::task::spawn_blocking(round).await.map_err(|_| lost())??;
    app.audit().decisions(events).await?;
    Ok(evaluations)
}

type Read<'v> = Result<Parts<'v>, Vec<DocumentFault>>;

/// The questions of a request, each with what it takes from the defaults.
fn questions(all: &Evaluations) -> Result<(Vec<Read<'_>>, Semantic), Fault> {
    let (list, semantic) = all.questions().map_err(Fault::question)?;
    let questions = match list {
        Some(list) => list.iter().map(|question| all.question(question)).collect(),
        None => vec![Ok(all.defaults.parts())],
    };
    Ok((questions, semantic))
}

type Found<'v> = (Vec<Option<&'v Value>>, Vec<usize>);

/// The different subjects of the questions, and which of them each question is about. The first is the default.
fn subjects<'v>(all: &'v Evaluations) -> Result<Found<'v>, Fault> {
    let common = all.defaults.subject.as_ref();
    let (mut found, mut known) = (vec![common], HashMap::from([(common, 0)]));
    let place = |question: Read<'v>| {
        let subject = question.ok().and_then(|parts| parts.subject);
        // The default is not compared again and again: it may be large.
        if subject.zip(common).is_some_and(|(own, common)| ptr::eq(own, common)) {
            return 0;
        }
        *known.entry(subject).or_insert_with(|| {
            found.push(subject);
            found.len() - 1
        })
    };
    let places = questions(all)?.0.into_iter().map(place).collect();
    Ok((found, places))
}

/// Whoever questions are about, read once for all of them.
enum Subject {
    /// Somebody.
    Known(Credential, Identity),
    /// Somebody who was refused: a code and why.
    Refused(Credential, &'static str, String),
    /// It cannot be read.
    Unreadable(Vec<DocumentFault>),
}

impl Subject {
    async fn read(app: &App, policy: &Policy, subject: Option<&Value>) -> Self {
        let who = match (Parts { subject, ..Parts::default() }).who() {
            Ok(who) => who,
            Err(faults) => return Self::Unreadable(faults),
        };
        match &who {
            Who::Token { token, .. } => match app.resolve(token).await {
                Ok(identity) => Self::Known(Credential::Token, identity),
                Err(refused) => Self::Refused(Credential::Token, refused.code(), refused.to_string()),
            },
            Who::Names { .. } | Who::Claims { .. } | Who::UnverifiedToken { .. } => match resolve(policy, &who, None) {
                Ok(opened) => Self::Known(Credential::Stated, opened.identity),
                Err(error) => Self::Refused(Credential::Stated, error.code(), error.to_string()),
            },
        }
    }
}

/// Whom questions are about, opened in the policy once.
enum Open {
    Known(Credential, Box<PreparedIdentity>),
    Refused(Credential, &'static str, String),
    Unreadable(Vec<DocumentFault>),
}

impl Open {
    fn new(policy: &Policy, subject: Subject) -> Self {
        match subject {
            Subject::Known(credential, identity) => {
                Self::Known(credential, Box::new(PreparedIdentity::new(policy, identity)))
            }
            Subject::Refused(credential, code, reason) => Self::Refused(credential, code, reason),
            Subject::Unreadable(faults) => Self::Unreadable(faults),
        }
    }
}

/// What a request may still take.
struct Left {
    decisions: usize,
    work: usize,
    bytes: usize,
}

impl Default for Left {
    fn default() -> Self {
        Self { decisions: DECISIONS, work: WORK, bytes: BYTES }
    }
}

impl Left {
    /// Takes what so many decisions, on names of so many bytes, about somebody with so many groups need.
    fn take(&mut self, decisions: usize, groups: usize, bytes: usize) -> Result<(), Fault> {
        let too_many = |what: String| {
            let message = format!("{what}; ask in parts");
            Fault::with_status(400, RpcCode::ResourceExhausted, "too_many_decisions", message)
        };
        let none = || too_many(format!("this takes more than {DECISIONS} decisions"));
        self.decisions = self.decisions.checked_sub(decisions).ok_or_else(none)?;
        let none = || too_many(format!("the decisions times the groups of their subjects are more than {WORK}"));
        self.work = self.work.checked_sub(decisions.saturating_mul(groups)).ok_or_else(none)?;
        let none = || too_many(format!("the names in the answers are longer than {BYTES} bytes"));
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(none)?;
        Ok(())
    }

    fn take_check(&mut self, subject: &Identity, check: &Check) -> Result<(), Fault> {
        let (mut decisions, mut bytes) = (1, subject.user().len());
        match &check.query {
            Query::Access { resource_name, .. } => bytes += resource_name.len(),
            Query::Api { api, name, resources } => {
                // The question was checked against the table when it was read.
                let need =
                    expand(api, name, resources).map_err(|error| Fault::new(RpcCode::Internal, error.to_string()))?;
                decisions = 0;
                let _ = need.outcome(|needed| {
                    decisions += 1;
                    bytes += subject.user().len() + needed.resource_name.len();
                    Outcome::Allow
                });
            }
        }
        self.take(decisions.max(1), subject.groups().len(), bytes)
    }

    fn take_faults(&mut self, faults: &[DocumentFault]) -> Result<(), Fault> {
        self.take(faults.len(), 0, faults.iter().map(|fault| fault.message.len() + fault.path.len()).sum())
    }

    /// What a refused subject's question quotes: its names, and why.
    fn take_refused(&mut self, reason: &str, check: &Check) -> Result<(), Fault> {
        let names = match &check.query {
            Query::Access { resource_name, .. } => (1, resource_name.len()),
            Query::Api { resources, .. } => {
                let names = resources.iter().flat_map(|(_, names)| names);
                names.fold((0, 0), |(count, bytes), name| (count + 1, bytes + name.len()))
            }
        };
        self.take(names.0.max(1), 0, names.1 + 2 * reason.len())
    }
}

/// The questions of one request on their way to answers.
struct Round<'r> {
    app: &'r App,
    policy: &'r Policy,
    asked: &'r Asked,
    /// When the questions are asked, by the service's clock: a question cannot say so itself.
    at: At,
    left: Left,
}

impl Round<'_> {
    fn run(
        mut self,
        all: &Evaluations,
        subjects: Vec<Subject>,
        places: &[usize],
    ) -> Result<(Vec<Evaluated>, Vec<Event>), Fault> {
        let (questions, semantic) = questions(all)?;
        let is_one = all.questions().is_ok_and(|(list, _)| list.is_none());
        let mut subjects: Vec<(Open, bool)> =
            subjects.into_iter().map(|subject| (Open::new(self.policy, subject), false)).collect();
        let (mut evaluations, mut events) = (Vec::new(), Vec::new());
        for (question, place) in questions.into_iter().zip(places) {
            let Some((subject, signed_in)) = subjects.get_mut(*place) else { return Err(lost()) };
            let answer = match check(question, subject) {
                Ok(check) => {
                    let first = !std::mem::replace(signed_in, true);
                    self.evaluate(subject, first, &Check { at: Some(self.at), ..check }, &mut events)?
                }
                Err(faults) if is_one => return Err(Fault::question(faults)),
                Err(faults) => self.unreadable(&faults, &mut events)?,
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
        subject: &mut Open,
        first: bool,
        check: &Check,
        told: &mut Vec<Event>,
    ) -> Result<Evaluated, Fault> {
        let (audit, cleartext) = (self.app.audit(), self.asked.is_cleartext());
        let (credential, identity) = match subject {
            Open::Known(credential, identity) => (*credential, identity),
            Open::Refused(credential, code, reason) => {
                self.left.take_refused(reason, check)?;
                self.app.metrics().decision(Outcome::Deny);
                told.extend(audit.events(self.asked, |context| {
                    let sign_in =
                        || events::refused_sign_in_event(context, credential.protocol(), cleartext, reason, check);
                    first
                        .then(sign_in)
                        .into_iter()
                        .chain([events::refused_check_event(context, reason, check)])
                        .collect()
                }));
                return Ok(Evaluated::failed(401, code, reason, &[]));
            }
            Open::Unreadable(faults) => return self.unreadable(faults, told),
        };
        self.left.take_check(identity.identity(), check)?;
        let answer = evaluate_with(self.policy, identity, check, self.at)
            .map_err(|error| Fault::new(RpcCode::Internal, error.to_string()))?;
        self.app.metrics().decision(answer.outcome());
        let identity = identity.identity();
        told.extend(audit.events(self.asked, |context| {
            let sign_in = || events::sign_in_event(context, credential.protocol(), cleartext, identity, check);
            first.then(sign_in).into_iter().chain(events::decision_events(context, identity, check, &answer)).collect()
        }));
        Ok(Evaluated { decision: answer.outcome() == Outcome::Allow, context: json!(AnswerJson::from(&answer)) })
    }

    /// What cannot be read, in a list with others, is denied.
    fn unreadable(&mut self, faults: &[DocumentFault], told: &mut Vec<Event>) -> Result<Evaluated, Fault> {
        self.left.take_faults(faults)?;
        self.app.metrics().decision(Outcome::Deny);
        let message = format!("the question {}", counted(faults));
        told.extend(self.app.audit().events(self.asked, |context| {
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

/// What a question asks, or everything that is wrong with it and its subject.
fn check(question: Read<'_>, subject: &Open) -> Result<Check, Vec<DocumentFault>> {
    let asks = question?.asks();
    match subject {
        Open::Known(..) | Open::Refused(..) => asks,
        Open::Unreadable(faults) => Err(faults.iter().cloned().chain(asks.err().into_iter().flatten()).collect()),
    }
}

fn counted(faults: &[DocumentFault]) -> String {
    let noun = if faults.len() == 1 { "problem" } else { "problems" };
    format!("has {} {noun}", faults.len())
}

fn request_id(request: &Request) -> Option<HeaderValue> {
    request.headers().get(REQUEST_ID).cloned()
}

fn answer(result: Result<Response, Fault>, id: Option<HeaderValue>) -> Response {
    let mut response = result.unwrap_or_else(|fault| fault.answer(SURFACE));
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}
