//! Every relayed operation, through `gbac serve`.

use gbac_tests::platform::{BrokerVersion, Platform, PlatformOptions};
use serde_json::{Value, json};

use super::{ADMIN, ask, fill, relaying, self_managed};

const ALICE: &str = "Bearer token-of-alice";

#[test]
fn every_relayed_operation_works_on_the_platform() {
    let platform = self_managed();
    fill(&platform);
    let service = relaying(&platform);
    let relayed = |method: &str, path: &str, body: Value| {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (status, answer) = ask(
            &service.url,
            method,
            &format!("/gbac/v1/upstream{path}"),
            ADMIN,
            &body,
        );
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer
    };
    // Both names of the SecurityService reach the only one that the platform has.
    for name in ["service", "redpanda"] {
        let call = |operation: &str, body: Value| {
            relayed(
                "POST",
                &format!("/admin/{name}.core.admin.v2.SecurityService/{operation}"),
                body,
            )
        };
        let member = json!({ "group": { "name": "ops" } });
        call(
            "CreateRole",
            json!({ "role": { "name": "New", "members": [{ "user": { "name": "a" } }] } }),
        );
        let grown = call(
            "AddRoleMembers",
            json!({ "roleName": "New", "members": [member] }),
        );
        assert_eq!(grown["role"]["members"].as_array().map(Vec::len), Some(2));
        let shrunk = call(
            "RemoveRoleMembers",
            json!({ "roleName": "New", "members": [member] }),
        );
        assert_eq!(
            shrunk["role"]["members"],
            json!([{ "user": { "name": "a" } }])
        );
        assert_eq!(
            call("GetRole", json!({ "name": "New" }))["role"]["name"],
            "New"
        );
        assert_eq!(
            call("ListRoles", json!({}))["roles"]
                .as_array()
                .map(Vec::len),
            Some(4)
        );
        call("DeleteRole", json!({ "name": "New", "deleteAcls": true }));
        assert_eq!(call("ListCurrentUserRoles", json!({}))["roles"], json!([]));
        assert_eq!(call("ResolveOidcIdentity", json!({}))["principal"], "admin");
        call("RefreshOidcKeys", json!({}));
        call("RevokeOidcSessions", json!({}));
    }
    assert!(
        platform
            .take_requests()
            .iter()
            .all(|request| request.target.starts_with("/redpanda."))
    );

    let version = relayed(
        "PUT",
        "/admin/v1/cluster_config",
        json!({ "upsert": { "audit_enabled": "true" }, "remove": [] }),
    );
    assert_eq!(version["config_version"], 2);
    assert_eq!(
        relayed(
            "GET",
            "/admin/v1/cluster_config?key=audit_enabled",
            Value::Null
        )["audit_enabled"],
        true
    );
    assert!(
        relayed("GET", "/admin/v1/cluster_config/schema", Value::Null)["properties"]["superusers"]
            .is_object()
    );
    assert_eq!(
        relayed("GET", "/admin/v1/loggers", Value::Null)
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    let level = relayed(
        "PUT",
        "/admin/v1/config/log_level/security?level=trace&expires=60",
        Value::Null,
    );
    assert_eq!(
        (&level["previous_level"], &level["new_level"]),
        (&json!("info"), &json!("trace"))
    );
    assert_eq!(
        relayed("GET", "/admin/v1/config/log_level/security", Value::Null)["level"],
        "trace"
    );

    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "t",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "RedpandaRole:Readers", "host": "10.0.0.7",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_DENY" });
    relayed("POST", "/dataplane/v1/acls", acl);
    let listed = relayed(
        "GET",
        "/dataplane/v1/acls?filter.resource_name=t",
        Value::Null,
    );
    assert_eq!(listed["resources"][0]["acls"][0]["host"], "10.0.0.7");
    let filter = "filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_name=t&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
                  &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY";
    let deleted = relayed(
        "DELETE",
        &format!("/dataplane/v1/acls?{filter}"),
        Value::Null,
    );
    assert_eq!(deleted["matching_acls"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        relayed("POST", "/dataplane/v1/roles", json!({ "name": "a/b %" }))["role"]["name"],
        "a/b %"
    );
    let joined = relayed(
        "PUT",
        "/dataplane/v1/roles/a%2Fb%20%25",
        json!({ "add": [{ "principal": "Group:ops" }] }),
    );
    assert_eq!(joined["added"], json!([{ "principal": "Group:ops" }]));
    assert_eq!(
        relayed("GET", "/dataplane/v1/roles/a%2Fb%20%25", Value::Null)["members"],
        joined["added"]
    );
    assert_eq!(
        relayed(
            "GET",
            "/dataplane/v1/roles/a%2Fb%20%25/members",
            Value::Null
        )["members"],
        joined["added"]
    );
    relayed(
        "DELETE",
        "/dataplane/v1/roles/a%2Fb%20%25?delete_acls=true",
        Value::Null,
    );
    assert_eq!(
        relayed("GET", "/dataplane/v1/roles?page_size=-1", Value::Null)["roles"]
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    assert_eq!(platform.state().roles.len(), 3);
}

#[test]
fn refusals_of_the_platform_keep_their_form() {
    let old = PlatformOptions {
        version: BrokerVersion::V25_3,
        license: false,
        ..PlatformOptions::default()
    };
    let platform = Platform::start(old);
    let service = relaying(&platform);
    let relayed = |caller: &str, method: &str, path: &str, body: &str| {
        ask(
            &service.url,
            method,
            &format!("/gbac/v1/upstream{path}"),
            caller,
            body,
        )
    };
    let role = relayed(ADMIN, "PUT", "/dataplane/v1/roles/x", r#"{"create":true}"#);
    assert_eq!(
        (role.0, &role.1["code"], &role.1["details"][0]["reason"]),
        (
            403,
            &json!("PERMISSION_DENIED"),
            &json!("REASON_REDPANDA_ADMIN_API_ERROR")
        )
    );
    let v2 = relayed(
        ADMIN,
        "POST",
        "/admin/service.core.admin.v2.SecurityService/ListRoles",
        "{}",
    );
    assert_eq!(
        v2,
        (404, json!({ "message": "Not found", "code": 404 })),
        "25.3 has no Admin API v2"
    );
    let unknown = r#"{"upsert":{"nested_group_behavior":"suffix"},"remove":[]}"#;
    let fault = relayed(ADMIN, "PUT", "/admin/v1/cluster_config", unknown);
    assert_eq!(
        fault,
        (400, json!({ "nested_group_behavior": "Unknown property" }))
    );
    assert_eq!(relayed(ALICE, "GET", "/dataplane/v1/roles", "").0, 403);
    assert_eq!(
        relayed("Bearer nobody", "GET", "/dataplane/v1/roles", "").0,
        401
    );
    assert_eq!(
        relayed(ADMIN, "GET", "/dataplane/v1/roles?page_size=1001", "").1["details"][1]["field_violations"]
            [0]["field"],
        "page_size"
    );
    assert!(platform.state().roles.is_empty());
}
