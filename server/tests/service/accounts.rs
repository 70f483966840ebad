//! Accounts and access to the service itself: the local account, superusers among token users, and
//! limited access (D-14, D-30, D-58).

use axum::http::{Method, Request};
use gbac_api::accounts::{Accounts, SuperuserStatus};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::harness::{Answer, NOW, Own, PASSWORD, Service, admin, basic, data_options, request};
use crate::identity_provider::{AUDIENCE, Provider};

const POLICY: &str = "/gbac/v1/policy";
const CHANGES: &str = "/gbac/v1/policy/changes";
const EVALUATION: &str = "/access/v1/evaluation";

/// A service with an identity provider, on a clock that stands.
async fn service(provider: &Provider, settings: Value) -> Own {
    let service = Own::with(|options| {
        let data = data_options(options);
        data.oidc_discovery_url = Some(provider.discovery());
        data.oidc_audience = Some(AUDIENCE.into());
    });
    assert_eq!(change(&service, &admin(), settings).await.status, 200);
    service
}

/// Changes settings with these credentials.
async fn change(service: &Service, credentials: &str, settings: Value) -> Answer {
    let tag = service
        .get_as(POLICY, &admin())
        .await
        .header("etag")
        .to_owned();
    let changes = json!({ "changes": [{ "change": "settings", "settings": settings }] });
    send(service, Method::POST, CHANGES, &changes, credentials, &tag).await
}

async fn send(
    service: &Service,
    method: Method,
    path: &str,
    body: &Value,
    credentials: &str,
    tag: &str,
) -> Answer {
    let mut request = request(method, path, credentials, &body.to_string());
    request
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    service.ask(request).await
}

fn token(provider: &Provider, user: &str, groups: &[&str]) -> String {
    let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": user, "exp": NOW + 60.0, "groups": groups });
    format!("Bearer {}", provider.sign("a", &claims))
}

async fn accounts(service: &Service) -> Accounts {
    serde_json::from_slice(&service.get_as("/gbac/v1/accounts", &admin()).await.body).unwrap()
}

fn codes(status: &SuperuserStatus) -> Vec<&str> {
    status
        .problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect()
}

#[tokio::test]
async fn a_token_user_is_not_the_local_account_of_the_same_name() {
    let provider = Provider::start().await;
    let service = service(&provider, json!({})).await;
    let token = token(&provider, "admin", &["admin"]);
    let roles = async |credentials: &str| service.get_as("/v1/roles", credentials).await.status;
    assert_eq!((roles(&token).await, roles(&admin()).await), (403, 200));
    assert_eq!(
        change(&service, &token, json!({ "superusers": ["admin"] }))
            .await
            .status,
        403
    );
    // The setting names token users, and the local account needs it as little as before.
    assert_eq!(
        change(&service, &admin(), json!({ "superusers": ["admin"] }))
            .await
            .status,
        200
    );
    assert_eq!((roles(&token).await, roles(&admin()).await), (200, 200));
    assert_eq!(
        change(&service, &token, json!({ "superusers": [] }))
            .await
            .status,
        200
    );
    assert_eq!((roles(&token).await, roles(&admin()).await), (403, 200));
}

