//! A browser that signs in to a service with an identity provider, request by request.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use gbac_server::{OidcClientOptions, ServeOptions};
use serde_json::{Value, json};

use crate::harness::{Answer, NOW, Own, Service, data_options};
use crate::identity_provider::{AUDIENCE, Provider, Says, TOKEN};

pub(crate) const CLIENT: &str = "gbac console";
const SECRET: &str = "s3cret&+";
pub(crate) const ORIGIN: &str = "https://gbac.example";
pub(crate) const HOST: &str = "gbac.example";
pub(crate) const START: &str = "/gbac/v1/sign-in";
pub(crate) const SESSION: &str = "/gbac/v1/session";

/// A service that is a client of a provider, with the superuser `root`.
pub(crate) fn client(provider: &Provider, change: impl FnOnce(&mut ServeOptions)) -> Own {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), format!("{SECRET}\n")).unwrap();
    Own::with(|options| {
        options.endpoint.public_url = Some(ORIGIN.into());
        let data = data_options(options);
        data.oidc_discovery_url = Some(provider.discovery());
        data.oidc_audience = Some(AUDIENCE.into());
        let secret_file = Some(secret.path().to_owned());
        data.oidc_client = Some(Box::new(OidcClientOptions {
            id: CLIENT.into(),
            secret_file,
            scope: None,
        }));
        change(options);
    })
}

pub(crate) async fn service(provider: &Provider) -> Own {
    let service = client(provider, |_| {});
    set(&service, &json!({ "superusers": ["root"] })).await;
    service
}

pub(crate) async fn set(service: &Service, upsert: &Value) {
    let answer = service
        .send(
            Method::PUT,
            "/v1/cluster_config",
            &json!({ "upsert": upsert, "remove": [] }),
        )
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
}

/// A request of a browser: with these headers.
pub(crate) async fn browse(
    service: &Service,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
) -> Answer {
    browse_from(service, method, path, headers, "192.0.2.1").await
}

pub(crate) async fn browse_from(
    service: &Service,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    peer: &str,
) -> Answer {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("host", HOST);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request
        .header("content-type", "application/json")
        .body(Body::from(r#"{"name":"r"}"#))
        .unwrap();
    request.extensions_mut().insert(ConnectInfo(
        format!("{peer}:1").parse::<SocketAddr>().unwrap(),
    ));
    service.ask(request).await
}

/// The cookies that an answer sets, each with its attributes.
pub(crate) fn cookies(answer: &Answer) -> BTreeMap<String, String> {
    let all = answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|value| value.to_str().unwrap().to_owned());
    all.map(|cookie| (cookie.split('=').next().unwrap().to_owned(), cookie))
        .collect()
}

/// What a browser sends of a cookie.
pub(crate) fn sent(cookie: &str) -> String {
    cookie.split(';').next().unwrap().to_owned()
}

/// A sign-in at the provider's page: what was requested there, and the cookie of the attempt.
pub(crate) struct AtProvider {
    pub(crate) requested: BTreeMap<String, String>,
    pub(crate) cookie: String,
}

pub(crate) async fn start(service: &Service, return_to: &str) -> AtProvider {
    let path = format!("{START}?return={}", gbac_api::encode::component(return_to));
    let answer = browse(service, Method::GET, &path, &[]).await;
    assert_eq!(answer.status, 303, "{:?}", answer.body);
    let (page, query) = answer.header("location").split_once('?').unwrap();
    assert!(page.ends_with("/authorize"), "{page}");
    let pairs = gbac_api::encode::parse_query(query).unwrap();
    let cookie = sent(&cookies(&answer)["__Host-gbac-sign-in"]);
    AtProvider {
        requested: pairs.into_iter().collect(),
        cookie,
    }
}

/// The ID token of a user for this attempt, with changed claims.
pub(crate) fn id_token(provider: &Provider, at: &AtProvider, user: &str, change: &Value) -> String {
    id_token_as(provider, "JWT", at, user, change)
}

/// The same with this type.
pub(crate) fn id_token_as(
    provider: &Provider,
    typ: &str,
    at: &AtProvider,
    user: &str,
    change: &Value,
) -> String {
    let mut claims = json!({ "iss": provider.origin, "aud": CLIENT, "sub": user, "iat": NOW, "exp": NOW + 300.0,
        "nonce": at.requested["nonce"] });
    claims
        .as_object_mut()
        .unwrap()
        .extend(change.as_object().unwrap().clone());
    provider.sign_as(typ, "a", &claims)
}

pub(crate) fn says_tokens(provider: &Provider, id: &str, access: &str) {
    let body =
        json!({ "token_type": "Bearer", "id_token": id, "access_token": access }).to_string();
    provider.say(TOKEN, Says::Body(body.into_bytes()));
}

/// The provider's answer, with these parameters besides the state.
pub(crate) async fn answer(service: &Service, at: &AtProvider, parameters: &str) -> Answer {
    answer_from(service, at, parameters, "192.0.2.1").await
}

pub(crate) async fn answer_from(
    service: &Service,
    at: &AtProvider,
    parameters: &str,
    peer: &str,
) -> Answer {
    let path = format!(
        "{START}/callback?state={}&{parameters}",
        at.requested["state"]
    );
    browse_from(service, Method::GET, &path, &[("cookie", &at.cookie)], peer).await
}

/// Signs a user in; the cookie of the session.
pub(crate) async fn sign_in(service: &Service, provider: &Provider, user: &str) -> String {
    let at = start(service, "/").await;
    says_tokens(
        provider,
        &id_token(provider, &at, user, &json!({})),
        &provider.token("a", user),
    );
    let answer = answer(service, &at, "code=c").await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    sent(&cookies(&answer)["__Host-gbac-session"])
}

/// The name of the user whose session this is.
pub(crate) async fn user(service: &Service, cookie: &str) -> Option<String> {
    let answer = browse(
        service,
        Method::GET,
        SESSION,
        &[("cookie", cookie), ("gbac-session", "1")],
    )
    .await;
    assert_eq!(answer.status, 200);
    answer.json()["session"]["user"].as_str().map(str::to_owned)
}

/// The problem with which a sign-in ends, and where it returns.
pub(crate) fn problem(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 303);
    let cookies = cookies(answer);
    assert!(!cookies.contains_key("__Host-gbac-session"), "{cookies:?}");
    let (page, query) = answer.header("location").split_once('?').unwrap();
    assert_eq!(page, "/sign-in");
    let pairs: BTreeMap<String, String> = gbac_api::encode::parse_query(query)
        .unwrap()
        .into_iter()
        .collect();
    (pairs["problem"].clone(), pairs["return"].clone())
}
