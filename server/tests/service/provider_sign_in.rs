//! Sign-in with the identity provider in a browser: what is sent to the provider, and what is
//! accepted from it (D-65).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::Method;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use gbac_server::OidcClientOptions;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::browser::{
    CLIENT, ORIGIN, SESSION, START, answer, answer_from, browse, browse_from, client, cookies,
    id_token, id_token_as, problem, says_tokens, sent, service, set, sign_in, start, user,
};
use crate::harness::{NOW, Own, Service, admin, data_options};
use crate::identity_provider::{AUDIENCE, DISCOVERY, KEYS, Provider, Says, TOKEN};

#[tokio::test]
async fn a_user_signs_in_with_the_provider_and_gets_a_session() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    let offer = service.get("/gbac/v1/service").await.json()["provider_sign_in"].clone();
    let host = provider.origin.trim_start_matches("http://");
    assert_eq!(
        offer,
        json!({ "host": host, "url": format!("{ORIGIN}{START}") })
    );

    let begun = browse(
        &service,
        Method::GET,
        &format!("{START}?return=%2Fsecurity%2Freview"),
        &[],
    )
    .await;
    let cookie = cookies(&begun).remove("__Host-gbac-sign-in").unwrap();
    assert!(
        cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600"),
        "{cookie}"
    );
    assert_eq!(begun.header("cache-control"), "no-store");

    let at = start(&service, "/security/review").await;
    let requested = |name: &str| at.requested.get(name).map(String::as_str);
    assert_eq!(
        (
            requested("response_type"),
            requested("client_id"),
            requested("scope"),
            requested("tenant")
        ),
        (Some("code"), Some(CLIENT), Some("openid"), Some("1"))
    );
    let redirect_uri = format!("{ORIGIN}{START}/callback");
    assert_eq!(requested("redirect_uri"), Some(redirect_uri.as_str()));
    assert_eq!(requested("code_challenge_method"), Some("S256"));

    says_tokens(
        &provider,
        &id_token(&provider, &at, "root", &json!({})),
        &provider.token("a", "root"),
    );
    let answer = answer(&service, &at, "code=the%20code&session_state=x").await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, "/security/review")
    );
    let set = cookies(&answer);
    assert!(set["__Host-gbac-sign-in"].contains("Max-Age=0"), "{set:?}");
    let session = &set["__Host-gbac-session"];
    assert!(
        session.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"),
        "{session}"
    );

    let (head, form) = provider.exchange();
    let form: BTreeMap<String, String> = gbac_api::encode::parse_query(&form)
        .unwrap()
        .into_iter()
        .collect();
    assert_eq!(
        (form["grant_type"].as_str(), form["code"].as_str()),
        ("authorization_code", "the code")
    );
    assert_eq!(form["redirect_uri"], redirect_uri);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(form["code_verifier"].as_bytes()));
    assert_eq!(requested("code_challenge"), Some(challenge.as_str()));
    let credentials = format!(
        "authorization: basic {}",
        STANDARD.encode("gbac+console:s3cret%26%2B").to_lowercase()
    );
    assert!(head.to_lowercase().contains(&credentials), "{head}");
    assert!(!form.contains_key("client_secret"));

    let session = sent(session);
    let current = browse(
        &service,
        Method::GET,
        SESSION,
        &[("cookie", &session), ("gbac-session", "1")],
    )
    .await;
    assert_eq!(
        current.json(),
        json!({ "session": { "issuer": provider.origin, "user": "root", "expires": "2027-01-15T09:00:00Z" } })
    );
    let with = [
        ("cookie", session.as_str()),
        ("gbac-session", "1"),
        ("origin", ORIGIN),
    ];
    assert_eq!(
        browse(&service, Method::GET, "/v1/roles", &with)
            .await
            .status,
        200
    );
    assert_eq!(
        browse(&service, Method::POST, "/v1/roles", &with)
            .await
            .status,
        201
    );
    let resolve = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let resolved = browse(&service, Method::POST, resolve, &with).await.json();
    assert_eq!(
        (&resolved["principal"], &resolved["groups"]),
        (&json!("root"), &json!(["eng", "ops"]))
    );
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
        let headers: Vec<(&str, &str)> = cookie
            .map(|cookie| ("cookie", cookie))
            .into_iter()
            .collect();
        problem(
            &browse(
                &service,
                Method::GET,
                &format!("{START}/callback?{query}"),
                &headers,
            )
            .await,
        )
    };
    let at = start(&service, "/connection").await;
    let other = start(&service, "/security/review").await;
    says_tokens(
        &provider,
        &id_token(&provider, &at, "root", &json!({})),
        &provider.token("a", "root"),
    );
    let state = at.requested["state"].clone();
    let interrupted = |page: &str| ("interrupted".to_owned(), page.to_owned());
    let good = format!("state={state}&code=c");

    assert_eq!(ask(None, &good).await, interrupted("/"), "no cookie");
    let forged = format!("{}A", at.cookie);
    let unsigned = at.cookie.rsplit_once('.').unwrap().0.to_owned();
    let foreign = start(&elsewhere, "/connection").await.cookie;
    let twice = format!("{}; {}", at.cookie, at.cookie);
    for cookie in [
        "__Host-gbac-sign-in=",
        "__Host-gbac-sign-in=a.b.c.d",
        &forged,
        &unsigned,
        &foreign,
        &twice,
    ] {
        assert_eq!(ask(Some(cookie), &good).await, interrupted("/"), "{cookie}");
    }
    for query in [
        "code=c",
        "state=&code=c",
        "state=x&code=c",
        &format!("state={state}&state={state}&code=c"),
    ] {
        assert_eq!(
            ask(Some(&at.cookie), query).await,
            interrupted("/connection"),
            "{query}"
        );
    }
    assert_eq!(
        ask(Some(&other.cookie), &good).await,
        interrupted("/security/review"),
        "the state of another attempt"
    );
    assert_eq!(
        provider.asked(TOKEN),
        0,
        "the provider is not asked for any of them"
    );

    let done = answer(&service, &at, "code=c").await;
    assert_eq!((done.status, done.header("location")), (303, "/connection"));
    assert_eq!(
        problem(&answer(&service, &at, "code=c").await),
        interrupted("/connection"),
        "replayed"
    );
    assert_eq!(provider.asked(TOKEN), 1);

    let late = start(&service, "/connection").await;
    SECONDS.store(600, Ordering::Relaxed);
    assert_eq!(
        problem(&answer(&service, &late, "code=c").await),
        interrupted("/"),
        "expired"
    );

    let repeated = start(&service, "/").await;
    assert_eq!(
        problem(&answer(&service, &repeated, "code=c&code=d").await),
        interrupted("/")
    );
    assert_eq!(
        problem(&answer(&service, &start(&service, "/").await, "iss=x&code=c").await),
        interrupted("/")
    );
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
        (
            "several audiences without a party",
            json!({ "aud": [CLIENT, AUDIENCE] }),
        ),
    ] {
        let at = start(&service, "/").await;
        says_tokens(
            &provider,
            &id_token(&provider, &at, "root", &change),
            &provider.token("a", "root"),
        );
        let ended = answer_from(&service, &at, "code=c", &format!("10.0.{}.1", what.len())).await;
        assert_eq!(problem(&ended), refused("token_refused"), "{what}");
    }
    for typ in ["at+jwt", "application/AT+JWT"] {
        let at = start(&service, "/").await;
        let token = id_token_as(&provider, typ, &at, "root", &json!({}));
        says_tokens(&provider, &token, &provider.token("a", "root"));
        assert_eq!(
            problem(&answer(&service, &at, "code=c").await),
            refused("token_refused"),
            "{typ}"
        );
    }
    let at = start(&service, "/").await;
    let mut forged = id_token(&provider, &at, "root", &json!({}));
    forged.truncate(forged.len() - 8);
    says_tokens(
        &provider,
        &format!("{forged}AAAAAAAA"),
        &provider.token("a", "root"),
    );
    assert_eq!(
        problem(&answer(&service, &at, "code=c").await),
        refused("token_refused"),
        "forged"
    );
    let at = start(&service, "/").await;
    says_tokens(
        &provider,
        &id_token(
            &provider,
            &at,
            "root",
            &json!({ "aud": [CLIENT, AUDIENCE], "azp": CLIENT }),
        ),
        &provider.token("a", "root"),
    );
    assert_eq!(
        answer(&service, &at, "code=c").await.header("location"),
        "/"
    );
}

