//! The audit log as evidence: nobody hides what they do in noise, and every event names what it is
//! about.

use axum::body::Body;
use axum::http::{Method, Request};
use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::audit::{events, writing_to, written};
use crate::harness::{Service, admin, basic, request};

#[tokio::test]
async fn requests_that_only_read_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::unaudited(folder.path(), |_| {}).await;
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] });
    service.send(Method::PUT, "/v1/cluster_config", &on).await;
    for _ in 0..300 {
        assert_eq!(service.get_as("/gbac/v1/audit", &admin()).await.status, 200);
        assert_eq!(
            service.get_as("/gbac/v1/policy", &admin()).await.status,
            200
        );
    }
    let text = written(&folder.path().join("audit.jsonl"));
    assert_eq!(
        text.lines().count(),
        2 + 3,
        "the change, one sign-in, and each of the two reads once"
    );
    let shown = service
        .get_as("/gbac/v1/audit?limit=1000", &admin())
        .await
        .json();
    let counts: Vec<u64> = shown["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["count"].as_u64())
        .collect();
    assert_eq!(
        counts.iter().sum::<u64>(),
        600 + 300 + 299,
        "and how often all of them were repeated"
    );
    drop(service);
    let text = written(&folder.path().join("audit.jsonl"));
    assert_eq!(
        text.lines().count(),
        2 + 3 + 3,
        "the counts are written at the end, at the latest"
    );
}

#[tokio::test]
async fn requests_without_valid_credentials_cannot_fill_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    for n in 0..2000 {
        let mut asked = Request::post(format!("/v1/roles?x={n}")).header("host", "127.0.0.1:8420");
        for header in 0..20 {
            asked = asked.header(format!("x-filler-{header}"), "f".repeat(1000));
        }
        if n % 2 == 0 {
            asked = asked.header("authorization", basic("intruder", "x"));
        }
        let asked = asked
            .header("user-agent", n.to_string())
            .body(Body::empty())
            .unwrap();
        let status = service.ask(asked).await.status;
        assert!(status == 401 || status == 429, "{status}");
    }
    let text = written(&path);
    assert!(text.len() < 5_000, "{} bytes", text.len());
    assert!(
        !text.contains("filler") && !text.contains("user-agent") && !text.contains("intruder"),
        "{text}"
    );
    let counts: u64 = events(&service)
        .await
        .iter()
        .map(|event| event["count"].as_u64().unwrap_or(1))
        .sum();
    assert_eq!(counts, 2000, "all of them are counted");
    let metrics = String::from_utf8(service.get("/metrics").await.body.to_vec()).unwrap();
    let repeated = metrics
        .lines()
        .find_map(|line| line.strip_prefix("gbac_audit_events_repeated_total "))
        .unwrap();
    assert!(repeated.parse::<u64>().unwrap() > 1900, "{repeated}");
}

#[tokio::test]
async fn users_without_permission_cannot_fill_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let service = writing_to(&path);
    let maya = format!("Bearer {}", service.people().await.remove(0).token);
    for n in 0..500 {
        let role = format!("/v1/roles/role-{n}?x={n}");
        assert_eq!(
            service
                .send_as(Method::DELETE, &role, &json!({}), &maya)
                .await
                .status,
            403
        );
        let acls = format!("/v1/acls?filter.resource_name={n}");
        assert_eq!(service.get_as(&acls, &admin()).await.status, 200);
    }
    let text = written(&path);
    assert!(text.len() < 10_000, "{} bytes", text.len());
    let counted: u64 = events(&service)
        .await
        .iter()
        .map(|event| event["count"].as_u64().unwrap_or(1))
        .sum();
    assert!(counted >= 1000, "{counted}");
}

/// The service with what its connections would tell it: the client's address.
async fn ask_from(service: &Service, address: &str, request: Request<Body>) -> u16 {
    let mut request = request;
    let client: std::net::SocketAddr = address.parse().unwrap();
    request
        .extensions_mut()
        .insert(axum::extract::ConnectInfo(client));
    service.ask(request).await.status
}

