//! Several `--cluster`: each has its own policy below `/gbac/v1/clusters/NAME`, and they share the
//! access to the service (D-137).

use std::path::Path;
use std::time::Duration;

use axum::http::Method;
use gbac_server::{ServeError, ServeOptions};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use tokio::task::yield_now;

use crate::harness::{Answer, NOW, Service, admin, data_options, request};
use crate::identity_provider::{AUDIENCE, Provider};
use crate::kafka_cluster::{acl, events, message, names, until};
use crate::kafka_double::{KafkaDouble, Mood, topic};

const DEV: &str = "/gbac/v1/clusters/dev";
const PROD: &str = "/gbac/v1/clusters/prod";

fn with_clusters(options: &mut ServeOptions, clusters: &[(&str, &KafkaDouble)]) {
    let data = data_options(options);
    for (name, kafka) in clusters {
        data.clusters
            .push(format!("{name}=kafka://{}", kafka.address));
    }
    data.cluster_interval = Duration::from_millis(5);
}

fn open(folder: &Path, clusters: &[(&str, &KafkaDouble)]) -> Result<Service, ServeError> {
    let service = Service::on(folder, |options| with_clusters(options, clusters))?;
    service.app.start_clusters();
    Ok(service)
}

/// A service with the clusters `prod` and `dev`.
async fn start(prod: &KafkaDouble, dev: &KafkaDouble) -> (Service, TempDir) {
    let folder = tempdir().unwrap();
    let service = open(folder.path(), &[("prod", prod), ("dev", dev)]).unwrap();
    until_ready(&service, PROD).await;
    until_ready(&service, DEV).await;
    (service, folder)
}

async fn until_ready(service: &Service, cluster: &str) {
    let path = format!("{cluster}/readyz");
    until(service, "ready", |answer| answer.status == 200, &path).await;
}

async fn acls(service: &Service, cluster: &str) -> Vec<String> {
    let path = format!("{cluster}/v1/acls");
    names(&service.get_as(&path, &admin()).await.json())
}

async fn add_acl(service: &Service, cluster: &str, acl: &Value) -> Answer {
    let path = format!("{cluster}/v1/acls");
    service.send(Method::POST, &path, acl).await
}

