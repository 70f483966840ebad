//! Tokens of an identity provider on the network, and what it may do wrong (D-15, D-19, D-26,
//! D-30).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_server::OidcRules;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::harness::{NOW, Own, Service, admin, data_options};
use crate::identity_provider::{AUDIENCE, DISCOVERY, KEYS, Provider, Says};

const RESOLVE: &str = "/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
const REFRESH: &str = "/service.core.admin.v2.SecurityService/RefreshOidcKeys";

/// A clock of a test's own.
macro_rules! clock {
    ($name:ident) => {{
        static SECONDS: AtomicU64 = AtomicU64::new(0);
        #[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
        fn now() -> f64 {
            NOW + SECONDS.load(Ordering::Relaxed) as f64
        }
        (&SECONDS, now as fn() -> f64)
    }};
}

/// A service that takes the tokens of a provider.
async fn service(provider: &Provider, clock: fn() -> f64) -> Own {
    let service = Own::with(|options| options.clock = Some(clock));
    set(
        &service,
        json!({ "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE }),
    )
    .await;
    service
}

async fn set(service: &Service, upsert: Value) {
    let answer = service
        .send(
            Method::PUT,
            "/v1/cluster_config",
            &json!({ "upsert": upsert, "remove": [] }),
        )
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
}

async fn status(service: &Service, token: &str) -> u16 {
    service
        .send_as(
            Method::POST,
            RESOLVE,
            &json!({}),
            &format!("Bearer {token}"),
        )
        .await
        .status
}

/// The published keys, asked for without credentials.
async fn published(service: &Service) -> (u16, Value) {
    let request = Request::get("/gbac/v1/provider/keys").body(Body::empty());
    let answer = service.ask(request.unwrap()).await;
    if answer.status == 200 {
        assert_eq!(answer.header("content-type"), "application/jwk-set+json");
    }
    answer.both()
}

async fn refresh(service: &Service) -> (u16, Value) {
    service.send(Method::POST, REFRESH, &json!({})).await.both()
}

#[tokio::test]
async fn the_keys_of_the_last_fetch_are_public() {
    let provider = Provider::start().await;
    let service = Own::with(|_| {});
    assert_eq!(published(&service).await.0, 404, "no provider");
    set(
        &service,
        json!({ "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE }),
    )
    .await;
    assert_eq!(published(&service).await.0, 404, "not fetched yet");
    assert_eq!(
        provider.fetches(),
        0,
        "nobody can make the service fetch them"
    );
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 200);
    let (status_of_keys, keys) = published(&service).await;
    assert_eq!((status_of_keys, provider.fetches()), (200, 1));
    let keys = keys["keys"].as_array().unwrap();
    assert_eq!((keys.len(), &keys[0]["kid"]), (1, &json!("a")));
    set(&service, json!({ "oidc_token_audience": "" })).await;
    assert_eq!(published(&service).await.0, 404, "off again");
}

#[tokio::test]
async fn tokens_are_accepted_once_url_and_audience_are_set() {
    let provider = Provider::start().await;
    let token = provider.token("a", "alice");
    let service = Own::with(|_| {});
    assert_eq!(status(&service, &token).await, 401);
    set(
        &service,
        json!({ "oidc_discovery_url": provider.discovery() }),
    )
    .await;
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (401, 0),
        "off without an audience"
    );
    set(&service, json!({ "oidc_token_audience": AUDIENCE })).await;
    let answer = service
        .send_as(
            Method::POST,
            RESOLVE,
            &json!({}),
            &format!("Bearer {token}"),
        )
        .await;
    assert_eq!(
        answer.both(),
        (
            200,
            json!({ "principal": "alice", "expire": "2027-01-15T09:00:00Z", "groups": ["eng", "ops"] })
        )
    );
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (200, 1)
    );
    set(&service, json!({ "oidc_token_audience": "other" })).await;
    assert_eq!(
        status(&service, &token).await,
        401,
        "what passed under another audience does not pass now"
    );
    set(&service, json!({ "oidc_token_audience": AUDIENCE })).await;
    assert_eq!(status(&service, &token).await, 200);
    set(&service, json!({ "oidc_discovery_url": "" })).await;
    assert_eq!(status(&service, &token).await, 401);
}

#[tokio::test]
async fn every_check_of_a_token_is_required() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    let claims = |change: Value| {
        let mut claims =
            json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "a", "exp": NOW + 60.0 });
        claims
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        provider.sign("a", &claims)
    };
    let good = claims(json!({}));
    assert_eq!(status(&service, &good).await, 200);
    for (what, change) in [
        ("issuer", json!({ "iss": format!("{}/", provider.origin) })),
        ("audience", json!({ "aud": ["other"] })),
        ("no end", json!({ "exp": null })),
        ("from the future", json!({ "nbf": NOW + 31.0 })),
        ("no user", json!({ "sub": "" })),
    ] {
        assert_eq!(status(&service, &claims(change)).await, 401, "{what}");
    }
    let mut forged = good.clone();
    forged.truncate(good.len() - 8);
    assert_eq!(status(&service, &format!("{forged}AAAAAAAA")).await, 401);
    let early = claims(json!({ "nbf": NOW + 20.0, "exp": NOW + 3600.0 }));
    assert_eq!(
        status(&service, &early).await,
        200,
        "clocks may differ by 30 seconds"
    );
    set(&service, json!({ "oidc_clock_skew_tolerance": 10 })).await;
    assert_eq!(
        status(&service, &early).await,
        401,
        "by what the setting says now"
    );
    seconds.store(70, Ordering::Relaxed);
    assert_eq!(status(&service, &good).await, 200);
    seconds.store(71, Ordering::Relaxed);
    assert_eq!(
        status(&service, &good).await,
        401,
        "a token that passed before expires all the same"
    );
    assert_eq!(provider.fetches(), 1);
}

