//! The demo: its policy, its provider and its people tell what they should.

use gbac_analysis::check::Answer::Access;
use gbac_analysis::check::{CANDIDATES, answer, explain};
use gbac_api::service::{Person, Provider, ServiceInfo};
use gbac_engine::Coded;
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_engine::resolve;
use gbac_json::{ExplanationJson, check_from_value, policy_from_json, policy_from_value};
use serde_json::{Value, json};

use crate::harness::{Service, demo_options};

const POLICY: &str = include_str!("../../demo/policy.json");

/// The decision for one person's token: outcome and reason, and what it came through.
fn decide(policy: &Policy, person: &Person, operation: &str, kind: &str, name: &str) -> String {
    let check = json!({
        "identity": null, "operation": format!("OPERATION_{operation}"), "host": "10.0.0.7",
        "resource_type": format!("RESOURCE_TYPE_{kind}"), "resource_name": name,
    });
    let mut check = check.as_object().unwrap().clone();
    check.remove("identity");
    check.insert("unverified_token".into(), person.token.clone().into());
    let check = check_from_value(&Value::Object(check)).unwrap();
    let Access(decision) = answer(policy, &check, None, At::IgnoringExpiry).unwrap() else {
        panic!("one operation")
    };
    let through = [
        decision.source.map(|source| source.code().to_owned()),
        decision.group,
        decision.role,
    ];
    let through: Vec<String> = through.into_iter().flatten().collect();
    format!(
        "{} {} {}",
        decision.outcome.code(),
        decision.reason.code(),
        through.join(" > ")
    )
    .trim_end()
    .to_owned()
}

#[tokio::test]
async fn the_policy_uses_every_source() {
    let policy = policy_from_json(POLICY).unwrap();
    assert_eq!((policy.roles().len(), policy.acls().len()), (5, 18));
    assert!(
        policy
            .acls()
            .all(|acl: gbac_engine::model::Acl| acl.check_create().is_empty()),
        "each could be created"
    );
    assert_eq!(policy.role("ReportingLegacy").unwrap().members.len(), 0);
    let people = Service::start().people().await;
    let [maya, jonas, priya] = people.as_slice() else {
        panic!("three people")
    };
    for (person, operation, kind, name, expected) in [
        (
            maya,
            "READ",
            "TOPIC",
            "clickstream",
            "allow allow_rule user_acl",
        ),
        (maya, "READ", "TOPIC", "status", "allow allow_rule user_acl"),
        (
            maya,
            "WRITE",
            "TOPIC",
            "orders-new",
            "allow allow_rule group_acl > engineering",
        ),
        (
            maya,
            "WRITE",
            "TOPIC",
            "orders-archive",
            "deny deny_rule group_acl > analytics",
        ),
        (
            maya,
            "READ",
            "TOPIC",
            "analytics-events",
            "allow allow_rule group_role_acl > analytics > AnalyticsReaders",
        ),
        (
            maya,
            "READ",
            "GROUP",
            "analytics-job",
            "allow allow_rule group_role_acl > analytics > AnalyticsReaders",
        ),
        (maya, "WRITE", "TOPIC", "analytics-events", "deny no_match"),
        (maya, "WRITE", "TOPIC", "clickstream", "deny no_match"),
        (maya, "WRITE", "TOPIC", "deployments", "deny no_match"),
        (
            maya,
            "WRITE",
            "SUBJECT",
            "orders-value",
            "allow allow_rule group_role_acl > engineering > SchemaStewards",
        ),
        (
            jonas,
            "WRITE",
            "SUBJECT",
            "orders-value",
            "allow allow_rule role_acl > SchemaStewards",
        ),
        (
            jonas,
            "WRITE",
            "TOPIC",
            "payments-new",
            "allow allow_rule group_role_acl > /eng/payments > PaymentsWriters",
        ),
        (
            jonas,
            "WRITE",
            "TRANSACTIONAL_ID",
            "payments-1",
            "allow allow_rule group_role_acl > /eng/payments > PaymentsWriters",
        ),
        (
            jonas,
            "WRITE",
            "TOPIC",
            "payments-settled",
            "deny deny_rule group_acl > /contractors/payments",
        ),
        (
            jonas,
            "READ",
            "TOPIC",
            "anything",
            "allow allow_rule group_role_acl > /eng/platform/on-call > IncidentResponders",
        ),
        (
            priya,
            "READ",
            "TOPIC",
            "anything",
            "allow allow_rule role_acl > IncidentResponders",
        ),
        (priya, "READ", "GROUP", "analytics-job", "deny no_match"),
        (priya, "WRITE", "TOPIC", "reports", "deny no_match"),
    ] {
        assert_eq!(
            decide(&policy, person, operation, kind, name),
            expected,
            "{} {operation} {kind} {name}",
            person.id
        );
    }

    let mut document: Value = serde_json::from_str(POLICY).unwrap();
    document["settings"]["nested_group_behavior"] = "suffix".into();
    let suffix = policy_from_value(&document).unwrap();
    assert_eq!(
        decide(&suffix, jonas, "WRITE", "TOPIC", "payments-settled"),
        "allow allow_rule group_role_acl > payments > PaymentsWriters",
        "the deny is for the long name, which suffix takes away"
    );
    assert_eq!(
        decide(&suffix, jonas, "READ", "TOPIC", "anything"),
        "deny no_match"
    );
}

