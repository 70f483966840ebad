//! The requests of each client of the platform, in its order and encoding (docs/service.md,
//! "Clients of the platform").

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Answer, Own, Service, admin, request};
use crate::messages::{ACLS, ADMIN, ROLES, WRAPPED, call, field, framed, grpc, number};

fn member(name: &str) -> Value {
    json!({ "name": name, "principal_type": "User" })
}

/// A binary call as the platform's shared client of Go sends it.
async fn binary(service: &Service, path: &str, message: Vec<u8>) -> Answer {
    let mut request = call(path, "application/proto", &admin(), message);
    for (name, value) in [
        ("accept", "application/proto"),
        ("connect-protocol-version", "1"),
        ("user-agent", "connect-go/1.18.1"),
    ] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    service.ask(request).await
}

fn with_member(role: &[u8], group: &[u8]) -> Vec<u8> {
    [field(1, role), field(2, &field(2, &field(1, group)))].concat()
}

#[tokio::test]
async fn the_command_line_of_a_self_managed_cluster() {
    let service = Own::with(|_| {});
    let get = async |path: &str| service.get_as(path, &admin()).await.both();
    // Before every command.
    assert_eq!(get("/v1/features/license").await.1["loaded"], true);
    assert_eq!(
        get("/v1/features/enterprise").await.1["license_status"],
        "valid"
    );
    let post = async |path: &str, body: Value| service.send(Method::POST, path, &body).await.both();
    let roles = "/v1/security/roles";
    assert_eq!(
        post(roles, json!({ "role": "r" })).await,
        (201, json!({ "role": "r" }))
    );
    let members = format!("{roles}/r/members");
    let assigned = post(&members, json!({ "add": [member("a")] })).await;
    assert_eq!(
        (assigned.0, &assigned.1["added"], &assigned.1["removed"]),
        (200, &json!([member("a")]), &json!([]))
    );
    assert_eq!(
        get(roles).await,
        (200, json!({ "roles": [{ "name": "r" }] }))
    );
    for query in [
        "?principal=a&principal_type=User",
        "?principal=a",
        "?filter=r",
    ] {
        assert_eq!(
            get(&format!("{roles}{query}")).await.1,
            json!({ "roles": [{ "name": "r" }] }),
            "{query}"
        );
    }
    assert_eq!(
        get(&format!("{roles}?principal=b")).await.1,
        json!({ "roles": [] })
    );
    assert_eq!(
        get(&format!("{roles}/r")).await,
        (200, json!({ "name": "r", "members": [member("a")] }))
    );
    let unassigned = post(&members, json!({ "remove": [member("a")] })).await;
    assert_eq!(unassigned.1["removed"], json!([member("a")]));
    // With groups, these three fail on the platform too.
    let group = json!({ "name": "g", "principal_type": "Group" });
    let reserved = "Malformed request: Role membership reserved for user principals, got {Group}";
    let refused = (400, json!({ "message": reserved, "code": 40001 }));
    assert_eq!(post(&members, json!({ "add": [group] })).await, refused);
    assert_eq!(post(&members, json!({ "remove": [group] })).await, refused);
    assert_eq!(
        get(&format!("{roles}?principal=g&principal_type=Group")).await,
        refused
    );
    assert_eq!(
        service
            .delete(&format!("{roles}/r?delete_acls=true"))
            .await
            .status,
        204
    );

    // `cluster config set` reads these members of the schema, and sends text.
    let schema = get("/v1/cluster_config/schema").await.1;
    for (name, property) in schema["properties"].as_object().unwrap() {
        assert!(
            property["type"].is_string() && property["nullable"].is_boolean(),
            "{name}: {property}"
        );
        assert_eq!(
            property["items"]["type"].is_string(),
            property["type"] == "array",
            "{name}: {property}"
        );
    }
    let set = json!({ "upsert": { "audit_enabled": "true", "oidc_clock_skew_tolerance": "60" }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set)
            .await
            .status,
        200
    );

    // Users, reports and brokers that are not there say why.
    for (method, path, body) in [
        (
            Method::GET,
            "/v1/security/users?include_ephemeral=true",
            json!(null),
        ),
        (
            Method::POST,
            "/v1/security/users",
            json!({ "username": "a", "password": "b", "algorithm": "SCRAM-SHA-256" }),
        ),
        (
            Method::PUT,
            "/v1/security/users/a",
            json!({ "password": "b" }),
        ),
        (Method::DELETE, "/v1/security/users/a", json!(null)),
    ] {
        let (status, answer) = service.send(method.clone(), path, &body).await.both();
        assert_eq!(
            (status, &answer["code"]),
            (404, &json!(404)),
            "{method} {path}"
        );
        assert!(
            answer["message"]
                .as_str()
                .unwrap()
                .contains("users come from the identity provider"),
            "{answer}"
        );
    }
    let report = get("/v1/security/report").await;
    assert_eq!((report.0, &report.1["code"]), (404, &json!(404)));
    assert!(
        report.1["message"]
            .as_str()
            .unwrap()
            .contains("not a broker"),
        "{report:?}"
    );
}