#[tokio::test]
async fn provider_errors_are_reported_and_harmless() {
    let provider = Provider::start().await;
    let service = service(&provider, || NOW).await;
    let issuer = provider.origin.as_str();
    let elsewhere = |uri: &str| {
        Says::Body(
            json!({ "issuer": issuer, "jwks_uri": uri })
                .to_string()
                .into_bytes(),
        )
    };
    let other = json!({ "issuer": "https://other.example", "jwks_uri": format!("{issuer}{KEYS}") });
    let short = json!({ "keys": [{ "kty": "RSA", "kid": "a", "n": "AQAB", "e": "AQAB" }] });
    let mut told = Vec::new();
    for (path, says) in [
        (DISCOVERY, Says::Status(500, "", "")),
        (DISCOVERY, Says::Status(302, "location: /keys\r\n", "")),
        (DISCOVERY, Says::Status(404, "", "{}")),
        (DISCOVERY, Says::Endless),
        (DISCOVERY, Says::Body(b"<html>".to_vec())),
        (
            DISCOVERY,
            Says::Body(b"{\"issuer\":\"a\",\"issuer\":\"b\"}".to_vec()),
        ),
        (DISCOVERY, Says::Body(vec![0xff])),
        (DISCOVERY, Says::Body(b"{}".to_vec())),
        (
            DISCOVERY,
            Says::Body(b"{\"issuer\":\"\",\"jwks_uri\":\"\"}".to_vec()),
        ),
        (DISCOVERY, Says::Body(b"{\"issuer\":\"x\"}".to_vec())),
        (DISCOVERY, Says::Body(other.to_string().into_bytes())),
        (DISCOVERY, elsewhere("http://idp.example/keys")),
        (DISCOVERY, elsewhere("file:///etc/passwd")),
        (KEYS, Says::Status(503, "retry-after: 9\r\n", "")),
        (KEYS, Says::Endless),
        (KEYS, Says::Body(b"{\"keys\":[]}".to_vec())),
        (KEYS, Says::Body(short.to_string().into_bytes())),
        (KEYS, Says::Body(b"{\"keys\":".to_vec())),
    ] {
        provider.say(path, says.clone());
        let (code, answer) = refresh(&service).await;
        assert_eq!(code, 503, "{path} {says:?}");
        assert_eq!(status(&service, &provider.token("a", "alice")).await, 401);
        let message = answer["message"]
            .as_str()
            .unwrap()
            .replace(&provider.origin, "ORIGIN");
        told.push(format!("{} {message}", answer["code"].as_str().unwrap()));
        provider.say(path, Says::Right);
    }
    insta::assert_snapshot!("provider_faults", told.join("\n"));
    for path in [DISCOVERY, KEYS] {
        provider.say(path, Says::HangUp);
        let (code, answer) = refresh(&service).await;
        assert_eq!((code, &answer["code"]), (503, &json!("unavailable")));
        provider.say(path, Says::Right);
    }
    assert_eq!(refresh(&service).await, (200, json!({})));
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 200);
}

