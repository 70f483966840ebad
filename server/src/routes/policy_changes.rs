//! `/gbac/v1/policy/changes`: makes a list of changes to a known state, all or none of them.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_api::changes::{AppliedChanges, ChangeEffect, read, refusal};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::model::Principal;
use gbac_engine::policy::ChangeOutcome;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::etag::{precondition, with_etag};
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::state::error::WriteError;
use crate::state::name_warnings::{added_principals, name_warnings};
use crate::state::service::Service;
use crate::state::store::{Attempt, Plan};

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::POLICY_CHANGES, Access::SUPERUSER, post(apply))
}

async fn apply(State(service): State<Service>, request: Request) -> Response {
    let precondition = match precondition(&request) {
        Ok(precondition) => precondition,
        Err(problem) => return reject(request, problem).await,
    };
    let change = async {
        let text = body::text(request, body::MAX_DOCUMENT_BYTES, body::DOCUMENT_TIMEOUT).await?;
        let failed = |_| Problem::new(RpcCode::Internal, "the changes could not be read");
        let changes = tokio::task::spawn_blocking(move || read(&text))
            .await
            .map_err(failed)?
            .map_err(WriteError::InvalidChanges)?;
        let this = service.clone();
        service
            .change(move |current| {
                precondition.check(&this.etag(current))?;
                Ok::<_, Problem>(Plan::Attempt(changes, Box::new(accept)))
            })
            .await
    };
    match change.await {
        Ok(((effects, names), after)) => {
            let etag = service.etag(&after);
            let find_warnings = move || name_warnings(&after.policy, &names);
            // The changes are made, so a failure only omits the warnings.
            let warnings = tokio::task::spawn_blocking(find_warnings)
                .await
                .unwrap_or_default();
            with_etag(
                Json(AppliedChanges {
                    etag: etag.clone(),
                    effects,
                    warnings,
                })
                .into_response(),
                &etag,
            )
        }
        Err(problem) => problem.into_response(Surface::Gbac),
    }
}

/// The effect of each change, and the principals that the changes add.
type Accepted = (Vec<ChangeEffect>, BTreeSet<Principal>);

/// Accepts the changes, or returns every problem.
fn accept(attempt: &Attempt<'_>) -> Result<Accepted, WriteError> {
    let mut faults = Vec::new();
    let mut effects = Vec::with_capacity(attempt.effects.len());
    for (index, effect) in attempt.effects.iter().enumerate() {
        match effect {
            ChangeOutcome::Changed => effects.push(ChangeEffect::Changed),
            ChangeOutcome::Unchanged => effects.push(ChangeEffect::Unchanged),
            ChangeOutcome::Refused(error) => faults.push(refusal(index, error)),
        }
    }
    if !faults.is_empty() {
        return Err(WriteError::InvalidChanges(faults));
    }
    Ok((
        effects,
        added_principals(attempt.effective().map(|(_, change)| change)),
    ))
}
