//! `/gbac/v1/policy/changes`: makes a list of changes to a known state, all or none of them.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_api::changes::{AppliedChanges, ChangeEffect, RequestedChanges, read};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::model::Principal;
use gbac_engine::policy::ChangeOutcome;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::etag::{Tagged, precondition, with_etag};
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::state::audit::RequestScope;
use crate::state::error::WriteError;
use crate::state::name_warnings::{added_principal, name_warnings};
use crate::state::service::Service;
use crate::state::store::{StateChange, Stored};

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::POLICY_CHANGES, Access::SUPERUSER, post(apply))
}

async fn apply(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let precondition = match precondition(&request, Tagged::Policy) {
        Ok(precondition) => precondition,
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let text = body::text(request, body::MAX_DOCUMENT_BYTES, body::DOCUMENT_TIMEOUT).await?;
    let (requested, principals) = match tokio::task::spawn_blocking(move || parse(&text)).await {
        Ok(read) => read?,
        Err(_) => {
            let message = "the changes could not be read";
            return Err(Problem::new(RpcCode::Internal, message));
        }
    };
    let RequestedChanges { changes, reason } = requested;
    if let (Some(reason), Some(scope)) = (reason, RequestScope::current()) {
        scope.set_reason(reason);
    }
    let Stored {
        outcomes, after, ..
    } = service
        .change(move |current| {
            precondition.check(&current.version.etag())?;
            Ok::<_, Problem>((StateChange::Attempt(changes), ()))
        })
        .await?;
    let etag = after.version.etag();
    let effects: Vec<ChangeEffect> = outcomes.iter().map(effect).collect();
    let warnings = tokio::task::spawn_blocking(move || {
        let mut added = BTreeSet::new();
        for (principal, outcome) in std::iter::zip(principals, outcomes) {
            if outcome == ChangeOutcome::Changed {
                added.extend(principal);
            }
        }
        name_warnings(&after.policy, &added)
    });
    // The changes are made, so a failure only omits the warnings.
    let warnings = warnings.await.unwrap_or_default();
    let applied = AppliedChanges {
        etag: etag.clone(),
        effects,
        warnings,
        sent_as: service.cluster().map(|cluster| cluster.status().identity()),
    };
    Ok(with_etag(Json(applied).into_response(), &etag))
}

/// Reads changes, and the principal that each of them adds.
fn parse(text: &str) -> Result<(RequestedChanges, Vec<Option<Principal>>), WriteError> {
    let requested = read(text).map_err(WriteError::InvalidChanges)?;
    let principals = requested.changes.iter().map(added_principal).collect();
    Ok((requested, principals))
}

fn effect(outcome: &ChangeOutcome) -> ChangeEffect {
    match outcome {
        ChangeOutcome::Changed => ChangeEffect::Changed,
        // A change that is refused is an error of the whole list.
        ChangeOutcome::Unchanged | ChangeOutcome::Refused(_) => ChangeEffect::Unchanged,
    }
}
