//! `/v1/roles` and their members (specification 2.5, 4.2, D-17, D-18, D-28).

use axum::http::Method;
use gbac_api::paths;
use serde_json::{Value, json};

use crate::harness::{Service, invalid, refusal};

fn not_found(name: &str) -> (u16, Value) {
    let message = format!("role `{name}` does not exist");
    (
        404,
        refusal("NOT_FOUND", "REASON_RESOURCE_NOT_FOUND", &message),
    )
}

#[tokio::test]
async fn a_role_is_created_updated_and_deleted() {
    let service = Service::start();
    for name in ["a b+c", "x/y", "ü:*?&#"] {
        let path = paths::role(name);
        let created = service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await;
        assert_eq!(created.both(), (201, json!({ "role": { "name": name } })));
        let again = service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await;
        assert_eq!(again.status, 201, "an empty role may be made again");

        let change = json!({ "add": [{ "principal": "Group:/departments/eng" }, { "principal": "User:a" },
            { "principal": "User:a" }], "remove": [{ "principal": "User:nobody" }] });
        let updated = service.send(Method::PUT, &path, &change).await;
        assert_eq!(
            updated.both(),
            (
                200,
                json!({ "role_name": name, "added": [{ "principal": "Group:/departments/eng" },
                { "principal": "User:a" }], "removed": [] })
            )
        );
        let again = service.send(Method::PUT, &path, &change).await;
        assert_eq!(
            again.json(),
            json!({ "role_name": name, "added": [], "removed": [] }),
            "no change (D-17)"
        );

        let members = [
            json!({ "principal": "User:a" }),
            json!({ "principal": "Group:/departments/eng" }),
        ];
        assert_eq!(
            service.get(&path).await.both(),
            (200, json!({ "role": { "name": name }, "members": members }))
        );
        assert_eq!(
            service.get(&format!("{path}/members")).await.both(),
            (
                200,
                json!({ "role_name": name, "members": members, "next_page_token": "" })
            )
        );
        let listed = service
            .get("/v1/roles?filter.principal=Group%3A%2Fdepartments%2Feng")
            .await;
        assert_eq!(
            listed.both(),
            (
                200,
                json!({ "roles": [{ "name": name }], "next_page_token": "" })
            )
        );

        let taken = service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await;
        let message = format!("role `{name}` already exists");
        assert_eq!(
            taken.both(),
            (
                409,
                refusal(
                    "ALREADY_EXISTS",
                    "REASON_REDPANDA_ADMIN_API_ERROR",
                    &message
                )
            )
        );

        let removed = service
            .send(Method::PUT, &path, &json!({ "remove": members }))
            .await;
        assert_eq!(removed.json()["removed"], json!(members));
        let deleted = service.delete(&path).await;
        assert_eq!((deleted.status, deleted.body.len()), (204, 0));
        assert_eq!(service.get(&path).await.both(), not_found(name));
        assert_eq!(
            service.get(&format!("{path}/members")).await.both(),
            not_found(name)
        );
        assert_eq!(service.delete(&path).await.both(), not_found(name));
        assert_eq!(
            service.send(Method::PUT, &path, &change).await.both(),
            not_found(name)
        );
    }
}

#[tokio::test]
async fn put_creates_a_role_on_request() {
    let service = Service::start();
    let change = json!({ "create": true, "add": [{ "principal": "Group:x" }], "remove": [{ "principal": "User:y" }] });
    let made = service.send(Method::PUT, "/v1/roles/new", &change).await;
    assert_eq!(
        made.both(),
        (
            200,
            json!({ "role_name": "new", "added": [{ "principal": "Group:x" }], "removed": [] })
        )
    );
    let bad = service
        .send(Method::PUT, "/v1/roles/a%2Cb", &json!({ "create": true }))
        .await;
    assert_eq!(
        bad.both(),
        (
            400,
            invalid(&[(
                "role_name",
                "the role name contains `,`; role names can't contain commas, `=` or control characters"
            )])
        )
    );
}