#[tokio::test]
async fn a_provider_that_hangs_times_out() {
    let provider = Provider::start().await;
    let service = service(&provider, || NOW).await;
    // Its events are written by another thread, which the clock of this test does not wait for.
    set(&service, json!({ "audit_enabled": false })).await;
    assert_eq!(refresh(&service).await.0, 200);
    for path in [DISCOVERY, KEYS] {
        provider.say(path, Says::Nothing);
        // From here on a second is over when nothing else is to be done.
        tokio::time::pause();
        let (code, answer) = refresh(&service).await;
        tokio::time::resume();
        let message = answer["message"].as_str().unwrap();
        assert_eq!(code, 503);
        assert!(message.ends_with("took longer than 5 seconds"), "{message}");
        provider.say(path, Says::Right);
    }
    assert_eq!(
        status(&service, &provider.token("a", "alice")).await,
        200,
        "the keys that there were are kept"
    );
}

#[tokio::test]
async fn keys_are_kept_while_the_provider_is_down() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    let claims =
        json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "alice", "exp": NOW + 1e6 });
    let token = provider.sign("a", &claims);
    let at = async |second: u64| {
        seconds.store(second, Ordering::Relaxed);
        (status(&service, &token).await, provider.asked(DISCOVERY))
    };
    assert_eq!(at(0).await, (200, 1));
    assert_eq!(at(3599).await, (200, 1));
    provider.say(DISCOVERY, Says::Status(500, "", ""));
    assert_eq!(at(3600).await, (200, 2), "due, and failed");
    assert_eq!(at(3604).await, (200, 2), "left alone for five seconds");
    assert_eq!(at(3605).await, (200, 3));
    assert_eq!(at(90_000).await, (200, 4), "for as long as it is down");
    provider.say(DISCOVERY, Says::Right);
    provider.publish(&["b"]);
    assert_eq!(
        at(90_005).await,
        (401, 6),
        "a key that was taken back, asked for once more by its name"
    );
    assert_eq!(status(&service, &provider.sign("b", &claims)).await, 200);
    seconds.store(90_047, Ordering::Relaxed);
    let metrics = String::from_utf8(service.get("/metrics").await.body.to_vec()).unwrap();
    assert!(
        metrics
            .lines()
            .any(|line| line.contains("key") && line.ends_with(" 42.0")),
        "{metrics}"
    );
}

#[tokio::test]
async fn without_keys_a_failed_fetch_is_not_repeated_at_once() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    provider.say(KEYS, Says::Status(500, "", ""));
    let token = provider.token("a", "alice");
    for _ in 0..9 {
        assert_eq!(status(&service, &token).await, 401);
    }
    assert_eq!(provider.fetches(), 1);
    provider.say(KEYS, Says::Right);
    seconds.store(5, Ordering::Relaxed);
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (200, 2)
    );
}

#[tokio::test]
async fn concurrent_requests_share_one_fetch() {
    let provider = Provider::start().await;
    let service = Arc::new(service(&provider, || NOW).await);
    let all = async |kid: &str| {
        let mut asking = JoinSet::new();
        for n in 0..20 {
            let (service, token) = (
                Arc::clone(&service),
                provider.token(kid, &format!("user{n}")),
            );
            asking.spawn(async move { status(&service, &token).await });
        }
        asking.join_all().await
    };
    assert_eq!((all("a").await, provider.fetches()), (vec![200; 20], 1));
    provider.publish(&["a", "b"]);
    assert_eq!((all("b").await, provider.fetches()), (vec![200; 20], 2));
    assert_eq!((all("a").await, provider.fetches()), (vec![200; 20], 2));
}