#[tokio::test]
async fn the_identity_is_that_of_the_token_for_the_audience() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    // The access token is checked as one that is sent with a request is.
    let claims = |aud: &str, exp: f64| json!({ "iss": provider.origin, "aud": aud, "sub": "root", "exp": exp });
    for (access, expected) in [
        (
            provider.sign("a", &claims("other", NOW + 60.0)),
            "token_refused",
        ),
        (
            provider.sign("a", &claims(AUDIENCE, NOW - 60.0)),
            "token_refused",
        ),
        (
            provider.sign("a", &claims(CLIENT, NOW + 60.0)),
            "token_refused",
        ),
        ("opaque".to_owned(), "token_refused"),
    ] {
        let at = start(&service, "/").await;
        says_tokens(
            &provider,
            &id_token(&provider, &at, "root", &json!({})),
            &access,
        );
        assert_eq!(
            problem(&answer(&service, &at, "code=c").await).0,
            expected,
            "{access}"
        );
    }
    // The ID token names another user, which some providers do: its `sub` is one for each client.
    let at = start(&service, "/").await;
    says_tokens(
        &provider,
        &id_token(&provider, &at, "pairwise-4711", &json!({})),
        &provider.token("a", "maya"),
    );
    let cookie = sent(&cookies(&answer(&service, &at, "code=c").await)["__Host-gbac-session"]);
    assert_eq!(user(&service, &cookie).await.as_deref(), Some("maya"));

    // If the audience is the client itself, it is the ID token that is for it, and the access token
    // may be opaque.
    let service = client(&provider, |options| {
        data_options(options).oidc_audience = Some(CLIENT.into());
    });
    let at = start(&service, "/").await;
    says_tokens(
        &provider,
        &id_token(&provider, &at, "jonas", &json!({ "groups": ["ops"] })),
        "opaque",
    );
    let cookie = sent(&cookies(&answer(&service, &at, "code=c").await)["__Host-gbac-session"]);
    assert_eq!(user(&service, &cookie).await.as_deref(), Some("jonas"));
}