#[tokio::test]
async fn a_deleted_role_keeps_its_acls_by_default() {
    let service = Service::start();
    let of = async |role: &str| {
        let list = service
            .get(&format!("/v1/acls?filter.principal=Role:{role}"))
            .await
            .json();
        list["resources"].as_array().unwrap().len()
    };
    assert_eq!(
        service.delete("/v1/roles/PaymentsWriters").await.status,
        204
    );
    assert_eq!(of("PaymentsWriters").await, 2);
    assert_eq!(
        service
            .delete("/v1/roles/AnalyticsReaders?delete_acls=true")
            .await
            .status,
        204
    );
    assert_eq!(of("AnalyticsReaders").await, 0);
    let bad = service
        .delete("/v1/roles/SchemaStewards?delete_acls=yes")
        .await;
    assert_eq!(
        bad.both(),
        (
            400,
            invalid(&[("delete_acls", "must be `true` or `false`")])
        )
    );
    assert_eq!(service.get("/v1/roles/SchemaStewards").await.status, 200);
}

#[tokio::test]
async fn lists_have_filters_and_pages() {
    let service = Service::start();
    let names = async |query: &str| {
        let answer = service.get(&format!("/v1/roles?{query}")).await.json();
        let names: Vec<String> = answer["roles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|role| role["name"].as_str().unwrap().to_owned())
            .collect();
        (
            names.join(" "),
            answer["next_page_token"].as_str().unwrap().to_owned(),
        )
    };
    let all = "AnalyticsReaders IncidentResponders PaymentsWriters ReportingLegacy SchemaStewards"
        .to_owned();
    assert_eq!(names("").await, (all.clone(), String::new()));
    assert_eq!(names("page_size=-1").await, (all, String::new()));
    let (page, token) = names("page_size=2").await;
    assert_eq!(page, "AnalyticsReaders IncidentResponders");
    let (page, token) = names(&format!("page_size=2&page_token={token}")).await;
    assert_eq!(page, "PaymentsWriters ReportingLegacy");
    assert_eq!(
        names(&format!("page_size=2&page_token={token}")).await,
        ("SchemaStewards".into(), String::new())
    );
    assert_eq!(names("filter.name_prefix=Re").await.0, "ReportingLegacy");
    assert_eq!(
        names("filter.name_contains=eader").await.0,
        "AnalyticsReaders"
    );
    assert_eq!(names("filter.name_contains=EADER").await.0, "");
    assert_eq!(
        names("filter.principal=Group:engineering").await.0,
        "SchemaStewards"
    );
    assert_eq!(names("filter.principal=User:engineering").await.0, "");

    let bad = service
        .get("/v1/roles?page_size=1001&filter.principal=engineering&filter.name_prefix=a,b")
        .await;
    assert_eq!(
        bad.both(),
        (
            400,
            invalid(&[
                (
                    "filter.name_prefix",
                    "holds `,` or `=`, which no role name has"
                ),
                (
                    "filter.principal",
                    "`engineering` has no principal type; write `User:engineering`, `Group:engineering` or `Role:engineering`"
                ),
                ("page_size", "`1001` is not -1 to 1000"),
            ])
        )
    );
    let page = (400, invalid(&[("page_size", "`abc` is not -1 to 1000")]));
    assert_eq!(service.get("/v1/roles?page_size=abc").await.both(), page);
    assert_eq!(
        service
            .get("/v1/roles/PaymentsWriters/members?page_size=abc")
            .await
            .both(),
        page
    );
    let members = async |query: &str| {
        service
            .get(&format!("/v1/roles/PaymentsWriters/members?{query}"))
            .await
            .json()
    };
    let first = members("page_size=1").await;
    assert_eq!(
        first["members"],
        json!([{ "principal": "User:settlement-batch" }])
    );
    let token = gbac_api::encode::component(first["next_page_token"].as_str().unwrap());
    let second = members(&format!("page_size=1&page_token={token}")).await;
    assert_eq!(
        second["members"],
        json!([{ "principal": "Group:/eng/payments" }])
    );
    assert_eq!(
        members("filter.name_contains=/eng").await["members"],
        json!([{ "principal": "Group:/eng/payments" }])
    );
    let bad = service
        .get("/v1/roles/PaymentsWriters/members?page_token=x")
        .await;
    assert_eq!(
        bad.both(),
        (
            400,
            invalid(&[("page_token", "is not the token of a page")])
        )
    );
}

#[tokio::test]
async fn parameters_of_generated_clients_are_read() {
    let service = Service::start();
    let camel = service
        .get("/v1/roles?pageSize=2&filter.namePrefix=Re")
        .await
        .json();
    assert_eq!(
        camel,
        json!({ "roles": [{ "name": "ReportingLegacy" }], "next_page_token": "" })
    );
    let first = service.get("/v1/roles?pageSize=1").await.json();
    let token = first["next_page_token"].as_str().unwrap();
    let second = service
        .get(&format!("/v1/roles?pageSize=1&pageToken={token}"))
        .await
        .json();
    assert_eq!(second["roles"], json!([{ "name": "IncidentResponders" }]));
    let both = service.get("/v1/roles?pageSize=1&page_size=2").await;
    assert_eq!(
        both.both(),
        (400, invalid(&[("page_size", "is given more than once")]))
    );
    let change = json!({ "create": null, "add": [{ "principal": "Group:x", "new": 1 }], "remove": null, "unknown": {} });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/roles/SchemaStewards", &change)
            .await
            .json()["added"],
        json!([{ "principal": "Group:x" }])
    );
    assert_eq!(
        service
            .delete("/v1/roles/AnalyticsReaders?deleteAcls=true")
            .await
            .status,
        204
    );
    let left = service
        .get("/v1/acls?filter.principal=Role:AnalyticsReaders")
        .await
        .json();
    assert_eq!(left["resources"], json!([]));
    assert_eq!(
        service
            .delete("/v1/roles/SchemaStewards?deleteAcl=true")
            .await
            .status,
        400,
        "misspelt"
    );
}