/// Different requests without credentials, which write events of their own as long as there is a
/// budget for them.
async fn make_noise(service: &Service, address: &str) {
    for route in [
        "/v1/roles",
        "/v1/acls",
        "/gbac/v1/policy",
        "/v1/cluster_config",
        "/gbac/v1/license",
        "/v1/loggers",
    ] {
        for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "X-OWN"] {
            let noise = Request::builder()
                .method(method)
                .uri(route)
                .header("host", "127.0.0.1:8420");
            ask_from(service, address, noise.body(Body::empty()).unwrap()).await;
        }
        for scheme in ["Bearer x", "Basic eDp5", "Other x"] {
            let noise = request(Method::POST, route, scheme, "{}");
            ask_from(service, address, noise).await;
        }
    }
}

#[tokio::test]
async fn noise_hides_neither_wrong_passwords_nor_refused_calls() {
    let service = Service::start();
    let maya = format!("Bearer {}", service.people().await.remove(0).token);
    let (stranger, insider) = ("192.0.2.1:4000", "10.0.0.7:4000");
    make_noise(&service, stranger).await;
    for _ in 0..8 {
        let guess = request(Method::POST, "/v1/roles", &basic("admin", "x"), "{}");
        let status = ask_from(&service, stranger, guess).await;
        assert!(status == 401 || status == 429, "{status}");
    }
    for route in [
        "/v1/roles",
        "/v1/acls",
        "/gbac/v1/policy/changes",
        "/gbac/v1/backup",
        "/v1/cluster_config",
    ] {
        let method = if route == "/gbac/v1/backup" {
            Method::GET
        } else {
            Method::PUT
        };
        let refused = ask_from(&service, insider, request(method, route, &maya, "{}")).await;
        assert!(refused == 403, "{route}: {refused}");
    }
    let outsider = ask_from(
        &service,
        "198.51.100.7:1",
        request(Method::POST, "/v1/roles", "Bearer y", "{}"),
    )
    .await;
    assert_eq!(outsider, 401);

    let events = events(&service).await;
    let number = |told: &dyn Fn(&Value) -> bool| -> u64 {
        events
            .iter()
            .filter(|event| told(event))
            .map(|event| event["count"].as_u64().unwrap_or(1))
            .sum()
    };
    let of_admin = |event: &Value| match event["class_uid"].as_u64() {
        Some(3002) => event["user"]["name"] == "admin" && event["status_id"] == 2,
        _ => event["actor"]["user"]["name"] == "admin" && event["api"]["response"]["code"] == 429,
    };
    assert_eq!(
        number(&of_admin),
        8,
        "each wrong password for the account is named, and those beyond its limit"
    );
    let of_maya =
        |event: &Value| event["actor"]["user"]["name"] == "maya.okafor" && event["status_id"] == 2;
    assert_eq!(number(&of_maya), 5, "each refused call of a user is named");
    assert_eq!(
        number(&|event| event["src_endpoint"]["ip"] == "198.51.100.7"),
        1,
        "another network has its own budget"
    );
    let beyond = |event: &Value| {
        event["api"]["operation"] == "several" && event["src_endpoint"]["ip"] == "192.0.2.1"
    };
    assert!(
        number(&beyond) > 5,
        "the others are counted, with their network"
    );
}

#[tokio::test]
async fn repeated_reads_name_what_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] });
    service.send(Method::PUT, "/v1/cluster_config", &on).await;
    for n in 0..50 {
        assert_eq!(
            service
                .get_as(&format!("/v1/roles/r{n}"), &admin())
                .await
                .status,
            404
        );
    }
    let shown = service
        .get_as("/gbac/v1/audit?limit=1000", &admin())
        .await
        .json();
    let events = shown["events"].as_array().unwrap();
    for n in 0..50 {
        let path = format!("/v1/roles/r{n}");
        assert_eq!(
            events
                .iter()
                .filter(|event| names(event, "GET", &path))
                .count(),
            1,
            "{path}"
        );
    }
}

