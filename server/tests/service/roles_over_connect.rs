//! The roles of the SecurityService, over the Connect protocol (specification 4.3, D-17, D-18,
//! D-28).

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Service, admin, request};

async fn call(service: &Service, operation: &str, message: Value) -> (u16, Value) {
    let path = format!("/service.core.admin.v2.SecurityService/{operation}");
    service.send(Method::POST, &path, &message).await.both()
}

fn user(name: &str) -> Value {
    json!({ "user": { "name": name } })
}

fn group(name: &str) -> Value {
    json!({ "group": { "name": name } })
}

#[tokio::test]
async fn a_role_is_created_updated_and_deleted() {
    let service = Service::start();
    let role = |members: &[Value]| json!({ "role": { "name": "r", "members": members } });
    let made = role(&[user("a"), group("/departments/eng")]);
    let given = role(&[group("/departments/eng"), user("a"), user("a")]);
    assert_eq!(
        call(&service, "CreateRole", given.clone()).await,
        (200, made.clone())
    );
    assert_eq!(
        call(&service, "CreateRole", given).await,
        (200, made.clone()),
        "the very same again is no change"
    );
    assert_eq!(
        call(&service, "CreateRole", role(&[user("a")])).await,
        (
            409,
            json!({ "code": "already_exists", "message": "role `r` already exists" })
        )
    );
    assert_eq!(
        call(&service, "GetRole", json!({ "name": "r" })).await,
        (200, made)
    );

    let add = json!({ "roleName": "r", "members": [group("ops"), user("a")] });
    let more = role(&[user("a"), group("/departments/eng"), group("ops")]);
    assert_eq!(
        call(&service, "AddRoleMembers", add.clone()).await,
        (200, more.clone())
    );
    assert_eq!(
        call(&service, "AddRoleMembers", add).await,
        (200, more),
        "no change (D-17)"
    );
    let remove = json!({ "role_name": "r", "members": [user("a"), user("nobody"), group("/departments/eng")] });
    assert_eq!(
        call(&service, "RemoveRoleMembers", remove).await,
        (200, role(&[group("ops")]))
    );
    let none = json!({ "roleName": "r" });
    assert_eq!(
        call(&service, "RemoveRoleMembers", none).await,
        (200, role(&[group("ops")]))
    );

    let members = service.get("/v1/roles/r/members").await.json();
    assert_eq!(
        members["members"],
        json!([{ "principal": "Group:ops" }]),
        "the Data Plane sees the same role"
    );
    assert_eq!(
        call(&service, "DeleteRole", json!({ "name": "r" })).await,
        (200, json!({}))
    );
    let gone = (
        404,
        json!({ "code": "not_found", "message": "role `r` does not exist" }),
    );
    assert_eq!(
        call(&service, "GetRole", json!({ "name": "r" })).await,
        gone
    );
    let hidden = call(&service, "GetRole", json!({ "name": "टीम\u{3164}" }))
        .await
        .1;
    assert_eq!(
        hidden["message"], "role `टीम\\u{3164}` does not exist",
        "hidden characters are escaped, letters are not"
    );
    assert_eq!(
        call(
            &service,
            "AddRoleMembers",
            json!({ "roleName": "r", "members": [user("a")] })
        )
        .await,
        gone
    );
    assert_eq!(
        call(
            &service,
            "RemoveRoleMembers",
            json!({ "roleName": "r", "members": [user("a")] })
        )
        .await,
        gone
    );
    assert_eq!(
        call(&service, "DeleteRole", json!({ "name": "r" })).await,
        (200, json!({})),
        "what is not there is deleted"
    );
}

#[tokio::test]
async fn roles_are_listed_with_their_members() {
    let service = Service::start();
    insta::assert_json_snapshot!(
        "listed_roles",
        call(&service, "ListRoles", json!({})).await.1
    );
}

#[tokio::test]
async fn a_deleted_role_deletes_its_acls_on_request() {
    let service = Service::start();
    let of = async |role: &str| {
        let list = service
            .get(&format!("/v1/acls?filter.principal=Role:{role}"))
            .await
            .json();
        list["resources"].as_array().unwrap().len()
    };
    call(&service, "DeleteRole", json!({ "name": "PaymentsWriters" })).await;
    call(
        &service,
        "DeleteRole",
        json!({ "name": "AnalyticsReaders", "deleteAcls": true }),
    )
    .await;
    call(
        &service,
        "DeleteRole",
        json!({ "name": "ReportingLegacy", "delete_acls": false }),
    )
    .await;
    assert_eq!(
        (
            of("PaymentsWriters").await,
            of("AnalyticsReaders").await,
            of("ReportingLegacy").await
        ),
        (2, 0, 1)
    );
}

