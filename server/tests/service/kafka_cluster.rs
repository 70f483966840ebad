//! `--cluster`: the ACLs live in a Kafka cluster; what others change there is seen, and changes are
//! sent in an order that never allows more (D-136).

use std::fs;
use std::path::Path;
use std::time::Duration;

use axum::http::Method;
use futures_util::future::select_all;
use gbac_server::{DataOptions, ServeError, ServeMode, ServeOptions, Server};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::harness::{Answer, Service, admin, data_options, request};
use crate::kafka_double::{DoubleAcl, KafkaDouble, Mood, topic};

const CHANGES: &str = "/gbac/v1/policy/changes";

/// A service with the ACLs of a broker.
fn open(folder: &Path, kafka: &KafkaDouble) -> Result<Service, ServeError> {
    let service = Service::on(folder, |options| {
        let data = data_options(options);
        data.clusters = vec![format!("prod=kafka://{}", kafka.address)];
        data.cluster_interval = Duration::from_millis(5);
    })?;
    service.app.start_clusters();
    Ok(service)
}

async fn start(kafka: &KafkaDouble) -> (Service, TempDir) {
    let folder = tempdir().unwrap();
    let service = open(folder.path(), kafka).unwrap();
    until_ready(&service).await;
    (service, folder)
}

/// Waits until the service says something else about itself.
pub(crate) async fn until(
    service: &Service,
    what: &str,
    is_so: impl Fn(&Answer) -> bool,
    path: &str,
) {
    let waited = timeout(Duration::from_secs(60), async {
        while !is_so(&service.get_as(path, &admin()).await) {
            yield_now().await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("never {what}"));
}

async fn until_ready(service: &Service) {
    until(service, "ready", |answer| answer.status == 200, "/readyz").await;
}

async fn until_not_ready(service: &Service) {
    until(
        service,
        "not ready",
        |answer| answer.status == 503,
        "/readyz",
    )
    .await;
}

/// Waits until the service has so many ACLs.
async fn until_acls(service: &Service, count: usize) {
    let has = |answer: &Answer| names(&answer.json()).len() == count;
    until(service, "that many ACLs", has, "/v1/acls").await;
}

pub(crate) fn names(list: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for resource in list["resources"].as_array().unwrap() {
        for acl in resource["acls"].as_array().unwrap() {
            let permission = acl["permission_type"].as_str().unwrap();
            let name = resource["resource_name"].as_str().unwrap();
            let principal = acl["principal"].as_str().unwrap();
            names.push(format!("{permission} {name} {principal}").replace("PERMISSION_TYPE_", ""));
        }
    }
    names.sort();
    names
}

async fn acls(service: &Service) -> Vec<String> {
    names(&service.get_as("/v1/acls", &admin()).await.json())
}

pub(crate) fn acl(permission: &str, name: &str, principal: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
        "operation": "OPERATION_READ", "permission_type": format!("PERMISSION_TYPE_{permission}") })
}

async fn change(service: &Service, tag: &str, changes: &Value) -> Answer {
    let body = json!({ "changes": changes }).to_string();
    let mut request = request(Method::POST, CHANGES, &admin(), &body);
    request
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    service.ask(request).await
}

async fn tag(service: &Service) -> String {
    let policy = service.get_as("/gbac/v1/policy", &admin()).await;
    policy.header("etag").to_owned()
}

async fn info(service: &Service) -> Value {
    service.get("/gbac/v1/service").await.json()["cluster"].clone()
}

/// What an event says; events of requests say nothing.
pub(crate) fn message(event: &Value) -> &str {
    event["message"].as_str().unwrap_or_default()
}

