//! Sign-in with the identity provider in a browser: what is sent to the provider, what is accepted from it, and what the session
//! opens (D-65, D-66).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use gbac_server::{OidcClientOptions, ServeOptions};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{Answer, NOW, Own, Service, admin, data_options};
use crate::identity_provider::{AUDIENCE, DISCOVERY, KEYS, Provider, Says, TOKEN};
use crate::upstream::Cluster;

const CLIENT: &str = "gbac console";
const SECRET: &str = "s3cret&+";
const ORIGIN: &str = "https://gbac.example";
const HOST: &str = "gbac.example";
const START: &str = "/gbac/v1/sign-in";
const SESSION: &str = "/gbac/v1/session";

/// A service that is a client of a provider, with the superuser `root`.
fn client(provider: &Provider, change: impl FnOnce(&mut ServeOptions)) -> Own {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), format!("{SECRET}\n")).unwrap();
    Own::with(|options| {
        options.endpoint.public_url = Some(ORIGIN.into());
        let data = data_options(options);
        data.oidc_discovery_url = Some(provider.discovery());
        data.oidc_audience = Some(AUDIENCE.into());
        let secret_file = Some(secret.path().to_owned());
        data.oidc_client = Some(OidcClientOptions { id: CLIENT.into(), secret_file, scope: None });
        change(options);
    })
}

async fn service(provider: &Provider) -> Own {
    let service = client(provider, |_| {});
    set(&service, &json!({ "superusers": ["root"] })).await;
    service
}

async fn set(service: &Service, upsert: &Value) {
    let answer = service.send(Method::PUT, "/v1/cluster_config", &json!({ "upsert": upsert, "remove": [] })).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
}

/// A request of a browser: with these headers.
async fn browse(service: &Service, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
    browse_from(service, method, path, headers, "192.0.2.1").await
}

