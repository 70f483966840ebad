//! The only file that fetches: the service's own origin, through the bodies and paths of `gbac-api`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gbac_api::acls::{AclBody, AclFilter};
use gbac_api::paths;
use gbac_api::problem::Refusal;
use gbac_api::roles::{Member, RoleName, UpdateRole};
use gbac_api::service::{Person, ServiceInfo, SignIn};
use gbac_engine::policy::{Change, Policy};
use gbac_engine::wire::{policy_from_json, policy_to_text};
use gloo_net::http::{Request, RequestBuilder, Response};

use crate::dom;
use crate::state::address;
use crate::state::service::Failure;

/// The policy as it was read, with the tag by which the service knows whether it changed since.
pub struct ReadPolicy {
    /// The policy.
    pub policy: Policy,
    /// The `ETag`.
    pub tag: Option<String>,
}

/// What the service is; needs no credentials.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn service_info() -> Result<ServiceInfo, Failure> {
    serde_json::from_str(&text(paths::SERVICE).await?).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// The people of the demo identity provider.
///
/// # Errors
/// No answer, a refusal, or an answer of another shape.
pub async fn people(path: &str) -> Result<Vec<Person>, Failure> {
    serde_json::from_str(&text(path).await?).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// Any text of the service's own origin.
///
/// # Errors
/// No answer, or a refusal.
pub async fn text(path: &str) -> Result<String, Failure> {
    let response = answer(signed(Request::get(path), None).send().await)?;
    succeed(response).await
}

/// The policy, or none when it is what `tag` says.
///
/// # Errors
/// No answer, a refusal, or a document that the engine does not take.
pub async fn policy(tag: Option<&str>, credentials: Option<&SignIn>) -> Result<Option<ReadPolicy>, Failure> {
    let mut request = signed(Request::get(paths::POLICY), credentials);
    if let Some(tag) = tag {
        request = request.header("If-None-Match", tag);
    }
    let response = answer(request.send().await)?;
    if response.status() == 304 {
        return Ok(None);
    }
    let tag = response.headers().get("etag");
    let body = succeed(response).await?;
    let policy = policy_from_json(&body).map_err(|problems| Failure::Unreadable(problems.to_string()))?;
    Ok(Some(ReadPolicy { policy, tag }))
}

/// Sends one change through the Data Plane API (specification 4.2).
///
/// # Errors
/// No answer, or a refusal. Settings are no part of that API and are refused here.
pub async fn send(change: &Change, credentials: Option<&SignIn>) -> Result<(), Failure> {
    if let Change::AddMember { role: name, .. }
    | Change::RemoveMember { role: name, .. }
    | Change::DeleteRole { name, .. } = change
        && !address::is_in_path(name)
    {
        return rewrite(change, credentials).await;
    }
    let request = match change {
        Change::AddAcl(acl) => post(paths::ACLS, credentials).json(&AclBody::from(acl)),
        Change::RemoveAcl(acl) => {
            let path = paths::delete_acls(&AclFilter::exactly(acl));
            signed(Request::delete(&path), credentials).build()
        }
        Change::CreateRole(name) => post(paths::ROLES, credentials).json(&RoleName { name: name.clone() }),
        Change::AddMember { role, member } => {
            let body = UpdateRole { add: vec![Member::from(member)], ..UpdateRole::default() };
            signed(Request::put(&paths::role(role)), credentials).json(&body)
        }
        Change::RemoveMember { role, member } => {
            let body = UpdateRole { remove: vec![Member::from(member)], ..UpdateRole::default() };
            signed(Request::put(&paths::role(role)), credentials).json(&body)
        }
        Change::DeleteRole { name, delete_acls } => {
            signed(Request::delete(&paths::delete_role(name, *delete_acls)), credentials).build()
        }
        Change::Settings(_) => return Err(Failure::Unreadable("settings are not changed here".into())),
    };
    let request = request.map_err(|error| Failure::NoAnswer(error.to_string()))?;
    succeed(answer(request.send().await)?).await.map(drop)
}

/// Makes a change of a role that no path can name, in the whole document; the service refuses it when the policy changed
/// in between.
async fn rewrite(change: &Change, credentials: Option<&SignIn>) -> Result<(), Failure> {
    let read = policy(None, credentials).await?;
    let Some(ReadPolicy { mut policy, tag: Some(tag) }) = read else {
        return Err(Failure::Unreadable("the policy came without a tag".into()));
    };
    policy.apply(change.clone()).map_err(|error| {
        let (code, message) = (error.code().to_owned(), error.to_string());
        Failure::Refused(Refusal { status: 404, code, message, fields: Vec::new() })
    })?;
    let request = signed(Request::put(paths::POLICY), credentials)
        .header("If-Match", &tag)
        .header("Content-Type", "application/json")
        .body(policy_to_text(&policy))
        .map_err(|error| Failure::NoAnswer(error.to_string()))?;
    succeed(answer(request.send().await)?).await.map(drop)
}

fn post(path: &str, credentials: Option<&SignIn>) -> RequestBuilder {
    signed(Request::post(path), credentials)
}

/// Adds the credentials. The browser's own are left out, so that it never asks for a password by itself.
fn signed(request: RequestBuilder, credentials: Option<&SignIn>) -> RequestBuilder {
    let request = request.credentials(dom::NO_CREDENTIALS);
    match credentials {
        Some(SignIn { user, password }) => {
            request.header("Authorization", &format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
        }
        None => request,
    }
}

fn answer(sent: Result<Response, gloo_net::Error>) -> Result<Response, Failure> {
    sent.map_err(|error| Failure::NoAnswer(error.to_string()))
}

/// The body of a success; anything else is a refusal with its body read.
async fn succeed(response: Response) -> Result<String, Failure> {
    let body = response.text().await.map_err(|error| Failure::NoAnswer(error.to_string()))?;
    if response.ok() { Ok(body) } else { Err(Failure::Refused(Refusal::read(response.status(), &body))) }
}