pub(crate) fn events(folder: &TempDir) -> Vec<Value> {
    let text = fs::read_to_string(folder.path().join("changes.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn the_acls_of_the_cluster_are_read_and_changes_by_others_are_seen() {
    let kafka =
        KafkaDouble::start(&[topic(3, "orders", "User:ann"), topic(2, "pay", "Group:eng")]).await;
    let (service, folder) = start(&kafka).await;
    assert_eq!(
        acls(&service).await,
        ["ALLOW orders User:ann", "DENY pay Group:eng"]
    );

    kafka.broker().acls = vec![topic(2, "pay", "Group:eng"), topic(3, "new", "User:bo")];
    let expected = ["ALLOW new User:bo", "DENY pay Group:eng"];
    let has = |answer: &Answer| names(&answer.json()) == expected;
    until(&service, "what others changed", has, "/v1/acls").await;

    let about = info(&service).await;
    assert_eq!(
        (&about["name"], &about["kind"], &about["unknown_acls"]),
        (&json!("prod"), &json!("kafka"), &json!(0))
    );
    let everybody_reads = about.to_string();
    assert!(
        !everybody_reads.contains(&kafka.address.to_string()),
        "{everybody_reads}"
    );
    let outside: Vec<Value> = events(&folder)
        .into_iter()
        .filter(|event| message(event).starts_with("outside "))
        .collect();
    assert_eq!(outside.len(), 4, "{outside:?}");
    assert!(
        outside[0]
            .to_string()
            .contains("the cluster `prod` were changed outside of GBAC")
    );
    assert!(kafka.broker().log.is_empty(), "nothing is sent");
}

#[tokio::test]
async fn changes_are_sent_so_that_nothing_opens_in_between() {
    let old = [
        topic(2, "old-deny", "User:ann"),
        topic(3, "old-allow", "User:ann"),
    ];
    let kafka = KafkaDouble::start(&old).await;
    let (service, folder) = start(&kafka).await;
    let changes = json!([
        { "change": "create_role", "role": "readers" },
        { "change": "remove_acl", "acl": acl("DENY", "old-deny", "User:ann") },
        { "change": "add_acl", "acl": acl("ALLOW", "new-allow", "Role:readers") },
        { "change": "remove_acl", "acl": acl("ALLOW", "old-allow", "User:ann") },
        { "change": "add_acl", "acl": acl("DENY", "new-deny", "Group:eng") },
        { "change": "add_acl", "acl": acl("DENY", "new-deny", "Group:eng") },
    ]);
    let answer = change(&service, &tag(&service).await, &changes).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(answer.json()["effects"][5], "unchanged");
    assert_eq!(
        kafka.broker().log,
        [
            "+ deny new-deny",
            "- allow old-allow",
            "+ allow new-allow",
            "- deny old-deny"
        ]
    );
    assert_eq!(
        kafka.broker().acls,
        [
            topic(2, "new-deny", "Group:eng"),
            topic(3, "new-allow", "Role:readers")
        ]
    );
    assert_eq!(
        acls(&service).await,
        [
            "ALLOW new-allow RedpandaRole:readers",
            "DENY new-deny Group:eng"
        ]
    );
    let made = events(&folder);
    let made: Vec<&str> = made
        .iter()
        .map(message)
        .filter(|message| {
            message.starts_with("admin added") || message.starts_with("admin removed")
        })
        .collect();
    assert_eq!(made.len(), 4, "{made:?}");

    // Each API that changes ACLs goes this way.
    kafka.broker().log.clear();
    let created = service
        .send(Method::POST, "/v1/acls", &acl("ALLOW", "more", "User:bo"))
        .await;
    assert_eq!(created.status, 201);
    assert_eq!(
        service
            .delete("/v1/roles/readers?delete_acls=true")
            .await
            .status,
        204
    );
    assert_eq!(kafka.broker().log, ["+ allow more", "- allow new-allow"]);
    let policy = json!({ "version": 1, "settings": { "dialect": "kafka" }, "acls": [] });
    let mut replace = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &policy.to_string(),
    );
    replace
        .headers_mut()
        .insert("if-match", tag(&service).await.parse().unwrap());
    let replaced = service.ask(replace).await;
    assert_eq!(replaced.status, 204, "{:?}", replaced.body);
    assert_eq!(kafka.broker().acls, []);
}

#[tokio::test]
async fn what_the_cluster_refuses_is_not_stored_and_stops_what_would_open() {
    let kafka = KafkaDouble::start(&[topic(2, "guard", "User:ann")]).await;
    kafka.broker().refuses = vec!["secret".into()];
    let (service, _folder) = start(&kafka).await;
    let changes = json!([
        { "change": "create_role", "role": "readers" },
        { "change": "add_acl", "acl": acl("DENY", "fine", "User:ann") },
        { "change": "add_acl", "acl": acl("DENY", "secret", "User:ann") },
        { "change": "remove_acl", "acl": acl("DENY", "guard", "User:ann") },
    ]);
    let answer = change(&service, &tag(&service).await, &changes).await;
    assert_eq!(answer.status, 424);
    let body = answer.json();
    assert_eq!(body["code"], "cluster_refused");
    let message = body["message"].as_str().unwrap();
    assert!(
        message.starts_with("1 of 3 ACL changes applied to the cluster `prod`; the roles"),
        "{message}"
    );
    let lines: Vec<&str> = body["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["message"].as_str().unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    let paths = [&body["problems"][0]["path"], &body["problems"][1]["path"]];
    assert_eq!(paths, ["/changes/2", "/changes/3"]);
    assert!(
        lines[0].contains("`secret`") && lines[0].contains("CLUSTER_AUTHORIZATION_FAILED"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].contains("`guard`") && lines[1].contains("not sent"),
        "{}",
        lines[1]
    );
    assert_eq!(
        acls(&service).await,
        ["DENY fine User:ann", "DENY guard User:ann"]
    );
    let roles = service.get_as("/v1/roles", &admin()).await.json();
    assert_eq!(roles["roles"], json!([]));

    // In the form of each API.
    let refused = service
        .send(Method::POST, "/v1/acls", &acl("ALLOW", "secret", "User:bo"))
        .await;
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("0 of 1") && message.contains("`secret`"),
        "{message}"
    );
}

#[tokio::test]
async fn a_change_is_planned_on_what_others_changed_before() {
    let kafka = KafkaDouble::start(&[]).await;
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |options| {
        let data = data_options(options);
        data.clusters = vec![format!("prod=kafka://{}", kafka.address)];
        // Only the start and changes read.
        data.cluster_interval = Duration::from_secs(1_000_000);
    })
    .unwrap();
    service.app.start_clusters();
    until_ready(&service).await;
    let tag = tag(&service).await;
    kafka.broker().acls.push(topic(3, "outside", "User:bo"));
    let changes = json!([{ "change": "add_acl", "acl": acl("ALLOW", "mine", "User:ann") }]);
    let refused = change(&service, &tag, &changes).await;
    assert_eq!(refused.both().0, 412);
    assert_eq!(refused.json()["code"], "policy_changed");
    assert!(kafka.broker().log.is_empty());
    let deleted = service.delete("/v1/acls?filter.resource_type=RESOURCE_TYPE_TOPIC&filter.resource_name=outside&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY&filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY").await;
    assert_eq!(deleted.status, 200, "{:?}", deleted.body);
    assert_eq!(kafka.broker().log, ["- allow outside"]);
}

