//! Entity tags: conditional requests on the policy and on the stored tests.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use gbac_api::problem::RpcCode;

use super::problem::Problem;

/// What an entity tag is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tagged {
    Policy,
    Tests,
}

/// The state that a change requires, from `If-Match`.
pub(crate) struct Precondition {
    etags: HeaderValue,
    of: Tagged,
}

/// Reads the precondition of a change.
///
/// # Errors
/// The request has none: 428.
pub(crate) fn precondition(request: &Request, of: Tagged) -> Result<Precondition, Problem> {
    if let Some(etags) = request.headers().get(header::IF_MATCH) {
        let etags = etags.clone();
        return Ok(Precondition { etags, of });
    }
    let message = match of {
        Tagged::Policy => "`If-Match` is missing; read the policy first and send its `ETag`",
        Tagged::Tests => "`If-Match` is missing; read the tests first and send their `ETag`",
    };
    Err(Problem::with_status(
        428,
        RpcCode::FailedPrecondition,
        "precondition_required",
        message,
    ))
}

impl Precondition {
    /// Checks that this is the current state.
    ///
    /// # Errors
    /// The state has changed: 412.
    pub(crate) fn check(&self, etag: &str) -> Result<(), Problem> {
        if contains(&self.etags, etag) {
            return Ok(());
        }
        let (code, message) = match self.of {
            Tagged::Policy => (
                "policy_changed",
                "the policy has changed; read it again and repeat your change",
            ),
            Tagged::Tests => (
                "tests_changed",
                "the tests have changed; read them again and repeat your change",
            ),
        };
        Err(Problem::with_status(
            412,
            RpcCode::FailedPrecondition,
            code,
            message,
        ))
    }
}

/// Whether the client has this state already, by `If-None-Match`.
pub(crate) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    matches!(headers.get(header::IF_NONE_MATCH), Some(known) if contains(known, etag))
}

/// Whether a list of entity tags contains this one; `*` matches any (RFC 9110 13.1). A compressed
/// response has the tag of the document itself, so weak tags are compared like strong ones.
fn contains(list: &HeaderValue, etag: &str) -> bool {
    let mut tags = list.to_str().unwrap_or_default().split(',').map(str::trim);
    tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// Adds the entity tag to a response. Clients keep a document only themselves, not in a cache.
pub(crate) fn with_etag(mut response: Response, etag: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, etag);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