#[tokio::test]
async fn the_demo_contains_near_misses() {
    let policy = policy_from_json(POLICY).unwrap();
    let token = Service::start().people().await.remove(0).token;
    for (name, expected) in [
        ("clickstream", "host"),
        ("deployments", "principal_letter_case"),
    ] {
        let check = json!({ "unverified_token": token, "operation": "OPERATION_WRITE", "host": "10.20.4.17",
            "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name });
        let check = check_from_value(&check).unwrap();
        let opened = resolve(&policy, &check.subject, None).unwrap();
        let explanation = ExplanationJson::from(
            &explain(
                &policy,
                &opened.identity,
                &check,
                At::IgnoringExpiry,
                CANDIDATES,
            )
            .unwrap(),
        );
        let found: Vec<&str> = explanation
            .candidates
            .iter()
            .filter_map(|candidate| Some(candidate.near_miss?.as_str()))
            .collect();
        assert_eq!(found, [expected], "{name}");
    }
}

#[tokio::test]
async fn service_information_is_complete() {
    let service = Service::with(|options| options.admin_password = None);
    let info = service.get("/gbac/v1/service").await;
    assert_eq!(
        info.both(),
        (
            200,
            json!({
                "name": "demo", "version": env!("CARGO_PKG_VERSION"), "demo": true,
                "sign_in": { "user": "admin", "password": "demo" },
                "provider": { "issuer": "http://127.0.0.1:8420/demo/idp", "audience": "streams",
                    "discovery": "/demo/idp/.well-known/openid-configuration", "jwks": "/demo/idp/jwks",
                    "people": "/demo/idp/people" },
                "tokens": { "issuer": "http://127.0.0.1:8420/demo/idp" },
            })
        )
    );
    let info: ServiceInfo = serde_json::from_slice(&info.body).unwrap();
    let Provider {
        issuer, discovery, ..
    } = info.provider.unwrap();
    let document = service.get(&discovery).await.json();
    assert_eq!(document["issuer"], issuer);
    assert_eq!(document["jwks_uri"], "http://127.0.0.1:8420/demo/idp/jwks");
    let jwks = service.get("/demo/idp/jwks").await;
    assert_eq!(jwks.header("content-type"), "application/json");
    let key = jwks.json()["keys"][0].clone();
    assert_eq!(
        (&key["kty"], &key["alg"], &key["use"]),
        (&json!("RSA"), &json!("RS256"), &json!("sig"))
    );
    assert_eq!(key.get("d"), None, "the private part stays here");
    let other = Service::with(|options| demo_options(options).key = None)
        .get("/demo/idp/jwks")
        .await
        .json();
    assert_ne!(other["keys"][0]["n"], key["n"], "a new key at each start");
}

#[tokio::test]
async fn demo_tokens_are_fresh_and_realistic() {
    use gbac_engine::token::UnverifiedToken;
    let service = Service::start();
    let people = service.people().await;
    let again = service.people().await;
    let ids: Vec<&str> = people.iter().map(|person| person.id.as_str()).collect();
    assert_eq!(ids, ["comma-separated", "path-names", "overage"]);
    for (one, other) in people.iter().zip(&again) {
        assert_ne!(one.token, other.token, "each has its own `jti`");
        let claims = UnverifiedToken::decode(&one.token).unwrap().claims;
        assert_eq!(claims.issuer(), Some("http://127.0.0.1:8420/demo/idp"));
        assert_eq!(claims.audiences(), Some(vec!["streams"]));
        assert_eq!(
            (
                claims.issued_at().map(gbac_engine::Timestamp::as_seconds),
                claims.expires_at().map(gbac_engine::Timestamp::as_seconds)
            ),
            (Some(1_800_000_000.0), Some(1_800_003_600.0))
        );
        assert!(claims.members().contains("jti") && claims.members().contains("azp"));
    }
}
