//! `/v1/cluster_config` (specification 2.2, D-13, D-14, D-30).

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Own, Service, admin};

const PATH: &str = "/v1/cluster_config";

async fn put(service: &Service, query: &str, body: Value) -> (u16, Value) {
    service
        .send(Method::PUT, &format!("{PATH}{query}"), &body)
        .await
        .both()
}

#[tokio::test]
async fn properties_are_read_individually_and_together() {
    let service = Service::start();
    assert_eq!(
        service.get(PATH).await.both(),
        (
            200,
            json!({
                "audit_enabled": true, "audit_enabled_event_types": ["management", "authenticate", "admin"],
                "audit_excluded_principals": [], "audit_excluded_topics": [], "audit_failure_policy": "reject",
                "audit_log_num_partitions": 12, "audit_log_replication_factor": null,
                "audit_queue_drain_interval_ms": 500, "audit_use_rpc": true, "http_authentication": ["BASIC"],
                "oidc_keys_refresh_interval": 3600, "sasl_mechanisms": ["SCRAM"], "nested_group_behavior": "none", "oidc_clock_skew_tolerance": 30,
                "oidc_discovery_url": "http://127.0.0.1:8420/demo/idp/.well-known/openid-configuration",
                "oidc_group_claim_path": "$.groups", "oidc_principal_mapping": "$.sub",
                "oidc_token_audience": "streams", "superusers": ["root"],
            })
        )
    );
    let own = Own::with(|_| {});
    let read =
        Request::get("/v1/cluster_config?include_defaults=false").header("authorization", admin());
    let changed = own.ask(read.body(Body::empty()).unwrap()).await;
    assert_eq!(
        changed.both(),
        (200, json!({ "audit_enabled": true })),
        "what a new folder starts with; the local account is in no property"
    );
    let one = service
        .get("/v1/cluster_config?key=oidc_group_claim_path&include_defaults=false")
        .await;
    assert_eq!(
        one.both(),
        (200, json!({ "oidc_group_claim_path": "$.groups" }))
    );
    let none = service.get("/v1/cluster_config?key=log_level").await;
    assert_eq!(
        none.both(),
        (
            400,
            json!({ "message": "Unknown property {log_level}", "code": 400 })
        )
    );
    let bad = service
        .get("/v1/cluster_config?include_defaults=maybe")
        .await;
    assert_eq!(
        bad.both(),
        (
            400,
            json!({ "message": "`include_defaults` is `maybe`; it must be `true` or `false`", "code": 400 })
        )
    );
    let schema = service.get("/v1/cluster_config/schema").await.json();
    assert_eq!(
        schema["properties"]["nested_group_behavior"],
        json!({
            "type": "string",
            "description": "How a group name is derived: `none` keeps it unchanged, `suffix` keeps the part after the last `/`.",
            "nullable": false, "needs_restart": false, "visibility": "user",
            "enum_values": ["none", "suffix"], "default": "none",
        })
    );
    assert_eq!(
        schema["properties"]["superusers"]["items"],
        json!({ "type": "string" })
    );
    let mut schema = schema;
    let has_effect = |property: &Value| {
        !property["description"]
            .as_str()
            .unwrap()
            .contains("It has no effect here")
    };
    schema["properties"]
        .as_object_mut()
        .unwrap()
        .retain(|_, property| property["type"] != "string" && has_effect(property));
    insta::assert_json_snapshot!("other_properties", schema);
    let status = service.get("/v1/cluster_config/status").await;
    let node = json!({ "node_id": 0, "restart": false, "config_version": 1, "invalid": [], "unknown": [] });
    assert_eq!(status.both(), (200, json!([node])));
}

#[tokio::test]
async fn only_changes_increase_the_version() {
    let service = Service::start();
    let change = json!({ "upsert": { "oidc_group_claim_path": "$['https://x.example/groups']",
        "superusers": ["admin", "maya.okafor"] }, "remove": [] });
    assert_eq!(
        put(&service, "?dry_run=true", change.clone()).await,
        (200, json!({ "config_version": 1 }))
    );
    assert_eq!(
        service
            .get("/v1/cluster_config?key=superusers")
            .await
            .json(),
        json!({ "superusers": ["root"] })
    );
    assert_eq!(
        put(&service, "", change.clone()).await,
        (200, json!({ "config_version": 2 }))
    );
    assert_eq!(
        put(&service, "?dry_run=false&force=true", change).await,
        (200, json!({ "config_version": 2 }))
    );
    let held = service
        .get("/v1/cluster_config?include_defaults=false")
        .await
        .json();
    assert_eq!(
        (
            &held["oidc_group_claim_path"],
            &held["superusers"],
            held.get("nested_group_behavior")
        ),
        (
            &json!("$['https://x.example/groups']"),
            &json!(["admin", "maya.okafor"]),
            None
        )
    );
    let reset =
        json!({ "upsert": {}, "remove": ["oidc_group_claim_path", "nested_group_behavior"] });
    assert_eq!(
        put(&service, "", reset).await,
        (200, json!({ "config_version": 3 }))
    );
    assert_eq!(
        service
            .get("/v1/cluster_config?key=oidc_group_claim_path")
            .await
            .json(),
        json!({ "oidc_group_claim_path": "$.groups" })
    );
}

