//! `/gbac/v1/policy`: the whole policy document at once, all or nothing (contract of the document: `engine` `wire`).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::policy::Policy;
use gbac_engine::wire::{DocumentJson, policy_from_json};

use crate::app::App;
use crate::body;
use crate::cluster_config::locked_out;
use crate::fault::{Fault, Surface};
use crate::store::Plan;

const SURFACE: Surface = Surface::Own;

pub(crate) fn routes() -> Router<App> {
    Router::new().route(paths::POLICY, get(read).put(write))
}

async fn read(State(app): State<App>, headers: HeaderMap) -> Response {
    let held = app.read();
    let tag = app.tag(&held);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| names(known, &tag));
    if known {
        return tagged(StatusCode::NOT_MODIFIED.into_response(), &tag);
    }
    // A large document takes its time, and the other requests should not wait for it.
    let write = move || Json(DocumentJson::from(&*held.policy)).into_response();
    match tokio::task::spawn_blocking(write).await {
        Ok(answer) => tagged(answer, &tag),
        Err(_) => Fault::new(RpcCode::Internal, "the policy document could not be written").answer(SURFACE),
    }
}

async fn write(State(app): State<App>, request: Request) -> Response {
    let Some(wanted) = request.headers().get(header::IF_MATCH).cloned() else {
        let message = "`If-Match` is missing; read the policy first and send its `ETag`";
        let fault = Fault::with_status(428, RpcCode::FailedPrecondition, "precondition_required", message);
        return body::refuse(request, fault).await;
    };
    let replace = async {
        let text = body::text(request, body::DOCUMENT_LIMIT, body::DOCUMENT_TIME).await?;
        let admin = app.admin().name.clone();
        let failed = |_| Fault::new(RpcCode::Internal, "the policy document could not be read");
        let policy = tokio::task::spawn_blocking(move || document(&text, &admin)).await.map_err(failed)??;
        let this = app.clone();
        app.change(move |held| {
            let tag = this.tag(held);
            if names(&wanted, &tag) {
                return Ok(Plan::Replace(policy, ()));
            }
            let message = "the policy was changed in the meantime; read it again and repeat your change";
            Err(Fault::with_status(412, RpcCode::FailedPrecondition, "policy_changed", message))
        })
        .await
    };
    match replace.await {
        Ok(((), after)) => tagged(StatusCode::NO_CONTENT.into_response(), &app.tag(&after)),
        Err(fault) => fault.answer(SURFACE),
    }
}

/// Reads a document; the superusers must keep one who can sign in (D-30).
fn document(text: &str, admin: &str) -> Result<Arc<Policy>, Fault> {
    let policy = policy_from_json(text)
        .map_err(|problems| Fault::document(problems.0.iter().map(DocumentFault::from).collect()))?;
    if policy.settings().superusers.contains(admin) {
        return Ok(Arc::new(policy));
    }
    Err(Fault::document(vec![DocumentFault {
        path: "/settings/superusers".into(),
        code: "superusers_locked_out".into(),
        message: locked_out(admin),
    }]))
}

/// Whether a list of entity tags names this one; `*` names any (RFC 9110 13.1). A compressed answer carries the tag of
/// the document itself, so the weak form is the same document here.
fn names(list: &HeaderValue, tag: &str) -> bool {
    list.to_str().is_ok_and(|list| {
        list.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    })
}

fn tagged(mut response: Response, tag: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