#[tokio::test]
async fn invalid_names_and_members_are_rejected() {
    let service = Service::start();
    let before = call(&service, "ListRoles", json!({})).await;
    let mut told = Vec::new();
    for (operation, message) in [
        ("CreateRole", json!({})),
        ("CreateRole", json!({ "role": null })),
        ("CreateRole", json!({ "role": { "name": "a,b" } })),
        ("CreateRole", json!({ "role": { "name": "a\nb" } })),
        ("CreateRole", json!({ "role": { "name": "x".repeat(129) } })),
        (
            "CreateRole",
            json!({ "role": { "name": "x", "members": [group(""), user("a\u{1b}b"), group("*"), user("*")] } }),
        ),
        (
            "CreateRole",
            json!({ "role": { "name": "x", "members": [{}, { "user": { "name": "a" }, "group": { "name": "b" } }] } }),
        ),
        (
            "CreateRole",
            json!({ "role": { "name": "x", "members": [user("Group:eng")] } }),
        ),
        (
            "CreateRole",
            json!({ "role": { "name": "x", "members": [{ "role": { "name": "b" } }] } }),
        ),
        (
            "AddRoleMembers",
            json!({ "roleName": "SchemaStewards", "members": [group(""), group("good")] }),
        ),
        (
            "RemoveRoleMembers",
            json!({ "roleName": "SchemaStewards", "members": [user("")] }),
        ),
        ("AddRoleMembers", json!({ "roleName": 7 })),
        (
            "AddRoleMembers",
            json!({ "roleName": "x", "role_name": "x" }),
        ),
        ("GetRole", json!({})),
        ("GetRole", json!({ "name": "none\n" })),
    ] {
        let (status, answer) = call(&service, operation, message.clone()).await;
        told.push(json!({ "operation": operation, "status": status, "answer": answer }));
    }
    insta::assert_json_snapshot!("connect_role_faults", told);
    assert_eq!(
        call(&service, "ListRoles", json!({})).await,
        before,
        "nothing was changed"
    );
}

#[tokio::test]
async fn both_names_and_newer_clients_are_supported() {
    let service = Service::start();
    let path = "/redpanda.core.admin.v2.SecurityService/GetRole";
    let mut newer = request(
        Method::POST,
        path,
        &admin(),
        &json!({ "name": "ReportingLegacy", "new": [1] }).to_string(),
    );
    newer
        .headers_mut()
        .insert("connect-protocol-version", "1".parse().unwrap());
    newer.headers_mut().insert(
        "content-type",
        "application/json; charset=utf-8".parse().unwrap(),
    );
    let answer = service.ask(newer).await;
    assert_eq!(
        answer.both(),
        (
            200,
            json!({ "role": { "name": "ReportingLegacy", "members": [] } })
        )
    );
    assert_eq!(answer.header("content-type"), "application/json");
}

#[tokio::test]
async fn operations_require_a_superuser_except_reads_of_a_demo() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let ask = async |operation: &str, credentials: Option<&str>| {
        let path = format!("/service.core.admin.v2.SecurityService/{operation}");
        let mut asked = request(Method::POST, &path, credentials.unwrap_or("x"), "{}");
        if credentials.is_none() {
            asked.headers_mut().remove("authorization");
        }
        let answer = service.ask(asked).await;
        (
            answer.status,
            answer.json()["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    for operation in [
        "CreateRole",
        "AddRoleMembers",
        "RemoveRoleMembers",
        "DeleteRole",
        "RefreshOidcKeys",
        "NoSuchThing",
    ] {
        assert_eq!(
            ask(operation, None).await,
            (401, "unauthenticated".into()),
            "{operation}"
        );
        assert_eq!(
            ask(operation, Some(&token)).await,
            (403, "permission_denied".into()),
            "{operation}"
        );
    }
    for operation in ["GetRole", "ListRoles"] {
        assert_ne!(ask(operation, None).await.0, 401, "{operation}");
        assert_ne!(ask(operation, Some(&token)).await.0, 403, "{operation}");
    }
    assert_eq!(ask("ListRoles", Some("Bearer x")).await.0, 401);
    assert_eq!(ask("ListCurrentUserRoles", None).await.0, 401);
}

#[tokio::test]
async fn callers_see_their_own_roles() {
    let service = Service::start();
    let path = "/service.core.admin.v2.SecurityService/ListCurrentUserRoles";
    let people = service.people().await;
    let [maya, jonas, priya] = people.as_slice() else {
        panic!("three people")
    };
    let roles = async |credentials: &str| {
        service
            .send_as(Method::POST, path, &json!({}), credentials)
            .await
            .both()
    };
    let of = |roles: &[&str]| (200, json!({ "roles": roles }));
    assert_eq!(
        roles(&format!("Bearer {}", maya.token)).await,
        of(&[]),
        "not those of the groups"
    );
    assert_eq!(
        roles(&format!("Bearer {}", jonas.token)).await,
        of(&["SchemaStewards"])
    );
    assert_eq!(
        roles(&format!("Bearer {}", priya.token)).await,
        of(&["IncidentResponders"])
    );
    assert_eq!(roles(&admin()).await, of(&[]));
    let (status, refused) = roles("Bearer x").await;
    assert_eq!(
        (status, refused),
        (
            401,
            json!({ "code": "unauthenticated", "message": "credentials rejected" })
        )
    );
}

#[tokio::test]
async fn the_demos_keys_need_no_fetch() {
    let service = Service::start();
    assert_eq!(
        call(&service, "RefreshOidcKeys", json!({})).await,
        (200, json!({}))
    );
    let get = Request::get("/service.core.admin.v2.SecurityService/RefreshOidcKeys")
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    let answer = service.ask(get).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "POST"));
}