#[tokio::test]
async fn an_unknown_key_is_remembered_for_ten_seconds() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    let token = provider.token("b", "alice");
    for _ in 0..9 {
        assert_eq!(status(&service, &token).await, 401);
    }
    assert_eq!(provider.fetches(), 2);
    provider.publish(&["b"]);
    seconds.store(9, Ordering::Relaxed);
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (401, 2)
    );
    seconds.store(10, Ordering::Relaxed);
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (200, 3),
        "a key that rotates in a moment later"
    );
    // A refresh makes no key wait.
    let next = provider.token("c", "alice");
    assert_eq!(
        (status(&service, &next).await, provider.fetches()),
        (401, 4)
    );
    provider.publish(&["b", "c"]);
    assert_eq!(
        (status(&service, &next).await, provider.fetches()),
        (401, 4)
    );
    assert_eq!(refresh(&service).await.0, 200);
    assert_eq!(
        (status(&service, &next).await, provider.fetches()),
        (200, 5)
    );
}

#[tokio::test]
async fn one_unknown_key_asked_for_again_and_again_stays_within_the_limit() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    let tokens = [
        provider.token("x", "mallory"),
        provider.token("y", "mallory"),
    ];
    for second in 0..600 {
        seconds.store(second, Ordering::Relaxed);
        for token in &tokens {
            assert_eq!(status(&service, token).await, 401);
        }
    }
    // The first fetch, five at once, and one every ten seconds.
    assert!(
        provider.fetches() <= 1 + 5 + 60,
        "{} fetches",
        provider.fetches()
    );
}

#[tokio::test]
async fn a_flood_of_unknown_keys_neither_floods_the_provider_nor_stops_a_rotation() {
    let (seconds, clock) = clock!(CLOCK);
    let provider = Provider::start().await;
    let service = service(&provider, clock).await;
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 200);
    let flood = async |from: usize| {
        for n in from..from + 50 {
            assert_eq!(
                status(&service, &provider.token(&format!("kid{n}"), "mallory")).await,
                401
            );
        }
    };
    flood(0).await;
    assert_eq!(provider.fetches(), 1 + 5, "five at once");
    provider.publish(&["b"]);
    let rotated = provider.token("b", "alice");
    assert_eq!(
        (status(&service, &rotated).await, provider.fetches()),
        (401, 6)
    );
    assert_eq!(
        status(&service, &provider.token("a", "alice")).await,
        200,
        "who has a known key notices nothing"
    );
    seconds.store(9, Ordering::Relaxed);
    flood(50).await;
    assert_eq!(provider.fetches(), 6);
    seconds.store(10, Ordering::Relaxed);
    flood(100).await;
    assert_eq!(provider.fetches(), 7, "then one in ten seconds");
    assert_eq!(
        (status(&service, &rotated).await, provider.fetches()),
        (200, 7),
        "the flood's own fetch brings the key"
    );
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 401);
}

#[tokio::test]
async fn an_earlier_fetch_does_not_make_a_key_unknown() {
    let provider = Provider::start().await;
    let service = Arc::new(service(&provider, || NOW).await);
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 200);
    let permits = Arc::new(Semaphore::new(0));
    provider.say(KEYS, Says::When(Arc::clone(&permits)));
    let refreshing = tokio::spawn({
        let service = Arc::clone(&service);
        async move { refresh(&service).await.0 }
    });
    while provider.fetches() < 2 {
        tokio::task::yield_now().await;
    }
    // The old keys are on their way; now there is another.
    provider.publish(&["b"]);
    provider.say(KEYS, Says::Right);
    let (token, asking) = (provider.token("b", "alice"), Arc::clone(&service));
    let asked = tokio::spawn(async move { status(&asking, &token).await });
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    permits.add_permits(1);
    assert_eq!(
        (
            refreshing.await.unwrap(),
            asked.await.unwrap(),
            provider.fetches()
        ),
        (200, 200, 3)
    );
}