async fn browse_from(service: &Service, method: Method, path: &str, headers: &[(&str, &str)], peer: &str) -> Answer {
    let mut request = Request::builder().method(method).uri(path).header("host", HOST);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.header("content-type", "application/json").body(Body::from(r#"{"name":"r"}"#)).unwrap();
    request.extensions_mut().insert(ConnectInfo(format!("{peer}:1").parse::<SocketAddr>().unwrap()));
    service.ask(request).await
}

/// The cookies that an answer sets, each with its attributes.
fn cookies(answer: &Answer) -> BTreeMap<String, String> {
    let all = answer.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap().to_owned());
    all.map(|cookie| (cookie.split('=').next().unwrap().to_owned(), cookie)).collect()
}

/// What a browser sends of a cookie.
fn sent(cookie: &str) -> String {
    cookie.split(';').next().unwrap().to_owned()
}

/// A sign-in at the provider's page: what was requested there, and the cookie of the attempt.
struct AtProvider {
    requested: BTreeMap<String, String>,
    cookie: String,
}

async fn start(service: &Service, return_to: &str) -> AtProvider {
    let path = format!("{START}?return={}", gbac_api::encode::component(return_to));
    let answer = browse(service, Method::GET, &path, &[]).await;
    assert_eq!(answer.status, 303, "{:?}", answer.body);
    let (page, query) = answer.header("location").split_once('?').unwrap();
    assert!(page.ends_with("/authorize"), "{page}");
    let pairs = gbac_api::encode::parse_query(query).unwrap();
    let cookie = sent(&cookies(&answer)["__Host-gbac-sign-in"]);
    AtProvider { requested: pairs.into_iter().collect(), cookie }
}

/// The ID token of a user for this attempt, with changed claims.
fn id_token(provider: &Provider, at: &AtProvider, user: &str, change: &Value) -> String {
    let mut claims = json!({ "iss": provider.origin, "aud": CLIENT, "sub": user, "iat": NOW, "exp": NOW + 300.0,
        "nonce": at.requested["nonce"] });
    claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    provider.sign("a", &claims)
}

fn says_tokens(provider: &Provider, id: &str, access: &str) {
    let body = json!({ "token_type": "Bearer", "id_token": id, "access_token": access }).to_string();
    provider.say(TOKEN, Says::Body(body.into_bytes()));
}

/// The provider's answer, with these parameters besides the state.
async fn answer(service: &Service, at: &AtProvider, parameters: &str) -> Answer {
    answer_from(service, at, parameters, "192.0.2.1").await
}

async fn answer_from(service: &Service, at: &AtProvider, parameters: &str, peer: &str) -> Answer {
    let path = format!("{START}/callback?state={}&{parameters}", at.requested["state"]);
    browse_from(service, Method::GET, &path, &[("cookie", &at.cookie)], peer).await
}

/// Signs a user in; the cookie of the session.
async fn sign_in(service: &Service, provider: &Provider, user: &str) -> String {
    let at = start(service, "/").await;
    says_tokens(provider, &id_token(provider, &at, user, &json!({})), &provider.token("a", user));
    let answer = answer(service, &at, "code=c").await;
    assert_eq!((answer.status, answer.header("location")), (303, "/"));
    sent(&cookies(&answer)["__Host-gbac-session"])
}

/// The name of the user whose session this is.
async fn user(service: &Service, cookie: &str) -> Option<String> {
    let answer = browse(service, Method::GET, SESSION, &[("cookie", cookie), ("gbac-session", "1")]).await;
    assert_eq!(answer.status, 200);
    answer.json()["session"]["user"].as_str().map(str::to_owned)
}

/// The problem with which a sign-in ends, and where it returns.
fn problem(answer: &Answer) -> (String, String) {
    assert_eq!(answer.status, 303);
    let cookies = cookies(answer);
    assert!(!cookies.contains_key("__Host-gbac-session"), "{cookies:?}");
    let (page, query) = answer.header("location").split_once('?').unwrap();
    assert_eq!(page, "/sign-in");
    let pairs: BTreeMap<String, String> = gbac_api::encode::parse_query(query).unwrap().into_iter().collect();
    (pairs["problem"].clone(), pairs["return"].clone())
}

#[tokio::test]
async fn a_user_signs_in_with_the_provider_and_gets_a_session() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let offer = service.get("/gbac/v1/service").await.json()["provider_sign_in"].clone();
    let host = provider.origin.trim_start_matches("http://");
    assert_eq!(offer, json!({ "host": host, "url": format!("{ORIGIN}{START}") }));

    let begun = browse(&service, Method::GET, &format!("{START}?return=%2Fsecurity%2Freview"), &[]).await;
    let cookie = cookies(&begun).remove("__Host-gbac-sign-in").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"), "{cookie}");
    assert_eq!(begun.header("cache-control"), "no-store");

    let at = start(&service, "/security/review").await;
    let requested = |name: &str| at.requested.get(name).map(String::as_str);
    assert_eq!(
        (requested("response_type"), requested("client_id"), requested("scope"), requested("tenant")),
        (Some("code"), Some(CLIENT), Some("openid"), Some("1"))
    );
    let redirect_uri = format!("{ORIGIN}{START}/callback");
    assert_eq!(requested("redirect_uri"), Some(redirect_uri.as_str()));
    assert_eq!(requested("code_challenge_method"), Some("S256"));

    says_tokens(&provider, &id_token(&provider, &at, "root", &json!({})), &provider.token("a", "root"));
    let answer = answer(&service, &at, "code=the%20code&session_state=x").await;
    assert_eq!((answer.status, answer.header("location")), (303, "/security/review"));
    let set = cookies(&answer);
    assert!(set["__Host-gbac-sign-in"].contains("Max-Age=0"), "{set:?}");
    let session = &set["__Host-gbac-session"];
    assert!(session.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{session}");

    let (head, form) = provider.exchange();
    let form: BTreeMap<String, String> = gbac_api::encode::parse_query(&form).unwrap().into_iter().collect();
    assert_eq!((form["grant_type"].as_str(), form["code"].as_str()), ("authorization_code", "the code"));
    assert_eq!(form["redirect_uri"], redirect_uri);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(form["code_verifier"].as_bytes()));
    assert_eq!(requested("code_challenge"), Some(challenge.as_str()));
    let credentials = format!("authorization: basic {}", STANDARD.encode("gbac+console:s3cret%26%2B").to_lowercase());
    assert!(head.to_lowercase().contains(&credentials), "{head}");
    assert!(!form.contains_key("client_secret"));

    let session = sent(session);
    let current = browse(&service, Method::GET, SESSION, &[("cookie", &session), ("gbac-session", "1")]).await;
    assert_eq!(current.json(), json!({ "session": { "user": "root", "expires": "2027-01-15T09:00:00Z" } }));
    let with = [("cookie", session.as_str()), ("gbac-session", "1"), ("origin", ORIGIN)];
    assert_eq!(browse(&service, Method::GET, "/v1/roles", &with).await.status, 200);
    assert_eq!(browse(&service, Method::POST, "/v1/roles", &with).await.status, 201);
    let resolve = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let resolved = browse(&service, Method::POST, resolve, &with).await.json();
    assert_eq!((&resolved["principal"], &resolved["groups"]), (&json!("root"), &json!(["eng", "ops"])));
}