#[tokio::test]
async fn a_read_that_lacks_our_own_change_is_no_change_by_others() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, _folder) = start(&kafka).await;
    kafka.broker().stale = Some(Vec::new());
    let created = service
        .send(Method::POST, "/v1/acls", &acl("DENY", "orders", "User:ann"))
        .await;
    assert_eq!(created.status, 201);
    let reads = kafka.broker().reads;
    while kafka.broker().reads < reads + 3 {
        yield_now().await;
    }
    assert_eq!(acls(&service).await, ["DENY orders User:ann"]);
    kafka.broker().stale = None;
    let reads = kafka.broker().reads;
    while kafka.broker().reads < reads + 3 {
        yield_now().await;
    }
    kafka.broker().acls.clear();
    until_acls(&service, 0).await;
}

#[tokio::test]
async fn a_change_whose_answer_is_lost_is_read_again() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, _folder) = start(&kafka).await;
    kafka.broker().mood = Mood::ClosesAfterChanges;
    let created = service
        .send(
            Method::POST,
            "/v1/acls",
            &acl("ALLOW", "orders", "User:ann"),
        )
        .await;
    assert_eq!(created.status, 201, "{:?}", created.body);
    assert_eq!(acls(&service).await, ["ALLOW orders User:ann"]);
}

