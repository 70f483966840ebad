//! `/gbac/v1/policy`: the whole document at once (D-30, D-34).

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_json::policy_from_value;
use serde_json::{Value, json};

use crate::harness::{Answer, Service, admin, request};

const PATH: &str = "/gbac/v1/policy";

async fn put(service: &Service, tag: &str, body: &Value) -> Answer {
    let mut request = request(Method::PUT, PATH, &admin(), &body.to_string());
    request
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    service.ask(request).await
}

#[tokio::test]
async fn a_document_round_trips() {
    let service = Service::start();
    let read = service.get(PATH).await;
    assert_eq!(
        (read.status, read.header("cache-control")),
        (200, "no-store")
    );
    let tag = read.header("etag").to_owned();
    let mut document = read.json();
    assert_eq!(document["acls"].as_array().unwrap().len(), 18);

    let known = Request::get(PATH)
        .header("if-none-match", &tag)
        .body(Body::empty())
        .unwrap();
    let known = service.ask(known).await;
    assert_eq!(
        (known.status, known.body.len(), known.header("etag")),
        (304, 0, tag.as_str())
    );

    let same = put(&service, &tag, &document).await;
    assert_eq!(
        (same.status, same.header("etag")),
        (204, tag.as_str()),
        "no change, same tag"
    );
    document["roles"] = json!([{ "name": "only", "members": [{ "principal": "Group:*" }] }]);
    let changed = put(&service, &tag, &document).await;
    assert_eq!((changed.status, changed.body.len()), (204, 0));
    assert_ne!(changed.header("etag"), tag);
    let again = service.get(PATH).await;
    assert_eq!(again.header("etag"), changed.header("etag"));
    assert!(policy_from_value(&again.json()).unwrap() == policy_from_value(&document).unwrap());
    assert_eq!(
        service.get("/v1/roles").await.json()["roles"],
        json!([{ "name": "only" }])
    );

    document["settings"]["nested_group_behavior"] = "suffix".into();
    assert_eq!(put(&service, "*", &document).await.status, 204);
    let any = format!("\"other\", W/{}", service.get(PATH).await.header("etag"));
    assert_eq!(put(&service, &any, &document).await.status, 204);
}

#[tokio::test]
async fn a_concurrent_change_is_detected() {
    let service = Service::start();
    let read = service.get(PATH).await;
    let document = read.json();
    let without = service.send(Method::PUT, PATH, &document).await;
    assert_eq!(
        without.both(),
        (
            428,
            json!({ "code": "precondition_required",
            "message": "`If-Match` is missing; read the policy first and send its `ETag`" })
        )
    );
    service
        .send(Method::POST, "/v1/roles", &json!({ "name": "in-between" }))
        .await;
    let late = put(&service, read.header("etag"), &document).await;
    assert_eq!(
        late.both(),
        (
            412,
            json!({ "code": "policy_changed",
            "message": "the policy has changed; read it again and repeat your change" })
        )
    );
    assert_eq!(service.get("/v1/roles/in-between").await.status, 200);
}

#[tokio::test]
async fn every_problem_of_a_document_is_reported() {
    let service = Service::start();
    let tag = service.get(PATH).await.header("etag").to_owned();
    let bad = json!({
        "version": 2,
        "settings": { "oidc_group_claim_path": "$[", "superusers": ["admin", ""] },
        "roles": [{ "name": "a" }, { "name": "a" }, { "name": "b,c", "members": [{ "principal": "x" }] }],
        "acls": [{ "host": "nowhere" }],
        "extra": 1,
    });
    let refused = put(&service, &tag, &bad).await;
    let body = refused.json();
    assert_eq!(
        (refused.status, body["code"].as_str()),
        (400, Some("invalid_document"))
    );
    let problems: Vec<(&str, &str)> = body["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            (
                problem["path"].as_str().unwrap(),
                problem["code"].as_str().unwrap(),
            )
        })
        .collect();
    assert!(problems.len() >= 10, "{problems:?}");
    assert_eq!(
        body["message"],
        format!(
            "the policy document has {} problems; nothing was changed",
            problems.len()
        )
    );
    for problem in [
        ("/version", "unsupported_version"),
        ("/settings/superusers/1", "superuser_empty"),
        ("/roles/1/name", "role_exists"),
        ("/roles/2/members/0/principal", "principal_without_type"),
        ("/acls/0/host", "host_invalid"),
        ("/extra", "unknown_member"),
    ] {
        assert!(problems.contains(&problem), "{problem:?} in {problems:?}");
    }
    let mut syntax = request(Method::PUT, PATH, &admin(), "{\"version\":1,\"version\":1}");
    syntax
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    let refused = service.ask(syntax).await;
    assert_eq!(
        (
            refused.status,
            refused.json()["problems"][0]["code"].clone()
        ),
        (400, json!("duplicate_member"))
    );

    assert_eq!(service.get(PATH).await.header("etag"), tag);
    let nobody = put(
        &service,
        &tag,
        &json!({ "version": 1, "settings": { "superusers": [] } }),
    )
    .await;
    assert_eq!(nobody.status, 204);
    assert_eq!(
        service.get_as(PATH, &admin()).await.status,
        200,
        "the local account is a superuser by itself"
    );
}

#[tokio::test]
async fn ten_thousand_acls_are_accepted() {
    let service = Service::start();
    let acls: Vec<Value> = (0..10_000)
        .map(|number| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": format!("topic-{number}"),
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Group:eng", "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        })
        .collect();
    let document = json!({ "version": 1, "settings": { "superusers": ["admin"] }, "acls": acls });
    assert_eq!(put(&service, "*", &document).await.status, 204);
    let list = service
        .get("/v1/acls?filter.resource_name=topic-9999")
        .await
        .json();
    assert_eq!(list["resources"].as_array().unwrap().len(), 1);
}
