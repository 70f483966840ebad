//! `/access/v1`: OpenID AuthZEN 1.0, the door through which a gateway asks. Each question leaves both audit events (D-39).

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use gbac_api::authzen::{Configuration, Evaluated, EvaluatedAll, Evaluation, Evaluations};
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::audit::{ApiActivity, Authorization, Context, Event, User, api_activity};
use gbac_engine::check::{Answer, Check, Who, ask, events, open};
use gbac_engine::decide::Outcome;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::wire::AnswerJson;
use serde_json::json;

use crate::app::App;
use crate::audit::{Asked, Credential};
use crate::body;
use crate::fault::{Fault, Surface};

const SURFACE: Surface = Surface::Own;
/// What a gateway calls its request; it comes back unchanged.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// How many decisions one request may take in all; a request of the table takes one for each resource.
const DECISIONS: usize = 10_000;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(paths::ACCESS_EVALUATION, post(evaluation))
        .route(paths::ACCESS_EVALUATIONS, post(evaluations))
        .route(paths::AUTHZEN_CONFIGURATION, get(configuration))
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
        let question: Evaluation = body::json(request).await?;
        one(&app, &asked, &question).await
    };
    answer(answered.await.map(|answer| Json(answer).into_response()), id)
}

async fn evaluations(State(app): State<App>, request: Request) -> Response {
    let (asked, id) = (Asked::of(&request), request_id(&request));
    let answered = async {
        let all: Evaluations = body::json(request).await?;
        let (questions, semantic) = all.questions().map_err(Fault::question)?;
        let Some(questions) = questions else {
            return Ok(Json(one(&app, &asked, &all.defaults).await?).into_response());
        };
        let (policy, mut evaluations, mut told) = (app.read().policy, Vec::new(), Vec::new());
        for question in &questions {
            let answer = match all.question(question).and_then(|question| question.check()) {
                Ok(check) => evaluate(&app, &policy, check, &mut told).await?,
                Err(faults) => {
                    app.metrics().decision(Outcome::Deny);
                    let message = format!("the question {}", counted(&faults));
                    told.push(Told::Unreadable(message.clone()));
                    Evaluated::failed(400, "invalid_question", &message, &faults)
                }
            };
            if told.iter().map(Told::decisions).sum::<usize>() > DECISIONS {
                let message = format!("these questions take more than {DECISIONS} decisions; ask them in parts");
                return Err(Fault::with_status(400, RpcCode::ResourceExhausted, "too_many_decisions", message));
            }
            let ends = semantic.ends_with(&answer);
            evaluations.push(answer);
            if ends {
                break;
            }
        }
        record(&app, &asked, &told).await?;
        Ok(Json(EvaluatedAll { evaluations }).into_response())
    };
    answer(answered.await, id)
}

/// Answers the one question of a request; what is wrong with it is the request's fault.
async fn one(app: &App, asked: &Asked, question: &Evaluation) -> Result<Evaluated, Fault> {
    let check = question.check().map_err(Fault::question)?;
    let mut told = Vec::new();
    let answer = evaluate(app, &app.read().policy, check, &mut told).await?;
    record(app, asked, &told).await?;
    Ok(answer)
}

/// What came of a question, for its events.
enum Told {
    /// A decision.
    Answer(Credential, Box<Identity>, Check, Answer),
    /// Whoever it is about was refused.
    Refused(Credential, Check, String),
    /// It could not be read, in a list with others.
    Unreadable(String),
}

async fn evaluate(app: &App, policy: &Policy, check: Check, told: &mut Vec<Told>) -> Result<Evaluated, Fault> {
    let check = Check { now: Some(app.now()), ..check };
    let (credential, identity) = match &check.who {
        Who::Token { token, .. } => {
            let identity = app.resolve(token).await;
            (Credential::Token, identity.map_err(|refused| (refused.code(), refused.to_string())))
        }
        Who::Names { .. } | Who::Claims { .. } | Who::UnverifiedToken { .. } => {
            let opened = open(policy, &check.who, None).map_err(|error| (error.code(), error.to_string()));
            (Credential::Stated, opened.map(|opened| opened.identity))
        }
    };
    let identity = match identity {
        Ok(identity) => identity,
        Err((code, reason)) => {
            app.metrics().decision(Outcome::Deny);
            let evaluated = Evaluated::failed(401, code, &reason, &[]);
            told.push(Told::Refused(credential, check, reason));
            return Ok(evaluated);
        }
    };
    // The question was checked against the table when it was read.
    let answer = ask(policy, &identity, &check).map_err(|error| Fault::new(RpcCode::Internal, error.to_string()))?;
    app.metrics().decision(answer.outcome());
    let decision = answer.outcome() == Outcome::Allow;
    let evaluated = Evaluated { decision, context: json!(AnswerJson::from(&answer)) };
    told.push(Told::Answer(credential, Box::new(identity), check, answer));
    Ok(evaluated)
}

async fn record(app: &App, asked: &Asked, told: &[Told]) -> Result<(), Fault> {
    let events = |context: Context<'_>| told.iter().flat_map(|told| told.events(context, asked)).collect();
    app.audit().decision(asked, events).await
}

impl Told {
    fn decisions(&self) -> usize {
        match self {
            Self::Answer(_, _, _, Answer::Api { decisions, .. }) => decisions.len(),
            Self::Answer(_, _, _, Answer::Access(_)) | Self::Refused(..) | Self::Unreadable(_) => 1,
        }
    }

    fn events(&self, context: Context<'_>, asked: &Asked) -> Vec<Event> {
        let cleartext = asked.is_cleartext();
        match self {
            Self::Answer(credential, identity, check, answer) => {
                let mut all = vec![events::sign_in(context, credential.protocol(), cleartext, identity, check)];
                all.extend(events::decisions(context, identity, check, answer));
                all
            }
            Self::Refused(credential, check, reason) => vec![
                events::sign_in_refused(context, credential.protocol(), cleartext, reason, check),
                events::refused(context, reason, check),
            ],
            Self::Unreadable(reason) => vec![api_activity(&ApiActivity {
                context,
                user: User::default(),
                operation: "evaluation",
                authorization: Authorization::Service { outcome: Outcome::Deny, reason },
                http: None,
                resources: &[],
            })],
        }
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