#[tokio::test]
async fn a_sign_in_returns_to_pages_of_this_console_only() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    for (asked, expected) in [
        (
            "/security/roles?search=a%20b",
            "/security/roles?search=a%20b",
        ),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/security/../gbac/v1/backup", "/"),
        ("/gbac/v1/backup", "/"),
        ("/security/x\r\nset-cookie: a=b", "/"),
        ("", "/"),
    ] {
        let at = start(&service, asked).await;
        says_tokens(
            &provider,
            &id_token(&provider, &at, "maya", &json!({})),
            &provider.token("a", "maya"),
        );
        assert_eq!(
            answer(&service, &at, "code=c").await.header("location"),
            expected,
            "{asked}"
        );
        let at = start(&service, asked).await;
        assert_eq!(
            problem(&answer(&service, &at, "error=x").await),
            ("provider_refused".into(), expected.into())
        );
    }
    for query in [
        "",
        "?return=%zz",
        "?return=%2F%2Fevil.example&return=%2Fconnection",
    ] {
        let answer = browse(&service, Method::GET, &format!("{START}{query}"), &[]).await;
        assert!(
            answer
                .header("location")
                .starts_with(&format!("{}/authorize?", provider.origin)),
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_provider_that_is_down_or_wrong_ends_the_sign_in_with_a_problem() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    // Before the first fetch: the browser stays here.
    provider.say(DISCOVERY, Says::HangUp);
    let ended = browse(
        &service,
        Method::GET,
        &format!("{START}?return=%2Fconnection"),
        &[],
    )
    .await;
    assert_eq!(
        problem(&ended),
        ("provider_unavailable".into(), "/connection".into())
    );
    assert!(cookies(&ended).is_empty());
    provider.say(DISCOVERY, Says::Right);

    let service = self::service(&provider).await;
    let good = id_token(&provider, &start(&service, "/").await, "root", &json!({}));
    let body = |value: Value| Says::Body(value.to_string().into_bytes());
    for (number, (says, expected)) in [
        (Says::HangUp, "provider_unavailable"),
        (Says::Status(500, "", ""), "provider_unavailable"),
        (
            Says::Status(302, "location: https://evil.example/\r\n", ""),
            "provider_unavailable",
        ),
        (Says::Endless, "provider_unavailable"),
        (Says::Body(b"<html>".to_vec()), "provider_unavailable"),
        (
            Says::Body(b"{\"id_token\":\"a\",\"id_token\":\"b\"}".to_vec()),
            "provider_unavailable",
        ),
        (
            Says::Status(400, "", "{\"error\":\"invalid_grant\"}"),
            "provider_refused",
        ),
        (Says::Status(401, "", "no JSON"), "provider_refused"),
        (body(json!({})), "provider_refused"),
        (body(json!({ "id_token": good })), "provider_refused"),
        (
            body(json!({ "id_token": good, "access_token": "x".repeat(70_000) })),
            "provider_refused",
        ),
        (
            body(json!({ "id_token": "x", "access_token": "x" })),
            "token_refused",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let at = start(&service, "/").await;
        provider.say(TOKEN, says.clone());
        let ended = answer_from(&service, &at, "code=c", &format!("10.0.1.{number}")).await;
        assert_eq!(problem(&ended).0, expected, "{says:?}");
    }
    // Its events are written by another thread, which the clock of this test does not wait for.
    set(&service, &json!({ "audit_enabled": false })).await;
    let at = start(&service, "/").await;
    provider.say(TOKEN, Says::Nothing);
    // From here on a second is over when nothing else is to be done.
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
    assert_eq!(
        service.get_as("/v1/roles", &token).await.status,
        200,
        "tokens are accepted as ever"
    );
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
    assert_eq!(
        fail("10.0.0.2").await,
        "provider_refused",
        "another address"
    );
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
        browse_from(
            &service,
            Method::GET,
            &format!("{START}/callback?code=c"),
            &[],
            "10.0.0.3",
        )
        .await;
    }
    assert_eq!(fail("10.0.0.3").await, "provider_refused");
    // Successful ones do not count either.
    for _ in 0..30 {
        sign_in(&service, &provider, "maya").await;
    }
}

#[tokio::test]
async fn a_service_that_is_no_client_offers_no_sign_in_with_the_provider() {
    let provider = Provider::start().await;
    let service =
        Own::with(|options| data_options(options).oidc_discovery_url = Some(provider.discovery()));
    assert_eq!(
        service
            .get("/gbac/v1/service")
            .await
            .json()
            .get("provider_sign_in"),
        None
    );
    for path in [START, "/gbac/v1/sign-in/callback?state=x&code=y"] {
        let answer = service.get(path).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (404, &json!("sign_in_off")),
            "{path}"
        );
    }
    // A client of a provider that is not configured yet.
    let service = client(&provider, |options| {
        data_options(options).oidc_discovery_url = None;
    });
    assert_eq!(
        service
            .get("/gbac/v1/service")
            .await
            .json()
            .get("provider_sign_in"),
        None
    );
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
    let code = |public_url: Option<&str>,
                id: &str,
                secret: Option<std::path::PathBuf>,
                scope: Option<&str>| {
        let data = folder.path().join("data");
        let opened = Service::on(&data, |options| {
            options.endpoint.public_url = public_url.map(str::to_owned);
            let scope = scope.map(str::to_owned);
            data_options(options).oidc_client = Some(Box::new(OidcClientOptions {
                id: id.into(),
                secret_file: secret,
                scope,
            }));
        });
        opened
            .map(drop)
            .map_err(|error| (error.code(), error.to_string()))
    };
    let fault = |result: Result<(), (&'static str, String)>| result.unwrap_err().0;
    assert_eq!(fault(code(None, "", None, None)), "oidc_client_id_empty");
    assert_eq!(
        fault(code(None, "x", None, Some("groups openidx"))),
        "oidc_scope"
    );
    assert_eq!(
        fault(code(Some("http://gbac.example"), "x", None, None)),
        "oidc_sign_in_url"
    );
    for (name, content) in [
        ("empty", "\n"),
        ("lines", "a\nb\n"),
        ("long", &"a".repeat(5000)),
    ] {
        let (found, message) = code(None, "x", Some(file(name, content)), None).unwrap_err();
        assert_eq!(found, "oidc_client_secret", "{name}");
        assert!(!message.contains("aaaa"), "{message}");
    }
    assert_eq!(
        fault(code(None, "x", Some(folder.path().join("none")), None)),
        "oidc_client_secret"
    );
    assert!(
        !folder.path().join("data").exists(),
        "nothing is made before everything is right"
    );
    assert_eq!(
        code(
            None,
            "x",
            Some(file("right", "secret\r\n")),
            Some("openid groups")
        ),
        Ok(())
    );
}
