//! `/security/acls`: the ACLs of the Schema Registry (D-93), and paths of services that do not
//! exist.

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Own, Service, admin};

const PATH: &str = "/security/acls";

fn acl(principal: &str, resource_type: &str, resource: &str) -> Value {
    json!({ "principal": principal, "resource": resource, "resource_type": resource_type, "pattern_type": "LITERAL",
        "host": "*", "operation": "READ", "permission": "ALLOW" })
}

#[tokio::test]
async fn acls_of_the_registry_are_created_listed_and_deleted() {
    let own = Own::with(|_| {});
    let (role, user) = (
        acl("RedpandaRole:r", "SUBJECT", "orders-value"),
        acl("User:a", "REGISTRY", ""),
    );
    let body = json!([
        acl("Role:r", "SUBJECT", "orders-value"),
        acl("User:a", "REGISTRY", "*")
    ]);
    let created = own.send(Method::POST, PATH, &body).await;
    assert_eq!((created.status, created.body.len()), (201, 0));
    let topic = json!({ "resourceType": 2, "resourceName": "t", "resourcePatternType": 3, "principal": "User:a", "host": "*",
        "operation": 3, "permissionType": 3 });
    assert_eq!(own.send(Method::POST, "/v1/acls", &topic).await.status, 201);
    let list = async |query: &str| own.get_as(&format!("{PATH}{query}"), &admin()).await.json();
    let all = list("").await;
    let mut listed = all.as_array().unwrap().clone();
    listed.sort_by_key(|acl| acl["principal"].to_string());
    assert_eq!(listed, [role.clone(), user.clone()], "without the topic's");
    assert_eq!(
        list("?resource=orders-value&resource_type=SUBJECT").await,
        json!([role])
    );
    assert_eq!(
        list("?principal=RedpandaRole:r&operation=ANY").await,
        json!([role])
    );
    assert_eq!(list("?operation=WRITE").await, json!([]));
    let data_plane = own
        .get_as("/v1/acls?filter.resourceType=9", &admin())
        .await
        .json();
    assert_eq!(
        data_plane["resources"][0]["acls"][0]["principal"], "RedpandaRole:r",
        "the same ACL"
    );
    let delete = async |filters: Value| own.send(Method::DELETE, PATH, &filters).await.both();
    assert_eq!(delete(json!([])).await, (200, json!([])));
    assert_eq!(
        delete(json!([{ "resource_type": "REGISTRY", "resource": "*" }])).await,
        (200, json!([user]))
    );
    assert_eq!(
        delete(json!([{ "principal": "User:a" }, {}])).await,
        (200, json!([role]))
    );
    let rest = own.get_as("/v1/acls", &admin()).await.json();
    assert_eq!(
        rest["resources"].as_array().unwrap().len(),
        1,
        "ACLs of topics stay"
    );
}

#[tokio::test]
async fn what_is_wrong_changes_nothing_and_has_the_form_of_the_registry() {
    let service = Service::start();
    let before = service.get(PATH).await.json();
    let topic = acl("User:a", "TOPIC", "t");
    let refused = service
        .send(
            Method::POST,
            PATH,
            &json!([acl("User:a", "SUBJECT", "s"), topic]),
        )
        .await;
    let message = "[1].resource_type: must be `REGISTRY` or `SUBJECT`";
    assert_eq!(
        refused.both(),
        (400, json!({ "error_code": 400, "message": message })),
        "all or none"
    );
    for body in [
        json!({}),
        json!([{}]),
        json!([[]]),
        json!([acl("User:a", "SUBJECT", "")]),
        json!("x"),
    ] {
        assert_eq!(
            service.send(Method::POST, PATH, &body).await.status,
            400,
            "{body}"
        );
    }
    // A filter that is misspelt or empty would delete more than intended.
    for filter in [
        json!({ "princpal": "User:a" }),
        json!({ "principal": "" }),
        json!({ "principal": null }),
        json!([]),
    ] {
        let answer = service.send(Method::DELETE, PATH, &json!([filter])).await;
        assert_eq!(
            (answer.status, answer.json()["error_code"].clone()),
            (400, json!(400)),
            "{filter}"
        );
    }
    assert_eq!(
        service
            .send(
                Method::DELETE,
                &format!("{PATH}?principal=User:a"),
                &json!([{}])
            )
            .await
            .status,
        400
    );
    assert_eq!(service.get(&format!("{PATH}?princpal=x")).await.status, 400);
    assert_eq!(service.get(PATH).await.json(), before);

    let own = Own::with(|_| {});
    let nobody = own.get(PATH).await;
    assert_eq!(
        (nobody.status, &nobody.json()["error_code"]),
        (401, &json!(401))
    );
    own.send(
        Method::PUT,
        "/gbac/v1/license",
        &json!({ "license": "expired" }),
    )
    .await;
    assert_eq!(
        own.send(Method::POST, PATH, &json!([acl("Group:g", "SUBJECT", "s")]))
            .await
            .status,
        403
    );
    assert_eq!(
        own.send(Method::POST, PATH, &json!([acl("User:a", "SUBJECT", "s")]))
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn browsers_get_the_page_of_the_console() {
    let own = Own::with(|_| {});
    let page = async |method: Method, path: &str| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("accept", "text/html,*/*;q=0.8");
        let answer = own.ask(request.body(Body::empty()).unwrap()).await;
        (answer.status, answer.header("content-type").to_owned())
    };
    let html = (200, "text/html; charset=utf-8".to_owned());
    assert_eq!(
        page(Method::GET, PATH).await,
        html,
        "without credentials, as every page"
    );
    assert_eq!(page(Method::GET, "/security/acls?search=x").await, html);
    assert_eq!(page(Method::GET, "/security/acls/").await, html);
    assert_eq!(page(Method::DELETE, PATH).await.0, 401);
    let answer = own.get_as(PATH, &admin()).await;
    assert_eq!(
        (
            answer.header("content-type"),
            answer.header("vary").contains("accept")
        ),
        ("application/json", true)
    );
}

#[tokio::test]
async fn services_that_do_not_exist_are_not_pages() {
    let service = Service::start();
    let path = "/example.v1.OtherService/ListThings";
    let message = format!("`{path}` does not exist");
    let missing = (404, json!({ "code": "unimplemented", "message": message }));
    assert_eq!(
        service.send(Method::POST, path, &json!({})).await.both(),
        missing
    );
    assert_eq!(service.get(path).await.both(), missing);
    let admin_form = service.get("/v1/security/none").await;
    assert_eq!(
        admin_form.both(),
        (
            404,
            json!({ "message": "`/v1/security/none` does not exist", "code": 404 })
        )
    );
}
