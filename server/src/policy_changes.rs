//! `/gbac/v1/policy/changes`: changes of the policy over a known state, all or none of them.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use gbac_api::changes::{AppliedChanges, ChangeEffect, read, refusal};
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, ChangeOutcome};

use crate::access::{Access, Routes};
use crate::app::App;
use crate::body;
use crate::cluster_config::locked_out;
use crate::fault::{Fault, Surface};
use crate::policy_document::{condition, tagged};
use crate::store::{Attempt, Plan};
use crate::warnings;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::POLICY_CHANGES, Access::SUPERUSER, post(apply))
}

async fn apply(State(app): State<App>, request: Request) -> Response {
    let wanted = match condition(&request) {
        Ok(wanted) => wanted,
        Err(fault) => return body::refuse(request, fault).await,
    };
    let made = async {
        let text = body::text(request, body::DOCUMENT_LIMIT, body::DOCUMENT_TIME).await?;
        let failed = |_| Fault::new(RpcCode::Internal, "the changes could not be read");
        let changes =
            tokio::task::spawn_blocking(move || read(&text)).await.map_err(failed)?.map_err(Fault::changes)?;
        let this = app.clone();
        app.change(move |held| {
            wanted.check(&this.tag(held))?;
            let admin = this.admin().name.clone();
            Ok::<_, Fault>(Plan::Attempt(changes, Box::new(move |attempt| accept(attempt, &admin))))
        })
        .await
    };
    match made.await {
        Ok(((effects, names), after)) => {
            let etag = app.tag(&after);
            let warn = move || warnings::about(&after.policy, &names);
            // The changes are made; an answer without warnings is better than none.
            let warnings = tokio::task::spawn_blocking(warn).await.unwrap_or_default();
            tagged(Json(AppliedChanges { etag: etag.clone(), effects, warnings }).into_response(), &etag)
        }
        Err(fault) => fault.answer(Surface::Own),
    }
}

/// What each change does, and the names that they bring.
type Made = (Vec<ChangeEffect>, BTreeSet<Principal>);

/// What the changes do, or everything that is wrong with them; a superuser who can sign in must stay (D-30).
fn accept(attempt: &Attempt<'_>, admin: &str) -> Result<Made, Fault> {
    let mut faults = Vec::new();
    let mut effects = Vec::with_capacity(attempt.effects.len());
    for (place, effect) in attempt.effects.iter().enumerate() {
        match effect {
            ChangeOutcome::Changed => effects.push(ChangeEffect::Changed),
            ChangeOutcome::Unchanged => effects.push(ChangeEffect::Unchanged),
            ChangeOutcome::Refused(error) => faults.push(refusal(place, error)),
        }
    }
    let settings = attempt.changed().filter(|(_, change)| matches!(change, Change::Settings(_))).last();
    if let Some((place, _)) = settings
        && !attempt.after.settings().superusers.contains(admin)
    {
        faults.push(DocumentFault {
            path: format!("/changes/{place}/settings/superusers"),
            code: "superusers_locked_out".into(),
            message: locked_out(admin),
        });
    }
    if !faults.is_empty() {
        return Err(Fault::changes(faults));
    }
    Ok((effects, warnings::brought(attempt.changed().map(|(_, change)| change))))
}