#[tokio::test]
async fn only_the_answer_to_an_own_attempt_opens_a_session_and_only_once() {
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    #[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
    let clock = || NOW + SECONDS.load(Ordering::Relaxed) as f64;
    let provider = Provider::start().await;
    let service = client(&provider, |options| options.clock = Some(clock));
    let elsewhere = client(&provider, |options| options.clock = Some(clock));
    let ask = async |cookie: Option<&str>, query: &str| {
        let headers: Vec<(&str, &str)> = cookie.map(|cookie| ("cookie", cookie)).into_iter().collect();
        problem(&browse(&service, Method::GET, &format!("{START}/callback?{query}"), &headers).await)
    };
    let at = start(&service, "/connection").await;
    let other = start(&service, "/security/review").await;
    says_tokens(&provider, &id_token(&provider, &at, "root", &json!({})), &provider.token("a", "root"));
    let state = at.requested["state"].clone();
    let interrupted = |page: &str| ("interrupted".to_owned(), page.to_owned());
    let good = format!("state={state}&code=c");

    assert_eq!(ask(None, &good).await, interrupted("/"), "no cookie");
    let forged = format!("{}A", at.cookie);
    let unsigned = at.cookie.rsplit_once('.').unwrap().0.to_owned();
    let foreign = start(&elsewhere, "/connection").await.cookie;
    let twice = format!("{}; {}", at.cookie, at.cookie);
    for cookie in ["__Host-gbac-sign-in=", "__Host-gbac-sign-in=a.b.c.d", &forged, &unsigned, &foreign, &twice] {
        assert_eq!(ask(Some(cookie), &good).await, interrupted("/"), "{cookie}");
    }
    for query in ["code=c", "state=&code=c", "state=x&code=c", &format!("state={state}&state={state}&code=c")] {
        assert_eq!(ask(Some(&at.cookie), query).await, interrupted("/connection"), "{query}");
    }
    assert_eq!(ask(Some(&other.cookie), &good).await, interrupted("/security/review"), "the state of another attempt");
    assert_eq!(provider.asked(TOKEN), 0, "the provider is not asked for any of them");

    let done = answer(&service, &at, "code=c").await;
    assert_eq!((done.status, done.header("location")), (303, "/connection"));
    assert_eq!(problem(&answer(&service, &at, "code=c").await), interrupted("/connection"), "replayed");
    assert_eq!(provider.asked(TOKEN), 1);

    let late = start(&service, "/connection").await;
    SECONDS.store(600, Ordering::Relaxed);
    assert_eq!(problem(&answer(&service, &late, "code=c").await), interrupted("/"), "expired");

    let repeated = start(&service, "/").await;
    assert_eq!(problem(&answer(&service, &repeated, "code=c&code=d").await), interrupted("/"));
    assert_eq!(problem(&answer(&service, &start(&service, "/").await, "iss=x&code=c").await), interrupted("/"));
    assert_eq!(provider.asked(TOKEN), 1);
}

#[tokio::test]
async fn every_check_of_the_id_token_is_required() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let refused = |code: &str| (code.to_owned(), "/".to_owned());
    for (what, change) in [
        ("nonce", json!({ "nonce": "x" })),
        ("no nonce", json!({ "nonce": null })),
        ("issuer", json!({ "iss": "https://other.example" })),
        ("audience", json!({ "aud": AUDIENCE })),
        ("expired", json!({ "exp": NOW - 60.0 })),
        ("from the future", json!({ "nbf": NOW + 60.0 })),
        ("another party", json!({ "azp": "other" })),
        ("no party", json!({ "azp": 1 })),
        ("several audiences without a party", json!({ "aud": [CLIENT, AUDIENCE] })),
    ] {
        let at = start(&service, "/").await;
        says_tokens(&provider, &id_token(&provider, &at, "root", &change), &provider.token("a", "root"));
        let ended = answer_from(&service, &at, "code=c", &format!("10.0.{}.1", what.len())).await;
        assert_eq!(problem(&ended), refused("token_refused"), "{what}");
    }
    let at = start(&service, "/").await;
    let mut forged = id_token(&provider, &at, "root", &json!({}));
    forged.truncate(forged.len() - 8);
    says_tokens(&provider, &format!("{forged}AAAAAAAA"), &provider.token("a", "root"));
    assert_eq!(problem(&answer(&service, &at, "code=c").await), refused("token_refused"), "forged");
    let at = start(&service, "/").await;
    says_tokens(
        &provider,
        &id_token(&provider, &at, "root", &json!({ "aud": [CLIENT, AUDIENCE], "azp": CLIENT })),
        &provider.token("a", "root"),
    );
    assert_eq!(answer(&service, &at, "code=c").await.header("location"), "/");
}

