//! `/gbac/v1/policy`: the whole policy document at once, all or nothing (contract of the document: `engine` `wire`).

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{DocumentJson, policy_from_json};

use crate::access::{Access, Routes};
use crate::app::App;
use crate::body;
use crate::cluster_config::{flag, locked_out, pairs};
use crate::fault::{Fault, Surface};
use crate::license;
use crate::store::Plan;
use crate::warnings;

const SURFACE: Surface = Surface::Own;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::POLICY, Access::SUPERUSER, get(read).put(write))
}

async fn read(State(app): State<App>, headers: HeaderMap) -> Response {
    let held = app.read();
    let tag = app.tag(&held);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| names(known, &tag));
    if known {
        return tagged(StatusCode::NOT_MODIFIED.into_response(), &tag);
    }
    // A large document takes its time, and the other requests should not wait for it.
    let write = move || Json(DocumentJson::in_full(&held.policy)).into_response();
    match tokio::task::spawn_blocking(write).await {
        Ok(answer) => tagged(answer, &tag),
        Err(_) => Fault::new(RpcCode::Internal, "the policy document could not be written").answer(SURFACE),
    }
}

async fn write(State(app): State<App>, RawQuery(query): RawQuery, request: Request) -> Response {
    let wanted = match condition(&request) {
        Ok(wanted) => wanted,
        Err(fault) => return body::refuse(request, fault).await,
    };
    let is_dry_run = match pairs(query).and_then(|pairs| flag(&pairs, "dry_run")) {
        Ok(is_dry_run) => is_dry_run.unwrap_or(false),
        Err(fault) => return body::refuse(request, fault).await,
    };
    let replace = async {
        let text = body::text(request, body::DOCUMENT_LIMIT, body::DOCUMENT_TIME).await?;
        let admin = app.admin().name.clone();
        let failed = |_| Fault::new(RpcCode::Internal, "the policy document could not be read");
        let policy = tokio::task::spawn_blocking(move || document(&text)).await.map_err(failed)??;
        let this = app.clone();
        let before = warnings::known(&app.read().policy);
        let ((), after) = app
            .change(move |held| {
                wanted.check(&this.tag(held))?;
                let plan = Plan::Replace(filled(policy, &held.policy, &admin)?, ());
                if is_dry_run {
                    license::check(held, plan)?;
                    return Ok(Plan::Changes(Vec::new(), ()));
                }
                Ok::<_, Fault>(plan)
            })
            .await?;
        let now = before.and_then(|before| Some((before, warnings::known(&after.policy)?)));
        let warnings = now.map(|(before, now)| warnings::about(&after.policy, now.difference(&before)));
        Ok::<_, Fault>((after, warnings.unwrap_or_default()))
    };
    match replace.await {
        Ok((after, warnings)) => {
            let response = tagged(StatusCode::NO_CONTENT.into_response(), &app.tag(&after));
            warnings::with_headers(response, &warnings)
        }
        Err(fault) => fault.answer(SURFACE),
    }
}

/// The state over which a change is to be made, as `If-Match` names it.
pub(crate) struct Condition(HeaderValue);

/// Reads the state over which a request wants to make its change.
///
/// # Errors
/// It names none: 428.
pub(crate) fn condition(request: &Request) -> Result<Condition, Fault> {
    let message = "`If-Match` is missing; read the policy first and send its `ETag`";
    let missing = || Fault::with_status(428, RpcCode::FailedPrecondition, "precondition_required", message);
    request.headers().get(header::IF_MATCH).cloned().map(Condition).ok_or_else(missing)
}

impl Condition {
    /// Checks that this is the state.
    ///
    /// # Errors
    /// It is another: 412.
    pub(crate) fn check(&self, tag: &str) -> Result<(), Fault> {
        if names(&self.0, tag) {
            return Ok(());
        }
        let message = "the policy was changed in the meantime; read it again and repeat your change";
        Err(Fault::with_status(412, RpcCode::FailedPrecondition, "policy_changed", message))
    }
}

fn document(text: &str) -> Result<Policy, Fault> {
    policy_from_json(text).map_err(|problems| Fault::document(problems.0.iter().map(DocumentFault::from).collect()))
}

/// A document with the current settings where it states none; the superusers must keep one who can sign in (D-30).
fn filled(mut policy: Policy, held: &Policy, admin: &str) -> Result<Arc<Policy>, Fault> {
    let settings = policy.settings().filled_from(held.settings());
    if !settings.superusers.contains(admin) {
        return Err(Fault::document(vec![DocumentFault {
            path: "/settings/superusers".into(),
            code: "superusers_locked_out".into(),
            message: locked_out(admin),
        }]));
    }
    let applied = policy.apply(Change::Settings(Box::new(settings)));
    applied.map_err(|_| Fault::new(RpcCode::Internal, "the settings could not be applied"))?;
    Ok(Arc::new(policy))
}

/// Whether a list of entity tags names this one; `*` names any (RFC 9110 13.1). A compressed answer carries the tag of
/// the document itself, so the weak form is the same document here.
fn names(list: &HeaderValue, tag: &str) -> bool {
    list.to_str().is_ok_and(|list| {
        list.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
    })
}

/// An answer with the state that it is about.
pub(crate) fn tagged(mut response: Response, tag: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
