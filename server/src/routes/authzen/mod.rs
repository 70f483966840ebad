//! `/access/v1`: access evaluation for gateways (OpenID AuthZEN 1.0). Each question causes an audit
//! event, and each subject one more (D-39).

mod batch;
mod budget;
mod evaluator;
mod subject;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderName;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gbac_analysis::audit::Event;
use gbac_api::authzen::{Configuration, Evaluation, Evaluations, EvaluationsResponse};
use gbac_api::paths;
use gbac_api::warning::ChangeWarning;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use serde_json::{Map, Value};

use self::batch::Batch;
use self::budget::Budget;
use self::evaluator::Evaluator;
use self::subject::{PreparedSubject, verify};
use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::long_read::json_response;
use crate::http::placement::{Work, incomplete, run};
use crate::http::problem::Problem;
use crate::http::request_head::take_request_head;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::identity::oidc::TokenRejection;
use crate::identity::sign_in::Authenticator;
use crate::state::audit::RequestHead;
use crate::state::service::Service;

/// The request ID of a gateway, which is returned unchanged.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum size in bytes of a body that is read on the thread that received it.
const SMALL_BODY: usize = 16 << 10;
/// The maximum [weight](Batch::weight) of questions that are evaluated there: a question about a
/// subject with 200 groups takes about 70 µs.
const SMALL_WEIGHT: usize = 256;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .prefix("/access/", Access::Evaluate)
        .route(paths::ACCESS_EVALUATION, Access::Evaluate, post(evaluation))
        .route(
            paths::ACCESS_EVALUATIONS,
            Access::Evaluate,
            post(evaluations),
        )
        .route(
            paths::AUTHZEN_CONFIGURATION,
            Access::Public,
            get(configuration),
        )
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
    respond(&service, &authenticator, request, |members| Evaluations {
        defaults: Evaluation::take(members),
        ..Evaluations::default()
    })
    .await
}

async fn evaluations(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    respond(&service, &authenticator, request, Evaluations::take).await
}

/// Reads the questions, answers them and returns the request ID.
async fn respond(
    service: &Service,
    authenticator: &Authenticator,
    mut request: Request,
    take: fn(&mut Map<String, Value>) -> Evaluations,
) -> Response {
    let head = take_request_head(&mut request);
    let id = request.headers().get(REQUEST_ID).cloned();
    let mut response = match answer(service, authenticator, head, request, take).await {
        Ok(json) => json_response(json),
        Err(problem) => problem.into_response(),
    };
    if let Some(fault) = service
        .cluster()
        .and_then(|cluster| cluster.status().fault())
    {
        response = with_warnings(response, &[stale(&fault)]);
    }
    if let Some(id) = id {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Says that decisions are made from ACLs that may not be those of the cluster any more.
fn stale(fault: &str) -> ChangeWarning {
    ChangeWarning {
        code: "acls_stale".into(),
        message: format!("decided with the ACLs that were read last: {fault}"),
        hint: "see /readyz".into(),
        principals: Vec::new(),
    }
}

/// Reads the questions and answers them. Gives the body of the response.
async fn answer(
    service: &Service,
    authenticator: &Authenticator,
    head: RequestHead,
    request: Request,
    take: fn(&mut Map<String, Value>) -> Evaluations,
) -> Result<Vec<u8>, Problem> {
    let text = body::text(request, body::MAX_BYTES, body::TIMEOUT).await?;
    let is_small = text.len() <= SMALL_BODY;
    let batch = run(Work::Evaluation, is_small, move || {
        Batch::new(take(&mut body::object(&text)?))
    })
    .await??;
    decide(service, authenticator, head, batch).await
}

/// Answers the questions of a request and records the decisions. Gives the body of the response.
async fn decide(
    service: &Service,
    authenticator: &Authenticator,
    head: RequestHead,
    batch: Batch,
) -> Result<Vec<u8>, Problem> {
    let policy = service.read().policy;
    let mut verified = Vec::new();
    for subject in batch.subjects() {
        verified.push(verify(authenticator, policy.settings(), subject).await);
    }
    let mut weight = batch.weight();
    for identity in verified.iter().flatten().flatten() {
        weight += identity.groups().len();
    }
    let this = service.clone();
    let (json, events) = run(Work::Evaluation, weight <= SMALL_WEIGHT, move || {
        evaluate(&this, &policy, &head, &batch, verified)
    })
    .await??;
    service.audit().decisions(events).await?;
    Ok(json)
}

/// Evaluates all questions of a request at the same time. Gives the body of the response, and the
/// events of the decisions.
fn evaluate(
    service: &Service,
    policy: &Policy,
    request: &RequestHead,
    batch: &Batch,
    verified: Vec<Option<Result<Identity, TokenRejection>>>,
) -> Result<(Vec<u8>, Vec<Event>), Problem> {
    let mut subjects = Vec::new();
    for (subject, verified) in std::iter::zip(batch.subjects(), verified) {
        subjects.push(PreparedSubject::new(policy, subject, verified));
    }
    let (audit, at) = (service.audit(), At::seconds(service.now()));
    let evaluator = Evaluator {
        audit,
        metrics: service.metrics(),
        policy,
        request,
        at,
        budget: Budget::default(),
    };
    let (evaluations, events) = evaluator.run(batch, subjects)?;
    let json = match (batch.questions()?, evaluations.as_slice()) {
        ((Some(_), _), _) => serde_json::to_vec(&EvaluationsResponse { evaluations }),
        ((None, _), [single, ..]) => serde_json::to_vec(single),
        _ => return Err(incomplete()),
    };
    Ok((json.map_err(|_| incomplete())?, events))
}
