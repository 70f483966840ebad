//! `--cluster-identity`: as whom changes of ACLs are sent to a cluster (D-137).

use std::fs;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::harness::{Answer, NOW, Service, admin, data_options, request};
use crate::identity_provider::{AUDIENCE, Provider};
use crate::kafka_cluster::{acl, message, until};
use crate::kafka_double::KafkaDouble;

/// The token of the service's own account.
const SERVICE: &str = "token.of.service";

/// A service that sends changes as `identity`, with a provider whose users `ann` and `bo` are
/// superusers.
async fn start(kafka: &KafkaDouble, identity: &str) -> (Service, Provider, TempDir) {
    let folder = tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, SERVICE).unwrap();
    let properties = folder.path().join("client.properties");
    let text = format!(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=file://{}\n",
        token.display()
    );
    fs::write(&properties, text).unwrap();
    kafka.broker().tokens.push((SERVICE.into(), true));
    let service = Service::on(&folder.path().join("data"), |options| {
        let data = data_options(options);
        data.clusters = vec![format!("prod=kafka://{}", kafka.address)];
        data.cluster_configs = vec![format!("prod={}", properties.display())];
        data.cluster_identities = vec![format!("prod={identity}")];
        data.cluster_interval = Duration::from_millis(5);
    })
    .unwrap();
    service.app.start_clusters();
    until(&service, "ready", |answer| answer.status == 200, "/readyz").await;
    let provider = Provider::start().await;
    let upsert = json!({ "superusers": ["ann", "bo"],
        "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE });
    let set = json!({ "upsert": upsert, "remove": [] });
    let answer = service.send(Method::PUT, "/v1/cluster_config", &set).await;
    assert_eq!(answer.status, 200);
    (service, provider, folder)
}

fn token(provider: &Provider, user: &str) -> String {
    let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": user, "exp": NOW + 60.0 });
    provider.sign("a", &claims)
}

async fn grant(service: &Service, name: &str, credentials: &str) -> Answer {
    let changes = json!({ "changes": [
        { "change": "add_acl", "acl": acl("ALLOW", name, "User:cara") },
    ] });
    let path = "/gbac/v1/policy/changes";
    let mut request = request(Method::POST, path, credentials, &changes.to_string());
    request
        .headers_mut()
        .insert("if-match", "*".parse().unwrap());
    service.ask(request).await
}

fn added(folder: &TempDir) -> Vec<Value> {
    let all = fs::read_to_string(folder.path().join("data/changes.jsonl")).unwrap();
    let events = all.lines().map(|line| serde_json::from_str(line).unwrap());
    let is_made = |event: &Value| message(event).contains(" added ");
    events.filter(is_made).collect()
}

#[tokio::test]
async fn changes_are_sent_with_the_token_of_who_makes_them() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, provider, folder) = start(&kafka, "caller").await;
    let [ann, bo] = ["ann", "bo"].map(|user| token(&provider, user));
    kafka
        .broker()
        .tokens
        .extend([(ann.clone(), true), (bo.clone(), false)]);
    let about = service.get("/gbac/v1/service").await.json();
    assert_eq!(about["cluster"]["identity"], "caller");

    let made = grant(&service, "orders", &format!("Bearer {ann}")).await;
    assert_eq!(
        (made.status, &made.json()["sent_as"]),
        (200, &json!("caller"))
    );
    assert_eq!(kafka.broker().senders, std::slice::from_ref(&ann));
    let events = added(&folder);
    let event = events.last().unwrap();
    assert_eq!(event["unmapped"]["sent_as"], "caller", "{event}");
    assert_eq!(event["unmapped"]["cluster"], "prod");

    // What the cluster refuses to the caller is not sent as the service.
    let refused = grant(&service, "pay", &format!("Bearer {bo}")).await;
    assert_eq!(refused.both().0, 424);
    let line = refused.json()["problems"][0]["message"].to_string();
    assert!(line.contains("CLUSTER_AUTHORIZATION_FAILED"), "{line}");
    assert_eq!(kafka.broker().senders, [ann.clone(), bo.clone()]);

    // A token that the cluster does not take, and a password.
    kafka.broker().tokens.retain(|(known, _)| *known != ann);
    let refused = grant(&service, "pay", &format!("Bearer {ann}")).await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (424, &json!("cluster_token_refused"))
    );
    let text = String::from_utf8_lossy(&refused.body).into_owned();
    assert!(
        text.contains("the token is not known") && !text.contains(&ann),
        "{text}"
    );
    let refused = grant(&service, "pay", &admin()).await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (403, &json!("cluster_token_required"))
    );
    assert_eq!(kafka.broker().senders.len(), 2);
    assert_eq!(kafka.broker().acls.len(), 1);

    // Roles are none of the cluster's.
    let role = json!({ "name": "readers" });
    assert_eq!(
        service.send(Method::POST, "/v1/roles", &role).await.status,
        201
    );

    // No token is kept.
    for file in fs::read_dir(folder.path().join("data")).unwrap() {
        let bytes = fs::read(file.unwrap().path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            [&ann, &bo]
                .iter()
                .all(|token| !text.contains(token.as_str()))
        );
    }
}

#[tokio::test]
async fn changes_are_sent_as_the_service_unless_it_is_told_otherwise() {
    let kafka = KafkaDouble::start(&[]).await;
    let (service, provider, folder) = start(&kafka, "service").await;
    let ann = token(&provider, "ann");
    let made = grant(&service, "orders", &format!("Bearer {ann}")).await;
    assert_eq!(
        (made.status, &made.json()["sent_as"]),
        (200, &json!("service"))
    );
    assert_eq!(kafka.broker().senders, [SERVICE]);
    let events = added(&folder);
    let event = events.last().unwrap();
    assert_eq!(event["unmapped"]["sent_as"], "service", "{event}");
}
