//! The same calls to the platform and to `gbac serve`: same status, same body.

use std::fs;

use crate::support::service::Service;
use gbac_tests::platform::PlatformApi;
use serde_json::Value;

use super::{ask, self_managed};

/// A call, and what of the answers has to be equal. Where the service is stricter (D-94, D-97),
/// there is none.
type Step = (&'static str, &'static str, &'static str, Likeness);

/// What has to be equal.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Likeness {
    /// Status and body.
    Whole,
    /// Status and `code`: the message says more here.
    Code,
    /// The status: the platform's answer has no body.
    Status,
}
use Likeness::{Code, Status, Whole};

const V1: &[Step] = &[
    ("POST", "/v1/security/roles", r#"{"role":"x"}"#, Whole),
    ("POST", "/v1/security/roles", r#"{"role":"x"}"#, Whole),
    (
        "POST",
        "/v1/security/roles/x/members",
        r#"{"add":[{"name":"bob","principal_type":"User"}]}"#,
        Whole,
    ),
    (
        "POST",
        "/v1/security/roles/x/members",
        r#"{"add":[{"name":"bob","principal_type":"User"}]}"#,
        Whole,
    ),
    ("POST", "/v1/security/roles", r#"{"role":"x"}"#, Whole),
    ("POST", "/v1/security/roles", r#"{"role":"a,b"}"#, Code),
    (
        "POST",
        "/v1/security/roles/x/members",
        r#"{"add":[{"name":"eng","principal_type":"Group"}]}"#,
        Whole,
    ),
    (
        "GET",
        "/v1/security/roles?principal=eng&principal_type=Group",
        "",
        Whole,
    ),
    (
        "GET",
        "/v1/security/roles?principal=bob&principal_type=User",
        "",
        Whole,
    ),
    (
        "POST",
        "/v1/security/roles/y/members",
        r#"{"add":[{"name":"bob","principal_type":"User"}]}"#,
        Whole,
    ),
    (
        "POST",
        "/v1/security/roles/y/members?create=true",
        r#"{"add":[{"name":"bob","principal_type":"User"}]}"#,
        Whole,
    ),
    (
        "POST",
        "/v1/security/roles/x/members",
        r#"{"add":[{"name":"bob","principal_type":"User"}],"remove":[{"name":"bob","principal_type":"User"}]}"#,
        Whole,
    ),
    ("GET", "/v1/security/roles/x", "", Whole),
    ("GET", "/v1/security/roles/x/members", "", Whole),
    ("GET", "/v1/security/roles/missing", "", Whole),
    ("GET", "/v1/security/users/roles", "", Whole),
    (
        "DELETE",
        "/v1/security/roles/missing?delete_acls=true",
        "",
        Whole,
    ),
    ("DELETE", "/v1/security/roles/y", "", Whole),
    ("GET", "/v1/security/roles", "", Whole),
];

const V2: &[Step] = &[
    ("POST", "ListRoles", "{}", Whole),
    (
        "POST",
        "CreateRole",
        r#"{"role":{"name":"v2","members":[{"group":{"name":"eng"}}]}}"#,
        Whole,
    ),
    (
        "POST",
        "CreateRole",
        r#"{"role":{"name":"v2","members":[{"group":{"name":"eng"}}]}}"#,
        Whole,
    ),
    ("POST", "CreateRole", r#"{"role":{"name":"v2"}}"#, Code),
    (
        "POST",
        "AddRoleMembers",
        r#"{"role_name":"v2","members":[{"user":{"name":"bob"}},{"group":{"name":"eng"}}]}"#,
        Code,
    ),
    (
        "POST",
        "RemoveRoleMembers",
        r#"{"roleName":"v2","members":[{"user":{"name":"bob"}},{"user":{"name":"no"}}]}"#,
        Whole,
    ),
    ("POST", "GetRole", r#"{"name":"v2","unknown":1}"#, Whole),
    ("POST", "GetRole", r#"{"name":"missing"}"#, Code),
    (
        "POST",
        "AddRoleMembers",
        r#"{"roleName":"missing","members":[]}"#,
        Code,
    ),
    ("POST", "ListCurrentUserRoles", "{}", Whole),
    ("POST", "DeleteRole", r#"{"name":"missing"}"#, Whole),
    (
        "POST",
        "DeleteRole",
        r#"{"name":"v2","deleteAcls":true}"#,
        Whole,
    ),
    ("POST", "ResolveOidcIdentity", "{}", Code),
    ("POST", "Nothing", "{}", Code),
    ("GET", "ListRoles", "", Status),
];

const DATA_PLANE: &[Step] = &[
    ("POST", "/v1/roles", r#"{"name":"r"}"#, Whole),
    ("POST", "/v1/roles", r#"{"name":"r"}"#, Whole),
    ("POST", "/v1/roles", r#"{"name":"a=b"}"#, Code),
    (
        "PUT",
        "/v1/roles/r",
        r#"{"add":[{"principal":"User:bob"},{"principal":"Group:eng"}],"remove":[{"principal":"User:no"}]}"#,
        Whole,
    ),
    (
        "PUT",
        "/v1/roles/r",
        r#"{"add":[{"principal":"User:bob"}]}"#,
        Whole,
    ),
    (
        "PUT",
        "/v1/roles/none",
        r#"{"add":[{"principal":"User:bob"}]}"#,
        Code,
    ),
    (
        "PUT",
        "/v1/roles/made",
        r#"{"create":true,"remove":[{"principal":"User:bob"}]}"#,
        Whole,
    ),
    ("GET", "/v1/roles/r", "", Whole),
    ("GET", "/v1/roles?pageSize=1", "", Code),
    ("GET", "/v1/roles?filter.namePrefix=r&unknown=1", "", Whole),
    ("GET", "/v1/roles?page_size=-2", "", Code),
    ("GET", "/v1/roles?page_token=a%2Cb", "", Code),
    (
        "GET",
        "/v1/roles/r/members?filter.name_contains=eng",
        "",
        Whole,
    ),
    ("GET", "/v1/roles/none/members", "", Code),
    (
        "POST",
        "/v1/acls",
        r#"{"resourceType":2,"resource_name":"t","resource_pattern_type":3,"principal":"RedpandaRole:r","host":"*","operation":"OPERATION_READ","permissionType":3}"#,
        Whole,
    ),
    (
        "POST",
        "/v1/acls",
        r#"{"resource_type":"RESOURCE_TYPE_CLUSTER","resource_pattern_type":3,"principal":"User:bob","host":"::1","operation":8,"permission_type":2}"#,
        Whole,
    ),
    (
        "POST",
        "/v1/acls",
        r#"{"resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"t","resource_pattern_type":3,"principal":"Group:*","host":"*","operation":3,"permission_type":3}"#,
        Code,
    ),
    (
        "POST",
        "/v1/acls",
        r#"{"resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"t","resource_pattern_type":2,"principal":"User:a","host":"*","operation":3,"permission_type":3}"#,
        Code,
    ),
    (
        "POST",
        "/v1/acls",
        r#"{"resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"t","resource_pattern_type":3,"principal":"User:a","host":"10.0.0.0/8","operation":3,"permission_type":3}"#,
        Code,
    ),
    ("GET", "/v1/acls", "", Whole),
    (
        "GET",
        "/v1/acls?filter.principal=RedpandaRole:r&filter.resourceType=2",
        "",
        Whole,
    ),
    (
        "GET",
        "/v1/acls?filter.resource_name=t&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_MATCH",
        "",
        Whole,
    ),
    (
        "DELETE",
        "/v1/acls?filter.resource_type=RESOURCE_TYPE_ANY",
        "",
        Code,
    ),
    (
        "DELETE",
        "/v1/acls?filter.resource_type=1&filter.resource_pattern_type=1&filter.operation=1&filter.permission_type=3",
        "",
        Whole,
    ),
    ("DELETE", "/v1/roles/none", "", Code),
    ("DELETE", "/v1/roles/made", "", Whole),
    ("GET", "/v1/nothing", "", Code),
];

const REGISTRY: &[Step] = &[
    (
        "POST",
        "/security/acls",
        r#"[{"principal":"RedpandaRole:r","resource":"s-","resource_type":"SUBJECT","pattern_type":"PREFIXED","host":"*","operation":"READ","permission":"ALLOW"}]"#,
        Whole,
    ),
    ("GET", "/security/acls", "", Whole),
    ("GET", "/security/acls?principal=User:x", "", Whole),
    (
        "DELETE",
        "/security/acls",
        r#"[{"resource":"other"}]"#,
        Whole,
    ),
    (
        "DELETE",
        "/security/acls",
        r#"[{"resource_type":"SUBJECT","pattern_type":"ANY"}]"#,
        Whole,
    ),
    ("GET", "/security/acls", "", Whole),
];

/// A value with its lists in one order: the platform has none.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(sorted).collect();
            items.sort_by_key(Value::to_string);
            items.into()
        }
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), sorted(value)))
            .collect(),
        value => value.clone(),
    }
}

#[test]
fn the_service_answers_as_the_platform() {
    let platform = self_managed();
    let service = Service::start();
    let empty = r#"{"version":1,"settings":{"superusers":["admin"]}}"#;
    fs::write(service.file("empty.json"), empty).expect("a file");
    service
        .run(&["import", "empty.json", "--no-confirm"])
        .done();
    let basic = |password: &str| gbac_tests::platform::basic("admin", password);
    let mut differences = Vec::new();
    for (api, prefix, steps) in [
        (PlatformApi::Admin, "", V1),
        (
            PlatformApi::Admin,
            "/redpanda.core.admin.v2.SecurityService/",
            V2,
        ),
        (PlatformApi::DataPlane, "", DATA_PLANE),
        (PlatformApi::Registry, "", REGISTRY),
    ] {
        for (method, path, body, likeness) in steps {
            let path = format!("{prefix}{path}");
            let there = ask(&platform.url(api), method, &path, &basic("secret"), body);
            let here = ask(&service.url, method, &path, &basic("demo"), body);
            let code = |answer: &Value| answer["code"].clone();
            let is_alike = there.0 == here.0
                && match likeness {
                    Whole => sorted(&there.1) == sorted(&here.1),
                    Status => true,
                    Code => code(&there.1) == code(&here.1),
                };
            if !is_alike {
                differences.push(format!(
                    "{method} {path} {body}\n  platform: {} {}\n  service:  {} {}",
                    there.0, there.1, here.0, here.1
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(platform.state().acls.len(), 1, "the deny stays");
}

#[test]
fn an_edited_page_token_begins_at_a_name_or_is_refused() {
    let service = Service::start();
    let basic = gbac_tests::platform::basic("admin", "demo");
    let list = |query: &str| {
        ask(
            &service.url,
            "GET",
            &format!("/v1/roles?{query}"),
            &basic,
            "",
        )
    };
    let names = |answer: &Value| -> Vec<String> {
        let roles = answer["roles"].as_array().expect("roles").iter();
        roles
            .map(|role| role["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = names(&list("page_size=-1").1);
    let token = list("page_size=2").1["next_page_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    let long = "x".repeat(129);
    for edited in [
        &token,
        &token[1..],
        &token[..3],
        &format!("{token}x"),
        "a,b",
        "a=b",
        "%00",
        "%ff",
        "User:bob",
        &long,
        "~",
    ] {
        let (status, answer) = list(&format!("page_token={edited}"));
        match status {
            200 => {
                let expected: Vec<_> = all
                    .iter()
                    .filter(|name| name.as_str() > edited)
                    .cloned()
                    .collect();
                assert_eq!(names(&answer), expected, "{edited}");
            }
            400 => assert!(
                ["a,b", "a=b", "%00", "%ff", &long].contains(&edited),
                "{edited}: {answer}"
            ),
            _ => panic!("{edited}: {status} {answer}"),
        }
    }
}