#[tokio::test]
async fn a_fetch_completes_after_its_request_is_canceled() {
    let provider = Provider::start().await;
    let service = service(&provider, || NOW).await;
    let permits = Arc::new(Semaphore::new(0));
    provider.say(KEYS, Says::When(Arc::clone(&permits)));
    let token = provider.token("a", "alice");
    {
        let mut asking = Box::pin(status(&service, &token));
        while provider.fetches() < 1 {
            tokio::select! {
                _ = &mut asking => panic!("there are no keys yet"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    permits.add_permits(1);
    assert_eq!(
        (status(&service, &token).await, provider.fetches()),
        (200, 1)
    );
}

#[tokio::test]
async fn keys_of_another_provider_are_not_used() {
    let (one, other) = (Provider::start().await, Provider::start().await);
    let service = service(&one, || NOW).await;
    let (of_one, of_other) = (one.token("a", "alice"), other.token("a", "alice"));
    assert_eq!(
        (
            status(&service, &of_one).await,
            status(&service, &of_other).await
        ),
        (200, 401)
    );
    set(&service, json!({ "oidc_discovery_url": other.discovery() })).await;
    assert_eq!(
        (
            status(&service, &of_one).await,
            status(&service, &of_other).await
        ),
        (401, 200)
    );
}

#[tokio::test]
async fn command_line_settings_are_pinned() {
    let provider = Provider::start().await;
    let service = Own::with(|options| {
        let data = data_options(options);
        data.oidc_discovery_url = Some(provider.discovery());
        data.oidc_audience = Some(AUDIENCE.into());
    });
    assert_eq!(status(&service, &provider.token("a", "alice")).await, 200);
    let change =
        json!({ "upsert": { "oidc_token_audience": "other" }, "remove": ["oidc_discovery_url"] });
    let refused = service
        .send(Method::PUT, "/v1/cluster_config", &change)
        .await;
    insta::assert_json_snapshot!("pinned_properties", refused.json());
    assert_eq!(refused.status, 400);
}

#[tokio::test]
async fn a_superuser_can_sign_in_with_a_token() {
    let provider = Provider::start().await;
    let service = service(&provider, || NOW).await;
    let token = format!("Bearer {}", provider.token("a", "alice"));
    let list = async |credentials: &str| {
        service
            .send_as(
                Method::POST,
                &REFRESH.replace("RefreshOidcKeys", "ListRoles"),
                &json!({}),
                credentials,
            )
            .await
            .status
    };
    assert_eq!((list(&token).await, list(&admin()).await), (403, 200));
    set(&service, json!({ "superusers": ["alice"] })).await;
    assert_eq!(list(&token).await, 200);
}

/// A service with these rules that takes the tokens of a provider.
async fn service_with(provider: &Provider, rules: OidcRules) -> Own {
    let service = Own::with(|options| data_options(options).oidc_rules = rules);
    set(
        &service,
        json!({ "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE }),
    )
    .await;
    service
}

#[tokio::test]
async fn the_issuer_of_a_discovery_document_is_that_of_its_address_or_the_stated_one() {
    let (provider, other) = (Provider::start().await, Provider::start().await);
    let document = json!({ "issuer": "https://sts.example/t/", "jwks_uri": format!("{}{KEYS}", provider.origin) });
    provider.say(DISCOVERY, Says::Body(document.to_string().into_bytes()));
    let claims =
        json!({ "iss": "https://sts.example/t/", "aud": AUDIENCE, "sub": "a", "exp": NOW + 60.0 });
    let token = provider.sign("a", &claims);
    let strict = service_with(&provider, OidcRules::default()).await;
    assert_eq!(status(&strict, &token).await, 401);
    let (code, answer) = refresh(&strict).await;
    let message = answer["message"].as_str().unwrap();
    assert!(
        code == 503 && message.contains("states the issuer `https://sts.example/t/`, not `http"),
        "{message}"
    );

    let issuer = Some("https://sts.example/t/".to_owned());
    let stated = service_with(
        &provider,
        OidcRules {
            issuer,
            ..OidcRules::default()
        },
    )
    .await;
    assert_eq!(status(&stated, &token).await, 200);
    // It is required of every provider then.
    set(&stated, json!({ "oidc_discovery_url": other.discovery() })).await;
    assert_eq!(
        (
            refresh(&stated).await.0,
            status(&stated, &other.token("a", "a")).await
        ),
        (503, 401)
    );
}

#[tokio::test]
async fn only_access_tokens_are_accepted_if_the_service_says_so() {
    let provider = Provider::start().await;
    let rules = OidcRules {
        access_tokens_only: true,
        ..OidcRules::default()
    };
    let (strict, open) = (
        service_with(&provider, rules).await,
        service(&provider, || NOW).await,
    );
    let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "a", "exp": NOW + 60.0 });
    for (typ, expected) in [
        ("at+jwt", 200),
        ("application/at+jwt", 200),
        ("AT+JWT", 200),
        ("JWT", 401),
        ("jwt", 401),
        ("", 401),
    ] {
        assert_eq!(
            status(&strict, &provider.sign_as(typ, "a", &claims)).await,
            expected,
            "{typ}"
        );
    }
    for (typ, expected) in [("at+jwt", 200), ("JWT", 200), ("id+jwt", 401)] {
        assert_eq!(
            status(&open, &provider.sign_as(typ, "a", &claims)).await,
            expected,
            "{typ}"
        );
    }
}

#[tokio::test]
async fn the_lifetime_of_tokens_can_be_limited() {
    let provider = Provider::start().await;
    let rules = OidcRules {
        max_lifetime: Some(3600),
        ..OidcRules::default()
    };
    let (strict, open) = (
        service_with(&provider, rules).await,
        service(&provider, || NOW).await,
    );
    let token = |issued: Value, expires: f64| {
        let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "a", "iat": issued, "exp": expires });
        provider.sign("a", &claims)
    };
    for (issued, expires, expected) in [
        (json!(NOW), NOW + 3600.0, 200),
        (json!(NOW), NOW + 3601.0, 401),
        (json!(NOW - 1800.0), NOW + 1801.0, 401),
        (json!(NOW - 86_400.0), NOW + 60.0, 401),
    ] {
        let token = token(issued.clone(), expires);
        assert_eq!(
            (status(&strict, &token).await, status(&open, &token).await),
            (expected, 200),
            "{issued} {expires}"
        );
    }
    let without = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "a", "exp": NOW + 60.0 });
    let without = provider.sign("a", &without);
    assert_eq!(
        (
            status(&strict, &without).await,
            status(&open, &without).await
        ),
        (401, 200),
        "`iat` is required then"
    );
}