#[tokio::test]
async fn the_identity_is_that_of_the_token_for_the_audience() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    // The access token is checked as one that is sent with a request is.
    let claims = |aud: &str, exp: f64| json!({ "iss": provider.origin, "aud": aud, "sub": "root", "exp": exp });
    for (access, expected) in [
        (provider.sign("a", &claims("other", NOW + 60.0)), "token_refused"),
        (provider.sign("a", &claims(AUDIENCE, NOW - 60.0)), "token_refused"),
        (provider.sign("a", &claims(CLIENT, NOW + 60.0)), "token_refused"),
        ("opaque".to_owned(), "token_refused"),
    ] {
        let at = start(&service, "/").await;
        says_tokens(&provider, &id_token(&provider, &at, "root", &json!({})), &access);
        assert_eq!(problem(&answer(&service, &at, "code=c").await).0, expected, "{access}");
    }
    // The ID token names another user, which some providers do: its `sub` is one for each client.
    let at = start(&service, "/").await;
    says_tokens(&provider, &id_token(&provider, &at, "pairwise-4711", &json!({})), &provider.token("a", "maya"));
    let cookie = sent(&cookies(&answer(&service, &at, "code=c").await)["__Host-gbac-session"]);
    assert_eq!(user(&service, &cookie).await.as_deref(), Some("maya"));

    // If the audience is the client itself, it is the ID token that is for it, and the access token may be opaque.
    let service = client(&provider, |options| data_options(options).oidc_audience = Some(CLIENT.into()));
    let at = start(&service, "/").await;
    says_tokens(&provider, &id_token(&provider, &at, "jonas", &json!({ "groups": ["ops"] })), "opaque");
    let cookie = sent(&cookies(&answer(&service, &at, "code=c").await)["__Host-gbac-session"]);
    assert_eq!(user(&service, &cookie).await.as_deref(), Some("jonas"));
}

#[tokio::test]
async fn a_session_changes_something_only_from_a_page_of_the_console() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let cookie = sign_in(&service, &provider, "root").await;
    let cookie = cookie.as_str();
    let post = async |headers: &[(&str, &str)]| {
        let headers = [&[("cookie", cookie)][..], headers].concat();
        let answer = browse(&service, Method::POST, "/v1/roles", &headers).await;
        answer.status
    };
    let mark = ("gbac-session", "1");
    for (what, status, headers) in [
        ("without the header", 401, &[("origin", ORIGIN)][..]),
        ("without anything", 401, &[]),
        ("without an origin", 403, &[mark]),
        ("from no page", 403, &[mark, ("sec-fetch-site", "none")]),
        ("without an origin, but said to be of the same", 403, &[mark, ("sec-fetch-site", "same-origin")]),
        ("another origin", 403, &[mark, ("origin", "https://evil.example")]),
        ("another port", 403, &[mark, ("origin", "https://gbac.example:8443")]),
        ("a subdomain", 403, &[mark, ("origin", "https://x.gbac.example")]),
        ("without TLS", 403, &[mark, ("origin", "http://gbac.example")]),
        ("an opaque origin", 403, &[mark, ("origin", "null")]),
        ("another site that states this origin", 403, &[mark, ("origin", ORIGIN), ("sec-fetch-site", "cross-site")]),
        ("the same site", 403, &[mark, ("origin", ORIGIN), ("sec-fetch-site", "same-site")]),
        ("two origins", 400, &[mark, ("origin", ORIGIN), ("origin", ORIGIN)]),
        ("a page of the console", 201, &[mark, ("origin", ORIGIN), ("sec-fetch-site", "same-origin")]),
    ] {
        assert_eq!(post(headers).await, status, "{what}");
    }
    let roles = service.get_as("/v1/roles", &admin()).await.json();
    assert_eq!(roles["roles"], json!([{ "name": "r" }]));
    for (method, path) in
        [(Method::DELETE, "/v1/roles/r"), (Method::PUT, "/gbac/v1/license"), (Method::DELETE, SESSION)]
    {
        let headers = [("cookie", cookie), mark, ("origin", "https://evil.example")];
        assert_eq!(browse(&service, method, path, &headers).await.status, 403, "{path}");
    }
    assert_eq!(user(&service, cookie).await.as_deref(), Some("root"), "nobody else ends the session");
    // Another body than JSON is refused as ever.
    let mut request = Request::post("/v1/roles").header("host", HOST).header("cookie", cookie).header(mark.0, mark.1);
    request = request.header("origin", ORIGIN).header("content-type", "text/plain");
    assert_eq!(service.ask(request.body(Body::from("{}")).unwrap()).await.status, 415);
}