/// Whether an event is of a request with this method, alone or among others, and has its path and
/// query.
fn names(event: &Value, method: &str, path: &str) -> bool {
    let named = event["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|named| named["name"] == path);
    event["api"]["operation"] == method && (named || event["http_request"]["url"]["path"] == path)
}

#[tokio::test]
async fn reads_whose_message_says_what_is_read_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] });
    service.send(Method::PUT, "/v1/cluster_config", &on).await;
    let admin_api = "/redpanda.core.admin.v2.SecurityService/GetRole";
    let data_plane = "/redpanda.api.dataplane.v1.SecurityService";
    let mut paths = Vec::new();
    for n in 0..5 {
        for (path, message, target) in [
            (
                admin_api.to_owned(),
                json!({ "name": format!("a/{n}") }),
                format!("name=a%2F{n}"),
            ),
            (
                format!("{data_plane}/GetRole"),
                json!({ "roleName": format!("b{n}") }),
                format!("role_name=b{n}"),
            ),
            (
                format!("{data_plane}/ListRoleMembers"),
                json!({ "role_name": format!("c{n}"), "filter": { "name_contains": "x" } }),
                format!("filter.name_contains=x&role_name=c{n}"),
            ),
            (
                "/redpanda.api.dataplane.v1.ACLService/ListACLs".to_owned(),
                json!({ "filter": { "principal": format!("User:d{n}") } }),
                format!("filter.principal=User%3Ad{n}"),
            ),
            (
                "/redpanda.api.console.v1alpha1.SecurityService/GetRole".to_owned(),
                json!({ "request": { "roleName": format!("e{n}") } }),
                format!("role_name=e{n}"),
            ),
        ] {
            let status = service.send(Method::POST, &path, &message).await.status;
            assert!([200, 404].contains(&status), "{path}: {status}");
            paths.push(format!("{path}?{target}"));
        }
    }
    let shown = service
        .get_as("/gbac/v1/audit?limit=1000", &admin())
        .await
        .json();
    let events = shown["events"].as_array().unwrap();
    for path in paths {
        assert_eq!(
            events
                .iter()
                .filter(|event| names(event, "POST", &path))
                .count(),
            1,
            "{path}: {events:#?}"
        );
    }
}

#[tokio::test]
async fn decisions_do_not_displace_changes() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |options| {
        options.audit_files.file_bytes = 20_000;
        options.audit_files.total_bytes = 40_000;
    })
    .unwrap();
    let on = json!({ "upsert": { "audit_enabled": true }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &on)
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .send(Method::POST, "/v1/roles", &json!({ "name": "evidence" }))
            .await
            .status,
        201
    );
    let question = json!({ "subject": { "type": "user", "id": "u" }, "action": { "name": "read" },
        "resource": { "type": "topic", "id": "x" } });
    for _ in 0..100 {
        assert_eq!(
            service
                .send(Method::POST, "/access/v1/evaluation", &question)
                .await
                .status,
            200
        );
    }
    let metrics =
        String::from_utf8(service.get_as("/metrics", &admin()).await.body.to_vec()).unwrap();
    drop(service);
    let oldest = folder.path().join("audit-00000001.jsonl");
    assert!(!oldest.exists(), "the oldest decisions are deleted");
    let changes = std::fs::read_to_string(folder.path().join("changes.jsonl")).unwrap();
    assert!(
        changes.contains("admin created the role evidence"),
        "{changes}"
    );
    assert!(changes.contains("gbac deleted the oldest audit file audit-00000001.jsonl"));
    let chains = gbac_server::verify_audit_folder(folder.path()).unwrap();
    let [changes, decisions] = chains.as_slice() else {
        panic!("{chains:?}")
    };
    assert!(
        changes.first_sequence == 1 && decisions.first_sequence > 1 && !decisions.is_excerpt,
        "{chains:?}"
    );
    for log in ["changes", "audit"] {
        let of_log = |line: &&str| {
            line.starts_with(&format!("gbac_audit_last_event{{log=\"{log}\",sha256=\""))
        };
        assert_eq!(metrics.lines().filter(of_log).count(), 1, "{metrics}");
    }
    let hash = metrics
        .lines()
        .find_map(|line| line.strip_prefix("gbac_audit_last_event{log=\"changes\",sha256=\""));
    let hash = hash.unwrap().split('"').next().unwrap();
    let text = std::fs::read_to_string(folder.path().join("changes.jsonl")).unwrap();
    assert!(
        text.contains(hash) || changes.sha256 == hash,
        "a hash that was kept is in the chain"
    );
}

