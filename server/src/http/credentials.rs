//! The credentials of a request, and the response if they are rejected.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use gbac_api::problem::RpcCode;

use super::problem::Problem;
use super::request_head::{OWN_AUTHORIZATION, request_head};
use super::surface::Surface;
use crate::identity::sign_in::{Credentials, Scheme, SignInError};

/// The credentials of a request.
pub(crate) fn credentials(request: &Request) -> Credentials {
    let client = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(client)| client.ip());
    Credentials {
        given: authorization(request.headers(), &header::AUTHORIZATION),
        client,
        request: request_head(request),
    }
}

/// The credentials for this service of a request that is relayed: those in `GBAC-Authorization`, because `Authorization` is for
/// the cluster. Without that header, the latter have to be valid for both.
pub(crate) fn relay_credentials(request: &Request) -> Credentials {
    let own = authorization(request.headers(), &OWN_AUTHORIZATION);
    let for_cluster = credentials(request);
    Credentials { given: own.or(for_cluster.given), ..for_cluster }
}

fn authorization(headers: &HeaderMap, name: &HeaderName) -> Option<(Scheme, String)> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    let other = (Scheme::Other, String::new());
    if values.next().is_some() {
        return Some(other);
    }
    let Some((scheme, rest)) = value.to_str().ok().and_then(|text| text.split_once(' ')) else { return Some(other) };
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
    headers.contains_key("sec-fetch-mode")
        || headers.get(header::USER_AGENT).is_some_and(|agent| agent.as_bytes().starts_with(b"Mozilla/"))
}

/// The response for a request that is not signed in. Browsers get no `Basic` challenge, for which they would open a password
/// dialog.
pub(crate) fn sign_in_problem(error: &SignInError, surface: Surface, from_browser: bool) -> Problem {
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
        None | Some(Scheme::Other) => {
            problem.with_header(header::WWW_AUTHENTICATE, bearer).with_header(header::WWW_AUTHENTICATE, basic)
        }
    }
}