#[tokio::test]
async fn a_session_opens_what_its_user_may_do_and_the_events_say_so() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    set(&service, &json!({ "audit_enabled": true })).await;
    let root = sign_in(&service, &provider, "root").await;
    let maya = sign_in(&service, &provider, "maya").await;
    let get = async |cookie: &str, path: &str| {
        browse(&service, Method::GET, path, &[("cookie", cookie), ("gbac-session", "1")]).await.status
    };
    assert_eq!((get(&maya, "/v1/roles").await, get(&root, "/v1/roles").await), (403, 200));
    assert_eq!((get(&maya, "/gbac/v1/backup").await, get(&root, "/gbac/v1/backup").await), (403, 200));
    // The access of the groups, with the settings of the moment.
    let tag = service.get_as("/gbac/v1/policy", &admin()).await.header("etag").to_owned();
    let access =
        json!({ "changes": [{ "change": "settings", "settings": { "access": { "read_only": ["Group:ops"] } } }] });
    let mut grant = crate::harness::request(Method::POST, "/gbac/v1/policy/changes", &admin(), &access.to_string());
    grant.headers_mut().insert("if-match", tag.parse().unwrap());
    assert_eq!(service.ask(grant).await.status, 200);
    assert_eq!(get(&maya, "/v1/roles").await, 200);
    // A token that no longer passes ends what its session opens.
    set(&service, &json!({ "oidc_principal_mapping": "$.nobody" })).await;
    assert_eq!((get(&root, "/v1/roles").await, user(&service, &root).await), (401, None));
    set(&service, &json!({ "oidc_principal_mapping": "$.sub" })).await;
    let with = [("cookie", root.as_str()), ("gbac-session", "1"), ("origin", ORIGIN)];
    assert_eq!(browse(&service, Method::DELETE, SESSION, &with).await.status, 200);
    let at = start(&service, "/").await;
    assert_eq!(problem(&answer(&service, &at, "error=access_denied").await).0, "declined");

    let audit = service.get_as("/gbac/v1/audit?limit=1000", &admin()).await;
    let text = String::from_utf8_lossy(&audit.body).into_owned();
    let secret = |text: &str| text.split('=').nth(1).unwrap().to_owned();
    for secret in [&secret(&root), &secret(&at.cookie), &at.requested["state"], &provider.token("a", "root")] {
        assert!(!text.contains(secret.as_str()), "{secret}");
    }
    let events = audit.json()["events"].as_array().unwrap().clone();
    let of_sign_ins = events.iter().rev().filter(|event| event["class_uid"] == 3002 && event["auth_protocol_id"] == 4);
    let told: Vec<String> = of_sign_ins
        .map(|event| {
            let groups = event["user"]["groups"].as_array().map_or(0, Vec::len);
            let (activity, status) = (&event["activity_id"], &event["status_id"]);
            let user = event["user"]["name"].as_str().unwrap_or_default();
            let detail = event["status_detail"].as_str().unwrap_or_default();
            format!("{activity} {status} {user} {groups} {detail}").trim().to_owned()
        })
        .collect();
    assert_eq!(
        told,
        [
            "1 1 root 2",
            "1 1 maya 2",
            // The first requests of each.
            "1 1 maya 2",
            "1 1 root 2",
            "1 1 root 2",
            "1 2 {{anonymous}} 0 principal_missing",
            "2 1 root 0",
            "1 2 {{anonymous}} 0 declined",
            // Further requests, counted.
            "1 1 maya 2",
        ]
    );
}