#[tokio::test]
async fn each_cluster_has_its_own_policy() {
    let prod = KafkaDouble::start(&[topic(3, "orders", "User:ann")]).await;
    let dev = KafkaDouble::start(&[topic(2, "pay", "Group:eng")]).await;
    let (service, folder) = start(&prod, &dev).await;
    let list = service.get_as("/gbac/v1/clusters", &admin()).await.json();
    let about: Vec<_> = list["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cluster| {
            let name = cluster["name"].as_str().unwrap();
            assert_eq!(
                (&cluster["stale"], &cluster["kind"]),
                (&json!(false), &json!("kafka"))
            );
            (
                name,
                cluster["first"] == true,
                cluster["path"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(about, [("prod", true, PROD), ("dev", false, DEV)]);
    let addresses = [prod.address.to_string(), dev.address.to_string()];
    let text = list.to_string();
    assert!(
        addresses.iter().all(|address| !text.contains(address)),
        "{text}"
    );

    // Without a name, paths are about the first.
    assert_eq!(acls(&service, "").await, ["ALLOW orders User:ann"]);
    assert_eq!(acls(&service, PROD).await, ["ALLOW orders User:ann"]);
    assert_eq!(acls(&service, DEV).await, ["DENY pay Group:eng"]);
    let about = service.get(&format!("{DEV}/service")).await.json();
    assert_eq!(
        (&about["name"], &about["cluster"]["name"]),
        (&json!("dev"), &json!("dev"))
    );
    assert_ne!(
        about["data_id"],
        service.get("/gbac/v1/service").await.json()["data_id"]
    );
    let [short, whole] = [format!("{DEV}/policy"), format!("{DEV}/gbac/v1/policy")];
    let tag = service
        .get_as(&short, &admin())
        .await
        .header("etag")
        .to_owned();
    assert_eq!(service.get_as(&whole, &admin()).await.header("etag"), tag);
    assert_ne!(
        service
            .get_as("/gbac/v1/policy", &admin())
            .await
            .header("etag"),
        tag
    );

    // A change of one is none of the other.
    let changes = json!({ "changes": [
        { "change": "create_role", "role": "testers" },
        { "change": "add_acl", "acl": acl("ALLOW", "new", "RedpandaRole:testers") },
    ] });
    let path = format!("{DEV}/policy/changes");
    let mut change = request(Method::POST, &path, &admin(), &changes.to_string());
    change
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    let changed = service.ask(change).await;
    assert_eq!(changed.status, 200, "{:?}", changed.body);
    assert_eq!(
        add_acl(&service, DEV, &acl("DENY", "late", "User:bo"))
            .await
            .status,
        201
    );
    assert_eq!(dev.broker().log, ["+ allow new", "+ deny late"]);
    assert!(prod.broker().log.is_empty());
    assert_eq!(acls(&service, "").await, ["ALLOW orders User:ann"]);
    let roles = service.get_as("/v1/roles", &admin()).await.json();
    assert_eq!(roles["roles"], json!([]));

    // Events name the cluster.
    for event in events(&folder) {
        let said = message(&event).to_owned();
        let cluster = &event["unmapped"]["cluster"];
        if said.contains("testers") || said.contains("late") || said.contains("pay") {
            assert_eq!(cluster, "dev", "{event}");
        } else if said.contains("orders") {
            assert_eq!(cluster, "prod", "{event}");
        }
    }
    let calls = events(&folder);
    let path = format!("{DEV}/v1/acls");
    let is_call = |event: &&Value| event["http_request"]["url"]["path"] == path;
    let call = calls
        .iter()
        .find(is_call)
        .expect("the path is the one that was asked for");
    assert_eq!(call["unmapped"]["cluster"], "dev");
    drop(service);

    // At the next start, too.
    let clusters = [("prod", &prod), ("dev", &dev)];
    let mut opened = open(folder.path(), &clusters);
    while opened.is_err() {
        // The tasks of the first one end.
        yield_now().await;
        opened = open(folder.path(), &clusters);
    }
    let service = opened.unwrap();
    until_ready(&service, DEV).await;
    let roles = service
        .get_as(&format!("{DEV}/v1/roles"), &admin())
        .await
        .json();
    assert_eq!(roles["roles"][0]["name"], "testers");
}

#[tokio::test]
async fn a_cluster_that_is_away_leaves_the_others_as_they_are() {
    let (prod, dev) = (KafkaDouble::start(&[]).await, KafkaDouble::start(&[]).await);
    let (service, _folder) = start(&prod, &dev).await;
    prod.broker().mood = Mood::Away;
    until(
        &service,
        "not ready",
        |answer| answer.status == 503,
        "/readyz",
    )
    .await;
    assert_eq!(service.get(&format!("{DEV}/readyz")).await.status, 200);
    let grant = acl("ALLOW", "orders", "User:ann");
    assert_eq!(add_acl(&service, "", &grant).await.status, 503);
    assert_eq!(add_acl(&service, DEV, &grant).await.status, 201);
    assert_eq!(dev.broker().log, ["+ allow orders"]);
    let list = service.get_as("/gbac/v1/clusters", &admin()).await.json();
    assert_eq!(list["clusters"][0]["stale"], true);
    assert_eq!(list["clusters"][1]["stale"], false);
    let metrics = service.get("/metrics").await;
    let metrics = String::from_utf8(metrics.body.to_vec()).unwrap();
    for line in ["{cluster=\"prod\"} 0\n", "{cluster=\"dev\"} 1\n"] {
        let line = format!("gbac_cluster_readable{line}");
        assert!(metrics.contains(&line), "{line} in {metrics}");
    }
}

#[tokio::test]
async fn the_clusters_share_the_access_to_the_service() {
    let (prod, dev) = (KafkaDouble::start(&[]).await, KafkaDouble::start(&[]).await);
    let (service, folder) = start(&prod, &dev).await;
    let provider = Provider::start().await;
    let upsert = json!({ "superusers": ["root"],
        "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE });
    let set = json!({ "upsert": upsert, "remove": [] });
    let answer = service.send(Method::PUT, "/v1/cluster_config", &set).await;
    assert_eq!(answer.status, 200);
    let token = |user: &str| {
        let claims =
            json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": user, "exp": NOW + 60.0 });
        format!("Bearer {}", provider.sign("a", &claims))
    };
    let properties = format!("{DEV}/v1/cluster_config");
    // A superuser of a cluster's policy is none of the service.
    let set = json!({ "upsert": { "superusers": ["eve"] }, "remove": [] });
    assert_eq!(
        service.send(Method::PUT, &properties, &set).await.status,
        200
    );
    for (user, status) in [("root", 200), ("eve", 403)] {
        let path = format!("{DEV}/policy");
        assert_eq!(
            service.get_as(&path, &token(user)).await.status,
            status,
            "{user}"
        );
    }
    let accounts = service
        .get_as(&format!("{DEV}/accounts"), &admin())
        .await
        .json();
    assert_eq!(accounts["superusers"][0]["name"], "root");

    // What the service has is the same for all clusters, and changed in one place.
    let own = json!({ "upsert": { "audit_enabled": false }, "remove": [] });
    let refused = service.send(Method::PUT, &properties, &own).await;
    assert_eq!(refused.status, 400, "{:?}", refused.body);
    assert!(
        String::from_utf8_lossy(&refused.body).contains("belongs to the whole service"),
        "{:?}",
        refused.body
    );
    let license = json!({ "license": "expired" });
    let path = format!("{DEV}/license");
    assert_eq!(service.send(Method::PUT, &path, &license).await.status, 200);
    let unlicensed = add_acl(&service, DEV, &acl("ALLOW", "orders", "Group:eng")).await;
    assert_eq!(unlicensed.status, 400, "{:?}", unlicensed.body);
    assert_eq!(
        service.get_as("/gbac/v1/license", &admin()).await.json()["license"],
        "expired"
    );
    let off = service.send(Method::PUT, "/v1/cluster_config", &own).await;
    assert_eq!(off.status, 200);
    let before = events(&folder).len();
    let granted = add_acl(&service, DEV, &acl("ALLOW", "orders", "User:ann")).await;
    assert_eq!(granted.status, 201, "{:?}", granted.body);
    assert_eq!(events(&folder).len(), before, "auditing is off for all");
}

#[tokio::test]
async fn a_name_that_no_cluster_has_is_told_to_those_with_access() {
    let (prod, dev) = (KafkaDouble::start(&[]).await, KafkaDouble::start(&[]).await);
    let (service, _folder) = start(&prod, &dev).await;
    for path in ["/gbac/v1/clusters/test/policy", "/gbac/v1/clusters/test"] {
        assert_eq!(service.get(path).await.status, 401);
        let answer = service.get_as(path, &admin()).await;
        let message =
            "this service has no cluster `test`; `GET /gbac/v1/clusters` lists those that it has";
        assert_eq!(
            answer.both(),
            (
                404,
                json!({ "code": "cluster_unknown", "message": message })
            )
        );
    }
    assert_eq!(service.get("/gbac/v1/clusters").await.status, 401);
    let nested = format!("{DEV}{PROD}/policy");
    assert_eq!(service.get_as(&nested, &admin()).await.status, 404);
    let none = service.get_as(&format!("{DEV}/none"), &admin()).await;
    assert_eq!(
        (none.status, &none.json()["code"]),
        (404, &json!("not_found"))
    );
}

#[tokio::test]
async fn the_data_of_another_cluster_is_not_that_of_the_first() {
    let (prod, dev) = (KafkaDouble::start(&[]).await, KafkaDouble::start(&[]).await);
    let (service, folder) = start(&prod, &dev).await;
    drop(service);
    let swapped = [("dev", &dev), ("prod", &prod)];
    let code = loop {
        // The tasks of the first one end.
        match open(folder.path(), &swapped) {
            Err(ServeError::Store(_)) => yield_now().await,
            Err(error) => break error.code(),
            Ok(_) => panic!("it starts"),
        }
    };
    assert_eq!(code, "cluster_order");
    let new_first = [("new", &dev), ("prod", &prod)];
    let Err(taken) = open(folder.path(), &new_first) else {
        panic!("it starts")
    };
    assert_eq!(taken.code(), "cluster_order");
    let Err(twice) = open(folder.path(), &[("dev", &dev), ("Dev", &prod)]) else {
        panic!("it starts")
    };
    assert_eq!(twice.code(), "cluster_duplicate");
}