#[tokio::test]
async fn a_request_whose_client_leaves_ends_with_its_event() {
    let folder = tempfile::tempdir().unwrap();
    let service = writing_to(&folder.path().join("audit.jsonl"));
    let create = |name: &str| {
        request(
            Method::POST,
            "/v1/roles",
            &admin(),
            &json!({ "name": name }).to_string(),
        )
    };
    assert_eq!(
        service.ask(create("first")).await.status,
        201,
        "from now on, the password needs no hash"
    );
    for polls in 1..=5 {
        let mut asking = Box::pin(service.ask(create(&format!("left after {polls}"))));
        for _ in 0..polls {
            if asking.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    let ends = async || {
        let events = events(&service).await;
        events
            .iter()
            .filter(|event| event["class_uid"] == 6003 && event["api"]["response"]["code"] == 201)
            .count()
    };
    let all = async {
        while ends().await < 6 {
            tokio::task::yield_now().await;
        }
    };
    assert!(
        tokio::time::timeout(std::time::Duration::from_secs(120), all)
            .await
            .is_ok(),
        "{} of 6",
        ends().await
    );
}

/// The reasons in the events of changes, oldest first.
async fn reasons(service: &Service) -> Vec<Value> {
    let mut reasons = Vec::new();
    for event in events(service).await {
        if matches!(event["class_uid"].as_u64(), Some(3004 | 3006)) {
            reasons.push(event["unmapped"]["reason"].clone());
        }
    }
    reasons
}

#[tokio::test]
async fn a_change_is_recorded_with_its_reason() {
    let service = Service::start();
    let with_reason = |method: Method, path: &str, body: &Value, reason: &[u8]| {
        let mut request = request(method, path, &admin(), &body.to_string());
        let reason = axum::http::HeaderValue::from_bytes(reason).unwrap();
        request.headers_mut().insert("gbac-reason", reason);
        request
    };
    let role = json!({ "name": "auditors" });
    for (reason, said) in [
        (
            &b"50%"[..],
            "the header GBAC-Reason: the reason `50%` is not",
        ),
        (b"\xff", "is not percent-encoded UTF-8"),
        (b" ", "the reason is empty"),
        (b"two%0Alines", "control character"),
        (&b"x".repeat(501), "more than 500 characters"),
    ] {
        let refused = with_reason(Method::POST, "/v1/roles", &role, reason);
        let answer = service.ask(refused).await;
        let (status, body) = (answer.status, answer.json());
        assert_eq!(status, 400, "{body}");
        assert!(body.to_string().contains(said), "{said}: {body}");
    }
    assert_eq!(reasons(&service).await, Vec::<Value>::new());

    let asked = with_reason(Method::POST, "/v1/roles", &role, b"f%C3%BCr OPS-7");
    assert_eq!(service.ask(asked).await.status, 201);
    let join = json!({ "changes": [
        { "change": "add_member", "role": "auditors", "principal": "Group:audit" },
        { "change": "add_member", "role": "auditors", "principal": "User:maya" },
    ], "reason": " every quarter " });
    let tag = service
        .get_as("/gbac/v1/policy", &admin())
        .await
        .header("etag")
        .to_owned();
    let mut asked = with_reason(Method::POST, "/gbac/v1/policy/changes", &join, b"another");
    asked.headers_mut().insert("if-match", tag.parse().unwrap());
    assert_eq!(service.ask(asked).await.status, 200);
    service
        .send(Method::DELETE, "/v1/roles/auditors", &json!({}))
        .await;
    // The reason of the list counts before that of the header; a change without one has none.
    assert_eq!(
        reasons(&service).await,
        [
            json!("für OPS-7"),
            json!("every quarter"),
            json!("every quarter"),
            Value::Null
        ]
    );
}
