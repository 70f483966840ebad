//! The credentials of a request, and the response if they are rejected.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use gbac_api::problem::RpcCode;
use gbac_api::session::SESSION_HEADER;

use super::cookies::Cookie;
use super::problem::Problem;
use super::request_head::{OWN_AUTHORIZATION, client_ip, request_head};
use super::surface::Surface;
use crate::identity::sign_in::{Credentials, Scheme, SignInError};
use crate::state::public_endpoint::PublicEndpoint;

/// The credentials of a request: those in `Authorization`, otherwise its session.
pub(crate) fn credentials(request: &Request, endpoint: &PublicEndpoint) -> Credentials {
    let mut credentials = cluster_credentials(request);
    if credentials.given.is_none() {
        credentials.given = session(request.headers(), endpoint);
    }
    credentials
}

/// The credentials for the cluster of a request that is relayed. A session is never one of them.
pub(crate) fn cluster_credentials(request: &Request) -> Credentials {
    Credentials {
        given: authorization(request.headers(), &header::AUTHORIZATION),
        client: client_ip(request.extensions()),
        request: request_head(request),
    }
}

/// The credentials for this service of a request that is relayed: those in `GBAC-Authorization` or
/// its session, because `Authorization` is for the cluster. Without them, the latter have to be
/// valid for both.
pub(crate) fn relay_credentials(request: &Request, endpoint: &PublicEndpoint) -> Credentials {
    let own = authorization(request.headers(), &OWN_AUTHORIZATION)
        .or_else(|| session(request.headers(), endpoint));
    let for_cluster = cluster_credentials(request);
    Credentials {
        given: own.or(for_cluster.given),
        ..for_cluster
    }
}

fn session(headers: &HeaderMap, endpoint: &PublicEndpoint) -> Option<(Scheme, String)> {
    let id = session_id(headers, endpoint.is_https())?;
    Some((Scheme::Session, id.to_owned()))
}

/// The ID of the session of a request. Its cookie counts only beside a header that no page of
/// another origin can send (D-66).
pub(crate) fn session_id(headers: &HeaderMap, is_https: bool) -> Option<&str> {
    if uses_session(headers) {
        Cookie::Session.get(is_https, headers)
    } else {
        None
    }
}

/// Whether a request is to be authenticated with its session.
pub(crate) fn uses_session(headers: &HeaderMap) -> bool {
    headers.contains_key(SESSION_HEADER)
}

fn authorization(headers: &HeaderMap, name: &HeaderName) -> Option<(Scheme, String)> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    let other = (Scheme::Other, String::new());
    if values.next().is_some() {
        return Some(other);
    }
    let Some((scheme, rest)) = value.to_str().unwrap_or_default().split_once(' ') else {
        return Some(other);
    };
    let rest = rest.trim_matches(' ').to_owned();
    Some(if scheme.eq_ignore_ascii_case("bearer") {
        (Scheme::Bearer, rest)
    } else if scheme.eq_ignore_ascii_case("basic") {
        (Scheme::Basic, rest)
    } else {
        other
    })
}

/// Whether a browser may have sent the request.
pub(crate) fn is_from_browser(headers: &HeaderMap) -> bool {
    let is_agent = match headers.get(header::USER_AGENT) {
        Some(agent) => agent.as_bytes().starts_with(b"Mozilla/"),
        None => false,
    };
    is_agent || headers.contains_key("sec-fetch-mode")
}

/// The response for a request that is not signed in. Browsers get no `Basic` challenge, for which
/// they would open a password dialog.
pub(crate) fn sign_in_problem(
    error: &SignInError,
    surface: Surface,
    from_browser: bool,
) -> Problem {
    let scheme = match error {
        SignInError::MissingCredentials => None,
        SignInError::InvalidCredentials(scheme) => Some(scheme),
        SignInError::TooManyAttempts(wait) => {
            let seconds = wait.ceil().max(1.0);
            let message = format!("too many failed sign-ins; try again in {seconds} s");
            let problem = Problem::new(RpcCode::ResourceExhausted, message);
            return match HeaderValue::from_str(&seconds.to_string()) {
                Ok(seconds) => problem.with_header(header::RETRY_AFTER, seconds),
                Err(_) => problem,
            };
        }
        SignInError::Audit(error) => return (*error).into(),
    };
    let message = match (scheme, surface) {
        (None, Surface::Admin) => "Forbidden (authentication is required)",
        (Some(_), Surface::Admin) => "Unauthorized",
        (None, _) => "authentication required; send a password or a token",
        (Some(Scheme::Session), _) => "the session has ended; sign in again",
        (Some(_), _) => "credentials rejected",
    };
    let problem = Problem::new(RpcCode::Unauthenticated, message);
    let bearer = HeaderValue::from_static(match scheme {
        Some(Scheme::Bearer) => "Bearer realm=\"gbac\", error=\"invalid_token\"",
        _ => "Bearer realm=\"gbac\"",
    });
    let basic = HeaderValue::from_static("Basic realm=\"gbac\", charset=\"UTF-8\"");
    match scheme {
        _ if from_browser => problem.with_header(header::WWW_AUTHENTICATE, bearer),
        Some(Scheme::Basic) => problem.with_header(header::WWW_AUTHENTICATE, basic),
        Some(Scheme::Bearer) => problem.with_header(header::WWW_AUTHENTICATE, bearer),
        None | Some(Scheme::Other | Scheme::Session) => problem
            .with_header(header::WWW_AUTHENTICATE, bearer)
            .with_header(header::WWW_AUTHENTICATE, basic),
    }
}
