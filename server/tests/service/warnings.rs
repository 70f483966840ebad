//! A response to a change warns of names that will not match as intended, in a header. Its body
//! stays the same.

use axum::http::Method;
use gbac_api::warning::{ChangeWarning, HEADER};
use serde_json::{Value, json};

use crate::harness::{Answer, Service, admin, request};

/// The codes of an answer's headers, each with its principals.
fn told(answer: &Answer) -> Vec<(String, Vec<String>)> {
    let values = answer.headers.get_all(HEADER).iter();
    values
        .map(|value| {
            let ChangeWarning {
                code,
                message,
                hint,
                principals,
            } = serde_json::from_str(value.to_str().unwrap()).unwrap();
            assert!(!message.is_empty() && !hint.is_empty(), "{code}");
            (code, principals)
        })
        .collect()
}

fn warning(code: &str, principals: &[&str]) -> (String, Vec<String>) {
    (
        code.into(),
        principals.iter().map(|name| (*name).to_owned()).collect(),
    )
}

fn acl(principal: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "x", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
}

fn near() -> (String, Vec<String>) {
    warning(
        "principal_letter_case",
        &["Group:Engineering", "Group:engineering"],
    )
}

#[tokio::test]
async fn platform_apis_warn_in_a_header() {
    let service = Service::start();
    let created = service
        .send(Method::POST, "/v1/acls", &acl("Group:eng*"))
        .await;
    assert_eq!(
        (created.both(), told(&created)),
        (
            (201, json!({})),
            vec![warning("principal_wildcard", &["Group:eng*"])]
        )
    );
    let plain = service
        .send(Method::POST, "/v1/acls", &acl("Group:treasury"))
        .await;
    assert_eq!((plain.status, told(&plain)), (201, Vec::new()));

    let treasury = warning(
        "principal_letter_case",
        &["Group:Treasury", "Group:treasury"],
    );
    for name in ["Group:Treasury", "Group:treasury"] {
        let near = service.send(Method::POST, "/v1/acls", &acl(name)).await;
        assert_eq!(
            (near.status, told(&near)),
            (201, vec![treasury.clone()]),
            "also when both exist"
        );
    }

    let update = json!({ "create": true, "add": [{ "principal": "Group:Group:x" }, { "principal": "User:bob" }] });
    let updated = service.send(Method::PUT, "/v1/roles/Fresh", &update).await;
    assert_eq!(updated.json()["added"], update["add"]);
    assert_eq!(
        told(&updated),
        [warning("principal_type_twice", &["Group:Group:x"])]
    );
    let again = service.send(Method::PUT, "/v1/roles/Fresh", &update).await;
    assert_eq!(told(&again), [], "nothing new");

    let security = "/service.core.admin.v2.SecurityService";
    let members = json!({ "roleName": "Fresh", "members": [{ "group": { "name": "/treasury" } }] });
    let joined = service
        .send(
            Method::POST,
            &format!("{security}/AddRoleMembers"),
            &members,
        )
        .await;
    assert_eq!(
        (joined.status, told(&joined).len()),
        (200, 1),
        "{:?}",
        told(&joined)
    );
    let left = service
        .send(
            Method::POST,
            &format!("{security}/RemoveRoleMembers"),
            &members,
        )
        .await;
    assert_eq!((left.status, told(&left)), (200, Vec::new()));
    let role = json!({ "role": { "name": "fresh", "members": [{ "group": { "name": "ü*" } }] } });
    let created = service
        .send(Method::POST, &format!("{security}/CreateRole"), &role)
        .await;
    assert_eq!(created.status, 200);
    assert_eq!(
        told(&created),
        [
            warning("principal_wildcard", &["Group:ü*"]),
            warning("principal_letter_case", &["Role:Fresh", "Role:fresh"])
        ],
        "a header is ASCII, and what it says is not"
    );
    let other = service
        .send(Method::POST, "/v1/roles", &json!({ "name": "FRESH" }))
        .await;
    assert_eq!((other.status, told(&other).len()), (201, 1));
}

#[tokio::test]
async fn own_apis_warn_in_the_body() {
    let service = Service::start();
    let changes = json!({ "changes": [
        { "change": "add_acl", "acl": acl("Group:Engineering") },
        { "change": "add_acl", "acl": acl("Group:x*") },
        { "change": "remove_acl", "acl": acl("Group:y*") },
    ] });
    let mut post = request(
        Method::POST,
        "/gbac/v1/policy/changes",
        &admin(),
        &changes.to_string(),
    );
    post.headers_mut().insert("if-match", "*".parse().unwrap());
    let answer = service.ask(post).await;
    assert_eq!(told(&answer), []);
    let warnings: Vec<ChangeWarning> =
        serde_json::from_value(answer.json()["warnings"].clone()).unwrap();
    let codes: Vec<(String, Vec<String>)> = warnings
        .into_iter()
        .map(|warning| (warning.code, warning.principals))
        .collect();
    assert_eq!(
        codes,
        [near(), warning("principal_wildcard", &["Group:x*"])]
    );

    let mut document = service.get("/gbac/v1/policy").await.json();
    document["roles"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "New", "members": [{ "principal": "Group:*" }] }));
    let mut put = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &document.to_string(),
    );
    put.headers_mut().insert("if-match", "*".parse().unwrap());
    let replaced = service.ask(put).await;
    assert_eq!(replaced.status, 204);
    assert_eq!(
        told(&replaced),
        [warning("principal_wildcard", &["Group:*"])],
        "of what is new only"
    );
}

#[tokio::test]
async fn warning_headers_are_limited() {
    let service = Service::start();
    let long = "x".repeat(900);
    let members: Vec<Value> = (0..40)
        .map(|at| json!({ "principal": format!("Group:{at}{long}*") }))
        .collect();
    let update = json!({ "create": true, "add": members });
    let answer = service.send(Method::PUT, "/v1/roles/Many", &update).await;
    let size: usize = answer
        .headers
        .get_all(HEADER)
        .iter()
        .map(|value| value.len())
        .sum();
    assert_eq!(answer.status, 200);
    assert!((1..=4096).contains(&size), "{size}");
}

#[tokio::test]
async fn names_in_a_large_policy_are_not_compared() {
    let service = Service::start();
    let acls: Vec<Value> = (0..20_001)
        .map(|at| acl(&format!("User:user-{at}")))
        .collect();
    let document = json!({ "version": 1, "settings": { "superusers": ["admin"] }, "acls": acls });
    let mut put = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &document.to_string(),
    );
    put.headers_mut().insert("if-match", "*".parse().unwrap());
    assert_eq!(service.ask(put).await.status, 204);
    let near = service
        .send(Method::POST, "/v1/acls", &acl("User:User-7"))
        .await;
    assert_eq!((near.status, told(&near)), (201, Vec::new()));
    let odd = service
        .send(Method::POST, "/v1/acls", &acl("Group:x*"))
        .await;
    assert_eq!(told(&odd), [warning("principal_wildcard", &["Group:x*"])]);
}