#[tokio::test]
async fn a_sign_out_ends_the_session_and_so_do_time_and_another_sign_in() {
    static SECONDS: AtomicU64 = AtomicU64::new(0);
    #[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
    let clock = || NOW + SECONDS.load(Ordering::Relaxed) as f64;
    let provider = Provider::start().await;
    let service = client(&provider, |options| options.clock = Some(clock));
    let cookie = sign_in(&service, &provider, "maya").await;
    let mark = ("gbac-session", "1");
    let with = [("cookie", cookie.as_str()), mark, ("origin", ORIGIN)];
    let ended = browse(&service, Method::DELETE, SESSION, &with).await;
    assert_eq!((ended.status, ended.json()), (200, json!({})));
    assert!(cookies(&ended)["__Host-gbac-session"].contains("Max-Age=0"));
    assert_eq!(user(&service, &cookie).await, None);
    let refused = browse(&service, Method::GET, "/v1/roles", &with).await;
    assert_eq!((refused.status, &refused.json()["message"]), (401, &json!("the session has ended; sign in again")));
    assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"gbac\"");
    assert_eq!(browse(&service, Method::DELETE, SESSION, &with).await.status, 200, "again");

    // Another sign-in in the same browser takes the place of the session.
    let first = sign_in(&service, &provider, "maya").await;
    let at = start(&service, "/").await;
    says_tokens(&provider, &id_token(&provider, &at, "root", &json!({})), &provider.token("a", "root"));
    let path = format!("{START}/callback?state={}&code=c", at.requested["state"]);
    let both = format!("{}; {first}", at.cookie);
    let second = browse(&service, Method::GET, &path, &[("cookie", &both)]).await;
    let second = sent(&cookies(&second)["__Host-gbac-session"]);
    assert_eq!((user(&service, &first).await, user(&service, &second).await.as_deref()), (None, Some("root")));

    // At most ten of one user.
    let mut all = Vec::new();
    for _ in 0..11 {
        all.push(sign_in(&service, &provider, "ana").await);
    }
    assert_eq!((user(&service, &all[0]).await, user(&service, &all[10]).await.as_deref()), (None, Some("ana")));
    assert_eq!(user(&service, &second).await.as_deref(), Some("root"));

    SECONDS.store(3599, Ordering::Relaxed);
    assert_eq!(user(&service, &second).await.as_deref(), Some("root"));
    SECONDS.store(3600, Ordering::Relaxed);
    let expired = browse(&service, Method::GET, SESSION, &[("cookie", &second), mark]).await;
    assert_eq!(expired.json(), json!({}), "the token has expired");
    assert!(cookies(&expired)["__Host-gbac-session"].contains("Max-Age=0"));
    // An hour later its ID is as unknown as any other.
    for cookie in [&second, "__Host-gbac-session=", "__Host-gbac-session=x", "gbac-session=x"] {
        let answer = browse(&service, Method::GET, "/v1/roles", &[("cookie", cookie), mark]).await;
        assert_eq!(answer.status, 401, "{cookie}");
    }
}

#[tokio::test]
async fn a_sign_in_returns_to_pages_of_this_console_only() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    for (asked, expected) in [
        ("/security/roles?search=a%20b", "/security/roles?search=a%20b"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/security/../gbac/v1/backup", "/"),
        ("/gbac/v1/backup", "/"),
        ("/security/x\r\nset-cookie: a=b", "/"),
        ("", "/"),
    ] {
        let at = start(&service, asked).await;
        says_tokens(&provider, &id_token(&provider, &at, "maya", &json!({})), &provider.token("a", "maya"));
        assert_eq!(answer(&service, &at, "code=c").await.header("location"), expected, "{asked}");
        let at = start(&service, asked).await;
        assert_eq!(problem(&answer(&service, &at, "error=x").await), ("provider_refused".into(), expected.into()));
    }
    for query in ["", "?return=%zz", "?return=%2F%2Fevil.example&return=%2Fconnection"] {
        let answer = browse(&service, Method::GET, &format!("{START}{query}"), &[]).await;
        assert!(answer.header("location").starts_with(&format!("{}/authorize?", provider.origin)), "{query}");
    }
}

