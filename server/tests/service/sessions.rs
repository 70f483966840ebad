//! Sessions of users who signed in with the identity provider: what they open, what protects them,
//! and when they end (D-66).

use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::json;

use crate::browser::{
    HOST, ORIGIN, SESSION, START, answer, browse, client, cookies, id_token, problem, says_tokens,
    sent, service, set, sign_in, start, user,
};
use crate::harness::{NOW, admin};
use crate::identity_provider::Provider;
use crate::upstream::Cluster;

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
        (
            "without an origin, but said to be of the same",
            403,
            &[mark, ("sec-fetch-site", "same-origin")],
        ),
        (
            "another origin",
            403,
            &[mark, ("origin", "https://evil.example")],
        ),
        (
            "another port",
            403,
            &[mark, ("origin", "https://gbac.example:8443")],
        ),
        (
            "a subdomain",
            403,
            &[mark, ("origin", "https://x.gbac.example")],
        ),
        (
            "without TLS",
            403,
            &[mark, ("origin", "http://gbac.example")],
        ),
        ("an opaque origin", 403, &[mark, ("origin", "null")]),
        (
            "another site that states this origin",
            403,
            &[mark, ("origin", ORIGIN), ("sec-fetch-site", "cross-site")],
        ),
        (
            "the same site",
            403,
            &[mark, ("origin", ORIGIN), ("sec-fetch-site", "same-site")],
        ),
        (
            "two origins",
            400,
            &[mark, ("origin", ORIGIN), ("origin", ORIGIN)],
        ),
        (
            "a page of the console",
            201,
            &[mark, ("origin", ORIGIN), ("sec-fetch-site", "same-origin")],
        ),
    ] {
        assert_eq!(post(headers).await, status, "{what}");
    }
    let roles = service.get_as("/v1/roles", &admin()).await.json();
    assert_eq!(roles["roles"], json!([{ "name": "r" }]));
    for (method, path) in [
        (Method::DELETE, "/v1/roles/r"),
        (Method::PUT, "/gbac/v1/license"),
        (Method::DELETE, SESSION),
    ] {
        let headers = [("cookie", cookie), mark, ("origin", "https://evil.example")];
        assert_eq!(
            browse(&service, method, path, &headers).await.status,
            403,
            "{path}"
        );
    }
    assert_eq!(
        user(&service, cookie).await.as_deref(),
        Some("root"),
        "nobody else ends the session"
    );
    // Another body than JSON is refused as ever.
    let mut request = Request::post("/v1/roles")
        .header("host", HOST)
        .header("cookie", cookie)
        .header(mark.0, mark.1);
    request = request
        .header("origin", ORIGIN)
        .header("content-type", "text/plain");
    assert_eq!(
        service
            .ask(request.body(Body::from("{}")).unwrap())
            .await
            .status,
        415
    );
}