#[tokio::test]
async fn names_with_control_characters_are_refused() {
    let provider = Provider::start().await;
    let service = service(&provider, || NOW).await;
    set(&service, json!({ "superusers": ["root"] })).await;
    for change in [
        json!({ "sub": "root\n" }),
        json!({ "groups": ["eng", "ops\u{1b}[2J"] }),
        json!({ "azp": "console\u{0}" }),
        json!({ "client_id": "\u{85}" }),
    ] {
        let mut claims =
            json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "root", "exp": NOW + 60.0 });
        claims
            .as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        assert_eq!(
            status(&service, &provider.sign("a", &claims)).await,
            401,
            "{change}"
        );
    }
}

#[tokio::test]
async fn a_provider_without_a_trusted_certificate_is_rejected() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(ring)
        .with_safe_default_protocol_versions()
        .unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = config
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_rustls::TlsAcceptor::from(Arc::new(config))
            .accept(stream)
            .await
            .is_ok()
    });
    let service = Own::with(|_| {});
    set(
        &service,
        json!({ "oidc_discovery_url": format!("https://localhost:{port}{DISCOVERY}") }),
    )
    .await;
    let (status, answer) = refresh(&service).await;
    let message = answer["message"].as_str().unwrap();
    assert!(
        status == 503 && message.contains("the discovery document cannot be fetched: "),
        "{message}"
    );
    assert!(message.to_lowercase().contains("certificate"), "{message}");
    assert!(!accepted.await.unwrap(), "nothing was asked");
}
