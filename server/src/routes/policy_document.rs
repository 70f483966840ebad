//! `/gbac/v1/policy`: reads and replaces the whole policy document.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::encode::first_value;
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_api::warning::ChangeWarning;
use gbac_engine::escape::escaped;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};
use gbac_json::{DocumentJson, policy_from_json};

use super::history_entry::gone;
use super::registration::Routes;
use crate::compression::{accepts, set_coding, vary};
use crate::http::access::Access;
use crate::http::body;
use crate::http::etag::{Tagged, is_known, precondition, with_etag};
use crate::http::long_read::{LongRead, json_response};
use crate::http::placement::{Work, incomplete, run};
use crate::http::policy_copies::PolicyCopies;
use crate::http::problem::Problem;
use crate::http::query::{flag, pairs};
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::http::warning_headers::with_warnings;
use crate::state::license;
use crate::state::name_warnings::{name_warnings, principals};
use crate::state::service::Service;
use crate::state::store::{PastFault, PastState, StateChange};

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::POLICY, Access::SUPERUSER, get(read).put(write))
}

async fn read(
    State(service): State<Service>,
    State(copies): State<PolicyCopies>,
    read: LongRead,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    if let Some(at) = first_value(&pairs(query)?, "at") {
        let seq = at.parse::<u64>().map_err(|_| {
            let message = format!(
                "`at` is `{}`; it must be the number of a change",
                escaped(at)
            );
            Problem::invalid(message)
        })?;
        return read.respond(false, move || read_past(&service, seq)).await;
    }
    let current = service.read();
    let etag = current.version.etag();
    if is_known(&headers, &etag) {
        return Ok(with_etag(StatusCode::NOT_MODIFIED.into_response(), &etag));
    }
    let in_gzip = accepts(&headers, "gzip");
    let turn = read.turn().await?;
    let mut response = json_response(copies.get(&current.policy, &etag, in_gzip).await?);
    if in_gzip {
        set_coding(response.headers_mut(), "gzip");
        vary(response.headers_mut());
    }
    Ok(turn.until_sent(with_etag(response, &etag)))
}

/// The document as it was after a change.
fn read_past(service: &Service, seq: u64) -> Result<Response, Problem> {
    let fault = match service.past(seq)? {
        PastState::Known(policy) => {
            let document = serde_json::to_vec(&DocumentJson::in_full(&policy));
            return Ok(json_response(document.map_err(|_| incomplete())?));
        }
        PastState::NotYet => {
            let last = service.state_token().seq;
            let message = format!("there is no change {seq}; the last one is {last}");
            return Err(Problem::with_status(
                404,
                RpcCode::NotFound,
                "change_unknown",
                message,
            ));
        }
        PastState::Gone(fault) => fault,
    };
    let why = match fault {
        PastFault::Deleted(first) => {
            let oldest = first.saturating_sub(1);
            format!("the changes since are no longer kept; the oldest state is that of {oldest}")
        }
        PastFault::TooLarge(later) => {
            format!(
                "change {later} changed too much to be kept; the oldest state is that of {later}"
            )
        }
        PastFault::TooFar => "too much has changed since; ask for a later one".to_owned(),
    };
    Err(gone(format!(
        "the state after change {seq} can no longer be told, because {why}"
    )))
}

async fn write(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, Problem> {
    let precondition = match precondition(&request, Tagged::Policy) {
        Ok(precondition) => precondition,
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let is_dry_run = match pairs(query).and_then(|pairs| flag(&pairs, "dry_run")) {
        Ok(is_dry_run) => is_dry_run.unwrap_or(false),
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let text = body::text(request, body::MAX_DOCUMENT_BYTES, body::DOCUMENT_TIMEOUT).await?;
    let policy = match tokio::task::spawn_blocking(move || parse_document(&text)).await {
        Ok(policy) => policy?,
        Err(_) => {
            let message = "the policy document could not be read";
            return Err(Problem::new(RpcCode::Internal, message));
        }
    };
    let before = principals(&service.read().policy);
    let stored = service
        .change(move |current| {
            precondition.check(&current.version.etag())?;
            let change = StateChange::Replace(with_current_settings(policy, &current.policy)?);
            if is_dry_run {
                license::check(current, &change)?;
                return Ok((StateChange::NONE, ()));
            }
            Ok::<_, Problem>((change, ()))
        })
        .await?;
    let after = stored.after;
    let policy = Arc::clone(&after.policy);
    // The policy is replaced, so a failure only omits the warnings.
    let warnings = run(Work::Other, false, move || {
        new_name_warnings(before, &policy)
    })
    .await
    .unwrap_or_default();
    let response = StatusCode::NO_CONTENT.into_response();
    let response = with_etag(response, &after.version.etag());
    Ok(with_warnings(response, &warnings))
}

/// The warnings about principals that were not there before; none if there are too many to compare.
fn new_name_warnings(before: Option<BTreeSet<Principal>>, policy: &Policy) -> Vec<ChangeWarning> {
    match (before, principals(policy)) {
        (Some(before), Some(now)) => name_warnings(policy, now.difference(&before)),
        (None, _) | (_, None) => Vec::new(),
    }
}

fn parse_document(text: &str) -> Result<Policy, Problem> {
    match policy_from_json(text) {
        Ok(policy) => Ok(policy),
        Err(problems) => {
            let faults = problems.0.iter().map(DocumentFault::from).collect();
            Err(Problem::document(faults))
        }
    }
}

/// The document with the current settings in place of omitted ones.
fn with_current_settings(mut policy: Policy, current: &Policy) -> Result<Arc<Policy>, Problem> {
    let settings = policy.settings().filled_from(current.settings());
    let applied = policy.apply(Change::Settings(Box::new(settings)));
    applied.map_err(|_| Problem::new(RpcCode::Internal, "the settings could not be applied"))?;
    Ok(Arc::new(policy))
}