#[tokio::test]
async fn without_the_cluster_the_stored_acls_decide_and_nothing_is_lost() {
    let kafka = KafkaDouble::start(&[topic(3, "orders", "User:ann")]).await;
    let (service, folder) = start(&kafka).await;
    for mood in [Mood::Away, Mood::Garbage] {
        kafka.broker().mood = mood;
        until_not_ready(&service).await;
        let ready = service.get("/readyz").await;
        let reason = String::from_utf8(ready.body.to_vec()).unwrap();
        assert_eq!(
            reason.trim(),
            "the ACLs of the cluster `prod` cannot be read; the log of the service says why"
        );
        assert_eq!(acls(&service).await, ["ALLOW orders User:ann"]);
        let refused = service
            .send(Method::POST, "/v1/acls", &acl("ALLOW", "more", "User:bo"))
            .await;
        assert_eq!(refused.status, 503, "{:?}", refused.body);
        assert_eq!(refused.header("retry-after"), "5");
        let role = service
            .send(
                Method::POST,
                "/v1/roles",
                &json!({ "name": format!("{mood:?}") }),
            )
            .await;
        assert_eq!(role.status, 201, "roles live in the store");
        assert_eq!(info(&service).await["stale"], true);
        kafka.broker().mood = Mood::Works;
        until_ready(&service).await;
    }
    assert_eq!(kafka.broker().acls.len(), 1);
    drop(service);

    // At the start, too.
    kafka.broker().mood = Mood::Away;
    let mut opened = open(folder.path(), &kafka);
    while opened.is_err() {
        // The task of the first one ends.
        yield_now().await;
        opened = open(folder.path(), &kafka);
    }
    let service = opened.unwrap();
    assert_eq!(service.get("/readyz").await.status, 503);
    let body = json!({ "subject": { "type": "user", "id": "ann" }, "action": { "name": "read" }, "resource": { "type": "topic", "id": "orders" } });
    let decided = service
        .send(Method::POST, "/access/v1/evaluation", &body)
        .await;
    assert_eq!(decided.json()["decision"], true, "{:?}", decided.body);
    assert!(
        decided.header("gbac-warning").contains("acls_stale"),
        "{:?}",
        decided.headers
    );
    kafka.broker().mood = Mood::Works;
    until_ready(&service).await;
    assert_eq!(
        service
            .send(Method::POST, "/access/v1/evaluation", &body)
            .await
            .header("gbac-warning"),
        ""
    );
}

#[tokio::test]
async fn acls_that_are_not_known_are_counted_and_kept() {
    let odd = DoubleAcl {
        operation: 99,
        ..topic(3, "odd", "User:ann")
    };
    let kafka = KafkaDouble::start(&[odd.clone(), topic(3, "orders", "User:ann")]).await;
    let (service, _folder) = start(&kafka).await;
    assert_eq!(acls(&service).await, ["ALLOW orders User:ann"]);
    let about = info(&service).await;
    assert_eq!(about["unknown_acls"], 1);
    assert!(
        about["unknown_kinds"][0]
            .as_str()
            .unwrap()
            .contains("operation 99")
    );
    let policy = json!({ "version": 1, "settings": { "dialect": "kafka" }, "acls": [] });
    let mut replace = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &policy.to_string(),
    );
    replace
        .headers_mut()
        .insert("if-match", "*".parse().unwrap());
    assert_eq!(service.ask(replace).await.status, 204);
    assert_eq!(kafka.broker().acls, [odd]);
    let metrics = service.get("/metrics").await;
    let metrics = String::from_utf8(metrics.body.to_vec()).unwrap();
    assert!(
        metrics.contains("\ngbac_cluster_unknown_acls{cluster=\"prod\"} 1\n"),
        "{metrics}"
    );
    assert!(
        metrics.contains("\ngbac_cluster_readable{cluster=\"prod\"} 1\n"),
        "{metrics}"
    );
}

async fn what_if(service: &Service, body: &Value) -> Answer {
    let path = "/gbac/v1/cluster/what-if";
    let asked = request(Method::POST, path, &admin(), &body.to_string());
    service.ask(asked).await
}