#[tokio::test]
async fn a_provider_that_is_down_or_wrong_ends_the_sign_in_with_a_problem() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    // Before the first fetch: the browser stays here.
    provider.say(DISCOVERY, Says::HangUp);
    let ended = browse(&service, Method::GET, &format!("{START}?return=%2Fconnection"), &[]).await;
    assert_eq!(problem(&ended), ("provider_unavailable".into(), "/connection".into()));
    assert!(cookies(&ended).is_empty());
    provider.say(DISCOVERY, Says::Right);

    let service = self::service(&provider).await;
    let good = id_token(&provider, &start(&service, "/").await, "root", &json!({}));
    let body = |value: Value| Says::Body(value.to_string().into_bytes());
    for (number, (says, expected)) in [
        (Says::HangUp, "provider_unavailable"),
        (Says::Status(500, "", ""), "provider_unavailable"),
        (Says::Status(302, "location: https://evil.example/\r\n", ""), "provider_unavailable"),
        (Says::Endless, "provider_unavailable"),
        (Says::Body(b"<html>".to_vec()), "provider_unavailable"),
        (Says::Body(b"{\"id_token\":\"a\",\"id_token\":\"b\"}".to_vec()), "provider_unavailable"),
        (Says::Status(400, "", "{\"error\":\"invalid_grant\"}"), "provider_refused"),
        (Says::Status(401, "", "no JSON"), "provider_refused"),
        (body(json!({})), "provider_refused"),
        (body(json!({ "id_token": good })), "provider_refused"),
        (body(json!({ "id_token": good, "access_token": "x".repeat(70_000) })), "provider_refused"),
        (body(json!({ "id_token": "x", "access_token": "x" })), "token_refused"),
    ]
    .into_iter()
    .enumerate()
    {
        let at = start(&service, "/").await;
        provider.say(TOKEN, says.clone());
        let ended = answer_from(&service, &at, "code=c", &format!("10.0.1.{number}")).await;
        assert_eq!(problem(&ended).0, expected, "{says:?}");
    }
    let at = start(&service, "/").await;
    provider.say(TOKEN, Says::Nothing);
    tokio::time::pause();
    let ended = answer(&service, &at, "code=c").await;
    tokio::time::resume();
    assert_eq!(problem(&ended).0, "provider_unavailable", "too slow");
    for (error, expected) in [
        ("access_denied", "declined"),
        ("temporarily_unavailable", "provider_unavailable"),
        ("invalid_scope", "provider_refused"),
        ("%1b%5b31m", "provider_refused"),
    ] {
        let at = start(&service, "/").await;
        let ended = answer(&service, &at, &format!("error={error}&error_description=x")).await;
        assert_eq!(problem(&ended).0, expected, "{error}");
    }
    // Passwords work as ever, and so do sessions that are open.
    assert_eq!(service.get_as("/v1/roles", &admin()).await.status, 200);
}

#[tokio::test]
async fn an_unsafe_endpoint_of_the_provider_is_not_used() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let document = json!({ "issuer": provider.origin, "jwks_uri": format!("{}{KEYS}", provider.origin),
        "authorization_endpoint": "http://idp.example/authorize", "token_endpoint": format!("{}{TOKEN}", provider.origin) });
    provider.say(DISCOVERY, Says::Body(document.to_string().into_bytes()));
    let ended = browse(&service, Method::GET, START, &[]).await;
    assert_eq!(problem(&ended).0, "provider_unavailable");
    let token = format!("Bearer {}", provider.token("a", "root"));
    assert_eq!(service.get_as("/v1/roles", &token).await.status, 200, "tokens are accepted as ever");
}

#[tokio::test]
async fn failed_sign_ins_with_the_provider_are_limited_by_address() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let fail = async |peer: &str| {
        let at = start(&service, "/").await;
        problem(&answer_from(&service, &at, "code=c", peer).await).0
    };
    for _ in 0..10 {
        assert_eq!(fail("10.0.0.1").await, "provider_refused");
    }
    assert_eq!(fail("10.0.0.1").await, "too_many_attempts");
    assert_eq!(provider.asked(TOKEN), 10, "the provider is not asked");
    assert_eq!(fail("10.0.0.2").await, "provider_refused", "another address");
    // What another page can cause in a browser does not count.
    for _ in 0..30 {
        let at = start(&service, "/").await;
        browse_from(
            &service,
            Method::GET,
            &format!("{START}/callback?state=x&code=c"),
            &[("cookie", &at.cookie)],
            "10.0.0.3",
        )
        .await;
        browse_from(&service, Method::GET, &format!("{START}/callback?code=c"), &[], "10.0.0.3").await;
    }
    assert_eq!(fail("10.0.0.3").await, "provider_refused");
    // Successful ones do not count either.
    for _ in 0..30 {
        sign_in(&service, &provider, "maya").await;
    }
}