#[tokio::test]
async fn invalid_names_and_members_are_rejected() {
    let service = Service::start();
    let create = async |name: &str| {
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": name }))
            .await
            .both()
    };
    assert_eq!(
        create("").await,
        (
            400,
            invalid(&[(
                "name",
                "the role name is empty; name the role, for example `analytics-writer`"
            )])
        )
    );
    assert_eq!(
        create(&"x".repeat(129)).await,
        (
            400,
            invalid(&[(
                "name",
                "the role name is longer than 128 characters; at most 128 characters"
            )])
        )
    );
    assert_eq!(create("a=b").await.0, 400);
    assert_eq!(create("a\nb").await.0, 400);

    let change = json!({
        "add": [{ "principal": "engineering" }, { "principal": "Role:x" }, { "principal": "Group:both" }, {}],
        "remove": [{ "principal": "Group:both" }],
    });
    let refused = service
        .send(Method::PUT, "/v1/roles/SchemaStewards", &change)
        .await;
    assert_eq!(
        refused.both(),
        (
            400,
            invalid(&[
                (
                    "add[0].principal",
                    "`engineering` has no principal type; write `User:engineering`, `Group:engineering` or `Role:engineering`"
                ),
                (
                    "add[1].principal",
                    "`Role:x` cannot be a member of a role; roles cannot contain roles; add the users and groups directly"
                ),
                (
                    "add[3].principal",
                    "`` has no principal type; write `User:`, `Group:` or `Role:`"
                ),
                (
                    "remove",
                    "Conflict between 'add' and 'remove' lists: `Group:both`"
                ),
            ])
        )
    );
    let members = service.get("/v1/roles/SchemaStewards/members").await.json();
    assert_eq!(
        members["members"].as_array().unwrap().len(),
        2,
        "nothing was changed"
    );
    let name = service.get("/v1/roles/%ff").await;
    assert_eq!(
        name.both(),
        (
            400,
            refusal(
                "INVALID_ARGUMENT",
                "REASON_INVALID_INPUT",
                "the role name in the path is not percent-encoded UTF-8"
            )
        )
    );
}
