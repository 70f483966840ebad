//! Tests of the audit events that a check produces.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use serde_json::{Value, json};

use gbac_analysis::audit::{AuthProtocol, Context, Endpoint, Product, service};
use gbac_analysis::check::answer;
use gbac_analysis::events::{decision_events, refused_check_event, sign_in_event};
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_engine::resolve;
use gbac_json::{check_from_value, event_to_value};

fn evaluate(check: &Value) -> (Vec<Value>, Value) {
    let check = check_from_value(check).unwrap();
    let product = Product::default();
    let context = Context {
        time_ms: 1,
        product: &product,
        service: service::ADMIN,
        server: Endpoint::default(),
        client: Endpoint {
            port: Some(7),
            ..Endpoint::default()
        },
        correlation_uid: None,
        invoked_by: None,
    };
    let policy = Policy::default();
    let opened = resolve(&policy, &check.subject, None).unwrap();
    let answer = answer(&policy, &check, None, At::IgnoringExpiry).unwrap();
    let events = decision_events(context, &opened.identity, &check, &answer);
    let sign_in = sign_in_event(context, AuthProtocol::OIDC, false, &opened.identity, &check);
    (
        events.iter().map(event_to_value).collect(),
        event_to_value(&sign_in),
    )
}

#[test]
fn a_request_has_an_event_for_each_of_its_checks() {
    let (events, sign_in) = evaluate(&json!({
        "identity": { "user": "alice", "groups": ["a", "b"] }, "host": "10.0.0.7",
        "request": { "api": "kafka", "name": "Produce",
            "resources": { "topic": ["x"], "transactional_id": ["y"] } },
    }));
    let of = |event: &Value| (event["api"].clone(), event["resources"][0]["name"].clone());
    let api = json!({ "operation": "produce", "service": { "name": "kafka rpc protocol" } });
    assert_eq!(
        events.iter().map(of).collect::<Vec<_>>(),
        [(api.clone(), json!("x")), (api, json!("y"))]
    );
    assert_eq!(events[0]["src_endpoint"], json!({ "ip": "10.0.0.7" }));
    assert_eq!(
        sign_in["user"]["groups"][1],
        json!({ "type": "idp_group", "name": "b" })
    );
    assert_eq!(sign_in["service"]["name"], "kafka rpc protocol");
}

#[test]
fn refused_identities_have_an_event_with_the_request() {
    let product = Product::default();
    let (server, client) = (Endpoint::default(), Endpoint::default());
    let context = Context {
        time_ms: 1,
        product: &product,
        service: service::ADMIN,
        server,
        client,
        correlation_uid: None,
        invoked_by: None,
    };
    let event_of = |query: Value| {
        let mut check = query;
        check["identity"] = json!({ "user": "alice" });
        let check = check_from_value(&check).unwrap();
        event_to_value(&refused_check_event(
            context,
            "the token has expired",
            &check,
        ))
    };
    let event =
        event_of(json!({ "operation": "read", "resource_type": "topic", "resource_name": "x" }));
    assert_eq!(
        event["resources"],
        json!([{ "name": "x", "type": "topic" }])
    );
    assert_eq!(
        event["actor"]["user"],
        json!({ "name": "{{anonymous}}", "type_id": 0 })
    );
    assert_eq!(
        event["actor"]["authorizations"][0]["policy"]["desc"],
        "the token has expired"
    );
    let event = event_of(json!({ "request": { "api": "kafka", "name": "OffsetCommit",
        "resources": { "topic": ["x", "y"], "group": ["g"] } } }));
    assert_eq!(
        event["resources"][2],
        json!({ "name": "y", "type": "topic" })
    );
    assert_eq!(
        (&event["status_id"], &event["api"]["operation"]),
        (&json!(2), &json!("offset_commit"))
    );
}

#[test]
fn a_request_that_needs_nothing_has_one_event() {
    let (events, _) = evaluate(&json!({
        "identity": { "user": "alice" }, "request": { "api": "schema_registry", "name": "GET /schemas/types" },
    }));
    assert_eq!(events.len(), 1);
    let authorization = &events[0]["actor"]["authorizations"][0];
    assert_eq!(
        authorization,
        &json!({ "decision": "authorized",
            "policy": { "desc": "no ACL is needed", "name": "Schema Registry Service" } })
    );
}