#[tokio::test]
async fn other_settings_of_the_brokers_are_tried() {
    let kafka = KafkaDouble::start(&[topic(3, "orders", "User:ann")]).await;
    kafka.broker().properties = vec![
        (
            "authorizer.class.name",
            Some("org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
        ),
        ("allow.everyone.if.no.acl.found", Some("true")),
        ("super.users", None),
    ];
    let (service, _folder) = start(&kafka).await;
    let present = what_if(&service, &json!({})).await;
    assert_eq!(present.status, 200);
    let present = present.json();
    let shown =
        json!({ "name": "allow.everyone.if.no.acl.found", "state": "stated", "value": "true" });
    assert_eq!(present["settings"][0], shown);
    let hidden = json!({ "name": "super.users", "state": "hidden" });
    assert_eq!(present["settings"][1], hidden);
    assert_eq!(
        (&present["summary"], &present["denied"]),
        (&json!(""), &json!(0))
    );
    let line = |user: &str, topic: &str| {
        format!(
            "Principal = User:{user} is Denied operation = READ from host = 10.0.0.7 on resource = \
             Topic:LITERAL:{topic} for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny\n"
        )
    };
    let log = line("ann", "orders") + &line("eve", "logs") + &line("root", "logs");
    let off = json!({ "allow.everyone.if.no.acl.found": "false" });
    let answer = what_if(&service, &json!({ "set": off, "log": log }))
        .await
        .json();
    assert_eq!(
        answer["summary"],
        "Turning off `allow.everyone.if.no.acl.found` denies 2 of the 3 principals seen."
    );
    assert!(
        answer["notes"][0]
            .as_str()
            .unwrap()
            .contains("can be a super user")
    );
    assert_eq!(answer["callers"][0]["denied"][0]["resource_name"], "logs");
    let known = json!({ "super.users": "User:root" });
    let answer = what_if(&service, &json!({ "set": off, "known": known, "log": log })).await;
    let answer = answer.json();
    assert_eq!(answer["denied"], 1);
    assert!(
        !answer["notes"].to_string().contains("super user"),
        "{answer}"
    );
    // Without lines and events, the principals of ACLs and roles.
    let answer = what_if(&service, &json!({ "set": off })).await.json();
    assert_eq!(
        (&answer["seen_in"], &answer["seen"]),
        (&json!("policy"), &json!(1))
    );
    for (body, reason) in [
        (json!({ "set": { "super.users": "" } }), "add it to `known`"),
        (json!({ "set": { "no.such": "" } }), "is not a setting"),
        (
            json!({ "known": { "super.users": "Group:a" } }),
            "never super users",
        ),
        (json!({ "sets": {} }), "unknown field"),
    ] {
        let refused = what_if(&service, &body).await;
        assert_eq!(refused.status, 400, "{body}");
        let text = String::from_utf8(refused.body.to_vec()).unwrap();
        assert!(text.contains(reason), "{text}");
    }
    let about = info(&service).await.to_string();
    assert!(
        !about.contains("super.users"),
        "everybody can read it: {about}"
    );
}

#[tokio::test]
async fn the_policy_has_the_dialect_of_kafka() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, _folder) = start(&kafka).await;
    let policy = json!({ "version": 1, "settings": { "dialect": "platform" } });
    let mut replace = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &policy.to_string(),
    );
    replace
        .headers_mut()
        .insert("if-match", "*".parse().unwrap());
    let refused = service.ask(replace).await;
    assert_eq!(refused.status, 400, "{:?}", refused.body);
    assert_eq!(refused.json()["problems"][0]["code"], "cluster_dialect");

    let folder = tempdir().unwrap();
    let other = Service::on(folder.path(), |_| {}).unwrap();
    let created = other
        .send(
            Method::POST,
            "/v1/acls",
            &acl("ALLOW", "orders", "User:ann"),
        )
        .await;
    assert_eq!(created.status, 201);
    drop(other);
    let Err(error) = open(folder.path(), &kafka) else {
        panic!("it starts")
    };
    assert_eq!(error.code(), "cluster_dialect");
}

#[tokio::test]
async fn changes_that_cannot_wait_for_the_cluster_are_refused() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, _folder) = start(&kafka).await;
    kafka.broker().mood = Mood::Silent;
    let service = &service;
    let mut changes = Vec::new();
    for number in 0..100 {
        let role = json!({ "name": format!("role-{number}") });
        changes.push(Box::pin(async move {
            service.send(Method::POST, "/v1/roles", &role).await
        }));
    }
    // The first answer is that of one that does not wait.
    let (refused, ..) = select_all(changes).await;
    assert_eq!(refused.status, 503, "{:?}", refused.body);
    assert_eq!(refused.header("retry-after"), "1");
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("too many changes wait"), "{message}");
}

#[tokio::test]
async fn a_service_with_a_cluster_stops() {
    let kafka = KafkaDouble::start(&[]).await;
    let folder = tempdir().unwrap();
    let mut data = DataOptions::new(folder.path().into());
    data.clusters = vec![format!("prod=kafka://{}", kafka.address)];
    let options = ServeOptions {
        listen: "127.0.0.1:0".into(),
        mode: ServeMode::Data(data),
        admin_password: Some("a password of tests".into()),
        ..ServeOptions::default()
    };
    let server = Server::bind(&options).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    while kafka.broker().reads == 0 {
        yield_now().await;
    }
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    let again = Service::on(folder.path(), |_| {});
    assert!(again.is_ok(), "nothing uses the folder any more");
}
