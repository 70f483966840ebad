//! `/gbac/v1/sign-in` and `/gbac/v1/session`: sign-in with the identity provider in a browser, and
//! the session that it opens (D-65, D-66).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::encode::{first_value, parse_query};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_api::session::{CurrentSession, ProviderSession, RETURN_PARAMETER, problem_page};

use super::registration::Routes;
use crate::clock;
use crate::http::access::Access;
use crate::http::cookies::Cookie;
use crate::http::credentials::session_id;
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::request_head::{client_ip, request_head};
use crate::http::surface::Surface;
use crate::identity::provider_sign_in::{MAX_SECONDS, ProviderAnswer, ProviderSignIn};
use crate::identity::sign_in::Authenticator;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(paths::SIGN_IN, Access::Public, get(start))
        .route(paths::SIGN_IN_CALLBACK, Access::Public, get(finish))
        .route(paths::SESSION, Access::Public, get(read).delete(close))
}

type SignIn = Option<Arc<ProviderSignIn>>;

/// Leads the browser to the provider.
async fn start(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    State(sign_in): State<SignIn>,
    request: Request,
) -> Response {
    let Some(sign_in) = sign_in else {
        return off(request).await;
    };
    let is_https = service.endpoint().is_https();
    // A query that cannot be read names no page to return to.
    let parameters = parse_query(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let (return_to, started) = sign_in
        .start(
            &authenticator,
            first_value(&parameters, RETURN_PARAMETER),
            service.now(),
        )
        .await;
    match started {
        Ok(started) => {
            let cookie = Cookie::SignIn.set(is_https, &started.cookie, Some(MAX_SECONDS));
            see_other(started.authorization.as_str(), [cookie])
        }
        Err(failure) => see_other(&problem_page(failure.problem, &return_to), []),
    }
}

/// Opens a session with the answer of the provider.
async fn finish(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    State(sign_in): State<SignIn>,
    request: Request,
) -> Response {
    let Some(sign_in) = sign_in else {
        return off(request).await;
    };
    let is_https = service.endpoint().is_https();
    let parameters = parse_query(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let head = request_head(&request);
    let client = client_ip(request.extensions());
    let (Parts { headers, .. }, _) = request.into_parts();
    let answer = ProviderAnswer {
        parameters: &parameters,
        cookie: Cookie::SignIn.get(is_https, &headers),
        client,
        request: &head,
    };
    let (return_to, opened) = sign_in.finish(&authenticator, answer, service.now()).await;
    let used = Cookie::SignIn.delete(is_https);
    match opened {
        Ok(id) => {
            // A browser has one session.
            if let Some(before) = Cookie::Session.get(is_https, &headers) {
                authenticator.close_session(&head, before).await;
            }
            see_other(&return_to, [used, Cookie::Session.set(is_https, &id, None)])
        }
        Err(failure) => see_other(&problem_page(failure.problem, &return_to), [used]),
    }
}

/// The session of the browser.
async fn read(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let is_https = service.endpoint().is_https();
    let Some(id) = session_id(request.headers(), is_https) else {
        return Json(CurrentSession::default()).into_response();
    };
    match authenticator.session(id).await {
        Some(session) => {
            let expires = clock::rfc3339(session.expires_at);
            let session = ProviderSession {
                issuer: session.issuer(),
                user: session.user,
                expires,
            };
            Json(CurrentSession {
                session: Some(session),
            })
            .into_response()
        }
        None => with_cookies(
            Json(CurrentSession::default()).into_response(),
            [Cookie::Session.delete(is_https)],
        ),
    }
}

/// Signs out: ends the session of the browser.
async fn close(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    request: Request,
) -> Response {
    let is_https = service.endpoint().is_https();
    let Some(id) = session_id(request.headers(), is_https) else {
        return Json(CurrentSession::default()).into_response();
    };
    authenticator
        .close_session(&request_head(&request), id)
        .await;
    with_cookies(
        Json(CurrentSession::default()).into_response(),
        [Cookie::Session.delete(is_https)],
    )
}

async fn off(request: Request) -> Response {
    let message = "users cannot sign in with the identity provider; start the service with `--oidc-client-id`";
    reject(
        request,
        Problem::with_status(404, RpcCode::NotFound, "sign_in_off", message),
    )
    .await
}

fn see_other<const N: usize>(location: &str, cookies: [Option<HeaderValue>; N]) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    match HeaderValue::try_from(location) {
        Ok(location) => drop(response.headers_mut().insert(header::LOCATION, location)),
        // Every location here is a URL.
        Err(_) => *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR,
    }
    with_cookies(response, cookies)
}

fn with_cookies<const N: usize>(
    mut response: Response,
    cookies: [Option<HeaderValue>; N],
) -> Response {
    for cookie in cookies.into_iter().flatten() {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