#[tokio::test]
async fn the_command_line_of_the_managed_cloud() {
    let service = Own::with(|options| {
        options.endpoint.data_plane_api_form = gbac_api::clusters::DataPlaneApiForm::Object;
        options.endpoint.cluster_id = Some("c1".into());
    });
    let cluster = service.get_as("/v1/clusters/c1", &admin()).await.json();
    assert!(
        cluster["cluster"]["dataplane_api"]["url"].is_string(),
        "{cluster}"
    );
    let ask = async |method: &str, message: Vec<u8>| {
        let answer = binary(&service, &format!("{ROLES}/{method}"), message).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/proto"),
            "{method}"
        );
        answer.body.to_vec()
    };
    let role = field(1, &field(1, b"r"));
    assert_eq!(ask("CreateRole", role.clone()).await, role);
    // Groups work here, and a bare name is not taken for a user (D-94).
    let principal = field(1, b"Group:g");
    let change = |list: u8, principal: &[u8]| [field(1, b"r"), field(list, principal)].concat();
    assert_eq!(
        ask("UpdateRoleMembership", change(3, &principal)).await,
        [field(1, b"r"), field(2, &principal)].concat()
    );
    let bare = binary(
        &service,
        &format!("{ROLES}/UpdateRoleMembership"),
        change(3, &field(1, b"g")),
    )
    .await;
    assert_eq!(
        (bare.status, &bare.json()["code"]),
        (400, &json!("invalid_argument"))
    );
    assert_eq!(ask("ListRoles", Vec::new()).await, role);
    assert_eq!(
        ask("ListRoles", field(1, &field(3, b"Group:g"))).await,
        role
    );
    assert_eq!(
        ask("GetRole", field(1, b"r")).await,
        [role, field(2, &principal)].concat()
    );
    assert_eq!(
        ask("UpdateRoleMembership", change(4, &principal)).await,
        [field(1, b"r"), field(3, &principal)].concat()
    );
    assert_eq!(
        ask("DeleteRole", [field(1, b"r"), number(2, 1)].concat()).await,
        b""
    );
}