#[tokio::test]
async fn a_session_opens_what_its_user_may_do_and_the_events_say_so() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    set(&service, &json!({ "audit_enabled": true })).await;
    let root = sign_in(&service, &provider, "root").await;
    let maya = sign_in(&service, &provider, "maya").await;
    let get = async |cookie: &str, path: &str| {
        browse(
            &service,
            Method::GET,
            path,
            &[("cookie", cookie), ("gbac-session", "1")],
        )
        .await
        .status
    };
    assert_eq!(
        (get(&maya, "/v1/roles").await, get(&root, "/v1/roles").await),
        (403, 200)
    );
    assert_eq!(
        (
            get(&maya, "/gbac/v1/backup").await,
            get(&root, "/gbac/v1/backup").await
        ),
        (403, 200)
    );
    // The access of the groups, with the settings of the moment.
    let tag = service
        .get_as("/gbac/v1/policy", &admin())
        .await
        .header("etag")
        .to_owned();
    let access = json!({ "changes": [{ "change": "settings", "settings": { "access": { "read_only": ["Group:ops"] } } }] });
    let mut grant = crate::harness::request(
        Method::POST,
        "/gbac/v1/policy/changes",
        &admin(),
        &access.to_string(),
    );
    grant.headers_mut().insert("if-match", tag.parse().unwrap());
    assert_eq!(service.ask(grant).await.status, 200);
    assert_eq!(get(&maya, "/v1/roles").await, 200);
    // A token that no longer passes ends what its session opens.
    set(&service, &json!({ "oidc_principal_mapping": "$.nobody" })).await;
    assert_eq!(
        (get(&root, "/v1/roles").await, user(&service, &root).await),
        (401, None)
    );
    set(&service, &json!({ "oidc_principal_mapping": "$.sub" })).await;
    let with = [
        ("cookie", root.as_str()),
        ("gbac-session", "1"),
        ("origin", ORIGIN),
    ];
    assert_eq!(
        browse(&service, Method::DELETE, SESSION, &with)
            .await
            .status,
        200
    );
    let at = start(&service, "/").await;
    assert_eq!(
        problem(&answer(&service, &at, "error=access_denied").await).0,
        "declined"
    );

    let audit = service.get_as("/gbac/v1/audit?limit=1000", &admin()).await;
    let text = String::from_utf8_lossy(&audit.body).into_owned();
    let secret = |text: &str| text.split('=').nth(1).unwrap().to_owned();
    for secret in [
        &secret(&root),
        &secret(&at.cookie),
        &at.requested["state"],
        &provider.token("a", "root"),
    ] {
        assert!(!text.contains(secret.as_str()), "{secret}");
    }
    let events = audit.json()["events"].as_array().unwrap().clone();
    let of_sign_ins = events
        .iter()
        .rev()
        .filter(|event| event["class_uid"] == 3002 && event["auth_protocol_id"] == 4);
    let told: Vec<String> = of_sign_ins
        .map(|event| {
            let groups = event["user"]["groups"].as_array().map_or(0, Vec::len);
            let (activity, status) = (&event["activity_id"], &event["status_id"]);
            let user = event["user"]["name"].as_str().unwrap_or_default();
            let detail = event["status_detail"].as_str().unwrap_or_default();
            format!("{activity} {status} {user} {groups} {detail}")
                .trim()
                .to_owned()
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
    assert_eq!(
        (refused.status, &refused.json()["message"]),
        (401, &json!("the session has ended; sign in again"))
    );
    assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"gbac\"");
    assert_eq!(
        browse(&service, Method::DELETE, SESSION, &with)
            .await
            .status,
        200,
        "again"
    );

    // Another sign-in in the same browser takes the place of the session.
    let first = sign_in(&service, &provider, "maya").await;
    let at = start(&service, "/").await;
    says_tokens(
        &provider,
        &id_token(&provider, &at, "root", &json!({})),
        &provider.token("a", "root"),
    );
    let path = format!("{START}/callback?state={}&code=c", at.requested["state"]);
    let both = format!("{}; {first}", at.cookie);
    let second = browse(&service, Method::GET, &path, &[("cookie", &both)]).await;
    let second = sent(&cookies(&second)["__Host-gbac-session"]);
    assert_eq!(
        (
            user(&service, &first).await,
            user(&service, &second).await.as_deref()
        ),
        (None, Some("root"))
    );

    // At most ten of one user.
    let mut all = Vec::new();
    for _ in 0..11 {
        all.push(sign_in(&service, &provider, "ana").await);
    }
    assert_eq!(
        (
            user(&service, &all[0]).await,
            user(&service, &all[10]).await.as_deref()
        ),
        (None, Some("ana"))
    );
    assert_eq!(user(&service, &second).await.as_deref(), Some("root"));

    SECONDS.store(3599, Ordering::Relaxed);
    assert_eq!(user(&service, &second).await.as_deref(), Some("root"));
    SECONDS.store(3600, Ordering::Relaxed);
    let expired = browse(&service, Method::GET, SESSION, &[("cookie", &second), mark]).await;
    assert_eq!(expired.json(), json!({}), "the token has expired");
    assert!(cookies(&expired)["__Host-gbac-session"].contains("Max-Age=0"));
    // An hour later its ID is as unknown as any other.
    for cookie in [
        &second,
        "__Host-gbac-session=",
        "__Host-gbac-session=x",
        "gbac-session=x",
    ] {
        let answer = browse(
            &service,
            Method::GET,
            "/v1/roles",
            &[("cookie", cookie), mark],
        )
        .await;
        assert_eq!(answer.status, 401, "{cookie}");
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
    let with = [
        ("cookie", cookie.as_str()),
        ("gbac-session", "1"),
        ("origin", ORIGIN),
    ];
    let ask = async |method: Method, more: &[(&str, &str)]| {
        let headers = [&with[..], more].concat();
        browse(&service, method, path, &headers).await.status
    };
    assert_eq!(
        ask(Method::GET, &[]).await,
        401,
        "the cluster has its own credentials"
    );
    assert_eq!(ask(Method::GET, &[("authorization", &theirs)]).await, 200);
    assert_eq!(ask(Method::POST, &[("authorization", &theirs)]).await, 201);
    let without = [
        ("cookie", cookie.as_str()),
        ("gbac-session", "1"),
        ("authorization", theirs.as_str()),
    ];
    assert_eq!(
        browse(&service, Method::POST, path, &without).await.status,
        403,
        "without an origin"
    );
    let forged = [
        ("cookie", "__Host-gbac-session=x"),
        ("gbac-session", "1"),
        ("authorization", theirs.as_str()),
    ];
    assert_eq!(
        browse(&service, Method::GET, path, &forged).await.status,
        401
    );
}

#[tokio::test]
async fn a_superuser_ends_every_session_at_once() {
    let provider = Provider::start().await;
    let service = service(&provider).await;
    for path in [
        "/v1/security/oidc/revoke",
        "/redpanda.core.admin.v2.SecurityService/RevokeOidcSessions",
    ] {
        let (maya, root) = (
            sign_in(&service, &provider, "maya").await,
            sign_in(&service, &provider, "root").await,
        );
        let answer = service.send(Method::POST, path, &json!({})).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(
            (user(&service, &maya).await, user(&service, &root).await),
            (None, None),
            "{path}"
        );
    }
    let again = sign_in(&service, &provider, "maya").await;
    assert_eq!(
        user(&service, &again).await.as_deref(),
        Some("maya"),
        "a new sign-in opens a new session"
    );
}