#[tokio::test]
async fn a_rejected_change_names_every_property_and_changes_nothing() {
    let service = Service::start();
    let before = service.get(PATH).await.json();
    let change = json!({
        "upsert": { "oidc_group_claim_path": "$.realm access", "nested_group_behavior": "Suffix",
            "oidc_principal_mapping": "sub", "superusers": ["User:admin"], "nodes": 3 },
        "remove": ["cloud"],
    });
    let (status, faults) = put(&service, "", change).await;
    assert_eq!(status, 400);
    assert_eq!(
        faults["nested_group_behavior"],
        "Must be one of none,suffix"
    );
    assert_eq!(faults["nodes"], "Unknown property");
    assert_eq!(faults["cloud"], "Unknown property");
    assert_eq!(
        faults["superusers"],
        "the superuser `User:admin` has a principal type; write the bare user name `admin`"
    );
    let path = faults["oidc_group_claim_path"].as_str().unwrap();
    assert!(path.contains(" at byte 7"), "{path}");
    let mapping = faults["oidc_principal_mapping"].as_str().unwrap();
    assert!(mapping.contains(" at byte 0"), "{mapping}");
    assert_eq!(faults.as_object().unwrap().len(), 6);

    let one = async |upsert: Value, remove: Value| {
        put(&service, "", json!({ "upsert": upsert, "remove": remove })).await
    };
    assert_eq!(
        one(
            json!({ "oidc_group_claim_path": ["$.x"], "superusers": "admin" }),
            json!([])
        )
        .await,
        (
            400,
            json!({ "oidc_group_claim_path": "expected type string", "superusers": "expected type array of strings" })
        )
    );
    assert_eq!(
        one(
            json!({ "nested_group_behavior": "suffix" }),
            json!(["nested_group_behavior"])
        )
        .await,
        (
            400,
            json!({ "nested_group_behavior": "is in both `upsert` and `remove`" })
        )
    );
    for body in [
        json!({}),
        json!({ "upsert": {} }),
        json!({ "upsert": {}, "remove": [], "x": 1 }),
    ] {
        let (status, answer) = put(&service, "", body).await;
        assert_eq!((status, &answer["code"]), (400, &json!(400)));
        assert!(
            answer["message"]
                .as_str()
                .unwrap()
                .starts_with("the body is not valid: "),
            "{answer}"
        );
    }
    let (status, _) = put(
        &service,
        "?dry_run=x",
        json!({ "upsert": {}, "remove": [] }),
    )
    .await;
    assert_eq!(status, 400);
    assert_eq!(service.get(PATH).await.json(), before);
}

#[tokio::test]
async fn service_properties_validate_their_values() {
    let service = Own::with(|_| {});
    let one = async |name: &str, value: Value| {
        let (status, answer) = put(
            &service,
            "",
            json!({ "upsert": { name: value }, "remove": [] }),
        )
        .await;
        (
            status,
            if status == 400 {
                answer[name].clone()
            } else {
                answer["config_version"].clone()
            },
        )
    };
    let mut told = Vec::new();
    for (name, value) in [
        ("audit_enabled", json!("yes")),
        ("oidc_clock_skew_tolerance", json!("thirty")),
        ("oidc_clock_skew_tolerance", json!(-1)),
        ("oidc_clock_skew_tolerance", json!(0.5)),
        ("oidc_clock_skew_tolerance", json!(86_401)),
        ("oidc_discovery_url", json!("idp.example")),
        (
            "oidc_discovery_url",
            json!("http://idp.example/.well-known/openid-configuration"),
        ),
        (
            "oidc_discovery_url",
            json!("https://me:secret@idp.example/"),
        ),
        ("oidc_token_audience", json!(["a"])),
        ("oidc_token_audience", json!("streams\u{1b}[2J")),
        ("superusers", json!(["admin", "ana\nbo"])),
    ] {
        let (status, text) = one(name, value.clone()).await;
        assert_eq!(status, 400, "{name} {value}");
        told.push(format!("{name} {value}: {}", text.as_str().unwrap()));
    }
    insta::assert_snapshot!("property_faults", told.join("\n"));
    for (name, value) in [
        ("oidc_token_audience", json!("a".repeat(4097))),
        ("superusers", json!(["admin", "a".repeat(4097)])),
    ] {
        assert_eq!(
            one(name, value).await,
            (400, json!("the value has 4097 bytes; the maximum is 4096")),
            "{name}"
        );
    }
    for (name, value) in [
        ("audit_enabled", json!(true)),
        ("oidc_clock_skew_tolerance", json!(0)),
        (
            "oidc_discovery_url",
            json!("https://idp.example/.well-known/openid-configuration"),
        ),
        ("oidc_token_audience", json!("streams")),
    ] {
        assert_eq!(one(name, value.clone()).await.0, 200, "{name}");
        let read = Request::get(format!("{PATH}?key={name}")).header("authorization", admin());
        assert_eq!(own_value(&service, read).await, json!({ name: value }));
    }
    let reset = json!({ "upsert": {}, "remove": ["audit_enabled", "oidc_clock_skew_tolerance", "oidc_discovery_url",
        "oidc_token_audience"] });
    assert_eq!(put(&service, "", reset).await.0, 200);
    let read =
        Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
    assert_eq!(own_value(&service, read).await, json!({}));
}