#[tokio::test]
async fn the_operator() {
    let service = Own::with(|_| {});
    let brokers = service.get_as("/v1/brokers", &admin()).await.json();
    assert_eq!(
        (&brokers[0]["node_id"], &brokers[0]["is_alive"]),
        (&json!(0), &json!(true))
    );
    // The probe for version 2 of the Admin API: without messages, everything else would go to
    // version 1.
    let probe = binary(&service, &format!("{ADMIN}/ListRoles"), Vec::new()).await;
    assert_eq!(
        (probe.status, probe.header("content-type"), probe.body.len()),
        (200, "application/proto", 0)
    );
    let role = with_member(b"orders-readers", b"/eng");
    let send = async |method: &str, message: Vec<u8>| {
        let answer = binary(&service, &format!("{ADMIN}/{method}"), message).await;
        (answer.status, answer.body.to_vec())
    };
    assert_eq!(
        send("CreateRole", field(1, &role)).await,
        (200, field(1, &role))
    );
    let added = send("AddRoleMembers", with_member(b"orders-readers", b"ops")).await;
    assert_eq!(added.0, 200);
    let removed = send("RemoveRoleMembers", with_member(b"orders-readers", b"ops")).await;
    assert_eq!(removed, (200, field(1, &role)));
    let missing = binary(&service, &format!("{ADMIN}/GetRole"), field(1, b"none")).await;
    assert_eq!(
        (missing.status, &missing.json()["code"]),
        (404, &json!("not_found"))
    );
    assert!(
        missing.json().get("details").is_none(),
        "errors of this service have no details"
    );
    let rule = json!({ "principal": "RedpandaRole:orders-readers", "resource": "orders-", "resource_type": "SUBJECT",
        "pattern_type": "PREFIXED", "host": "*", "operation": "READ", "permission": "ALLOW" });
    let registry =
        async |method: Method, path: &str, body: &Value| service.send(method, path, body).await;
    assert_eq!(
        registry(Method::POST, "/security/acls", &json!([rule]))
            .await
            .status,
        201
    );
    let mut prefixed = rule.clone();
    prefixed["resource_type"] = "REGISTRY".into();
    assert_eq!(
        registry(Method::POST, "/security/acls", &json!([prefixed]))
            .await
            .status,
        400,
        "only subjects have prefixes"
    );
    let query = "/security/acls?principal=RedpandaRole:orders-readers";
    assert_eq!(
        service.get_as(query, &admin()).await.both(),
        (200, json!([rule]))
    );
    assert_eq!(
        registry(Method::DELETE, "/security/acls", &json!([rule]))
            .await
            .both(),
        (200, json!([rule]))
    );
    // A User resource needs a password, and a service without passwords says so.
    let user = json!({ "username": "a", "password": "b", "algorithm": "SCRAM-SHA-512" });
    assert_eq!(
        registry(Method::POST, "/v1/security/users", &user)
            .await
            .status,
        404
    );
    assert_eq!(
        send(
            "DeleteRole",
            [field(1, b"orders-readers"), number(2, 1)].concat()
        )
        .await,
        (200, Vec::new())
    );
}

#[tokio::test]
async fn the_provider() {
    let service = Own::with(|options| {
        options.endpoint.public_url = Some("https://api-c1.example".into());
        options.endpoint.public_hosts = vec!["console-c1.example".into()];
    });
    let acl = [
        [number(1, 2), field(2, b"orders"), number(3, 3)].concat(),
        [
            field(4, b"RedpandaRole:r"),
            field(5, b"*"),
            number(6, 3),
            number(7, 3),
        ]
        .concat(),
    ]
    .concat();
    let at = async |host: &str, path: String, message: &[u8]| {
        let mut request = call(&path, "application/grpc", &admin(), framed(message));
        request.headers_mut().insert("host", host.parse().unwrap());
        let answer = service.ask(request).await;
        (
            answer.status,
            answer
                .trailers
                .get("grpc-status")
                .map(|code| code.to_str().unwrap().to_owned()),
        )
    };
    let ok = (200, Some("0".to_owned()));
    let (api, console) = ("api-c1.example", "console-c1.example");
    assert_eq!(at(api, format!("{ACLS}/CreateACL"), &acl).await, ok);
    let wrapped = |message: &[u8]| field(1, message);
    let role = wrapped(&field(1, &field(1, b"r")));
    assert_eq!(
        at(console, format!("{WRAPPED}/CreateRole"), &role).await,
        ok
    );
    assert_eq!(
        at("console-c2.example", format!("{WRAPPED}/CreateRole"), &role)
            .await
            .0,
        403,
        "not in --public-host"
    );
    let change = wrapped(&[field(1, b"r"), field(3, &field(1, b"Group:/eng"))].concat());
    assert_eq!(
        at(console, format!("{WRAPPED}/UpdateRoleMembership"), &change).await,
        ok
    );
    // It finds an assignment by the exact text of the principal in the first page, and sends no
    // page size.
    let members = field(
        1,
        &[field(1, b"r"), field(2, &field(1, b"Group:/eng"))].concat(),
    );
    assert_eq!(
        grpc(
            &service,
            &format!("{WRAPPED}/ListRoleMembers"),
            &wrapped(&field(1, b"r"))
        )
        .await,
        (0, members)
    );
    assert_eq!(
        grpc(
            &service,
            &format!("{WRAPPED}/GetRole"),
            &wrapped(&field(1, b"none"))
        )
        .await
        .0,
        5,
        "NOT_FOUND"
    );
    // It finds an ACL by its type, name and pattern.
    let pattern = field(
        1,
        &[number(1, 2), field(2, b"orders"), number(3, 3)].concat(),
    );
    let found = grpc(&service, &format!("{ACLS}/ListACLs"), &pattern)
        .await
        .1;
    assert!(found.ends_with(&[number(3, 3), number(4, 3)].concat()));
    let filter = field(1, &acl);
    assert_eq!(
        grpc(&service, &format!("{ACLS}/DeleteACLs"), &filter).await,
        (0, field(1, &acl))
    );
    let users = "/redpanda.api.dataplane.v1.UserService/CreateUser";
    assert_eq!(grpc(&service, users, b"").await.0, 12, "UNIMPLEMENTED");
    assert_eq!(
        grpc(
            &service,
            &format!("{WRAPPED}/DeleteRole"),
            &wrapped(&[field(1, b"r"), number(2, 1)].concat())
        )
        .await
        .0,
        0
    );
}