#[tokio::test]
async fn superusers_that_nobody_can_sign_in_as_are_reported() {
    let service = Own::with(|_| {});
    let settings = json!({ "superusers": ["Root", "admin", "ana"], "oidc_principal_mapping": "$.email/(.*)@x/$1/L" });
    assert_eq!(change(&service, &admin(), settings).await.status, 200);
    let found = accounts(&service).await;
    assert_eq!(
        (
            found.local.as_str(),
            found.read_only.len(),
            found.evaluate.len()
        ),
        ("admin", 0, 0)
    );
    let codes_of: Vec<(&str, Vec<&str>)> = found
        .superusers
        .iter()
        .map(|status| (status.name.as_str(), codes(status)))
        .collect();
    assert_eq!(
        codes_of,
        [
            (
                "Root",
                vec!["superuser_no_provider", "superuser_unreachable"]
            ),
            (
                "admin",
                vec!["superuser_no_provider", "superuser_local_name"]
            ),
            ("ana", vec!["superuser_no_provider"]),
        ]
    );
    let provider = Provider::start().await;
    let upsert =
        json!({ "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE });
    let set = json!({ "upsert": upsert, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set)
            .await
            .status,
        200
    );
    assert_eq!(
        accounts(&service)
            .await
            .superusers
            .iter()
            .map(codes)
            .collect::<Vec<_>>(),
        [
            vec!["superuser_unreachable"],
            vec!["superuser_local_name"],
            vec![]
        ]
    );
}

#[tokio::test]
async fn limited_access_opens_what_it_says_and_no_more() {
    let provider = Provider::start().await;
    let access =
        json!({ "read_only": ["Group:auditors"], "evaluate": ["User:gateway", "Group:gateways"] });
    let service = service(&provider, json!({ "access": access })).await;
    let (auditor, gateway) = (
        token(&provider, "ana", &["eng", "auditors"]),
        token(&provider, "gw1", &["gateways"]),
    );
    let question = json!({ "subject": { "type": "user", "id": "maya" }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "x" } });
    let ask = async |credentials: &str| {
        let answer = service
            .send_as(Method::POST, EVALUATION, &question, credentials)
            .await;
        (answer.status, answer.json())
    };
    assert_eq!(ask(&gateway).await.0, 200);
    assert_eq!(ask(&token(&provider, "gateway", &[])).await.0, 200);
    let refused = ask(&auditor).await;
    assert_eq!(
        (refused.0, &refused.1["message"]),
        (
            403,
            &json!("permission denied; this requires the access `evaluate`")
        )
    );
    let list_roles = "/service.core.admin.v2.SecurityService/ListRoles";
    for path in [
        POLICY,
        "/gbac/v1/audit",
        "/gbac/v1/accounts",
        "/v1/roles",
        "/v1/cluster_config",
        "/v1/loggers",
    ] {
        assert_eq!(service.get_as(path, &auditor).await.status, 200, "{path}");
        assert_eq!(service.get_as(path, &gateway).await.status, 403, "{path}");
    }
    for (credentials, expected) in [(&auditor, 200), (&gateway, 403)] {
        assert_eq!(
            service
                .send_as(Method::POST, list_roles, &json!({}), credentials)
                .await
                .status,
            expected
        );
    }
    let refused = service.get_as(POLICY, &gateway).await.json();
    assert_eq!(
        refused["message"],
        "permission denied; this requires the access `read_only`"
    );
    // It ends with the setting.
    assert_eq!(
        change(
            &service,
            &admin(),
            json!({ "access": { "read_only": ["Group:auditors"] } })
        )
        .await
        .status,
        200
    );
    assert_eq!(
        (
            ask(&gateway).await.0,
            service.get_as(POLICY, &auditor).await.status
        ),
        (403, 200)
    );
    assert_eq!(
        change(&service, &admin(), json!({ "access": {} }))
            .await
            .status,
        200
    );
    assert_eq!(service.get_as(POLICY, &auditor).await.status, 403);
}

#[tokio::test]
async fn nobody_grants_more_than_they_have() {
    let provider = Provider::start().await;
    let access = json!({ "read_only": ["Group:auditors"], "evaluate": ["User:gateway"] });
    let service = service(
        &provider,
        json!({ "superusers": ["root"], "access": access }),
    )
    .await;
    let before = service.get_as(POLICY, &admin()).await;
    let tag = before.header("etag").to_owned();
    let more = json!({ "superusers": ["ana", "gateway", "eve", "admin"],
        "access": { "read_only": ["User:gateway", "User:eve"], "evaluate": ["User:ana", "User:eve"] } });
    let document = json!({ "version": 1, "settings": more });
    let changes = json!({ "changes": [{ "change": "settings", "settings": more }] });
    let properties = json!({ "upsert": { "superusers": ["ana", "gateway", "eve"] }, "remove": [] });
    let member = json!({ "roleName": "r", "members": [{ "user": { "name": "ana" } }] });
    let list = "/service.core.admin.v2.SecurityService/AddRoleMembers";
    for caller in [
        token(&provider, "ana", &["auditors"]),
        token(&provider, "gateway", &["auditors"]),
        token(&provider, "eve", &[]),
        token(&provider, "admin", &[]),
    ] {
        for (method, path, body) in [
            (Method::PUT, POLICY, &document),
            (Method::PUT, "/gbac/v1/policy?dry_run=true", &document),
            (Method::POST, CHANGES, &changes),
            (Method::PUT, "/v1/cluster_config", &properties),
            (Method::POST, list, &member),
            (Method::POST, "/v1/roles", &json!({ "name": "r" })),
            (
                Method::PUT,
                "/gbac/v1/license",
                &json!({ "license": "missing" }),
            ),
        ] {
            assert_eq!(
                send(&service, method, path, body, &caller, &tag)
                    .await
                    .status,
                403,
                "{path}"
            );
        }
    }
    let after = service.get_as(POLICY, &admin()).await;
    assert_eq!(
        (after.header("etag"), after.json()),
        (tag.as_str(), before.json()),
        "nothing has changed"
    );
    // A superuser can grant whatever there is.
    assert_eq!(
        change(&service, &token(&provider, "root", &[]), more)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_lost_password_is_replaced_at_the_next_start() {
    let folder = tempdir().unwrap();
    let start = |password: Option<&str>| {
        Service::on(folder.path(), |options| {
            options.admin_password = password.map(Into::into);
        })
        .unwrap()
    };
    let first = start(None);
    let made = first.app.generated_password().unwrap().1.to_owned();
    let role = json!({ "name": "kept" });
    assert_eq!(
        first
            .send_as(Method::POST, "/v1/roles", &role, &basic("admin", &made))
            .await
            .status,
        201
    );
    drop(first);
    let recovered = start(Some("another password"));
    assert_eq!(
        recovered
            .get_as("/v1/roles/kept", &basic("admin", "another password"))
            .await
            .status,
        200,
        "nothing else is lost"
    );
    assert_eq!(
        recovered
            .get_as("/v1/roles/kept", &basic("admin", &made))
            .await
            .status,
        401
    );
    assert!(recovered.app.generated_password().is_none() && recovered.app.notices().is_empty());
    drop(recovered);
    let later = start(None);
    assert_eq!(
        later
            .get_as("/v1/roles/kept", &basic("admin", "another password"))
            .await
            .status,
        200,
        "it stays"
    );
}

#[tokio::test]
async fn credentials_of_limited_access_are_no_passwords() {
    let provider = Provider::start().await;
    let service = service(
        &provider,
        json!({ "access": { "read_only": ["User:ana"] } }),
    )
    .await;
    let read = Request::get(POLICY).header("authorization", basic("ana", PASSWORD));
    assert_eq!(
        service
            .ask(read.body(axum::body::Body::empty()).unwrap())
            .await
            .status,
        401
    );
}