#[tokio::test]
async fn a_session_is_never_sent_to_a_cluster() {
    let provider = Provider::start().await;
    let cluster = Cluster::start();
    let url = cluster.url();
    let service = client(&provider, |options| {
        options.upstream.dataplane = Some(url);
        options.upstream.requires_sign_in = true;
    });
    let cookie = sign_in(&service, &provider, "maya").await;
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let theirs = admin();
    let with = [("cookie", cookie.as_str()), ("gbac-session", "1"), ("origin", ORIGIN)];
    let ask = async |method: Method, more: &[(&str, &str)]| {
        let headers = [&with[..], more].concat();
        browse(&service, method, path, &headers).await.status
    };
    assert_eq!(ask(Method::GET, &[]).await, 401, "the cluster has its own credentials");
    assert_eq!(ask(Method::GET, &[("authorization", &theirs)]).await, 200);
    assert_eq!(ask(Method::POST, &[("authorization", &theirs)]).await, 201);
    let without = [("cookie", cookie.as_str()), ("gbac-session", "1"), ("authorization", theirs.as_str())];
    assert_eq!(browse(&service, Method::POST, path, &without).await.status, 403, "without an origin");
    let forged = [("cookie", "__Host-gbac-session=x"), ("gbac-session", "1"), ("authorization", theirs.as_str())];
    assert_eq!(browse(&service, Method::GET, path, &forged).await.status, 401);
}

#[tokio::test]
async fn a_service_that_is_no_client_offers_no_sign_in_with_the_provider() {
    let provider = Provider::start().await;
    let service = Own::with(|options| data_options(options).oidc_discovery_url = Some(provider.discovery()));
    assert_eq!(service.get("/gbac/v1/service").await.json().get("provider_sign_in"), None);
    for path in [START, "/gbac/v1/sign-in/callback?state=x&code=y"] {
        let answer = service.get(path).await;
        assert_eq!((answer.status, &answer.json()["code"]), (404, &json!("sign_in_off")), "{path}");
    }
    // A client of a provider that is not configured yet.
    let service = client(&provider, |options| data_options(options).oidc_discovery_url = None);
    assert_eq!(service.get("/gbac/v1/service").await.json().get("provider_sign_in"), None);
    let ended = browse(&service, Method::GET, START, &[]).await;
    assert_eq!(problem(&ended).0, "provider_unavailable");
    assert_eq!(provider.asked(DISCOVERY), 0);
}

#[tokio::test]
async fn options_of_the_client_are_checked_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    };
    let code = |public_url: Option<&str>, id: &str, secret: Option<std::path::PathBuf>, scope: Option<&str>| {
        let data = folder.path().join("data");
        let opened = Service::on(&data, |options| {
            options.endpoint.public_url = public_url.map(str::to_owned);
            let scope = scope.map(str::to_owned);
            data_options(options).oidc_client = Some(OidcClientOptions { id: id.into(), secret_file: secret, scope });
        });
        opened.map(drop).map_err(|error| (error.code(), error.to_string()))
    };
    let fault = |result: Result<(), (&'static str, String)>| result.unwrap_err().0;
    assert_eq!(fault(code(None, "", None, None)), "oidc_client_id_empty");
    assert_eq!(fault(code(None, "x", None, Some("groups openidx"))), "oidc_scope");
    assert_eq!(fault(code(Some("http://gbac.example"), "x", None, None)), "oidc_sign_in_url");
    for (name, content) in [("empty", "\n"), ("lines", "a\nb\n"), ("long", &"a".repeat(5000))] {
        let (found, message) = code(None, "x", Some(file(name, content)), None).unwrap_err();
        assert_eq!(found, "oidc_client_secret", "{name}");
        assert!(!message.contains("aaaa"), "{message}");
    }
    assert_eq!(fault(code(None, "x", Some(folder.path().join("none")), None)), "oidc_client_secret");
    assert!(!folder.path().join("data").exists(), "nothing is made before everything is right");
    assert_eq!(code(None, "x", Some(file("right", "secret\r\n")), Some("openid groups")), Ok(()));
}
