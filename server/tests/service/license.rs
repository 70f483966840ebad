//! What takes a license, and what goes on without one (D-16).

use axum::http::Method;
use gbac_api::license::LicenseStatus;
use serde_json::{Value, json};

use crate::harness::{Service, admin};

const PATH: &str = "/gbac/v1/license";
const CONNECT: &str = "/service.core.admin.v2.SecurityService";

async fn set(service: &Service, license: &str) {
    let answer = service
        .send(Method::PUT, PATH, &json!({ "license": license }))
        .await;
    assert_eq!(
        answer.both(),
        (200, json!({ "license": license, "pinned": false }))
    );
}

fn acl(principal: &str, topic: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": topic,
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
}

#[tokio::test]
async fn without_a_license_licensed_features_are_rejected() {
    let service = Service::start();
    assert_eq!(
        service.get(PATH).await.both(),
        (200, json!({ "license": "valid", "pinned": false }))
    );
    set(&service, "expired").await;
    let before = service.get("/gbac/v1/policy").await.json();
    let member = json!({ "roleName": "SchemaStewards", "members": [{ "group": { "name": "x" } }] });
    let mut told = Vec::new();
    for (method, path, body) in [
        (Method::POST, "/v1/acls", acl("Group:x", "t")),
        (Method::POST, "/v1/acls", acl("Role:x", "t")),
        (Method::POST, "/v1/roles", json!({ "name": "x" })),
        (
            Method::PUT,
            "/v1/roles/SchemaStewards",
            json!({ "add": [{ "principal": "Group:x" }] }),
        ),
        (
            Method::PUT,
            "/v1/roles/SchemaStewards",
            json!({ "remove": [{ "principal": "Group:engineering" }] }),
        ),
        (Method::PUT, "/v1/roles/x", json!({ "create": true })),
        (
            Method::POST,
            &format!("{CONNECT}/CreateRole"),
            json!({ "role": { "name": "x" } }),
        ),
        (Method::POST, &format!("{CONNECT}/AddRoleMembers"), member),
        (
            Method::PUT,
            "/v1/cluster_config",
            json!({ "upsert": { "oidc_group_claim_path": "$.x", "oidc_principal_mapping": "$.email" }, "remove": [] }),
        ),
        (
            Method::PUT,
            "/v1/cluster_config",
            json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] }),
        ),
    ] {
        let (status, answer) = service.send(method.clone(), path, &body).await.both();
        told.push(
            json!({ "asked": format!("{method} {path}"), "status": status, "answer": answer }),
        );
    }
    insta::assert_json_snapshot!("license_refusals", told);
    assert_eq!(
        service.get("/gbac/v1/policy").await.json(),
        before,
        "nothing was changed"
    );
}

#[tokio::test]
async fn the_policy_document_does_not_bypass_the_license() {
    let service = Service::start();
    set(&service, "missing").await;
    let held = service.get("/gbac/v1/policy").await;
    let put = async |change: fn(&mut Value)| {
        let mut document = held.json();
        change(&mut document);
        let mut request = crate::harness::request(
            Method::PUT,
            "/gbac/v1/policy",
            &admin(),
            &document.to_string(),
        );
        request
            .headers_mut()
            .insert("if-match", "*".parse().unwrap());
        let answer = service.ask(request).await;
        (
            answer.status,
            if answer.status == 204 {
                Value::Null
            } else {
                answer.json()["code"].clone()
            },
        )
    };
    let refused = (403, json!("license_required"));
    assert_eq!(
        put(|document| document["settings"]["nested_group_behavior"] = "suffix".into()).await,
        refused
    );
    let sso = |document: &mut Value| {
        let settings = document["settings"].as_object_mut().unwrap();
        settings
            .retain(|name, _| name != "oidc_group_claim_path" && name != "nested_group_behavior");
        settings.insert(
            "sso".into(),
            json!({ "mode": "use_map", "attributes": { "federated_groups": "$.groups" } }),
        );
    };
    assert_eq!(put(sso).await, refused);
    assert_eq!(
        put(|document| document["roles"][0]["name"] = "Other".into()).await,
        refused
    );
    assert_eq!(
        put(|document| document["roles"][0]["members"] = json!([])).await,
        refused
    );
    assert_eq!(
        put(|document| document["acls"][0]["resource_name"] = "other-".into()).await,
        refused
    );
    assert_eq!(put(|_| {}).await, (204, Value::Null));
    let fewer = put(|document| {
        document["roles"].as_array_mut().unwrap().remove(0);
        document["acls"]
            .as_array_mut()
            .unwrap()
            .retain(|acl| acl["principal"] != "Role:AnalyticsReaders");
    });
    assert_eq!(
        fewer.await,
        (204, Value::Null),
        "what exists can be deleted"
    );
}

#[tokio::test]
async fn existing_rules_stay_in_effect_and_can_be_deleted() {
    let service = Service::start();
    let suffix = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &suffix)
            .await
            .status,
        200
    );
    set(&service, "expired").await;
    for (method, path, body, status) in [
        (Method::POST, "/v1/acls", acl("User:alice", "t"), 201),
        (Method::POST, "/v1/acls", acl("User:*", "t"), 201),
        (Method::PUT, "/v1/cluster_config", suffix, 200),
        (
            Method::PUT,
            "/v1/cluster_config",
            json!({ "upsert": { "superusers": ["admin", "x"] }, "remove": [] }),
            200,
        ),
        (
            Method::PUT,
            "/v1/cluster_config",
            json!({ "upsert": {}, "remove": ["nested_group_behavior"] }),
            200,
        ),
        (
            Method::PUT,
            "/v1/roles/SchemaStewards",
            json!({ "add": [{ "principal": "Group:engineering" }] }),
            200,
        ),
        (
            Method::POST,
            &format!("{CONNECT}/GetRole"),
            json!({ "name": "SchemaStewards" }),
            200,
        ),
        (
            Method::POST,
            &format!("{CONNECT}/DeleteRole"),
            json!({ "name": "SchemaStewards", "deleteAcls": true }),
            200,
        ),
    ] {
        let answer = service.send(method, path, &body).await;
        assert_eq!(answer.status, status, "{path} {body} {:?}", answer.body);
    }
    assert_eq!(
        service
            .delete("/v1/roles/PaymentsWriters?delete_acls=true")
            .await
            .status,
        204
    );
    let all = "/v1/acls?filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
               &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY&filter.principal=Group:engineering";
    assert_eq!(
        service.delete(all).await.json()["matching_acls"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    set(&service, "valid").await;
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &acl("Group:x", "t"))
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_superuser_sets_the_license_unless_pinned() {
    let service = Service::with(|options| options.license = Some(LicenseStatus::Missing));
    assert_eq!(
        service.get(PATH).await.both(),
        (200, json!({ "license": "missing", "pinned": true }))
    );
    let pinned = service
        .send(Method::PUT, PATH, &json!({ "license": "valid" }))
        .await;
    assert_eq!(
        pinned.both(),
        (
            400,
            json!({ "code": "license_pinned", "message": "the license is set on the command line; restart the service without `--license` to change it" })
        )
    );
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(
        service
            .send_as(Method::PUT, PATH, &json!({ "license": "missing" }), &token)
            .await
            .status,
        403
    );
    for body in [
        json!({}),
        json!({ "license": "VALID" }),
        json!({ "license": null }),
    ] {
        assert_eq!(
            service.send(Method::PUT, PATH, &body).await.status,
            400,
            "{body}"
        );
    }
    assert_eq!(service.get(PATH).await.json()["license"], "valid");
}