/// A request of the platform's console: a page of this service that speaks Connect in JSON.
async fn page(service: &Service, path: &str, origin: &str, body: &str) -> (u16, Value) {
    let mut request = request(Method::POST, path, &admin(), body);
    for (name, value) in [
        ("connect-protocol-version", "1"),
        ("origin", origin),
        ("sec-fetch-mode", "cors"),
        (
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        ),
    ] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    service.ask(request).await.both()
}

#[tokio::test]
async fn the_console_in_a_browser() {
    let service = Service::start();
    let own = "http://127.0.0.1:8420";
    let names: Vec<String> = (0..60).map(|number| format!("page-{number:02}")).collect();
    for name in &names {
        let body = json!({ "role": { "name": name } }).to_string();
        assert_eq!(
            page(&service, &format!("{ROLES}/CreateRole"), own, &body)
                .await
                .0,
            200
        );
    }
    let (mut found, mut token, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let body =
            json!({ "filter": { "namePrefix": "page-" }, "pageSize": 25, "pageToken": token })
                .to_string();
        let (status, answer) = page(&service, &format!("{ROLES}/ListRoles"), own, &body).await;
        assert_eq!(status, 200, "{answer}");
        let roles = answer["roles"].as_array().unwrap().iter();
        found.extend(roles.map(|role| role["name"].as_str().unwrap().to_owned()));
        (token, pages) = (
            answer["nextPageToken"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            pages + 1,
        );
        if token.is_empty() {
            break;
        }
    }
    assert_eq!((found, pages), (names, 3));
    // ACLs come without pages, those of Kafka first.
    let subject = json!({ "resourceType": "RESOURCE_TYPE_SUBJECT", "resourceName": "a", "resourcePatternType": 3,
        "principal": "User:a", "host": "*", "operation": 3, "permissionType": 3 });
    assert_eq!(
        page(
            &service,
            &format!("{ACLS}/CreateACL"),
            own,
            &subject.to_string()
        )
        .await,
        (200, json!({}))
    );
    let all = page(&service, &format!("{ACLS}/ListACLs"), own, "{}")
        .await
        .1;
    let kinds = all["resources"].as_array().unwrap().iter();
    let is_registry: Vec<bool> = kinds
        .map(|one| {
            ["RESOURCE_TYPE_SUBJECT", "RESOURCE_TYPE_REGISTRY"]
                .contains(&one["resourceType"].as_str().unwrap())
        })
        .collect();
    assert!(
        is_registry.is_sorted() && is_registry.contains(&true) && is_registry.contains(&false),
        "{is_registry:?}"
    );
    // POST only, and an empty body is no message.
    let empty = page(&service, &format!("{ROLES}/ListRoles"), own, "").await;
    assert_eq!(
        (empty.0, &empty.1["code"]),
        (400, &json!("invalid_argument"))
    );
    assert_eq!(
        service
            .get_as(&format!("{ROLES}/ListRoles"), &admin())
            .await
            .status,
        405
    );
    let other = page(
        &service,
        &format!("{ROLES}/ListRoles"),
        "https://console.example",
        "{}",
    )
    .await;
    assert_eq!(
        (other.0, &other.1["code"]),
        (403, &json!("permission_denied"))
    );
    let users = page(
        &service,
        "/redpanda.api.dataplane.v1.UserService/ListUsers",
        own,
        "{}",
    )
    .await;
    assert_eq!((users.0, &users.1["code"]), (404, &json!("unimplemented")));
}

#[tokio::test]
async fn curl_with_the_documented_pages() {
    let service = Own::with(|_| {});
    // curl sends this content type with `-d`.
    let send = async |method: Method, path: &str, body: &Value| {
        let mut request = request(method, path, &admin(), &body.to_string());
        request.headers_mut().insert(
            "content-type",
            "application/x-www-form-urlencoded".parse().unwrap(),
        );
        request
            .headers_mut()
            .insert("user-agent", "curl/8.7.1".parse().unwrap());
        service.ask(request).await
    };
    assert_eq!(
        send(Method::POST, "/v1/roles", &json!({ "name": "a/b" }))
            .await
            .status,
        201
    );
    let add = json!({ "add": [{ "principal": "Group:g" }] });
    assert_eq!(send(Method::PUT, "/v1/roles/a%2Fb", &add).await.status, 200);
    assert_eq!(
        send(Method::PUT, "/v1/roles/a/b", &add).await.status,
        404,
        "a name is one segment"
    );
    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resourceName": "t", "resource_pattern_type": 3,
        "principal": "RedpandaRole:a/b", "host": "*", "operation": "OPERATION_READ", "permission_type": 3, "new": true });
    assert_eq!(send(Method::POST, "/v1/acls", &acl).await.status, 201);
    let filters = [
        "filter.resource_type=2",
        "filter.resourceType=RESOURCE_TYPE_TOPIC",
        "filter.principal=Role:a/b",
        "new=1",
    ];
    for filter in filters {
        let listed = service
            .get_as(&format!("/v1/acls?{filter}"), &admin())
            .await
            .json();
        assert_eq!(
            listed["resources"][0]["acls"][0]["principal"], "RedpandaRole:a/b",
            "{filter}"
        );
    }
    let long = "x".repeat(129);
    for filter in ["name_prefix", "name_contains"] {
        let refused = service
            .get_as(&format!("/v1/roles?filter.{filter}={long}"), &admin())
            .await;
        assert_eq!(
            (refused.status, &refused.json()["code"]),
            (400, &json!("INVALID_ARGUMENT")),
            "{filter}"
        );
    }
    let any = "filter.resource_type=1&filter.resource_pattern_type=1&filter.operation=1&filter.permission_type=1";
    // Stricter than the platform (D-94): it ignores the former, and the latter would delete more
    // than was meant.
    for query in [
        format!("{any}&dry_run=true"),
        format!("{any}&filter.resource_nam=u"),
        format!("{any}&filter.operation=3"),
    ] {
        assert_eq!(
            service.delete(&format!("/v1/acls?{query}")).await.status,
            400,
            "{query}"
        );
    }
    let deleted = service.delete(&format!("/v1/acls?{any}")).await.json();
    assert_eq!(deleted["matching_acls"].as_array().unwrap().len(), 1);
    assert_eq!(service.delete("/v1/roles/a%2Fb").await.status, 204);
    let by_json = send(Method::POST, &format!("{ADMIN}/ListRoles"), &json!({})).await;
    assert_eq!(by_json.status, 415, "Connect needs its content type");
    // The Control Plane's other calls, and users, are not served.
    for (path, why) in [
        ("/v1/groups", "only `GET /v1/clusters/{id}`"),
        ("/v1/groups/g1", "only `GET /v1/clusters/{id}`"),
        ("/v1/role-bindings", "only `GET /v1/clusters/{id}`"),
        ("/v1/serverless/clusters/c1", "only `GET /v1/clusters/{id}`"),
        ("/v1/users", "identity provider"),
        ("/v1/topics", "does not exist"),
    ] {
        let answer = service.get_as(path, &admin()).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (404, &json!("NOT_FOUND")),
            "{path}"
        );
        assert!(
            answer.json()["message"].as_str().unwrap().contains(why),
            "{:?}",
            answer.body
        );
    }
    for path in [
        "/redpanda.core.admin.v3.SecurityService/ListRoles",
        "/core.admin.v2.SecurityService/ListRoles",
    ] {
        assert_eq!(
            service.send(Method::POST, path, &json!({})).await.status,
            404,
            "{path}"
        );
    }
    let option = Request::options("/v1/roles")
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    assert_eq!(service.ask(option).await.status, 405);
}
