//! `/v1/acls` (specification 2.4, 4.2, D-05, D-17, D-21).

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Service, invalid, refusal};

fn acl(principal: &str) -> Value {
    json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "audit-log",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW",
    })
}

#[tokio::test]
async fn an_acl_is_created_listed_and_deleted() {
    let service = Service::start();
    let body = acl("Group:/departments/eng");
    for _ in 0..2 {
        // The second time there is nothing to do, and that is a success (D-17).
        let created = service.send(Method::POST, "/v1/acls", &body).await;
        assert_eq!(created.both(), (201, json!({})));
    }
    let path = "/v1/acls?filter.principal=Group%3A%2Fdepartments%2Feng";
    let listed = service.get(path).await;
    assert_eq!(
        listed.both(),
        (
            200,
            json!({ "resources": [{
            "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "audit-log",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "acls": [{ "principal": "Group:/departments/eng", "host": "*", "operation": "OPERATION_READ",
                       "permission_type": "PERMISSION_TYPE_ALLOW" }],
        }] })
        )
    );
    let any = "&filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
               &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY";
    let deleted = service.delete(&format!("{path}{any}")).await;
    assert_eq!(deleted.both(), (200, json!({ "matching_acls": [body] })));
    assert_eq!(
        service.get(path).await.both(),
        (200, json!({ "resources": [] }))
    );
    let again = service.delete(&format!("{path}{any}")).await;
    assert_eq!(again.both(), (200, json!({ "matching_acls": [] })));
}

#[tokio::test]
async fn every_filter_narrows_the_list() {
    let service = Service::start();
    let count = async |query: &str| -> (usize, usize) {
        let answer = service.get(&format!("/v1/acls?{query}")).await;
        assert_eq!(answer.status, 200, "{query}: {:?}", answer.body);
        let list = answer.json();
        let resources = list["resources"].as_array().unwrap();
        (
            resources.len(),
            resources
                .iter()
                .map(|resource| resource["acls"].as_array().unwrap().len())
                .sum(),
        )
    };
    let all = count("").await;
    assert_eq!(all, (14, 18));
    assert_eq!(
        count("filter.resource_type=RESOURCE_TYPE_ANY&filter.operation=OPERATION_UNSPECIFIED")
            .await,
        all
    );
    assert_eq!(
        count("filter.resource_type=RESOURCE_TYPE_TRANSACTIONAL_ID").await,
        (1, 1)
    );
    assert_eq!(
        count("filter.resource_type=RESOURCE_TYPE_CLUSTER&filter.resource_name=").await,
        (1, 1)
    );
    assert_eq!(count("filter.resource_name=clickstream").await, (1, 2));
    assert_eq!(count("filter.resource_name=payments-settled").await, (1, 1));
    let matching = "filter.resource_name=payments-settled&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_MATCH";
    assert_eq!(
        count(&format!(
            "{matching}&filter.resource_type=RESOURCE_TYPE_TOPIC"
        ))
        .await,
        (3, 4)
    );
    assert_eq!(
        count("filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_PREFIXED").await,
        (6, 9)
    );
    assert_eq!(count("filter.principal=User:*").await, (1, 1));
    assert_eq!(
        count("filter.principal=RedpandaRole:PaymentsWriters").await,
        (2, 3)
    );
    assert_eq!(count("filter.host=10.20.4.71").await, (1, 1));
    assert_eq!(count("filter.host=::ffff:10.20.4.71").await, (1, 1));
    assert_eq!(count("filter.operation=OPERATION_ALL").await, (1, 1));
    assert_eq!(
        count("filter.permission_type=PERMISSION_TYPE_DENY").await,
        (2, 2)
    );
    assert_eq!(count("filter.principal=Group:nobody").await, (0, 0));
}