#[tokio::test]
async fn a_scalar_is_text_or_of_its_type_and_null_resets() {
    let service = Own::with(|_| {});
    let set =
        async |upsert: Value| put(&service, "", json!({ "upsert": upsert, "remove": [] })).await;
    // What `rpk cluster config set` sends.
    let texts = json!({ "audit_enabled": "true", "oidc_clock_skew_tolerance": "60", "oidc_token_audience": 7,
        "superusers": ["ana", 8] });
    assert_eq!(set(texts).await.0, 200);
    let changed =
        Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
    let values = json!({ "audit_enabled": true, "oidc_clock_skew_tolerance": 60, "oidc_token_audience": "7",
        "superusers": ["8", "ana"] });
    assert_eq!(own_value(&service, changed).await, values);
    let resets = json!({ "audit_enabled": "", "oidc_clock_skew_tolerance": null, "oidc_token_audience": null,
        "superusers": "" });
    assert_eq!(set(resets).await.0, 200);
    let changed =
        Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
    assert_eq!(own_value(&service, changed).await, json!({}));
}

#[tokio::test]
async fn an_identity_provider_is_set_up_in_one_request() {
    let folder = tempfile::tempdir().unwrap();
    let upsert = json!({
        "sasl_mechanisms": ["SCRAM", "OAUTHBEARER"], "http_authentication": ["BASIC", "OIDC"],
        "oidc_discovery_url": "https://idp.example/.well-known/openid-configuration",
        "oidc_token_audience": "streams", "oidc_keys_refresh_interval": "600", "audit_enabled": "true",
        "audit_excluded_principals": ["User:svc"], "audit_log_replication_factor": "3",
    });
    let sent = {
        let service = Service::on(folder.path(), |_| {}).unwrap();
        let refused = json!({ "upsert": { "sasl_mechanisms": ["OAUTHBEARER", "NONE"], "audit_enabled": true }, "remove": [] });
        let fault = json!({ "sasl_mechanisms": "Must be one of SCRAM,GSSAPI,OAUTHBEARER,PLAIN" });
        assert_eq!(
            put(&service, "", refused).await,
            (400, fault),
            "one that is refused refuses all"
        );
        assert_eq!(
            put(&service, "", json!({ "upsert": upsert, "remove": [] }))
                .await
                .0,
            200
        );
        let schema = service.get("/v1/cluster_config/schema").await.json();
        let property = &schema["properties"]["sasl_mechanisms"];
        assert!(
            property["description"]
                .as_str()
                .unwrap()
                .contains("It has no effect here"),
            "{property}"
        );
        assert_eq!(
            schema["properties"]["audit_log_replication_factor"]["nullable"],
            json!(true)
        );
        let read =
            Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
        own_value(&service, read).await
    };
    assert_eq!(
        (
            &sent["oidc_keys_refresh_interval"],
            &sent["audit_log_replication_factor"]
        ),
        (&json!(600), &json!(3))
    );
    let again = Service::on(folder.path(), |_| {}).unwrap();
    let read =
        Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
    assert_eq!(own_value(&again, read).await, sent, "the values are stored");
    let reset = json!({ "upsert": { "audit_log_replication_factor": null, "sasl_mechanisms": ["SCRAM"] },
        "remove": ["http_authentication", "oidc_keys_refresh_interval", "audit_excluded_principals"] });
    assert_eq!(put(&again, "", reset).await.0, 200);
    let read =
        Request::get(format!("{PATH}?include_defaults=false")).header("authorization", admin());
    let rest = own_value(&again, read).await;
    let names: Vec<&str> = rest
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        names,
        ["audit_enabled", "oidc_discovery_url", "oidc_token_audience"]
    );
}

async fn own_value(service: &Service, read: axum::http::request::Builder) -> Value {
    service.ask(read.body(Body::empty()).unwrap()).await.json()
}

#[tokio::test]
async fn the_demos_provider_is_pinned() {
    let service = Service::start();
    let change = json!({ "upsert": { "oidc_discovery_url": "https://idp.example/" }, "remove": ["oidc_token_audience"] });
    let (status, faults) = put(&service, "", change).await;
    let names: Vec<&str> = faults
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        (status, names.as_slice()),
        (
            400,
            ["oidc_discovery_url", "oidc_token_audience"].as_slice()
        )
    );
}