#[tokio::test]
async fn a_rejected_body_lists_every_problem() {
    let service = Service::start();
    let host = "Field host must be either wildcard (*) or a valid IP address.";
    let principal =
        "principal must contain a principal prefix followed by a principal name (e.g. User:alice)";
    let empty = service.send(Method::POST, "/v1/acls", &json!({})).await;
    assert_eq!(
        empty.both(),
        (
            400,
            invalid(&[
                ("resource_type", "Field resource_type must be set"),
                ("resource_name", "Field resource_name must be set"),
                (
                    "resource_pattern_type",
                    "Field resource_pattern_type must be set"
                ),
                ("principal", principal),
                ("host", host),
                ("operation", "Field operation must be set"),
                ("permission_type", "Field permission_type must be set"),
            ])
        )
    );
    let refused = async |field: &str, value: &str| {
        let mut body = acl("Group:eng");
        body[field] = value.into();
        let answer = service.send(Method::POST, "/v1/acls", &body).await;
        assert_eq!(answer.status, 400, "{field}={value}");
        let fields = answer.json()["details"][1]["field_violations"].clone();
        assert_eq!(fields[0]["field"], field, "{fields}");
        fields[0]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused("host", "10.0.0.0/8").await, host);
    assert_eq!(refused("principal", "eng").await, principal);
    assert_eq!(refused("principal", "Group:").await, principal);
    assert!(
        refused("principal", "Foo:bar")
            .await
            .starts_with("`Foo` is not a principal type")
    );
    assert!(
        refused("principal", "Group:*")
            .await
            .starts_with("`Group:*` is not a wildcard")
    );
    assert!(
        refused("principal", "User:Group:eng")
            .await
            .starts_with("`User:Group:eng` names a user")
    );
    assert!(
        refused("principal", "Group:a\u{7}")
            .await
            .contains("control character")
    );
    assert!(
        refused("resource_name", "data-*")
            .await
            .starts_with("`data-*` is not a topic name")
    );
    assert!(
        refused("resource_type", "RESOURCE_TYPE_TOPICS")
            .await
            .starts_with("`RESOURCE_TYPE_TOPICS` is not a value")
    );
    assert!(
        refused("resource_type", "RESOURCE_TYPE_USER")
            .await
            .starts_with("`RESOURCE_TYPE_USER` exists only in")
    );
    assert!(
        refused("operation", "OPERATION_CREATE_TOKENS")
            .await
            .starts_with("`OPERATION_CREATE_TOKENS` exists only in")
    );
    assert!(
        refused("resource_type", "RESOURCE_TYPE_ANY")
            .await
            .contains("the values are")
    );
    assert!(
        refused("resource_pattern_type", "RESOURCE_PATTERN_TYPE_MATCH")
            .await
            .contains("the values are")
    );
    assert!(
        refused("operation", "read")
            .await
            .contains("write `OPERATION_READ`")
    );

    let mut cluster = acl("Group:eng");
    cluster["resource_type"] = "RESOURCE_TYPE_CLUSTER".into();
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &cluster)
            .await
            .both(),
        (
            400,
            invalid(&[(
                "resource_name",
                "Field resource_name must be set to \"kafka-cluster\" or empty when using resource_type=CLUSTER",
            )])
        )
    );
    cluster["resource_name"] = "".into();
    cluster["unknown"] = true.into();
    assert_eq!(
        service
            .send(Method::POST, "/v1/acls", &cluster)
            .await
            .status,
        201,
        "unknown members are ignored"
    );
    let stored = service
        .get("/v1/acls?filter.resource_type=RESOURCE_TYPE_CLUSTER&filter.principal=Group:eng")
        .await;
    assert_eq!(
        stored.json()["resources"][0]["resource_name"],
        "kafka-cluster"
    );
}

#[tokio::test]
async fn invalid_filters_are_rejected() {
    let service = Service::start();
    let delete = service.delete("/v1/acls").await;
    assert_eq!(
        delete.both(),
        (
            400,
            invalid(&[
                (
                    "filter.resource_type",
                    "must be set; `RESOURCE_TYPE_ANY` matches every value"
                ),
                (
                    "filter.resource_pattern_type",
                    "must be set; `RESOURCE_PATTERN_TYPE_ANY` matches every value"
                ),
                (
                    "filter.operation",
                    "must be set; `OPERATION_ANY` matches every value"
                ),
                (
                    "filter.permission_type",
                    "must be set; `PERMISSION_TYPE_ANY` matches every value"
                ),
            ])
        )
    );
    let list = service
        .get("/v1/acls?filter.host=localhost&filter.principal=eng&filter.typo=1")
        .await;
    let fields = list.json()["details"][1]["field_violations"].clone();
    let names: Vec<&str> = fields
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["field"].as_str().unwrap())
        .collect();
    assert_eq!(
        (list.status, names),
        (400, vec!["filter.principal", "filter.host", "filter.typo"])
    );
    let list = service.get("/v1/acls?filter.principal=%ff").await;
    assert_eq!(
        list.both(),
        (
            400,
            refusal(
                "INVALID_ARGUMENT",
                "REASON_INVALID_INPUT",
                "`%ff` is not percent-encoded UTF-8; write `%` and two hexadecimal digits for each byte of the UTF-8 text, \
             and `%25` for the character itself"
            )
        )
    );
    let acls = service.get("/v1/acls").await.json();
    assert_eq!(
        acls["resources"].as_array().unwrap().len(),
        14,
        "nothing was deleted"
    );
}
